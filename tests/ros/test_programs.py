"""The nodes as programs: they end well after a signal, and refuse in one line what they cannot use."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.arena import needs_arena
from helpers.patience import output, until
from rosgraph_msgs.msg import Clock

GOOD = {
    "arena_simulator": ("-p", "scenario:=wolf_rabbit", "-p", "real_time_factor:=0.5"),
    "ceiling_tracker": (),
    "feedback": (),
    "game": ("-p", "scenario:=wolf_rabbit"),
    "geofence_supervisor": ("-r", "__ns:=/wolf", "-p", "arena:=arena_4x4"),
    "localiser": ("-r", "__ns:=/robot_1", "-p", "role:=crosser", "-p", "arena:=crossing_4"),
    "sign_detector": ("-r", "__ns:=/wolf"),
    "sphere_detector": ("-r", "__ns:=/wolf"),
    "tracking_relay": ("-p", "robots:=[wolf=/vicon/wolf]"),
}
BAD = {
    "arena_simulator": ("-p", "scenario:=wolf_rabbit", "-p", "set:=[wolf.wings=2]"),
    "ceiling_tracker": ("-p", "file:=/nowhere.yaml"),
    "feedback": ("-p", "sounds:=loud"),
    "game": ("-p", "scenario:=wolf_rabbit", "-p", "set:=[rules.catch_distance=.inf]"),
    "geofence_supervisor": ("-r", "__ns:=/wolf", "-p", "arena:=/nowhere.yaml"),
    "localiser": ("-r", "__ns:=/robot_1", "-p", "role:=wolf"),
    "sign_detector": ("-p", "model:=/nowhere.onnx"),
    "sphere_detector": ("-p", "detector:=eagle"),
    "tracking_relay": ("-p", "robots:=[wolf]"),
}


@pytest.fixture
def start(spawn):
    """Starts a program, and keeps what it writes."""
    return partial(spawn, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_a_node_without_its_library_ends_in_one_line_that_names_the_extra():
    # A module that is None cannot be imported.
    code = "import sys; sys.modules['onnxruntime'] = None; from arena_trees.nodes.sign_detector import main; main()"
    command = [sys.executable, "-c", code, "--ros-args", *GOOD["sign_detector"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.endswith("a sign detector needs ONNX Runtime: pip install 'arena-trees[vision]'\n"), done.stderr
    assert "Traceback" not in done.stderr


@needs_arena
@pytest.mark.parametrize("sign", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_ends_each_program_well(start, watcher, sign):
    running = {module: start(module, *arguments) for module, arguments in GOOD.items()}

    def missing():
        dead = [module for module, process in running.items() if process.poll() is not None]
        assert not dead, f"{dead} ended: {running[dead[0]].communicate()[0]}"
        return set(GOOD) - set(watcher.get_node_names())

    until(lambda: not missing(), lambda: str(missing()), watcher.spin)
    for process in running.values():
        process.send_signal(sign)
    for module, process in running.items():
        said, _ = output(process)
        assert process.returncode == 0, (module, said)
        assert "Traceback" not in said, (module, said)


def test_what_cannot_be_used_is_refused_in_one_line(start):
    running = {module: start(module, *arguments) for module, arguments in BAD.items()}
    for module, process in running.items():
        said, _ = output(process)
        assert process.returncode == 2, (module, said)
        errors = [line for line in said.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, (module, said)
        assert "Traceback" not in said, (module, said)


@needs_arena
def test_an_arena_that_was_held_up_does_not_make_up_for_it(start, watcher):
    clock = [0.0]

    def tick(message):
        clock.append(message.clock.sec + message.clock.nanosec * 1e-9)

    watcher.create_subscription(Clock, "/clock", tick, 10)
    process = start("arena_simulator", "-p", "scenario:=wolf_rabbit")
    until(lambda: clock[-1] > 0.2, "the clock", watcher.spin)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    held, first = time.monotonic(), clock[-1]
    until(lambda: time.monotonic() - held > 1.0, "a second", watcher.spin)
    process.send_signal(signal.SIGCONT)
    until(lambda: clock[-1] > first + 0.6, "the clock to go on", watcher.spin)
    # A tick may be made up for, and one may have been on its way.
    assert time.monotonic() - held > 1.5
