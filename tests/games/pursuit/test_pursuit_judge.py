"""The judge of a pursuit, on observations made by hand."""

from __future__ import annotations

import math

import pytest
from helpers.pursuits import BALL, CAMERA, TICK, context, quarry, sample, tick

from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.judge import PursuitJudge
from arena_trees.games.pursuit.messages import AtHome
from arena_trees.games.pursuit.sightings import VisibilityModel
from arena_trees.games.truth import End, Observation
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.world.body import Barrel, Body, Turret
from arena_trees.world.line_of_sight import LineOfSight

BOX = {"name": "box", "pose": [1.0, 0.0, 0.0], "size": [0.2, 1.0, 1.0]}


class Trial:
    """Shows a judge one tick after the other."""

    def __init__(self, *boxes: dict, **values) -> None:
        self.judge = PursuitJudge(context(*boxes, **values))
        self.now = 0

    def show(
        self,
        ticks: int = 1,
        *,
        x: float = 2.0,
        y: float = 0.0,
        yaw: float = 0.0,
        fired: bool = False,
        believed=None,
        v: tuple[float, float] = (0.0, 0.0),
        heading: float = 0.0,
        reckoned: Pose2D | None = None,
        chaser: Pose2D = HOME,
        contacts: frozenset[str] = frozenset(),
        messages: tuple[Message, ...] = (),
        end: End | None = None,
    ) -> Trial:
        for _ in range(ticks):
            one = sample("chaser", self.now, chaser.x, chaser.y, chaser.yaw + yaw, v[0], fired=fired, contacts=contacts)
            truth = {"chaser": one, "evader": sample("evader", self.now, x, y, heading, v[1])}
            records = {
                "chaser": tick("chaser", self.now, believed, reckoned),
                "evader": tick("evader", self.now, None, reckoned),
            }
            self.judge.observe(Observation(self.now, TICK, truth, records, messages, end=end))
            self.now += TICK
        return self

    def __getitem__(self, name: str):
        return self.judge.values()[name]


def test_shots_are_counted_up_to_the_hit():
    trial = (
        Trial().show(50).show(fired=True, yaw=0.1).show(20, fired=True).show(40).show(fired=True).show(10, fired=True)
    )
    assert (trial["shots"], trial["shots_ignored"], trial["shots_per_hit"]) == (2, 20, 2)
    assert trial["shot_hit_share"] == 0.5
    assert (trial["hit"], trial["first_shot_hit"]) == (True, False)
    assert trial["time_to_hit_s"] == pytest.approx(111 * 0.02)
    assert [mark.label for mark in trial.judge.marks()] == ["missed", "hit"]


def test_a_trial_without_a_shot_has_no_first_one():
    trial = Trial().show(10)
    assert (trial["hit"], trial["first_shot_hit"], trial["shots_per_hit"], trial["aim_error_deg"]) == (
        False,
        *[None] * 3,
    )


@pytest.mark.parametrize(("heading", "behind"), [(math.pi / 2, -1.0), (-math.pi / 2, 1.0)])
def test_the_bias_is_negative_behind_the_moving_ball(heading, behind):
    # The barrel points half a degree to the right of the ball, which moves to the left, or to the right.
    trial = Trial().show(fired=True, yaw=-math.radians(0.5), v=(0.0, 0.2), heading=heading)
    assert trial["aim_error_deg"] == pytest.approx(0.5)
    assert trial["aim_bias_deg"] == pytest.approx(0.5 * behind)


def test_a_ball_that_stands_is_neither_led_nor_followed_and_a_shot_beyond_the_reach_told_apart():
    trial = Trial().show(fired=True, yaw=0.005)
    assert trial["aim_bias_deg"] is None
    assert Trial().show(fired=True, x=3.2)["shots_beyond_reach"] == 1
    assert Trial().show(fired=True, x=2.9)["shots_beyond_reach"] == 0


def test_ranges_are_judged_in_percent_and_from_one_to_eight_metres():
    trial = Trial().show(10, x=2.0, believed=quarry(2.2, 0.0)).show(10, x=4.0, believed=quarry(3.8, 0.0))
    trial.show(10, x=0.9, believed=quarry(3.0, 0.0)).show(10, x=8.5, believed=quarry(3.0, 0.0))
    assert trial["range_ticks"] == 20
    assert trial["range_mae_pct"] == pytest.approx((10.0 + 5.0) / 2.0)
    assert trial["range_bias_pct"] == pytest.approx((10.0 - 5.0) / 2.0)


def test_detection_is_timed_from_when_the_ball_can_be_seen():
    trial = Trial().show(20, yaw=1.0).show(10).show(5, believed=quarry(2.0, 0.0))
    assert trial["sightings"] == 1
    assert trial["detection_latency_s"] == pytest.approx(0.2)
    assert trial["missed_sightings"] == 0


def test_a_ball_that_was_in_the_picture_and_not_believed_is_missed():
    trial = Trial().show(20).show(20, yaw=1.0)
    assert (trial["sightings"], trial["missed_sightings"]) == (0, 1)
    # One that a wall hides is not missed.
    assert Trial(BOX).show(20).show(20, yaw=1.0)["missed_sightings"] == 0


def test_loss_is_timed_from_when_the_ball_is_gone_and_its_last_place_compared():
    trial = Trial().show(10, believed=quarry(2.1, 0.0)).show(15, yaw=1.0, believed=quarry(2.1, 0.0)).show(5, yaw=1.0)
    assert trial["losses"] == 1
    assert trial["loss_latency_s"] == pytest.approx(0.3)
    assert trial["last_seen_error_m"] == pytest.approx(0.1)
    assert trial["false_detections"] == 0


