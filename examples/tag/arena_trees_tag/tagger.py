"""The tagger: chases while it is "it", and runs away while the other is.

Robots do not see each other here. Each says where it is, and believes what the other said last, for a while.
"""

from __future__ import annotations

import math

import arena_trees as at
from arena_trees_tag.messages import Place, TagState


class TaggerParameters(at.RoamParameters):
    """Parameters of the tagger, besides those of roaming."""

    chase_speed: float = at.parameter(0.30, "speed of who is it", "m/s", gt=0, le=0.46)
    flee_speed: float = at.parameter(0.22, "speed of who is not", "m/s", gt=0, le=0.46)
    flee_distance: float = at.parameter(1.5, "runs away from who is nearer than this", "m", gt=0, le=20)
    place_timeout: float = at.parameter(1.0, "a place heard longer ago than this is not believed", "s", gt=0, le=10)


class TellPlace(at.Mover):
    """Say where the robot takes itself to be, ten times a second. SUCCESS always."""

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, reads=("pose",))
        self._repeat = at.Repeat()

    def update(self) -> at.Status:
        """Send the place, where one is known."""
        if self.fresh(self.percepts.pose, 0.5) and self._repeat.due(self.now, 0.1):
            pose = self.percepts.pose.pose
            self.send(Place(x=pose.x, y=pose.y))
        return at.Status.SUCCESS


class MustStand(at.Reader):
    """SUCCESS while nobody plays, and while this robot was tagged and waits. FAILURE otherwise."""

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, reads=("inbox",))

    def update(self) -> at.Status:
        """Ask the newest state; who has heard none plays alone."""
        heard = self.percepts.inbox.newest(TagState)
        if heard is None or heard.message.phase == "CHASE":
            return at.Status.FAILURE
        waits = heard.message.phase != "PAUSE" or heard.message.it == self.robot
        return at.Status.SUCCESS if waits else at.Status.FAILURE


class _GoByPlace(at.Mover):
    """What chasing and fleeing share."""

    chases: bool

    def __init__(self, name: str, robot: str, live: at.Live[TaggerParameters]) -> None:
        super().__init__(name, robot, reads=("inbox", "pose", "scan"))
        self.live = live

    def other(self) -> tuple[float, float] | None:
        """Return bearing (rad) and distance (m) of the other robot; None unless this robot is to chase, or to flee."""
        inbox, pose = self.percepts.inbox, self.percepts.pose
        state = inbox.newest(TagState)
        if state is None or (state.message.it == self.robot) is not self.chases or not self.fresh(pose, 0.5):
            return None
        for heard in inbox[Place].values():
            if heard.sender != self.robot and heard.age(self.now) <= at.from_seconds(self.live.value.place_timeout):
                place = heard.message
                return pose.pose.bearing_to(place.x, place.y), pose.pose.distance_to(place.x, place.y)
        return None

    def go(self, bearing: float, speed: float, ignore: tuple[float, float, float] | None = None) -> None:
        """Drive towards a bearing, round what stands in the way; turn on the spot where no way is free."""
        scan, limit = self.percepts.scan, self.live.value.max_angular_speed
        free = bearing if scan is None else at.clear_heading(scan, bearing, 0.45, 0.21, ignore)
        if free is None:
            self.drive(0.0, math.copysign(limit, bearing))
            return
        twist = at.drive_towards(free, speed, gain=3.0, limit=limit, drive_gate=math.pi / 2, slow_share=0.5)
        self.drive(twist.linear, twist.angular)


class Chase(_GoByPlace):
    """Drive to where the other said it is. RUNNING while this robot is "it" and knows; FAILURE otherwise."""

    chases = True

    def update(self) -> at.Status:
        """Chase."""
        other = self.other()
        if other is None:
            return at.Status.FAILURE
        bearing, distance = other
        self.go(bearing, self.live.value.chase_speed, (distance * math.cos(bearing), distance * math.sin(bearing), 0.4))
        return at.Status.RUNNING


class Flee(_GoByPlace):
    """Drive away from the other. RUNNING while that one is "it" and near; FAILURE otherwise."""

    chases = False

    def update(self) -> at.Status:
        """Run away."""
        other = self.other()
        if other is None or other[1] > self.live.value.flee_distance:
            return at.Status.FAILURE
        self.go(at.wrap(other[0] + math.pi), self.live.value.flee_speed)
        return at.Status.RUNNING


def create_root(robot: str, live: at.Live[TaggerParameters], streams: at.RandomStreams) -> at.Behaviour:
    """Return the tagger's tree: sensing beside deciding, the most urgent first."""
    return at.robot_root(
        "Tagger",
        [at.Sense("Percepts", robot), TellPlace("Tell my place", robot)],
        [
            at.when("Wait", MustStand("Must I stand?", robot), at.StandStill("Stand", robot)),
            at.shy_away(robot, live, streams),
            Chase("Chase", robot, live),
            Flee("Flee", robot, live),
            at.roam("Wander", robot, live, streams, blind=False),
        ],
    )
