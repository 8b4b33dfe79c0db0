"""The robot's base, a Create 3 by default: what becomes of a velocity command before the wheels turn."""

from __future__ import annotations

import math

from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.timing import TICK
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["BaseParameters", "Create3"]

_DT = to_seconds(TICK)


class BaseParameters(Parameters):
    """Habits of the base (iRobot Create 3 documentation, and create3_sim's motion_control), and what it lacks.

    Limits are the body's; one that is given here goes before it, for a base that does not keep what its body promises.
    """

    max_linear: float | None = parameter(
        None, "largest speed, also at the wheel: turning costs speed; the body's where absent", "m/s", gt=0, le=5
    )
    max_angular: float | None = parameter(None, "largest yaw rate; the body's where absent", "rad/s", gt=0, le=20)
    wheel_separation: float | None = parameter(
        None, "distance between the wheels; the body's where absent", "m", gt=0, le=2
    )
    wheel_acceleration: float | None = parameter(
        None, "largest change of a wheel's speed; the body's where absent", "m/s2", gt=0, le=20
    )
    wheel_difference: float = parameter(
        0.0, "share by which the left wheel turns faster than the right one for the same command", ge=-0.5, le=0.5
    )
    speed_sag: float = parameter(
        0.0, "share of a wheel's largest speed that is missing, as under a battery near its end", ge=0, le=0.5
    )
    command_timeout_s: float = parameter(0.5, "a command older than this stops the wheels", "s", gt=0, le=10)
    backup_limited: bool = parameter(True, "whether reverse driving is limited (safety_override none)")
    backup_warning_m: float = parameter(0.05, "reverse driving at which the base warns", "m", ge=0, le=10)
    backup_limit_m: float = parameter(0.15, "reverse driving at which it refuses more", "m", gt=0, le=10)
    bump_reflex: bool = parameter(True, "whether a pressed bumper makes the base back off by itself")
    reflex_speed: float = parameter(0.1, "reverse speed of the reflex", "m/s", gt=0, le=5)
    reflex_s: float = parameter(0.5, "time that the reflex takes; commands are ignored meanwhile", "s", gt=0, le=10)


class Create3:
    """Turns commands into wheel speeds: watchdog, bump reflex, backup limit, speed limits, acceleration limit.

    The order is the real base's: a reflex overrides the user, and the wheels' limits hold for both. A sag comes last,
    and wheel by wheel, for the base does not know of it: a curve at full speed opens, where the limits keep its radius.

    Attributes:
        max_linear: largest speed, also at the wheel, m/s
        wheel_separation: distance between the wheels, m

    Args:
        parameters: its habits
        body: of the robot, whose limits it has
    """

    def __init__(self, parameters: BaseParameters, body: Body = TURTLEBOT4) -> None:
        self.parameters = parameters
        given = parameters
        self.max_linear = body.max_linear if given.max_linear is None else given.max_linear
        self._max_angular = body.max_angular if given.max_angular is None else given.max_angular
        self.wheel_separation = body.wheel_separation if given.wheel_separation is None else given.wheel_separation
        changes = body.acceleration, body.deceleration
        if given.wheel_acceleration is not None:
            changes = given.wheel_acceleration, given.wheel_acceleration
        self._gain, self._loss = changes[0] * _DT, changes[1] * _DT
        self._timeout = from_seconds(parameters.command_timeout_s)
        self._command = ZERO
        self._commanded_at: int | None = None
        self._left_share, self._right_share = 1.0 + given.wheel_difference / 2.0, 1.0 - given.wheel_difference / 2.0
        # Not the limit itself without a sag: rounding may put a wheel a bit above it, and changes nothing there.
        self._fastest = math.inf if given.speed_sag == 0.0 else (1.0 - given.speed_sag) * self.max_linear
        self._left = 0.0
        self._right = 0.0
        self._reversed = 0.0
        self._reflex_until = -1

    @property
    def backup_warning(self) -> bool:
        """Whether the base would show its BACKUP_LIMIT hazard."""
        return self.parameters.backup_limited and self._reversed >= self.parameters.backup_warning_m

    def command(self, twist: Twist2D, now: int) -> None:
        """Take a velocity command at its arrival (ns); one that is not finite counts as standing still."""
        self._command = twist if twist.is_finite else ZERO
        self._commanded_at = now

    def step(self, now: int, forward_speed: float, bumped: bool) -> tuple[float, float]:
        """Return the wheels' speed and yaw rate for the tick that begins.

        Args:
            now: instant of the tick's beginning, ns
            forward_speed: measured speed, m/s
            bumped: whether a bumper is pressed
        """
        speed, rate = self._limited(*self._wanted(now, forward_speed, bumped))
        turn = rate * self.wheel_separation / 2.0
        self._left += self._change(self._left, self._reachable(speed - turn))
        self._right += self._change(self._right, self._reachable(speed + turn))
        left, right = self._left * self._left_share, self._right * self._right_share
        return (left + right) / 2.0, (right - left) / self.wheel_separation

    def _reachable(self, wanted: float) -> float:
        """Return what of a wheel's speed (m/s) the battery is good for."""
        return max(-self._fastest, min(self._fastest, wanted))

    def _change(self, wheel: float, wanted: float) -> float:
        """Return by how much a wheel's speed (m/s) changes in a tick towards the one that is wanted."""
        slower = abs(wanted) < abs(wheel) or wanted * wheel < 0.0
        most = self._loss if slower else self._gain
        return max(-most, min(most, wanted - wheel))

    def _wanted(self, now: int, forward_speed: float, bumped: bool) -> tuple[float, float]:
        parameters = self.parameters
        if 0 <= self._reflex_until <= now:
            self._reflex_until = -1
        if self._reflex_until < 0:
            # Driven back by the reflex does not count: else a bump could trap the robot at a wall.
            self._reversed = max(0.0, self._reversed - forward_speed * _DT)
            if bumped and parameters.bump_reflex:
                self._reflex_until = now + from_seconds(parameters.reflex_s)
                # The obstacle has stopped the wheels.
                self._left = self._right = 0.0
        if self._reflex_until >= 0:
            return -parameters.reflex_speed, 0.0
        if self._commanded_at is None or now - self._commanded_at > self._timeout:
            return 0.0, 0.0
        speed, rate = self._command.linear, self._command.angular
        if speed < 0.0 and parameters.backup_limited and self._reversed >= parameters.backup_limit_m:
            # As create3_sim: the whole command is refused, its turn too.
            return 0.0, 0.0
        return speed, rate

    def _limited(self, speed: float, rate: float) -> tuple[float, float]:
        """Clip the yaw rate, then scale both so that the faster wheel keeps its limit."""
        rate = math.copysign(min(abs(rate), self._max_angular), rate)
        wheel = abs(speed) + abs(rate) * self.wheel_separation / 2.0
        if wheel > self.max_linear:
            scale = self.max_linear / wheel
            return speed * scale, rate * scale
        return speed, rate
