"""Recordings are judged from outside as the arena judges its trials, and by truths of which it is known how good."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import yaml
from helpers.commands import call, complaint
from helpers.foreign_bags import DATA, header, message, pose, serialise
from helpers.recorded import by_hand
from helpers.scenario_plans import planned
from scipy.spatial.transform import Rotation

from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.games.game import Player
from arena_trees.games.truth import End
from arena_trees.recording.bags.bag import TRANSFORM, kinds
from arena_trees.recording.bags.reader import read_bag
from arena_trees.recording.bags.writer import BagWriter, Topic
from arena_trees.recording.judging.judged_recording import TruthChoice, judge_recording
from arena_trees.recording.judging.judgement import UNKNOWN, Round, rounds_of
from arena_trees.recording.judging.pose_measurement import PoseMeasurement
from arena_trees.recording.judging.recorded_contacts import recorded_contacts
from arena_trees.recording.judging.recorded_truth import RecordedTruth
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import RobotRecording
from arena_trees.recording.traces.tick import Tick
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Bumpers
from arena_trees.robot.timing import TICK

STAMPED, COVARIANCE = "geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/PoseWithCovarianceStamped"
UP = Rotation.from_euler("xz", (90.0, 30.0), degrees=True)
"""From the map's axes to those of a tracking system of which y points up."""


def played(folder, scenario="wolf_rabbit_open", **changes):
    """Play and record a trial; return its result and the path of its recording."""
    plan = planned(scenario, **changes)
    return run_trial(plan, 0, watch=RecordTrials(folder, scenario)), folder / "trial_000"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Look for files that a refused command has written in a folder that is small."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def caught(tmp_path_factory):
    return played(tmp_path_factory.mktemp("caught"), seed=1004)


def truths(path):
    """Return each robot's true poses in a recording of the arena."""
    return {name: robot.truth for name, robot in load_recording(path).robots.items()}


def copied(path, folder, topics, messages, without=()):
    """Return a copy of a recording with further topics and (number of the topic, instant, message) in it."""
    bag = read_bag(path, kinds())
    known = [topic for topic in bag.topics if topic.name.rpartition("/")[2] not in without]
    places = {topic[:2]: number for number, topic in enumerate(known)}
    writer = BagWriter(folder, [*(Topic(topic.name, topic.type) for topic in known), *(Topic(*one) for one in topics)])
    for one in bag.messages():
        if one.topic[:2] in places:
            writer.write(places[one.topic[:2]], one.time, bytes(one.data))
    for number, now, value in messages:
        writer.write(len(known) + number, now, serialise(value))
    writer.close()
    return folder


def with_covariance(now, place, sigma, sigma_yaw):
    covariance = np.zeros(36)
    covariance[0] = covariance[7] = sigma**2
    covariance[35] = sigma_yaw**2
    inner = message("geometry_msgs/msg/PoseWithCovariance", pose=pose(*place), covariance=covariance)
    return message(COVARIANCE, header=header(now, "map"), pose=inner)


def test_a_recording_is_judged_as_the_arena_judged_the_trial(caught):
    result, path = caught
    (trial,) = judge_recording(path).trials()
    assert (trial.outcome, trial.reason, trial.seed) == ("caught", result.reason, 1004)
    exact = ("caught", "time_to_catch_s", "catch_false_count", "lost_events", "collisions", "robot_contacts",
             "wolf_breaches", "latched_robots")  # fmt: skip
    assert {name: trial.values[name] for name in exact} == {name: result.values[name] for name in exact}
    # A recording is looked at 25 times a second, and the trial in each tick.
    assert trial.values["time_to_claim_s"] == pytest.approx(result.values["time_to_claim_s"], abs=0.021)
    # The recording has a true pose in 0.2 s, and between them it is interpolated.
    assert trial.values["catch_true_distance_m"] == pytest.approx(result.values["catch_true_distance_m"], abs=0.01)
    assert trial.values["tracking_error_raw"] == pytest.approx(result.values["tracking_error_raw"], abs=0.01)
    assert trial.truth["source"] == "arena" and not trial.truth["bounds"] and not trial.truth["unknown"]


