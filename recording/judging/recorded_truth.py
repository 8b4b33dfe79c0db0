"""The truth about robots that a recording holds: of an arena, a localisation, a tracking system or ceiling cameras."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from arena_trees.recording.bags import decoding
from arena_trees.recording.bags.bag import POSES, TRANSFORM, TRANSFORMS, Bag, DecodedMessage
from arena_trees.recording.clock_line import instant_of
from arena_trees.recording.judging.pose_measurement import PoseMeasurement
from arena_trees.recording.judging.tracking_calibration import TrackingCalibration, TrackingParameters, place_and_turn
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.recording.transforms import links_of
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.ros_messages.layout import CEILING_TOPIC

__all__ = ["SOURCES", "RecordedTruth", "TruthName", "recorded_truth"]

TruthName = Literal["arena", "ceiling", "topic", "localisation"]
SOURCES: tuple[TruthName, ...] = get_args(TruthName)
"""From the best to the worst."""

_ODOMETRY = "nav_msgs/msg/Odometry"
_WITH_COVARIANCE = POSES[1]
_TRACKED = (*POSES, _ODOMETRY, TRANSFORM)
"""Types of the messages of tracking systems."""
_SIGMA, _SIGMA_YAW = 0.10, math.radians(3.0)
"""Of a localisation that states no covariance: what AMCL reaches on a good map."""
_COVARIANCE_AGE = 10 * SECOND
"""A covariance counts for so long: AMCL publishes one whenever the robot has moved a little."""


@dataclass(frozen=True, slots=True)
class RecordedTruth:
    """Where the robots were, and by what that is known.

    Attributes:
        source: name of the source
        poses: robot name to its measured poses, in the order of their instants on the bag's clock
        stated: whether every deviation was stated by whoever measured; else some are assumed
    """

    source: TruthName
    poses: Mapping[str, Sequence[PoseMeasurement]]
    stated: bool = True

    def deviation(self) -> tuple[float, float]:
        """Return the median standard deviations of all poses: m along an axis, and rad."""
        every = sorted(one.sigma for poses in self.poses.values() for one in poses)
        yaws = sorted(one.sigma_yaw for poses in self.poses.values() for one in poses)
        return (every[len(every) // 2], yaws[len(yaws) // 2]) if every else (math.inf, math.inf)


def recorded_truth(
    recording: Recording,
    bag: Bag,
    source: TruthName | None = None,
    topics: Mapping[str, str] | None = None,
    calibration: TrackingCalibration | None = None,
) -> RecordedTruth:
    """Return where the robots of a recording were.

    Args:
        recording: of the bag
        bag: its messages
        source: by what; the best that the recording has where not given
        topics: of a tracking system, by robot: of poses or odometry, or ``tf:FRAME`` for a frame of ``/tf``
        calibration: of the tracking system; its frame is ``map`` where not given

    Raises:
        ConfigError: the recording has no such truth
    """
    by: TruthName = source or ("topic" if topics else _best(recording, bag))
    if by == "topic":
        poses = _tracked(recording, bag, topics or {}, calibration or TrackingCalibration(TrackingParameters()))
        return RecordedTruth(by, poses, stated=calibration is not None)
    measured, stated = _poses(recording, bag, by)
    if not measured and source is not None:
        raise ConfigError("the recording has no such truth", file=recording.path, key="--truth", value=source)
    return RecordedTruth(by, measured, stated)


def _best(recording: Recording, bag: Bag) -> TruthName:
    return next((one for one in SOURCES if _poses(recording, bag, one)[0]), SOURCES[-1])


def _poses(recording: Recording, bag: Bag, source: TruthName) -> tuple[dict[str, list[PoseMeasurement]], bool]:
    """Return the poses of each robot that has some, and whether their deviations were stated."""
    found: dict[str, list[PoseMeasurement]] = {}
    stated = True
    for name, robot in recording.robots.items():
        if source == "arena":
            poses = list(_stamped(bag, f"{robot.namespace}/ground_truth", _ODOMETRY, _exact))
        elif source == "ceiling":
            poses = list(_stamped(bag, f"{robot.namespace}/{CEILING_TOPIC}", _WITH_COVARIANCE, _with_covariance))
        elif source == "localisation":
            poses, known = _localised(robot, bag)
            stated = stated and known
        else:
            poses = []
        if poses:
            found[name] = _in_order(poses)
    return found, stated


def _localised(robot: RobotRecording, bag: Bag) -> tuple[list[PoseMeasurement], bool]:
    """Return a robot's own localisation by the covariance published last before each pose, and whether each had one."""
    topics = [f"{robot.namespace}/{topic}" for topic in ("amcl_pose", "pose")]
    stated = _in_order(one for topic in topics for one in _stamped(bag, topic, _WITH_COVARIANCE, _with_covariance))
    instants = [one.now for one in stated]
    poses, every = [], True
    for estimate in robot.poses:
        now = robot.clock.back(estimate.stamp)
        place = bisect_right(instants, now) - 1
        known = place >= 0 and now - instants[place] <= _COVARIANCE_AGE
        every = every and known
        sigma, sigma_yaw = (stated[place].sigma, stated[place].sigma_yaw) if known else (_SIGMA, _SIGMA_YAW)
        poses.append(PoseMeasurement(now, estimate.pose, sigma, sigma_yaw))
    return poses, every


