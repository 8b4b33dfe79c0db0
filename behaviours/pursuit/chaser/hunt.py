"""The hunt: fire when a hit is likely enough, and keep after the ball with the barrel on it."""

from __future__ import annotations

import math
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.drive import ChaserBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.aiming import Aim, aim_at, hit_probability, moved
from arena_trees.control.pid import clamp
from arena_trees.control.place_history import Place
from arena_trees.control.searching.room_search import ROOM, RoomView
from arena_trees.control.target_filter import TargetEstimate
from arena_trees.games.pursuit.blackboard import PLACE, TRACK, BallTrack
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Twist2D, wrap

__all__ = ["BallInSight", "FireWhenSure", "PursueBall"]

_APPROACH_GAIN = 1.2
"""Speed per metre beyond the stand-off, 1/s."""
_BACK_OFF = 0.3
"""Share of the speed with which it backs off from an evader that comes too near."""
_STRAIGHT = 0.02
"""A free bearing is straight on within this, rad."""
_ASIDE = 0.8
"""Error of the aim beyond which the base only turns, rad."""
_OFF_TARGET = 0.06
"""Error of the aim at which a base that aims, with the ball about within reach, stands while it turns, rad."""
_SLOWS_WITHIN = 0.3
"""m beyond the laser's reach from which on it does."""
_NEARER = 0.5
"""Share of the stand-off to which it comes while too little of the ball is seen."""
_CLOSE = 0.05
"""m; so near to the stand-off it stands."""


class BallInSight(PerceptBehaviour):
    """SUCCESS while a track of the ball is believed. FAILURE otherwise.

    Blackboard Variables:
        * track (BallTrack) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (TRACK,))

    def update(self) -> Status:
        """Return SUCCESS if there is a track of the ball, FAILURE otherwise."""
        return Status.FAILURE if self.percepts.track is None else Status.SUCCESS


def _later(target: TargetEstimate, dt: float) -> TargetEstimate:
    """Return where a target is a short time (s) later, as well known."""
    half = 0.5 * dt
    vx, vy = target.vx + target.ax * half, target.vy + target.ay * half
    return replace(
        target,
        stamp=target.stamp + from_seconds(dt),
        x=target.x + vx * dt,
        y=target.y + vy * dt,
        vx=target.vx + target.ax * dt,
        vy=target.vy + target.ay * dt,
    )


def _direction(place: Place) -> tuple[float, float]:
    """Return azimuth (map frame) and elevation of the barrel, rad."""
    yaw, pitch = place.turret or (0.0, 0.0)
    return place.pose.yaw + yaw, pitch


class FireWhenSure(ActionBehaviour):
    """Fire when a shot now would hit as likely as ``fire_probability``, and not within the cooldown. SUCCESS always.

    A ball that never holds still enough is fired at in the end: what is asked for falls to one half within
    ``fire_patience_s`` of being within reach. One of which too little is seen is not fired at: its centre, which the
    beam must reach, is behind what hides the rest.

    Without a turret the barrel has no pitch, and azimuth alone counts.

    Blackboard Variables:
        * track (BallTrack) [r]: the ball now
        * place (Place) [r]: own pose now
        * fire [w]
        * cues [w]: FIRE
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, (TRACK, PLACE))
        self.live = live
        self.equipment = equipment
        self._last: int | None = None
        self._since: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._last = self._since = None

    def update(self) -> Status:
        """Fire if the probability of a hit is high enough; SUCCESS always."""
        track: BallTrack | None = self.percepts.track
        place: Place | None = self.percepts.place
        parameters = self.live.value
        cooldown = from_seconds(self.equipment.laser.cooldown_s)
        waiting = self._last is not None and 0 <= self.now - self._last <= cooldown
        if track is None or place is None or waiting:
            return Status.SUCCESS
        if track.shown < parameters.fire_shown:
            self.feedback_message = "half of the ball is hidden"
            return Status.SUCCESS
        barrel = self.equipment.barrel
        aim = aim_at(track.target, track.height - barrel.height, place.pose, place.twist, barrel.x)
        if self._chance(aim, place, parameters) >= self._wanted(aim, parameters):
            self._last, self._since = self.now, None
            self.fire()
            self.show("FIRE")
            self.feedback_message = f"fired at {aim.distance:.1f} m"
        return Status.SUCCESS

    def _wanted(self, aim: Aim, parameters: ChaserParameters) -> float:
        """Return how likely a hit must be by now."""
        if aim.distance > self.equipment.laser.reach:
            self._since = None
            return parameters.fire_probability
        if self._since is None or self._since > self.now:
            self._since = self.now
        waited = min(1.0, to_seconds(self.now - self._since) / parameters.fire_patience_s)
        return parameters.fire_probability + waited * (0.5 - parameters.fire_probability)

    def _chance(self, aim: Aim, place: Place, parameters: ChaserParameters) -> float:
        azimuth, elevation = _direction(place)
        level = math.cos(elevation) if place.turret is not None else 1.0
        sigma = math.hypot(aim.azimuth_sigma, math.radians(parameters.aim_sigma_deg))
        return hit_probability(
            wrap(azimuth - aim.azimuth) * level,
            0.0 if place.turret is None else elevation - aim.elevation,
            aim.distance + parameters.fire_margin,
            sigma,
            aim.distance_sigma,
            self.equipment.laser.half_angle,
            self.equipment.laser.reach,
        )


