"""Odometry and localisation: frames, drift, jumps, stamps."""

import itertools
import math

import numpy as np
import pytest
from helpers.surroundings import nowhere

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.localisation import Localisation, LocalisationParameters
from arena_trees.simulation.sensors.odometry import OdometryParameters, OdometrySensor

EXACT = dict.fromkeys(("distance_scale", "yaw_scale", "distance_walk", "yaw_walk", "speed_noise", "rate_noise"), 0.0)


def straight_errors(parameters, metres, seeds):
    """Return the errors along and across, and of the yaw, after a straight drive; one row a seed."""
    rows = []
    for seed in range(seeds):
        sensor = OdometrySensor(parameters, nowhere(RandomStreams(seed).generator("odometry"), Pose2D(1.0, 2.0, 0.5)))
        ticks = round(metres / (0.3 * 0.02))
        for tick in range(1, ticks + 1):
            pose = Pose2D(1.0, 2.0, 0.5).compose(Pose2D(0.3 * 0.02 * tick))
            sensor.update(tick * TICK, RobotTruth(pose, Twist2D(0.3, 0.0)))
        odometry = sensor.delivery.newest(ticks * TICK)
        driven = 0.3 * 0.02 * (odometry.stamp // TICK)
        rows.append((odometry.pose.x - driven, odometry.pose.y, odometry.pose.yaw))
    return np.array(rows)


def test_the_odom_frame_begins_where_the_robot_stands():
    start = Pose2D(1.0, -1.0, 2.0)
    sensor = OdometrySensor(OdometryParameters(**EXACT), nowhere(RandomStreams(1).generator("odometry"), start))
    sensor.update(TICK * 5, RobotTruth(start, Twist2D()))
    assert sensor.delivery.newest(TICK * 5).pose == Pose2D()
    moved = start.compose(Pose2D(0.4, 0.1, 0.3))
    sensor.update(TICK * 10, RobotTruth(moved, Twist2D(0.2, 0.1)))
    odometry = sensor.delivery.newest(TICK * 10)
    assert (odometry.pose.x, odometry.pose.y, odometry.pose.yaw) == pytest.approx((0.4, 0.1, 0.3))
    assert odometry.twist == Twist2D(0.2, 0.1)


def test_between_messages_dead_reckoning_is_carried_on_with_the_same_scales_and_no_noise():
    only_scales = {**EXACT, "distance_scale": 0.05, "yaw_scale": 0.05}
    start = Pose2D(1.0, -1.0, 2.0)
    sensor = OdometrySensor(OdometryParameters(**only_scales), nowhere(RandomStreams(1).generator("odometry"), start))
    sensor.update(TICK * 5, RobotTruth(start.compose(Pose2D(0.3, 0.0, 0.2)), Twist2D()))
    assert sensor.reckon(start.compose(Pose2D(0.3, 0.0, 0.2))) == sensor.delivery.newest(TICK * 5).pose
    moved = start.compose(Pose2D(0.6, 0.1, 0.5))
    reckoned = sensor.reckon(moved)
    sensor.update(TICK * 10, RobotTruth(moved, Twist2D()))
    assert sensor.delivery.newest(TICK * 10).pose == reckoned
    assert reckoned != Pose2D(0.6, 0.1, 0.5)


def test_scale_errors_differ_between_robots_by_their_deviation():
    errors = straight_errors(OdometryParameters(**{**EXACT, "distance_scale": 0.02}), 3.0, 200)
    assert errors[:, 0].std() == pytest.approx(0.06, rel=0.15)
    assert abs(errors[:, 0].mean()) < 0.015
    assert np.abs(errors[:, 1:]).max() < 1e-9


def test_the_walk_grows_with_the_root_of_the_distance_and_one_that_stands_does_not_drift():
    parameters = OdometryParameters(**{**EXACT, "yaw_walk": 0.02, "distance_walk": 0.01})
    short, long = (straight_errors(parameters, metres, 150) for metres in (1.0, 4.0))
    assert short[:, 2].std() == pytest.approx(0.02, rel=0.2)
    assert long[:, 2].std() == pytest.approx(0.04, rel=0.2)
    assert long[:, 1].std() > 2.0 * short[:, 1].std()
    sensor = OdometrySensor(OdometryParameters(), nowhere(RandomStreams(3).generator("odometry"), Pose2D(1.0, 1.0)))
    for tick in range(500):
        sensor.update(tick * TICK, RobotTruth(Pose2D(1.0, 1.0), Twist2D()))
    assert sensor.delivery.newest(500 * TICK).pose == Pose2D()


def test_home_slip_comes_after_the_first_message():
    parameters = OdometryParameters(**EXACT, slip_m=0.2, slip_yaw=0.1)
    sensor = OdometrySensor(parameters, nowhere(RandomStreams(3).generator("odometry"), Pose2D()))
    poses = []
    for tick in range(50):
        sensor.update(tick * TICK, RobotTruth(Pose2D(), Twist2D()))
        odometry = sensor.delivery.newest(tick * TICK)
        if odometry is not None:
            poses.append(odometry.pose)
    assert poses[0] == Pose2D()
    assert poses[-1] == Pose2D(0.2, 0.0, 0.1)


def estimates(parameters, minutes):
    pose = Pose2D(1.0, -0.5, 3.1)
    sensor = Localisation(parameters, nowhere(RandomStreams(1).generator("localisation")))
    found = []
    for tick in range(1, round(minutes * 3000) + 1):
        sensor.update(tick * TICK, RobotTruth(pose))
        estimate = sensor.delivery.newest(tick * TICK)
        if estimate is not None and (not found or estimate.sequence > found[-1].sequence):
            found.append(estimate)
    return found


def test_noise_has_the_stated_size_and_is_correlated():
    found = estimates(LocalisationParameters(jumps_per_minute=0.0), 20)
    x = np.array([estimate.pose.x - 1.0 for estimate in found])
    yaw = np.array([math.remainder(estimate.pose.yaw - 3.1, math.tau) for estimate in found])
    assert x.std() == pytest.approx(0.02, rel=0.2)
    assert yaw.std() == pytest.approx(0.01, rel=0.2)
    # After one time constant of 2 s, 40 poses, a correlation of 1/e is left.
    assert np.corrcoef(x[:-40], x[40:])[0, 1] == pytest.approx(math.exp(-1.0), abs=0.15)
    assert all(abs(estimate.pose.yaw) <= math.pi for estimate in found)


def test_jumps_are_rare_and_of_their_length():
    found = estimates(LocalisationParameters(noise_m=0.0, noise_yaw=0.0, jumps_per_minute=3.0), 20)
    steps = [math.dist((a.pose.x, a.pose.y), (b.pose.x, b.pose.y)) for a, b in itertools.pairwise(found)]
    jumps = [step for step in steps if step > 0.05]
    assert 35 <= len(jumps) <= 90
    assert np.mean(jumps) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("recovery_s", [1.0, 10.0])
def test_jumps_are_forgotten_in_their_own_time(recovery_s):
    quiet = {"noise_m": 0.0, "noise_yaw": 0.0, "correlation_s": 0.1}
    found = estimates(LocalisationParameters(**quiet, jumps_per_minute=0.5, jump_m=0.3, jump_recovery_s=recovery_s), 20)
    errors = [math.dist((one.pose.x, one.pose.y), (1.0, -0.5)) for one in found]
    # Mean of an error that decays exponentially after each jump, where jumps are rare: rate x length x time.
    assert np.mean(errors) == pytest.approx(0.5 / 60.0 * 0.3 * recovery_s, rel=0.6)
    after = np.array(errors[:-20])[np.array(errors[:-20]) > 0.25]
    assert len(after) > 0


def test_a_map_that_lies_off_turns_and_shifts_every_pose_alike():
    quiet = {"noise_m": 0.0, "noise_yaw": 0.0, "jumps_per_minute": 0.0}
    found = estimates(LocalisationParameters(**quiet, offset_m=0.05, offset_yaw=0.02), 0.2)
    assert len({(one.pose.x, one.pose.y) for one in found}) == 1
    turned = math.remainder(found[0].pose.yaw - 3.1, math.tau)
    assert abs(turned) == pytest.approx(0.02)
    shift = Pose2D(found[0].pose.x, found[0].pose.y, found[0].pose.yaw).compose(
        Pose2D(1.0, -0.5, 3.1).relative(Pose2D())
    )
    assert math.hypot(shift.x, shift.y) == pytest.approx(0.05)


def test_drift_grows_by_the_minute():
    found = estimates(LocalisationParameters(noise_m=0.0, jumps_per_minute=0.0, drift_m_per_min=0.3), 2)
    assert math.dist((found[-1].pose.x, found[-1].pose.y), (1.0, -0.5)) == pytest.approx(0.6, abs=0.01)


def test_the_stamp_lies_in_the_future_and_the_arrival_does_not():
    estimate = estimates(LocalisationParameters(), 0.1)[0]
    assert estimate.stamp - estimate.arrival == round(0.08 * SECOND)
    assert estimate.age(estimate.arrival + SECOND) == SECOND
