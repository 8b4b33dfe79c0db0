"""The tagger: chases while it is "it", and runs away while the other is.

The robots carry no signs. Each says where it is, and believes for a while what the other said last.
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


class TellPlace(at.ActionBehaviour):
    """Say where the robot takes itself to be, ten times a second. SUCCESS always."""

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, reads=("pose",))
        self._repeat = at.Repeat()

    def update(self) -> at.Status:
        """Send the place, where it is known."""
        if self.fresh(self.percepts.pose, 0.5) and self._repeat.due(self.now, 0.1):
            self.send(Place(x=self.percepts.pose.pose.x, y=self.percepts.pose.pose.y))
        return at.Status.SUCCESS


class MustStand(at.PerceptBehaviour):
    """SUCCESS while nobody plays, and while this robot was just tagged. FAILURE otherwise."""

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, reads=("inbox",))

    def update(self) -> at.Status:
        """Ask the newest state; a robot that has heard none plays alone."""
        heard = self.percepts.inbox.newest(TagState)
        if heard is None or heard.message.phase == "CHASE":
            return at.Status.FAILURE
        stands = heard.message.phase != "PAUSE" or heard.message.it == self.robot
        return at.Status.SUCCESS if stands else at.Status.FAILURE


class GoByPlace(at.ActionBehaviour):
    """Drive to the other robot, or away from it. RUNNING while there is reason to; FAILURE otherwise."""

    def __init__(self, name: str, robot: str, live: at.Live[TaggerParameters], *, chases: bool) -> None:
        super().__init__(name, robot, reads=("inbox", "pose", "scan"))
        self.live = live
        self.chases = chases

    def update(self) -> at.Status:
        """Drive round what the LiDAR sees; what it sees of who is chased is no obstacle."""
        parameters, place = self.live.value, self.other()
        if place is None:
            return at.Status.FAILURE
        bearing, distance, speed, ignore = *place, parameters.chase_speed, None
        if self.chases:
            ignore = (distance * math.cos(bearing), distance * math.sin(bearing), 0.4)
        elif distance > parameters.flee_distance:
            return at.Status.FAILURE
        else:
            bearing, speed = at.wrap(bearing + math.pi), parameters.flee_speed
        twist = at.steer_clear(self.percepts.scan, bearing, speed, parameters.max_angular_speed, ignore=ignore)
        self.drive(twist.linear, twist.angular)
        return at.Status.RUNNING

    def other(self) -> tuple[float, float] | None:
        """Return bearing (rad) and distance (m) of the other robot, while this one is to chase it, or to flee."""
        inbox, pose = self.percepts.inbox, self.percepts.pose
        state = inbox.newest(TagState)
        if state is None or (state.message.it == self.robot) is not self.chases or not self.fresh(pose, 0.5):
            return None
        for heard in inbox[Place].values():
            if heard.sender != self.robot and heard.age(self.now) <= at.from_seconds(self.live.value.place_timeout):
                x, y = heard.message.x, heard.message.y
                return pose.pose.bearing_to(x, y), pose.pose.distance_to(x, y)
        return None


def create_root(robot: str, live: at.Live[TaggerParameters], streams: at.RandomStreams) -> at.Behaviour:
    """Return the tagger's tree: sensing beside deciding, the most urgent first."""
    return at.robot_root(
        "Tagger",
        [at.Sense("Percepts", robot), TellPlace("Tell my place", robot)],
        [
            at.guarded("Wait", MustStand("Must I stand?", robot), at.StandStill("Stand", robot)),
            at.recover_from_bump(robot, live, streams),
            GoByPlace("Chase", robot, live, chases=True),
            GoByPlace("Flee", robot, live, chases=False),
            at.roam("Wander", robot, live, streams, blind=False),
        ],
    )
