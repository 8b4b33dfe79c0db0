"""The tree of a report: a robot's nodes as rows of a page, and what each was when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.recording import NodeInfo, Tick
from arena_trees.recording.report_page.columns import Columns
from arena_trees.robot.record import STATUS_CODES

__all__ = ["Rows", "Texts", "pack_tree"]

_RUNNING = STATUS_CODES["RUNNING"]
_MOST_ROWS = 2_000
_DEEPEST = 40
"""Depth from which rows are not indented further."""


class Texts:
    """Texts of a report, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        """Return a text's number; a very long text is cut."""
        return self._numbers.setdefault(text if len(text) <= 1000 else f"{text[:999]}…", len(self._numbers))

    def listed(self) -> list[str]:
        """Return the texts in the order of their numbers."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class Rows:
    """The nodes of a tree in the order in which people read them: a node, then its children.

    Attributes:
        node: index of each row's node in the order of ``root.iterate()``
        depth: of each row
    """

    node: tuple[int, ...]
    depth: tuple[int, ...]

    @classmethod
    def of(cls, tree: Sequence[NodeInfo]) -> Rows:
        """Return the rows of a tree. A node that no root leads to is left out."""
        children: dict[int, list[int]] = {}
        for index, node in enumerate(tree):
            children.setdefault(node.parent, []).append(index)
        rows: list[tuple[int, int]] = []
        waiting = [(root, 0) for root in reversed(children.get(-1, []))]
        while waiting and len(rows) < _MOST_ROWS:
            index, depth = waiting.pop()
            rows.append((index, min(depth, _DEEPEST)))
            waiting += [(child, depth + 1) for child in reversed(children.get(index, []))]
        return cls(tuple(node for node, _ in rows), tuple(depth for _, depth in rows))


def pack_tree(
    columns: Columns, texts: Texts, tree: Sequence[NodeInfo], ticks: Sequence[Tick], keys: Sequence[str] | None = None
) -> dict[str, Any]:
    """Pack a robot's tree, and below it a row for each key that the tree keeps on the blackboard.

    Args:
        columns: takes what changes
        texts: takes the feedback messages, and the values of the blackboard
        tree: nodes in the order of ``root.iterate()``
        ticks: of the robot
        keys: of the blackboard that get rows; those that the ticks have where it is None
    """
    rows = Rows.of(tree)
    parents = {node.parent for node in tree}
    place = {node: row for row, node in enumerate(rows.node)}
    statuses = _statuses(ticks, rows)
    before = np.vstack([np.zeros((1, len(rows.node)), np.uint8), statuses[:-1]]) if len(ticks) else statuses
    tick, row = np.nonzero(statuses != before)
    kept = sorted({key for tick in ticks for key in tick.blackboard}) if keys is None else keys
    places = {key: len(rows.node) + number for number, key in enumerate(kept)}
    feedback = sorted([*_feedback(ticks, place, texts), *_values(ticks, places, texts)])
    leaf = np.array([node not in parents for node in rows.node], dtype=bool)
    return {
        "nodes": [
            *([tree[node].name, tree[node].kind, depth] for node, depth in zip(rows.node, rows.depth, strict=True)),
            *([key, "blackboard", 0] for key in kept),
        ],
        "changes": {
            "tick": columns.add(tick),
            "row": columns.add(row),
            "status": columns.add(statuses[tick, row]),
        },
        "feedback": {
            name: columns.add([entry[number] for entry in feedback])
            for number, name in enumerate(("tick", "row", "text"))
        },
        "tip": columns.add(_tips(ticks, rows, tree, statuses, leaf)),
    }


def _statuses(ticks: Sequence[Tick], rows: Rows) -> NDArray[np.uint8]:
    """Return each row's status in each tick, shape (ticks, rows)."""
    size = max(rows.node, default=-1) + 1
    known = b"".join(tick.statuses[:size].ljust(size, b"\0") for tick in ticks)
    table = np.frombuffer(known, dtype=np.uint8).reshape(len(ticks), size)
    return table[:, list(rows.node)]


def _feedback(ticks: Sequence[Tick], place: dict[int, int], texts: Texts) -> list[tuple[int, int, int]]:
    """Return (tick, row, text's number) wherever a node's feedback became another."""
    newest: dict[int, int] = {}
    changes = []
    for number, tick in enumerate(ticks):
        for node, message in tick.feedback.items():
            text, row = texts.number(message), place.get(node)
            if row is not None and newest.get(row, 0) != text:
                newest[row] = text
                changes.append((number, row, text))
    return changes


def _values(ticks: Sequence[Tick], places: Mapping[str, int], texts: Texts) -> Iterator[tuple[int, int, int]]:
    """Yield (tick, row, text's number) wherever a value of the blackboard became another."""
    newest: dict[str, int] = {}
    for number, tick in enumerate(ticks):
        for key, value in tick.blackboard.items():
            text = texts.number(_shown(value))
            if newest.get(key) != text:
                newest[key] = text
                yield number, places[key], text


def _shown(value: Any) -> str:
    """Return a value of the blackboard as a short text."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(item)}" for name, item in value.items())
    return "none" if value is None else str(value)


def _tips(
    ticks: Sequence[Tick], rows: Rows, tree: Sequence[NodeInfo], statuses: NDArray[np.uint8], leaf: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the row of the leaf that decided each tick: the first that runs, else the active one; -1 without any."""
    if not len(rows.node):
        return np.full(len(ticks), -1, dtype=np.int64)
    running = (statuses == _RUNNING) & leaf
    named = {tree[node].name: row for row, node in reversed(list(enumerate(rows.node))) if leaf[row]}
    active = np.array([named.get(tick.active, -1) for tick in ticks], dtype=np.int64)
    return np.where(running.any(axis=1), running.argmax(axis=1), active)
