"""Measures how the detectors of circles fail on rendered pictures, for the parametric sphere camera's defaults.

    python benchmarks/sphere_camera.py [--worlds 16] [--seed 0] [--camera preview]

Each world has a look, a lens and boxes of its own. In it a robot with a ball drives about, and the camera turns. Of
each picture it is known where the ball's outline is and how much of it is hidden. Printed are the parameters of
``simulation/sensors/circle_errors.py`` that fit best, and how often circles are found and how far they are off, by
radius.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.spheres.cone import Cone
from arena_trees.perception.spheres.detectors import make_detector
from arena_trees.robot.circles import Circle
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.turret import TurretRates
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import build_model
from arena_trees.simulation.sensors.parametric_spheres import ParametricSpheres
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer
from arena_trees.simulation.sensors.rendered_spheres import SphereView
from arena_trees.simulation.sensors.sphere_camera import Exposure, SphereCameraParameters
from arena_trees.world.body import Barrel, Body, Sphere, Turret
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.spheres import PlacedSphere

CAMERAS = {
    "preview": (
        {},
        Body(),
        Body(height=0.19, sphere=Sphere(diameter=0.3, height=0.345)),
    ),
    "wide": (
        {"width": 640, "height": 360, "hfov_deg": 70.0},
        Body(turret=Turret(), barrel=Barrel(height=0.3)),
        Body(radius=0.2, height=0.27, sphere=Sphere(diameter=0.5, height=0.52)),
    ),
}
"""Name to optics, body of the camera's robot, body of the robot with the ball."""

HALF = 10.0
SEGMENTS, FRAMES, RATE = 12, 12, 30.0
NEAREST, FARTHEST = 0.8, 18.0
CLUTTER = "#2050d0"
BINS = ((0, 3), (3, 5), (5, 8), (8, 12), (12, 20), (20, 40), (40, 200))
"""Of radii, px."""


class Frame(NamedTuple):
    """What one picture gave.

    ``found`` is the circle that is the ball, or None; ``others`` are those that are not. ``things`` are the radii of
    the balls that would fit into the boxes of the ball's colour that are in view, and whether a circle is on them;
    ``smear`` is by how many pixels the picture is blurred at most.
    """

    world: int
    segment: int
    true: Circle | None
    share: float
    smear: float
    things: tuple[tuple[float, bool], ...]
    found: Circle | None
    others: tuple[Circle, ...]


def layout(rng: np.random.Generator, clutter: bool) -> Layout:
    """Return a room with boxes in it, some of the ball's colour."""
    corners = ((-HALF, HALF), (HALF, HALF), (HALF, -HALF), (-HALF, -HALF))
    walls = [
        Solid.wall(f"wall_{index}", start, corners[(index + 1) % 4], 0.1, 0.5, "normal")
        for index, start in enumerate(corners)
    ]
    boxes = []
    for index in range(10):
        length, width = rng.uniform(0.15, 0.5, 2).tolist()
        x, y = rng.uniform(-HALF + 0.5, HALF - 0.5, 2).tolist()
        place = Pose2D(x, y, float(rng.uniform(-3.0, 3.0)))
        colour = CLUTTER if clutter and index % 2 == 0 else None
        boxes.append(Solid(f"box_{index}", place, length, width, float(rng.uniform(0.2, 0.8)), colour=colour))
    return Layout("room", (*walls, *boxes), {}, {}, {})


