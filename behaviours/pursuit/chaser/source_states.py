"""The states of the source system's chaser but Avoiding: Returning, Scanning, Tracking, Recovering (section II.E)."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.drive import ChaserBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.heading import drive_towards
from arena_trees.control.pid import clamp
from arena_trees.control.place_history import Place
from arena_trees.games.pursuit.blackboard import PLACE, QUARRY, Quarry
from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.messages import AtHome, PursuitState
from arena_trees.perception.spheres.source_distance import barrel_pixel
from arena_trees.robot import keys
from arena_trees.robot.circles import Circles
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.repeat import Repeat

__all__ = ["BallSeen", "Lost", "NotYetHome", "Recovering", "Returning", "Scanning", "Tracking"]

_FOCAL = 457.0
"""Focal length (px) of the source system's camera, whose pixels its gains and its engage rule are for: 640 px wide and
70 degrees, as the source scale has it; 8 px are 1.00 degrees there, and the laser hits within 1 degree."""

_REPEAT_S = 0.2
"""Period (s) at which the chaser reports that it is home: messages get lost."""
_ALIGN_GAIN = 2.0
"""Yaw or pitch rate per angle between barrel and chassis, 1/s."""
_HEADING_GAIN = 2.5
"""Yaw rate per bearing of where it drives, 1/s."""
_DRIVE_GATE = 0.5
"""Bearing beyond which it only turns, rad."""
_BRAKE = 0.8
"""Speed per metre that is left, 1/s."""
_REACHED = 0.3
"""The last known place of the evader is reached within this, m."""


class BallSeen(PerceptBehaviour):
    """SUCCESS while the newest image shows a circle that the vote believes. FAILURE otherwise.

    Blackboard Variables:
        * quarry (Quarry) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (QUARRY,))

    def update(self) -> Status:
        """Return SUCCESS if the quarry is in sight, FAILURE otherwise."""
        quarry: Quarry | None = self.percepts.quarry
        return Status.SUCCESS if quarry is not None and quarry.in_sight else Status.FAILURE


class NotYetHome(PerceptBehaviour):
    """SUCCESS from the start until home is reached, or the ball is tracked: no state leads back. FAILURE from then on.

    Blackboard Variables:
        * place (Place) [r]: own pose now
        * quarry (Quarry) [r]: None until the ball was believed for the first time
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters]) -> None:
        super().__init__(name, robot, (PLACE, QUARRY))
        self.live = live
        self._over = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._over = False

    def update(self) -> Status:
        """Return SUCCESS until the chaser has been home or has seen the ball, then FAILURE."""
        place: Place | None = self.percepts.place
        at_home = place is not None and _is_home(place.pose, self.live.value)
        self._over = self._over or at_home or self.percepts.quarry is not None
        return Status.FAILURE if self._over else Status.SUCCESS


class Lost(PerceptBehaviour):
    """SUCCESS while the ball is out of sight and its last known place has not been reached. FAILURE otherwise.

    Blackboard Variables:
        * quarry (Quarry) [r]: where it was last
        * place (Place) [r]: own pose now
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (QUARRY, PLACE))
        self._reached: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reached = None

    def update(self) -> Status:
        """Return SUCCESS if the ball is out of sight and its last place not yet reached, FAILURE otherwise."""
        quarry: Quarry | None = self.percepts.quarry
        place: Place | None = self.percepts.place
        if quarry is None or place is None or quarry.in_sight or quarry.stamp == self._reached:
            return Status.FAILURE
        if place.pose.distance_to(quarry.x, quarry.y) < _REACHED:
            self._reached = quarry.stamp
            return Status.FAILURE
        return Status.SUCCESS


class _State(ChaserBehaviour):
    """A state of the source system's chaser.

    Blackboard Variables:
        * place (Place) [r], scan (Scan) [r]
        * command, aim [w]
    """

    def align_barrel(self, place: Place) -> None:
        """Turn the barrel to where the chassis faces."""
        if place.turret is not None:
            yaw, pitch = place.turret
            self.aim(clamp(-_ALIGN_GAIN * yaw, 1.0), clamp(-_ALIGN_GAIN * pitch, 1.0))

    def go_to(self, place: Place, x: float, y: float) -> None:
        """Drive straight to a point of the map frame; what is in the way is not looked at."""
        parameters = self.live.value
        speed = min(parameters.speed, max(0.05, _BRAKE * place.pose.distance_to(x, y)))
        bearing = place.pose.bearing_to(x, y)
        twist = drive_towards(bearing, speed, _HEADING_GAIN, parameters.turn_rate, _DRIVE_GATE, 0.5)
        self.drive(twist.linear, twist.angular)


