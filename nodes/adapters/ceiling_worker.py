"""Looks at the images of the ceiling's cameras in a thread of its own, so that the node's callbacks do not wait."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.worker_thread import WorkerThread
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.fusion import CeilingDisagreement, CeilingPose
from arena_trees.perception.ceiling.watch import CameraState, CeilingWatch
from arena_trees.perception.image import Image, ImageError
from arena_trees.robot.errors import format_error

__all__ = ["CeilingNews", "CeilingWorker"]

_GATHER_S = 0.02
"""Longest time that the first image waits for those that other cameras took at the same instant."""


@dataclass(slots=True)
class CeilingNews:
    """What came of the images since it was asked last.

    Attributes:
        poses: of robots, oldest first
        disagreements: cameras that contradicted each other, by robot the newest
        events: what happened to cameras: whether it is bad, and what it is
    """

    poses: list[CeilingPose] = field(default_factory=list)
    disagreements: dict[str, CeilingDisagreement] = field(default_factory=dict)
    events: list[tuple[bool, str]] = field(default_factory=list)


class CeilingWorker(WorkerThread):
    """Looks at images of all cameras; of those of one camera that come while it works, it takes the newest alone.

    Its thread begins with the first image; its owner ends it.

    Args:
        watch: calibrates the cameras and finds the robots; from now on it is the worker's
    """

    def __init__(self, watch: CeilingWatch) -> None:
        super().__init__("ceiling cameras")
        self._watch = watch
        self._states = watch.states()
        self._left_out: Mapping[str, str] = {}
        self._next: dict[str, Image] = {}
        self._intrinsics: dict[str, CameraIntrinsics] = {}
        self._calibrates = False
        self._news = CeilingNews()
        self._tallies = {name: ImageTally() for name in self._states}

    def show(self, camera: str, image: Image) -> None:
        """Hand over an image, which may contradict itself."""
        with self._changed:
            if camera in self._next:
                self._tallies[camera].skipped += 1
            self._next[camera] = image
            self._wake()

    def set_intrinsics(self, camera: str, intrinsics: CameraIntrinsics) -> None:
        """Hand over a camera's size and lens; it counts from the next image on."""
        with self._changed:
            self._intrinsics[camera] = intrinsics

    def calibrate(self) -> None:
        """Calibrate all cameras anew by the next images."""
        with self._changed:
            self._calibrates = True

    def skip(self, camera: str) -> None:
        """Count an image that is left out because there are too many."""
        with self._changed:
            self._tallies[camera].skipped += 1

    def refuse(self, camera: str, reason: str) -> None:
        """Count something of a camera that cannot be used."""
        with self._changed:
            self._tallies[camera].refuse(reason)

    def take_news(self) -> CeilingNews:
        """Return what came of the images since the last call."""
        with self._changed:
            news, self._news = self._news, CeilingNews()
        return news

    def take_tallies(self) -> dict[str, ImageTally]:
        """Return by camera what became of the images since the last call."""
        with self._changed:
            tallies = self._tallies
            self._tallies = {name: tally.next() for name, tally in tallies.items()}
        return tallies

    def states(self) -> tuple[Mapping[str, CameraState], Mapping[str, str]]:
        """Return how it goes with each camera, and by camera which robots' tags it sees and does not believe."""
        with self._changed:
            return self._states, self._left_out

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ends or self._next)
                self._changed.wait_for(lambda: self._ends or len(self._next) == len(self._states), _GATHER_S)
                if self._ends:
                    return
                images, self._next = self._next, {}
                lenses, self._intrinsics = self._intrinsics, {}
                calibrates, self._calibrates = self._calibrates, False
            if calibrates:
                self._watch.calibrate()
            for camera, intrinsics in lenses.items():
                self._watch.set_intrinsics(camera, intrinsics)
            for camera, image in images.items():
                self._observe(camera, image)
            self._tell()

    def _observe(self, camera: str, image: Image) -> None:
        begun = time.perf_counter()
        try:
            self._watch.look(camera, image)
        except ImageError as error:
            with self._changed:
                self._tallies[camera].refuse(str(error))
        # Whatever OpenCV raises at one image must not end the thread that waits for the next.
        except Exception as error:
            with self._changed:
                self._tallies[camera].fail(format_error(error))
        else:
            with self._changed:
                self._tallies[camera].looked(time.perf_counter() - begun)

    def _tell(self) -> None:
        try:
            poses, disagreements = self._watch.take_poses()
            problem = ""
        except Exception as error:
            poses, disagreements, problem = (), (), format_error(error)
        with self._changed:
            if problem:
                next(iter(self._tallies.values())).fail(problem)
            self._news.poses += poses
            self._news.disagreements.update((one.robot, one) for one in disagreements)
            self._news.events += self._watch.take_events()
            self._states, self._left_out = self._watch.states(), self._watch.left_out()
