"""Robots that drive over a crossing in the arena: they cross, meet nobody, and no tree drives over a line by itself."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest
from helpers.graphics import needs_graphics
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError

SEED = 7
INSIDE = {"Enter", "Drive through"}


def planned(name: str = "crossroads_lidar", **changes: Any) -> TrialPlan:
    small = {"seed": SEED, "duration_s": 40.0, "robots.count": 2, "rules.plan.size": 3.0, **changes}
    return make_plan(apply_changes(load_scenario(find_scenario(name)), small), "a test")


def played(plan: TrialPlan) -> Iterator[Trial]:
    """Play a trial to its end; yield it after each step."""
    with closing(Trial(plan, 0)) as trial:
        trial.begin()
        while not trial.judge.over:
            trial.step()
            yield trial


def assert_that_nobody_meets(values: Mapping[str, Any]) -> None:
    assert (values["conflicts"], values["collisions"], values["robot_contacts"]) == (0, 0, 0)


def test_two_robots_turn_left_by_lidar_and_odometry_and_meet_nobody():
    values = run_trial(planned(duration_s=28.0, **{"crosser.movement": "left"}), 0).values
    assert values["crossings"] == values["left_turns"] == 2
    assert values["left_turn_success_rate"] == values["turn_success_rate"] == 1.0
    assert_that_they_drive_well(values)


@pytest.mark.slow
def test_robots_cross_by_lidar_and_odometry_and_meet_nobody():
    values = run_trial(planned(duration_s=45.0, **{"robots.count": 4}), 0).values
    assert values["crossings"] >= 4
    assert values["turn_success_rate"] == 1.0
    assert_that_they_drive_well(values)


def assert_that_they_drive_well(values: Mapping[str, Any]) -> None:
    assert_that_nobody_meets(values)
    assert (values["stalls"], values["false_stages"], values["latched_robots"]) == (0, 0, 0)
    assert values["min_separation_m"] >= 0.45
    assert values["lane_rms_m"] < 0.01
    assert values["stop_error_m"] < 0.06


def test_the_same_seed_gives_the_same_trace():
    plan = planned(duration_s=6.0)
    traces = [run_trial(plan, index, trace=True).trace_sha256 for index in (0, 0, 1)]
    assert traces[0] == traces[1] != traces[2]


@needs_graphics
@pytest.mark.parametrize(("duration_s", "turns"), [(3.0, 0), pytest.param(24.0, 1, marks=pytest.mark.slow)])
def test_robots_cross_by_rendered_lanes_without_walls(duration_s: float, turns: int):
    changes = {"robots.count": 1, "rules.localiser.walls": False, "crosser.movement": "left"}
    seen = set()
    for trial in played(planned("crossroads_rendered", duration_s=duration_s, **changes)):
        lane = trial.loops["robot_1"].percepts.lane
        seen.add(lane is not None and lane.confidence > 0.5)
        values = trial.judge.values() if trial.judge.over else {}
    assert seen == {False, True}
    if turns:
        assert values["left_turns"] >= turns
        assert values["left_turn_success_rate"] == 1.0
        assert values["lane_rms_m"] < 0.03


@pytest.mark.slow
def test_messages_that_get_lost_and_late_cost_time_and_nothing_else():
    values = run_trial(planned(duration_s=30.0, **{"bus.loss": 0.2, "bus.delay_s": 0.5}), 0).values
    assert values["crossings"] >= 2
    assert_that_nobody_meets(values)


def test_a_scheduler_that_dies_lets_nobody_in_until_it_is_back():
    deaths = [{"dies": "scheduler", "at_s": 0.0, "for_s": 15.0}]
    entered = (
        trial.arena.now / 1e9
        for trial in played(planned(duration_s=20.0, **{"rules.deaths": deaths}))
        if any(record.active in INSIDE for record in trial.records.values())
    )
    with closing(entered):
        # With its roster it opens as soon as all have answered.
        assert 15.0 < next(entered) < 20.0


@pytest.mark.parametrize(
    ("robots", "lies_s", "duration_s"), [(3, 8.0, 28.0), pytest.param(4, 15.0, 45.0, marks=pytest.mark.slow)]
)
def test_a_robot_that_dies_in_the_box_closes_its_cells_until_it_is_carried_away(robots, lies_s, duration_s):
    deaths = [{"dies": "robot", "at_s": 10.0, "for_s": lies_s}]
    alive, places = set(), {}
    for trial in played(planned(duration_s=duration_s, **{"robots.count": robots, "rules.deaths": deaths})):
        if set(trial.records) != alive:
            alive = set(trial.records)
            died = trial.arena.now
        for name in set(trial.loops) - alive:
            places[trial.arena.now] = trial.arena.true_pose(name)
        values = trial.run_result().values if trial.judge.over else {}
    assert len(alive) == robots - 1
    lying = [place for now, place in places.items() if died + SECOND < now < died + (lies_s - 1.0) * SECOND]
    # It died with its centre in the box, 0.6 m to each side, and its base drives on for its watchdog's half second.
    assert max(abs(lying[0].x), abs(lying[0].y)) < 0.6 + 0.25
    assert lying[0].distance_to(lying[-1].x, lying[-1].y) < 1e-3, "its base stands"
    gone = [place for now, place in places.items() if now > died + (lies_s + 1.0) * SECOND]
    assert all(min(abs(place.x), abs(place.y)) > 1.0 for place in gone), "behind the walls"
    assert_that_nobody_meets(values)
    assert (values["stalls"], values["false_stages"], values["latched_robots"]) == (0, 0, 0)
    assert values["min_separation_m"] >= 0.45
    assert values["crossings"] >= robots - 2
    if robots == 4:
        # One of them waits for it, so that it enters at once.
        assert 0.0 < values["flows_again_s"] <= values["enters_again_s"] <= 5.0


@pytest.mark.slow
def test_robots_that_are_named_die_where_they_are_and_nobody_need_clear_them():
    deaths = [{"dies": "robot", "robot": "robot_1"}, {"dies": "robot", "robot": "robot_2", "for_s": 5.0}]
    values = run_trial(planned(duration_s=26.0, **{"robots.count": 3, "rules.deaths": deaths}), 0).values
    assert_that_nobody_meets(values)
    assert values["crossings"] >= 1
    assert "flows_again_s" not in values, "one of them is there still"


def test_a_sensor_that_falls_silent_stops_its_robot_which_then_goes_on_from_there():
    reasons = {"robot_1": "scan stale", "robot_2": "localisation lost"}
    faults = [
        {"robot": robot, "sensor": sensor, "at_s": 11.0, "for_s": 4.0}
        for robot, sensor in zip(reasons, ("scan", "odometry"), strict=True)
    ]
    speeds, given = [], {}
    for trial in played(planned(duration_s=28.0, faults=faults)):
        if 12 * SECOND < trial.arena.now < 14 * SECOND:
            speeds += [abs(trial.arena.true_twist(robot).linear) for robot in reasons]
            for robot in reasons:
                given.setdefault(robot, set()).update(trial.records[robot].reasons)
        values = trial.judge.values() if trial.judge.over else {}
    assert max(speeds) < 0.01
    assert given == {robot: {reason} for robot, reason in reasons.items()}
    assert values["crossings"] == 2
    assert_that_nobody_meets(values)
    assert values["false_stages"] == 0
    assert values["lane_rms_m"] < 0.01


class Reckless(ActionBehaviour):
    """Drives straight on, whatever it hears."""

    def update(self) -> Status:
        self.drive(0.3, 0.0)
        return Status.RUNNING


def test_the_gate_stops_a_tree_that_asks_for_no_lease_before_the_line():
    plan = planned(duration_s=15.0, **{"robots.count": 1})
    fronts, reasons = [], set()
    for trial in played(plan.with_trees({"robot_1": lambda robot, live, streams: Reckless("Drive on", robot)})):
        fronts.append(trial.arena.true_pose("robot_1").y + 0.17)
        reasons.update(trial.records["robot_1"].reasons)
    line = -0.7
    assert max(fronts) < line
    assert max(fronts) > line - 0.15
    assert "stop line" in reasons


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"robots.count": 8}, r"a test: rules\.plan\.size"),
        ({"rules.plan.size": 1.5}, r"a test: rules\.plan\.size"),
        ({"rules.deaths": [{"dies": "robot", "robot": "robot_9"}]}, r"a test: rules\.deaths\.0\.robot"),
        ({"faults": [{"robot": "wolf"}]}, r"faults\.0\.robot"),
        ({"faults": [{"robot": "robot_1", "sensor": "nose"}]}, r"faults\.0\.sensor"),
        ({"strategy": "source"}, "a test: strategy: needs rules.protocol"),
        ({"strategy": "source", "rules.protocol": "source"}, "a test: strategy: steers by pictures .* rendered"),
        ({"crosser.no_such": 1}, r"a test: crosser\.no_such"),
        ({"crosser.cruise_speed": float("inf")}, r"a test: crosser\.cruise_speed"),
        ({"crosser.sensors.lidar.no_such": 1}, r"a test: crosser\.sensors\.lidar\.no_such"),
        ({"rules.localiser.gate": float("nan")}, r"rules\.localiser\.gate"),
        # Shorter than a crossing takes.
        ({"rules.times.lease": 8.0}, r"a test: rules\.times\.lease"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        planned(**changes)


def test_robots_steer_as_the_report_by_its_protocol_and_with_cameras():
    plan = planned(strategy="source", **{"rules.protocol": "source", "rules.sensing": "rendered"})
    assert {robot.parameters.strategy for robot in plan.robots.values()} == {"source"}
    assert {robot.sensors.lanes.kind for robot in plan.robots.values()} == {"rendered"}
    # The protocol is another choice: with it, robots steer as they do with ours.
    plan = planned(**{"rules.protocol": "source"})
    assert {robot.parameters.strategy for robot in plan.robots.values()} == {"arena"}
