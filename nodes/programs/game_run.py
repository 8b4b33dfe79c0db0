"""One trial on ROS: every node a process, started, played to the end of the round, and stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena_trees.experiments.results import TrialResult
from arena_trees.nodes.monitors.game_watch import GameWatch
from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.faulty_computers import FaultyComputers
from arena_trees.nodes.programs.faulty_lines import FaultyLines
from arena_trees.nodes.programs.game_programs import TrialRequest, write_programs
from arena_trees.nodes.programs.processes import ProcessError, Processes
from arena_trees.nodes.programs.program import Program
from arena_trees.recording.judging.observed_game import ObservedGame
from arena_trees.robot.clock import to_seconds
from arena_trees.simulation.faults.fault import drawn_faults

__all__ = ["play_trial", "running_game"]

_READY_S = 90.0
"""Longest wait for one more node; on a busy machine the imports alone take a while."""
_STALLED_S = 20.0
"""Without a later simulated time for so long, or for as long as all nodes took to start, the arena is given up."""


@contextmanager
def running_game(
    order: TrialRequest, folder: Path, profile: str = "", record: Path | None = None
) -> Iterator[tuple[Processes, GameWatch]]:
    """Give the processes of a game in which everybody has found everybody and waits to begin.

    Args:
        order: what is played
        folder: for logs and parameter files
        profile: Fast DDS profiles for the processes, if any
        record: rosbag2 directory to make of the game, if any

    Raises:
        ProcessError: a process does not start, or does not end well
        RecordingError: the directory exists, or cannot be made
    """
    with (
        reserved_domain() as domain,
        Processes(folder, domain, profile) as processes,
        GameWatch(order, domain) as watch,
        _faulty_lines(order, watch) as remapped,
    ):
        begun = time.monotonic()
        if record is not None:
            watch.record(record)
        for program in write_programs(order, folder):
            processes.start(remapped(program))
        watch.until(watch.missing, _READY_S, processes.check)
        # On a machine where it takes long to start, everything does.
        taken = time.monotonic() - begun
        processes.patience, watch.patience = max(processes.patience, taken), max(watch.patience, taken)
        yield processes, watch
        processes.stop()


@contextmanager
def _faulty_lines(order: TrialRequest, watch: GameWatch) -> Iterator[Callable[[Program], Program]]:
    """Carry messages to and from robots whose line is faulty; give what makes programs use that."""
    if all(fault.part != "line" for fault in order.plan.scenario.faults):
        yield lambda program: program
        return
    lines = FaultyLines(watch.context, order.plan, order.seed, lambda: watch.elapsed)
    watch.add(lines)
    try:
        yield lines.remapped
    finally:
        lines.destroy_node()


def play_trial(
    order: TrialRequest, folder: Path, on_progress: Callable[[float], object] | None = None, record: Path | None = None
) -> TrialResult:
    """Play one trial.

    Args:
        order: what is played
        folder: for logs and parameter files
        on_progress: called now and then with the simulated time since the begin, s
        record: rosbag2 directory to make of the trial, if any

    Raises:
        ProcessError: a process ends too early, or does not end well; its log is named
        RecordingError: the directory exists, or cannot be made
    """
    with running_game(order, folder, record=record) as (processes, watch):
        computers = FaultyComputers(drawn_faults(order.plan.scenario.faults, order.seed), processes)
        judged = watch.begin(processes.check)
        start, begun = watch.now, time.monotonic()
        for _ in _advancing(watch, judged, processes, computers):
            if on_progress is not None:
                on_progress(to_seconds(watch.now - start))
        taken_s = time.monotonic() - begun
    return judged.result(taken_s)


def _advancing(
    watch: GameWatch, record: ObservedGame, processes: Processes, computers: FaultyComputers
) -> Iterator[None]:
    """Listen until the trial is over; yields now and then."""
    start = before = watch.now
    since, longest = time.monotonic(), max(_STALLED_S, watch.patience)
    while not record.over:
        watch.turn()
        computers.apply(watch.now - start)
        if watch.now == before:
            if time.monotonic() - since > longest:
                raise ProcessError(f"the arena's clock has stood for {longest:.0f} s")
            continue
        if int(to_seconds(watch.now) * 2) != int(to_seconds(before) * 2):
            processes.check()
            yield
        before, since = watch.now, time.monotonic()
