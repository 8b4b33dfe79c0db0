"""Following the sign: what the target says of a sign that stands or moves while the robot does."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, WIDTH, TreeBench, box
from py_trees.common import Status

from arena_trees.behaviours.track_sign import TrackBySource, TrackSign
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Target

LATENCY = 8 * TICK
"""Near the camera's 150 ms, and whole ticks."""

PINNED = {
    "vision_timeout": 0.2,
    "chase_lost_frames": 5,
    "sight_confirm_frames": 2,
    "kf_pixels_per_rad": 0.0,
    "camera_hfov_deg": 42.0,
    "camera_x": -0.06,
    "sign_size": 0.21,
    "sign_z": 0.415,
    "camera_z": 0.244,
}
FOCAL = WIDTH / 2.0 / math.tan(math.radians(21.0))


def tracking(strategy: str = "arena", **values: Any) -> tuple[TreeBench, Live[WolfParameters]]:
    live = Live(WolfParameters(**{**PINNED, **values}))
    leaf = {"arena": TrackSign, "source": TrackBySource}[strategy]
    return TreeBench().set_up(leaf("Track", "robot", live)), live


def target_of(bench: TreeBench) -> Target | None:
    assert bench.tick().status is Status.SUCCESS
    found: Target | None = bench.get("target")
    return found


def picture(pose: Pose2D, x: float, y: float, label: str = "rabbit_sign") -> Detection:
    """Return the box of a sign face on at (x, y), whose axis is half a sign behind, seen from a pose."""
    seen = pose.relative(Pose2D(x, y))
    ahead, left = seen.x + 0.06, seen.y
    size = FOCAL * 0.21 / (ahead - 0.105)
    row = WIDTH / 2.0 - FOCAL * (0.415 - 0.244) / (ahead - 0.105)
    return Detection(label, 0.9, WIDTH / 2.0 - FOCAL * left / ahead, row, size, size)


def swing(bench: TreeBench, walk: float, ticks: int = 160) -> list[tuple[float, float]]:
    """Turn to and fro while a sign is seen late; return errors (px) of the prediction and of the newest image."""
    poses, errors = [], []
    for k in range(ticks):
        t = to_seconds(k * TICK)
        pose = Pose2D(0.0, 0.0, 0.28 * math.sin(3.0 * t))
        side = walk * math.sin(0.7 * t)
        poses.append(picture(pose, 2.5, side))
        if k % 2 == 0:
            bench.odometry(pose.x, pose.y, pose.yaw, 0.0, 0.84 * math.cos(3.0 * t))
        if k % 4 == 0 and k >= 8:
            bench.see(poses[-9], delay=LATENCY)
        found = target_of(bench)
        if k >= 40 and found is not None:
            now_px = poses[-1].x
            errors.append((abs(found.predicted_px - now_px), abs(found.box.x - now_px)))
    return errors


@pytest.mark.parametrize("walk", [0.0, 0.15])
def test_an_old_image_is_carried_on_to_now(walk: float) -> None:
    """The prediction is far nearer to the column of now than the image, which is 160 ms old and more."""
    errors = swing(tracking(vision_timeout=0.7)[0], walk)
    predicted, raw = (sum(column) / len(errors) for column in zip(*errors, strict=True))
    assert raw > 20.0
    assert predicted < (2.0 if walk == 0.0 else 5.0)


def test_wrong_pixels_per_radian_lead_astray() -> None:
    """The Wolf and Rabbit report's error analysis: the rotation is compensated by the wrong amount."""

    def mean(pixels_per_radian: float) -> float:
        errors = swing(tracking(kf_pixels_per_rad=pixels_per_radian, vision_timeout=0.7)[0], 0.0)
        return sum(predicted for predicted, _ in errors) / len(errors)

    assert mean(0.0) == mean(FOCAL)
    right, document, double = mean(0.0), mean(240.0), mean(2.0 * FOCAL)
    assert 5.0 * right < document < double


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_a_standing_target_has_no_velocity_of_its_own(strategy: str) -> None:
    bench, _ = tracking(strategy=strategy, vision_timeout=0.7)
    for k in range(40):
        pose = Pose2D(0.0, 0.0, 0.01 * k - 0.2)
        bench.odometry(0.0, 0.0, pose.yaw, 0.0, 0.5).see(picture(pose, 2.5, 0.0))
        found = target_of(bench)
    assert abs(found.velocity_px) < 12.0


def test_the_target_lies_where_it_is_in_the_odom_frame() -> None:
    for pose in (Pose2D(), Pose2D(1.0, -0.5, 2.0), Pose2D(-1.0, 0.3, -3.0)):
        bench, _ = tracking()
        there = pose.compose(Pose2D(1.5, 0.2))
        bench.odometry(pose.x, pose.y, pose.yaw).see(picture(pose, there.x, there.y))
        found = target_of(bench)
        assert math.hypot(found.position[0] - there.x, found.position[1] - there.y) < 0.07
        assert found.range == pytest.approx(math.hypot(1.5, 0.2), abs=0.07)
        assert found.bearing == pytest.approx(math.atan2(0.2, 1.56), abs=0.01)


def test_the_range_shrinks_while_the_robot_closes_in_without_a_new_image() -> None:
    bench, _ = tracking(vision_timeout=2.0)
    first = target_of(bench.odometry().see(picture(Pose2D(), 2.0, 0.0)))
    later = target_of(bench.odometry(0.3))
    assert later.range == pytest.approx(first.range - 0.3, abs=0.01)


