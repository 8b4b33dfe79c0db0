"""Arena files: walls, boxes, fences, homes, starts and carrots, as YAML."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.configuration.yaml_files import load_model, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.decor import Decor
from arena_trees.world.footprint import Solid, Surface
from arena_trees.world.geofence import Geofence
from arena_trees.world.sections import ArenaSection, find_sections

__all__ = ["ArenaFile", "Box", "Carrot", "RandomBoxes", "Slot", "Start", "Wall", "blocked_by", "load_arena"]


def _name(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", value):
        raise ValueError("a name is made of small letters, digits and underscores, and begins with a letter")
    return value


def _colour(value: str) -> str:
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        raise ValueError("a colour is #rrggbb")
    return value


def _range(value: tuple[float, float]) -> tuple[float, float]:
    if not 0.0 < value[0] <= value[1]:
        raise ValueError("must be [smallest, largest], above zero and in this order")
    return value


def _size(value: tuple[float, float, float]) -> tuple[float, float, float]:
    if not all(0.0 < side <= 20.0 for side in value):
        raise ValueError("every side must be above 0 and at most 20 m")
    return value


def _yaw(value: object) -> float | str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and math.isfinite(value):  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    if value == "random":
        return "random"
    raise ValueError("must be an angle in radians or the word random")


def _home(value: object) -> tuple[float, float] | str:
    if value == "start":
        return "start"
    numbers = value if isinstance(value, list | tuple) else ()
    if len(numbers) == 2 and all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        return float(numbers[0]), float(numbers[1])
    raise ValueError("must be [x, y] in metres or the word start")


Name = Annotated[str, AfterValidator(_name)]
Colour = Annotated[str, AfterValidator(_colour)]
Point = Annotated[tuple[float, float], FROM_LIST]
Triple = Annotated[tuple[float, float, float], FROM_LIST]
Size = Annotated[tuple[float, float, float], FROM_LIST, AfterValidator(_size)]
SizeRange = Annotated[tuple[float, float], FROM_LIST, AfterValidator(_range)]
Yaw = Annotated[float | str, PlainValidator(_yaw)]
Home = Annotated[tuple[float, float] | str, PlainValidator(_home)]


class Wall(Parameters):
    """A straight wall."""

    name: Name = parameter(..., "unique name")
    start: Point = parameter(..., "one end of the centre line, map frame", "m")
    end: Point = parameter(..., "other end of the centre line, map frame", "m")
    thickness: float = parameter(0.1, "thickness", "m", gt=0, le=10)
    height: float = parameter(0.5, "height", "m", gt=0, le=10)
    surface: Surface = parameter("normal", "normal, glass or dark")
    colour: Colour | None = parameter(None, "#rrggbb, for cameras; one of the look's textures if absent")

    @field_validator("end")
    @classmethod
    def _has_length(cls, end: tuple[float, float], info: ValidationInfo) -> tuple[float, float]:
        if "start" in info.data and math.dist(info.data["start"], end) < 1e-3:
            raise ValueError("the wall has no length")
        return end

    def solid(self) -> Solid:
        """Return the wall's block."""
        return Solid.wall(self.name, self.start, self.end, self.thickness, self.height, self.surface, self.colour)


class Box(Parameters):
    """A box on the floor."""

    name: Name = parameter(..., "unique name")
    pose: Triple = parameter(..., "x, y (m) and yaw (rad) of the centre, map frame")
    size: Size = parameter(..., "length, width and height", "m")
    surface: Surface = parameter("normal", "normal, glass or dark")
    colour: Colour | None = parameter(None, "#rrggbb, for cameras; one of the look's textures if absent")

    def solid(self) -> Solid:
        """Return the box's block."""
        return Solid(self.name, Pose2D(*self.pose), *self.size, surface=self.surface, colour=self.colour)


class RandomBoxes(Parameters):
    """Boxes whose places and sizes are drawn anew for each trial; they are named box_1, box_2 and so on."""

    count: int = parameter(0, "number of boxes", ge=0, le=50)
    length: SizeRange = parameter((0.2, 0.4), "smallest and largest length", "m")
    width: SizeRange = parameter((0.2, 0.4), "smallest and largest width", "m")
    height: SizeRange = parameter((0.4, 0.5), "smallest and largest height", "m")
    surface: Surface = parameter("normal", "normal, glass or dark")
    clearance: float = parameter(0.65, "smallest gap between boxes, and to walls", "m", ge=0, le=10)
    fence_clearance: float = parameter(0.65, "smallest gap to every fence; boxes lie inside", "m", ge=0, le=10)
    start_clearance: float = parameter(0.5, "smallest distance to the centre of a start or a home", "m", ge=0, le=10)


