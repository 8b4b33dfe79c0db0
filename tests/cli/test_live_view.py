"""The display of a run in a terminal: every line its own, names whole, at the widths that terminals have."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import closing
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.arena import needs_arena
from rich.console import Console

from arena_trees.commands.live import LiveView
from arena_trees.experiments.progress import Progress, ProgressBoard

LEAF = "Wait for the ghost to go"


def drawn(tmp_path, width: int, height: int, robots: list[str], arms: list[str], played: int) -> list[str]:
    """Return the lines of a display in which one trial is finished and some are being played."""
    game = SimpleNamespace(outcomes={"caught": ""})
    plan = SimpleNamespace(robots=dict.fromkeys(robots), game=game, scenario=SimpleNamespace(seed=1000))
    jobs: list[Any] = [
        SimpleNamespace(number=number, arm=arms[number % len(arms)], plan=plan, index=number // len(arms))
        for number in range(200)
    ]
    board = ProgressBoard(tmp_path / "board")
    for number in range(1, 1 + played):
        board.write(Progress(number, 12.5 + number, dict.fromkeys(robots, LEAF)))
    board.close()
    console = Console(file=StringIO(), width=width, height=height, force_terminal=True, color_system=None)
    view = LiveView("a scenario", jobs, tmp_path / "board", console)
    result: Any = SimpleNamespace(
        outcome="caught", simulated_s=9.5, ending="caught after 9.50 s", reason="claim 1 at 0.54 m " + "x" * 200
    )
    view.note(jobs[0], result)
    with closing(view._board), console.capture() as capture:
        console.print(view._draw())
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 24), (110, 30), (120, 40)])
@pytest.mark.parametrize("robots", [1, 2, 4, 8])
@pytest.mark.parametrize(("arms", "played"), [([""], 0), ([""], 2), (["arena", "source"], 1), (["arena", "source"], 8)])
def test_it_fits_and_cuts_no_name(tmp_path, width: int, height: int, robots: int, arms: list[str], played: int):
    names = [f"robot_{number}" for number in range(1, robots + 1)]
    head, bar, *lines = drawn(tmp_path, width, height, names, arms, played)
    assert head == "a scenario   1 of 200 trials   caught 1"
    assert set(bar) <= set("━╸╺ ")
    assert len(lines) + 2 < height
    assert max(map(len, [head, bar, *lines])) <= width
    text = "\n".join(lines)
    places = [f"{number + 1}/200 seed {1000 + number // len(arms)}" for number in range(1, played + 1)]
    shown = [place for place in places if place in text]
    assert text.count(LEAF) == robots * len(shown)
    if len(shown) < played:
        assert f"and {played - len(shown)} more" in text
        assert len(lines) + 2 >= height - 1 - (2 + robots), "there is no room for another"
    elif played:
        for name in names:
            assert name in text
    if len(lines) + 3 < height:
        assert "1/200 seed 1000" in text and "caught after 9.50 s" in text


def test_a_long_name_of_a_leaf_is_cut_with_a_mark(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "LEAF", "A name that somebody gave a leaf of his own")
    lines = drawn(tmp_path, 100, 24, ["wolf", "rabbit"], [""], 1)
    assert sum(line.count("A name that somebody ga…") for line in lines) == 2


@needs_arena
def test_in_a_terminal(tmp_path):
    """A real one: what is drawn first has the heading on a line of its own, and both robots' names."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-m", "arena_trees", "run", "wolf_rabbit_isolated", "--trials", "1", "--jobs", "1"]
    command += ["--set", "duration_s=8", "--seed", "300", "--json", "r.json", "--plot", "p.png"]
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR", "CI")}
    run = subprocess.Popen(
        command, stdout=other, stderr=other, stdin=other, cwd=tmp_path, env=environment | {"TERM": "xterm"}
    )
    os.close(other)
    said = b""
    try:
        while part := os.read(main, 65536):
            said += part
    except OSError:
        pass  # A terminal whose last program has ended is an error to read.
    os.close(main)
    assert run.wait() == 0
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r", "\n").split("\n")
    headings = [line for line in lines if "time, s" in line]
    assert headings
    for line in headings:
        assert re.fullmatch(r"trial +time, s +wolf +rabbit *", line)
    assert not any("━" in line and re.search(r"[a-z]", line) for line in lines)
    assert max(map(len, lines)) <= 80
