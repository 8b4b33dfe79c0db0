"""Frames of a recording: where sensors are mounted, and where the robot is in the map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena_trees.recording.bags.decoding import frame_of, stamp_of, transform
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ros_messages.layout import BASE_FRAME, MAP_FRAME, ODOM_FRAME
from arena_trees.robot.ros_messages.quaternions import is_upright

__all__ = ["Link", "base_frame", "contradictions", "links_of", "mount_of", "poses_in_map"]

_BASES = (BASE_FRAME, "base_footprint")
_SAME_PLACE, _SAME_ANGLE = 1e-3, 1e-3
"""Metres and radians by which two static transforms may differ that say the same."""

_MOST_LINKS = 50
"""Of one way from frame to frame."""


class Link(NamedTuple):
    """One transform as it came.

    Attributes:
        stamp: of its header, ns
        arrival: when it was recorded, ns
        parent: frame that the pose is given in
        child: frame whose pose it is
        pose: the planar part
        upright: whether it leaves z nearly up
    """

    stamp: int
    arrival: int
    parent: str
    child: str
    pose: Pose2D
    upright: bool


def links_of(message: Any, arrival: int) -> Iterator[Link]:
    """Give the transforms of a ``tf2_msgs/TFMessage``.

    Raises:
        MalformedError: one of them is none
    """
    for link in message.transforms:
        yield Link(
            stamp_of(link.header),
            arrival,
            frame_of(link.header.frame_id),
            frame_of(link.child_frame_id),
            transform(link),
            is_upright(link.transform.rotation),
        )


def base_frame(links: Sequence[Link]) -> str:
    """Return the name of the robot's own frame: what hangs below odom, or else a base_link."""
    for link in links:
        if _is(link.parent, ODOM_FRAME):
            return link.child
    names = [name for link in links for name in (link.parent, link.child)]
    return next((name for wanted in _BASES for name in names if _is(name, wanted)), _BASES[0])


def mount_of(links: Sequence[Link], frame: str, base: str) -> Pose2D | None:
    """Return the pose of a sensor's frame in the robot's, by the newest transforms.

    None where no way leads there, or the sensor is not mounted upright.
    """
    newest = {link.child: link for link in links}
    bases = {base, *(name for name in newest if any(_is(name, wanted) for wanted in _BASES))}
    pose = Pose2D()
    for _ in range(_MOST_LINKS):
        if frame == base:
            return pose
        link = newest.get(frame)
        if link is None:
            # A base_link above a base_footprint that odometry tells of, or the other way round.
            return pose if frame in bases else None
        if not link.upright:
            return None
        pose, frame = link.pose.compose(pose), link.parent
    return None


def contradictions(links: Sequence[Link]) -> Iterator[str]:
    """Give a sentence for each frame of which two static transforms say different things."""
    newest = {link.child: link for link in links}
    told: set[str] = set()
    for link in links:
        last = newest[link.child]
        moved = last.pose.relative(link.pose)
        apart = math.hypot(moved.x, moved.y) > _SAME_PLACE or abs(moved.yaw) > _SAME_ANGLE
        if link.child not in told and (link.parent != last.parent or apart):
            told.add(link.child)
            yield (
                f"two static transforms contradict each other: {link.child} is at {link.pose} in {link.parent}, and at"
                f" {last.pose} in {last.parent}; the later one counts"
            )


def poses_in_map(links: Sequence[Link]) -> Iterator[tuple[int, PoseEstimate]]:
    """Give when it was recorded (ns) and what the robot's pose in the map became.

    A pose is as old as the older of the two transforms that it is made of.
    """
    above: Link | None = None
    below: Link | None = None
    sequence = 0
    for link in links:
        if _is(link.parent, MAP_FRAME) and _is(link.child, ODOM_FRAME):
            above = link
        elif _is(link.parent, ODOM_FRAME):
            below = link
        else:
            continue
        if above is not None and below is not None:
            sequence += 1
            times = (min(above.stamp, below.stamp), min(above.arrival, below.arrival), sequence)
            yield link.arrival, PoseEstimate(*times, above.pose.compose(below.pose))


def _is(frame: str, name: str) -> bool:
    """Return whether a frame has a name, with or without a prefix of the robot's."""
    return frame == name or frame.endswith(f"/{name}")