@pytest.mark.parametrize(
    ("scenario", "changes"),
    [
        ("pursuit_empty", {"seed": 900, "duration_s": 8.0}),
        ("crossroads_lidar", {"seed": 900, "robots.count": 2, "duration_s": 10.0}),
        ("wall_chase", {"seed": 900, "duration_s": 6.0}),
        ("pacman", {"seed": 900, "duration_s": 6.0}),
    ],
)
def test_every_game_is_judged_from_outside(tmp_path, scenario, changes):
    result, path = played(tmp_path, scenario, **changes)
    (trial,) = judge_recording(path).trials()
    assert trial.outcome == result.outcome
    # What only who sees each tick can tell is left out; numbers of ticks and the like depend on how often one looks.
    common = {name for name in trial.values if not name.endswith(("_ticks", "real_time_factor", "ripple_rms"))}
    assert len(common) > 6
    for name in common:
        expected, found = result.values[name], trial.values[name]
        if isinstance(expected, float) and found is not None:
            assert found == pytest.approx(expected, rel=0.1, abs=0.05), name
        else:
            assert found == expected, name


def test_a_truth_that_is_not_good_enough_tells_of_no_catch(caught, tmp_path):
    _, path = caught
    poses = [
        (number, now, with_covariance(now, (place.x, place.y, place.yaw), 0.2, 0.05))
        for number, found in enumerate(truths(path).values())
        for now, place in found
    ]
    topics = [(f"/{robot}/ceiling/pose", COVARIANCE) for robot in truths(path)]
    bag = copied(path, tmp_path / "bag", topics, poses, without=["ground_truth"])
    (judgement,) = judge_recording(bag, TruthChoice("ceiling")).judgements
    trial = judgement.trial
    assert trial.outcome == UNKNOWN
    assert trial.reason.startswith("caught by the rules, claim 1 at 0.5")
    assert trial.values["caught"] is None and "time_to_catch_s" in judgement.unknown
    least, most = judgement.bounds["catch_true_distance_m"]
    assert least < 0.5 < 0.6 < most
    assert trial.values["lost_events"] == 0, "what the robot itself says is known by any truth"


def test_a_good_ceiling_camera_is_good_enough_and_a_bad_place_contradicts_the_rules(caught, tmp_path):
    _, path = caught

    def judged(name, shift):
        poses = [
            (number, now, with_covariance(now, (place.x + shift * number, place.y, place.yaw), 0.01, 0.02))
            for number, found in enumerate(truths(path).values())
            for now, place in found
        ]
        topics = [(f"/{robot}/ceiling/pose", COVARIANCE) for robot in truths(path)]
        (judgement,) = judge_recording(copied(path, tmp_path / name, topics, poses), TruthChoice("ceiling")).judgements
        return judgement

    good, bad = judged("good", 0.0), judged("bad", 3.0)
    assert (good.trial.outcome, good.unknown, good.contradicted) == ("caught", (), ())
    least, most = good.bounds["catch_true_distance_m"]
    assert 0.45 < least < most < 0.6
    assert bad.contradicted == ("caught", "game_time_s", "time_to_catch_s")
    assert bad.trial.reason.endswith("by the rules; the truth contradicts it")


def posed(now, place, turn):
    """Return a pose in a tracking system's frame, as most of them tell it."""
    point = message("geometry_msgs/msg/Point", **dict(zip("xyz", map(float, place), strict=True)))
    quaternion = message("geometry_msgs/msg/Quaternion", **dict(zip("xyzw", map(float, turn), strict=True)))
    inner = message("geometry_msgs/msg/Pose", position=point, orientation=quaternion)
    return message(STAMPED, header=header(now, "optitrack"), pose=inner)


def transformed(now, place, turn):
    """Return the same as vicon_bridge tells it."""
    vector = message("geometry_msgs/msg/Vector3", **dict(zip("xyz", map(float, place), strict=True)))
    quaternion = message("geometry_msgs/msg/Quaternion", **dict(zip("xyzw", map(float, turn), strict=True)))
    inner = message("geometry_msgs/msg/Transform", translation=vector, rotation=quaternion)
    return message(TRANSFORM, header=header(now, "optitrack"), child_frame_id="rabbit", transform=inner)