class Start(Parameters):
    """Where a robot starts: a point, a disc, or anywhere inside its fence."""

    position: Point | None = parameter(None, "x, y of the place, map frame; anywhere inside the fence if absent", "m")
    radius: float = parameter(0.0, "of the disc around the position; 0 starts at it", "m", ge=0, le=100)
    sides: Point = parameter((0.0, 0.0), "of a rectangle about the position, along x and y, in place of the disc", "m")
    fence_margin: float = parameter(0.5, "smallest distance to the fence of a place that is drawn", "m", ge=0, le=10)
    yaw: Yaw = parameter("random", "heading, or random", "rad")

    @property
    def fixed(self) -> bool:
        """Whether the place (not the heading) is given."""
        return self.position is not None and self.radius == 0.0 and self.sides == (0.0, 0.0)

    @field_validator("sides")
    @classmethod
    def _is_one_area(cls, sides: tuple[float, float], info: ValidationInfo) -> tuple[float, float]:
        if min(sides) < 0.0:
            raise ValueError("no side is negative")
        if sides != (0.0, 0.0) and info.data.get("radius"):
            raise ValueError("there is a disc already")
        return sides


class Slot(Start):
    """A start for whichever robot comes next."""

    role: Name | None = parameter(None, "only a robot of this role starts here; a robot of any role if absent")


class Carrot(Parameters):
    """A carrot sign that stands on the floor."""

    pose: Triple = parameter(..., "x, y (m) and yaw (rad) of the sign, map frame")
    size: float = parameter(0.15, "side of the square sign", "m", gt=0, le=2)


