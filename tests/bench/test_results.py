from pathlib import Path
from typing import Any

from bench.mutation.results import Results


def test_a_row_is_kept_for_the_next_run(tmp_path: Path) -> None:
    Results(tmp_path / "rows.jsonl").add(_row("one"))

    again = Results(tmp_path / "rows.jsonl")
    assert again.has("h11", "one")
    assert not again.has("h11", "two")
    assert not again.has("toolz", "one")


def test_a_half_written_row_is_tried_again(tmp_path: Path) -> None:
    Results(tmp_path / "rows.jsonl").add(_row("one"))
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"project": "h1')

    again = Results(tmp_path / "rows.jsonl")
    again.add(_row("two"))

    assert again.has("h11", "one")
    assert Results(tmp_path / "rows.jsonl").has("h11", "two")


def test_tables_sum_up_misses_and_selected_tests(tmp_path: Path) -> None:
    results = Results(tmp_path / "rows.jsonl")
    results.add(_row("one") | {"testmon": {"selected": 5, "cpu": 0.1, "missed": 4, "for example": ["a::b"]}})
    results.add(_row("two") | {"testmon": {"selected": 3, "cpu": 0.3, "missed": 2, "for example": ["a::b"]}})
    results.add({"project": "h11", "mutant": "three", "kind": "body", "tests": 10, "excluded": "too long"})

    tables = results.tables()

    assert "| h11 | 2 | 2 | 8 | 0 | 50.0% | 0.10 | 6 (2, 1 green) | 40.0% | 0.20 | 0 | 100.0% | 1.00 |" in tables
    assert "1 mutants are not counted" in tables


def _row(mutant: str) -> dict[str, Any]:
    row: dict[str, Any] = {"project": "h11", "mutant": mutant, "kind": "body", "tests": 10, "changed": 4}
    row["wiremap"] = {"selected": 5, "cpu": 0.1}
    row["testmon"] = {"selected": 5, "cpu": 0.1}
    row["impacted"] = {"selected": 10, "cpu": 1.0}
    return row
