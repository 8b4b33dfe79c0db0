"""A round in the lab is watched to its end, whatever goes away."""

from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

from arena_trees.games.truth import End
from arena_trees.nodes.lab.conductor import Conductor

PLAN = SimpleNamespace(robots={"wolf": None}, scenario=SimpleNamespace(duration_s=5.0))
GONE = ["/wolf does not answer"]


def watched(end, looks):
    """Watch a round whose clock stands, and what is missing at each look; return why it is spoilt."""
    missing = iter(looks)
    graph = SimpleNamespace(now_s=3.0, end=end, turn=lambda seconds: None, missing=lambda: next(missing))
    recorder = SimpleNamespace(turn=lambda seconds: None, taken_at={})
    operator = SimpleNamespace(take=lambda: ("", ""))
    plan = SimpleNamespace(first=PLAN, trials=1, plans={"": PLAN})
    spoilt = Conductor(plan, None, graph, operator, print, print)._watch(recorder, PLAN)
    assert not list(missing), "it ended before"
    return spoilt


def test_a_program_that_is_gone_spoils_a_round_that_is_played():
    assert watched(None, [[], GONE]) == "a program is gone: /wolf does not answer"


def test_a_round_that_has_its_end_is_over_although_its_clock_is_gone():
    assert watched(End("caught", "by the wolf", 0), [[], [], GONE]) == ""
