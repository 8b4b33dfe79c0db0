"""Layouts: the concrete world of one trial, drawn from the world's random streams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import ArenaFile, Start, blocked_by
from arena_trees.world.decor import Decor
from arena_trees.world.footprint import Solid

__all__ = ["NOWHERE", "CarrotPlace", "Layout", "generate_layout"]

WORLD_ATTEMPTS = 300
"""Worlds begun anew before an arena is called too full."""

PLACE_ATTEMPTS = 60
"""Places tried for one box or start before the world is begun anew."""

START_GAP = 0.10
"""Smallest gap between a robot at its start and a wall or box, m."""


@dataclass(frozen=True, slots=True)
class CarrotPlace:
    """Where a carrot sign stands: its name, pose in the map frame, and side (m)."""

    name: str
    pose: Pose2D
    size: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The world of one trial, in the map frame; nothing in it is random any more.

    Attributes:
        arena: name of the arena
        solids: walls and boxes
        fences: robot name to its polygon's points (m)
        starts: robot name to its start pose
        homes: robot name to its home (m), for the robots that have one
        carrots: carrot signs
        decor: pictures for cameras alone
    """

    arena: str
    solids: tuple[Solid, ...]
    fences: Mapping[str, tuple[tuple[float, float], ...]]
    starts: Mapping[str, Pose2D]
    homes: Mapping[str, tuple[float, float]]
    carrots: tuple[CarrotPlace, ...] = ()
    decor: Decor | None = None

    def check_place(self, pose: Pose2D, radius: float, key: str) -> None:
        """Refuse a pose at which a robot of a radius (m) would stand in a wall or a box.

        Raises:
            ConfigError: it would, or the pose is not finite; names the key
        """
        if not pose.is_finite:
            raise ConfigError("the pose is not finite", key=key, value=str(pose))
        block = blocked_by(self.solids, pose.x, pose.y, radius)
        if block is not None:
            raise ConfigError(f"the start is inside {block}", key=key, value=[pose.x, pose.y])


NOWHERE = Layout("", (), {}, {}, {})
"""The layout of a trial of which the world is not known."""


def generate_layout(arena: ArenaFile, streams: RandomStreams) -> Layout:
    """Draw a world.

    Args:
        arena: the arena
        streams: the trial's streams; only its ``world`` stream is used, so that whatever robots do or
            carry, equal seeds give equal worlds

    Raises:
        ConfigError: no world was found in which everything has its clearance
    """
    rng = streams.child("world").generator("layout")
    fences = {name: shapely.Polygon(points) for name, points in arena.fences.items()}
    for _ in range(WORLD_ATTEMPTS):
        starts = _place_starts(arena, fences, rng)
        boxes = None if starts is None else _place_boxes(arena, fences, starts, rng)
        if starts is not None and boxes is not None:
            return _layout(arena, starts, boxes)
    raise ConfigError(
        f"no room found in {WORLD_ATTEMPTS} attempts: fewer boxes or smaller clearances are needed",
        key="random_boxes.count" if arena.random_boxes.count else "starts",
        value=arena.random_boxes.count if arena.random_boxes.count else sorted(arena.starts),
    )


def _layout(arena: ArenaFile, starts: dict[str, Pose2D], boxes: list[Solid]) -> Layout:
    homes = {
        name: (starts[name].x, starts[name].y) if isinstance(home, str) else home for name, home in arena.homes.items()
    }
    carrots = tuple(
        CarrotPlace(f"carrot_{index + 1}", Pose2D(*carrot.pose), carrot.size)
        for index, carrot in enumerate(arena.carrots)
    )
    return Layout(arena.name, (*arena.solids(), *boxes), dict(arena.fences), starts, homes, carrots, arena.decor())


