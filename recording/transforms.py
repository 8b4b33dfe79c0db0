"""Frames of a recording: where sensors are mounted, and where the robot is in the map."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from arena_trees.recording.bags.decoding import frame_of, stamp_of, transform
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.ros_messages.layout import BASE_FRAME, MAP_FRAME, ODOM_FRAME
from arena_trees.robot.ros_messages.quaternions import is_upright

__all__ = ["Link", "base_frame", "contradictions", "links_of", "mount_of", "poses_in_map", "way_to"]

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


def way_to(links: Sequence[Link], frame: str, base: str) -> list[Link]:
    """Return the newest transforms that lead from a sensor's frame up to the robot's, or to where they end."""
    newest = {link.child: link for link in links}
    way: list[Link] = []
    while frame != base and frame in newest and len(way) < _MOST_LINKS:
        way.append(newest[frame])
        frame = way[-1].parent
    return way


def mount_of(links: Sequence[Link], frame: str, base: str) -> Pose2D | None:
    """Return the pose of a sensor's frame in the robot's, by the newest transforms.

    None where no way leads there, or the sensor is not mounted upright.
    """
    way = way_to(links, frame, base)
    top = way[-1].parent if way else frame
    # It may end at a base_link above a base_footprint that odometry tells of, or the other way round.
    known = top == base or any(_is(top, wanted) for wanted in _BASES)
    if not known or len(way) == _MOST_LINKS or not all(link.upright for link in way):
        return None
    pose = Pose2D()
    for link in way:
        pose = link.pose.compose(pose)
    return pose


def contradictions(links: Sequence[Link], frames: Collection[str]) -> Iterator[str]:
    """Give a sentence for each frame of which two static transforms say different things.

    Args:
        links: the static transforms, in the order in which they came
        frames: that are looked at
    """
    newest = {link.child: link for link in links}
    reported: set[str] = set()
    for link in links:
        if link.child not in frames or link.child in reported:
            continue
        last = newest[link.child]
        moved = last.pose.relative(link.pose)
        apart = math.hypot(moved.x, moved.y) > _SAME_PLACE or abs(moved.yaw) > _SAME_ANGLE
        if link.parent != last.parent or apart:
            reported.add(link.child)
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
