"""``arena-trees replay``: feeds a recorded robot's sensors to its tree again and compares what it decides."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena_trees.commands.bag_options import parse_mounts, parse_topics
from arena_trees.commands.console import Force
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.configuration.files import check_writable, is_standard_output, write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena_trees.recording.replaying.replay import ReplayResult

__all__ = ["replay_recording"]

_TICK_S = 0.02
_DIFFERENT = 1


def replay_recording(
    bag: Annotated[Path, typer.Argument(help="A rosbag2 directory, or one file of it.")],
    robot: Annotated[str | None, typer.Option(help="Which robot; may be left out where there is one.")] = None,
    role: Annotated[str | None, typer.Option(help="Whose tree, by its role; as recorded where absent.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="What would it have done with ...: chase_kp=1.5, gate.scan_timeout=1; repeatable."),
    ] = None,
    topics: Annotated[
        list[str] | None,
        typer.Option("--topic", help="Where a robot's data is, as in scan=/lidar/scan; repeatable."),
    ] = None,
    mounts: Annotated[
        list[str] | None,
        typer.Option("--mount", help="Where a LiDAR is mounted, m, m, degrees, as in scan=-0.04,0,90; repeatable."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Velocities that differ by less, in m/s or rad/s, are equal; 1e-6, or 0.1 of a robot outside."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="With --set or another --role: end with 1 where it decides otherwise.")
    ] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="What was found, as JSON.")] = None,
    force: Force = False,
) -> int:
    """Let a recorded robot decide again, and compare.

    The exit code is 1 where it decides otherwise than recorded.
    """
    from arena_trees.recording.loading import load_recording
    from arena_trees.recording.replaying.plan import plan_replay
    from arena_trees.recording.replaying.replay import replay
    from arena_trees.robot.configuration.assignments import parse_assignments

    if tolerance is not None and not 0.0 <= tolerance <= 1.0:
        raise ConfigError("must be 0 to 1", key="--tolerance", value=tolerance)
    if json_file is not None:
        check_ending(json_file, (".json",), "--json")
    recording = load_recording(bag, parse_topics(topics or []), parse_mounts(mounts or []))
    plan = plan_replay(recording, robot, role=role, changes=parse_assignments(changes or []))
    if json_file is not None:
        check_writable(json_file, "--json")
        (json_file,) = place_files([json_file], force)
    result = replay(plan, tolerance)
    # What goes to the standard output is alone there.
    taken = json_file is not None and is_standard_output(json_file)
    print("\n".join(_reported(result)), file=sys.stderr if taken else sys.stdout)
    if json_file is not None:
        text = json.dumps(_values(result), indent=2)
        write_atomically(json_file, lambda stream: stream.write(text.encode() + b"\n"))
    asked_for = bool(plan.changes) and not strict
    return _DIFFERENT if result.different and not asked_for else 0


def _reported(result: ReplayResult) -> list[str]:
    plan = result.plan
    lines = [f"{plan.robot.name} as {plan.role}: {result.ticks} ticks, {result.ticks * _TICK_S:.1f} s"]
    lines += [f"note: {note}" for note in result.notes]
    skipped = plan.recording.skipped
    if skipped:
        lines.append("skipped: " + ", ".join(f"{what} {count}" for what, count in skipped.items()))
    if result.refusals:
        lines.append("refused: " + ", ".join(f"{what} {count}" for what, count in result.refusals.items()))
    lines += ["", *_table("ran, s", result.leaves, result.recorded_leaves if result.compared else None)]
    lines += ["", *_table("gate, s", result.reasons, None)]
    lines += ["", *_table("stood, s", result.stands, None), ""]
    if result.fault is not None:
        lines.append(f"latched at the end: {result.fault}")
    if result.unexplained:
        lines.append(f"{result.unexplained} ticks without motion or a reason for it")
    return lines + _verdict(result)


def _verdict(result: ReplayResult) -> list[str]:
    if not result.compared:
        return ["nothing to compare with: the recording has no ticks of a tree"]
    if result.first is None:
        return [f"identical: {result.compared} ticks"]
    first, start = result.first, result.plan.robot.ticks[0].now
    lines = [
        f"{result.different} of {result.compared} ticks are different"
        f" ({result.different / result.compared:.1%}); driven {result.distance:.2f} m,"
        f" recorded {result.recorded_distance:.2f} m",
        f"first at {to_seconds(first.now - start):.2f} s, tick {first.tick}:",
        *(f"  {difference}" for difference in first.differences),
    ]
    if result.plan.changes:
        lines.append("the sensors go on showing what they showed: what follows is a guess, the longer the bolder")
    if first.recorded:
        lines += ["", "recorded:", first.recorded.rstrip()]
    return [*lines, "", "replayed:", first.replayed.rstrip()]


def _table(title: str, ticks: Mapping[str, int], recorded: Mapping[str, int] | None) -> list[str]:
    """Return the seconds of each name, the most first, next to the recorded ones."""
    names = sorted({*ticks, *(recorded or ())}, key=lambda name: (-ticks.get(name, 0), name))
    width = max(map(len, [title, *names]))
    heads = "" if recorded is None else f"{'replayed':>10}{'recorded':>10}"
    lines = [f"{title:<{width}}{heads}"]
    for name in names:
        columns = [ticks.get(name, 0)] if recorded is None else [ticks.get(name, 0), recorded.get(name, 0)]
        lines.append(f"{name:<{width}}" + "".join(f"{count * _TICK_S:>10.2f}" for count in columns))
    return lines


def _values(result: ReplayResult) -> dict[str, Any]:
    """Return a result as plain values; names carry their units."""
    plan, first = result.plan, result.first
    return {
        "bag": str(plan.recording.path),
        "robot": plan.robot.name,
        "role": plan.role,
        "changes": dict(plan.changes),
        "ticks": result.ticks,
        "compared_ticks": result.compared,
        "different_ticks": result.different,
        "unexplained_ticks": result.unexplained,
        "first": None
        if first is None
        else {
            "tick": first.tick,
            "now_s": first.now / SECOND,
            "differences": list(first.differences),
            "recorded_tree": first.recorded,
            "replayed_tree": first.replayed,
        },
        "leaf_ticks": dict(result.leaves),
        "recorded_leaf_ticks": dict(result.recorded_leaves),
        "gate_reason_ticks": dict(result.reasons),
        "standing_ticks": dict(result.stands),
        "distance_m": result.distance,
        "recorded_distance_m": result.recorded_distance,
        "refused": dict(result.refusals),
        "skipped": dict(plan.recording.skipped),
        "fault": result.fault,
        "notes": list(result.notes),
    }
