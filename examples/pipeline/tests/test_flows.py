import pytest
from pipeline.recipes import json_flow, number_flow, text_flow

LINES = ["a", "bb", "a longer line of text", "x" * 30]
RECORDS = ['{"text": "a secret"}', '{"text": "abc"}', '{"title": "none"}']


def test_plain_text_is_trimmed_late():
    flow, _, _, _ = text_flow(LINES)
    assert flow.run() == "a\nbb\na longer line of tex...\n" + "x" * 20 + "..."


def test_loud_text_is_upper_case():
    flow, _, _, _ = text_flow(LINES, "loud")
    assert flow.run() == "BB\nA LONGER!\nXXXXXXXX!"


def test_loud_text_counts_what_it_drops():
    flow, _, counter, _ = text_flow(LINES, "loud")
    flow.run()
    assert (counter.total, counter.dropped) == (4, 1)


def test_numbered_text_keeps_all_lines():
    flow, sink, _, _ = text_flow(LINES, "numbered")
    flow.run()
    assert sink.parts == LINES


def test_no_more_than_fifty_lines_are_read():
    flow, sink, _, _ = text_flow(["line"] * 60)
    flow.run()
    assert len(sink.parts) == 50


@pytest.mark.parametrize("style", ["plain", "loud", "numbered"])
def test_nothing_gives_nothing(style):
    flow, _, counter, errors = text_flow((), style)
    assert (flow.run(), counter.total, errors.messages) == ("", 0, [])


def test_records_are_kept_whole():
    flow, sink, _, _ = json_flow(RECORDS)
    assert flow.run() == "2 records"
    assert sink.written[0] == {"text": "a secret"}


def test_secrets_are_masked():
    flow, sink, _, _ = json_flow(RECORDS, redact=True)
    flow.run()
    assert sink.written[0]["text"] == "a ***"


def test_a_missing_field_is_noted():
    flow, _, counter, errors = json_flow(RECORDS)
    flow.run()
    assert errors.messages == ["json: no field text"]
    assert counter.total == 2


def test_short_records_may_be_dropped():
    flow, sink, counter, _ = json_flow(RECORDS, keep="long")
    flow.run()
    assert (len(sink.written), counter.dropped) == (1, 1)


def test_two_errors_are_noted_at_most():
    flow, _, _, errors = json_flow(['{"a": 1}'] * 4)
    flow.run()
    assert len(errors.messages) == 2


def test_numbers_are_numbered():
    flow, sink, _, _ = number_flow(2)
    flow.run()
    assert sink.written == [{"text": "1", "number": 1}, {"text": "2", "number": 2}]


def test_numbers_as_a_sum():
    flow, _, _, _ = number_flow(3, double=True)
    assert flow.run() == "1 + 2 + 3"


@pytest.mark.parametrize("count", [0, 1, 5])
def test_as_many_numbers_as_asked(count):
    flow, _, counter, _ = number_flow(count)
    assert flow.run() == f"{count} records"
    assert counter.total == count
