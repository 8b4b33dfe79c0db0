"""Reads bags in a process of its own, within limits: paths come in on standard input, verdicts go out as JSON."""

import json
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.robot.errors import ArenaTreesError

MEMORY = 1 << 30
"""Bytes more than the process has at the beginning."""

LONGEST = 120.0
"""Seconds; a recording that pretends to be longer is read, and not replayed."""


def probe(path: Path) -> str:
    """Return what came of reading and replaying a bag: the sort of its end, and a text."""
    recording = load_recording(path)
    _check(recording)
    for robot in recording.robots.values():
        if (recording.end - recording.start) / 1e9 > LONGEST or len(robot.ticks) > 50 * LONGEST:
            continue
        for role in ("wolf", "rabbit"):
            result = replay(plan_replay(recording, robot.name, role=role))
            assert not result.unexplained, "stands without a reason"
    return f"read, {sum(recording.skipped.values())} skipped"


def _check(recording: Recording) -> None:
    """Look whether every number is one."""
    assert recording.start <= recording.end
    for robot in recording.robots.values():
        for odometry in robot.odometry:
            assert odometry.pose.is_finite and odometry.twist.is_finite
        for pose in robot.poses:
            assert pose.pose.is_finite
        for _, truth in robot.truth:
            assert truth.is_finite
        for tick in robot.ticks:
            assert tick.twist.is_finite and len(tick.statuses) == len(robot.tree)
        for part, seen in robot.seen.items():
            assert len(seen) == len(getattr(robot, part, None) or robot.more.get(part, ()))
            assert (np.diff(seen) >= 0).all()
    for outline in recording.outlines:
        assert np.isfinite(outline.points).all()


def main() -> None:
    """Probe until there is nothing more."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for line in sys.stdin:
        began = time.process_time()
        verdict: dict[str, Any] = {"sort": "read"}
        try:
            verdict["text"] = probe(Path(line.rstrip("\n")))
        except ArenaTreesError as error:
            verdict = {"sort": type(error).__name__, "text": str(error)}
        except BaseException:
            verdict = {"sort": "traceback", "text": traceback.format_exc()}
        verdict["seconds"] = time.process_time() - began
        print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main()
