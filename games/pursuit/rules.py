"""The rules of a pursuit: which shots count, which hit, and when it is over."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

from arena_trees.games.game import GameContext, Player
from arena_trees.games.pursuit.laser import Laser
from arena_trees.games.pursuit.messages import AtHome, Ball, Beam, PursuitPhase, PursuitScene, PursuitState, Threat
from arena_trees.games.timed_rules import TimedRules
from arena_trees.games.truth import Truth
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.repeat import Repeat
from arena_trees.world.body import Sphere
from arena_trees.world.line_of_sight import LineOfSight

__all__ = ["Engagement", "PursuitRules", "Trigger", "laser_of", "sight_of"]

_DRAWN = 100.0
"""Length of the beam as it is drawn while it is not fired, m, where no wall ends it (the report, section II.B)."""


class PursuitRules(Parameters):
    """What a scenario may change under ``rules:``."""

    reach: float = parameter(3.0, "of the laser, from the barrel to the ball's centre", "m", gt=0, le=100)
    half_angle_deg: float = parameter(1.0, "a shot hits within this angle of the ball's centre", "deg", gt=0, le=90)
    cooldown_s: float = parameter(1.0, "shots so soon after one that counted are ignored", "s", ge=0, le=60)
    lit_s: float = parameter(0.5, "the beam is drawn as fired for this long", "s", ge=0, le=10)
    threat_s: float = parameter(0.1, "time between two messages about the chaser to the evader", "s", ge=0.02, le=10)

    @cached_property
    def half_angle(self) -> float:
        """The angle within which a shot hits, rad."""
        return math.radians(self.half_angle_deg)


def sight_of(context: GameContext) -> LineOfSight:
    """Return the walls and boxes of the arena; none on a map, which the game is not played on."""
    return LineOfSight(() if context.arena is None else context.arena.solids())


def laser_of(context: GameContext, chaser: Player, evader: Player) -> Laser:
    """Return the laser of the chaser."""
    rules = context.rules_as(PursuitRules)
    ball = evader.body.sphere or Sphere()
    return Laser(chaser.body, ball, sight_of(context), rules.reach, rules.half_angle)


class Trigger:
    """Separates shots that count from those within the cooldown.

    Attributes:
        shots: that counted
        ignored: within the cooldown

    Args:
        cooldown_s: after a shot that counted, s
    """

    def __init__(self, cooldown_s: float) -> None:
        self.shots = 0
        self.ignored = 0
        self._cooldown = from_seconds(cooldown_s)
        self._last: int | None = None

    @property
    def last(self) -> int | None:
        """Instant of the newest shot that counted, ns."""
        return self._last

    def pull(self, now: int) -> bool:
        """Return whether a shot now (ns) counts."""
        if self._last is not None and now - self._last < self._cooldown:
            self.ignored += 1
            return False
        self._last = now
        self.shots += 1
        return True


class Engagement(TimedRules):
    """Tests each shot by the truth of its instant, and publishes to the evader where the chaser is.

    It ends when the chaser reports that it is home after a hit, or when time is up. That is left to the chaser: what it
    believes may be wrong, and the judge measures by how much. A robot that is not seen neither hits nor is hit.

    Args:
        context: what is played
        chaser: who hunts
        evader: who is hunted
    """

    def __init__(self, context: GameContext, chaser: Player, evader: Player) -> None:
        super().__init__(context)
        self.parameters = context.rules_as(PursuitRules)
        self.hits = 0
        self._chaser, self._evader = chaser.name, evader.name
        self._ball = evader.body.sphere or Sphere()
        self._laser = laser_of(context, chaser, evader)
        self._trigger = Trigger(self.parameters.cooldown_s)
        self._threats = Repeat()
        self._now = 0
        self._truth: Truth = {}
        self._scene: PursuitScene | None = None

    @property
    def phase(self) -> PursuitPhase:
        """Phase of the pursuit."""
        if self.begun is None:
            return PursuitPhase.WAITING
        if self.end is not None:
            return PursuitPhase.OVER
        return PursuitPhase.HIT if self.hits else PursuitPhase.CHASE

    @property
    def state(self) -> PursuitScene:
        """What is drawn."""
        if self._scene is None:
            self._scene = self._draw()
        return self._scene

    @property
    def summary(self) -> PursuitState:
        """What the robots receive."""
        trigger = self._trigger
        return PursuitState(phase=self.phase, shots=trigger.shots, ignored=trigger.ignored, hits=self.hits)

    def begin(self, now: int) -> None:
        """Begin afresh (ns)."""
        self.hits = 0
        self._trigger = Trigger(self.parameters.cooldown_s)
        super().begin(now)

    def publish(self) -> None:
        """Publish the state in this step, since something has happened."""
        self._scene = None
        super().publish()

    def finish(self, now: int, outcome: str, reason: str) -> None:
        """End the pursuit; one that time ends after a hit is ``hit``, and before one ``escaped``."""
        if outcome == "over":
            outcome = "hit" if self.hits else "escaped"
        super().finish(now, outcome, reason)

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Iterable[GameMessage]:
        """Advance to an instant (ns); return the messages to be sent."""
        self._now, self._truth, self._scene = now, truth, None
        scene = super().step(now, truth, inbox)
        # Scene and summary are repeated together, and sent at once after each change.
        return [*scene, *((self.summary,) if scene else ()), *self._threat(now, truth)]

    def play(self, now: int, truth: Truth, inbox: Inbox) -> None:
        """Test a shot, and check whether the chaser reports that it is home."""
        chaser, evader = truth.get(self._chaser), truth.get(self._evader)
        if self.hits:
            if any(received.sender == self._chaser for received in inbox.of(AtHome)):
                self.finish(now, "home", f"hit by shot {self._trigger.shots}, and home")
            return
        if chaser is None or not chaser.fired:
            return
        if self._trigger.pull(now) and evader is not None:
            self.hits += self._laser.aim(chaser, evader).hits
        self.publish()

    def _draw(self) -> PursuitScene:
        chaser, evader = (self._truth.get(name) for name in (self._chaser, self._evader))
        beam = ball = None
        if chaser is not None:
            origin, yaw, _ = self._laser.barrel(chaser)
            last, lit_for = self._trigger.last, from_seconds(self.parameters.lit_s)
            lit = last is not None and 0 <= self._now - last < lit_for
            length = self._laser.beam(chaser, self.parameters.reach if lit else _DRAWN)
            beam = Beam(x=origin[0], y=origin[1], yaw=yaw, length=length, lit=lit)
        if evader is not None:
            pose = evader.pose
            ball = Ball(x=pose.x, y=pose.y, radius=self._ball.diameter / 2.0, hit=self.hits > 0)
        return PursuitScene(phase=self.phase, beam=beam, ball=ball)

    def _threat(self, now: int, truth: Truth) -> Sequence[Threat]:
        chaser = truth.get(self._chaser)
        if chaser is None or not self.playing or not self._threats.due(now, self.parameters.threat_s):
            return ()
        _, yaw, _ = self._laser.barrel(chaser)
        pose = chaser.pose
        return (Threat(x=pose.x, y=pose.y, yaw=pose.yaw, barrel=yaw, reach=self.parameters.reach),)
