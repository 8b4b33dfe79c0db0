"""Leaves of PacMan, each by itself: what it makes of percepts and of what stands on the blackboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.given_navigator import GivenNavigator
from helpers.pacman_state import pacman_state
from helpers.tree_bench import TreeBench
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from arena_trees.behaviours.pacman.choose import ChoosePellet, PlanIs
from arena_trees.behaviours.pacman.drive import FollowPlan, ReturnHome
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.senses import AvoidGhosts, GamePhaseIs, LocateInMap, NoticeScore, PoseLost
from arena_trees.behaviours.pacman.start import StartSpin
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.blackboard import Navigation, Planning
from arena_trees.games.pacman.messages import GhostView, PacmanGame, PacmanPhase, PacmanUnreached, Pellet
from arena_trees.games.pacman.planning.pellet_planner import Intent, Plan
from arena_trees.games.pacman.planning.pellet_plans import PelletPlans
from arena_trees.robot.background import Background, InlineRunner, Reply
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.ports import NavigationStatus
from arena_trees.world.maps.occupancy_map import OccupancyMap

HERE = Pose2D(0.5, 0.0, 0.0)
HOME = Pose2D(-1.0, 0.0)
PLAN = Plan(Intent.COLLECT, (1.5, 0.0), 0)
LIVE = Live(PacmanParameters())
SPACE = FreeSpace(OccupancyMap.build(np.ones((60, 60), np.bool_), 0.1, Pose2D(-3.0, -3.0)), 0.25, 0.2)


class Planner:
    """A planner that notes what it is asked, and answers as it is told."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.plan = PLAN
        self.asked: list[list[int]] = []

    def reset(self) -> None:
        self.calls.append("forget")

    def prepare(self, game: PacmanGame) -> None:
        self.calls.append("prepare")

    def watch(self, game: PacmanGame) -> None:
        self.calls.append("watch")

    def decide(self, pose: Pose2D, game: PacmanGame, now: int) -> Plan:
        self.calls.append("decide")
        self.asked.append([pellet.id for pellet in game.pellets])
        return self.plan


class Bench(TreeBench):
    def hear(self, phase: str = "RUNNING", **changes: Any) -> Bench:
        _, now, sequence = self.stamps()
        received = Received(pacman_state(phase, **changes), "game_controller", 1, sequence, now, now)
        self.put(inbox=Inbox({PacmanGame: {"game_controller": received}}, sequence, (received,)))
        return self


def bench(leaf: Behaviour, **values: Any) -> Bench:
    made = Bench()
    made.set_up(leaf)
    made.put(**values)
    return made


def test_a_frightened_ghost_is_shown_when_it_is_met() -> None:
    made = bench(NoticeScore("Collect", "robot"), map_pose=HERE)

    def cues(x: float, frightened: bool = True, phase: str = "RUNNING") -> list[str]:
        ghosts = (GhostView("clyde", x, 0.0, frightened=frightened), GhostView("blinky", 3.0, 0.0))
        return made.hear(phase, ghosts=ghosts).tick().cues

    assert [cues(x) for x in (2.0, 1.0, 0.7, 0.6, 1.0, 0.7)] == [[], [], ["GHOST"], [], [], ["GHOST"]]
    assert cues(2.0) == cues(0.6, frightened=False) == cues(0.6, phase="DYING") == []


def line_to(planner: Planner) -> Callable[[], Background]:
    return lambda: InlineRunner().start(lambda: PelletPlans(planner, SPACE))


def choosing(live: Live[PacmanParameters] = LIVE) -> tuple[Bench, Planner]:
    planner = Planner()
    made = bench(ChoosePellet("Choose", "robot", live, line_to(planner)), map_pose=HERE)
    return made, planner


def following(name: str = "Go") -> tuple[Bench, GivenNavigator]:
    navigator = GivenNavigator()
    return bench(FollowPlan(name, "robot", lambda: navigator), plan=PLAN), navigator


