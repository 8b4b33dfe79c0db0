"""Measures where rendered cameras on the ceiling see robots, and whether they state their errors honestly.

    python benchmarks/ceiling_camera.py [--rooms 10] [--rounds 10] [--seed 1000]

Each room is an arena of 4 x 4 m with four TurtleBot 4s, its tags drawn off by what the parameters state; in each round
the robots stand at other random poses. The cameras hang 2.8 m up and are calibrated anew in each room.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from arena_trees.perception.ceiling.camera import CameraIntrinsics
from arena_trees.perception.ceiling.parameters import CeilingParameters, FloorTag
from arena_trees.simulation.rendering.ceiling import CeilingView
from arena_trees.simulation.rendering.ceiling_room import CeilingError, CeilingRoom

WIDE = CameraIntrinsics(
    width=1280, height=960, fx=586.0, fy=586.0, cx=642.0, cy=475.0, distortion=(-0.08, 0.01, 0.0005, -0.0005, 0.0)
)
"""A lens that sees the whole arena from 2.8 m, about 95 by 78 deg."""

NARROW = CameraIntrinsics(width=1280, height=720, fx=586.0, fy=586.0, distortion=(-0.08, 0.01, 0.0, 0.0, 0.0))

SHEET = tuple(
    FloorTag(number=100 + index, x=x, y=y, size=0.15)
    for index, (x, y) in enumerate(((-0.2, 0.115), (0.2, 0.115), (0.2, -0.115), (-0.2, -0.115)))
)
"""Four tags on one sheet of A2."""

ONE = {"c1": CeilingView(x=0.1, tilt_deg=4.0, lens=WIDE)}
TWO = {
    "c1": CeilingView(x=-0.9, tilt_deg=12.0, yaw_deg=0.0, lens=NARROW),
    "c2": CeilingView(x=0.9, tilt_deg=12.0, yaw_deg=180.0, lens=NARROW),
}
SETTINGS = {
    "one camera, tags 2.4 x 1.8 m apart": (CeilingParameters(), ONE),
    "two cameras, tags 2.4 x 1.8 m apart": (CeilingParameters(), TWO),
    "one camera, one sheet of A2": (CeilingParameters(floor=SHEET, survey_sd=0.0005, max_floor_sd=0.1), ONE),
}


def figures(errors: list[CeilingError], unseen: int) -> str:
    """Return the table's cells for one setting."""
    distances = np.array([one.distance for one in errors])
    yaws = np.degrees([one.yaw for one in errors])
    scores = np.abs([(one.x / one.x_sd, one.y / one.y_sd, one.yaw / one.yaw_sd) for one in errors])
    stated = np.sqrt(np.mean([one.x_sd**2 + one.y_sd**2 for one in errors]))
    stated_yaw = np.sqrt(np.mean([math.degrees(one.yaw_sd) ** 2 for one in errors]))
    return (
        f"{len(errors)} ({unseen} unseen) | {1000.0 * np.sqrt(np.mean(distances**2)):.1f} | "
        f"{1000.0 * distances.max():.1f} | {1000.0 * stated:.1f} | {np.sqrt(np.mean(yaws**2)):.2f} | "
        f"{np.abs(yaws).max():.2f} | {stated_yaw:.2f} | "
        f"{100.0 * np.mean(scores <= 1.0):.0f} / {100.0 * np.mean(scores <= 2.0):.0f} / "
        f"{100.0 * np.mean(scores <= 3.0):.1f}"
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1000, help="of the first room")
    options = parser.parse_args()
    print(
        "| setting | poses | RMS, mm | largest, mm | stated, mm | RMS, deg | largest, deg | stated, deg | within, % |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (parameters, views) in SETTINGS.items():
        errors: list[CeilingError] = []
        unseen = 0
        for seed in range(options.seed, options.seed + options.rooms):
            room = CeilingRoom(seed, parameters, views)
            try:
                more, absent = room.errors(options.rounds)
            finally:
                room.close()
            errors += more
            unseen += absent
        print(f"| {name} | {figures(errors, unseen)} |", flush=True)


if __name__ == "__main__":
    main()
