"""Whatever goes wrong for one client, the others get their answers and nothing stays held."""

import json
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any

import openai
import pytest

from tests.wiremap_llm.server.running_server import MODEL, Running, eventually, running

LONG: dict[str, Any] = {
    "model": MODEL,
    "prompt": "hello",
    "temperature": 0,
    "max_tokens": 100,
    "extra_body": {"ignore_eos": True},
}
SHORT: dict[str, Any] = {**LONG, "max_tokens": 4}


def complete(client: openai.OpenAI, body: dict[str, Any]) -> Any:
    return client.completions.create(**body)


def metric(server: Running, name: str) -> float:
    with urllib.request.urlopen(f"{server.url}/metrics") as answer:  # noqa: S310 - our own address
        lines = answer.read().decode().splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(f"wiremap_llm_{name} "))


def outcome(server: Running, kind: str) -> int:
    return server.server.metrics.outcomes[kind]


def test_a_client_that_hangs_up_in_the_middle_of_a_stream_frees_what_it_held(
    served: Running, client: openai.OpenAI
) -> None:
    before = outcome(served, "aborted")
    stream = client.completions.create(stream=True, **LONG)
    next(iter(stream))
    served.steps.hold()
    assert not served.engine.is_finished()

    stream.close()
    served.steps.release()

    eventually(lambda: outcome(served, "aborted") == before + 1)
    eventually(served.is_idle)
    assert client.completions.create(**SHORT).choices[0].finish_reason == "length"


def test_a_client_that_gives_up_waiting_for_a_whole_answer_frees_what_it_held(
    served: Running, client: openai.OpenAI
) -> None:
    before = outcome(served, "aborted")
    served.steps.hold()

    with pytest.raises(openai.APITimeoutError):
        client.completions.create(timeout=0.2, **LONG)
    eventually(lambda: outcome(served, "aborted") == before + 1)
    served.steps.release()

    eventually(served.is_idle)


