"""The judge of PacMan: compares what the game declares with the truth, and measures how well it was played."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.figures import Chart, Mark
from arena_trees.games.game import GameContext, Judge
from arena_trees.games.metrics import Value
from arena_trees.games.observers import ContactObserver
from arena_trees.games.pacman.evaluation.cue_check import CueCheck
from arena_trees.games.pacman.evaluation.details import TrialDetails
from arena_trees.games.pacman.evaluation.touch_check import TouchCheck
from arena_trees.games.pacman.events import GameSnapshot, find_events
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase, Pellet, name_pellets
from arena_trees.games.pacman.planning.best_tour import best_tour_m
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.games.truth import Observation
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.timing import TICK
from arena_trees.world.shapes import Shape

__all__ = ["FASTEST", "PacmanJudge"]

FASTEST = 0.306
"""Greatest speed of a Create 3, m/s, by which the best tour is timed."""
_CLOSEST = 0.22
"""m; the best tour comes so near to walls, or as near as the robot's own ways do."""
_AFTER_S = 0.5
"""A trial goes on for this long after its end, so that the last cue is seen."""

_BY_TICKS = frozenset(
    ("false_deaths", "missed_deaths", "false_pickups", "cue_latency_s", "cue_latency_max_s", "cues_missing")
)
"""Values that only who sees every tick can tell."""


class PacmanJudge(Judge):
    """Judges one round. The outcome is complete, died, out_of_reach, or over while or where none of them fits.

    The trial is over when every pellet was scored, when no life is left, when the robot has given up what it cannot
    reach, or when time is up. Where observations are
    farther apart than ticks, as from outside, nobody can tell whether a ghost was touched, nor how soon a cue came:
    values for that are left out.

    Args:
        context: what is played
    """

    def __init__(self, context: GameContext) -> None:
        assert isinstance(context.rules, PacmanRules)
        self._rules = context.rules
        self._map = context.map
        self._duration_s = context.duration_s
        self._robot = context.with_role("pacman") or ""
        player = context.players.get(self._robot)
        self._clearance = getattr(None if player is None else player.parameters, "wall_clearance", _CLOSEST)
        self._contacts = ContactObserver(context.players)
        self._touches = TouchCheck()
        self._cues = CueCheck()
        self._story = TrialDetails()
        self._pellets: dict[int, Pellet] = {}
        self._before: GameSnapshot | None = None
        self._begun: int | None = None
        self._completed: int | None = None
        self._ended: int | None = None
        self._sees_ticks = True

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        self._sees_ticks = self._sees_ticks and seen.step <= TICK
        if self._robot in seen.ticks:
            self._cues.observe(seen.now, seen.ticks[self._robot].cues)
        if isinstance(seen.state, PacmanGame):
            self._follow(seen, seen.state)
        self._contacts.observe_truth(seen.now, seen.truth)
        self._check_end(seen)

    def values(self) -> dict[str, Value]:
        """Return what the trial is judged by."""
        time_s, tour_s = None, self._tour_s()
        if self._completed is not None and self._begun is not None:
            time_s = to_seconds(self._completed - self._begun)
        touches, cues = self._touches, self._cues
        values: dict[str, Value] = {
            "completed": self._completed is not None,
            "all_but_one": self._before is not None and self._left <= 1,
            "deaths": self._story.deaths,
            "false_deaths": touches.false_deaths,
            "missed_deaths": touches.missed_deaths,
            "pellets_collected": len(self._story.collected),
            "false_pickups": touches.false_pickups,
            "completion_time_s": time_s,
            "ghost_free_tour_s": None if tour_s is None else round(tour_s, 2),
            "tour_ratio": None if time_s is None or tour_s is None else round(time_s / tour_s, 4),
            "cue_latency_s": cues.mean_s(),
            "cue_latency_max_s": cues.longest_s(),
            "cues_missing": cues.missing,
            "collisions": self._contacts.collisions,
        }
        if self._sees_ticks:
            return values
        return {name: value for name, value in values.items() if name not in _BY_TICKS}

    def marks(self) -> Sequence[Mark]:
        """Return the deaths."""
        return self._story.marks()

    def charts(self) -> Sequence[Chart]:
        """Return how near the ghosts were, and when the pellets were collected."""
        return self._story.charts()

    def shapes(self) -> Sequence[Shape]:
        """Return pellets in the order of their collection, and the ghosts' trails."""
        return self._story.shapes(self._pellets)

    @property
    def _left(self) -> int:
        """Pellets of the round that were not scored."""
        spawned = 0 if self._before is None else self._before.game.spawned
        return spawned - len({number for _, number in self._story.collected})

    def _follow(self, seen: Observation, game: PacmanGame) -> None:
        """Note what happened since the observation before."""
        truth = seen.truth.get(self._robot)
        after = GameSnapshot(seen.now, game, None if truth is None else (truth.pose.x, truth.pose.y))
        before, self._before = self._before, after
        for pellet in game.pellets:
            self._pellets.setdefault(pellet.id, pellet)
        events = find_events(before, after)
        self._cues.expect(events)
        self._touches.observe(before, after, events)
        if game.phase is PacmanPhase.RUNNING and self._begun is None:
            self._begun = seen.now
        self._story.note(after, events, self._begun is not None)

    def _check_end(self, seen: Observation) -> None:
        if self._ended is None and isinstance(seen.state, PacmanGame) and seen.state.over:
            self._end(seen, seen.state)
        if self._ended is None and to_seconds(seen.now + seen.step) >= self._duration_s:
            self._ended, self.over = seen.now, True
        if self._ended is not None and seen.now - self._ended >= from_seconds(_AFTER_S):
            self.over = True
        if self.over:
            self._touches.end()

    def _end(self, seen: Observation, game: PacmanGame) -> None:
        self._ended = seen.now
        self.ended_s = to_seconds(seen.now if seen.end is None else seen.end.now)
        if game.phase is PacmanPhase.GIVEN_UP:
            self.outcome, self.reason = "out_of_reach", name_pellets(game)
        elif game.phase is not PacmanPhase.COMPLETE:
            self.outcome, self.reason = "died", f"{self._left} pellets left"
        elif self._left == 0:
            self._completed = seen.now if seen.end is None else seen.end.now
            self.outcome = "complete"
            self.reason = f"all {len(self._story.collected)} pellets" if seen.end is None else seen.end.reason
        else:
            self.reason = f"declared complete with {self._left} pellets left"

    def _tour_s(self) -> float | None:
        """Return how long the best tour through all pellets takes without ghosts, s; None where some are not known."""
        game = None if self._before is None else self._before.game
        if self._map is None or game is None or game.home is None or len(self._pellets) != game.spawned:
            return None
        places = [(pellet.x, pellet.y) for _, pellet in sorted(self._pellets.items())]
        space = FreeSpace(self._map, min(_CLOSEST, self._clearance))
        return best_tour_m(space, (game.home.x, game.home.y), places, self._rules.pickup_radius) / FASTEST
