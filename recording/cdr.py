"""The messages of a recording in CDR, byte for byte what a ROS 2 serialiser writes, in a hundredth of its time.

A recorder writes a quarter of a million messages in an hour of one robot. Each class holds the layout of one
type for one frame, so that a message is a single :class:`struct.Struct` away. Little-endian; alignment counts
from behind the four bytes that announce the encoding [OMG DDSI-RTPS 10, OMG DDS-XTypes 7.4.1].
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from arena_trees.recording.ranges import shortened
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Sighting
from arena_trees.robot.scan import LaserScan

__all__ = [
    "Battery",
    "Cdr",
    "Detections",
    "Hazards",
    "Odometry",
    "PoseStamped",
    "Scan",
    "Transform",
    "TwistStamped",
    "half_turn",
    "stamped",
    "string",
]

_LITTLE = b"\x00\x01\x00\x00"
_COVARIANCE = bytes(36 * 8)
_COARSE = 65536.0
_NUDGES = (0, 1, -1, 2, -2, 3, -3)
_BUMP = 1
"""``irobot_create_msgs/HazardDetection.BUMP``."""


def half_turn(yaw: float) -> tuple[float, float]:
    """Return z and w of the quaternion of a yaw (rad), such that ``2 * atan2(z, w)`` gives that yaw to the last bit.

    Of sine and cosine the larger is rounded to 16 bits, which packs well and leaves the length within 3e-5 of 1;
    the smaller, which is the finer of the two, makes up for it. A yaw whose half is subnormal has no such quaternion.
    """
    half = 0.5 * yaw
    z, w = math.sin(half), math.cos(half)
    upright = abs(z) <= abs(w)
    larger, slope = (w, math.tan(half)) if upright else (z, 1.0 / math.tan(half))
    for step in (0, 1, -1):
        large = (round(larger * _COARSE) + step) / _COARSE
        for nudge in _NUDGES:
            small = _nudged(large * slope, nudge)
            z, w = (small, large) if upright else (large, small)
            if 2.0 * math.atan2(z, w) == yaw:
                return z, w
    return z, w


def _nudged(value: float, steps: int) -> float:
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return value


def string(text: str) -> bytes:
    """Return a ``std_msgs/String``."""
    data = text.encode("utf-8", "replace")
    return b"%b%b%b\x00" % (_LITTLE, struct.pack("<I", len(data) + 1), data)


def stamped(message: bytes, stamp: int) -> bytes:
    """Return a serialised message that begins with a header, with another stamp (ns)."""
    return b"%b%b%b" % (message[:4], struct.pack("<iI", *divmod(stamp, SECOND)), message[12:])


def _text(text: str, at: int, align: int = 4) -> bytes:
    """Return a string that stands at an offset, and the gap to what is aligned behind it."""
    data = text.encode()
    data = struct.pack("<I", len(data) + 1) + data + b"\x00"
    return data + bytes(-(at + len(data)) % align)


class Cdr:
    """Puts one value after the other, each aligned to its size; for messages that are written once."""

    def __init__(self) -> None:
        self._data = bytearray()

    def put(self, form: str, *values: float) -> Cdr:
        """Put numbers of one kind, by the letter that :mod:`struct` has for it."""
        self._data += bytes(-len(self._data) % struct.calcsize(form))
        self._data += struct.pack(f"<{len(values)}{form}", *values)
        return self

    def text(self, text: str) -> Cdr:
        """Put a string."""
        data = text.encode()
        self.put("I", len(data) + 1)
        self._data += data + b"\x00"
        return self

    def header(self, frame: str) -> Cdr:
        """Put a header with the stamp 0."""
        return self.put("i", 0).put("I", 0).text(frame)

    def message(self) -> bytes:
        """Return the message."""
        return _LITTLE + bytes(self._data)


class _Layout:
    """One type whose only variable parts are the stamp in its header and some numbers.

    Args:
        frame: frame of the header
        body: of the struct behind the header; its doubles are aligned when they come first
        prefix: bytes between encoding and stamp
        child: frame of the child, behind the header's; empty for none
        align: of what comes first behind the header
    """

    def __init__(self, frame: str, body: str, prefix: bytes = b"", child: str = "", align: int = 8) -> None:
        at = len(prefix) + 8
        names = _text(frame, at, 4 if child else align)
        if child:
            names += _text(child, at + len(names), 8)
        self._head = _LITTLE + prefix
        self._names = names
        self._struct = struct.Struct(f"<{len(self._head)}siI{len(names)}s{body}")

    def _pack(self, stamp: int, *values: float | bytes) -> bytes:
        seconds, nanoseconds = divmod(stamp, SECOND)
        return self._struct.pack(self._head, seconds, nanoseconds, self._names, *values)


class TwistStamped(_Layout):
    """``geometry_msgs/TwistStamped``."""

    def __init__(self, frame: str) -> None:
        super().__init__(frame, "6d")

    def encode(self, stamp: int, twist: Twist2D) -> bytes:
        """Return the message."""
        return self._pack(stamp, twist.linear, 0.0, 0.0, 0.0, 0.0, twist.angular)


class PoseStamped(_Layout):
    """``geometry_msgs/PoseStamped``."""

    def __init__(self, frame: str) -> None:
        super().__init__(frame, "7d")

    def encode(self, stamp: int, pose: Pose2D) -> bytes:
        """Return the message."""
        return self._pack(stamp, pose.x, pose.y, 0.0, 0.0, 0.0, *half_turn(pose.yaw))


class Transform(_Layout):
    """``tf2_msgs/TFMessage`` with one transform, given as the child's pose in the frame."""

    def __init__(self, frame: str, child: str) -> None:
        super().__init__(frame, "7d", struct.pack("<I", 1), child)

    def encode(self, stamp: int, pose: Pose2D) -> bytes:
        """Return the message."""
        return self._pack(stamp, pose.x, pose.y, 0.0, 0.0, 0.0, *half_turn(pose.yaw))


