"""Rendered cameras on a simulated arena's ceiling: their images and optics on ROS."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Annotated, Any

import cv2
import numpy as np
import shapely
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage

from arena_trees.nodes.adapters.ceiling_tags import load_tags
from arena_trees.nodes.adapters.convert import fill
from arena_trees.nodes.runtime.qos import RELIABLE_SENSOR
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.tracker import CeilingTracker
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.errors import ConfigError, format_error
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.ros_messages.layout import header_fields
from arena_trees.simulation.rendering.appearance import draw_appearance
from arena_trees.simulation.rendering.ceiling import CeilingRenderer, CeilingView
from arena_trees.world.body import Body
from arena_trees.world.layout import Layout

__all__ = ["CeilingPictures", "CeilingPicturesParameters"]

_PART = 0.5
"""Part of the arena's longer side over which several cameras are spread: each still sees the tags in the middle."""


class CeilingPicturesParameters(Parameters):
    """Where the simulated cameras hang, and their lenses; all cameras are alike."""

    file: str | None = parameter(None, "file of the tags on floor and robots; the shipped ceiling.yaml where empty")
    rate_hz: float = parameter(10.0, "images a simulated second of each camera", "Hz", gt=0, le=50)
    camera_height: float = parameter(2.8, "of the lenses above the floor", "m", gt=0.5, le=20)
    x: Annotated[tuple[float, ...], FROM_LIST] = parameter(
        (), "of each camera in the map, m; spread along the arena's longer side where empty"
    )
    y: Annotated[tuple[float, ...], FROM_LIST] = parameter((), "of each camera in the map, m; likewise")
    yaw_deg: float = parameter(90.0, "direction in the map of the images' top", "deg", ge=-360, le=360)
    tilt_deg: float = parameter(0.0, "of the axes from straight down, towards the images' top", "deg", ge=0, le=70)
    image_width: int = parameter(800, "of the images", "px", ge=64, le=4096)
    image_height: int = parameter(600, "of the images", "px", ge=64, le=4096)
    fov_deg: float = parameter(95.0, "horizontal field of view, the distortion left aside", "deg", ge=10, le=140)
    distortion: Annotated[tuple[float, ...], FROM_LIST] = parameter(
        (), "none; or 4 or 5 numbers (plumb_bob) or 8 (rational_polynomial)"
    )
    supersampling: int = parameter(
        1, "images are rendered finer by this, which takes its square of the time", ge=1, le=4
    )

    def lens(self) -> CameraIntrinsics:
        """Return size and lens.

        Raises:
            ConfigError: there are as many numbers of distortion as no model has
        """
        if len(self.distortion) not in (0, 4, 5, 8):
            raise ConfigError("must be 0, 4, 5 or 8 numbers", key="ceiling.distortion", value=list(self.distortion))
        width, height = self.image_width, self.image_height
        focal = width / 2.0 / math.tan(math.radians(self.fov_deg) / 2.0)
        middle = {"cx": (width - 1) / 2.0, "cy": (height - 1) / 2.0}
        return CameraIntrinsics(
            width=width, height=height, fx=focal, fy=focal, **middle, distortion=tuple(self.distortion)
        )  # fmt: skip


