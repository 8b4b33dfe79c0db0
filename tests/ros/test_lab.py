"""An experiment with robots: a person puts them in place, and trials are played, recorded and judged."""

import json

import pytest
from helpers.arena import needs_arena

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

from helpers.lab_day import conducted, robots_of

# Games are played one at a time, and beside no other test of ROS.
pytestmark = needs_arena

ROBOTS = ["wolf", "rabbit"]


def test_a_trial_is_played_recorded_and_judged(tmp_path):
    changes, out = ["duration_s=5"], tmp_path / "day"
    with robots_of("wolf_rabbit_open", changes, 1000, tmp_path / "robots") as (domain, _, _):
        arguments = ("wolf_rabbit_open", "--set", "duration_s=5", "--seed", 1000, "--trials", 1)
        with conducted(domain, ROBOTS, *arguments, "--out", out, "--truth", "arena") as lab:
            lab.until("every robot is in place")
            lab.type("note the light is on")
            lab.type("go")
            lab.until("the round begins")
            lab.until("judged by arena")
            list(lab.read())
            assert lab.process.wait() == 0, lab.lines
    results = json.loads((out / "results.json").read_text())
    (trial,) = results["trials"]
    assert (trial["outcome"], trial["seed"], trial["truth"]["source"]) == ("survived", 1000, "arena")
    assert trial["lab"]["remarks"] == ["the light is on"] and trial["lab"]["spoilt"] == []
    assert set(trial["lab"]["batteries"]) == set(ROBOTS)
    assert trial["chase_ticks"] is not None
    assert (out / "bags" / "trial_000_1").is_dir()
