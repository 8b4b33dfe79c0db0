"""The bench on ROS: how regularly trees tick, and how soon a scan shows in what is driven, while a game is played."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from message_recorder import Arrival, Recorder
from numpy.typing import NDArray

from arena_trees.nodes.programs.game_programs import TrialRequest
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.nodes.programs.processes import Processes
from arena_trees.robot.clock import SECOND, to_seconds

__all__ = ["RobotTiming", "RosBench", "cpu_seconds", "measure", "scan_latencies", "sent", "take", "tick_timing"]

PERIOD_MS = 20.0
_RECORDER = "recorder"
"""This process, among the others."""
_WARM_UP = 50
"""Ticks of every tree before the measurement begins."""
_BEGIN_S = 30.0
"""Longest wait for them."""
_LISTEN_S = 0.05
"""Between two looks at what has come; DDS has noted when it came."""
_READ_NS, _DECIDE_NS = 2_000_000, 300_000
"""Before it publishes, a tree has read its sensors up to so long ago, and a gate its command."""

Instants = NDArray[np.float64]
"""Instants, ns, in order, shape (n,)."""


@dataclass(frozen=True, slots=True)
class RobotTiming:
    """How one robot's tree and gate kept time.

    Attributes:
        ticks: of the tree
        period_ms: mean time between two ticks
        jitter_ms: 99th percentile of how far that time is from 20 ms
        lost: ticks that never came
        latency_p50_ms: median from a scan's arrival until the first ``cmd_vel`` is sent that could know it
        latency_p99_ms: 99th percentile of the same
        scans: of which the latency was measured
    """

    ticks: int
    period_ms: float
    jitter_ms: float
    lost: int
    latency_p50_ms: float
    latency_p99_ms: float
    scans: int


@dataclass(frozen=True, slots=True)
class RosBench:
    """What was measured.

    Attributes:
        seconds: how long
        real_time_factor: of the arena
        robots: name to its timing
        cpu: process to its share of one processor
    """

    seconds: float
    real_time_factor: float
    robots: Mapping[str, RobotTiming]
    cpu: Mapping[str, float]


def measure(order: TrialRequest, folder: Path, seconds: float) -> RosBench:
    """Play a game for so long and measure it from outside.

    Args:
        order: what is played; its round must last
        folder: for logs and parameter files
        seconds: of this machine's clock

    Raises:
        ProcessError: a process ends too early, or does not end well; its log is named
    """
    with running_game(order, folder) as (processes, watch), ExitStack() as stack:
        recorders = {name: stack.enter_context(closing(Recorder(watch.context, name))) for name in order.plan.robots}
        watch.begin(processes.check)

        def still_begins() -> str:
            take(recorders)
            return "" if all(len(one.raw) > _WARM_UP for one in recorders.values()) else "steady ticks"

        watch.until(still_begins, _BEGIN_S, processes.check)
        begun, before = time.monotonic_ns(), _cpu_seconds(processes)
        while time.monotonic_ns() - begun < seconds * SECOND:
            time.sleep(_LISTEN_S)
            take(recorders)
            processes.check()
        ended, after = time.monotonic_ns(), _cpu_seconds(processes)
    taken_s = to_seconds(ended - begun)
    return RosBench(
        taken_s,
        _real_time_factor(next(iter(recorders.values())), begun, ended),
        {name: _timing(recorder, begun, ended) for name, recorder in recorders.items()},
        {name: (after[name] - before[name]) / taken_s for name in before},
    )


def tick_timing(sent: Instants) -> tuple[float, float, int]:
    """Return mean period (ms), 99th percentile of its distance from 20 ms (ms), and how many ticks were lost.

    A tick that comes late and is followed by one in time is not lost.
    """
    periods = np.diff(sent) / 1e6
    due = round(float(sent[-1] - sent[0]) / 1e6 / PERIOD_MS)
    return float(periods.mean()), float(np.percentile(np.abs(periods - PERIOD_MS), 99)), max(0, due - periods.size)


def scan_latencies(scans: Instants, raw: Instants, driven: Instants) -> Instants:
    """Return for each scan the time (ms) to the first velocity that a tree could have chosen knowing it.

    Args:
        scans: arrivals
        raw: when what the tree commanded was sent
        driven: when what the gate let through was sent
    """
    # What is published just after an arrival was reckoned before it.
    commands = np.searchsorted(raw, scans + _READ_NS)
    known = commands < raw.size
    outputs = np.searchsorted(driven, raw[commands[known]] + _DECIDE_NS)
    answered = outputs < driven.size
    return np.asarray((driven[outputs[answered]] - scans[known][answered]) / 1e6, dtype=np.float64)


def sent(kept: Sequence[Arrival]) -> Instants:
    """Return when messages were sent."""
    return np.array([one.sent for one in kept], dtype=np.float64)


def take(recorders: Mapping[str, Recorder]) -> None:
    """Take in what has come to each recorder."""
    for recorder in recorders.values():
        recorder.take()


def _within(arrivals: Sequence[Arrival], begun: int, ended: int) -> list[Arrival]:
    return [one for one in arrivals if begun <= one.arrival <= ended]


def _real_time_factor(recorder: Recorder, begun: int, ended: int) -> float:
    first, *_, last = _within(recorder.odometry, begun, ended)
    return (last.stamp - first.stamp) / (last.sent - first.sent)


def _timing(recorder: Recorder, begun: int, ended: int) -> RobotTiming:
    raw = _within(recorder.raw, begun, ended)
    period_ms, jitter_ms, lost = tick_timing(sent(raw))
    scans = np.array([one.arrival for one in _within(recorder.scans, begun, ended)], dtype=np.float64)
    # Sent, as a command and its answer may arrive here together.
    latencies = scan_latencies(scans, sent(recorder.raw), sent(recorder.driven))
    p50, p99 = np.percentile(latencies, (50, 99))
    return RobotTiming(len(raw), period_ms, jitter_ms, lost, float(p50), float(p99), latencies.size)


def cpu_seconds(process: int | str) -> float:
    """Return the processor time that a process has used, s."""
    # After the program's name, which is in brackets and may hold anything; proc(5) counts from 1.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cpu_seconds(processes: Processes) -> dict[str, float]:
    """Return the processor time that each process has used, s."""
    used = {name: cpu_seconds(processes.identity(name)) for name in processes.names}
    return {**used, _RECORDER: cpu_seconds("self")}
