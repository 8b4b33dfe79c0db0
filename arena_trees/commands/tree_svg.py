"""A picture of a behaviour tree as SVG: one row a node, deeper nodes further right; needs no other program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import py_trees

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour

__all__ = ["tree_svg"]

_TOP = 74
"""Height above the first row, px, for title and legend."""
_ROW = 30
_INDENT = 34
_BOX = 22
_LETTER = 7.0
"""Width (px) of a letter; boxes are made to fit on the safe side."""
_SMALL = 5.9
"""Width (px) of a letter of the legend."""
_MEMORY = 16
"""Width of the circled M, px."""
_INK = "#22303c"
_LINE = "#8795a1"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of node.

    Attributes:
        sign: before its name; empty for none
        colour: of its shape
        meaning: in the legend
        round: whether its shape is an ellipse
        dashed: whether its rim is
    """

    sign: str
    colour: str
    meaning: str
    round: bool = False
    dashed: bool = False


_COMPOSITES: tuple[tuple[type, _Kind], ...] = (
    (py_trees.composites.Selector, _Kind("?", "#f4c542", "selector: the first child that does not fail")),
    (py_trees.composites.Sequence, _Kind("→", "#f08a5d", "sequence: each child until one fails")),
    (py_trees.composites.Parallel, _Kind("⇉", "#7fb7d6", "parallel: all children")),
    (py_trees.decorators.Decorator, _Kind("δ", "#cfc4e3", "decorator")),
)
_CONDITION = _Kind("", "#ffffff", "condition", round=True)
_SENSING = _Kind("", "#eef5ea", "sensing: updates what the robot knows", dashed=True)
_ACTION = _Kind("", "#dde3e8", "action")
_REMEMBERS = "with memory: goes on where it was"


def tree_svg(root: py_trees.behaviour.Behaviour, title: str) -> str:
    """Return the picture of a tree as SVG text.

    Composites have py_trees' colours and signs, and a circled M where they have memory. Conditions, whose names end
    with a question mark, are ellipses, actions are boxes, and what senses without acting has a dashed rim.

    Args:
        root: of the tree
        title: written above it
    """
    rows = list(_rows(root, 0))
    parts: list[str] = []
    last_row: dict[int, int] = {}
    width = 640.0
    for number, (depth, node) in enumerate(rows):
        x, y = 20 + depth * _INDENT, _TOP + number * _ROW
        if depth:
            # From the branch above, not from the parent: lines that are drawn twice look bolder.
            begin = last_row.get(depth, last_row[depth - 1])
            trunk, from_y = x - _INDENT + 12, _TOP + begin * _ROW + (_BOX // 2 if depth in last_row else _BOX)
            parts.append(f'<path d="M{trunk} {from_y} V{y + _BOX // 2} H{x}" fill="none" stroke="{_LINE}"/>')
        last_row = {level: row for level, row in last_row.items() if level < depth} | {depth: number}
        drawn, right = _node(node, x, y)
        parts += drawn
        width = max(width, right + 20.0)
    legend, width = _legend([node for _, node in rows], width)
    height = _TOP + len(rows) * _ROW + 16
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{_INK}">',
        f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
        f'<text x="20" y="22" font-size="16" font-weight="bold">{escape(title)}</text>',
    )
    return "\n".join((*head, *legend, *parts, "</svg>"))


def _node(node: py_trees.behaviour.Behaviour, x: float, y: float) -> tuple[list[str], float]:
    """Return a node's shape and name, and where they end, px."""
    kind, memory = _kind(node), _remembers(node)
    label = f"{kind.sign}  {node.name}" if kind.sign else node.name
    box = len(label) * _LETTER + 22 + (_MEMORY if memory else 0) + (12 if kind.round else 0)
    parts = [_shape(kind, x, y, box, _BOX)]
    at = x + (17 if kind.round else 11)
    if memory:
        # After the sign, before the name.
        parts.append(f'<text x="{at}" y="{y + 15}">{escape(kind.sign)}</text>')
        parts += _circled_m(at + 22, y + _BOX / 2)
        parts.append(f'<text x="{at + 35}" y="{y + 15}">{escape(node.name)}</text>')
    else:
        parts.append(f'<text x="{at}" y="{y + 15}" xml:space="preserve">{escape(label)}</text>')
    return parts, x + box


