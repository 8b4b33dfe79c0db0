"""What the picture of a whole trial shows of a game."""

from __future__ import annotations

from arena_trees.games.game import Game, Judge
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.world.shapes import Shape

__all__ = ["picture_shapes"]


def picture_shapes(game: Game, judge: Judge, state: GameMessage | None) -> tuple[Shape, ...]:
    """Return what the judge draws of a trial, and of the game's last state what the judge does not draw itself.

    Shapes are of one kind where their ``group`` is the same: a judge that draws one shape of a group, such as things
    with the order in which they were taken, draws all of that group.

    Args:
        game: that was played
        judge: of the trial
        state: the last one of the game's rules; None without rules

    Returns:
        Shapes in the map frame, m.
    """
    drawn = tuple(judge.shapes())
    groups = {shape.group for shape in drawn}
    others = () if state is None else game.shapes(state)
    return *drawn, *(shape for shape in others if shape.group not in groups)
