"""Kills nodes of a game that is played, and measures how soon the robot stands."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from message_recorder import Arrival, Recorder
from stalls import Stalls

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import load_scenario
from arena_trees.nodes.monitors.game_watch import GameWatch
from arena_trees.nodes.programs.game_programs import TrialRequest, write_programs
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.nodes.programs.processes import ProcessError, Processes
from arena_trees.nodes.programs.program import robot_program
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import ZERO
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason

__all__ = ["BOUNDS", "PROFILE", "Kills", "braking", "measure", "repeat_stalled"]

BOUNDS = {
    "SIGINT of the tree: first zero": 0.040,
    "SIGKILL of the tree: first zero": 0.120,
    "SIGSTOP of the tree: first zero": 0.120,
    "SIGKILL of the gate: base brakes": 0.550,
    "SIGKILL of the gate: base stands": 0.900,
    "scan lost: first zero": GateParameters().scan_timeout + 0.020,
}
"""What is measured, to its bound in seconds."""
_SIGINT, _SIGKILL, _SIGSTOP, _BRAKES, _STANDS, _SCAN = BOUNDS

_MOVING = 0.15
"""Speed (m/s) of a robot that drives."""
_STEADY = 10
"""Velocities in a row of a robot that is under way."""
_EVEN = 0.01
"""Differences (m/s) of such velocities."""
_ZEROS = 5
"""Zeros that a tree sends that is told to end."""
_WAIT_S = 60.0
"""Longest wait for a robot to be under way."""
_STOP_S = 3.0
"""Longest wait for a robot to stop."""
_GAP_NS = from_seconds(0.35)
"""Without a scan for so long, one is missing: they come every 0.13 s."""
_LOST_S = 0.45
"""Until then a missing scan may still come."""
_LOSS_S, _BETWEEN_S, _FIRST_S = 1.0, 5.0, 10.0
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
  <participant profile_name="forgetful" is_default_profile="true">
    <rtps><builtin><discovery_config>
      <leaseDuration><sec>3</sec></leaseDuration>
      <leaseAnnouncement><sec>1</sec></leaseAnnouncement>
    </discovery_config></builtin></rtps>
  </participant>
</profiles>
"""
"""A killed process counts as gone after 3 s and not 20; until then a gate holds the robot because of its publisher."""
_REPETITIONS = 3
"""Of one measurement that a machine that stalled has spoilt."""
_TRIES = 10
"""Losses of the scan for each that is to be measured: in most the robot does not just drive straight."""


@dataclass(frozen=True, slots=True)
class Kills:
    """What was measured.

    Attributes:
        times: of each repetition (s), by the names in ``BOUNDS``
        repeated: how often a fault was made again because the machine had stalled
    """

    times: dict[str, list[float]]
    repeated: int


def measure(folder: Path, count: int, scenario: Mapping[str, Any]) -> Kills:
    """Make every fault so often, and measure how soon the robot stands.

    A time above its bound is measured again, at most three times, if the machine kept the processes waiting
    meanwhile for at least as long as the bound was missed by.

    Args:
        folder: for logs and parameter files
        count: of each fault
        scenario: what is played, as its file has it: a robot that drives about alone, fast and straight

    Raises:
        ProcessError: a process ends that should not, or a robot does not move, or does not stop
    """
    robot = next(iter(scenario["robots"]))
    times: dict[str, list[float]] = {name: [] for name in BOUNDS}
    repeated = 0

    def make(stage: _Stage, fault: Callable[[], dict[str, float]]) -> None:
        nonlocal repeated
        taken, again = repeat_stalled(fault, lambda: stage.stalled)
        repeated += again
        for name, seconds in taken.items():
            times[name].append(seconds)

    with _stage(folder / "kills", robot, scenario) as stage:
        for _ in range(count):
            for fault in (stage.interrupt_tree, stage.kill_tree, stage.stop_tree, stage.kill_gate):
                make(stage, fault)
    losses = [
        {"robot": robot, "sensor": "scan", "at_s": _FIRST_S + _BETWEEN_S * number, "for_s": _LOSS_S}
        for number in range(_TRIES * count)
    ]
    with _stage(folder / "scans", robot, {**scenario, "faults": losses}) as stage:
        for _ in range(count):
            make(stage, stage.lose_scan)
    return Kills(times, repeated)


