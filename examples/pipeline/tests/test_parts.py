import pytest
from pipeline.flow import StageChain
from pipeline.sinks import Counter, ErrorLog, TextSink
from pipeline.sources import JsonSource, LineSource, NumberSource
from pipeline.stages import DropShort, Numbered, Redact, Trim, Upper


@pytest.mark.parametrize(("text", "trimmed"), [("short", "short"), ("long" * 5, "longlonglong...")])
def test_trim(text, trimmed):
    assert Trim().apply({"text": text}) == {"text": trimmed}


def test_upper():
    assert Upper("title").apply({"title": "a"}) == {"title": "A"}


def test_drop_short():
    assert DropShort().apply({"text": "a"}) is None


def test_numbered():
    stage = Numbered()
    assert [stage.apply({})["number"] for _ in range(3)] == [1, 2, 3]


def test_redact():
    assert Redact().apply({"text": "a secret"}) == {"text": "a ***"}


def test_a_chain_ends_where_a_record_is_dropped():
    assert StageChain([DropShort(3), Upper("none")]).run_stages({"text": "a"}) is None


def test_lines_are_stripped():
    assert LineSource([" a \n"]).records() == [{"text": "a"}]


def test_json_lines():
    assert JsonSource(['{"a": 1}'], 1).records() == [{"a": 1}]


def test_numbers():
    assert [record["text"] for record in NumberSource(2, 5).records()] == ["5", "6"]


def test_text_is_joined():
    sink = TextSink(", ")
    for word in ("a", "b"):
        sink.write({"text": word})
    assert sink.summary() == "a, b"


def test_a_counter_counts_what_is_dropped():
    counter = Counter()
    counter.count(kept=False)
    assert (counter.total, counter.dropped) == (1, 1)


def test_an_error_log_is_short():
    log = ErrorLog(1)
    log.note("a")
    log.note("b")
    assert log.messages == ["a"]