class CeilingPictures:
    """Renders what cameras on the ceiling see, in a thread of its own, and publishes that when it is done.

    All cameras take their images at the same instant. One that would be taken while the last ones are still being
    rendered is left out, so that a slow machine has fewer images and the arena's clock goes on. Tags lie exactly where
    the file says; images have neither noise nor blur. The owner closes it.

    Topics:
        * ``/ceiling/<camera>/image_raw`` (sensor_msgs/Image, mono8, reliable, keep last 5) [published]
        * ``/ceiling/<camera>/camera_info`` (sensor_msgs/CameraInfo, reliable, keep last 5) [published]

    Args:
        node: whose publishers they are
        layout: the world
        robots: name to body of each robot
        names: of the cameras, one to four
        parameters: where they hang, and their lenses
        seed: of floor, walls and light

    Raises:
        ConfigError: a name, a parameter or the file cannot be used, or a lens cannot be rendered
        GraphicsError: there is no graphics library here
    """

    def __init__(
        self,
        node: Any,
        layout: Layout,
        robots: Mapping[str, Body],
        names: Sequence[str],
        parameters: CeilingPicturesParameters,
        seed: int,
    ) -> None:
        most = CeilingTracker.MOST_CAMERAS
        if len(set(names)) != len(names) or len(names) > most:
            raise ConfigError(f"must be 1 to {most} different names", key="ceiling_cameras", value=list(names))
        for name in names:
            if not (name.isascii() and name.isidentifier()):
                raise ConfigError("must be a plain word", key="ceiling_cameras", value=name)
        tags = load_tags(parameters.file)
        self._node = node
        self._views = _views(layout, names, parameters)
        self._period = round(SECOND / parameters.rate_hz)
        self._due = 0
        self._next: tuple[int, Mapping[str, Pose2D]] | None = None
        self._busy = self._ends = False
        self._sent = self._left_out = 0
        self._taken = 0.0
        self._failure = ""
        self._changed = threading.Condition()
        self._publishers = {
            name: (
                node.create_publisher(ImageMessage, f"/ceiling/{name}/image_raw", RELIABLE_SENSOR),
                node.create_publisher(CameraInfo, f"/ceiling/{name}/camera_info", RELIABLE_SENSOR),
            )
            for name in names
        }
        bare = sorted(set(robots) - set(tags.robots))
        if bare:
            node.get_logger().warning(f"the ceiling's cameras cannot find {', '.join(bare)}: no tag in the file")

        def make() -> CeilingRenderer:
            look = draw_appearance(RandomStreams(seed))
            return CeilingRenderer(layout, robots, tags, self._views, look, parameters.supersampling)

        made: Future[None] = Future()
        self._thread = threading.Thread(target=self._work, args=(make, made), name="ceiling pictures", daemon=True)
        self._thread.start()
        made.result()

    def take(self, now: int, poses: Mapping[str, Pose2D]) -> None:
        """Take images where it is time for them; to be called in each tick.

        Args:
            now: instant of the arena, ns
            poses: name of every robot to its pose of base_link, map frame
        """
        if now < self._due:
            return
        self._due += self._period * ((now - self._due) // self._period + 1)
        with self._changed:
            if self._busy:
                self._left_out += 1
                return
            self._busy, self._next = True, (now, dict(poses))
            self._changed.notify()

    def take_values(self) -> dict[str, str]:
        """Return what became of images since the last call, for diagnostics."""
        with self._changed:
            sent, left_out, taken = self._sent, self._left_out, self._taken
            self._sent, self._left_out, self._taken = 0, 0, 0.0
            failure = self._failure
        values = {
            "ceiling images": str(sent),
            "ceiling images left out": str(left_out),
            "mean time of a ceiling image [ms]": f"{1000.0 * taken / max(1, sent):.0f}",
        }
        return values | ({"ceiling cameras failed": failure} if failure else {})

    def close(self) -> None:
        """End the thread and its graphics; nothing is published any more."""
        with self._changed:
            self._ends = True
            self._changed.notify()
        self._thread.join()

    def _work(self, make: Callable[[], CeilingRenderer], made: Future[None]) -> None:
        """Make the graphics, use them and let go of them, all in one thread as they want it."""
        try:
            renderer = make()
        except BaseException as error:
            made.set_exception(error)
            return
        made.set_result(None)
        try:
            while (taken := self._wait()) is not None:
                self._send(renderer, *taken)
        # Without its ceiling's cameras the arena is as good as before.
        except Exception as error:
            with self._changed:
                self._failure = format_error(error)
            self._node.get_logger().error(f"the ceiling's cameras have ended: {format_error(error)}")
        finally:
            renderer.close()

    def _wait(self) -> tuple[int, Mapping[str, Pose2D]] | None:
        """Return the next instant and poses to render; None at the end."""
        with self._changed:
            self._busy = self._next is not None
            self._changed.wait_for(lambda: self._ends or self._next is not None)
            taken, self._next = self._next, None
            return None if self._ends else taken

    def _send(self, renderer: CeilingRenderer, now: int, poses: Mapping[str, Pose2D]) -> None:
        """Render what all cameras see at an instant (ns), then publish it."""
        begun = time.perf_counter()
        pictures = {}
        for name in self._views:
            pictures[name] = cv2.cvtColor(renderer.render(name, poses), cv2.COLOR_RGB2GRAY)
            if self._ends:
                return
        for name, picture in pictures.items():
            fields = {"header": header_fields(now, f"ceiling_{name}")}
            images, infos = self._publishers[name]
            infos.publish(fill(CameraInfo(), fields | _info_fields(self._views[name].lens)))
            images.publish(_image_message(fields, np.asarray(picture, np.uint8)))
        with self._changed:
            self._sent += len(pictures)
            self._taken += time.perf_counter() - begun


def _views(layout: Layout, names: Sequence[str], parameters: CeilingPicturesParameters) -> dict[str, CeilingView]:
    """Return where each camera hangs."""
    for key in ("x", "y"):
        given = getattr(parameters, key)
        if given and len(given) != len(names):
            raise ConfigError("must be one number a camera", key=f"ceiling.{key}", value=list(given))
    low_x, low_y, high_x, high_y = shapely.union_all([solid.polygon() for solid in layout.solids]).bounds
    along = [_PART * ((index + 0.5) / len(names) - 0.5) for index in range(len(names))]
    sides = (high_x - low_x, high_y - low_y)
    longer = sides.index(max(sides))
    lens = parameters.lens()
    views = {}
    for index, name in enumerate(names):
        place = [(low_x + high_x) / 2.0, (low_y + high_y) / 2.0]
        place[longer] += along[index] * sides[longer]
        for axis, given in enumerate((parameters.x, parameters.y)):
            place[axis] = given[index] if given else place[axis]
        views[name] = CeilingView(
            x=place[0],
            y=place[1],
            height=parameters.camera_height,
            yaw_deg=parameters.yaw_deg,
            tilt_deg=parameters.tilt_deg,
            lens=lens,
        )
    return views


def _info_fields(lens: CameraIntrinsics) -> dict[str, Any]:
    """Return a ``sensor_msgs/CameraInfo`` of a lens."""
    return {
        "width": lens.width,
        "height": lens.height,
        "distortion_model": "rational_polynomial" if len(lens.distortion) == 8 else "plumb_bob",
        "d": list(lens.distortion or (0.0,) * 5),
        "k": [float(one) for one in lens.matrix.ravel()],
        "r": [float(one) for one in np.eye(3).ravel()],
        "p": [float(one) for one in np.column_stack([lens.matrix, np.zeros(3)]).ravel()],
    }


def _image_message(fields: Mapping[str, Any], grey: np.ndarray[Any, np.dtype[np.uint8]]) -> Any:
    """Return a grey picture, shape (height, width), as a ``sensor_msgs/Image``."""
    height, width = grey.shape
    message = fill(ImageMessage(height=height, width=width, encoding="mono8", step=width), fields)
    # Not assigned: with its checks on, rclpy would look at each byte.
    message.data.frombytes(grey.tobytes())
    return message
