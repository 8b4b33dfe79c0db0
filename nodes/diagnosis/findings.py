"""What the doctor finds: one reason why a robot will not move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from arena_trees.nodes.diagnosis.graph_state import GraphState

__all__ = ["Check", "Finding", "listed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why the robot will not move.

    Attributes:
        name: of the kind of finding, for programs
        wrong: what is wrong
        shows: how it shows
        remedy: what to do
    """

    name: str
    wrong: str
    shows: str
    remedy: str


Check = Callable[[GraphState], Iterator[Finding]]
"""Looks for one kind of reason, or for some that belong together."""


def listed(names: Iterable[str]) -> str:
    """Return names in their order, in one line."""
    return ", ".join(sorted(names))
