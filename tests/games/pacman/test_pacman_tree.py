"""PacMan's tree with percepts made by hand: what it does in each phase, and what it says and shows."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers.given_navigator import GivenNavigator
from helpers.map_files import ROOM
from helpers.pacman_state import pacman_state
from helpers.tree_bench import Outcome, TreeBench

from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.games.pacman.messages import PacmanGame, PacmanStatus
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.percepts import Bumpers
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.pacman import pacman

HOME = Pose2D(-1.0, 0.0)
GHOST = ["clyde", 1.1, 0.0, -0.25, 0.0, 0.25, False]


class Bench(TreeBench):
    """A bench on which localisation and odometry agree."""

    def __init__(self, navigator: Any = None, **values: Any) -> None:
        super().__init__()
        # Most tests tell the game once.
        live = Live(PacmanParameters(**{"map": str(ROOM), "plan_horizon": 6.0, "game_timeout": 60.0, **values}))
        self.set_up(pacman.create_root("robot", live, RandomStreams(1), navigator))

    def at(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Bench:
        self.odometry(x, y, yaw).pose(x, y, yaw)
        return self

    def reported(self, phase: str = "RUNNING", **changes: Any) -> Bench:
        state = PacmanGame.decode({**pacman_state(phase).encode(), **changes})
        _, now, sequence = self.stamps()
        received = Received(state, "game_controller", 1, sequence, now, now)
        self.put(inbox=Inbox({PacmanGame: {"game_controller": received}}, sequence, (received,)))
        return self

    def play(self, seconds: float, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> list[Outcome]:
        """Tick with a fresh pose each time; the robot stays where it is."""
        return [self.at(x, y, yaw).tick() for _ in range(round(seconds * 50))]


def said(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    return [one.encode() for outcome in outcomes for one in outcome.outbox if isinstance(one, PacmanStatus)]


def shown(outcomes: list[Outcome]) -> list[str]:
    return [cue for outcome in outcomes for cue in outcome.cues]


def test_it_stands_when_the_game_has_fallen_silent() -> None:
    bench = Bench(game_timeout=2.0)
    outcomes = bench.reported().play(4.0)
    assert outcomes[95].active != "Await the start"
    assert outcomes[95].command != (0.0, 0.0)
    assert {(outcome.active, outcome.command) for outcome in outcomes[105:]} == {("Await the start", (0.0, 0.0))}
    assert bench.reported().play(0.1)[-1].active != "Await the start"


def test_the_embedded_navigator_drives_round_what_the_lidar_shows() -> None:
    """Home is straight ahead, and something stands to the left of the way."""

    def turn(*points: tuple[float, float]) -> float:
        bench = Bench()
        bench.points(*points)
        outcome = bench.reported("RETURNING_HOME").play(0.2, x=1.0, yaw=math.pi)[-1]
        assert outcome.active == "Return home"
        assert outcome.command is not None
        return outcome.command[1]

    assert abs(turn()) < 0.1
    assert turn((0.3, 0.12)) < -0.3


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_it_backs_off_from_a_bump_and_drives_round_what_it_has_bumped_into_twice(strategy: str) -> None:
    """Home is straight ahead; what stands on the way is seen by no LiDAR."""
    bench = Bench(strategy=strategy).reported("RETURNING_HOME")

    def at(x: float, *zones: str) -> Outcome:
        bench.put(bumpers=Bumpers(*bench.stamps(), frozenset(zones)))
        return bench.play(0.04, x, 0.0, math.pi)[-1]

    leaves, turns = [], []
    for _ in range(2):
        leaves.append(at(1.0, "bump_front_center").active)
        at(1.16)
        turns.append(abs(bench.play(1.5, 1.3, 0.0, math.pi)[-1].command[1]))
    if strategy == "source":
        assert leaves == ["Return home"] * 2 and max(turns) < 0.05
    else:
        assert leaves == ["Back off from it"] * 2
        assert turns[0] < 0.05 < 0.2 < turns[1]


def test_without_a_pose_it_stands_and_says_nothing() -> None:
    bench = Bench()
    outcomes = [bench.tick() for _ in range(50)]
    assert {outcome.active for outcome in outcomes} == {"Wait for localisation"}
    assert {outcome.command for outcome in outcomes} == {(0.0, 0.0)}
    assert said(outcomes) == []


@pytest.mark.parametrize("phase", [None, "MENU"])
def test_with_a_pose_it_says_ready_twice_a_second_until_it_begins(phase: str | None) -> None:
    bench = Bench()
    if phase is not None:
        bench.reported(phase)
    outcomes = bench.play(2.0)
    assert {outcome.active for outcome in outcomes} == {"Await the start"}
    assert [payload["status"] for payload in said(outcomes)] == ["READY"] * 4
    assert {outcome.command for outcome in outcomes} == {(0.0, 0.0)}


def test_a_pose_that_gets_old_stops_it_in_any_phase() -> None:
    bench = Bench()
    bench.reported().play(0.5)
    outcomes = [bench.odometry().tick() for _ in range(40)]
    assert outcomes[-1].active == "Wait for localisation"
    assert outcomes[-1].command == (0.0, 0.0)
    assert bench.play(0.1)[-1].active == "Go to the pellet"


def test_it_drives_home_and_says_so_there_with_the_round_and_stands_where_no_home_is_told():
    bench = Bench()
    away = bench.reported("RETURNING_HOME", round=3).play(1.0, 1.0, 0.0, math.pi)
    assert away[-1].active == "Return home"
    assert away[-1].command[0] == pytest.approx(0.306, rel=0.01)
    assert said(away) == []
    home = bench.play(1.2, -0.9, 0.0)
    assert {outcome.command for outcome in home} == {(0.0, 0.0)}
    assert said(home) == [{"status": "AT_HOME", "round": 3}] * 3
    outcomes = Bench().reported("RETURNING_HOME", home=None).play(0.5)
    assert {outcome.command for outcome in outcomes} == {(0.0, 0.0)}
    assert said(outcomes) == []


def test_the_start_is_a_spin_of_eight_seconds_without_forward_motion() -> None:
    outcomes = Bench().reported("STARTING", pellets=[]).play(9.0)
    assert shown(outcomes) == ["START_THEATRICAL"]
    assert [outcome.command for outcome in outcomes[:400]] == [(0.0, 1.5)] * 400
    assert [outcome.command for outcome in outcomes[400:]] == [(0.0, 0.0)] * 50
    assert said(outcomes[:400]) == []
    assert {payload["status"] for payload in said(outcomes)} == {"STARTED"}


def test_the_spin_ends_where_it_looks_at_the_first_goal_and_not_before_its_last_revolution() -> None:
    bench, yaw, turned = Bench().reported("STARTING", pellets=[[1, 0.0, 1.5, False]]), 0.0, []
    for _ in range(400):
        linear, angular = bench.at(0.0, 0.2, yaw).tick().command
        yaw += 0.02 * angular
        turned.append(angular)
        assert linear == 0.0
    # The pellet is straight up.
    assert math.cos(yaw - math.pi / 2) > 0.9
    assert yaw > 1.5 * 8.0 - math.tau - 0.1
    assert turned[-1] == 0.0


@pytest.mark.parametrize(("lives", "cues"), [(0, ["DEATH", "GAME_OVER"]), (2, ["DEATH"])])
def test_the_death_shake_changes_sides_every_quarter_second_for_five_seconds(lives: int, cues: list[str]) -> None:
    outcomes = Bench().reported("DYING", lives=lives).play(6.0)
    commands = [outcome.command for outcome in outcomes]
    assert {linear for linear, _ in commands} == {0.0}
    turns = [angular for _, angular in commands]
    assert turns[:13] == [1.5] * 13
    assert turns[13:25] == [-1.5] * 12
    assert {abs(turn) for turn in turns[:250]} == {1.5}
    assert turns[250:] == [0.0] * 50
    assert shown(outcomes) == cues
    assert {payload["status"] for payload in said(outcomes[250:])} == {"DEATH_SHOWN"}
    assert said(outcomes[:250]) == []


def test_a_win_is_shown_standing_still() -> None:
    outcomes = Bench().reported("COMPLETE").play(5.0)
    assert shown(outcomes) == ["WIN"]
    assert {outcome.command for outcome in outcomes} == {(0.0, 0.0)}
    assert {payload["status"] for payload in said(outcomes)} == {"WIN_SHOWN"}


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_running_it_goes_to_the_nearest_pellet_and_on_to_the_next(strategy: str) -> None:
    bench = Bench(strategy=strategy)
    going = bench.reported().play(0.6, 0.9, 0.0)
    assert going[-1].active == "Go to the pellet"
    assert going[-1].command[0] > 0.2
    taken = bench.reported(pellets=[[1, 0.0, 1.5, False]], score=1).play(0.6, 1.3, 0.0)
    assert shown(taken) == ["PELLET"]
    assert taken[-1].command[1] > 0.5


def test_cues_tell_a_power_pellet_and_a_reset_once() -> None:
    bench = Bench()
    bench.reported(pellets=[[0, 1.5, 0.0, True], [1, 0.0, 1.5, False]]).play(0.1)
    assert shown(bench.reported(pellets=[[1, 0.0, 1.5, False]], score=1).play(0.2)) == ["POWER_PELLET"]
    assert shown(bench.reported(pellets=[[1, 0.0, 1.5, False]], score=1).play(0.2)) == []
    assert shown(bench.reported("MENU").play(0.2)) == ["RESET"]


def test_it_evades_a_ghost_and_is_driven_from_the_first_tick_of_that_on() -> None:
    """The leaf that ends gives its goal up after the next one has sent its own: that one must survive."""
    bench = Bench()
    bench.reported(pellets=[[0, 1.5, 0.0, False]]).play(0.1)
    outcomes = bench.reported(ghosts=[GHOST], pellets=[[0, 1.5, 0.0, False]]).play(1.0)
    assert outcomes[-1].active == "Avoid the ghost"
    assert outcomes[-1].command != (0.0, 0.0)
    back = bench.reported(pellets=[[0, 1.5, 0.0, False]]).play(1.0)
    assert back[-1].active == "Go to the pellet"
    assert back[-1].command != (0.0, 0.0)


def test_the_documents_strategy_has_no_evasion_but_drives_round_the_ghost() -> None:
    bench = Bench(strategy="source")
    names = [node.name for node in bench.root.iterate()]
    assert "Avoid the ghost" not in names
    outcomes = bench.reported(ghosts=[["clyde", 0.7, 0.0, 0.0, 0.0, 0.25, False]], pellets=[[0, 1.5, 0.0, False]]).play(
        1.0
    )
    assert outcomes[-1].active == "Go to the pellet"
    assert abs(outcomes[-1].command[1]) > 0.2


def test_running_without_pellets_it_waits() -> None:
    outcomes = Bench().reported(pellets=[]).play(0.2)
    assert outcomes[-1].active == "Wait for the ghost to go"
    assert outcomes[-1].command == (0.0, 0.0)


def test_a_given_navigator_is_sent_goals_and_its_velocity_is_the_command() -> None:
    navigator = GivenNavigator()
    bench = Bench(navigator)
    outcomes = bench.reported("RETURNING_HOME").play(0.5)
    assert navigator.goals == [HOME]
    assert outcomes[-1].command == (0.1, 0.2)
    bench.reported("MENU").play(0.1)
    assert navigator.cancels == 1


def test_a_map_that_is_not_there_is_named_when_the_tree_is_set_up_and_distances_in_wrong_order_before():
    live = Live(PacmanParameters(map="no_such_flat"))
    root = pacman.create_root("robot", live, RandomStreams(1))
    with pytest.raises(ConfigError, match="no_such_flat"):
        root.setup_with_descendants()
    with pytest.raises(ValueError, match="danger_inner"):
        PacmanParameters(danger_inner=1.0, danger_outer=0.9)
