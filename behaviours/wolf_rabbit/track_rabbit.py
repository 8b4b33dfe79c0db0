"""Track the rabbit; of several only those that are not caught: their signs are all alike."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.track_sign import TrackBySource, TrackSign
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.place_history import PlaceHistory
from arena_trees.control.sign_range import sign_range
from arena_trees.games.wolf_rabbit.blackboard import CAUGHT_SIGNS, CaughtSigns
from arena_trees.games.wolf_rabbit.messages import GameState, game_of
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D

__all__ = ["LeaveOutCaught", "TrackRabbit", "TrackRabbitBySource"]

_CUT_OFF = 1.0
"""A box whose range is not known, cut off at the image's edges, is of a robot that is nearer than this, m."""


class LeaveOutCaught(PerceptBehaviour):
    """Write which signs of the newest image are those of caught rabbits; in the sensing branch. SUCCESS always.

    The referee says where each was caught, and there it stands. A sign within ``caught_radius`` of such a place, and
    one deviation of its range, is that of who was caught there.

    Blackboard Variables:
        * detections (Detections) [r]: signs in the newest image
        * pose (PoseEstimate), odometry (Odometry) [r]: where it was taken
        * inbox (Inbox) [r]: where rabbits were caught
        * caught_signs (CaughtSigns) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, ("detections", keys.POSE, keys.ODOMETRY, keys.INBOX), (CAUGHT_SIGNS,))
        self.live = live
        self._reset()

    def _reset(self) -> None:
        self._history = PlaceHistory()
        self._sequence = 0
        self.outputs.caught_signs = CaughtSigns()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Look at a new image for signs of caught rabbits; SUCCESS always."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry)
        image: Detections | None = percepts.detections
        if image is not None and image.sequence != self._sequence:
            self._sequence = image.sequence
            game = game_of(percepts.inbox)
            place = self._history.at(image.stamp) if game.caught else None
            found: tuple[int, ...] = ()
            if place is not None:
                boxes = enumerate(image.boxes)
                found = tuple(k for k, box in boxes if self._is_caught(box, image, place.pose, game))
            signs = self.outputs.caught_signs = CaughtSigns(found)
            self.feedback_message = str(signs)
        return Status.SUCCESS

    def _is_caught(self, box: Detection, image: Detections, pose: Pose2D, game: GameState) -> bool:
        parameters = self.live.value
        if box.label != parameters.target_label:
            return False
        found = sign_range(box, image.image_width, image.image_height, parameters.camera, parameters.sign)
        if found is None:
            bearing = parameters.camera.bearing(box.x, image.image_width)
            near = (there for there in game.caught.values() if pose.distance_to(*there) < _CUT_OFF)
            return any(abs(pose.bearing_to(*there) - bearing) < parameters.camera.hfov / 2.0 for there in near)
        return game.caught_near(found.place(pose), parameters.caught_radius + found.sigma)


class _TrackThoseLeft(TrackSign):
    """Looks at the signs of rabbits that are not caught."""

    def _image(self) -> Detections | None:
        signs: CaughtSigns = self.percepts.caught_signs
        return signs.left(super()._image())


class TrackRabbit(_TrackThoseLeft):
    """Keep the target up to date: a rabbit that is not caught. SUCCESS always.

    Blackboard Variables:
        * detections (Detections) [r]: signs in the newest image
        * caught_signs (CaughtSigns) [r]: which of them are not looked at
        * odometry (Odometry) [r]: own motion
        * scan (Scan) [r]: refines the range of a near target
        * target (Target) [w]: None until the sign was seen
    """

    reads = (*TrackSign.reads, CAUGHT_SIGNS)


class TrackRabbitBySource(_TrackThoseLeft, TrackBySource):
    """The same as the Wolf and Rabbit report does it. SUCCESS always.

    Blackboard Variables:
        * detections (Detections) [r]: signs in the newest image
        * caught_signs (CaughtSigns) [r]: which of them are not looked at
        * odometry (Odometry) [r]: own motion
        * target (Target) [w]: None until the sign was seen
    """

    reads = (*TrackBySource.reads, CAUGHT_SIGNS)
