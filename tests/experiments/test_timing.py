"""What is timed: each instant counts once, and versions are compared by ratios."""

from pathlib import Path

import pytest

from arena_trees.experiments.timing import parts, versions
from arena_trees.robot.errors import ConfigError


class Work:
    """Takes the time that a clock is put forward by, with other work in the middle of it."""

    def __init__(self, clock: list[int], takes: int, inner: "Work | None" = None, raises: bool = False) -> None:
        self.clock, self.takes, self.inner, self.raises = clock, takes, inner, raises

    def do(self) -> str:
        self.clock[0] += self.takes
        if self.inner is not None:
            self.inner.do()
        self.clock[0] += self.takes
        if self.raises:
            raise ValueError("it failed")
        return "done"


def test_an_instant_counts_to_the_innermost_part_and_only_once(monkeypatch):
    clock = [1_000_000]
    monkeypatch.setattr(parts.time, "thread_time_ns", lambda: clock[0])
    inner = Work(clock, 3)
    outer = Work(clock, 10, inner)
    watch = parts._Stopwatch()
    watch._time(inner, "do", "tree")
    watch._time(outer, "do", "loop")
    assert outer.do() == "done"
    clock[0] += 500
    assert inner.do() == "done"
    assert watch.spent == {"loop": 20, "tree": 12}
    assert watch.calls["loop"] == [26]
    assert watch.calls["tree"] == [6, 6]


def test_what_raises_is_timed_and_what_follows_counts_right(monkeypatch):
    clock = [0]
    monkeypatch.setattr(parts.time, "thread_time_ns", lambda: clock[0])
    inner = Work(clock, 2, raises=True)
    outer = Work(clock, 5, inner)
    watch = parts._Stopwatch()
    watch._time(inner, "do", "tree")
    watch._time(outer, "do", "loop")
    with pytest.raises(ValueError, match="it failed"):
        outer.do()
    inner.raises = False
    outer.do()
    assert watch.spent == {"loop": 15, "tree": 8}


def test_ratios_of_versions_and_what_noise_adds_to_them():
    found = versions.Versions(
        this=[[2.0, 4.0], [1.0, 9.0], [5.0, 4.0]],
        other=[[4.0, 8.0], [4.0, 16.0], [12.0, 8.0]],
        again=[[2.0, 4.0], [2.0, 8.0], [4.0, 5.0]],
        differ=(),
    )
    against, itself = found.ratios
    assert against == (0.5, 0.45, 0.5, (1.0 + 4.0) / (4.0 + 8.0))
    assert itself == (1.0, 1.0, 1.0, (2.0 + 4.0) / (1.0 + 4.0))


def test_another_version_is_a_checkout_or_a_commit(tmp_path):
    (tmp_path / "arena_trees").mkdir()
    with versions.other_version(str(tmp_path)) as folder:
        assert folder == tmp_path.resolve()
    for none in (str(tmp_path / "missing"), "no-such-commit", "--output=x"):
        with pytest.raises(ConfigError, match="--against: neither"), versions.other_version(none):
            pass
    assert not Path("x").exists()