class World:
    """One room, with a camera that looks for a ball."""

    def __init__(self, number: int, seed: int, camera: str, clutter: bool) -> None:
        optics, chaser, evader = CAMERAS[camera]
        streams = RandomStreams(seed)
        self.number, self.rng = number, streams.generator("measure")
        self.parameters = SphereCameraParameters().with_changes(optics)
        self.pinhole = self.parameters.pinhole()
        self.mount = self.parameters.mount(chaser)
        assert evader.sphere is not None
        self.sphere = evader.sphere
        bodies = {"chaser": chaser, "evader": evader}
        room = layout(self.rng, clutter)
        self.poses = {"chaser": Pose2D(), "evader": Pose2D(2.0)}
        self.studio = OffscreenRenderer(
            room, bodies, [], {}, {}, {"chaser": self.pinhole}, streams, lambda name: (self.poses[name], Twist2D())
        )
        self.view = SphereView("chaser", self.parameters, streams, self.studio)
        self.detectors = {
            "source": make_detector("source", self.pinhole),
            "arena": make_detector("arena", self.pinhole),
        }
        self.model = build_model(room, bodies)
        self.data: Any = mujoco.MjData(self.model.model)
        things = [solid for solid in room.solids if solid.colour is not None]
        self.reckoned = ParametricSpheres(
            "chaser", self.parameters.errors, self.pinhole, things, streams, RayCaster(self.model, self.data)
        )
        self.things = [self.reckoned.stands_for(solid) for solid in things]

    def outline(self, ball: PlacedSphere, eye: CameraPose) -> Circle | None:
        """Return the circle that stands for a ball."""
        ahead, left, up = eye.place((ball.x, ball.y, ball.z))
        cone = Cone.of_sphere(-left, -up, ahead, 2.0 * ball.radius)
        return None if cone is None else cone.circle(self.pinhole)

    def seen(self, ball: PlacedSphere, eye: CameraPose) -> float:
        """Return the share of a ball that is in view."""
        outline = self.outline(ball, eye)
        return 0.0 if outline is None else self.reckoned.visible_share(eye, ball, outline)

    def segment(self, number: int) -> Iterator[tuple[str, Frame]]:
        """Give the pictures of a short drive."""
        rng = self.rng
        distance = math.exp(rng.uniform(math.log(NEAREST), math.log(FARTHEST)))
        place = Pose2D(*rng.uniform(-HALF + 0.4, HALF - 0.4, 2).tolist())
        bearing = float(rng.uniform(-math.pi, math.pi))
        other = Pose2D(place.x + distance * math.cos(bearing), place.y + distance * math.sin(bearing))
        velocity = rng.normal(0.0, 0.2, 2)
        turning = TurretRates(float(rng.normal(0.0, 0.5)), 0.0)
        pitch = 0.0
        if self.mount.pivot is not None:
            turning = TurretRates(turning.yaw, float(rng.normal(0.0, 0.2)))
            pitch = float(rng.normal(math.atan2(self.sphere.height - self.mount.z, distance), 0.05))
        offset = float(rng.uniform(-0.55, 0.55)) * self.pinhole.hfov
        for frame in range(FRAMES):
            now = (frame - FRAMES / 2) / RATE
            self.poses["chaser"] = Pose2D(place.x, place.y, bearing + offset + turning.yaw * now)
            self.poses["evader"] = Pose2D(other.x + velocity[0] * now, other.y + velocity[1] * now, bearing)
            turret = None if self.mount.pivot is None else (0.0, pitch + turning.pitch * now)
            yield from self.picture(number, self.mount.pose(self.poses["chaser"], turret), turning)

    def picture(self, segment: int, eye: CameraPose, turning: TurretRates) -> Iterator[tuple[str, Frame]]:
        """Take a picture, and give each detector's name and what it found."""
        for name, first in self.model.states.items():
            self.data.qpos[first : first + 3] = (self.poses[name].x, self.poses[name].y, self.poses[name].yaw)
        mujoco.mj_step1(self.model.model, self.data)
        ball = PlacedSphere.carried("evader", self.sphere, self.poses["evader"])
        true, share = self.outline(ball, eye), self.seen(ball, eye)
        image = self.view.expose(Exposure(eye, turning))
        smear = math.hypot(turning.yaw, turning.pitch) * self.parameters.image.exposure_s * self.pinhole.focal_length
        shown = [self.outline(thing, eye) for thing in self.things if self.seen(thing, eye) > 0.5]
        for name, detector in self.detectors.items():
            found, others = None, []
            for circle in detector.detect(image):
                near = true is not None and math.hypot(circle.x - true.x, circle.y - true.y) < max(
                    4.0, 0.6 * true.radius
                )
                if near and found is None:
                    found = circle
                else:
                    others.append(circle)
            things = tuple(
                (thing.radius, any(math.hypot(one.x - thing.x, one.y - thing.y) < thing.radius + 3.0 for one in others))
                for thing in shown
                if thing is not None
            )
            yield name, Frame(self.number, segment, true, share, smear, things, found, tuple(others))


def drive(args: argparse.Namespace, clutter: bool) -> dict[str, list[Frame]]:
    """Return what each detector found in the pictures of all worlds."""
    frames: dict[str, list[Frame]] = {"source": [], "arena": []}
    for number in range(args.worlds):
        world = World(number, args.seed + number, args.camera, clutter)
        for segment in range(SEGMENTS):
            for name, frame in world.segment(segment):
                frames[name].append(frame)
        world.studio.close()
    return frames


def logistic(values: NDArray[np.float64], found: NDArray[np.bool_], most: float) -> tuple[float, float]:
    """Return middle and width of the rise that makes what was found likeliest."""
    best = (-math.inf, 0.0, 0.0)
    for middle in np.linspace(values.min(), min(most, values.max()), 80):
        for width in np.geomspace(0.002 * most, 0.3 * most, 24):
            chance = np.clip(1.0 / (1.0 + np.exp(np.clip((middle - values) / width, -50, 50))), 1e-3, 1 - 1e-3)
            best = max(best, (float(np.sum(np.log(np.where(found, chance, 1 - chance)))), float(middle), float(width)))
    return best[1:]


