"""The source system's sight: the largest circle, a vote over images, and a distance by the circle's diameter."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.place_history import Place
from arena_trees.games.pursuit.blackboard import PLACE, QUARRY, Quarry
from arena_trees.perception.spheres.source_distance import source_distance
from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.configuration.parameters import Live

__all__ = ["VoteForBall"]


class VoteForBall(PerceptBehaviour):
    """Believe the largest circle while more than ``vote_needed`` of the last ``vote_length`` images show one.

    SUCCESS always. The distance is that at which the ball's diameter spans the circle's, from the camera; the range is
    from the axis that it turns about. The place is that of the report's section II.E: the own position and the range
    along the camera's direction.

    Blackboard Variables:
        * circles (Circles) [r]: in the newest image
        * place (Place) [r]: own pose now
        * quarry (Quarry) [w]: None until a circle was believed for the first time
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, ("circles", PLACE), (QUARRY,))
        self.live = live
        self.equipment = equipment
        self._reset()

    def _reset(self) -> None:
        self._votes: deque[bool] = deque()
        self._sequence = 0
        self.outputs.quarry = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Count a new image, if any, and write the quarry; SUCCESS always."""
        circles: Circles | None = self.percepts.circles
        place: Place | None = self.percepts.place
        if circles is None or place is None or circles.sequence == self._sequence:
            return Status.SUCCESS
        self._sequence = circles.sequence
        parameters = self.live.value
        self._votes.append(bool(circles.circles))
        while len(self._votes) > parameters.vote_length:
            self._votes.popleft()
        largest, known = circles.largest, self.outputs.quarry
        if largest is not None and sum(self._votes) > parameters.vote_needed:
            self.outputs.quarry = _quarry(circles, largest, place, parameters.source_diameter, self.equipment)
            self.feedback_message = "circle believed"
        elif known is not None and known.in_sight:
            self.outputs.quarry = replace(known, in_sight=False)
            self.feedback_message = "no circle"
        return Status.SUCCESS


def _quarry(circles: Circles, circle: Circle, place: Place, diameter: float, equipment: Equipment) -> Quarry:
    """Return where the evader is by the circle of a ball with a diameter (m)."""
    distance = source_distance(circle, equipment.optics(circles), diameter) + equipment.mount.x
    yaw = 0.0 if place.turret is None else place.turret[0]
    angle = place.pose.yaw + yaw
    return Quarry(
        x=place.pose.x + distance * math.cos(angle),
        y=place.pose.y + distance * math.sin(angle),
        vx=0.0,
        vy=0.0,
        sigma=0.0,
        range=distance,
        range_sigma=0.0,
        bearing=yaw,
        stamp=circles.stamp,
        in_sight=True,
    )
