"""A picture of a behaviour tree as SVG: one row a node, deeper nodes further right; needs no other program."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import py_trees

__all__ = ["tree_svg"]

_ROW = 30
_INDENT = 34
_BOX = 22
_LETTER = 7.0
"""Width (px) of a letter; boxes are made to fit on the safe side."""

_KINDS = (
    (py_trees.composites.Selector, "?", "#f4c542", "selector: the first child that does not fail"),
    (py_trees.composites.Sequence, "→", "#f08a5d", "sequence: each child until one fails"),
    (py_trees.composites.Parallel, "⇉", "#7fb7d6", "parallel: all children"),
    (py_trees.decorators.Decorator, "δ", "#cfc4e3", "decorator"),
    (py_trees.behaviour.Behaviour, "", "#e9edf0", "behaviour"),
)


def tree_svg(root: py_trees.behaviour.Behaviour, title: str) -> str:
    """Return the picture of a tree as SVG text.

    Args:
        root: of the tree
        title: written above it
    """
    rows = list(_rows(root, 0))
    parts: list[str] = []
    last_row: dict[int, int] = {}
    width = 640.0
    for number, (depth, node) in enumerate(rows):
        x, y = 20 + depth * _INDENT, 52 + number * _ROW
        if depth:
            # From the branch above, not from the parent: lines that are drawn twice look bolder.
            begin = last_row.get(depth, last_row[depth - 1])
            trunk, from_y = x - _INDENT + 12, 52 + begin * _ROW + (_BOX // 2 if depth in last_row else _BOX)
            parts.append(f'<path d="M{trunk} {from_y} V{y + _BOX // 2} H{x}" fill="none" stroke="#8795a1"/>')
        last_row = {level: row for level, row in last_row.items() if level < depth} | {depth: number}
        _, sign, colour, _ = _kind(node)
        label = f"{sign}  {node.name}" if sign else node.name
        box = len(label) * _LETTER + 22
        width = max(width, x + box + 20)
        radius = 4 if sign else 11
        parts.append(f'<rect x="{x}" y="{y}" width="{box:.0f}" height="{_BOX}" rx="{radius}" fill="{colour}"/>')
        parts.append(f'<text x="{x + 11}" y="{y + 15}" xml:space="preserve">{escape(label)}</text>')
    height = 52 + len(rows) * _ROW + 16
    legend = "   ".join(f"{sign} {text}" for _, sign, _, text in _KINDS[:3])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#22303c">',
        f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
        f'<text x="20" y="22" font-size="16" font-weight="bold">{escape(title)}</text>',
        f'<text x="20" y="40" font-size="11" fill="#66747f" xml:space="preserve">{escape(legend)}</text>',
    )
    return "\n".join((*head, *parts, "</svg>"))


def _rows(node: py_trees.behaviour.Behaviour, depth: int) -> Iterator[tuple[int, py_trees.behaviour.Behaviour]]:
    yield depth, node
    for child in node.children:
        yield from _rows(child, depth + 1)


def _kind(node: py_trees.behaviour.Behaviour) -> tuple[type, str, str, str]:
    return next(kind for kind in _KINDS if isinstance(node, kind[0]))