def fit(frames: list[Frame]) -> dict[str, float]:
    """Return the parameters that fit best."""
    plain = [frame for frame in frames if frame.true is not None and frame.share > 0.99]
    radius = np.array([frame.true.radius for frame in plain if frame.true is not None])
    found = np.array([frame.found is not None for frame in plain])
    large = radius > 12.0
    faint, faint_width = logistic(radius, found, 15.0)
    partly = [frame for frame in frames if frame.true is not None and frame.true.radius > 10.0 and frame.share > 0.0]
    hidden, hidden_width = logistic(
        np.array([frame.share for frame in partly]), np.array([frame.found is not None for frame in partly]), 1.0
    )
    pairs = [(one.world, one.segment, one.true, one.found) for one in plain if one.found is not None]
    off = np.array([(f.x - t.x, f.y - t.y, f.radius - t.radius, t.radius) for _, _, t, f in pairs if t is not None])
    worlds = np.array([pair[0] for pair in pairs])
    slope = np.linalg.lstsq(np.column_stack([np.ones(len(off)), off[:, 3]]), off[:, 2], rcond=None)[0]
    rest = off[:, 2] - slope[0] - slope[1] * off[:, 3]
    shares = [float(np.mean(rest[worlds == one] / off[worlds == one, 3])) for one in np.unique(worlds)]
    for one in np.unique(worlds):
        mine = worlds == one
        rest[mine] -= np.mean(rest[mine] / off[mine, 3]) * off[mine, 3]
    spread = np.linalg.lstsq(np.column_stack([np.ones(len(off)), off[:, 3] ** 2]), rest**2, rcond=None)[0]
    same = [index for index in range(1, len(pairs)) if pairs[index][:2] == pairs[index - 1][:2]]
    scaled = rest / np.sqrt(np.maximum(1e-6, spread[0] + spread[1] * off[:, 3] ** 2))
    scaled -= scaled.mean()
    sigmas = np.array([f.radius_sigma for *_, f in pairs])
    nothing = [frame for frame in frames if not frame.things]
    return {
        "pictures": len(frames),
        "miss": 1.0 - float(found[large].mean()),
        "faint_px": faint,
        "faint_width_px": faint_width,
        "hidden_share": hidden,
        "hidden_width": hidden_width,
        "centre_noise_px": float(np.sqrt(np.mean(off[:, :2] ** 2))),
        "centre_bias_x_px": float(off[:, 0].mean()),
        "centre_bias_y_px": float(off[:, 1].mean()),
        "radius_bias_px": float(slope[0]),
        "radius_bias": float(slope[1]),
        "radius_spread": float(np.std(shares)),
        "radius_noise_px": math.sqrt(max(0.0, float(spread[0]))),
        "radius_noise": math.sqrt(max(0.0, float(spread[1]))),
        "memory": float(np.mean(scaled[same] * scaled[[one - 1 for one in same]]) / np.mean(scaled**2)),
        "quality": float(np.mean([f.quality for *_, f in pairs])),
        "quality_noise": float(np.std([f.quality for *_, f in pairs])),
        "said_deviation_px": float(sigmas.mean()),
        "false_circles": sum(len(frame.others) for frame in nothing) / max(1, len(nothing)),
    }


def show(frames: list[Frame], cluttered: list[Frame]) -> None:
    """Print what one detector is like."""
    for name, value in fit(frames).items():
        print(f"{name:18} {value:.4g}")
    print("radius px: found in plain view, of; radius error mean, deviation; centre deviation px")
    for low, high in BINS:
        plain = [f for f in frames if f.true is not None and f.share > 0.99 and low <= f.true.radius < high]
        pairs = [(f.true, f.found) for f in plain if f.found is not None]
        errors = np.array(
            [(f.radius - t.radius, f.x - t.x, f.y - t.y) for t, f in pairs if t is not None] or [(0, 0, 0)]
        )
        print(
            f"{low:3}-{high:<3} {len(pairs)}/{len(plain)}  {errors[:, 0].mean():+.3f} {errors[:, 0].std():.3f}  "
            f"{errors[:, 1:].std():.3f}"
        )
    inview = [frame for frame in cluttered if frame.things]
    wrong = [circle for frame in inview for circle in frame.others]
    print(f"circles beside the ball {len(wrong) / max(1, len(inview)):.4g} a picture (of {len(inview)} pictures)")
    things = [thing for frame in inview for thing in frame.things]
    taken = [radius for radius, hit in things if hit]
    largest = max(taken, default=0.0)
    print(f"{'clutter_px':18} {largest:.3g}")
    print(f"{'clutter_circles':18} {len(taken) / max(1, sum(radius <= largest for radius, _ in things)):.4g}")
    for low, high in BINS:
        hits = [hit for radius, hit in things if low <= radius < high]
        print(f"{low:3}-{high:<3} circles on {sum(hits)} of {len(hits)} things")
    if wrong:
        qualities = [circle.quality for circle in wrong]
        print(f"{'clutter_quality':18} {np.mean(qualities):.3g}  deviation {np.std(qualities):.3g}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--camera", choices=tuple(CAMERAS), default="preview")
    args = parser.parse_args()
    plain, cluttered = drive(args, False), drive(args, True)
    for detector in plain:
        print(f"# {detector}")
        show(plain[detector], cluttered[detector])


if __name__ == "__main__":
    main()
