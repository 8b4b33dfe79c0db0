"""What tests of games need, of this package and of others: ``check_game``.

:func:`check_game` plays a game and looks whether it keeps the contract of :class:`~arena_trees.games.game.Game`. It
needs the arena (MuJoCo), and no test framework.
"""

from __future__ import annotations

from arena_trees.testing.conformance import Checked, check_game
from arena_trees.testing.sensors import check_sensor

__all__ = ["Checked", "check_game", "check_sensor"]
