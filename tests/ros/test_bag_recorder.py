"""The recorder of a game on ROS: a late and bad clock, and nothing to record. A whole game is in ``test_lab``."""

import os
import time
from dataclasses import replace

import pytest
from helpers.arena import needs_arena

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

from helpers.lab_day import record
from helpers.patience import until

from arena_trees.nodes.monitors.bag_recorder import BagRecorder
from arena_trees.nodes.monitors.graph_recorder import GraphRecorder
from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.recording.judging.judged_recording import judge_recording
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.report_page.report import write_report
from arena_trees.recording.video.film import write_film
from arena_trees.robot.clock import SECOND

pytestmark = needs_arena


@pytest.mark.slow
def test_a_recorder_with_another_clock_that_begins_late_and_is_held_up(tmp_path, monkeypatch):
    """Its clock is 3.7 s ahead and runs 0.1 % fast, as of a machine without a time server, and it hangs for 2 s."""
    true = GraphRecorder._now

    def its_own(self):
        now = true(self)
        return now and 3_700_000_000 + now * 1001 // 1000

    monkeypatch.setattr(GraphRecorder, "_now", its_own)
    order = prepare("wall_chase", ["duration_s=20"], {"seed": 1000})
    with running_game(order, tmp_path) as (processes, watch):
        monkeypatch.setenv("ROS_DOMAIN_ID", str(watch.context.get_domain_id()))
        game = watch.begin(processes.check)
        time.sleep(2.0)
        with BagRecorder(tmp_path / "bag") as recorder:
            until(lambda: len(recorder.robots) == 2, "both robots", turn=lambda: recorder.turn(0.1))
            recorder.turn(3.0)
            time.sleep(2.0)
            while not game.over:
                recorder.turn(0.1)
                watch.turn()
    recorded = load_recording(tmp_path / "bag")
    for name, robot in recorded.robots.items():
        assert robot.clock.ahead == pytest.approx(-3.7e9, abs=0.1e9)
        replayed = replay(plan_replay(recorded, name))
        # Ticks before the recorder began are published to whoever comes late, the sensors of then are not.
        assert replayed.without_sensors > 50 and any("are not compared: of what" in note for note in replayed.notes)
        assert replayed.compared > 500 and replayed.different <= replayed.compared // 10, replayed.first
    values = judge_recording(tmp_path / "bag", scenario="wall_chase").trials()[-1].values
    assert values["r1_correct_distance_share"] > 0.9 and values["collisions"] == 0
    unknown = judge_recording(tmp_path / "bag").trials()[-1].values
    assert unknown["r1_correct_distance_share"] is None, "nobody knows where the wall is"
    write_report(recorded, tmp_path / "report.html")
    write_film(replace(recorded, end=recorded.start + 8 * SECOND), tmp_path / "film.webm")


def test_nothing_is_left_where_there_is_no_robot(tmp_path):
    recording = record(tmp_path / "bag", int(os.environ["ROS_DOMAIN_ID"]), "--seconds", "1")
    printed, complaints = recording.communicate()
    assert (recording.returncode, printed) == (2, "")
    assert "nothing was recorded: no robot publishes ticks, odom or scan" in complaints
    assert not (tmp_path / "bag").exists()
