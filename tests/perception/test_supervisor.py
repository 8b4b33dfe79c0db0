import math

import pytest

from arena_trees.perception.supervisor import GeofenceSupervisor, detail
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import FenceStatus, PoseEstimate
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.world.geofence import Geofence

SQUARE = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
WOLF = Geofence("wolf", SQUARE)


def at(x, now, y=0.0):
    return PoseEstimate(now, now, now // 20_000_000 + 1, Pose2D(x, y, 0.0))


def test_ten_reports_a_second():
    supervisor = GeofenceSupervisor(WOLF)
    sequences = [supervisor.update(tick * 20_000_000, at(0.0, tick * 20_000_000)).sequence for tick in range(100)]
    assert sequences[-1] == 20
    assert sequences[:6] == [1, 1, 1, 1, 1, 2]
    # A loop that does not meet the instants keeps the rate on average.
    supervisor = GeofenceSupervisor(WOLF)
    for tick in range(100):
        report = supervisor.update(tick * 33_000_000, at(0.0, tick * 33_000_000))
    assert 32 <= report.sequence <= 34


def test_a_report_says_where_the_robot_is():
    report = GeofenceSupervisor(WOLF).update(0, at(1.7, 0))
    assert report.status is FenceStatus.WARNING
    assert report.distance == pytest.approx(0.3)
    assert report.zone == "wolf"
    assert report.centroid == (0.0, 0.0)
    assert report.way_inside == (1.7, 0.0)
    outside = GeofenceSupervisor(WOLF).update(0, at(2.3, 0))
    assert outside.status is FenceStatus.BREACH
    assert outside.distance == pytest.approx(-0.3)
    assert outside.way_inside == pytest.approx((1.73, 0.0))


def test_hysteresis_through_the_reports():
    supervisor = GeofenceSupervisor(WOLF)
    statuses = []
    for index, distance in enumerate([0.6, 0.49, 0.52, 0.56, -0.01, 0.03, 0.06, 0.52]):
        now = index * from_seconds(0.1)
        statuses.append(supervisor.update(now, at(2.0 - distance, now)).status.value)
    assert statuses == ["SAFE", "WARNING", "WARNING", "SAFE", "BREACH", "BREACH", "WARNING", "WARNING"]


@pytest.mark.parametrize("pose", [None, at(math.nan, 1), at(math.inf, 1)])
def test_without_a_usable_pose_nothing_is_known(pose):
    report = GeofenceSupervisor(WOLF).update(1, pose)
    assert report.status is FenceStatus.UNKNOWN
    assert report.distance == -math.inf
    assert WOLF.inside(*report.way_inside)


def test_an_old_pose_is_no_pose():
    supervisor = GeofenceSupervisor(WOLF)
    pose = at(0.0, 0)
    assert supervisor.update(from_seconds(0.5), pose).status is FenceStatus.SAFE
    assert supervisor.update(from_seconds(0.6), pose).status is FenceStatus.UNKNOWN


def test_the_clock_going_back_makes_a_new_report_at_once():
    supervisor = GeofenceSupervisor(WOLF)
    first = supervisor.update(from_seconds(9.0), at(0.0, from_seconds(9.0)))
    second = supervisor.update(from_seconds(1.0), at(0.0, from_seconds(9.0)))
    assert second.sequence == first.sequence + 1
    assert second.status is FenceStatus.UNKNOWN
    now = from_seconds(1.1)
    assert supervisor.update(now, at(0.0, now)).status is FenceStatus.SAFE


def test_the_band_widens_with_speed():
    supervisor = GeofenceSupervisor(WOLF, parameters=FenceParameters(warning_distance=0.1))
    assert supervisor.update(0, at(1.85, 0), speed=0.0).status is FenceStatus.SAFE
    now = from_seconds(0.1)
    assert supervisor.update(now, at(1.85, now), speed=0.306).status is FenceStatus.WARNING


def test_detail_is_the_documents_string():
    report = GeofenceSupervisor(WOLF).update(0, at(1.47, 0))
    assert detail(report).startswith("status=SAFE dist=0.53 ")
    words = dict(word.split("=") for word in detail(report).split())
    assert words["zone"] == "wolf"
    assert float(words["way_x"]) == 1.47
