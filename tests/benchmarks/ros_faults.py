"""Makes faults of a real tree and a real velocity gate over DDS, and measures how the robot stops and goes on.

    python tests/benchmarks/ros_faults.py --count 20

What is measured is printed as the rows of a table. Times are by the stamps of those who send.
"""

import argparse
import contextlib
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import TwistStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from ros_kills import PROFILE
from std_msgs.msg import String
from std_srvs.srv import Trigger

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.patience import until
from helpers.robot_senses import Senses

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.runtime.parent import child_environment
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.safety.guard import UNRELEASED

_HANG_S = 5.0
_LAUNCHED = {"tree_node": (), "velocity_gate": ("-p", "start_latched:=false")}
"""What a launch says to a node beside the rest."""
_LAUNCH = f"""
import os, subprocess, sys, time
from arena_trees.nodes.runtime.parent import child_environment
environment = {{**os.environ, **child_environment()}}
for part, options in {_LAUNCHED}.items():
    command = [sys.executable, "-m", f"arena_trees.nodes.{{part}}", *sys.argv[1:], *options]
    print(subprocess.Popen(command, env=environment).pid, flush=True)
time.sleep(3600.0)
"""


class Robot:
    """A wolf's senses, its tree and gate as processes, and all that they send.

    Attributes:
        name: namespace
        raw: (stamp in ns, whether it is a motion) of each command of the tree
        driven: of each velocity of the gate
        state: what the gate said last

    Args:
        name: namespace
    """

    def __init__(self, name: str) -> None:
        self.raw: list[tuple[int, bool]] = []
        self.driven: list[tuple[int, bool]] = []
        self.state = ""
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self._options = ("--ros-args", "-r", f"__ns:=/{name}", "-p", "arena:=arena_4x4", "-p", "role:=wolf",
                         "-p", "zone:=wolf")  # fmt: skip
        self.name = name
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node("measuring", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        senses = Senses(self.node, name)
        for topic, record in (("cmd_vel_raw", self.raw), ("cmd_vel", self.driven)):
            self.node.create_subscription(TwistStamped, f"/{name}/{topic}", _recorder(record), 200)
        self.node.create_subscription(String, f"/{name}/velocity_gate/state", self._on_state, LATCHED)
        self.node.create_timer(0.05, senses.publish)
        self._over = False
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def start(self, part: str, *options: str) -> None:
        """Start a node, by hand or with the options of a launch."""
        command = [sys.executable, "-m", f"arena_trees.nodes.{part}", *self._options, *options]
        self.processes[part] = subprocess.Popen(command, env={**os.environ, **child_environment()}, text=True)

    def launch(self) -> list[int]:
        """Start what starts the nodes, and return their process ids."""
        command = [sys.executable, "-c", _LAUNCH, *self._options]
        launch = self.processes["launch"] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return [int(launch.stdout.readline()) for _ in range(2)]

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Wait."""
        until(condition, lambda: f"{what}; gate: {self.state}; processes: {self.processes}", lambda: time.sleep(0.01))

    def moves(self, since: int = 0) -> bool:
        """Return whether a second of velocities up to now, sent after an instant, were motion."""
        newest = self.driven[-40:]
        return len(newest) == 40 and all(moves and stamp > since for stamp, moves in newest)

    def first(self, record: list[tuple[int, bool]], motion: bool, since: int) -> float:
        """Return after how many seconds from an instant the first motion, or zero, was sent; wait for it."""

        def found() -> list[int]:
            return [stamp for stamp, moves in record if stamp > since and moves == motion][:1]

        self.until(found, "motion" if motion else "zero")
        return (found()[0] - since) / 1e9

    def reset(self) -> float:
        """Reset the gate; return how long (s) from there to the first motion."""
        return self.first(self.driven, True, self.call("velocity_gate/reset", Trigger, Trigger.Request()))

    def call(self, service: str, kind: Any, request: Any) -> int:
        """Call a service until it says that it went well; return when (ns) that call began."""
        client = self.node.create_client(kind, f"/{self.name}/{service}")
        self.until(client.service_is_ready, service)
        while True:
            asked = time.time_ns()
            future = client.call_async(request)
            end = time.monotonic() + 1.0
            while not future.done() and time.monotonic() < end:
                time.sleep(0.002)
            if future.done() and future.result().success:
                self.node.destroy_client(client)
                return asked

    def close(self) -> None:
        """End everything."""
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        self._over = True
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def _spin(self) -> None:
        while not self._over:
            self._executor.spin_once(timeout_sec=0.05)

    def _on_state(self, message: Any) -> None:
        self.state = message.data


def _recorder(record: list[tuple[int, bool]]) -> Callable[[Any], None]:
    def take(message: Any) -> None:
        twist = message.twist
        record.append((nanoseconds(message.header.stamp), (twist.linear.x, twist.angular.z) != (0.0, 0.0)))

    return take


def _latched(robot: Robot, reason: str, since: int) -> int:
    """Wait for a latch, and for a second after it; return how many motions were sent after the first zero."""
    robot.until(lambda: robot.state == f"latched: {reason}", reason)
    time.sleep(1.0)
    stood = since + round(1e9 * robot.first(robot.driven, False, since))
    return sum(moves and stamp > stood for stamp, moves in robot.driven)


def not_a_number(robot: Robot) -> dict[str, float]:
    """Command NaN beside the tree, and reset."""
    publisher = robot.node.create_publisher(TwistStamped, f"/{robot.name}/cmd_vel_raw", 1)
    robot.until(publisher.get_subscription_count, "the gate")
    time.sleep(0.5)
    message = TwistStamped()
    message.twist.linear.x = math.nan
    at = 0
    # Again where the tree's next command took its place in the gate's queue of one; not so often that it is a rival.
    while not robot.state.startswith("latched"):
        message.header.stamp = robot.node.get_clock().now().to_msg()
        at = time.time_ns()
        publisher.publish(message)
        time.sleep(1.0)
    after = _latched(robot, "command not finite", at)
    robot.node.destroy_publisher(publisher)
    stops = robot.first(robot.driven, False, at)
    return {"first zero": stops, "motions after it": after, "reset to motion": robot.reset()}


def respawned_tree(robot: Robot) -> dict[str, float]:
    """Kill the tree, start another one, and reset."""
    at = time.time_ns()
    robot.processes["tree_node"].kill()
    robot.processes["tree_node"].wait()
    after = _latched(robot, "tree died while moving", at)
    begun = time.time_ns()
    robot.start("tree_node")
    robot.until(lambda: sum(stamp > begun for stamp, _ in robot.raw) > 50, "commands of the new tree")
    after += sum(moves for stamp, moves in robot.driven if stamp > begun)
    stops = robot.first(robot.driven, False, at)
    return {"first zero": stops, "motions after it": after, "reset to motion": robot.reset()}


def hung_gate(robot: Robot) -> dict[str, float]:
    """Stop the gate's process for 5 s, let it go on, and reset."""
    gate = robot.processes["velocity_gate"]
    at = time.time_ns()
    gate.send_signal(signal.SIGSTOP)
    time.sleep(_HANG_S)
    noticed = robot.first(robot.raw, False, at)
    again = time.time_ns()
    gate.send_signal(signal.SIGCONT)
    robot.until(lambda: robot.state == "latched: gate hung", "gate hung")
    time.sleep(1.0)
    after = sum(moves and stamp > again for stamp, moves in robot.driven)
    return {"tree commands zeros": noticed, "motions after SIGCONT": after, "reset to motion": robot.reset()}


def new_gate(robot: Robot) -> dict[str, float]:
    """Kill the gate, and start another one by hand."""
    robot.processes["velocity_gate"].kill()
    robot.processes["velocity_gate"].wait()
    begun = time.time_ns()
    robot.start("velocity_gate")
    robot.until(lambda: robot.state == f"latched: {UNRELEASED}", "the new gate")
    time.sleep(_HANG_S)
    before = sum(moves and stamp > begun for stamp, moves in robot.driven)
    return {"motions before the reset": before, "reset to motion": robot.reset()}


def woken_tree(robot: Robot) -> dict[str, float]:
    """Stop the tree's process, put a new gate in the place of the old one as a launch does, and let the tree go on."""
    tree = robot.processes["tree_node"]
    tree.send_signal(signal.SIGSTOP)
    robot.processes["velocity_gate"].kill()
    robot.processes["velocity_gate"].wait()
    begun = time.time_ns()
    robot.start("velocity_gate", *_LAUNCHED["velocity_gate"])
    robot.first(robot.driven, False, begun)
    time.sleep(2.0 * _HANG_S)
    tree.send_signal(signal.SIGCONT)
    time.sleep(_HANG_S)
    after = sum(moves and stamp > begun for stamp, moves in robot.driven)
    robot.call("tree/reset", Trigger, Trigger.Request())
    go_on = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVATE))
    asked = robot.call("tree/change_state", ChangeState, go_on)
    return {"motions before it is told": after, "told to motion": robot.first(robot.driven, True, asked)}