def repeat_stalled(fault: Callable[[], dict[str, float]], stalled: Callable[[], float]) -> tuple[dict[str, float], int]:
    """Measure a fault, and again as long as the machine may be why a bound was missed; at most four times in all.

    Args:
        fault: makes it, and returns the times that were taken (s), by names in ``BOUNDS``
        stalled: returns for how long the machine kept processes waiting meanwhile, s

    Returns:
        the times of the last measurement, and how many were thrown away
    """
    for repeated in range(_REPETITIONS):
        taken = fault()
        missed = max(seconds - BOUNDS[name] for name, seconds in taken.items())
        if missed <= 0.0 or missed > stalled():
            return taken, repeated
    return fault(), _REPETITIONS


@contextmanager
def _stage(folder: Path, robot: str, scenario: Mapping[str, Any]) -> Iterator[_Stage]:
    """Give the game of a scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump(dict(scenario)), encoding="utf-8")
    order = TrialRequest(str(file), (), make_plan(load_scenario(file), file, folder), 0)
    with (
        running_game(order, folder, PROFILE) as (processes, watch),
        closing(Recorder(watch.context, robot)) as recorder,
        Stalls(processes) as stalls,
    ):
        yield _Stage(order, folder, processes, watch, recorder, stalls, robot)


def braking(odometry: Sequence[Arrival], fault: int) -> tuple[float, float] | None:
    """Return when after a fault a base begins to brake, and when it stands, s.

    It begins where the straight line through the speeds between meets the speed before; it stands with
    the first message that says so.

    Args:
        odometry: messages from the fault on
        fault: its instant, ns of the odometry's stamps

    Returns:
        None as long as it does not stand
    """
    stands = next((one for one in odometry if abs(one.twist.linear) < 0.02 and abs(one.twist.angular) < 0.05), None)
    if stands is None:
        return None
    before = float(np.median([one.twist.linear for one in odometry if one.stamp - fault < from_seconds(0.4)]))
    slower = [one for one in odometry if one.stamp < stands.stamp and 0.1 < one.twist.linear / before < 0.9]
    ages = [to_seconds(one.stamp - fault) for one in slower]
    slope, at_rest = np.polyfit([one.twist.linear for one in slower], ages, 1)
    return float(at_rest + slope * before), to_seconds(stands.stamp - fault)


class _Stage:
    """A game in which a robot's processes die.

    Args:
        order: what is played
        folder: for logs and parameter files
        processes: of the game
        watch: on it
        recorder: of the robot
        stalls: of the machine
        robot: its name

    Attributes:
        stalled: for how long the machine kept processes waiting in the newest measurement, s
    """

    def __init__(
        self, order: TrialRequest, folder: Path, processes: Processes, watch: GameWatch, recorder: Recorder,
        stalls: Stalls, robot: str,
    ) -> None:  # fmt: skip
        self.stalled = 0.0
        self._robot = robot
        self._stalls = stalls
        self._processes = processes
        self._watch = watch
        self._programs = {program.name: program for program in write_programs(order, folder)}
        self._tree, self._gate = (robot_program(robot, part) for part in ("tree_node", "velocity_gate"))
        self._recorder = recorder
        watch.begin(processes.check)

    def interrupt_tree(self) -> dict[str, float]:
        """Tell the tree to end as Ctrl-C does."""
        self._drive()
        at = self._processes.send(self._tree, signal.SIGINT)
        taken = self._first_zero(at)
        self.stalled = self._stalls.seconds()
        code = self._processes.wait(self._tree)
        if code != 0:
            raise ProcessError(f"{self._tree} ended with exit code {code}")

        def zeros() -> int:
            return sum(one.arrival > at and one.twist == ZERO for one in self._recorder.raw[-4 * _ZEROS :])

        self._until(lambda: "" if zeros() >= _ZEROS else f"more than {zeros()} zeros on cmd_vel_raw", _STOP_S)
        self._restart_tree()
        return {_SIGINT: taken}

    def kill_tree(self) -> dict[str, float]:
        """Take the tree away."""
        return {_SIGKILL: self._silence_tree(signal.SIGKILL)}

    def stop_tree(self) -> dict[str, float]:
        """Hold the tree up where it is; then take it away, too."""
        return {_SIGSTOP: self._silence_tree(signal.SIGSTOP)}

    def _silence_tree(self, number: signal.Signals) -> float:
        """Send the tree a signal by which it says nothing more; return the time (s) to the first zero."""
        self._drive()
        taken = self._first_zero(self._processes.send(self._tree, number))
        self.stalled = self._stalls.seconds()
        if number is signal.SIGSTOP:
            self._processes.send(self._tree, signal.SIGKILL)
        self._processes.wait(self._tree)
        self._until(lambda: "" if self._state.startswith("latched") else "latch", _STOP_S)
        self._restart_tree()
        self._watch.insist(f"/{self._robot}/velocity_gate/reset", self._processes.check)
        return taken

    def kill_gate(self) -> dict[str, float]:
        """Take the gate away: only the base's own watchdog is left."""
        self._drive()
        at = self._processes.send(self._gate, signal.SIGKILL)
        # Odometry is stamped by the arena's clock.
        simulated = self._watch.now + at - self._watch.clock_arrival
        self._processes.wait(self._gate)

        def result() -> tuple[float, float] | None:
            return braking([one for one in self._recorder.odometry if one.stamp > simulated], simulated)

        self._until(lambda: "" if result() else "standing base", _STOP_S)
        found = result()
        self.stalled = self._stalls.seconds()
        self._processes.start(self._programs[self._gate])
        silent = len(self._recorder.driven)
        self._until(lambda: "" if len(self._recorder.driven) > silent else "new gate", _WAIT_S)
        return {_BRAKES: found[0], _STANDS: found[1]}

    def lose_scan(self) -> dict[str, float]:
        """Wait for a scan that does not come while the robot drives."""
        while True:
            self._drive()
            at = self._recorder.scans[-1].arrival
            while self._recorder.scans[-1].arrival == at and time.monotonic_ns() - at < _GAP_NS:
                self._turn()
            if self._recorder.scans[-1].arrival == at and self._recorder.driven[-1].twist.linear > _MOVING:
                taken = self._first_zero(at, self._recorder.driven[-1].arrival)
                self.stalled = self._stalls.seconds()
                if self._silent_from(at) < _LOST_S:
                    # It was late, and not lost.
                    continue
                self._until(lambda: "" if GateReason.SCAN_STALE in self._state else GateReason.SCAN_STALE, _STOP_S)
                return {_SCAN: taken}

    def _silent_from(self, at: int) -> float:
        """Return the time (s) without a scan since an instant, up to the next one or to now."""
        following = (scan.arrival for scan in self._recorder.scans if scan.arrival > at)
        return to_seconds(next(following, time.monotonic_ns()) - at)

    @property
    def _state(self) -> str:
        return self._watch.states.get(self._robot, "")

    def _drive(self) -> None:
        """Wait until the robot is under way."""
        driven, odometry = self._recorder.driven, self._recorder.odometry

        def slow() -> str:
            speeds = [one.twist.linear for one in driven[-_STEADY:]]
            fresh = bool(odometry) and bool(driven) and time.monotonic_ns() - driven[-1].arrival < _GAP_NS
            steady = len(speeds) == _STEADY and max(speeds) - min(speeds) < _EVEN
            going = fresh and steady and min(*speeds, odometry[-1].twist.linear) > _MOVING
            return "" if going else f"robot that drives (gate: {self._state})"

        self._until(slow, _WAIT_S)
        self._stalls.reset()

    def _first_zero(self, at: int, after: int = 0) -> float:
        """Return the time (s) from an instant to the first zero that the gate sends, after another instant."""
        since = max(at, after)

        def zero() -> Arrival | None:
            return next((one for one in self._recorder.driven if one.arrival > since and one.twist == ZERO), None)

        self._until(lambda: "" if zero() else "zero on cmd_vel", _STOP_S)
        found = zero()
        return to_seconds(found.arrival - at)

    def _restart_tree(self) -> None:
        # It begins by itself: a call could still reach for the services of the one that died.
        program = self._programs[self._tree]
        self._processes.start(replace(program, parameters={**program.parameters, "autostart": True}))

    def _turn(self) -> None:
        self._check()
        self._watch.turn()

    def _until(self, missing: Callable[[], str], seconds: float) -> None:
        self._watch.until(missing, seconds, self._check)

    def _check(self) -> None:
        self._recorder.take()
        self._processes.check()
