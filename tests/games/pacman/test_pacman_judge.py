"""The judge of PacMan: what it makes of true ways and of what the game declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from helpers.pacman_state import pacman_state

from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.games.game import GameContext, Player
from arena_trees.games.pacman.evaluation.judge import PacmanJudge
from arena_trees.games.pacman.messages import GhostView, Pellet
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.games.truth import End, Observation, TruthSample
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.timing import TICK
from arena_trees.world.shapes import Text

PELLETS = {0: Pellet(0, 1.0, 0.0), 1: Pellet(1, 2.0, 0.0)}
Point = tuple[float, float]


class Watch:
    """A judge, and what it is shown tick by tick."""

    def __init__(self, duration_s: float = 60.0, step: int = TICK) -> None:
        player = Player("robot", "pacman", PacmanParameters())
        self.judge = PacmanJudge(GameContext(PacmanRules(), {"robot": player}, duration_s, RandomStreams(1)))
        self.now = 0
        self.step = step
        self.left = dict(PELLETS)

    def see(
        self,
        phase: str = "RUNNING",
        robot: Point | None = (0.0, 0.0),
        ghosts: tuple[GhostView, ...] = (),
        takes: int | None = None,
        cues: tuple[str, ...] = (),
        lives: int = 1,
        end: End | None = None,
    ) -> Watch:
        """Let the judge look once, at a state in which one pellet less may be left."""
        self.left.pop(-1 if takes is None else takes, None)
        score = len(PELLETS) - len(self.left)
        state = pacman_state(phase, score=score, lives=lives, pellets=tuple(self.left.values()), ghosts=ghosts)
        self.observe(state, robot, cues, end)
        return self

    def observe(self, state, robot, cues=(), end=None):
        truth = {} if robot is None else {"robot": TruthSample("robot", self.now, Pose2D(*robot))}
        record = TickRecord("robot", 0, self.now, (), (), (), None, ZERO, (), b"", "", cues)
        ticks: Mapping[str, TickRecord] = {"robot": record} if cues else {}
        self.judge.observe(Observation(self.now, self.step, truth, ticks, state=state, end=end))
        self.now += self.step

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.judge.values())


def judged(robots, ghosts, dies_at=None, frightened=False):
    """Return deaths, false and missed ones, after ticks with these places; the last one lasts for two more seconds."""
    watch = Watch()
    for tick in range(len(robots) + 100):
        robot, ghost = robots[min(tick, len(robots) - 1)], ghosts[min(tick, len(ghosts) - 1)]
        phase = "RUNNING" if dies_at is None or tick < dies_at else "DYING"
        watch.see(phase, robot, (GhostView("clyde", *ghost, frightened=frightened),))
    return tuple(watch.values[name] for name in ("deaths", "false_deaths", "missed_deaths"))


def test_deaths_are_compared_with_touches():
    # Between two samples: they pass each other at 0.2 m, from 0.5 m before to 0.5 m behind in one tick.
    assert judged([(0.0, 0.0), (1.0, 0.0)], [(0.5, 0.2), (0.5, 0.2), (9.0, 9.0)], dies_at=1) == (1, 0, 0)
    # A touch without a death is missed once, and a death without a touch is false.
    assert judged([(0.0, 0.0)] * 30, [(0.2, 0.0)] * 30) == (0, 0, 1)
    assert judged([(0.0, 0.0)] * 5, [(0.26, 0.0)], dies_at=3) == (1, 1, 0)
    # A frightened ghost does no harm.
    assert judged([(0.0, 0.0)] * 5, [(0.1, 0.0)], frightened=True)[2] == 0


def test_a_pellet_counts_when_it_was_touched_and_scored():
    watch = Watch()
    for step in range(8):
        watch.see(robot=(0.1 * step, 0.0))
    watch.see(robot=(0.8, 0.0), takes=0)
    values = watch.values
    assert (values["pellets_collected"], values["all_but_one"]) == (1, True)
    assert (values["completed"], values["false_pickups"]) == (False, 0)
    watch.see("COMPLETE", (0.8, 0.0), takes=1)
    values = watch.values
    assert (values["pellets_collected"], values["completed"], values["false_pickups"]) == (2, True, 1)
    assert (watch.judge.outcome, watch.judge.reason) == ("complete", "all 2 pellets")


def test_a_cue_answers_the_oldest_event_of_its_name():
    watch = Watch().see().see(takes=0)
    for _ in range(4):
        watch.see()
    watch.see(takes=1).see(cues=("PELLET", "WIN"))
    assert (watch.values["cue_latency_s"], watch.values["cues_missing"]) == (0.12, 1)
    watch.see(cues=("PELLET",))
    assert (watch.values["cue_latency_s"], watch.values["cues_missing"]) == (0.08, 0)
    assert watch.values["cue_latency_max_s"] == 0.12


def test_a_pellet_is_dated_to_the_instant_at_which_the_robot_came_near():
    # It comes within 0.25 m of the pellet at (1, 0) half way through the tick.
    watch = Watch().see(robot=(0.65, 0.0)).see(robot=(0.85, 0.0), takes=0).see(cues=("PELLET",), robot=(0.85, 0.0))
    assert watch.values["cue_latency_s"] == pytest.approx(0.03)


def test_a_pellet_that_the_robot_stands_on_counts_when_the_game_begins_and_one_taken_by_hand_never():
    watch = Watch().see("STARTING", (1.0, 0.2))
    watch.left.pop(1)
    watch.see("RUNNING", (1.0, 0.2), takes=0)
    assert watch.values["false_pickups"] == 1
    watch = Watch()
    watch.observe(pacman_state(pellets=tuple(PELLETS.values())), (0.0, 0.0))
    watch.observe(pacman_state(pellets=(PELLETS[1],)), (0.0, 0.0))
    assert watch.values["pellets_collected"] == 0


def test_the_time_of_a_round_ends_when_the_rules_say():
    end = End("complete", "", 50_000_000)
    watch = Watch().see("MENU").see("RUNNING").see(takes=0).see("COMPLETE", takes=1, end=end)
    assert watch.values["completion_time_s"] == pytest.approx(0.03)
    ticks = 0
    while not watch.judge.over:
        watch.see("COMPLETE")
        ticks += 1
    assert ticks == 25


def test_the_last_death_ends_the_round_and_a_life_that_is_left_goes_on():
    watch = Watch().see(lives=2).see("DYING", (0.5, 0.0)).see("RETURNING_HOME").see("RUNNING")
    assert (watch.judge.outcome, len(watch.judge.marks())) == ("over", 1)
    watch.see("DYING", (0.5, 0.5), lives=0)
    assert (watch.judge.outcome, watch.judge.reason) == ("died", "2 pellets left")
    assert [(mark.x, mark.y) for mark in watch.judge.marks()] == [(0.5, 0.0), (0.5, 0.5)]


def test_a_round_that_was_given_up_ends_with_what_is_out_of_reach():
    watch = Watch().see().see(takes=0).see("GIVEN_UP")
    assert watch.judge.outcome == "out_of_reach"
    assert watch.judge.reason.startswith("1 of 2 pellets out of reach: 1 at (")
    assert watch.values["completed"] is False


def test_a_round_is_over_when_time_is_up_and_not_complete_when_that_is_declared_too_early():
    watch = Watch(duration_s=0.1)
    for _ in range(5):
        assert not watch.judge.over
        watch.see("MENU")
    assert (watch.judge.over, watch.judge.outcome, watch.judge.reason) == (True, "over", "time is up")
    watch = Watch().see().see("COMPLETE", takes=0)
    assert (watch.judge.outcome, watch.judge.reason) == ("over", "declared complete with 1 pellets left")
    assert watch.values["completed"] is False


def test_from_outside_it_says_nothing_of_what_it_cannot_see():
    watch = Watch(step=SECOND // 25)
    watch.observe(None, None)
    assert watch.values["all_but_one"] is False
    watch.see("STARTING", None).see(robot=None).see(takes=0, cues=("PELLET",)).see("COMPLETE", takes=1)
    values = watch.values
    assert (values["completed"], values["pellets_collected"], values["completion_time_s"]) == (True, 2, 0.08)
    for name in ("false_deaths", "missed_deaths", "false_pickups", "cue_latency_s", "cues_missing"):
        assert name not in values


def test_the_picture_numbers_pellets_in_the_order_of_their_collection():
    ghost = GhostView("clyde", 3.0, 0.0)
    watch = Watch().see(ghosts=(ghost,))
    for takes in (1, 0):
        for _ in range(5):
            watch.see(ghosts=(ghost,))
        watch.see(takes=takes, ghosts=(ghost,))
    numbers = {shape.text: shape.x for shape in watch.judge.shapes() if isinstance(shape, Text)}
    assert numbers == {"1": 2.0, "2": 1.0, "clyde": 3.0}
    distances, eaten = watch.judge.charts()
    assert (distances.curves[0].name, set(distances.curves[0].ys)) == ("clyde", {3.0})
    assert [moment.label for moment in distances.moments] == ["1", "2"]
    assert eaten.curves[0].ys == (0.0, 1.0, 2.0, 2.0)


def test_equal_observations_give_equal_values():
    def played() -> dict[str, Any]:
        watch = Watch().see("MENU").see("STARTING").see(cues=("START_THEATRICAL",))
        for step in range(20):
            watch.see(robot=(0.1 * step, 0.0), takes=0 if step == 9 else None, cues=("PELLET",) if step == 10 else ())
        return watch.values

    assert played() == played()
