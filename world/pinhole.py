"""The pinhole model of a sign camera: where a sign's face appears in the image, free of noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.quick_init import quick_init
from arena_trees.world.signs import PlacedSign

__all__ = ["Pinhole", "Projection"]

_NEAREST = 0.02
"""A face with an edge nearer to the image plane than this (m), or behind it, has no picture."""


@quick_init
@dataclass(frozen=True, slots=True)
class Projection:
    """The picture of the face of a sign that looks at the camera most; pixels, not clipped to the image.

    Attributes:
        x: column of the box's centre, rightwards from the image's left edge; may lie outside the image
        y: row of the box's centre, downwards from the image's top edge
        width: of the box
        height: of the box
        distance: from the camera to the face's centre, m
        obliqueness: angle between the face's normal and the line to the camera, rad; 0 is frontal
        face: number of the face
    """

    x: float
    y: float
    width: float
    height: float
    distance: float
    obliqueness: float
    face: int


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A camera that looks along its robot's x, level.

    Attributes:
        width: of the image, px
        height: of the image, px
        hfov: horizontal field of view, rad
        mount_x: of the camera in base_link, m
        mount_z: height of the camera above the floor, m
    """

    width: int
    height: int
    hfov: float
    mount_x: float
    mount_z: float

    @property
    def focal_length(self) -> float:
        """Focal length, px."""
        return self.width / 2.0 / math.tan(self.hfov / 2.0)

    def may_see(self, observer: Pose2D, target: PlacedSign) -> bool:
        """Return whether any part of a sign can be within the image's columns; cheap, and never wrongly False."""
        cosine, sine = math.cos(observer.yaw), math.sin(observer.yaw)
        dx, dy = target.pose.x - observer.x, target.pose.y - observer.y
        reach = target.sign.offset + target.sign.size
        ahead = cosine * dx + sine * dy - self.mount_x + reach
        return ahead > 0.0 and abs(cosine * dy - sine * dx) - reach < ahead * self.width / 2.0 / self.focal_length

    def project(self, observer: Pose2D, target: PlacedSign) -> Projection | None:
        """Return where a sign's most frontal face appears.

        Args:
            observer: pose of base_link of the robot that carries the camera, map frame
            target: the sign

        Returns:
            None where no face looks at the camera, or a part of it is behind the image plane
        """
        camera_x = observer.x + self.mount_x * math.cos(observer.yaw)
        camera_y = observer.y + self.mount_x * math.sin(observer.yaw)
        return self.project_face(observer, target, _most_frontal(target, camera_x, camera_y))

    def project_face(self, observer: Pose2D, target: PlacedSign, face: int) -> Projection | None:
        """Return where one face of a sign appears, as :meth:`project` does."""
        cosine, sine = math.cos(observer.yaw), math.sin(observer.yaw)
        camera_x = observer.x + self.mount_x * cosine
        camera_y = observer.y + self.mount_x * sine
        sign, pose = target.sign, target.pose
        facing = pose.yaw + sign.face_yaw(face)
        normal_x, normal_y = math.cos(facing), math.sin(facing)
        to_face_x = pose.x + sign.offset * normal_x - camera_x
        to_face_y = pose.y + sign.offset * normal_y - camera_y
        towards = -(to_face_x * normal_x + to_face_y * normal_y)
        if towards <= 0.0:
            return None
        # Centre and half of the horizontal edge, along the camera's axis and to its left.
        ahead, left = cosine * to_face_x + sine * to_face_y, cosine * to_face_y - sine * to_face_x
        half = sign.size / 2.0
        edge_ahead = half * (sine * normal_x - cosine * normal_y)
        edge_left = half * (cosine * normal_x + sine * normal_y)
        near, far = ahead - abs(edge_ahead), ahead + abs(edge_ahead)
        if near <= _NEAREST:
            return None
        focal = self.focal_length
        one = -focal * (left + edge_left) / (ahead + edge_ahead)
        other = -focal * (left - edge_left) / (ahead - edge_ahead)
        top, bottom = sign.height + half - self.mount_z, sign.height - half - self.mount_z
        highest = -focal * top / (near if top > 0.0 else far)
        lowest = -focal * bottom / (far if bottom > 0.0 else near)
        plane = math.hypot(to_face_x, to_face_y)
        return Projection(
            x=self.width / 2.0 + (one + other) / 2.0,
            y=self.height / 2.0 + (highest + lowest) / 2.0,
            width=abs(one - other),
            height=lowest - highest,
            distance=math.hypot(plane, sign.height - self.mount_z),
            obliqueness=math.acos(min(1.0, towards / plane)),
            face=face,
        )


def _most_frontal(target: PlacedSign, camera_x: float, camera_y: float) -> int:
    """Return the face that looks at a point most."""
    sign, pose = target.sign, target.pose
    bearing = wrap(math.atan2(camera_y - pose.y, camera_x - pose.x) - pose.yaw)
    return round(bearing * sign.faces / math.tau) % sign.faces
