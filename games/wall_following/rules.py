"""The rules: laps by the truth; the game ends with the last one, with a contact, or with the time."""

from __future__ import annotations

from arena_trees.games.game import GameContext
from arena_trees.games.timed_rules import TimedRules
from arena_trees.games.truth import Truth
from arena_trees.games.wall_following.laps import Lap, LapRules
from arena_trees.games.wall_following.messages import LapPhase, LapState, StartPlace
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["LapTimer"]


class LapTimer(TimedRules):
    """Times the lap of each robot from the game's begin; a robot that is not seen is not on its lap.

    Args:
        context: what is played
    """

    def __init__(self, context: GameContext) -> None:
        super().__init__(context)
        self._parameters = context.rules_as(LapRules)
        self._robots = tuple(context.players)
        self._laps: dict[str, Lap] = {}

    @property
    def state(self) -> LapState:
        """The state that the rules publish."""
        phase = LapPhase.WAITING if self.begun is None else LapPhase.RUNNING if self.end is None else LapPhase.OVER
        radius = self._parameters.finish_radius
        return LapState(
            phase=phase,
            laps_s={name: lap.time_s for name, lap in self._laps.items() if lap.time_s is not None},
            starts={name: StartPlace(x=lap.start.x, y=lap.start.y, radius=radius) for name, lap in self._laps.items()},
        )

    def begin(self, now: int) -> None:
        """Begin afresh (ns)."""
        self._laps = {}
        super().begin(now)

    def play(self, now: int, truth: Truth, inbox: Inbox) -> None:
        """Look where the robots are, and what they touch."""
        assert self.begun is not None
        for name in self._robots:
            if name not in truth:
                continue
            sample = truth[name]
            lap = self._laps.get(name)
            if lap is None:
                lap = self._laps[name] = Lap(self._parameters, sample.pose, self.begun)
            on = lap.time_s is None
            lap.observe(now, sample.pose)
            if on and lap.time_s is not None:
                self.publish()
            if sample.contacts and self._parameters.contact_ends:
                self.finish(now, "collided", f"{name} touched {', '.join(sorted(sample.contacts))}")
        if self._robots and all(name in self._laps and self._laps[name].time_s is not None for name in self._robots):
            self.finish(now, "lap", "all laps are complete")