@pytest.mark.parametrize(("strategy", "refined"), [("arena", True), ("source", False)])
def test_ours_asks_the_lidar_for_the_range_of_a_near_target(strategy: str, refined: bool) -> None:
    bench, _ = tracking(strategy=strategy)
    hull = [(1.0 - 0.17 * math.cos(a), 0.17 * math.sin(a)) for a in (-0.6, -0.3, 0.0, 0.3, 0.6)]
    bench.odometry().points(*hull, (0.4, 0.3), (2.0, 0.0)).see(picture(Pose2D(), 0.95, 0.0))
    found = target_of(bench)
    assert (found.range == pytest.approx(1.0)) is refined
    assert (found.range_sigma < 0.03) is refined


@pytest.mark.parametrize("points", [[], [(0.4, 0.3)], [(2.5, 0.0)], [(0.0, 0.83)]])
def test_returns_from_elsewhere_are_not_the_hull(points: list[tuple[float, float]]) -> None:
    bench, _ = tracking()
    bench.odometry().see(picture(Pose2D(), 1.0, 0.0))
    alone = target_of(bench)
    bench, _ = tracking()
    bench.odometry().points(*points).see(picture(Pose2D(), 1.0, 0.0))
    beside = target_of(bench)
    assert beside.range == alone.range


def test_without_odometry_there_is_a_bearing_but_no_range() -> None:
    bench, _ = tracking()
    found = target_of(bench.see(picture(Pose2D(), 1.5, 0.3)))
    assert (found.range, found.position) == (None, None)
    assert found.bearing > 0.0


# Rows: s an image with the sign, o one without, w one with another sign, . no new image.
BELIEF = {
    ("arena", "s"): (False, False),
    ("arena", "ss"): (True, True),
    ("arena", "sos"): (False, False),
    ("arena", "sws"): (False, False),
    ("arena", "s..s"): (True, True),
    ("arena", "sso"): (True, True),
    ("source", "s"): (True, True),
    # 0.2 s are ten ticks; then five more until it is lost.
    ("arena", "ss" + "." * 15): (True, True),
    ("arena", "ss" + "." * 16): (True, False),
    ("arena", "ss" + "o" * 15): (True, True),
    ("arena", "ss" + "o" * 16): (True, False),
    ("source", "s" + "." * 15): (True, True),
    ("source", "s" + "." * 16): (True, False),
    # Seen anew just before it is lost it stays, and after that it must be confirmed again.
    ("arena", "ss" + "." * 14 + "s"): (True, True),
    ("arena", "ss" + "." * 16 + "s"): (False, False),
    ("arena", "ss" + "." * 16 + "ss"): (True, True),
    ("arena", "s" + "." * 30): (False, False),
}


@pytest.mark.parametrize(("case", "belief"), BELIEF.items(), ids=["-".join(case) for case in BELIEF])
def test_a_target_is_confirmed_in_sight_and_lost(case: tuple[str, str], belief: tuple[bool, bool]) -> None:
    strategy, rows = case
    bench, _ = tracking(strategy=strategy)
    bench.odometry()
    for row in rows:
        if row in "so":
            bench.see(*([box()] if row == "s" else []))
        elif row == "w":
            bench.see(box("wolf_sign"))
        found = target_of(bench)
    assert (found.confirmed, found.in_sight) == belief


def test_a_lost_target_keeps_what_was_last_known_of_it() -> None:
    bench, _ = tracking()
    bench.odometry().see(picture(Pose2D(), 1.5, 0.2))
    target_of(bench)
    bench.see(picture(Pose2D(), 1.5, 0.2))
    for _ in range(11):
        seen = target_of(bench)
    for _ in range(10):
        lost = target_of(bench)
    assert (seen.in_sight, lost.in_sight) == (True, False)
    assert lost.position == seen.position
    assert bench.root.feedback_message == "lost rabbit_sign"


def test_an_outlier_is_not_followed_and_of_several_boxes_the_most_confident_one_is():
    bench, _ = tracking()
    for _ in range(6):
        bench.odometry().see(box(x=100.0))
        target_of(bench)
    bench.see(box(x=240.0))
    found = target_of(bench)
    assert found.box.x == 100.0
    assert found.hits == 0
    bench, _ = tracking()
    bench.see(box(x=50.0, confidence=0.6), box("wolf_sign", x=10.0), box(x=90.0, confidence=0.8))
    found = target_of(bench)
    assert found.box.x == 90.0


def test_a_live_change_of_the_label_is_heard() -> None:
    bench, live = tracking()
    live.propose({"target_label": "carrot"})
    live.swap()
    assert target_of(bench.see(box("rabbit_sign"))) is None
    found = target_of(bench.see(box("carrot")))
    assert found is not None


def test_the_source_looks_a_fixed_time_ahead() -> None:
    bench, _ = tracking(strategy="source", kf_lookahead=0.15, vision_timeout=0.7)
    for k in range(60):
        bench.odometry().see(box(x=60.0 + 1.0 * k))
        found = target_of(bench)
    assert found.velocity_px == pytest.approx(50.0, abs=3.0)
    assert found.predicted_px == pytest.approx(found.filtered_px + 0.15 * found.velocity_px)


def test_a_new_run_begins_without_a_target() -> None:
    bench, _ = tracking()
    leaf = bench.root
    assert target_of(bench.odometry().see(box())) is not None
    bench.put(detections=None).set_up(leaf)
    assert bench.get("target") is None
    assert target_of(bench) is None
    assert bench.now > SECOND