class ArenaFile(Parameters):
    """An arena, before chance decides what is random in it."""

    name: Name = parameter(..., "name of the arena")
    walls: Annotated[tuple[Wall, ...], FROM_LIST] = parameter((), "walls")
    boxes: Annotated[tuple[Box, ...], FROM_LIST] = parameter((), "boxes that stand in every trial")
    random_boxes: RandomBoxes = parameter(RandomBoxes(), "boxes that stand elsewhere in each trial")
    fences: dict[Name, Annotated[tuple[Point, ...], FROM_LIST]] = parameter(
        {}, "robot's name, or role, to its fence polygon, map frame", "m"
    )
    fenced: bool = parameter(True, "every robot has a fence; if not, nobody has, and every start has its position")
    starts: dict[Name, Start] = parameter(
        {}, "robot's name, or role, to its start; one for each fence, as far as there are no slots"
    )
    slots: Annotated[tuple[Slot, ...], FROM_LIST] = parameter(
        (), "starts that robots without one of their name or role take in turn"
    )
    homes: dict[Name, Home] = parameter({}, "robot's name, or role, to its home: x and y (m), or start")
    bodies: dict[Name, Body] = parameter({}, "robot's name, or role, to its body; a TurtleBot 4 if absent")
    carrots: Annotated[tuple[Carrot, ...], FROM_LIST] = parameter((), "carrots")
    sections: dict[str, ArenaSection] = Field(
        default_factory=dict, exclude=True, description="what else it has; each stands under a key of its own"
    )
    start_distance: float = parameter(0.8, "smallest distance between the centres of two starts", "m", ge=0, le=100)

    @model_validator(mode="before")
    @classmethod
    def _fence_points(cls, values: Any) -> Any:
        """Refuse a polygon with one line that names the fence, before its points are looked at one by one."""
        fences = values.get("fences") if isinstance(values, dict) else None
        for name, points in fences.items() if isinstance(fences, dict) else ():
            if not isinstance(points, list | tuple):
                raise ConfigError("must be a list of [x, y]", key=f"fences.{name}", value=points)
        return values

    @model_validator(mode="before")
    @classmethod
    def _gather_sections(cls, values: Any) -> Any:
        """Check the sections, which stand next to the fields, each by its own model."""
        if not isinstance(values, dict):
            return values
        if "sections" in values:
            raise ConfigError("unknown key", key="sections", value=values["sections"])
        models = find_sections()
        own = {key: value for key, value in values.items() if key in models}
        sections = {
            key: value if isinstance(value, ArenaSection) else validate(models[key], value, "", key)
            for key, value in own.items()
            if value is not None
        }
        return {**{key: value for key, value in values.items() if key not in own}, "sections": sections}

    @model_serializer(mode="wrap")
    def _spread_sections(self, rest: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Return the arena as its file has it, sections next to fields."""
        mode = "json" if info.mode == "json" else "python"
        return {**rest(self), **{key: value.model_dump(mode=mode) for key, value in self.sections.items()}}

    @model_validator(mode="after")
    def _check(self) -> ArenaFile:
        self._check_names()
        fences = {
            name: Geofence(name, points, self.body(name).radius, key=f"fences.{name}")
            for name, points in self.fences.items()
        }
        for name, start in self.starts.items():
            if start.fixed and start.position is not None:
                self._check_start(f"starts.{name}", fences.get(name), start.position, self.body(name))
        for index, slot in enumerate(self.slots):
            if self.fenced and slot.role is not None and slot.role not in self.fences:
                raise ConfigError("no fence has this name", key=f"slots.{index}.role", value=slot.role)
            if slot.fixed and slot.position is not None:
                role = slot.role or ""
                self._check_start(f"slots.{index}", fences.get(role), slot.position, self.body(role))
        for name, home in self.homes.items():
            if not isinstance(home, str) and name in fences and not fences[name].inside(*home):
                raise ConfigError("the home is outside the fence", key=f"homes.{name}", value=home)
        return self

    def for_robots(self, robots: Mapping[str, str], placed: Container[str] = ()) -> ArenaFile:
        """Return the arena with a start, a fence and a home by name for every robot, and no slots.

        A robot has the start of its name, or else that of its role: one that is no fixed place serves any number of
        robots. Otherwise it takes the next slot for its role, the next slot for any, or the next start that is left.
        Its fence and its home are those of its name, of its role, or of the start that it takes.

        Args:
            robots: name to role, in the order in which they choose
            placed: robots that get a place of their own afterwards, and do with the origin where no start is left

        Raises:
            ConfigError: there are fewer starts than robots, or a robot has no fence; names ``robots.<name>``
        """
        names: dict[str, str] = {}
        added: dict[str, Start] = {}
        slots = list(self.slots)
        left = [name for name in self.starts if name not in robots and name not in robots.values()]
        for robot, role in robots.items():
            if robot in self.starts:
                continue
            slot = next((one for one in slots if one.role == role), None)
            slot = slot or next((one for one in slots if one.role is None), None)
            if role in self.starts and role not in robots and role not in names:
                names[role] = robot
            elif role in self.starts and not self.starts[role].fixed:
                added[robot] = self.starts[role]
            elif slot is not None:
                slots.remove(slot)
                added[robot] = slot
            elif left:
                names[left.pop(0)] = robot
            elif robot in placed:
                added[robot] = Start(position=(0.0, 0.0), yaw=0.0)
            else:
                count = len(self.starts) + len(self.slots)
                reason = f"{self.name} has {count} starts, for {len(robots)} robots; slots in its file make more"
                raise ConfigError(reason, key=f"robots.{robot}")
        if not names and not added and not self.slots:
            return self
        return self._placed(robots, names, added)

    def _placed(self, robots: Mapping[str, str], names: Mapping[str, str], added: Mapping[str, Start]) -> ArenaFile:
        """Return the arena with names of robots in place of others, and with starts for further robots."""
        starts, fences, homes = (
            {names.get(name, name): value for name, value in values.items()}
            for values in (self.starts, self.fences, self.homes)
        )
        for robot, start in added.items():
            starts[robot] = start
            # What is of the role may have got the name of another robot by now.
            role = robots[robot]
            fence, home = self.fences.get(robot, self.fences.get(role)), self.homes.get(robot, self.homes.get(role))
            if fence is not None:
                fences[robot] = fence
            elif self.fenced:
                raise ConfigError(f"{self.name} has no fence of its name or role", key=f"robots.{robot}", value=role)
            if home is not None:
                homes[robot] = home
        # What belongs to a role that no start has the name of has served its robots.
        fences, homes = ({name: one for name, one in kept.items() if name in starts} for kept in (fences, homes))
        return self.model_copy(update={"starts": starts, "fences": fences, "homes": homes, "slots": ()})

    def body(self, robot: str, role: str = "") -> Body:
        """Return the body that the arena gives a robot, by its name or else by its role."""
        return self.bodies.get(robot) or self.bodies.get(role) or TURTLEBOT4

    def filled(self) -> ArenaFile:
        """Return the arena with a robot in every slot, to be drawn without a scenario."""
        anybody = next(iter(self.fences), "")
        slots = {f"slot_{number}": slot.role or anybody for number, slot in enumerate(self.slots, 1)}
        return self.for_robots({**{name: name for name in self.starts}, **slots})

    def solids(self) -> tuple[Solid, ...]:
        """Return the walls and boxes that stand in every trial."""
        return (
            *self._section_solids(),
            *(wall.solid() for wall in self.walls),
            *(box.solid() for box in self.boxes),
        )

    def loose(self) -> tuple[tuple[str, ...], ...]:
        """Return the names of the walls that may stand elsewhere than the map has them, by what moves as one piece."""
        of_sections = tuple(group for section in self.sections.values() for group in section.loose())
        return (*of_sections, *((wall.name,) for wall in self.walls))

    def decor(self) -> Decor | None:
        """Return the pictures for cameras alone, of the first section that has some; None where none has."""
        pictures = (section.decor() for section in self.sections.values())
        return next((picture for picture in pictures if picture is not None), None)

    def _section_solids(self) -> tuple[Solid, ...]:
        return tuple(solid for section in self.sections.values() for solid in section.solids())

    def _check_names(self) -> None:
        self._check_fenced()
        known = self.fences if self.fenced else self.starts
        for key, names in (("starts", self.starts), ("homes", self.homes)):
            for name in names:
                if name not in known:
                    raise ConfigError("no fence has this name", key=f"{key}.{name}")
        for name in self.fences:
            if name not in self.starts and not self.slots:
                raise ConfigError("is required: the fence's robot has no start", key=f"starts.{name}")
        drawn = [f"box_{number + 1}" for number in range(self.random_boxes.count)]
        seen = {"floor", *self.starts, *drawn, *(solid.name for solid in self._section_solids())}
        blocks: tuple[tuple[str, tuple[Wall | Box, ...]], ...] = (("walls", self.walls), ("boxes", self.boxes))
        for key, items in blocks:
            for index, item in enumerate(items):
                if item.name in seen:
                    raise ConfigError("the name is taken", key=f"{key}.{index}.name", value=item.name)
                seen.add(item.name)

    def _check_fenced(self) -> None:
        """Refuse an arena without fences, or where it shall have none, what only a fence can tell the place of."""
        if self.fenced:
            if not self.fences:
                raise ConfigError("must name at least one robot", key="fences", value=self.fences)
            return
        if self.fences:
            raise ConfigError("there is a fence", key="fenced", value=self.fenced)
        for name, start in self.starts.items():
            if start.position is None:
                raise ConfigError("is required: there is no fence to start in", key=f"starts.{name}.position")
        for index, slot in enumerate(self.slots):
            if slot.position is None:
                raise ConfigError("is required: there is no fence to start in", key=f"slots.{index}.position")
        if self.random_boxes.count:
            raise ConfigError("needs a fence", key="random_boxes.count", value=self.random_boxes.count)

    def _check_start(self, place: str, fence: Geofence | None, position: tuple[float, float], body: Body) -> None:
        key = f"{place}.position"
        block = blocked_by(self.solids(), *position, body.radius)
        if block is not None:
            raise ConfigError(f"the start is inside {block}", key=key, value=position)
        if fence is not None and not fence.inside(*position):
            raise ConfigError("the start is outside the fence", key=key, value=position)


def blocked_by(solids: tuple[Solid, ...], x: float, y: float, radius: float) -> str | None:
    """Return the name of a wall or box that a robot of the given radius (m) at a point would touch, or None."""
    for solid in solids:
        if solid.distance_to(x, y) < radius:
            return solid.name
    return None


def load_arena(path: str | Path) -> ArenaFile:
    """Return the arena in a YAML file.

    Raises:
        ConfigError: the file or a value in it cannot be used; names file, key and value
    """
    return load_model(ArenaFile, path)
