"""How long a run on ROS waits for its nodes: as long as there is progress, and by how long they took to start."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import String

from arena_trees.nodes.monitors import game_watch
from arena_trees.nodes.monitors.game_watch import GameWatch
from arena_trees.nodes.programs import game_run
from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.processes import ProcessError, Processes
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.messaging.messages import Message


class Watch:
    """A clock, and a watch that hears nothing; a turn of it takes a second."""

    def __init__(self, monkeypatch):
        self.seconds = 0.0
        self.patience = 10.0
        self.missing = None
        for module in (game_watch, game_run):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.seconds))

    def turn(self):
        self.seconds += 1.0

    def until(self, *given):
        GameWatch.until(self, *given)


@pytest.fixture
def watch(monkeypatch):
    return Watch(monkeypatch)


def test_whoever_is_found_gives_the_next_one_as_much_time(watch):
    found = lambda: "" if watch.seconds > 250.0 else f"node {watch.seconds // 60:.0f}"  # noqa: E731
    watch.until(found, 90.0, lambda: None)
    assert watch.seconds > 250.0


def test_where_the_same_is_missing_for_too_long_it_is_named(watch):
    with pytest.raises(ProcessError, match="after 90 s there is still no clock"):
        watch.until(lambda: "clock", 90.0, lambda: None)
    assert watch.seconds < 95.0


@pytest.mark.parametrize(("start", "answer", "end"), [(3.0, 10.0, 5.0), (60.0, 60.0, 60.0)])
def test_nodes_that_were_slow_to_start_may_be_slow_to_answer_and_to_end(
    watch, monkeypatch, tmp_path, start, answer, end
):
    processes = Processes(tmp_path, 7)
    watch.missing = lambda: "" if watch.seconds >= start else "clock"
    monkeypatch.setattr(game_run, "Processes", lambda *given: nullcontext(processes))
    monkeypatch.setattr(game_run, "GameWatch", lambda *given: nullcontext(watch))
    monkeypatch.setattr(game_run, "write_programs", lambda *given: [])
    order = prepare("wolf_rabbit", (), {})
    with game_run.running_game(order, tmp_path) as (_, the_watch):
        assert (the_watch.patience, processes.patience) == (answer, end)


def test_what_a_robot_with_a_faulty_clock_publishes_is_dated_by_when_it_comes():
    fault = "faults=[{robot: wolf, part: clock, kind: jumps, by_s: 100}]"
    with reserved_domain() as domain, GameWatch(prepare("wolf_rabbit", [fault], {}), domain) as seen:
        seen.now = 7 * SECOND
        for robot, shown in (("wolf", 6.96), ("rabbit", 107.0)):
            assert seen._dated(robot, Tick(107 * SECOND, b""), 2).now == from_seconds(shown)
            message = Message("sighting", robot, 1, 1, 107 * SECOND)
            assert seen._message_dated(message).stamp == from_seconds(7.0 if robot == "wolf" else 107.0)


def test_nobody_is_asked_to_begin_who_was_not_heard(tmp_path):
    def word_of(robot):
        values = [KeyValue(key=key, value="") for key in ("active", "fault")]
        return DiagnosticArray(status=[DiagnosticStatus(hardware_id=robot, values=values)])

    with reserved_domain() as domain, GameWatch(prepare("wolf_rabbit", (), {}), domain) as seen:
        asked = {client.srv_name for client in seen._clients.values()}
        assert asked == {"/game/start", "/wolf/tree/change_state", "/rabbit/tree/change_state"}
        seen.now, seen.states = 1, dict.fromkeys(("wolf", "rabbit"), "ok")
        seen._truths.update(seen.states)
        for robot in ("wolf", "rabbit"):
            assert seen.missing() == f"diagnostics of the tree of {robot}"
            seen._on_diagnostics(word_of(robot))
        seen._ruled = True
        assert seen.missing() == "word of the rules"
        seen._on_end(String(data="null"))
        assert seen.missing() == ""
