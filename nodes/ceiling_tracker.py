"""The ceiling tracker node: images of cameras on the ceiling in, the true poses of robots out."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from std_srvs.srv import Trigger

from arena_trees.nodes.adapters.ceiling_tags import load_tags
from arena_trees.nodes.adapters.ceiling_worker import CeilingWorker
from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds
from arena_trees.nodes.adapters.true_pose import true_pose_message
from arena_trees.nodes.monitors.image_tally import ImageTally
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import RELIABLE_SENSOR, Reliability, sensor_qos
from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.fusion import CeilingDisagreement, CeilingPose
from arena_trees.perception.ceiling.watch import CameraState, CeilingWatch
from arena_trees.perception.image import Image
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.ros_messages.layout import CEILING_TOPIC

__all__ = ["CeilingTrackerNode", "CeilingTrackerParameters", "main"]

_TICK_S = 0.01
_LATELY_S = 1.0
"""A robot, or a contradiction, that was seen so long ago is reported as one that is seen."""


class CeilingTrackerParameters(Parameters):
    """Which cameras, which tags, and how often they are looked at."""

    cameras: tuple[str, ...] = parameter(("c1",), "names of one to four cameras, as in their topics", read_only=True)
    file: str | None = parameter(
        None, "file of the tags on floor and robots; the shipped ceiling.yaml where empty", read_only=True
    )
    reliability: Reliability = parameter(
        "best_effort", "of images; best_effort drops what comes too late", read_only=True
    )
    max_fps: float = parameter(
        15.0, "images a second of each camera that are looked at, at most", "Hz", read_only=True, gt=0, le=200
    )
    calibrate_images: int = parameter(10, "images that a camera is calibrated by", read_only=True, ge=1, le=1000)
    moved_px: float = parameter(
        1.0,
        "floor tags that are off by more since the calibration have moved, or the camera has if they are most",
        "px",
        read_only=True,
        gt=0,
        le=100,
    )
    moved_images: int = parameter(
        5, "images in a row that show a camera to have moved, after which it is calibrated anew", read_only=True, ge=1
    )
    silent_s: float = parameter(
        2.0, "a camera without an image for longer is reported as silent", "s", read_only=True, gt=0, le=600
    )


class CeilingTrackerNode(Node):
    """Publishes where cameras on the ceiling see robots; nothing for a robot that none sees.

    Each camera is calibrated by the floor's tags in its first images, without anybody's help. The floor's tags are
    compared with that in every image, so that a camera that was pushed is noticed: no pose is by it then, and it is
    calibrated anew. Images are looked at in a thread of their own, the newest first; what is malformed, of another size
    or of an unknown encoding is dropped and counted. Poses have the stamp of the newest image that they are by: cameras
    need clocks that agree.

    Topics:
        * ``/ceiling/<camera>/image_raw`` (sensor_msgs/Image), keep last 1, best effort by default [subscribed]
        * ``/ceiling/<camera>/camera_info`` (sensor_msgs/CameraInfo), the same [subscribed]: size and lens
        * ``/<robot>/ceiling/pose`` (geometry_msgs/PoseWithCovarianceStamped, reliable, keep last 5) [published] of each
          robot of the file: base_link in map, with the covariance of x, y and yaw; height, roll and pitch have a
          variance of 1e6
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`CeilingTrackerParameters`

    Services:
        * ``~/calibrate`` (std_srvs/Trigger): calibrate all cameras anew by the next images

    Raises:
        ConfigError: a parameter or the file cannot be used
    """

    def __init__(self) -> None:
        super().__init__("ceiling_tracker")
        declare(self, CeilingTrackerParameters, read_only=True)
        self._wanted = wanted = read(self, CeilingTrackerParameters)
        tags = load_tags(wanted.file)
        for name in wanted.cameras:
            if not (name.isascii() and name.isidentifier()):
                raise ConfigError("must be a plain word", key="cameras", value=name)
        watch = CeilingWatch(tags, wanted.cameras, wanted.calibrate_images, wanted.moved_px, wanted.moved_images)
        self._worker = CeilingWorker(watch)
        self._enabled = True
        self._timeline = RosTimeline(self)
        self._sequence = 0
        self._due = dict.fromkeys(wanted.cameras, 0)
        self._heard: dict[str, float] = {}
        self._delay: dict[str, int] = {}
        self._info: dict[str, str] = {}
        self._seen: dict[str, tuple[float, CeilingPose]] = {}
        self._against: dict[str, tuple[float, CeilingDisagreement]] = {}
        self._poses = {
            robot: self.create_publisher(PoseWithCovarianceStamped, f"/{robot}/{CEILING_TOPIC}", RELIABLE_SENSOR)
            for robot in tags.robots
        }
        self._diagnostics = Diagnostics(self, "ceiling cameras")
        quality = sensor_qos(wanted.reliability)
        for name in wanted.cameras:
            self.create_subscription(
                ImageMessage, f"/ceiling/{name}/image_raw", partial(self._on_image, name), quality
            )  # fmt: skip
            self.create_subscription(
                CameraInfo, f"/ceiling/{name}/camera_info", partial(self._on_info, name), quality
            )  # fmt: skip
        self.create_service(Trigger, "~/calibrate", self._calibrate)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Look at nothing more."""
        self._enabled = False

    def destroy_node(self) -> None:
        """End the thread that looks at images, and the node."""
        self._worker.close()
        super().destroy_node()

    def _on_image(self, camera: str, message: Any) -> None:
        if not self._enabled:
            return
        self._heard[camera] = time.monotonic()
        stamp, arrival = self._timeline.received(nanoseconds(message.header.stamp))
        self._delay[camera] = arrival - stamp
        if not self._is_due(camera):
            self._worker.skip(camera)
            return
        self._sequence += 1
        size = (message.width, message.height, message.encoding, message.step)
        self._worker.show(camera, Image(stamp, arrival, self._sequence, *size, message.data))

    def _is_due(self, camera: str) -> bool:
        """Return whether an image may be looked at, so that no second has more than it may."""
        period = SECOND / self._wanted.max_fps
        now = time.monotonic_ns()
        # Half a period of grace, or images as often as they may come would be lost by their jitter.
        if now < self._due[camera] - period / 2.0:
            return False
        self._due[camera] = max(self._due[camera], now - round(period)) + round(period)
        return True

    def _on_info(self, camera: str, message: Any) -> None:
        topic = f"/ceiling/{camera}/camera_info"
        lens = (message.width, message.height, message.k.tolist(), list(message.d), message.distortion_model)
        try:
            intrinsics = CameraIntrinsics.from_camera_info(*lens, topic)
        except ConfigError as error:
            self._info[camera] = str(error)
            self._worker.refuse(camera, str(error))
            return
        self._info[camera] = ""
        self._worker.set_intrinsics(camera, intrinsics)

    def _calibrate(self, request: Any, response: Any) -> Any:
        self._worker.calibrate()
        response.success = True
        names = ", ".join(self._wanted.cameras)
        response.message = f"calibrates {names} by the next {self._wanted.calibrate_images} images of each"
        return response

    def _step(self) -> None:
        """Publish what is new."""
        news, now = self._worker.take_news(), time.monotonic()
        for is_bad, text in news.events:
            # Not by one call: rclpy remembers of each line of code how severe it is.
            if is_bad:
                self.get_logger().warning(text)
            else:
                self.get_logger().info(text)
        for pose in news.poses:
            self._seen[pose.robot] = (now, pose)
            self._poses[pose.robot].publish(true_pose_message(pose.stamp, pose.pose, pose.covariance))
        self._against.update((robot, (now, one)) for robot, one in news.disagreements.items())

    def _report(self) -> None:
        now, tallies = time.monotonic(), self._worker.take_tallies()
        states, left_out = self._worker.states()
        seen = {robot: pose for robot, (when, pose) in self._seen.items() if now - when < _LATELY_S}
        against = [str(one) for when, one in self._against.values() if now - when < _LATELY_S]
        silent = {name: now - self._heard.get(name, -math.inf) for name in self._wanted.cameras}
        silent = {name: since for name, since in silent.items() if since > self._wanted.silent_s}
        values: dict[str, str] = {}
        for name, state in states.items():
            values |= {f"{name}: {key}": text for key, text in self._camera_values(name, state, tallies[name]).items()}
            if name in left_out:
                values[f"{name}: not believed"] = left_out[name]
        for robot in self._poses:
            values[robot] = _seen_text(seen.get(robot))
        values["disagreements"] = "; ".join(against)
        level, message = self._state(states, tallies, silent, against, len(seen))
        self._diagnostics.publish(level, message, values)

    def _camera_values(self, name: str, state: CameraState, tally: ImageTally) -> dict[str, str]:
        calibration = state.calibration
        values = {"calibration": state.problem or f"{state.collected} of {self._wanted.calibrate_images} images"}
        if calibration is not None:
            values = {
                "calibration": str(calibration),
                "rms [px]": f"{calibration.rms_px:.3f}",
                "error on the floor [mm]": f"{1000.0 * calibration.floor_sd:.1f}",
                "error on the floor [deg]": f"{math.degrees(calibration.floor_sd_rad):.2f}",
            }
        values["pushed"] = str(state.pushed)
        values["floor tags moved"] = ", ".join(map(str, state.moved_tags))
        if state.shift_px is not None and state.checked is not None:
            values["shift since calibration [px]"] = f"{state.shift_px:.2f}"
            values["checked before [s]"] = f"{(self._timeline.now() - state.checked) / SECOND:.1f}"
        if name in self._delay:
            values["delay [ms]"] = f"{self._delay[name] / 1e6:.0f}"
        return values | tally.values()

    def _state(
        self,
        states: Mapping[str, CameraState],
        tallies: dict[str, ImageTally],
        silent: dict[str, float],
        against: list[str],
        robots: int,
    ) -> tuple[bytes, str]:
        """Return how it goes: level and words, the worst first."""
        failed = next((f"{name}: {one.failure}" for name, one in tallies.items() if one.failure), "")
        if failed:
            return ERROR, f"looking at an image failed: {failed}"
        if len(silent) == len(states):
            return STALE, "no image"
        for name, state in states.items():
            problem = self._camera_problem(name, state, tallies[name], silent.get(name))
            if problem:
                return WARN, problem
        if against:
            return WARN, against[0]
        for name, state in states.items():
            if state.moved_tags:
                return WARN, f"{name}: tag {state.moved_tags[0]} of the floor was moved"
        return OK, f"calibrated, {robots} of {len(self._poses)} robots seen"

    def _camera_problem(self, name: str, state: CameraState, tally: ImageTally, silent: float | None) -> str:
        """Return why there are no poses by a camera, which has been silent for so long (s) or is not; or nothing."""
        if silent is not None:
            return f"{name}: " + ("no image yet" if math.isinf(silent) else f"silent for {silent:.0f} s")
        if self._info.get(name):
            return self._info[name]
        if tally.refusal:
            return f"{name}: image refused: {tally.refusal}"
        if state.calibration is None:
            collected = f"{state.collected} of {self._wanted.calibrate_images} images"
            return f"{name}: not calibrated: {state.problem or collected}"
        return ""


def _seen_text(pose: CeilingPose | None) -> str:
    if pose is None:
        return "not seen"
    return (
        f"seen by {', '.join(pose.cameras)} at {pose.pose}; "
        f"{1000.0 * pose.position_sd:.1f} mm, {math.degrees(pose.yaw_sd):.2f} deg"
    )


def main() -> None:
    """Run the node."""
    sys.exit(run(CeilingTrackerNode))


if __name__ == "__main__":
    main()