def homing() -> tuple[Bench, GivenNavigator, Planner]:
    navigator, planner = GivenNavigator(), Planner()
    leaf = ReturnHome("Home", "robot", LIVE, lambda: navigator, line_to(planner))
    return bench(leaf, map_pose=HERE), navigator, planner


def test_locate_carries_the_pose_on_by_odometry() -> None:
    made = bench(LocateInMap("Locate", "robot"))
    assert made.tick().status is Status.SUCCESS
    assert made.get("map_pose") is None
    made.odometry(5.0).pose(1.0, 2.0).tick()
    assert made.get("map_pose") == Pose2D(1.0, 2.0)
    made.odometry(5.25).tick()
    assert made.get("map_pose").x == pytest.approx(1.25)


def test_a_pose_is_lost_when_it_is_old_or_not_on_the_map() -> None:
    made = bench(PoseLost("Lost?", "robot", LIVE), map_pose=HERE)
    assert made.tick().status is Status.SUCCESS
    made.pose()
    assert made.tick().status is Status.FAILURE
    made.put(map_pose=None)
    assert (made.tick().status, made.tick().feedback) == (Status.SUCCESS, "no pose")
    made.put(map_pose=HERE)
    assert [made.tick(20).status for _ in range(2)] == [Status.FAILURE, Status.SUCCESS]


def test_ghosts_are_avoided_while_the_game_runs_unless_they_are_frightened() -> None:
    made = bench(AvoidGhosts("Avoid", "robot", LIVE))
    ghosts = (GhostView("a", 1.0, 2.0), GhostView("b", 3.0, 4.0, frightened=True))
    assert made.hear(ghosts=ghosts).tick().status is Status.SUCCESS
    assert made.get("ghost_discs") == ((1.0, 2.0, LIVE.value.ghost_obstacle_radius),)
    made.hear("RETURNING_HOME", ghosts=ghosts).tick()
    assert made.get("ghost_discs") == ()


def test_a_phase_is_none_when_the_game_is_silent() -> None:
    made = bench(GamePhaseIs("Running?", "robot", LIVE, PacmanPhase.RUNNING))
    assert made.tick().status is Status.FAILURE
    assert made.hear("RUNNING").tick(100).status is Status.SUCCESS
    assert made.tick(2).status is Status.FAILURE
    assert made.hear("DYING").tick().status is Status.FAILURE


@pytest.mark.parametrize("intent", list(Intent))
def test_a_plan_is_what_it_is_for(intent: Intent) -> None:
    made = bench(PlanIs("Plan?", "robot", Intent.EVADE), plan=None)
    assert made.tick().status is Status.FAILURE
    made.put(plan=Plan(intent, (0.0, 0.0)))
    assert made.tick().status is (Status.SUCCESS if intent is Intent.EVADE else Status.FAILURE)


def test_without_game_or_pose_there_is_no_plan() -> None:
    made, _ = choosing()
    assert (made.tick().status, made.get("plan")) == (Status.FAILURE, None)
    made.hear().tick(6)
    assert made.get("plan") is PLAN
    made.put(map_pose=None)
    assert (made.tick().feedback, made.get("plan")) == ("no pose", None)


def test_the_robot_stands_until_the_first_plan_takes_effect() -> None:
    made, planner = choosing()
    asked_at = made.now
    waiting = made.hear().ticks(5)
    assert {(outcome.status, outcome.command) for outcome in waiting} == {(Status.RUNNING, (0.0, 0.0))}
    assert (made.get("plan"), made.get("planning").asked_at) == (None, asked_at)
    taken = made.tick()
    assert (taken.status, taken.command, made.get("plan")) == (Status.SUCCESS, None, PLAN)
    assert made.get("planning") == Planning(made_of=asked_at)
    assert planner.calls == ["forget", "forget", "watch", "decide"]


