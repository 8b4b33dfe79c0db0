"""A ghost as text, as ROS parameters and the command line give it."""

import pytest

from arena_trees.games.pacman.rules import GhostEntry, GhostRules, PacmanRules
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError


@pytest.mark.parametrize(
    "ghost",
    [
        GhostEntry(),
        GhostEntry(name="inky", kind="chase"),
        GhostEntry(name="a ghost: the second", kind="puppy_guard", start=(-1.25, 1e-3)),
    ],
)
def test_a_ghost_is_what_its_text_says(ghost):
    rules = validate(PacmanRules, {"ghosts": [str(ghost)]}, "test")
    assert rules.ghosts == (ghost,)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("pinky", "ghosts.0"),
        ("pinky:", "ghosts.0"),
        (":chase", "ghosts.0"),
        ("pinky:sleeps", "ghosts.0.kind"),
        ("pinky:chase:1.0", "ghosts.0"),
        ("pinky:chase:1.0:north", "ghosts.0"),
        ("pinky:chase:1.0:nan", "ghosts.0.start.1"),
        ("pinky:chase:inf:1.0", "ghosts.0.start.0"),
    ],
)
def test_a_text_that_is_no_ghost_is_refused(text, key):
    with pytest.raises(ConfigError) as refused:
        validate(PacmanRules, {"ghosts": [text]}, "test")
    assert refused.value.key == key


def test_waves_are_read_from_a_list_and_each_takes_its_time():
    assert validate(GhostRules, {"waves": [7, 20, 5]}, "test").waves == (7.0, 20.0, 5.0)
    for wave in (0.0, -1.0, float("nan"), float("inf"), 1e9):
        with pytest.raises(ConfigError, match="wave"):
            validate(GhostRules, {"waves": [7.0, wave]}, "test")