def killed_launch(robot: Robot) -> dict[str, float]:
    """Kill with SIGTERM what has started tree and gate."""
    nodes = robot.launch()
    robot.until(robot.moves, "motion")
    at = time.time_ns()
    robot.processes["launch"].terminate()
    stops = robot.first(robot.driven, False, at)
    robot.until(lambda: not any(Path(f"/proc/{node}").exists() for node in nodes), "the nodes' end")
    ended = (time.time_ns() - at) / 1e9
    time.sleep(1.0)
    after = sum(moves and stamp > at + 1e9 * stops for stamp, moves in robot.driven)
    return {"first zero": stops, "motions after it": after, "both ended": ended}


_IN_MOTION = {"nan": not_a_number, "hung-gate": hung_gate, "respawned-tree": respawned_tree, "new-gate": new_gate,
              "woken-tree": woken_tree}  # fmt: skip
_OF_LAUNCHES = {"killed-launch": killed_launch}


def main() -> None:
    """Make each fault so often, and print the worst of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="of each fault")
    parser.add_argument("--faults", nargs="+", choices=[*_IN_MOTION, *_OF_LAUNCHES], help="these alone")
    given = parser.parse_args()
    count, wanted = given.count, given.faults or [*_IN_MOTION, *_OF_LAUNCHES]
    profile = Path(tempfile.mkdtemp()) / "profile.xml"
    profile.write_text(PROFILE, encoding="utf-8")
    os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(profile)
    found: dict[str, list[dict[str, float]]] = {}
    loads = [os.getloadavg()[0]]

    def make(name: str, fault: Callable[[Robot], dict[str, float]], robot: Robot) -> None:
        found.setdefault(name, []).append(fault(robot))
        loads.append(os.getloadavg()[0])
        print(name, found[name][-1], f"load {loads[-1]:.1f}", flush=True)

    with contextlib.closing(Robot("wolf")) as robot:
        faults = {name: fault for name, fault in _IN_MOTION.items() if name in wanted}
        for part in ("tree_node", "velocity_gate") if faults else ():
            robot.start(part, *_LAUNCHED[part])
        for _ in range(count):
            for name, fault in faults.items():
                robot.until(robot.moves, "motion")
                make(name, fault, robot)
    for name, fault in _OF_LAUNCHES.items():
        for number in range(count) if name in wanted else ():
            with contextlib.closing(Robot(f"launched{number}")) as robot:
                make(name, fault, robot)
    for name, times in found.items():
        # Of what has to be, the least is the worst.
        worst = {key: (min if key.startswith("zeros") else max)(one[key] for one in times) for key in times[0]}
        print(f"{name}: n {len(times)}, worst { ({key: round(value, 3) for key, value in worst.items()}) }")
    print(f"load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