class Odometry(_Layout):
    """``nav_msgs/Odometry``, with covariances of zero, which mean that they are not known."""

    def __init__(self, frame: str, child: str) -> None:
        super().__init__(frame, "7d288s6d288s", child=child)

    def encode(self, stamp: int, pose: Pose2D, twist: Twist2D) -> bytes:
        """Return the message."""
        z, w = half_turn(pose.yaw)
        return self._pack(
            stamp, pose.x, pose.y, 0.0, 0.0, 0.0, z, w, _COVARIANCE,
            twist.linear, 0.0, 0.0, 0.0, 0.0, twist.angular, _COVARIANCE,
        )  # fmt: skip


class Battery(_Layout):
    """``sensor_msgs/BatteryState`` of a charge; what is not measured is NaN."""

    def __init__(self, frame: str) -> None:
        super().__init__(frame, "7f4B2IIs3xIs", align=4)

    def encode(self, stamp: int, charge: float) -> bytes:
        """Return the message; the charge is 0 to 1."""
        unknown = (math.nan,) * 6
        return self._pack(stamp, *unknown, charge, 0, 0, 0, 1, 0, 0, 1, b"\x00", 1, b"\x00")


class Scan:
    """``sensor_msgs/LaserScan`` without intensities; ranges of the arena's LiDAR are shortened."""

    def __init__(self, frame: str) -> None:
        self._names = _text(frame, 8)
        self._struct = struct.Struct(f"<4siI{len(self._names)}s7fI")

    def encode(self, laser: LaserScan, scan_time: float = 0.0) -> bytes:
        """Return the message.

        Args:
            laser: the scan
            scan_time: from scan to scan, s; 0 where it is not known
        """
        seconds, nanoseconds = divmod(laser.stamp, SECOND)
        ranges = shortened(laser.ranges).astype("<f4", copy=False).tobytes()
        head = self._struct.pack(
            _LITTLE, seconds, nanoseconds, self._names, laser.angle_min, laser.angle_max, laser.angle_increment,
            0.0, scan_time, laser.range_min, laser.range_max, len(ranges) // 4,
        )  # fmt: skip
        return b"%b%b\x00\x00\x00\x00" % (head, ranges)


class _Records:
    """A header and a sequence of records with headers of their own."""

    def __init__(self, frame: str) -> None:
        self._frame = frame
        names = _text(frame, 8)
        self._names = names
        self._start = 8 + len(names) + 4
        self._head = struct.Struct(f"<4siI{len(names)}sI")
        self._structs: dict[tuple[str, int], tuple[struct.Struct, bytes]] = {}

    def _begin(self, stamp: int, count: int) -> bytes:
        return self._head.pack(_LITTLE, *divmod(stamp, SECOND), self._names, count)


class Hazards(_Records):
    """``irobot_create_msgs/HazardDetectionVector`` of pressed bumper zones."""

    def encode(self, stamp: int, zones: Sequence[str]) -> bytes:
        """Return the message."""
        parts, at = [self._begin(stamp, len(zones))], self._start
        for zone in zones:
            gap = bytes(-at % 4)
            name = _text(zone, at + len(gap) + 8, 1)
            parts.append(gap + struct.pack("<iI", *divmod(stamp, SECOND)) + name + bytes([_BUMP]))
            at += len(parts[-1])
        return b"".join(parts)


class Detections(_Records):
    """``vision_msgs/Detection2DArray``: one hypothesis a box, centre and size in pixels."""

    def encode(self, stamp: int, boxes: Sequence[Sighting]) -> bytes:
        """Return the message."""
        parts, at = [self._begin(stamp, len(boxes))], self._start
        seconds, nanoseconds = divmod(stamp, SECOND)
        for box in boxes:
            layout, label = self._layout(box.label, at % 8)
            gap = bytes(-at % 4)
            packed = layout.pack(
                gap, seconds, nanoseconds, self._names, 1, label, box.confidence, _COVARIANCE,
                box.x, box.y, 0.0, box.width, box.height, 1, b"\x00",
            )  # fmt: skip
            parts.append(packed)
            at += len(packed)
        return b"".join(parts)

    def _layout(self, label: str, at: int) -> tuple[struct.Struct, bytes]:
        """Return the layout of a box whose record begins at an offset (modulo 8), and its label."""
        known = self._structs.get((label, at))
        if known is None:
            gap = -at % 4
            before = at + gap + 8 + len(self._names) + 4
            text = _text(label, before, 8)
            # Score; no pose; its covariance; box; length and end of an empty id.
            body = "d56x288s5dI1s"
            known = struct.Struct(f"<{gap}siI{len(self._names)}sI{len(text)}s{body}"), text
            self._structs[label, at] = known
        return known
