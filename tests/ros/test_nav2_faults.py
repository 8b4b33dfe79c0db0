"""The Nav2 client under many faults: no leaf stays RUNNING, and no goal active on the server."""

import os
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("nav2_msgs.action", reason="nav2_msgs is not installed")

from helpers.nav2_bench import QUICK, Deaf, Lost, Nav2Bench
from helpers.nav2_server import Manner
from helpers.patience import Patience

from arena_trees.robot.ports import NavigationStatus

ACTIVE, SUCCEEDED = NavigationStatus.ACTIVE, NavigationStatus.SUCCEEDED
FAULTS = int(os.environ.get("ARENA_TREES_NAV2_FAULTS", "20"))
SEED = int(os.environ.get("ARENA_TREES_NAV2_SEED", "6"))

KINDS = (
    "none", "late answer", "too late answer", "rejected", "aborted", "silent", "deaf", "lost goal", "lost answer",
    "lost result", "lost question", "lost cancel", "lost cancel answer", "refused cancels", "restart", "down", "frozen",
    "cancel race", "replace race", "no preemption",
)  # fmt: skip

LOSSES = {
    "lost goal": (0, True), "lost answer": (0, False), "lost question": (1, True), "lost result": (1, False),
    "lost cancel": (2, True), "lost cancel answer": (2, False),
}  # fmt: skip
"""Of which line, and whether requests or answers."""


def drive(bench, kind, generator):
    """Drive to a goal with a fault, as a leaf does, perhaps interrupted; fail where it does not come to an end."""
    lasts = float(generator.uniform(0.05, 0.5))
    bench.server.manner = manner = Manner(lasts=lasts)
    bench.navigator.parameters = QUICK
    manner.answer_after = {"late answer": 0.3, "too late answer": 1.0}.get(kind, 0.0)
    manner.accepts, manner.arrives, manner.tells = kind != "rejected", kind != "aborted", kind != "silent"
    manner.lasts = 60.0 if kind in ("silent", "deaf", "no preemption", "frozen") else lasts
    manner.refuses_cancels = int(generator.integers(1, 4)) if kind == "refused cancels" else 0
    manner.preempts = kind != "no preemption"
    if kind == "down":
        bench.server.stop()
    race = "cancel" in kind or kind in ("replace race", "no preemption")
    interrupted = race or generator.random() < 0.3
    instant = time.monotonic() + float(generator.uniform(0.0, 0.6))
    upset = time.monotonic() + float(generator.uniform(0.0, 0.4))
    replaces = kind in ("replace race", "no preemption") or (not race and generator.random() < 0.5)
    bench.go()
    patience = Patience(f"{kind}: the end of the leaf")
    while bench.navigator.status() is ACTIVE:
        patience.check()
        now = time.monotonic()
        if upset is not None and now >= upset:
            upset = None
            if kind in ("restart", "down"):
                bench.server.stop()
                bench.server.start()
            manner.answers = kind != "frozen"
        if interrupted and now >= instant:
            interrupted = False
            if replaces:
                manner.lasts = lasts
                bench.go()
            else:
                bench.navigator.cancel()
        bench.spin()
    manner.answers = True
    if kind == "down" and upset is not None:
        bench.server.start()


@pytest.fixture
def bench():
    bench = Nav2Bench()
    yield bench
    bench.close()


@pytest.mark.slow
def test_no_leaf_stays_running_and_no_goal_active_whatever_fails(bench):
    generator = np.random.default_rng(SEED)
    for number in range(FAULTS):
        kind = KINDS[int(generator.integers(len(KINDS)))] if number >= len(KINDS) else KINDS[number]
        if kind in LOSSES:
            line, requests = LOSSES[kind]
            with Lost(bench.lines[line], requests):
                drive(bench, kind, generator)
        elif kind == "deaf":
            with Deaf(bench.node):
                drive(bench, kind, generator)
        else:
            drive(bench, kind, generator)
        # In the next round the server is another one or the same, but at nothing.
        bench.until(lambda kind=kind: bench.server.idle(), f"{kind}: no goal active")
        # And the client has not lost its way: a goal is reached, however busy the machine.
        bench.begin()
        bench.meet()
        bench.go()
        assert bench.end() is SUCCEEDED, kind
