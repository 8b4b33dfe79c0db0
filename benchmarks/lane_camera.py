"""Measures what a simulated robot's lane camera tells while the robot drives along a lane up to its stop line.

    python benchmarks/lane_camera.py [--drives 50] [--seed 1000] [--confidence 0.0] [--set KEY=VALUE ...]

The robot starts up to 8 cm sideways and 6 degrees turned, and weaves by as much; each drive has another light. Keys are
those of the sensors, such as lanes.light.glare=0.0; lines that are less confident than asked for count as lost. Prints
one row of Markdown for each stretch of the lane.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np
import yaml

from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.lane import LaneLines
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec, SensorParameters
from arena_trees.world.arena_file import load_arena
from arena_trees.world.layout import generate_layout

_LANE = 0.3
_STOP_LINE, _HOLD = 0.7, 0.92
_STRETCHES = ((1.3, 2.8), (_HOLD, 1.3))
_SPEED = 0.15


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in one image, and the true pose (map frame) at its exposure."""

    lane: LaneLines
    pose: Pose2D


def drive(seed: int, sensors: SensorParameters) -> tuple[list[Seen], float]:
    """Return what was seen on one drive, and the processor time (s) that the images took."""
    rng = RandomStreams(seed).generator("measure")
    offset, turned, phase = rng.uniform(-0.08, 0.08), rng.uniform(-0.1, 0.1), rng.uniform(0.0, math.tau)
    layout = generate_layout(load_arena(config_path("arenas", "crossing_4.yaml")), RandomStreams(seed))
    start = Pose2D(_LANE + offset, -2.7, math.pi / 2 + turned)
    arena = Arena(layout, [RobotSpec("robot_1", None, start, sensors)], seed)
    robot = arena.robots["robot_1"]
    seen: dict[int, Seen] = {}
    poses: dict[int, Pose2D] = {}
    taken = 0.0
    while arena.true_pose("robot_1").y < -_HOLD:
        pose = arena.true_pose("robot_1")
        wanted = _LANE + 0.06 * math.sin(phase + 4.0 * pose.y)
        turn = 4.0 * (pose.x - wanted) - 2.0 * wrap(pose.yaw - math.pi / 2)
        robot.drive(Twist2D(_SPEED, max(-0.5, min(0.5, turn))))
        begun = time.process_time()
        arena.step()
        taken += time.process_time() - begun
        poses[arena.now] = arena.true_pose("robot_1")
        lane = robot.read().lane
        if lane is not None and lane.sequence not in seen and lane.stamp in poses:
            seen[lane.sequence] = Seen(lane, poses[lane.stamp])
    arena.close()
    return list(seen.values()), taken


def row(seen: list[Seen], near: float, far: float, confidence: float) -> str:
    """Return a row for the images taken between two distances (m) from the crossing's centre."""
    some = [one for one in seen if near <= -one.pose.y < far]
    sure = [one for one in some if one.lane.confidence >= confidence]
    offsets = [one.lane.offset - (one.pose.x - _LANE) for one in sure if one.lane.offset is not None]
    headings = [wrap(one.lane.heading - (math.pi / 2 - one.pose.yaw)) for one in sure if one.lane.heading is not None]
    stops = [one.lane.stop_distance + one.pose.y + _STOP_LINE for one in some if one.lane.stop_distance is not None]
    far_off = sum(abs(error) > 0.06 for error in offsets)
    return " | ".join(
        (
            f"| {near:.2f} to {far:.2f} m",
            str(len(some)),
            f"{1.0 - len(offsets) / max(1, len(some)):.1%}",
            f"{100 * _rms(offsets):.2f}",
            f"{100 * max(np.abs(offsets), default=math.nan):.1f}",
            str(far_off),
            f"{math.degrees(_rms(headings)):.2f}",
            f"{100 * _rms(stops):.2f} ({len(stops)}) |",
        )
    )


def _rms(errors: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else math.nan


def main() -> None:
    """Drive, and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--drives", type=int, default=50)
    options.add_argument("--seed", type=int, default=1000)
    options.add_argument("--confidence", type=float, default=0.0)
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    order = options.parse_args()
    changes = {key: yaml.safe_load(value) for key, _, value in (text.partition("=") for text in order.set)}
    sensors = SensorParameters().with_changes({"lanes.kind": "rendered", **changes})
    seen: list[Seen] = []
    taken = 0.0
    for index in range(order.drives):
        found, spent = drive(order.seed + index, sensors)
        seen += found
        taken += spent
    print(
        "| from the centre | images | both lost | offset RMS, cm | largest, cm | off by 6 cm | heading RMS, deg ",
        end="",
    )
    print("| stop line RMS, cm (n) |\n" + "|---" * 8 + "|")
    for near, far in (*_STRETCHES, (0.0, 9.0)):
        print(row(seen, near, far, order.confidence))
    print(f"\n{1000 * taken / max(1, len(seen)):.1f} ms of processor time for each image, physics and LiDAR included")


if __name__ == "__main__":
    main()