class PursueBall(ChaserBehaviour):
    """Keep after the ball and hold the barrel ahead of it. RUNNING always.

    The barrel is aimed at where the ball will be when the actuators have followed, with the line of sight's own rate
    fed forward. A turret leaves the base free: it takes the way round what is between. Without one the base aims while
    the ball is within reach or its way is free, and else drives round what is in its way.

    Blackboard Variables:
        * track (BallTrack) [r]: the ball now
        * place (Place) [r]: own pose now
        * room (RoomView) [r]: the way, where something is between
        * scan (Scan) [r]: what is in the way; absent without a LiDAR
        * turret (TurretState) [r]: how it turns; absent without one
        * command, aim [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (TRACK, ROOM, "turret"))

    def update(self) -> Status:
        """Drive towards the ball and aim ahead of it, or stand without a track; RUNNING always."""
        track: BallTrack | None = self.percepts.track
        place = self.place
        if track is None or place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        parameters = self.live.value
        lead = parameters.aim_lead_s
        ahead = self._ahead(place, lead)
        barrel = self.equipment.barrel
        rise = track.height - barrel.height
        aim = aim_at(_later(track.target, lead), rise, ahead.pose, ahead.twist, barrel.x)
        hidden = track.shown < parameters.fire_shown
        speed = self._speed(aim.distance, parameters.standoff * (_NEARER if hidden else 1.0), parameters.speed)
        if place.turret is None:
            far = hidden or aim.distance > self.equipment.laser.reach
            self._turn_base(track, ahead, aim, speed, far)
        else:
            twist = self._drive_base(track, place, speed)
            self._turn_turret(ahead, aim, twist, parameters)
        return Status.RUNNING

    def _ahead(self, place: Place, lead: float) -> Place:
        """Return where base and turret are a short time (s) later as they move now."""
        turret, state = place.turret, self.percepts.turret
        if turret is not None and state is not None:
            turret = (turret[0] + lead * state.rates.yaw, turret[1] + lead * state.rates.pitch)
        return Place(moved(place.pose, place.twist, lead), place.twist, turret)

    def _speed(self, distance: float, standoff: float, most: float) -> float:
        beyond = distance - standoff
        if abs(beyond) < _CLOSE:
            return 0.0
        return max(-_BACK_OFF * most, min(most, _APPROACH_GAIN * beyond))

    def _turn_base(self, track: BallTrack, place: Place, aim: Aim, speed: float, far: bool) -> None:
        room: RoomView | None = self.percepts.room
        parameters = self.live.value
        target = track.target
        hull = (target.x, target.y, parameters.target_radius + 0.2)
        if speed > 0.0 and room is not None and room.way and far:
            self.feedback_message = "round what is between"
            self.command(self.drive_to(place, room.way[0], speed, hull))
            return
        goal = (target.x, target.y)
        if speed > 0.0 and far:
            free = self.free_bearing(place, goal, 0.5 + speed, hull)
            if free is None or abs(wrap(free - place.pose.bearing_to(*goal))) > _STRAIGHT:
                self.feedback_message = "round what is near"
                self.command(self.drive_to(place, goal, speed, hull))
                return
        self.feedback_message = "aiming"
        error = wrap(aim.azimuth - place.pose.yaw)
        angular = clamp(aim.azimuth_rate + parameters.aim_gain * error, parameters.turn_rate)
        if aim.distance <= self.equipment.laser.reach + _SLOWS_WITHIN:
            # A wheel at its full speed turns no base: where it counts, the aim goes before the way.
            speed *= max(0.0, 1.0 - abs(error) / _OFF_TARGET)
        self.drive(speed * math.cos(error) if abs(error) < _ASIDE else 0.0, angular)

    def _drive_base(self, track: BallTrack, place: Place, speed: float) -> Twist2D:
        """Drive the base after the ball, whichever way the barrel points."""
        room: RoomView | None = self.percepts.room
        target = track.target
        goal = room.way[0] if room is not None and room.way else (target.x, target.y)
        if speed <= 0.0:
            bearing = place.pose.bearing_to(target.x, target.y)
            twist = Twist2D(speed * max(0.0, math.cos(bearing)), clamp(2.0 * bearing, self.live.value.turn_rate))
        else:
            twist = self.drive_to(place, goal, speed, (target.x, target.y, self.live.value.target_radius + 0.2))
        self.command(twist)
        return twist

    def _turn_turret(self, place: Place, aim: Aim, twist: Twist2D, parameters: ChaserParameters) -> None:
        assert place.turret is not None
        yaw, pitch = place.turret
        off = wrap(aim.azimuth - place.pose.yaw - yaw)
        # The base turns as it is commanded soon, and as it is measured now.
        base = 0.5 * (twist.angular + place.twist.angular)
        self.aim(
            aim.azimuth_rate - base + parameters.aim_gain * off,
            aim.elevation_rate + parameters.aim_gain * (aim.elevation - pitch),
        )
