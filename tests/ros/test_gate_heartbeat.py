"""The heartbeat of the velocity gate: silence as a tree counts it, by clocks made by hand."""

import pytest

from arena_trees.nodes.gate.forwarding import ForwardingGate
from arena_trees.nodes.gate.heartbeat import BETWEEN_BEATS, GateHeartbeat
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.reasons import GateReason

TICK = SECOND // 50
MOTION = Twist2D(0.3, 0.0)


def listen(heartbeat, seconds, begin=0, period=TICK):
    """Look as a tree does, from one instant on; return the instant at which it ends."""
    for now in range(begin, begin + round(seconds * SECOND), period):
        heartbeat.look(now)
    return begin + round(seconds * SECOND)


def test_a_tree_without_a_gate_drives():
    heartbeat = GateHeartbeat()
    listen(heartbeat, 3600.0, period=SECOND // 10)
    assert heartbeat.state == ""
    assert ForwardingGate(lambda: heartbeat.state).decide(Percepts(0), MOTION).twist == MOTION


def test_a_gate_that_beats_is_heard():
    heartbeat = GateHeartbeat()
    end = 0
    for _ in range(100):
        heartbeat.hear("ok")
        end = listen(heartbeat, BETWEEN_BEATS / SECOND, end)
        assert heartbeat.state == "ok"


def test_a_gate_that_was_heard_and_is_silent_for_three_seconds_moves_nobody_until_it_is_back():
    heartbeat = GateHeartbeat()
    gate = ForwardingGate(lambda: heartbeat.state)
    heartbeat.hear("ok")
    end = listen(heartbeat, 2.9)
    assert gate.decide(Percepts(0), MOTION).twist == MOTION
    listen(heartbeat, 0.3, end)
    assert heartbeat.state == gate.withheld == GateReason.GATE_SILENT
    decision = gate.decide(Percepts(0), MOTION)
    assert (decision.twist, decision.reasons, decision.latched) == (ZERO, (GateReason.GATE_SILENT,), None)
    heartbeat.hear("latched: gate hung")
    assert gate.decide(Percepts(0), MOTION).reasons == ("withheld",)
    heartbeat.hear("ok")
    assert gate.decide(Percepts(0), MOTION).twist == MOTION


@pytest.mark.parametrize("hold_up", [1.0, 15.0, 3600.0])
def test_a_tree_that_was_held_up_itself_blames_no_gate(hold_up):
    heartbeat = GateHeartbeat()
    heartbeat.hear("ok")
    end = listen(heartbeat, 1.0)
    for _ in range(10):
        end += round(hold_up * SECOND)
        heartbeat.look(end)
    assert heartbeat.state == "ok"
