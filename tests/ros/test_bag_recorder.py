"""``arena-trees record``: a game on ROS is recorded from outside, and its recording is replayed and reported."""

import os
import signal
import subprocess
import sys

import pytest
from helpers.arena import needs_arena

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

from helpers.patience import until

from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.report_page.report import write_report

# Games are played one at a time, and beside no other test of ROS.
pytestmark = needs_arena


TOPICS = ["/arena/game", *(f"/{robot}/{topic}" for robot in ("wolf", "rabbit") for topic in ("odom", "scan", "tf"))]


def subscribed(watch, topic):
    """Return whether the recorder subscribes to a topic, as another process sees it."""
    return any(one.node_name == "_bag_recorder" for one in watch._node.get_subscriptions_info_by_topic(topic))


def record(folder, domain, *arguments):
    """Start the command in another process."""
    command = [sys.executable, "-m", "arena_trees", "record", str(folder), *arguments]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_game_is_recorded_from_outside(tmp_path):
    order = prepare("wolf_rabbit_open", ["duration_s=8"], {"seed": 1000})
    bag = tmp_path / "bag"
    with running_game(order, tmp_path) as (processes, watch):
        recording = record(bag, watch.context.get_domain_id())
        try:
            # It writes a line for each robot once it subscribes.
            found = [recording.stdout.readline().strip() for _ in range(2)]
            until(lambda: all(subscribed(watch, topic) for topic in TOPICS), "every subscription", turn=watch.turn)
            game = watch.begin(processes.check)
            until(lambda: game.over, "the end of the game", turn=watch.turn)
            ended = recording.stdout.readline().strip()
        finally:
            recording.send_signal(signal.SIGINT)
            printed, complaints = recording.communicate()
    assert recording.returncode == 0, complaints
    assert sorted(found) == ["recording rabbit", "recording wolf"]
    assert ended == "the game ended: survived (time is up)"
    assert printed.splitlines()[-1] == f"next: arena-trees report {bag}"
    recorded = load_recording(bag)
    assert recorded.info["end"]["outcome"] == "survived"
    assert recorded.robots.keys() == {"wolf", "rabbit"}
    for name, robot in recorded.robots.items():
        assert robot.role == name and robot.tree and robot.scans and robot.poses and robot.more["detections"]
        replayed = replay(plan_replay(recorded, name))
        assert replayed.compared == len(robot.ticks) > 100
        # A busy machine brings messages to the tree and to the recorder at different instants.
        assert replayed.different <= replayed.compared // 10, replayed.first
    write_report(recorded, tmp_path / "report.html")


def test_nothing_is_left_where_there_is_no_robot(tmp_path):
    recording = record(tmp_path / "bag", os.environ["ROS_DOMAIN_ID"], "--seconds", "1")
    printed, complaints = recording.communicate()
    assert (recording.returncode, printed) == (2, "")
    assert "nothing was recorded: no robot publishes ticks, odom or scan" in complaints
    assert not (tmp_path / "bag").exists()
