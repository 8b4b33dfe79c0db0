"""Plays games and writes what each robot's rendered camera sees in them, with the true boxes, for `evaluate-signs`.

    python benchmarks/record_camera_frames.py FOLDER [--trials 100] [--seed 9700]

This is section 3.1 of the Wolf and Rabbit report: frames of a robot's own camera during the runs, labelled, a data
set for each robot (``FOLDER/wolf``, ``FOLDER/rabbit``). The robots play by the pinhole camera, which is faster; light
and lens are those that ``--camera rendered`` has with the same seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial
from arena_trees.perception.signs.yolo_dataset import make_dataset
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.appearance import draw_appearance
from arena_trees.simulation.rendering.dataset import SeenFace, seen_faces, write_picture
from arena_trees.simulation.rendering.graphics import graphics_problem
from arena_trees.simulation.rendering.scene import build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.simulation.rendering.worlds import CLASSES, OBSERVER, SignWorld, View
from arena_trees.simulation.sensors.camera_image import CameraImage
from arena_trees.world.textures import Picture

EVERY = 25
"""Ticks between two frames: half a second."""


class Recorder:
    """Takes pictures in a trial.

    Args:
        trial: the trial
    """

    def __init__(self, trial: Trial) -> None:
        arena = trial.arena
        streams = RandomStreams(trial.seed)
        self._trial = trial
        self._signs = [arena.placed_sign(name).sign for name in arena.robots]
        self._optics = {name: robot.camera.pinhole for name, robot in arena.robots.items()}
        self._scene = build_scene(
            arena.layout,
            {name: robot.spec.body for name, robot in arena.robots.items()},
            self._signs,
            self._optics,
            draw_appearance(streams),
        )
        self._renderer = SceneRenderer(self._scene, self._optics)
        self._lenses = {
            name: CameraImage(
                robot.camera.parameters.image,
                streams.child(f"sensors.{name}").child("camera").generator("lens"),
                robot.camera.pinhole,
            )
            for name, robot in arena.robots.items()
        }

    def take(self, robot: str) -> tuple[Picture, list[SeenFace]]:
        """Return what a robot's camera sees now, and the faces of signs in it."""
        arena = self._trial.arena
        poses = {name: arena.true_pose(name) for name in arena.robots}
        rate = arena.true_twist(robot).angular
        others = tuple(sign for sign in self._signs if sign.name != robot)
        world = SignWorld(arena.layout, others, self._optics[robot])
        view = View({**poses, OBSERVER: poses[robot]}, rate)
        faces = seen_faces(world, self._scene, view, self._renderer.segment(robot, poses))
        return self._lenses[robot].take(self._renderer.render(robot, poses), rate), faces

    def close(self) -> None:
        """Let go of the graphics."""
        self._renderer.close()


def main() -> None:
    """Play and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=9700)
    arguments = parser.parse_args()
    if arguments.folder.exists():
        parser.error(f"{arguments.folder} is there already")
    problem = graphics_problem()
    if problem is not None:
        parser.error(problem)
    path = find_scenario("wolf_rabbit")
    plan = make_plan(apply_changes(load_scenario(path), {"seed": arguments.seed}), path)
    folders = {name: arguments.folder / name for name in plan.robots}
    for folder in folders.values():
        make_dataset(folder, CLASSES, ("images", "labels", "doubtful"), val="images")
    frames = 0
    for index in range(arguments.trials):
        trial = Trial(plan, index)
        recorder = Recorder(trial)
        try:
            frames += play(trial, recorder, folders)
        finally:
            recorder.close()
            trial.close()
    print(f"{arguments.folder}: {frames} frames of each robot, {arguments.trials} games from seed {arguments.seed}")


def play(trial: Trial, recorder: Recorder, folders: Mapping[str, Path]) -> int:
    """Play one game, write each robot's frames, and return their number."""
    trial.begin()
    ticks = frames = 0
    while not trial.judge.over:
        trial.step()
        ticks += 1
        if ticks % EVERY == 0:
            for robot, folder in folders.items():
                write_picture(folder, f"{trial.seed}_{frames:04d}.png", *recorder.take(robot))
            frames += 1
    return frames


if __name__ == "__main__":
    main()
