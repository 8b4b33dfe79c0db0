"""Signs: the square labels that robots carry on a card box, and carrots that stand on the floor."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.world.layout import CarrotPlace

__all__ = ["CARROT", "PlacedSign", "Sign", "SignParameters", "sign_classes"]

CARROT = "carrot"
"""Label of a carrot."""


@lru_cache(maxsize=1)
def sign_classes() -> tuple[str, ...]:
    """Return the labels of the signs that the detector which ships knows, in its order."""
    about = json.loads(resource_path("models", "signs.json").read_text(encoding="utf-8"))
    return tuple(str(label) for label in about["classes"])


class SignParameters(Parameters):
    """The sign that a robot carries: a card box over the top plate with the same label on each face.

    Its lower edge, at 0.31 m, is just above what the robot's own camera sees.
    """

    size: float = parameter(
        0.21, "side of each square face; faces are half of it from the robot's axis", "m", gt=0, le=2
    )
    faces: int = parameter(4, "number of faces, spread evenly, the first to the front", ge=1, le=12)
    height: float = parameter(0.415, "height of the faces' centres", "m", gt=0, le=5)


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign by itself.

    Attributes:
        name: of the robot or carrot that it belongs to
        label: class that a detector sees, such as ``carrot``
        size: side of each square face, m
        faces: number of faces, spread evenly; face 0 looks along the bearer's x
        height: of the faces' centres above the floor, m
        offset: distance of the faces' centres from the bearer's vertical axis, m
    """

    name: str
    label: str
    size: float
    faces: int
    height: float
    offset: float

    @classmethod
    def carried(cls, robot: str, label: str, parameters: SignParameters) -> Sign:
        """Return the sign that a robot carries."""
        return cls(robot, label, parameters.size, parameters.faces, parameters.height, parameters.size / 2)

    @classmethod
    def carrot(cls, carrot: CarrotPlace) -> Sign:
        """Return the sign of a carrot: it stands on the floor and shows both sides."""
        return cls(carrot.name, CARROT, carrot.size, 2, carrot.size / 2, 0.0)

    def face_yaw(self, face: int) -> float:
        """Return the direction (rad) in which a face looks, in the bearer's frame."""
        return face * math.tau / self.faces


@quick_init
@dataclass(frozen=True, slots=True)
class PlacedSign:
    """A sign and its bearer's pose in the map frame."""

    sign: Sign
    pose: Pose2D
