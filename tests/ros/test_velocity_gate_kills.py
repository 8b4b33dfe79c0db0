"""What comes out of the velocity gate, and how soon, when it or the tree is killed or stopped."""

import contextlib
import os
import signal
import sys
import time

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.gate_bench import PATIENT, GateBench
from helpers.patience import exit_code, is_running, until

KILLS = int(os.environ.get("ARENA_TREES_KILLS", "1"))
"""Repetitions of each kill."""


def check(capsys, what, most, taken):
    """Print how long it took, and see how many velocities were sent meanwhile: a busy machine sends no more of them.

    Args:
        capsys: the fixture
        what: took that long
        most: velocities but zero that may be sent
        taken: of each repetition, from the fault to the first zero, ms, and the number of velocities but zero
    """
    with capsys.disabled():
        print(f" {what}: {', '.join(f'{time:.0f} ms ({moves})' for time, moves in taken)}", end="")
    assert all(moves <= most for _, moves in taken)


@pytest.fixture(scope="module")
def bench():
    # Held up it shall be, and not latch for that.
    with GateBench(hang_timeout=60.0) as made:
        yield made


@pytest.fixture
def hears_hangups():
    """Programs that are started now hear SIGHUP, also where the tests were started by nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_zero_within_six_steps_of_the_death_of_the_tree(bench, capsys):
    taken = []
    for _ in range(KILLS):
        bench.calm()
        tree = bench.start_tree()
        bench.wait_for_motion()
        killed = time.time_ns()
        bench.kill(tree)
        bench.wait(lambda: bench.sent[-1].is_zero, "zero")
        bench.wait_for_state("latched: tree died while moving")
        taken.append((bench.sent.time_to_zero(killed), bench.sent.moves(killed)))
    check(capsys, "SIGKILL of the tree to zero", 6, taken)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("hears_hangups")
def test_a_signal_sends_zeros_and_ends_well(sign, capsys):
    taken = []
    for _ in range(KILLS):
        with GateBench(**PATIENT) as bench:
            bench.drive(0.1)
            bench.wait_for_motion()
            gate = bench.gates[0]
            asked = time.time_ns()
            gate.send_signal(sign)
            bench.wait(lambda asked=asked, bench=bench: bench.sent.zeros(asked) >= 5, "zeros")
            taken.append((bench.sent.time_to_zero(asked), bench.sent.moves(asked)))
            assert exit_code(gate) == 0
            assert "Traceback" not in gate.stdout.read()
    check(capsys, f"{sign.name} to zero", 2, taken)


STARTS = """
import os, subprocess, sys, time
from arena_trees.nodes.runtime.parent import child_environment
print(subprocess.Popen(sys.argv[1:], env={**os.environ, **child_environment()}).pid, flush=True)
time.sleep(3600.0)
"""


def test_the_robot_stands_when_what_started_the_gate_is_killed():
    """As when ``ros2 launch`` is killed, which takes nothing with it."""
    with GateBench(gates=0) as bench:
        parent = bench.start([sys.executable, "-c", STARTS, *bench.gate_command(**PATIENT)])
        gate = int(parent.stdout.readline())
        try:
            bench.drive(0.1)
            bench.wait_for_motion()
            killed = time.time_ns()
            parent.kill()
            bench.wait(lambda: bench.sent.zeros(killed) >= 5, "zeros")
            until(lambda: not is_running(gate), "the gate's end")
            assert bench.sent.stands(5)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(gate, signal.SIGKILL)


@pytest.mark.parametrize("seconds", [0.2, 0.8])
def test_a_gate_that_was_stopped_does_not_replay_a_command(bench, seconds):
    gate = bench.gates[0]
    for _ in range(KILLS):
        bench.calm()
        tree = bench.start_tree()
        bench.wait_for_motion()
        gate.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, gate.pid, os.WSTOPPED | os.WNOWAIT)
        # The tree commands on while the gate is stopped, and dies before it goes on.
        time.sleep(seconds)
        bench.kill(tree)
        # By then all that it has sent is too old.
        time.sleep(0.15)
        goes_on = time.time_ns()
        gate.send_signal(signal.SIGCONT)
        since = lambda goes_on=goes_on: [sent for sent in bench.sent if sent.stamp >= goes_on]  # noqa: E731
        bench.wait(lambda since=since: len(since()) > 25, "velocities after SIGCONT")
        bench.wait_for_state("latched: tree died while moving")
        assert all(sent.is_zero for sent in since())


def test_a_gate_that_was_stopped_goes_on_with_new_commands(bench):
    bench.recover()
    bench.gates[0].send_signal(signal.SIGSTOP)
    time.sleep(0.8)
    before = len(bench.sent)
    bench.gates[0].send_signal(signal.SIGCONT)
    bench.wait(lambda: len(bench.sent) > before, "a velocity")
    assert bench.sent[before].is_zero
    bench.wait_for_motion()
