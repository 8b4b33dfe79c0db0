"""Measures the figures of docs/safety_and_ethics.md in the arena and prints them as Markdown tables."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import py_trees

import arena_trees as at
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial
from arena_trees.games.observers import STILL_ANGULAR, STILL_LINEAR
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout

SEED = 1000
MASS = 3.945
"""Mass of a TurtleBot 4, kg; the Lite has 3.27 kg (TurtleBot 4 user manual, features)."""
FULL = 0.306
"""Greatest speed of a Create 3 with its safety on, m/s."""
MOVED = 0.02
"""Speed above which a robot counts as moving into what it touches, m/s."""
EVENT = 2 * at.SECOND
"""When something goes wrong, ns."""


class Ahead(at.ActionBehaviour):
    """Drive straight ahead; raise at a given instant. RUNNING until then."""

    def __init__(self, robot: str, raise_at: int | None = None, speed: float = FULL) -> None:
        super().__init__("Ahead", robot)
        self.raise_at = raise_at
        self.speed = speed

    def update(self) -> at.Status:
        """Drive."""
        if self.raise_at is not None and self.now >= self.raise_at:
            raise RuntimeError("on purpose")
        self.drive(self.speed, 0.0)
        return at.Status.RUNNING


def plan_of(changes: Mapping[str, Any] | None = None, raise_at: int | None = None) -> TrialPlan:
    """Return a plan: a wolf alone on a long straight way, with a tree that only drives ahead."""
    path = find_scenario("breach_recovery")
    start = {"x": -1.4, "y": 0.0, "yaw_deg": 0.0}
    alone = {"rules.recovery": None, "duration_s": 20.0, "robots": {"wolf": {"role": "wolf", "start": start}}}
    plan = make_plan(apply_changes(load_scenario(path), {**alone, **(changes or {})}), path)

    def create_root(robot: str, live: object, streams: RandomStreams) -> py_trees.behaviour.Behaviour:
        return Ahead(robot, raise_at)

    return plan.with_trees({"wolf": create_root})


def stops(plan: TrialPlan, trials: int, begin: Callable[[Trial], bool]) -> tuple[list[float], list[float], int]:
    """Return how long (s) and how far (m) the wolf went after an event, a trial, and all contacts."""
    times, ways, contacts = [], [], 0
    for index in range(trials):
        trial = Trial(plan, index)
        try:
            trial.begin()
            while not begin(trial):
                trial.step()
            since, pose = trial.arena.now, trial.arena.true_pose("wolf")
            last = since
            for _ in range(150):
                trial.step()
                contacts += len(trial.arena.contacts)
                twist = trial.arena.true_twist("wolf")
                if abs(twist.linear) >= STILL_LINEAR or abs(twist.angular) >= STILL_ANGULAR:
                    last = trial.arena.now
            end = trial.arena.true_pose("wolf")
            times.append(to_seconds(last - since))
            ways.append(pose.distance_to(end.x, end.y))
        finally:
            trial.close()
    return times, ways, contacts


def at_event(trial: Trial) -> bool:
    """Return whether the event is now."""
    return trial.arena.now >= EVENT


def row(what: str, times: list[float], ways: list[float]) -> str:
    """Return a row with mean and largest time and way."""
    return (
        f"| {what} | {len(times)} | {np.mean(times):.2f} | {max(times):.2f} | {np.mean(ways):.3f} | {max(ways):.3f} |"
    )


def measure_base() -> tuple[list[float], list[float]]:
    """Return time (s) and way (m) that the base needs from full speed once it is commanded zero."""
    times, ways = [], []
    for index in range(20):
        arena = Arena(room(8.0), [RobotSpec("wolf", None, at.Pose2D(-3.0, 0.0, 0.0))], SEED + index)
        for _ in range(100):
            arena.robots["wolf"].drive(at.Twist2D(FULL, 0.0))
            arena.step()
        since, pose = arena.now, arena.true_pose("wolf")
        while abs(arena.true_twist("wolf").linear) >= STILL_LINEAR or arena.now == since:
            arena.robots["wolf"].drive(at.Twist2D())
            arena.step()
        end = arena.true_pose("wolf")
        times.append(to_seconds(arena.now - since))
        ways.append(pose.distance_to(end.x, end.y))
    return times, ways


def print_stops() -> None:
    """Print how long and how far the wolf goes on after something happened at full speed."""
    print("| at full speed | n | mean time, s | longest, s | mean way, m | longest, m |\n|---|---|---|---|---|---|")
    print(row("the base is commanded zero", *measure_base()))
    times, ways, _ = stops(plan_of(raise_at=EVENT), 20, at_event)
    print(row("a behaviour raises", times, ways))
    silent = [{"robot": "wolf", "sensor": "scan", "at_s": to_seconds(EVENT)}]
    times, ways, _ = stops(plan_of({"faults": silent}), 20, at_event)
    print(row("the LiDAR falls silent", times, ways))
    silent = [{"robot": "wolf", "sensor": "pose", "at_s": to_seconds(EVENT)}]
    times, ways, _ = stops(plan_of({"faults": silent}), 20, at_event)
    print(row("localisation falls silent", times, ways))


def print_gaps() -> None:
    """Print what is left between the hull and a box that the wolf drives at, and to the fence."""
    print("\n| driven at with full speed | n | smallest gap, m | largest gap, m | contacts |\n|---|---|---|---|---|")
    for angle in (0.0, 30.0, 60.0):
        gaps, contacts = [], 0
        box: dict[str, Any] = {"name": "box", "pose": [1.0, 0.0, float(np.radians(angle))], "size": [0.3, 1.5, 0.5]}
        plan = plan_of({"arena_set.boxes": [box]})
        solid = Solid("box", at.Pose2D(1.0, 0.0, float(np.radians(angle))), 0.3, 1.5, 0.5, "normal")
        for index in range(20):
            trial = Trial(plan, index)
            trial.begin()
            while trial.arena.now < 10 * at.SECOND:
                trial.step()
                contacts += len(trial.arena.contacts)
            pose = trial.arena.true_pose("wolf")
            gaps.append(solid.distance_to(pose.x, pose.y) - trial.plan.robots["wolf"].body.radius)
            trial.close()
        name = f"a box, turned by {angle:.0f} degrees"
        print(f"| {name} | {len(gaps)} | {min(gaps):.3f} | {max(gaps):.3f} | {contacts} |")
    depths = []
    for index in range(20):
        trial = Trial(plan_of(), index)
        trial.begin()
        while trial.arena.now < 15 * at.SECOND:
            trial.step()
        pose = trial.arena.true_pose("wolf")
        depths.append(trial.plan.fences["wolf"].signed_distance(pose.x, pose.y))
        trial.close()
    print(f"| the fence (gap of the centre) | {len(depths)} | {min(depths):.3f} | {max(depths):.3f} | 0 |")


def meeting(index: int, angle: float, speed: float, allowed_for: float, heeds: bool = False) -> tuple[float, float]:
    """Return how fast (m/s) the wolf moved towards what came across its way when they touched, and the last gap (m).

    It aims at where the wolf is then.

    Args:
        index: of the trial, from which the instant and the place of the meeting are drawn
        angle: by which the other's way is turned from one that is head-on, degrees
        speed: of the other, m/s
        allowed_for: ``others_speed`` of the gates
        heeds: whether the other's gate heeds what it sees
    """
    generator = np.random.default_rng(SEED + index)
    heading = math.pi - math.radians(angle)
    ahead, side = 1.2 + generator.uniform(-0.2, 0.2), generator.uniform(-0.1, 0.1)
    way = speed * ahead / FULL
    start = {
        "x": -1.4 + ahead - way * math.cos(heading) + 0.17,
        "y": side - way * math.sin(heading),
        "yaw_deg": math.degrees(heading),
    }
    robots = {
        "wolf": {
            "role": "wolf",
            "start": {"x": -1.4, "y": 0.0, "yaw_deg": 0.0},
            "gate": {"others_speed": allowed_for},
        },
        "rabbit": {"role": "rabbit", "start": start, "gate": {"obstacles": heeds, "others_speed": allowed_for}},
    }
    plan = plan_of({"robots": robots, "duration_s": 12.0, "arena_set.start_distance": 0.0})

    def create_root(robot: str, live: object, streams: RandomStreams) -> py_trees.behaviour.Behaviour:
        return Ahead(robot, speed=FULL if robot == "wolf" else speed)

    trial = Trial(plan.with_trees({"wolf": create_root, "rabbit": create_root}), index)
    try:
        trial.begin()
        while trial.arena.now < 8 * at.SECOND:
            pose, other = trial.arena.true_pose("wolf"), trial.arena.true_pose("rabbit")
            towards = trial.arena.true_twist("wolf").linear * math.cos(pose.bearing_to(other.x, other.y))
            trial.step()
            if any({"wolf", "rabbit"} <= set(contact) for contact in trial.arena.contacts):
                return towards, 0.0
        pose, other = trial.arena.true_pose("wolf"), trial.arena.true_pose("rabbit")
        return 0.0, pose.distance_to(other.x, other.y) - sum(one.body.radius for one in plan.robots.values())
    finally:
        trial.close()


def print_meetings() -> None:
    """Print how often the wolf drives into what comes towards it, by what its gate allows for."""
    print("\n| what comes | its speed, m/s | n | driven into by a gate that allows for 0 m/s | for 0.306 m/s |")
    print("|---|---|---|---|---|")
    for angle in (0.0, 30.0, 60.0, 90.0):
        for speed in (0.1, 0.2, FULL):
            cells = []
            for allowed_for in (0.0, FULL):
                found = [meeting(index, angle, speed, allowed_for) for index in range(20)]
                moved = [towards for towards, gap in found if not gap and towards > MOVED]
                fastest = f", at {max(moved):.2f} m/s at most" if moved else ""
                cells.append(f"{len(moved)} of {sum(not gap for _, gap in found)} that touched it{fastest}")
            name = "head-on" if angle == 0.0 else f"from {angle:.0f} degrees to the side"
            print(f"| {name} | {speed:g} | 20 | {cells[0]} | {cells[1]} |", flush=True)
    gaps = [meeting(index, 0.0, FULL, FULL, heeds=True)[1] for index in range(20)]
    print(f"\nTwo that come head-on, each with a gate, stop {min(gaps):.2f} to {max(gaps):.2f} m apart (n = 20).")


def room(half: float) -> Layout:
    """Return an empty square room."""
    ends = ((-half, half), (half, half), (half, -half), (-half, -half), (-half, half))
    walls = [Solid.wall(f"wall_{k}", begin, end, 0.1, 0.5, "normal") for k, (begin, end) in enumerate(pairwise(ends))]
    return Layout("room", tuple(walls), {}, {}, {})


def print_detection(frames: int) -> None:
    """Print in how many frames a sign in plain view is found, by its distance and by how it is turned."""
    print(f"\n({frames} frames each.)\n")
    print("| distance of the robots, m | sign face on | turned by 30 degrees | over a corner |")
    print("|---|---|---|---|")
    for distance in (0.4, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        shares = []
        for turn in (0.0, 30.0, 45.0):
            rabbit = RobotSpec("rabbit", "rabbit_sign", at.Pose2D(distance, 0.0, float(np.radians(turn))))
            arena = Arena(room(8.0), [RobotSpec("wolf", None, at.Pose2D()), rabbit], SEED)
            seen: dict[int, bool] = {}
            while len(seen) < frames:
                arena.step()
                image = arena.robots["wolf"].read().detections
                if image is not None:
                    seen[image.sequence] = image.best("rabbit_sign") is not None
            shares.append(sum(seen.values()) / len(seen))
        print(f"| {distance:.1f} | {' | '.join(f'{share:.2f}' for share in shares)} |")


def print_surfaces(trials: int) -> None:
    """Print what boxes that the LiDAR cannot see do to the game."""
    print("\n| the four boxes are | trials | trials with a collision | collisions a trial | rabbit caught |")
    print("|---|---|---|---|---|")
    for surface in ("normal", "dark", "glass"):
        result = at.play(
            "wolf_rabbit", changes={"arena_set.random_boxes.surface": surface}, trials=trials, seed=SEED, jobs=2
        )
        hits = [trial.values["collisions"] or 0 for trial in result.trials]
        caught = sum(trial.outcome == "caught" for trial in result.trials)
        print(f"| {surface} | {trials} | {sum(hit > 0 for hit in hits)} | {np.mean(hits):.1f} | {caught} |")


def print_energy() -> None:
    """Print the kinetic energy of a robot by its speed."""
    print(f"\n| speed, m/s | kinetic energy of {MASS} kg, J |\n|---|---|")
    for speed in (0.10, 0.20, FULL, 0.46):
        print(f"| {speed} | {MASS * speed**2 / 2.0:.3f} |")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=300, help="frames a cell of the sign camera's table")
    parser.add_argument("--trials", type=int, default=60, help="games a surface")
    options = parser.parse_args()
    print_stops()
    print_gaps()
    print_meetings()
    print_energy()
    print_detection(options.frames)
    print_surfaces(options.trials)


if __name__ == "__main__":
    main()
