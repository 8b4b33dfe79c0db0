"""What a picture of a trial shows of a game: what its judge draws, and what the game draws of its last state."""

import pytest
from helpers.arena import needs_arena

from arena_trees.games.game import Game, Judge
from arena_trees.games.picture import picture_shapes
from arena_trees.recording.play import play
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.world.shapes import Disc, Shape

STORY = Disc(0.0, 0.0, 0.1, fill="#ffd91a", group="pellets")
LEFT = Disc(1.0, 0.0, 0.1, fill="#ffd91a", group="pellets")
GHOST = Disc(2.0, 0.0, 0.2, fill="#ff1a1a", group="ghosts")


class State(GameMessage, topic="state_of_the_picture"):
    """A state."""


class Drawing(Game):
    name = "drawing"

    def make_judge(self, context: object) -> Judge:
        return Watching()

    def shapes(self, state: GameMessage) -> tuple[Shape, ...]:
        return LEFT, GHOST


class Watching(Judge):
    def __init__(self, *drawn: Shape) -> None:
        self.drawn = drawn

    def observe(self, seen: object) -> None:
        pass

    def values(self) -> dict[str, float]:
        return {}

    def shapes(self) -> tuple[Shape, ...]:
        return self.drawn


def test_the_games_shapes_are_shown_but_for_groups_that_the_judge_draws():
    game = Drawing()
    assert picture_shapes(game, Watching(), State()) == (LEFT, GHOST)
    assert picture_shapes(game, Watching(STORY), State()) == (STORY, GHOST)
    assert picture_shapes(game, Watching(STORY), None) == (STORY,)


@needs_arena
@pytest.mark.parametrize(
    ("scenario", "groups"),
    [
        ("pacman", {"pellets", "ghosts", "score"}),
        ("pursuit_dodging", {"laser", "ball"}),
        ("wall_following", {"band", "laps"}),
    ],
)
def test_the_picture_of_a_run_has_the_shapes_of_its_game(scenario: str, groups: set[str]):
    (trial,) = play(scenario, changes={"duration_s": 0.5}, trials=1).trials
    assert groups <= {shape.group for shape in trial.shapes}