def test_a_plan_is_asked_for_after_a_period_and_when_a_pellet_has_gone() -> None:
    made, planner = choosing()
    made.hear().tick(20)
    del planner.calls[:-1]
    made.tick()
    planner.plan = Plan(Intent.WAIT, (0.5, 0.0))
    going_on = made.ticks(4)
    assert {(outcome.status, outcome.feedback) for outcome in going_on} == {(Status.SUCCESS, "collect pellet 0")}
    assert made.tick().feedback == "wait"
    made.hear(pellets=(Pellet(1, 0.0, 1.5),)).tick(6)
    assert planner.calls == ["decide", "decide", "watch", "decide"]


def test_a_plan_that_takes_longer_is_waited_for_while_the_robot_goes_on() -> None:
    made, planner = choosing()
    made.hear().tick(20)
    done: list[bool] = []

    class Late:
        """A line whose replies come when the test says so."""

        def __init__(self, line: Background) -> None:
            self.line = line

        def call(self, method: str, *arguments: Any) -> Reply:
            reply = self.line.call(method, *arguments)

            class Waited:
                def is_done(self) -> bool:
                    return bool(done) and reply.is_done()

                def value(self) -> Any:
                    return reply.value()

            return Waited()

    made.root.plans = Late(made.root.plans)
    planner.plan = Plan(Intent.WAIT, (0.5, 0.0))
    assert {outcome.feedback for outcome in made.ticks(100)} == {"collect pellet 0"}
    assert made.get("plan") is PLAN
    done.append(True)
    assert made.tick().feedback == "wait"


def test_the_reports_plans_take_no_time() -> None:
    made, _ = choosing(Live(PacmanParameters(strategy="source")))
    assert (made.hear().tick().status, made.get("plan")) == (Status.SUCCESS, PLAN)


def test_what_the_planner_raises_is_raised_by_the_leaf() -> None:
    made, planner = choosing()
    planner.decide = lambda *_: 1 / 0  # type: ignore[assignment,return-value]  # A planner with a fault.
    made.hear().tick(5)
    with pytest.raises(ZeroDivisionError):
        made.tick()


def test_after_a_gap_ghosts_are_forgotten_and_a_plan_is_asked_for_at_once() -> None:
    made, planner = choosing()
    made.hear().tick(10)
    planner.calls.clear()
    made.now += 600_000_000
    assert made.tick().status is Status.RUNNING
    assert (made.tick(5).status, planner.calls) == (Status.SUCCESS, ["forget", "decide"])


def test_a_pellet_that_comes_no_nearer_is_put_aside_and_the_game_is_told() -> None:
    made, planner = choosing()
    made.hear().ticks(999)
    assert planner.asked[-1] == [0, 1]
    outcomes = made.ticks(40)
    said = [outcome for outcome in outcomes if outcome.outbox]
    assert said[0].outbox == [PacmanUnreached(round=1, pellets=(0,), gave_up=False)]
    assert said[0].cues == ["OUT_OF_REACH"]
    assert said[0].feedback == "nowhere for 20 s: put pellet 0 aside"
    assert planner.asked[-1] == [1]
    planner.plan = Plan(Intent.COLLECT, (0.0, 1.4), 1)
    outcomes = made.ticks(1050)
    assert planner.asked[-1] == [0, 1]
    assert outcomes[-1].feedback == "nothing else is in reach: gave up 0, 1"
    said = [outcome for outcome in outcomes if outcome.outbox]
    assert said[-1].outbox == [PacmanUnreached(round=1, pellets=(0, 1), gave_up=True)]


def test_a_robot_that_drives_or_waits_puts_nothing_aside() -> None:
    made, planner = choosing()
    made.hear()
    for step in range(60):
        made.put(map_pose=Pose2D(-2.5 + 0.05 * step, 0.0))
        assert not any(outcome.outbox for outcome in made.ticks(50))
    planner.plan = Plan(Intent.WAIT, (0.5, 0.0))
    assert not any(outcome.outbox for outcome in made.ticks(3000))