def _tracked(
    recording: Recording, bag: Bag, topics: Mapping[str, str], calibration: TrackingCalibration
) -> dict[str, list[PoseMeasurement]]:
    found = {}
    for robot, topic in topics.items():
        if robot not in recording.robots:
            raise ConfigError(no_such("robot", robot, recording.robots), file="--truth-topic", key=robot, value=topic)

        def measured(position: Any, turn: Any, robot: str = robot) -> tuple[Any, float, float]:
            place, quaternion = (position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w)
            try:
                return calibration.pose(robot, place, quaternion), calibration.sigma, calibration.sigma_yaw
            except ValueError as error:
                raise MalformedError(str(error)) from error

        frame = topic.removeprefix("tf:")
        poses: list[PoseMeasurement] = []
        if frame != topic:
            poses = _frame(bag, frame, measured)
        for kind in () if frame != topic else _TRACKED:
            poses += _stamped(bag, topic, kind, lambda value: measured(*place_and_turn(value)))
        if not poses:
            known = sorted(name for kind in _TRACKED for name in bag.names(kind))
            raise ConfigError(no_such("poses", topic, known), file="--truth-topic", key=robot, value=topic)
        found[robot] = _in_order(poses)
    return found


def _frame(bag: Bag, frame: str, measured: Callable[[Any, Any], tuple[Any, float, float]]) -> list[PoseMeasurement]:
    """Return the poses of a frame of ``/tf`` in its parent."""

    def of_frame(entry: DecodedMessage) -> list[PoseMeasurement]:
        poses = []
        for link, one in zip(links_of(entry.value, entry.arrival), entry.value.transforms, strict=True):
            if link.child == frame:
                values = measured(*place_and_turn(one))
                poses.append(PoseMeasurement(instant_of(link.stamp, entry.arrival), *values))
        return poses

    return [pose for _, poses in bag.read("/tf", TRANSFORMS, of_frame) for pose in poses]


def _stamped(bag: Bag, topic: str, kind: str, convert: Callable[[Any], tuple[Any, ...]]) -> Iterator[PoseMeasurement]:
    def read(entry: DecodedMessage) -> PoseMeasurement:
        stamp, arrival, _ = entry.times
        return PoseMeasurement(instant_of(stamp, arrival), *convert(entry.value))

    return (pose for _, pose in bag.read(topic, kind, read))


def _exact(value: Any) -> tuple[Pose2D, float, float, Twist2D]:
    odometry = decoding.odometry(value, (0, 0, 0))
    return odometry.pose, 0.0, 0.0, odometry.twist


def _with_covariance(value: Any) -> tuple[Any, float, float]:
    estimate = decoding.pose_estimate(value, (0, 0, 0))
    along_x, along_y, yaw = (float(value.pose.covariance[place]) for place in (0, 7, 35))
    if not (along_x >= 0.0 and along_y >= 0.0 and yaw >= 0.0 and math.isfinite(along_x + along_y + yaw)):
        raise MalformedError("covariance out of range")
    if along_x == along_y == yaw == 0.0:
        # ROS has zeros where a covariance is not known; that is not the same as exact.
        raise MalformedError("covariance not known")
    return estimate.pose, math.sqrt(max(along_x, along_y)), math.sqrt(yaw)


def _in_order(poses: Iterable[PoseMeasurement]) -> list[PoseMeasurement]:
    return sorted(poses, key=lambda one: one.now)
