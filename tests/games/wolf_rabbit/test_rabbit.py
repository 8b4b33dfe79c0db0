"""The rabbit's tree: dead before breach before rest before flight before wandering."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, TreeBench, box, wall

from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.games.wolf_rabbit.messages import GamePhase
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit.rabbit import create_root

PINNED = {
    "roam_linear_speed": 0.1,
    "return_linear_speed": 0.22,
    "return_yaw_drive_threshold": 0.55,
    "home_safe_radius": 0.45,
    "wander_radius": 0.8,
    "vision_timeout": 0.4,
    "sight_confirm_frames": 2,
    "energy_start": 100.0,
    "wander_energy_drain_per_sec": 0.6,
    "return_energy_drain_per_sec": 4.0,
    "rest_energy_gain_per_sec": 15.0,
    "rest_resume_energy": 60.0,
}
WOLF = box("wolf_sign", width=40.0)


class Rabbit(TreeBench):
    """A rabbit in the open, that moves as it is told."""

    def __init__(self, **values: Any) -> None:
        super().__init__("rabbit")
        self.live = Live(RabbitParameters(**{**PINNED, **values}))
        self.set_up(create_root("rabbit", self.live, RandomStreams(5)))
        self.at = Pose2D()
        self.points()

    def run(self, seconds: float, *boxes: Detection) -> list[str]:
        """Run with an image each 40 ms that shows the boxes; return the active leaves without repetitions."""
        names: list[str] = []
        for k in range(round(seconds * SECOND / TICK)):
            self.odometry(self.at.x, self.at.y, self.at.yaw).pose(self.at.x, self.at.y, self.at.yaw)
            if k % 2 == 0:
                self.see(*boxes)
            outcome = self.tick()
            if outcome.command is not None:
                linear, angular = outcome.command
                self.at = self.at.compose(Pose2D(linear * TICK / SECOND, 0.0, angular * TICK / SECOND))
            if names[-1:] != [outcome.active]:
                names.append(outcome.active)
        return [name for name in names if name]

    def away(self) -> float:
        home = self.get("home")
        return self.at.distance_to(home.x, home.y)


def rabbit_at(x: float, **values: Any) -> Rabbit:
    """Return a rabbit that began at the origin, and stands elsewhere now."""
    rabbit = Rabbit(**values)
    rabbit.run(0.1)
    rabbit.at = Pose2D(x, 0.0, 0.0)
    return rabbit


def test_it_wanders_near_home_for_minutes() -> None:
    rabbit = Rabbit()
    seen: set[str] = set()
    farthest = 0.0
    for _ in range(60):
        seen |= set(rabbit.run(2.0))
        farthest = max(farthest, rabbit.away())
    assert seen == {"Forward", "Scan", "Back towards home"}
    assert 0.8 <= farthest < 0.95


def test_a_stray_rabbit_comes_well_back_before_it_roams_again() -> None:
    rabbit = rabbit_at(0.85)
    assert rabbit.run(1.0) == ["Back towards home"]
    while rabbit.run(0.1) == ["Back towards home"]:
        pass
    assert rabbit.away() == pytest.approx(0.4, abs=0.03)


def test_it_turns_from_obstacles() -> None:
    rabbit = Rabbit()
    rabbit.run(0.5)
    rabbit.points(*wall(0.3))
    assert rabbit.run(0.5)[-1] == "Turn away"


def test_away_from_home_it_flees_from_the_wolf_and_hides_at_home() -> None:
    rabbit = rabbit_at(0.7)
    names = rabbit.run(6.0, WOLF)
    assert names[-2:] == ["Run home", "Hide at home"]
    assert rabbit.away() == pytest.approx(0.45, abs=0.02)
    before = rabbit.at
    assert rabbit.run(2.0, WOLF) == ["Hide at home"]
    assert rabbit.at == before
    assert rabbit.run(2.0)[-1] in {"Forward", "Scan"}


def test_it_turns_before_it_runs() -> None:
    rabbit = rabbit_at(0.7)
    rabbit.run(0.06, WOLF)
    x = rabbit.at.x
    while abs(abs(rabbit.at.yaw) - math.pi) > 0.56:
        rabbit.run(0.02, WOLF)
        assert rabbit.at.x == pytest.approx(x, abs=1e-9)
    rabbit.run(0.3, WOLF)
    assert rabbit.at.x < x


def test_another_robots_sign_frightens_nobody_until_the_live_parameter_says_so():
    rabbit = Rabbit()
    assert not {"Run home", "Hide at home"} & set(rabbit.run(3.0, box("rabbit_sign"), box("carrot")))
    rabbit = Rabbit()
    rabbit.run(0.1)
    rabbit.live.propose({"threat_label": "carrot"})
    rabbit.live.swap()
    assert rabbit.run(0.3, box("carrot"))[-1] == "Hide at home"


def test_energy_falls_faster_in_flight_and_not_in_hiding() -> None:
    rabbit = Rabbit()
    rabbit.run(0.1)
    spent = []
    for place, boxes in ((0.3, []), (0.75, [WOLF]), (0.1, [WOLF])):
        rabbit.at = Pose2D(place, 0.0, math.pi / 2)
        rabbit.run(0.2, *boxes)
        before = rabbit.get("energy")
        rabbit.run(0.5, *boxes)
        spent.append(before - rabbit.get("energy"))
    assert spent == pytest.approx([0.3, 2.0, 0.0], abs=0.05)


def test_an_exhausted_rabbit_rests_even_before_the_wolf_and_resumes() -> None:
    rabbit = rabbit_at(0.75, energy_start=1.0)
    names = rabbit.run(2.0, WOLF)
    assert names[-1] == "Resting"
    before = rabbit.at
    rabbit.run(1.0, WOLF)
    assert rabbit.at == before
    names = rabbit.run(4.0, WOLF)
    assert names == ["Resting", "Run home"]
    assert rabbit.get("energy") > 45.0


@pytest.mark.parametrize("status", ["resting", "fleeing", "wandering"])
def test_a_breach_comes_before_rest_flight_and_wandering(status: str) -> None:
    rabbit = Rabbit(energy_start=0.0 if status == "resting" else 100.0)
    rabbit.run(0.2)
    rabbit.at = Pose2D(0.7, 0.0, 0.0)
    rabbit.fence(FenceStatus.BREACH, way_inside=(0.0, 0.0))
    names = rabbit.run(3.0, *([WOLF] if status == "fleeing" else []))
    assert set(names) == {"Align with the way in", "Drive inside"}


@pytest.mark.parametrize("over", [{"phase": GamePhase.CAPTURED}, {"rabbit_alive": False}, {"phase": GamePhase.ABORTED}])
def test_death_comes_before_everything(over: dict[str, Any]) -> None:
    rabbit = Rabbit(energy_start=0.0)
    rabbit.run(0.2)
    rabbit.fence(FenceStatus.BREACH).game(**over)
    outcome = rabbit.tick()
    assert (outcome.active, outcome.command, outcome.cues) == ("Play dead", (0.0, 0.0), ["DEAD"])
    assert rabbit.run(1.0, WOLF) == ["Play dead"]


def test_before_odometry_it_does_not_move() -> None:
    rabbit = Rabbit()
    outcomes = rabbit.ticks(20)
    assert {outcome.command for outcome in outcomes} == {None}
    assert rabbit.get("home") is None
