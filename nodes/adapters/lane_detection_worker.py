"""Runs lane detection on the newest image in a thread of its own, so that the node's callbacks do not wait."""

from __future__ import annotations

import time
from collections.abc import Callable

from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.worker_thread import WorkerThread
from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.lanes.image_light import with_light
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.perception.markers import MarkerDetector
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines, MarkerDetections

__all__ = ["LaneDetectionWorker"]

Seen = tuple[LaneLines, MarkerDetections | None]
"""What one image shows; no markers where none are looked for."""


class LaneDetectionWorker(WorkerThread):
    """Finds lane lines and markers in images; of those that come while it works, it takes the newest alone.

    Its thread begins with the first image; its owner ends it.

    Args:
        watch: finds lines
        markers: finds markers; None where none are looked for
        light: returns the brightness and contrast that images are given first
    """

    def __init__(
        self, watch: LaneWatch, markers: MarkerDetector | None, light: Callable[[], tuple[float, float]]
    ) -> None:
        super().__init__("lane detection")
        self._watch = watch
        self._markers = markers
        self._light = light
        self._next: tuple[Image, Pose2D | None] | None = None
        self._seen: Seen | None = None
        self._tally = ImageTally()

    def show(self, image: Image, base: Pose2D | None) -> None:
        """Hand over an image.

        Args:
            image: may contradict itself
            base: pose of base_link in odom when it was taken, or None
        """
        with self._changed:
            if self._next is not None:
                self._tally.skipped += 1
            self._next = (image, base)
            self._wake()

    def seen(self) -> Seen | None:
        """Return what the newest image that was looked at shows; None before the first."""
        with self._changed:
            return self._seen

    def reset(self) -> None:
        """Forget what was seen."""
        with self._changed:
            self._next = self._seen = None

    def take_tally(self) -> ImageTally:
        """Return what became of the images since the last call."""
        with self._changed:
            tally, self._tally = self._tally, self._tally.next()
        return tally

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ends or self._next is not None)
                if self._ends or self._next is None:
                    return
                (image, base), self._next = self._next, None
            self._observe(image, base)

    def _observe(self, image: Image, base: Pose2D | None) -> None:
        begun = time.perf_counter()
        try:
            image.check()
            lit = with_light(image, *self._light())
            seen = (self._watch.observe(lit, base), None if self._markers is None else self._markers.detect(lit))
        except ImageError as error:
            with self._changed:
                self._tally.refuse(str(error))
            return
        # Whatever OpenCV raises at one image must not end the thread that waits for the next.
        except Exception as error:
            with self._changed:
                self._tally.fail(f"{type(error).__name__}: {error}")
            return
        with self._changed:
            self._seen = seen
            self._tally.looked(time.perf_counter() - begun)
