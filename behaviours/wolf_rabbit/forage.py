"""Forage: carrots that the camera sees are remembered, driven to when energy is low, and eaten."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.home import drive_to
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.sign_range import CAMERA, Camera, Sign, sign_range
from arena_trees.games.wolf_rabbit.blackboard import CARROTS, EATEN, Carrots, EatenCarrots, Point
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detections
from arena_trees.robot.percepts import Odometry

__all__ = ["CarrotWanted", "EatCarrot", "GoToCarrot", "SpotCarrots"]

_SAME = 0.5
"""Two sightings so near to each other are of one carrot, m."""
_REACH = 3.0
"""Carrots are believed within, m: farther away their boxes are too small to tell how far."""


class SpotCarrots(PerceptBehaviour):
    """Remember where carrots stand; belongs into the sensing branch. SUCCESS always.

    A carrot is believed once two images have shown it at one place. One that was eaten has grown again after
    ``carrot_regrow_s``.

    Blackboard Variables:
        * detections (Detections) [r]
        * odometry (Odometry) [r]
        * eaten (EatenCarrots) [r]: where carrots were eaten lately
        * carrots (Carrots) [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        camera: whose pictures show them
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters], camera: Camera = CAMERA) -> None:
        super().__init__(name, robot, ("detections", keys.ODOMETRY, EATEN), (CARROTS,))
        self.live = live
        self.camera = camera
        self._reset()

    def _reset(self) -> None:
        self._history = OdometryBuffer()
        self._sequence = 0
        self._places: list[tuple[Point, int]] = []
        self.outputs.carrots = Carrots()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Take in a new image and write which carrots there are; SUCCESS always."""
        self._history.add(self.percepts.odometry)
        image: Detections | None = self.percepts.detections
        if image is not None and image.sequence != self._sequence:
            self._sequence = image.sequence
            for place in self._seen(image):
                self._remember(place)
        eaten: EatenCarrots = self.percepts.eaten
        regrow = from_seconds(self.live.value.carrot_regrow_s)
        gone = [place for place, since in eaten.places if self.now - since < regrow]
        there = (place for place, sightings in self._places if sightings > 1)
        found = tuple(place for place in there if all(math.dist(place, other) > _SAME for other in gone))
        if found != self.outputs.carrots.places:
            self.outputs.carrots = Carrots(found)
            self.feedback_message = str(self.outputs.carrots)
        return Status.SUCCESS

    def _seen(self, image: Detections) -> list[Point]:
        """Return where the carrots of an image stand, odom frame, m."""
        parameters, pose = self.live.value, self._history.at(image.stamp)
        if pose is None:
            return []
        sign = Sign(parameters.carrot_size, parameters.carrot_size / 2.0)
        found = []
        for box in image.boxes:
            if box.label != parameters.carrot_label:
                continue
            there = sign_range(box, image.image_width, image.image_height, self.camera, sign)
            if there is not None and there.distance < _REACH:
                found.append(there.place(pose))
        return found

    def _remember(self, place: Point) -> None:
        near = [number for number, (other, _) in enumerate(self._places) if math.dist(place, other) < _SAME]
        if not near:
            self._places.append((place, 1))
            return
        # The newest sighting is the nearest one, mostly: odometry drifts.
        number = min(near, key=lambda number: math.dist(place, self._places[number][0]))
        self._places[number] = (place, self._places[number][1] + 1)


class CarrotWanted(PerceptBehaviour):
    """SUCCESS while a carrot is known and energy is below ``carrot_hunger``. FAILURE otherwise.

    Blackboard Variables:
        * carrots (Carrots) [r]
        * energy (float) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, (CARROTS, keys.ENERGY))
        self.live = live

    def update(self) -> Status:
        """Return SUCCESS if it is hungry and knows of a carrot, FAILURE otherwise."""
        carrots: Carrots = self.percepts.carrots
        hungry = self.percepts.energy < self.live.value.carrot_hunger
        return Status.SUCCESS if hungry and carrots.places else Status.FAILURE


class GoToCarrot(ActionBehaviour):
    """Drive to the nearest carrot. RUNNING on the way, SUCCESS there, FAILURE without one.

    Blackboard Variables:
        * carrots (Carrots) [r]
        * odometry (Odometry) [r]
        * scan (Scan) [r]: what stands in the way is driven round
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, (CARROTS, keys.ODOMETRY, keys.SCAN))
        self.live = live

    def update(self) -> Status:
        """Steer to the nearest carrot, round obstacles; RUNNING until it is within reach."""
        carrots: Carrots = self.percepts.carrots
        odometry: Odometry | None = self.percepts.odometry
        if odometry is None or not carrots.places:
            return Status.FAILURE
        pose, parameters = odometry.pose, self.live.value
        goal = min(carrots.places, key=lambda place: pose.distance_to(*place))
        if pose.distance_to(*goal) < parameters.carrot_reach:
            return Status.SUCCESS
        twist = drive_to(pose, goal, self.percepts.scan, parameters.carrot_speed, parameters)
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING


class EatCarrot(ActionBehaviour):
    """Stand still and eat the carrot that is near. RUNNING for ``carrot_eat_s``, then SUCCESS.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * carrots (Carrots) [r]: which one is eaten
        * energy (float) [rw]: more by ``carrot_energy`` at the end
        * eaten (EatenCarrots) [w]: where and when
        * command [w]: zero
        * cues [w]: EAT when it begins
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, (CARROTS, keys.ODOMETRY), (keys.ENERGY, EATEN))
        self.live = live
        self._since = 0
        self.outputs.eaten = EatenCarrots()

    def setup(self, **kwargs: object) -> None:
        """Forget what was eaten."""
        self.outputs.eaten = EatenCarrots()

    def initialise(self) -> None:
        """Begin to eat."""
        self._since = self.now
        self.show("EAT")

    def update(self) -> Status:
        """Stand until it is eaten; RUNNING until then, then SUCCESS, or FAILURE where there is none."""
        odometry: Odometry | None = self.percepts.odometry
        carrots: Carrots = self.percepts.carrots
        if odometry is None or not carrots.places:
            return Status.FAILURE
        self.drive(0.0, 0.0)
        parameters = self.live.value
        if to_seconds(self.now - self._since) < parameters.carrot_eat_s:
            return Status.RUNNING
        place = min(carrots.places, key=lambda place: odometry.pose.distance_to(*place))
        eaten: EatenCarrots = self.outputs.eaten
        self.outputs.eaten = EatenCarrots((*eaten.places, (place, self.now)))
        self.outputs.energy = min(100.0, self.outputs.energy + parameters.carrot_energy)
        return Status.SUCCESS
