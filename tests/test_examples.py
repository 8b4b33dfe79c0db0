"""The examples run as a user runs them, and say what the documents say they say."""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest
from helpers import patience
from helpers.arena import needs_arena
from helpers.commands import call

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "own_behaviour.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], name: str) -> str:
    """Run an example as a script, in this process, and return what it printed."""
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def code_lines(source: str) -> int:
    """Return the lines that are neither empty, comment nor docstring."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)]
    hidden = {line for node in docstrings for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = enumerate(source.splitlines(), start=1)
    return sum(bool(text.strip()) and not text.lstrip().startswith("#") and k not in hidden for k, text in lines)


@pytest.mark.slow
@needs_arena
def test_own_behaviour_plays_and_leaves_a_picture(tmp_path: Path):
    done = patience.run([sys.executable, str(EXAMPLES / "own_behaviour.py")], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert [line.split(":")[0] for line in said] == [f"seed {seed}" for seed in range(5)]
    assert all(re.search(r": (caught|survived) after \d+\.\d+ s \(", line) for line in said)
    assert (tmp_path / "results" / "own_behaviour.png").read_bytes().startswith(b"\x89PNG")


def test_own_behaviour_drives_by_the_new_tree(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import own_behaviour

    import arena_trees as at

    changes = {"duration_s": 3.0}
    result = at.play("wolf_rabbit_open", trees={"rabbit": own_behaviour.create_root}, changes=changes, trials=1, seed=0)
    assert re.fullmatch(r"(caught|survived) after \d+\.\d+ s", result.trials[0].ending)
    assert set(result.trials[0].trajectories["rabbit"].active) <= {"", "Dance", "Play dead"}
    assert "Dance" in result.trials[0].trajectories["rabbit"].active


def test_own_behaviour_has_30_lines_and_is_what_its_page_shows():
    source = (EXAMPLES / "own_behaviour.py").read_text(encoding="utf-8")
    assert code_lines(source) <= 30
    assert f"```python\n{source}```" in PAGE


def test_percepts_by_hand(capsys: pytest.CaptureFixture[str]):
    said = run(capsys, "percepts_by_hand.py").splitlines()
    assert said[0].startswith("Scan: +0.00 m/s")
    assert said[1:3] == ["Back towards home: +0.10 m/s +0.00 rad/s", "Run home: +0.22 m/s +0.00 rad/s"]
    assert "--> Wolf in sight? [✓] -- wolf_sign" in "\n".join(said)


@pytest.mark.parametrize("name", ["gate_in_a_loop", "percepts_on_a_blackboard"])
def test_parts_without_a_game(capsys: pytest.CaptureFixture[str], name: str):
    said = run(capsys, f"{name}.py")
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert f"```\n{said}```" in page
    assert code_lines((EXAMPLES / f"{name}.py").read_text(encoding="utf-8")) <= 25


@needs_arena
def test_why_it_stands(capsys: pytest.CaptureFixture[str]):
    said = run(capsys, "why_it_stands.py")
    wolf, rabbit = said.splitlines()
    # Silent for 3 s; it is noticed 0.5 s after the last return, and 0.2 s of fresh ones end it.
    assert 100 < int(re.findall(r"scan stale (\d+)", wolf)[0]) < 200
    assert int(re.findall(r"scan stale (\d+)", rabbit)[0]) < 20
    assert said.count("latched: no") == 2


@pytest.mark.parametrize("name", ["own_scenario.yaml", "own_arena.yaml", "other_bodies.yaml"])
def test_own_files_are_good(capsys: pytest.CaptureFixture[str], name: str):
    assert ": good " in call(capsys, "check", str(EXAMPLES / name))


@needs_arena
def test_own_scenario_plays(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    play = ("run", str(EXAMPLES / "own_scenario.yaml"), "--trials", "1", "--jobs", "1", "--set", "duration_s=0.5")
    assert "2/2 seed 100 slow wolf: " in call(capsys, *play)
    assert (tmp_path / "results" / "own_scenario.json").exists()