def _place_starts(
    arena: ArenaFile, fences: Mapping[str, shapely.Polygon], rng: np.random.Generator
) -> dict[str, Pose2D] | None:
    """Place the robots, those with the least choice first; None where one found no place."""
    solids = arena.solids()
    placed: dict[str, Pose2D] = {}
    order = sorted(arena.starts, key=lambda name: (arena.starts[name].position is None, not arena.starts[name].fixed))
    for name in order:
        start = arena.starts[name]
        area = fences[name].buffer(-start.fence_margin) if name in fences else None
        for _ in range(PLACE_ATTEMPTS):
            x, y = _draw_place(start, area, rng)
            if _start_is_free(arena, name, area, (x, y), solids, placed):
                placed[name] = Pose2D(x, y, _draw_yaw(start, rng))
                break
        else:
            return None
    return {name: placed[name] for name in arena.starts}


def _start_is_free(
    arena: ArenaFile,
    name: str,
    area: shapely.Polygon | None,
    place: tuple[float, float],
    solids: tuple[Solid, ...],
    placed: Mapping[str, Pose2D],
) -> bool:
    radius = arena.body(name).radius
    for other, pose in placed.items():
        if pose.distance_to(*place) < max(arena.start_distance, radius + arena.body(other).radius):
            return False
    if arena.starts[name].fixed:
        return True
    inside = area is None or bool(area.covers(shapely.Point(place)))
    return inside and blocked_by(solids, *place, radius + START_GAP) is None


def _draw_place(start: Start, area: shapely.Polygon | None, rng: np.random.Generator) -> tuple[float, float]:
    if start.position is None:
        if area is None or area.is_empty:
            return math.inf, math.inf
        x0, y0, x1, y1 = area.bounds
        return float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
    if start.sides != (0.0, 0.0):
        width, depth = start.sides
        return (
            start.position[0] + float(rng.uniform(-width / 2.0, width / 2.0)),
            start.position[1] + float(rng.uniform(-depth / 2.0, depth / 2.0)),
        )
    # Square root: equal areas of the disc are equally likely.
    radius, angle = start.radius * math.sqrt(rng.random()), rng.uniform(-math.pi, math.pi)
    return start.position[0] + radius * math.cos(angle), start.position[1] + radius * math.sin(angle)


def _draw_yaw(start: Start, rng: np.random.Generator) -> float:
    return float(rng.uniform(-math.pi, math.pi)) if isinstance(start.yaw, str) else wrap(start.yaw)


def _place_boxes(
    arena: ArenaFile,
    fences: Mapping[str, shapely.Polygon],
    starts: Mapping[str, Pose2D],
    rng: np.random.Generator,
) -> list[Solid] | None:
    """Place the random boxes; None where one found no place."""
    rule = arena.random_boxes
    area = shapely.union_all(list(fences.values()))
    lines = shapely.union_all([fence.exterior for fence in fences.values()])
    others = [solid.polygon() for solid in arena.solids()]
    keep_out = [(name, (pose.x, pose.y)) for name, pose in starts.items()]
    keep_out += [(name, home) for name, home in arena.homes.items() if not isinstance(home, str)]
    gaps = [(place, max(rule.start_clearance, arena.body(name).radius)) for name, place in keep_out]
    boxes: list[Solid] = []
    for index in range(rule.count):
        for _ in range(PLACE_ATTEMPTS):
            box = _draw_box(arena, area.bounds, f"box_{index + 1}", rng)
            polygon = box.polygon()
            if (
                all(box.distance_to(*place) >= gap for place, gap in gaps)
                and area.contains(polygon)
                and lines.distance(polygon) >= rule.fence_clearance
                and all(other.distance(polygon) >= rule.clearance for other in others)
            ):
                boxes.append(box)
                others.append(polygon)
                break
        else:
            return None
    return boxes


def _draw_box(
    arena: ArenaFile, bounds: tuple[float, float, float, float], name: str, rng: np.random.Generator
) -> Solid:
    rule = arena.random_boxes
    x0, y0, x1, y1 = bounds
    pose = Pose2D(float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1)), float(rng.uniform(-math.pi, math.pi)))
    length, width, height = (float(rng.uniform(*limits)) for limits in (rule.length, rule.width, rule.height))
    return Solid(name, pose, length, width, height, rule.surface)
