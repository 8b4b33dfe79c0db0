"""The results page is made of what was measured: of both strategies, and game by game of those that both end."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "make_results.py"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script, for a page of its own."""
    spec = importlib.util.spec_from_file_location("make_results", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS_PAGE", tmp_path / "results.md")
    return module


def run(script: ModuleType, errors: list[float], caught: list[bool], recovered: float = 1.0) -> dict[str, Any]:
    names = [name for _, name in (*script.TRACKING, *script.BEHAVIOUR)]
    summary = {name: {"mean": 0.0, "low": 0.0, "high": 0.0, "n": len(errors)} for name in names}
    summary["recovery_rate"] = {"rate": recovered, "low": 0.0, "high": 1.0, "n": len(errors)}
    trials = [
        {"caught": one, **{name: error for _, name in script.TRACKING}}
        for error, one in zip(errors, caught, strict=True)
    ]
    return {"trials": trials, "summary": summary}


def made(script: ModuleType, folder: Path, table: str, **runs: Any) -> list[list[str]]:
    for name, values in runs.items():
        (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    script.RESULTS_PAGE.write_text(
        f"before\n<!-- table {table} -->\n| old |\n<!-- /table -->\nafter\n", encoding="utf-8"
    )
    script.main(folder)
    before, _, *rows, _, after = script.RESULTS_PAGE.read_text(encoding="utf-8").splitlines()
    assert (before, after) == ("before", "after")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_sources_recoveries_are_measured(script: ModuleType, tmp_path: Path):
    ours, theirs = run(script, [0.0], [True]), run(script, [0.0], [True], recovered=0.875)
    both = {**ours, "arms": {"source": theirs}}
    rows = made(script, tmp_path, "behaviour", boxes=both, recovery=both, no_false_boxes=ours)
    assert [row[2:] for row in rows if row[1] == "`recovery_rate`"] == [
        ["1 (0 to 1)", "0.875 (0 to 1)"],
        ["", "1 (0 to 1)"],
    ]


def test_only_games_that_both_end_with_a_catch_are_compared(script: ModuleType, tmp_path: Path):
    ours = run(script, [0.1, 0.1, 0.3, 0.1], [True, True, True, False])
    theirs = run(script, [0.5, 0.0, 0.5, 0.0], [True, False, True, True])
    both = {**ours, "arms": {"source": theirs}}
    rows = made(script, tmp_path, "tracking", boxes=both, slow=both)
    assert rows[2][1:6] == [
        "`tracking_error_filtered`",
        "2",
        "0.2",
        "0.5",
        "0.3",
    ]


def test_a_table_without_its_runs_stays(script: ModuleType, tmp_path: Path):
    assert made(script, tmp_path, "errors") == [["old"]]
