"""``arena-trees doctor``: diagnoses on a ROS graph why a robot will not move."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated

import typer

from arena_trees.commands.ros.needed import ros_needed
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.nodes.diagnosis.graph_state import GraphState
    from arena_trees.nodes.diagnosis.judgement import Finding

__all__ = ["diagnose_robots"]

_FOUND = 1
_LONGEST_NAMESPACE = 200
"""ROS accepts names of up to 255 characters, a topic's name included."""


def diagnose_robots(
    namespace: Annotated[
        str | None,
        typer.Option(help="Namespace of the robot, such as /robot_1; all that are there if not given."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to listen.", min=0.5, max=120.0)] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say on a ROS graph why a robot will not move.

    The exit code is 1 if anything is found.
    """
    states = _look(None if namespace is None else _checked(namespace), seconds)
    from arena_trees.nodes.diagnosis.judgement import diagnose

    judged = [(state, diagnose(state)) for state in states]
    if as_json:
        print(json.dumps([_values(state, findings) for state, findings in judged], indent=2))
    else:
        print("\n\n".join(_text(state, findings) for state, findings in judged))
    if any(findings for _, findings in judged):
        raise typer.Exit(_FOUND)


def _checked(namespace: str) -> str:
    name = "/" + namespace.strip("/")
    if len(name) > _LONGEST_NAMESPACE or (name != "/" and not all(part.isidentifier() for part in name[1:].split("/"))):
        raise ConfigError("is no namespace, such as /robot_1", key="--namespace", value=namespace)
    return name


def _look(namespace: str | None, seconds: float) -> list[GraphState]:
    with ros_needed("the doctor"):
        from arena_trees.nodes.diagnosis.graph_probe import GraphProbe
    with GraphProbe() as probe:
        if namespace is not None:
            return probe.observe((namespace,), seconds)
        # A robot of which nothing is seen is judged too: as one without a namespace.
        names = probe.robots(seconds) or ("/",)
        states = probe.observe(names, seconds)
        late = tuple(name for name in states[-1].robots if name not in names)
        if not late:
            return states
        found = probe.observe(late, seconds)
        return found if names == ("/",) else [*states, *found]


def _text(state: GraphState, findings: list[Finding]) -> str:
    head = f"{state.namespace}: {_count(findings)} ({state.environment}; listened {state.seconds:g} s)"
    entries = [
        f"{number}. {finding.wrong}\n   how it shows: {finding.shows}\n   what to do: {finding.remedy}"
        for number, finding in enumerate(findings, start=1)
    ]
    return "\n\n".join([head, *entries])


def _count(findings: list[Finding]) -> str:
    if not findings:
        return "nothing found that would keep it from moving"
    return "one finding" if len(findings) == 1 else f"{len(findings)} findings, causes before consequences"


def _values(state: GraphState, findings: list[Finding]) -> dict[str, object]:
    return {
        "namespace": state.namespace,
        "environment": dataclasses.asdict(state.environment),
        "seconds": state.seconds,
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