def test_a_plan_is_followed_and_its_goal_sent_once() -> None:
    made, navigator = following()
    first = made.tick(3)
    assert (first.status, first.command, first.feedback) == (Status.RUNNING, (0.1, 0.2), "to (1.5, 0.0)")
    made.put(plan=Plan(Intent.COLLECT, (1.51, 0.0)))
    made.tick()
    assert navigator.goals == [Pose2D(1.5, 0.0)]
    made.put(plan=Plan(Intent.EVADE, (0.0, 1.0)))
    made.tick()
    assert navigator.goals[1:] == [Pose2D(0.0, 1.0)]
    assert made.get("navigation") == Navigation("Go", Pose2D(0.0, 1.0), made.get("now"))


def test_without_a_plan_or_a_velocity_it_stands() -> None:
    made, navigator = following()
    made.put(plan=None)
    assert made.tick().command == (0.0, 0.0)
    navigator.velocity = lambda: None  # type: ignore[method-assign]  # A navigator that has none.
    made.put(plan=PLAN)
    assert made.tick().command == (0.0, 0.0)


@pytest.mark.parametrize("state", [NavigationStatus.FAILED, NavigationStatus.IDLE, NavigationStatus.SUCCEEDED])
def test_a_goal_that_ended_is_sent_again_each_second_and_its_state_is_on_the_blackboard(state) -> None:
    made, navigator = following()
    made.tick()
    navigator.state = state
    made.tick(49)
    assert (len(navigator.goals), made.get("navigation").status) == (1, state)
    made.tick(101)
    assert navigator.goals == [Pose2D(1.5, 0.0)] * 4


def test_a_leaf_that_ends_gives_up_its_own_goal_only() -> None:
    made, navigator = following()
    made.tick()
    made.put(navigation=Navigation("Another", HOME, 0))
    made.root.stop(Status.INVALID)
    assert (navigator.cancels, made.get("navigation").leaf) == (0, "Another")
    made.put(navigation=None)
    made.tick()
    made.root.stop(Status.INVALID)
    assert (navigator.cancels, made.get("navigation")) == (1, None)


def test_home_is_driven_to_and_told_and_the_planner_prepares_there_once() -> None:
    made, navigator, planner = homing()
    assert made.tick().command == (0.0, 0.0)
    assert made.hear("RETURNING_HOME").tick().command == (0.1, 0.2)
    assert navigator.goals == [HOME]
    made.put(map_pose=Pose2D(-0.9, 0.0))
    reported = [outcome.outbox for outcome in made.ticks(35)]
    assert [len(messages) for messages in reported if messages] == [1, 1]
    assert planner.calls == ["prepare"]


def test_as_near_home_as_the_navigator_comes_is_home() -> None:
    made, navigator, _ = homing()
    made.put(map_pose=Pose2D(-0.75, 0.0))
    assert made.hear("RETURNING_HOME").tick().outbox == []
    navigator.state = NavigationStatus.SUCCEEDED
    outcomes = made.ticks(6)
    assert (outcomes[0].command, outcomes[0].feedback) == ((0.0, 0.0), "the planner takes the game in")
    assert outcomes[-1].feedback == "at home"
    assert {message.encode()["status"] for outcome in outcomes for message in outcome.outbox} == {"AT_HOME"}


def test_the_spin_asks_for_its_first_goal_in_its_last_revolution() -> None:
    planner = Planner()
    made = bench(StartSpin("Start", "robot", LIVE, line_to(planner)), map_pose=Pose2D(0.0, 0.0, 3.0))
    first = made.hear("STARTING").tick()
    assert (first.command, first.cues) == ((0.0, 1.5), ["START_THEATRICAL"])
    assert (made.get("first_goal"), planner.calls) == (None, [])
    made.tick(250)
    assert (made.get("first_goal"), planner.calls) == (PLAN.goal, ["decide"])
    made.put(map_pose=Pose2D(0.0, 0.0, -0.1))
    assert made.tick().command == (0.0, 0.0)