def test_a_tracking_system_of_any_frame_is_calibrated_by_three_points(caught, tmp_path, capsys):
    _, path = caught
    shift, mount = np.array((4.0, 1.5, -2.0)), Pose2D(0.05, -0.02, math.pi / 2)
    place_of = lambda point: UP.apply(point) + shift  # noqa: E731
    poses = []
    for number, found in enumerate(truths(path).values()):
        for now, place in found:
            tracked = place.compose(mount) if number == 0 else place
            x, y, z = place_of((tracked.x, tracked.y, 0.3))
            turn = (UP * Rotation.from_euler("z", tracked.yaw)).as_quat()
            poses.append((number, now, (transformed if number else posed)(now, (x, y, z), turn)))
    bag = copied(path, tmp_path / "bag", [("/track/a", STAMPED), ("/track/b", TRANSFORM)], poses)
    corners = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0)]
    points = [{"tracked": [float(one) for one in place_of(point)], "map": list(point)} for point in corners]
    calibration = tmp_path / "calibration.yaml"
    mounts = {"wolf": {"x": mount.x, "y": mount.y, "yaw_deg": 90.0}}
    calibration.write_text(yaml.safe_dump({"points": points, "mounts": mounts}))
    arguments = ("judge", bag, "--truth-topic", "wolf=/track/a", "--truth-topic", "rabbit=/track/b")
    results = tmp_path / "results.json"
    call(capsys, *arguments, "--calibration", calibration, "--json", results)
    (trial,) = json.loads(results.read_text())["trials"]
    (exact,) = judge_recording(path).trials()
    assert trial["truth"]["source"] == "topic" and trial["truth"]["sigma_m"] == pytest.approx(0.005, abs=1e-6)
    assert trial["catch_true_distance_m"] == pytest.approx(exact.values["catch_true_distance_m"], abs=1e-3)
    assert trial["tracking_error_raw"] == pytest.approx(exact.values["tracking_error_raw"], abs=1e-3)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (1, 0, 0))], "needs three points"),
        ([((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (1, 0, 0)), ((2, 0, 0), (2, 0, 0))], "leave a straight line"),
        ([((0, 0, 0), (0, 0, 0)), ((2, 0, 0), (2.4, 0, 0)), ((0, 2, 0), (0, 2, 0))], "not the same triangle"),
        ([((0, 0, math.nan), (0, 0, 0))], "finite"),
    ],
)
def test_points_that_do_not_calibrate_are_refused(caught, tmp_path, capsys, points, reason):
    file = tmp_path / "calibration.yaml"
    values = [{"tracked": list(tracked), "map": list(mapped)} for tracked, mapped in points]
    file.write_text(yaml.safe_dump({"points": values}))
    text = complaint(capsys, "judge", caught[1], "--truth-topic", "wolf=/wolf/odom", "--calibration", file)
    assert reason in text and "calibration.yaml" in text and "points" in text


def test_a_localisation_that_states_its_covariance_is_believed(caught, tmp_path):
    _, path = caught
    stated = [(0, SECOND, with_covariance(SECOND, (0.0, 0.0, 0.0), 0.03, 0.02))]
    bag = copied(path, tmp_path / "bag", [("/wolf/amcl_pose", COVARIANCE)], stated)
    truth = judge_recording(bag, TruthChoice("localisation")).truth
    sigmas = sorted({one.sigma for one in truth.poses["wolf"]})
    assert sigmas == pytest.approx([0.03, 0.1]), "before and after it was stated"
    assert not truth.stated, "some are assumed"
    assert {one.sigma for one in truth.poses["rabbit"]} == {0.1}


def test_a_covariance_of_zeros_is_not_known_and_not_exact(caught, tmp_path):
    _, path = caught
    unknown = [(0, now, with_covariance(now, (0.0, 0.0, 0.0), 0.0, 0.0)) for now in (SECOND, 2 * SECOND)]
    bag = copied(path, tmp_path / "bag", [("/wolf/ceiling/pose", COVARIANCE)], unknown)
    with pytest.raises(ConfigError, match="the recording has no such truth"):
        judge_recording(bag, TruthChoice("ceiling"))


def test_a_tracking_system_without_a_calibration_has_an_assumed_error(caught, capsys):
    printed = call(capsys, "judge", caught[1], "--truth-topic", "wolf=/wolf/ground_truth")
    assert "truth by topic, 0.005 m and 0.5 degrees, one sigma, assumed" in printed


def test_rounds_begin_as_the_rules_say_and_not_before_the_trees():
    ticks = [Tick(number * SECOND, b"") for number in range(2, 9)]
    robots = {"wolf": RobotRecording("wolf", ticks=ticks)}
    recording = by_hand(**robots)
    assert rounds_of(recording) == [Round(2 * SECOND, 10 * SECOND)]
    over = End("caught", "", 4 * SECOND)
    ends = [(0, End("", "nobody has begun it", 0)), (SECOND, None), (4 * SECOND, over), (5 * SECOND, None)]
    assert rounds_of(replace(recording, ends=ends)) == [
        Round(2 * SECOND, 5 * SECOND),
        Round(5 * SECOND, 10 * SECOND),
    ]


