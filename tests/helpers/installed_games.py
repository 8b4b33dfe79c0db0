"""Games that are installed for as long as a test lasts: on the path with their entry points, without pip."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena_trees.experiments import runner
from arena_trees.games import registry
from arena_trees.robot.configuration import resources
from arena_trees.testing import trials

TAG = Path(__file__).resolve().parents[2] / "examples" / "tag"


@contextmanager
def installed(folder: Path, points: Mapping[str, str], *paths: Path) -> Iterator[None]:
    """Have games installed.

    Args:
        folder: that the entry points are written into, and that is on the path
        points: name of a game to the object that it is, as entry points have them
        paths: other folders with code of the games
    """
    information = folder / "games_of_tests-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: games-of-tests\nVersion: 1.0\n")
    lines = ["[arena_trees.games]", *(f"{name} = {place}" for name, place in points.items()), ""]
    (information / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for path in (*paths, folder):
            patch.syspath_prepend(path)
        _look_again()
        yield
    _look_again()


def _look_again() -> None:
    """Forget which games there are, until it is asked again."""
    registry.find_game.cache_clear()
    registry._entries.cache_clear()
    resources._game_roots.cache_clear()


def play_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second play of :func:`arena_trees.testing.check_game` be in this process, as the first is."""
    play = runner.play
    monkeypatch.setattr(trials, "play", lambda jobs, _, *rest: play(jobs, 1, *rest))
