"""Runs the doctor in the background of a program that goes on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

from arena_trees.nodes.diagnosis.graph_probe import GraphProbe
from arena_trees.nodes.diagnosis.judgement import diagnose

__all__ = ["BackgroundDoctor", "RobotFinding"]

_LISTENS_S = 5.0


class RobotFinding(NamedTuple):
    """What keeps a robot from moving.

    Attributes:
        robot: its name
        wrong: what is wrong
        remedy: what to do
    """

    robot: str
    wrong: str
    remedy: str


class BackgroundDoctor:
    """Looks, in a thread, for what keeps robots from moving.

    Attributes:
        findings: of both of the last two looks: on a busy machine one alone may miss what is there
    """

    def __init__(self) -> None:
        self.findings: tuple[RobotFinding, ...] = ()
        self._newest: frozenset[RobotFinding] = frozenset()
        self._probe: GraphProbe | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def look(self, robots: Mapping[str, str]) -> None:
        """Begin to look at robots, names to namespaces, unless a look goes on."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._thread = None
        if not robots:
            self.findings, self._newest = (), frozenset()
            return
        # One for all looks: it takes its time until a node has found all others.
        self._probe = GraphProbe() if self._probe is None else self._probe
        self._thread = threading.Thread(target=self._look, args=(self._probe, dict(robots)), name="doctor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the look that goes on."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
        if self._probe is not None:
            self._probe.close()

    def _look(self, probe: GraphProbe, robots: Mapping[str, str]) -> None:
        states = probe.observe(list(robots.values()), _LISTENS_S, self._closed.is_set)
        found = [
            RobotFinding(name, finding.wrong, finding.remedy)
            for name, state in zip(robots, states, strict=True)
            for finding in diagnose(state)
        ]
        self.findings = tuple(finding for finding in found if finding in self._newest)
        self._newest = frozenset(found)
