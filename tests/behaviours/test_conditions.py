"""Conditions: rows of percepts over ticks, and what each condition answers."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, TreeBench, box, target, wall
from py_trees.common import Status

from arena_trees.behaviours.conditions import Bumped, FenceIs, ObstacleAhead, SignInSight, TargetInSight
from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.behaviours.sense import Sense
from arena_trees.behaviours.stand import StandStill
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver
from arena_trees.games.wolf_rabbit.messages import GamePhase
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.lane import MarkerDetections
from arena_trees.robot.percepts import Bumpers, FenceStatus
from arena_trees.sensors.battery.sensor import Battery

S, F = Status.SUCCESS, Status.FAILURE


@pytest.mark.parametrize(
    ("game", "status"),
    [
        ({}, F),
        ({"phase": GamePhase.ACTIVE, "round": 3}, F),
        ({"rabbit_alive": False}, S),
        ({"phase": GamePhase.WAITING}, S),
        ({"phase": GamePhase.CAPTURED}, S),
        ({"phase": GamePhase.SURVIVED}, S),
        ({"phase": GamePhase.ABORTED}, S),
    ],
)
def test_round_over(game: dict[str, Any], status: Status) -> None:
    bench = TreeBench().set_up(RoundOver("Over?", "robot"))
    assert bench.game(**game).tick().status is status


def test_fence_is() -> None:
    bench = TreeBench().set_up(FenceIs("Outside?", "robot", FenceStatus.BREACH, FenceStatus.WARNING))
    assert bench.tick().status is F
    for status in FenceStatus:
        wanted = S if status in (FenceStatus.BREACH, FenceStatus.WARNING) else F
        outcome = bench.fence(status).tick()
        assert (outcome.status, outcome.feedback) == (wanted, status.value)


@pytest.mark.parametrize(
    ("points", "status"),
    [
        ([], F),
        ([(0.49, 0.0)], S),
        ([(0.51, 0.0)], F),
        ([(0.4 * math.cos(0.5), 0.4 * math.sin(0.5))], S),
        ([(0.4 * math.cos(0.55), 0.4 * math.sin(0.55))], F),
        ([(-0.2, 0.0)], F),
        (wall(0.45), S),
    ],
)
def test_obstacle_ahead(points: list[tuple[float, float]], status: Status) -> None:
    bench = TreeBench().set_up(
        ObstacleAhead("Ahead?", "robot", Live(RoamParameters(obstacle_distance=0.5)), cooldown=False)
    )
    assert bench.tick().status is F
    assert bench.points(*points).tick().status is status


@pytest.mark.parametrize(("cooldown", "again"), [(True, 0.3), (False, 0.02)])
def test_after_an_obstacle_the_source_looks_away_for_the_cooldown(cooldown: bool, again: float) -> None:
    live = Live(RoamParameters(obstacle_cooldown_s=0.3))
    bench = TreeBench().points((0.3, 0.0)).set_up(ObstacleAhead("Ahead?", "robot", live, cooldown=cooldown))
    begin = bench.now
    assert bench.tick().status is S
    while bench.tick().status is F:
        pass
    assert (bench.now - TICK - begin) / SECOND == pytest.approx(again)


def test_a_cooldown_ends_where_the_clock_goes_back() -> None:
    live = Live(RoamParameters(obstacle_cooldown_s=0.3))
    bench = TreeBench().points((0.3, 0.0)).set_up(ObstacleAhead("Ahead?", "robot", live, cooldown=True))
    assert [outcome.status for outcome in bench.ticks(2)] == [S, F]
    bench.now -= SECOND // 2
    assert bench.tick().status is S


# Each row: is the sign in the image of this tick (None: no new image), and what is answered.
SIGHT = {
    "two in a row": [(True, F), (True, S), (None, S)],
    "one is not believed": [(True, F), (False, F), (True, F), (False, F)],
    "another class": [(False, F), (False, F)],
    "none yet": [(None, F), (None, F)],
    "kept while now and then seen": [(True, F), (True, S), *[(True, S), (False, S)] * 6],
    "lost after the timeout": [(True, F), (True, S), (False, S), (False, S), (False, S), (False, S), (False, F)],
    "a frozen camera": [(True, F), (True, S), *[(None, S)] * 4, (None, F)],
    "believed anew only after two": [(True, F), (True, S), *[(False, S)] * 4, (False, F), (True, F), (True, S)],
}


@pytest.mark.parametrize("rows", SIGHT.values(), ids=SIGHT.keys())
def test_sign_in_sight(rows: list[tuple[bool | None, Status]]) -> None:
    live = Live(RoamParameters(vision_timeout=0.08, sight_confirm_frames=2))
    bench = TreeBench().set_up(SignInSight("Wolf?", "robot", live, lambda: "wolf_sign"))
    answers = []
    for seen, _ in rows:
        if seen is not None:
            bench.see(box("wolf_sign" if seen else "carrot"))
        answers.append(bench.tick().status)
    assert answers == [status for _, status in rows]


def test_a_sign_of_an_earlier_run_is_forgotten() -> None:
    leaf = SignInSight("Wolf?", "robot", Live(RoamParameters(sight_confirm_frames=1)), lambda: "wolf_sign")
    bench = TreeBench().set_up(leaf).see(box("wolf_sign"))
    assert bench.tick().status is S
    bench.set_up(leaf).put(detections=None)
    assert bench.tick().status is F


def test_target_in_sight() -> None:
    bench = TreeBench().set_up(TargetInSight("Rabbit?", "robot"))
    assert bench.tick().status is F
    assert bench.follow(target(bench)).tick().status is S
    assert bench.follow(target(bench, in_sight=False)).tick().status is F


def test_sense_names_what_is_missing_and_changes_its_words_on_events_only() -> None:
    bench = TreeBench().set_up(Sense("Percepts", "robot", ("detections",)))
    outcome = bench.tick()
    assert outcome.status is S
    assert outcome.feedback == "waiting for scan, odometry, pose, detections"
    bench.points((1.0, 0.0)).odometry().pose().see()
    feedback = [outcome.feedback for outcome in bench.ticks(60)]
    words = [word for k, word in enumerate(feedback) if k == 0 or word != feedback[k - 1]]
    assert words == [
        "waiting for scan, odometry, pose, detections",
        "all percepts fresh",
        "waiting for odometry",
        "waiting for scan, odometry, pose",
        "waiting for scan, odometry, pose, detections",
    ]


def test_sense_takes_what_the_tree_needs_besides_and_refuses_what_there_is_not() -> None:
    bench = TreeBench().set_up(Sense("Percepts", "robot", ("markers", "battery")))
    bench.points((1.0, 0.0)).odometry().pose()
    assert bench.tick().feedback == "waiting for markers, battery"
    bench.put(markers=MarkerDetections(0, 0, 1, ()), battery=Battery(0, 0, 1, 0.5))
    words = [outcome.feedback for outcome in bench.ticks(10)]
    assert words[-1] == "all percepts fresh"
    # Markers do not grow old, and a battery after ten seconds.
    later = [outcome.feedback for outcome in bench.ticks(600)]
    assert later[-1] == "waiting for scan, odometry, pose, battery"
    with pytest.raises(ConfigError, match="no such sensor"):
        Sense("Percepts", "robot", ("smell",))


def test_standing_still_commands_zero_and_shows_its_event_once() -> None:
    bench = TreeBench().set_up(StandStill("Dead", "robot", event="DEAD"))
    outcomes = bench.ticks(3)
    assert [outcome.command for outcome in outcomes] == [(0.0, 0.0)] * 3
    assert [outcome.cues for outcome in outcomes] == [["DEAD"], [], []]
    assert {outcome.status for outcome in outcomes} == {Status.RUNNING}


class Feeling(TreeBench):
    def feel(self, *zones: str, since: int = 0) -> bool:
        """Return whether a bump is reported now, of a contact that lasts since an instant (ns)."""
        return self.put(bumpers=Bumpers(*self.stamps(), frozenset(zones), since)).tick().status is Status.SUCCESS


def test_a_bump_is_reported_once_each_time_it_begins() -> None:
    bench = Feeling().set_up(Bumped("Bumped?", "robot"))
    reported = [bench.feel(*zones) for zones in ((), ("bump_left",), ("bump_left",), (), ("bump_right",))]
    assert reported == [False, True, False, False, True]


def test_contact_that_goes_on_is_reported_again_each_second_where_the_robot_stays() -> None:
    bench = Feeling().set_up(Bumped("Bumped?", "robot")).odometry()
    reported = [bench.feel("bump_left") for _ in range(120)]
    assert [tick for tick, is_reported in enumerate(reported) if is_reported] == [0, 50, 100]


def test_a_bumper_that_stays_pressed_while_the_robot_moves_on_hangs() -> None:
    bench = Feeling().set_up(Bumped("Bumped?", "robot")).odometry()
    assert bench.feel("bump_left")
    bench.odometry(0.15)
    assert not any(bench.feel("bump_left") for _ in range(120))
    assert "hangs" in bench.root.feedback_message
    assert not bench.feel()
    assert bench.feel("bump_left")


def test_a_bump_elsewhere_is_a_new_one_though_nobody_looked_when_the_bumper_was_released() -> None:
    bench = Feeling().set_up(Bumped("Bumped?", "robot")).odometry()
    assert bench.feel("bump_left", since=1)
    bench.odometry(0.5)
    assert bench.feel("bump_left", since=2)
    assert not bench.feel("bump_left", since=2)