def _shape(kind: _Kind, x: float, y: float, width: float, height: float) -> str:
    rim = f'stroke="{_LINE}"' if not kind.sign else 'stroke="none"'
    if kind.dashed:
        rim += ' stroke-dasharray="4 3"'
    if kind.round:
        middle = f'cx="{x + width / 2:.1f}" cy="{y + height / 2:.1f}" rx="{width / 2:.1f}" ry="{height / 2:.1f}"'
        return f'<ellipse {middle} fill="{kind.colour}" {rim}/>'
    corner = 4 if kind.sign else 2
    place = f'x="{x:g}" y="{y:g}" width="{width:.0f}" height="{height:g}"'
    return f'<rect {place} rx="{corner}" fill="{kind.colour}" {rim}/>'


def _circled_m(x: float, y: float) -> list[str]:
    """Return py_trees' sign of memory, about a point (px)."""
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="7.5" fill="#ffffff" stroke="{_INK}"/>',
        f'<text x="{x:g}" y="{y + 3.5:g}" font-size="10" font-weight="bold" text-anchor="middle">M</text>',
    ]


def _legend(nodes: Sequence[py_trees.behaviour.Behaviour], width: float) -> tuple[list[str], float]:
    """Return two lines of what occurs in a tree: composites, and leaves; and how wide (px) the picture must be."""
    kinds = dict.fromkeys(_kind(node) for node in nodes)
    composites = [kind for _, kind in _COMPOSITES if kind in kinds]
    leaves = [kind for kind in (_CONDITION, _ACTION, _SENSING) if kind in kinds]
    parts: list[str] = []
    lines = ((composites, any(map(_remembers, nodes))), (leaves, False))
    for row, (listed, memory) in enumerate(lines):
        x, y = 20.0, 32.0 + 18.0 * row
        for kind in listed:
            parts.append(_shape(kind, x, y, 20.0, 13.0))
            if kind.sign:
                parts.append(
                    f'<text x="{x + 10:g}" y="{y + 10:g}" font-size="10" text-anchor="middle">{kind.sign}</text>'
                )
            x = _written(parts, kind.meaning, x + 26.0, y)
        if memory:
            parts += _circled_m(x + 8.0, y + 6.5)
            x = _written(parts, _REMEMBERS, x + 20.0, y)
        width = max(width, x)
    return parts, width


def _written(parts: list[str], text: str, x: float, y: float) -> float:
    """Write an entry's text; return where the next entry begins, px."""
    parts.append(f'<text x="{x:g}" y="{y + 10.5:g}" font-size="11" fill="#566470">{escape(text)}</text>')
    return x + len(text) * _SMALL + 16.0


def _rows(node: py_trees.behaviour.Behaviour, depth: int) -> Iterator[tuple[int, py_trees.behaviour.Behaviour]]:
    yield depth, node
    for child in node.children:
        yield from _rows(child, depth + 1)


def _remembers(node: py_trees.behaviour.Behaviour) -> bool:
    return bool(getattr(node, "memory", False)) and isinstance(node, py_trees.composites.Composite)


def _kind(node: py_trees.behaviour.Behaviour) -> _Kind:
    for kind, drawn in _COMPOSITES:
        if isinstance(node, kind):
            return drawn
    if node.name.endswith("?"):
        return _CONDITION
    senses = isinstance(node, PerceptBehaviour) and not isinstance(node, ActionBehaviour)
    return _SENSING if senses else _ACTION