class Returning(_State):
    """Drive to the middle of the room and face along the x axis; there, after a hit, report it. RUNNING always.

    Blackboard Variables:
        * place (Place) [r]: own pose now
        * scan (Scan) [r]: not asked
        * inbox (Inbox) [r]: ``pursuit``, for hits
        * command, aim [w]
        * outbox [w]: ``at_home``
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (keys.INBOX,))
        self._repeat = Repeat()

    def update(self) -> Status:
        """Drive home, turn to its heading, and after a hit report being there; RUNNING always."""
        place = self.place
        if place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        parameters = self.live.value
        self.align_barrel(place)
        pose = place.pose
        if _is_home(pose, parameters):
            self.drive(0.0, 0.0)
            received = self.percepts.inbox.newest(PursuitState)
            if received is not None and received.message.hits and self._repeat.due(self.now, _REPEAT_S):
                self.send(AtHome(x=pose.x, y=pose.y, yaw=wrap(pose.yaw)))
        elif pose.distance_to(HOME.x, HOME.y) > parameters.home_tolerance:
            self.go_to(place, HOME.x, HOME.y)
        else:
            self.drive(0.0, clamp(_HEADING_GAIN * wrap(HOME.yaw - pose.yaw), parameters.scan_rate))
        return Status.RUNNING


class Scanning(_State):
    """Turn to the left with the barrel aligned to the chassis. RUNNING always.

    Blackboard Variables:
        * place (Place) [r], scan (Scan) [r]: the barrel's angle; the LiDAR is not asked
        * command, aim [w]
    """

    def update(self) -> Status:
        """Turn to the left and align the barrel to the chassis; RUNNING always."""
        place = self.place
        self.drive(0.0, self.live.value.source_scan_rate)
        if place is not None:
            self.align_barrel(place)
        return Status.RUNNING


class Recovering(_State):
    """Drive straight to where the evader was last seen. RUNNING always.

    Blackboard Variables:
        * quarry (Quarry) [r]: its last known place
        * place (Place) [r]: own pose now
        * scan (Scan) [r]: not asked
        * command, aim [w]
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (QUARRY,))

    def update(self) -> Status:
        """Drive to the last known place of the evader, or stand where it is unknown; RUNNING always."""
        quarry: Quarry | None = self.percepts.quarry
        place = self.place
        if quarry is None or place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        self.align_barrel(place)
        self.go_to(place, quarry.x, quarry.y)
        return Status.RUNNING


class Tracking(_State):
    """Turn the barrel to the circle by its pixels, the chassis to the barrel, and drive on; fire by the engage rule.

    RUNNING always. The gain is interpolated by the distance between ``gain_near`` and ``gain_far`` and capped. Where
    there is no turret, the same law turns the base. How fast it drives and how near it comes, the document does not
    say: here it stops at ``source_standoff``.

    Blackboard Variables:
        * circles (Circles) [r]: the newest image's
        * quarry (Quarry) [r]: the distance
        * place (Place) [r]: own pose now
        * scan (Scan) [r]: not asked
        * command, aim, fire [w]
        * cues [w]: FIRE
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, ("circles", QUARRY))
        self._fired: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._fired = None

    def update(self) -> Status:
        """Aim at the largest circle, drive on, and fire by the engage rule; RUNNING always."""
        circles: Circles | None = self.percepts.circles
        quarry: Quarry | None = self.percepts.quarry
        place = self.place
        circle = None if circles is None else circles.largest
        if circles is None or circle is None or quarry is None or place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        parameters = self.live.value
        carried = self.equipment
        optics = carried.optics(circles)
        column, row = barrel_pixel(optics, carried.mount.z - carried.barrel.height)
        # Its gains and its engage rule are in pixels of its own camera.
        scale = _FOCAL / optics.focal_length
        right, down = scale * (circle.x - column), scale * (circle.y - row)
        gain = self._gain(quarry.range, parameters)
        beyond = quarry.range - parameters.source_standoff
        speed = max(0.0, min(parameters.speed, beyond))
        if place.turret is None:
            self.drive(speed, clamp(-gain * right, parameters.turn_rate))
            off_row = 0.0
        else:
            angular = clamp(parameters.chassis_gain * place.turret[0], parameters.turn_rate)
            self.command(Twist2D(speed, angular))
            self.aim(-gain * right, -gain * down)
            off_row = abs(down)
        # The document fires from 3.5 m with a laser that reaches 3 m; from beyond its reach no shot can hit.
        near = quarry.range <= min(parameters.engage_range, carried.laser.reach)
        if near and max(abs(right), off_row) < parameters.engage_px:
            self._engage()
        return Status.RUNNING

    def _gain(self, distance: float, parameters: ChaserParameters) -> float:
        t = (distance - parameters.distance_near) / (parameters.distance_far - parameters.distance_near)
        gain = parameters.gain_near + t * (parameters.gain_far - parameters.gain_near)
        return min(max(gain, 0.0), parameters.gain_most)

    def _engage(self) -> None:
        if not self.within(self._fired, self.equipment.laser.cooldown_s):
            self._fired = self.now
            self.fire()
            self.show("FIRE")


def _is_home(pose: Pose2D, parameters: ChaserParameters) -> bool:
    near = pose.distance_to(HOME.x, HOME.y) <= parameters.home_tolerance
    return near and abs(wrap(pose.yaw - HOME.yaw)) <= parameters.home_yaw_tolerance