def test_a_step_that_fails_ends_what_runs_with_an_error_and_the_server_goes_on(
    served: Running, client: openai.OpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    stream = iter(client.completions.create(stream=True, **LONG))
    next(stream)
    served.steps.hold()
    served.steps.fault = RuntimeError("out of luck")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(complete, client, LONG)
        eventually(lambda: served.server.engine.num_live == 2)
        served.steps.release()
        with pytest.raises(openai.InternalServerError, match="out of luck"):
            waiting.result()
    with pytest.raises(openai.APIError, match="The engine failed: out of luck"):
        list(stream)
    served.steps.fault = None

    assert "the engine failed" in caplog.text
    eventually(served.is_idle)
    assert client.completions.create(**SHORT).choices[0].finish_reason == "length"


def test_an_engine_that_cannot_let_go_is_told_as_broken(talking_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(talking_folder) as server, server.client() as client:
        server.steps.fault = RuntimeError("out of luck")
        monkeypatch.setattr(server.engine, "abort", lambda _: 1 / 0)

        for _ in range(2):
            with pytest.raises(openai.InternalServerError):
                client.completions.create(**SHORT)

        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{server.url}/health")  # noqa: S310 - our own address
        with caught.value:
            assert caught.value.code == 503


def test_a_request_whose_end_fails_breaks_no_more_than_the_engine(
    talking_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread lives on, so that everybody is told."""
    with running(talking_folder) as server, server.client() as client:
        stream = client.completions.create(stream=True, **LONG)
        next(iter(stream))
        server.steps.hold()
        monkeypatch.setattr(server.engine, "abort", lambda _: 1 / 0)
        stream.close()
        server.steps.release()

        eventually(lambda: server.server.engine.is_broken)
        with pytest.raises(openai.InternalServerError, match="can't go on: restart the server"):
            client.completions.create(**SHORT)


def test_a_burst_beyond_the_queue_is_turned_away_and_the_others_are_served(talking_folder: str) -> None:
    with running(talking_folder, max_num_seqs=2, max_queue=2) as server, server.client() as client:
        server.steps.hold()
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(complete, client, SHORT) for _ in range(8)]
            eventually(lambda: sum(each.done() for each in asked) == 4)
            assert metric(server, "completions_waiting") == 4
            server.steps.release()
            errors = [each.exception() for each in asked]

        rejected = [error for error in errors if error is not None]
        assert len(rejected) == 4
        for error in rejected:
            assert isinstance(error, openai.RateLimitError)
            assert error.code == "queue_full"
            assert error.response.headers["Retry-After"] == "1"
        eventually(lambda: outcome(server, "rejected") == outcome(server, "completed") == 4)


def test_whatever_many_clients_do_at_once_nothing_stays_held(talking_folder: str) -> None:
    """Clients of all kinds: patient and impatient, whole answers and streams, good requests and bad ones."""
    with running(talking_folder, max_num_seqs=4, max_queue=6, num_kvcache_blocks=40, kvcache_block_size=4) as server:
        alone = answers_alone(server)

        def behave(seed: int) -> None:
            chance = Random(seed)  # noqa: S311 - a test's own
            prompt = chance.choice(list(alone))
            body = {**LONG, "prompt": prompt, "max_tokens": chance.choice((1, 5, 20)), "n": chance.choice((1, 1, 2))}
            if chance.random() < 0.1:
                body["prompt"] = "x" * 200
            with server.client() as client, suppress(openai.RateLimitError, openai.BadRequestError):
                if chance.random() < 0.5:
                    stream = client.completions.create(stream=True, **body)
                    texts = [""] * body["n"]
                    for number, chunk in enumerate(stream):
                        for choice in chunk.choices:
                            texts[choice.index] += choice.text
                        if number > 3 and seed % 3 == 0:
                            stream.close()
                            break
                else:
                    texts = [choice.text for choice in client.completions.create(**body).choices]
                assert all(alone[prompt].startswith(text) for text in texts)

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(behave, range(48)))

        eventually(server.is_idle)
        outcomes = server.server.metrics.outcomes
        eventually(lambda: sum(outcomes.values()) == 48 + len(alone))
        assert outcomes["failed"] == 0
        assert outcomes["completed"] > len(alone)


def answers_alone(server: Running) -> dict[str, str]:
    with server.client() as client:
        return {
            prompt: client.completions.create(**{**LONG, "prompt": prompt, "max_tokens": 20}).choices[0].text
            for prompt in ("hello", "world", "ok ok ok ok", "x y z")
        }


def test_two_servers_in_one_process_know_nothing_of_each_other(served: Running, talking_folder: str) -> None:
    with running(talking_folder) as other, other.client() as client, served.client() as first:
        other.steps.hold()
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(complete, client, SHORT)
            here = first.completions.create(**SHORT)
            assert not waiting.done()
            other.steps.release()
            there = waiting.result()

    assert here.choices[0].text == there.choices[0].text
    assert outcome(other, "completed") == 1  # the other server has stopped by now


def test_many_clients_at_once_get_each_their_own_answer(client: openai.OpenAI) -> None:
    prompts = ["hello", "world", "ok", "x y z"]
    alone = {prompt: client.completions.create(**{**SHORT, "prompt": prompt}).choices[0].text for prompt in prompts}

    def ask(prompt: str) -> str:
        chunks = client.completions.create(stream=True, **{**SHORT, "prompt": prompt})
        return "".join(chunk.choices[0].text for chunk in chunks)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, prompts * 4))

    assert found == [alone[prompt] for prompt in prompts * 4]


def test_a_server_that_stops_takes_no_new_requests_and_finishes_those_that_run(talking_folder: str) -> None:
    with running(talking_folder) as server, server.client() as client:
        server.steps.hold()
        with ThreadPoolExecutor() as pool:
            asked = pool.submit(complete, client, SHORT)
            eventually(lambda: server.server.engine.num_live == 1)
            server.http.should_exit = True
            eventually(lambda: not server.http.servers[0].is_serving())
            with pytest.raises(openai.APIConnectionError), server.client() as late:
                late.completions.create(**SHORT)
            server.steps.release()

            assert asked.result().choices[0].finish_reason == "length"


def test_what_outlasts_the_limit_of_a_stop_is_told_so(talking_folder: str) -> None:
    with running(talking_folder, stop_timeout_seconds=0.2) as server, server.client() as client:
        stream = iter(client.completions.create(stream=True, **LONG))
        next(stream)
        server.steps.hold()
        with ThreadPoolExecutor() as pool:
            whole = pool.submit(complete, client, LONG)
            eventually(lambda: server.server.engine.num_live == 2)
            server.http.should_exit = True

            with pytest.raises(openai.InternalServerError, match="The server is stopping") as caught:
                whole.result()
            with pytest.raises(openai.APIError, match="The server is stopping"):
                list(stream)
        assert caught.value.status_code == 503


def test_metrics_count_what_happened(talking_folder: str) -> None:
    with running(talking_folder) as server, server.client() as client:
        client.completions.create(**{**SHORT, "n": 2})
        with pytest.raises(openai.BadRequestError):
            client.completions.create(**{**SHORT, "prompt": ""})
        with urllib.request.urlopen(f"{server.url}/metrics") as answer:  # noqa: S310 - our own address
            content_type, text = answer.headers["Content-Type"], answer.read().decode()
        server.steps.hold()
        with ThreadPoolExecutor() as pool:
            running_one = pool.submit(complete, client, LONG)
            server.steps.allow(2)
            eventually(lambda: metric(server, "completions_running") == 1)
            assert metric(server, "kv_blocks_used") > 0
            server.steps.release()
            running_one.result()

    assert content_type.startswith("text/plain; version=0.0.4")
    assert 'wiremap_llm_requests_total{outcome="completed"} 1' in text
    assert 'wiremap_llm_requests_total{outcome="invalid"} 1' in text
    assert "wiremap_llm_prompt_tokens_total 1\n" in text
    assert "wiremap_llm_generated_tokens_total 8\n" in text
    assert "wiremap_llm_time_to_first_token_seconds_count 2\n" in text
    assert "wiremap_llm_time_per_token_seconds_count 6\n" in text
    assert text.count("# TYPE") == len({line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")})


def test_nothing_is_left_running_when_a_server_has_stopped(talking_folder: str) -> None:
    before = threading.active_count()
    with running(talking_folder) as server, server.client() as client:
        client.completions.create(**SHORT)

    assert threading.active_count() <= before
    assert server.is_idle()


def test_the_health_of_a_server_that_works_is_ok(served: Running) -> None:
    with urllib.request.urlopen(f"{served.url}/health") as answer:  # noqa: S310 - our own address
        assert json.loads(answer.read()) == {"status": "ok"}