def test_a_belief_with_nothing_in_the_picture_is_false():
    trial = Trial(BOX).show(10).show(100, believed=quarry(2.0, 0.0)).show(10)
    assert trial["false_detections"] == 1
    assert trial["false_detections_per_10_min"] == pytest.approx(600.0 / 2.4)


@pytest.mark.parametrize(
    ("bearing", "away", "times"),
    [(0.1, 2.0, 0), (0.36, 2.0, 0), (0.5, 2.0, 1), (0.0, 3.9, 0), (0.0, 4.1, 1), (0.0, 0.9, 1)],
)
def test_a_belief_in_something_else_than_the_ball_is_false(bearing, away, times):
    believed = quarry(away, 0.0, bearing=bearing)
    assert Trial().show(10).show(100, believed=believed)["false_detections"] == times
    # One that goes astray later on is, too.
    assert Trial().show(50, believed=quarry(2.0, 0.0)).show(100, believed=believed)["false_detections"] == times


def test_the_odometry_is_compared_with_the_truth():
    trial = Trial().show(reckoned=Pose2D(0.3, 0.4, 0.0))
    assert trial["chaser_odometry_error_m"] == pytest.approx(0.5)
    # The evader began at (2, 0), where it is.
    assert trial["evader_odometry_error_m"] == pytest.approx(0.5)
    assert [shape.name for shape in trial.judge.shapes()] == ["chaser by its odometry", "evader by its odometry"]


def test_home_is_where_the_chaser_says_so_after_the_hit_in_a_word_that_can_be_read():
    word = Message("at_home", "chaser", 0, 1, 0, AtHome(x=0.01, y=0.0, yaw=0.02).encode())
    trial = Trial().show(messages=(word,)).show(fired=True)
    assert trial["return_error_m"] is None
    trial.show(chaser=Pose2D(0.03, 0.04, -0.1), messages=(word,), end=End("home", "hit, and home", 40_000_000))
    assert trial["return_error_m"] == pytest.approx(0.05)
    assert trial["return_error_deg"] == pytest.approx(math.degrees(0.1))
    assert (trial["return_believed_m"], trial["return_believed_deg"]) == (0.01, pytest.approx(math.degrees(0.02)))
    assert (trial.judge.over, trial.judge.outcome) == (True, "home")
    word = Message("at_home", "chaser", 0, 1, 0, {"x": "here"})
    trial = Trial().show(fired=True).show(messages=(word,))
    assert trial["return_error_m"] is None


def test_time_ends_it_as_hit_or_escaped():
    for fired, outcome in ((True, "hit"), (False, "escaped")):
        trial = Trial(duration_s=1.0).show(fired=fired).show(49)
        assert (trial.judge.over, trial.judge.outcome) == (True, outcome)


def test_in_isolation_a_hit_ends_the_trial_by_the_truth():
    trial = Trial(isolated=True).show(10).show(fired=True).show(24)
    assert not trial.judge.over
    trial.show()
    assert (trial.judge.over, trial.judge.outcome, trial.judge.ended_s) == (True, "hit", pytest.approx(0.2))


def test_only_what_the_chaser_touches_counts_for_it():
    assert Trial().show()["contact_free"]
    trial = Trial().show(contacts=frozenset({"wall"}))
    assert (trial["contact_free"], trial["collisions"]) == (False, 1)


def test_the_eye_has_the_edges_of_its_picture_and_turns_with_the_turret():
    eye = VisibilityModel(Body(barrel=Barrel()), CAMERA, BALL, LineOfSight(()))
    half = CAMERA.hfov / 2.0
    for off, sees in ((-0.01, True), (0.01, False)):
        angle = half + off
        assert (
            eye.sees(sample("chaser", 0, 0, 0), sample("evader", 0, 3 * math.cos(angle), 3 * math.sin(angle))) is sees
        )
    assert not eye.sees(sample("chaser", 0, 0, 0), sample("evader", 0, 8.1, 0))
    assert eye.may_see(sample("chaser", 0, 0, 0), sample("evader", 0, 8.1, 0))
    turning = VisibilityModel(Body(barrel=Barrel(), turret=Turret()), CAMERA, BALL, LineOfSight(()))
    assert turning.sees(sample("chaser", 0, 0, 0, turret=(1.5, 0.0)), sample("evader", 0, 0.2, 3.0))
    assert not turning.sees(sample("chaser", 0, 0, 0, turret=(0.0, 0.0)), sample("evader", 0, 0.2, 3.0))


def test_charts_and_shapes_can_be_drawn_of_a_trial_that_was_never_observed():
    judge = PursuitJudge(context())
    assert [len(chart.curves[0].xs) for chart in judge.charts()] == [0, 0]
    assert judge.marks() == []
    assert judge.values()["hit"] is False


def test_charts_have_five_points_a_second_and_two_believed_places_are_drawn():
    trial = Trial().show(50, believed=quarry(2.0, 0.0), reckoned=HOME)
    assert [len(chart.curves[0].xs) for chart in trial.judge.charts()] == [5, 5]
    shapes = trial.judge.shapes()
    assert [shape.group for shape in shapes].count("believed") == 2
    assert {len(shape.points) for shape in shapes if shape.group == "odometry"} == {5}