def test_contacts_are_recorded_when_they_change(tmp_path):
    trial = Trial(planned("wolf_rabbit_open", seed=1), 0)
    trial.observer = RecordTrials(tmp_path)("", trial)
    trial.begin()
    touching = frozenset({("wolf", "box_1")})
    for tick in range(6):
        if tick in (2, 3):
            trial.arena.contacts = touching
        trial.step()
    trial.close()
    recorded = load_recording(tmp_path / "trial_000").contacts
    assert recorded == ((2 * TICK, touching), (4 * TICK, frozenset()))


def test_bumpers_tell_of_contacts_where_no_arena_does():
    def bumped(*pressed):
        return [Bumpers(now, now, now, frozenset(zones)) for now, zones in enumerate(pressed)]

    robots = {
        "wolf": RobotRecording("wolf", bumpers=bumped((), ("bump_front",), ("bump_front", "bump_left"), ())),
        "rabbit": RobotRecording("rabbit", bumpers=bumped((), (), (), ("bump_left",))),
    }
    players = {name: Player(name, name, None) for name in robots}
    near = {"wolf": [PoseMeasurement(0, Pose2D())], "rabbit": [PoseMeasurement(0, Pose2D(0.4))]}
    far = {**near, "rabbit": [PoseMeasurement(0, Pose2D(3.0))]}
    recording = by_hand(**robots)
    touching = [(1, frozenset({("wolf", "rabbit")})), (3, frozenset()), (3, frozenset({("rabbit", "wolf")}))]
    assert recorded_contacts(recording, RecordedTruth("ceiling", near), players) == (touching, "bumpers")
    found, _ = recorded_contacts(recording, RecordedTruth("ceiling", far), players)
    assert found[0] == (1, frozenset({("wolf", "obstacle")}))
    silent = by_hand(wolf=RobotRecording("wolf"), rabbit=RobotRecording("rabbit"))
    assert recorded_contacts(silent, RecordedTruth("ceiling", far), players) == ([], "")


def test_the_table_says_by_what_each_metric_is_known(caught, capsys):
    printed = call(capsys, "judge", caught[1], "--truth", "localisation")
    assert "truth by localisation, 0.100 m and 3.0 degrees, one sigma, assumed: nothing states it" in printed
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if len(line.split()) > 2}
    assert rows["lost_events"][1:] == ["0", "robots"]
    assert rows["catch_true_distance_m"][-1] == "localisation"
    assert rows["catch_rate"][1:] == ["not", "known", "rules"]
    assert "unknown after" in printed


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--truth", "radar"), "there is no such truth"),
        (("--truth", "ceiling"), "the recording has no such truth"),
        (("--truth", "topic"), "needs a --truth-topic for each robot"),
        (("--truth-topic", "wolf=/nowhere"), "/nowhere"),
        (("--truth-topic", "cat=/wolf/odom"), "there is no such robot; there are wolf, rabbit"),
        (("--truth", "arena", "--truth-topic", "wolf=/wolf/odom"), "is not used with --truth arena"),
        (("--calibration", "nothing.yaml"), "needs a --truth-topic"),
        (("--scenario", "pacman"), "has a robot pacman"),
    ],
)
def test_what_cannot_be_judged_is_refused(caught, capsys, arguments, reason):
    assert reason in complaint(capsys, "judge", caught[1], *arguments)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} has the recordings of real robots, and is not here")
@pytest.mark.parametrize("name", ["drive_square", "finite-state-controller", "obstacle-avoider"])
def test_of_a_foreign_robot_is_said_what_can_be_known(name, capsys):
    printed = call(capsys, "judge", DATA / f"danpark_{name}")
    assert "where the robots were in the map is not known" in printed
    assert "no robot has a role in a game of ours: nothing to judge" in printed
    assert "robot: driven_m " in printed and "longest_scan_gap_s" in printed


def test_results_need_a_game(tmp_path, capsys):
    if not DATA.is_dir():
        pytest.skip(f"{DATA} has the recordings of real robots, and is not here")
    path = tmp_path / "results.json"
    assert "no game of ours" in call(capsys, "judge", DATA / "danpark_drive_square", "--json", path, code=2)
    assert not path.exists()


def test_a_wrong_scenario_is_refused_by_name(caught):
    with pytest.raises(ConfigError, match="has a robot chaser"):
        judge_recording(caught[1], scenario="pursuit_empty")
