"""A round in the lab is watched to its end, whatever goes away."""

from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

from arena_trees.games.truth import End
from arena_trees.nodes.lab import conductor as module
from arena_trees.nodes.lab.conductor import Conductor

PLAN = SimpleNamespace(robots={"wolf": None}, scenario=SimpleNamespace(duration_s=5.0))
END = End("caught", "by the wolf", 0)
GONE = ["/wolf does not answer"]


def watch(graph):
    """Watch a round by what a graph shows; return why it is spoilt."""
    recorder = SimpleNamespace(turn=lambda seconds: None, taken_at={})
    operator = SimpleNamespace(take=lambda: ("", ""))
    plan = SimpleNamespace(first=PLAN, trials=1, plans={"": PLAN})
    return Conductor(plan, None, graph, operator, print, print)._watch(recorder, PLAN)


def watched(end, looks):
    """Watch a round whose clock stands, and what is missing at each look; return why it is spoilt."""
    missing = iter(looks)
    spoilt = watch(SimpleNamespace(now_s=3.0, end=end, turn=lambda seconds: None, missing=lambda: next(missing)))
    assert not list(missing), "it ended before"
    return spoilt


def test_a_program_that_is_gone_spoils_a_round_that_is_played():
    assert watched(None, [[], GONE]) == "a program is gone: /wolf does not answer"


def test_a_round_that_has_its_end_is_over_although_its_clock_is_gone():
    assert watched(END, [[], [], GONE]) == ""


def test_a_round_that_has_its_end_is_over_although_its_clock_stands_and_every_robot_is_silent(monkeypatch):
    looks = []

    def look():
        # By the second look all have been silent for longer than this.
        monkeypatch.setattr(module, "_SILENT_S", -1.0 if looks else module._SILENT_S)
        looks.append(None)
        return []

    graph = SimpleNamespace(now_s=3.0, end=END, turn=lambda seconds: None, missing=look)
    assert watch(graph) == "" and len(looks) == 2
