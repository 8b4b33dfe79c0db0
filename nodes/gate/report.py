"""What the velocity gate reports in its diagnostics. Pure: no node."""

from __future__ import annotations

from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.clock import STALE, to_seconds
from arena_trees.robot.percepts import Stamped
from arena_trees.robot.ports import GateDecision
from arena_trees.safety.gate import STOPS, need_place
from arena_trees.safety.guard import Guard

__all__ = ["report"]


def report(now: int, guard: Guard, percept_filter: PerceptFilter, decision: GateDecision) -> dict[str, str]:
    """Return causes and ages.

    Args:
        now: ns
        guard: of the gate
        percept_filter: whose percepts and refusals are reported
        decision: the newest
    """
    percepts, commands, body = percept_filter.percepts, guard.commands, guard.gate.body
    age = commands.age(now)
    values = {
        "latched": guard.gate.latched or "",
        "latched for (s)": "" if guard.latched_at is None else _seconds(now - guard.latched_at),
        "stopped by": ", ".join(guard.standing),
        "limited by": ", ".join(reason for reason in decision.reasons if reason not in {*guard.standing, *STOPS}),
        "twist": str(decision.twist),
        **({} if body.turret is None else {"turret": str(decision.turret)}),
        "command age (s)": "never" if age is None else _seconds(age),
        "command refused": commands.refused or "",
        **({"scan age (s)": _age(percepts.scan, now)} if body.lidar else {}),
        **({"ranges age (s)": _age(percepts.ranges, now)} if body.ranges else {}),
        "odometry age (s)": _age(percepts.odometry, now),
        "bumpers age (s)": _age(percepts.bumpers, now),
    }
    values |= guard.gate.report(percepts)
    if need_place(guard.gate.limits):
        values["pose age (s)"] = _age(percepts.pose, now)
    for reason, count in sorted(percept_filter.refusals.items()):
        values[f"refused: {reason}"] = str(count)
    return values


def _age(percept: Stamped | None, now: int) -> str:
    if percept is None:
        return "never"
    age = percept.age(now)
    return "from the future" if age >= STALE else _seconds(age)


def _seconds(duration: int) -> str:
    return f"{to_seconds(duration):.3f}"
