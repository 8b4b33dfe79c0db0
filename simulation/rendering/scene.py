"""The scene of an arena: a MuJoCo model made only to be looked at, with textures, lights and robots as puppets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.rendering.appearance import Appearance, sign_picture
from arena_trees.simulation.rendering.flat_tags import FlatTag
from arena_trees.world.body import TURTLEBOT4, Body, Sphere
from arena_trees.world.decor import Decor
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.palette import shares
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.signs import Sign
from arena_trees.world.textures import Picture

__all__ = ["Scene", "build_scene"]

_GAP = 0.001
"""Pictures lie this far (m) before what they are on."""

_BALL = (48, 32)
"""Slices and stacks of a ball's surface: of fewer, its outline would be half a per cent too small."""

_ROOM_HEIGHT = 2.8
_FAR = 40.0
_NEAR = 0.02
_FACING = (0.5, 0.5, 0.5, 0.5)
"""Turns a plane so that it looks along x, its picture upright."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A compiled scene.

    Attributes:
        model: the mujoco.MjModel
        robots: robot name to the number of its mocap body
        faces: sign name and number of the face to the number of the geom that shows it
        cameras: camera name to its number
        eyes: camera name to the number of the mocap body that holds it
    """

    model: Any
    robots: Mapping[str, int]
    faces: Mapping[tuple[str, int], int]
    cameras: Mapping[str, int]
    eyes: Mapping[str, int]


def build_scene(
    layout: Layout,
    robots: Mapping[str, Body],
    signs: Sequence[Sign],
    cameras: Mapping[str, Pinhole],
    look: Appearance,
    drawings: Path | None = None,
    tags: Sequence[FlatTag] = (),
) -> Scene:
    """Build the scene of a layout.

    Args:
        layout: the world
        robots: name to body of each robot
        signs: the signs that robots carry
        cameras: camera name to its optics
        look: textures, colours and light
        drawings: folder of the signs' drawings, ``<label>.png``; those that ship where not given
        tags: that lie on the floor and on robots; those of robots that are not there are left out

    Raises:
        ConfigError: a sign has no drawing
    """
    painter = _Painter(look, drawings)
    spec = painter.spec
    _set_up(spec, look, cameras)
    if any(made.sphere is not None for made in robots.values()):
        # The posts of robots are straight; cut across, they cost a software renderer most of its time.
        spec.visual.quality.numstacks = 1
    _add_room(painter, layout)
    for index, solid in enumerate(layout.solids):
        _add_solid(painter, solid, index)
    if layout.decor is not None:
        _add_decor(painter, layout.decor)
    painter.add_tags(spec.worldbody, tags, None, 0.0 if layout.decor is None else _GAP)
    for carrot in layout.carrots:
        body = spec.worldbody.add_body(pos=(carrot.pose.x, carrot.pose.y, 0.0), quat=_yaw(carrot.pose.yaw))
        painter.add_sign(body, Sign.carrot(carrot))
    carried = {sign.name: sign for sign in signs}
    for name, made in robots.items():
        body = spec.worldbody.add_body(name=f"robot/{name}", mocap=True)
        _add_robot(body, made, look)
        if name in carried:
            painter.add_sign(body, carried[name])
        painter.add_tags(body, tags, name)
        if made.sphere is not None:
            _add_sphere(painter, body, made.sphere)
    _add_eyes(spec, cameras)
    return _compiled(spec, robots, painter.faces, cameras)


def _add_eyes(spec: Any, cameras: Mapping[str, Pinhole]) -> None:
    """Add the cameras."""
    for name, pinhole in cameras.items():
        eye = spec.worldbody.add_body(name=f"eye/{name}", mocap=True)
        fovy = 2.0 * math.atan(math.tan(pinhole.hfov / 2.0) * pinhole.height / pinhole.width)
        # A camera looks along its -z, its x to the right.
        eye.add_camera(
            name=f"eye/{name}",
            pos=(pinhole.mount_x, 0.0, pinhole.mount_z),
            quat=(0.5, 0.5, -0.5, -0.5),
            fovy=math.degrees(fovy),
        )


def _compiled(
    spec: Any, robots: Iterable[str], faces: Mapping[tuple[str, int], str], cameras: Mapping[str, Pinhole]
) -> Scene:
    model = spec.compile()
    return Scene(
        model=model,
        robots={name: int(model.body(f"robot/{name}").mocapid[0]) for name in robots},
        faces={key: int(model.geom(name).id) for key, name in faces.items()},
        cameras={name: int(model.camera(f"eye/{name}").id) for name in cameras},
        eyes={name: int(model.body(f"eye/{name}").mocapid[0]) for name in cameras},
    )


class _Painter:
    """Adds pictures to a spec, each texture once.

    Attributes:
        spec: the mujoco.MjSpec
        look: the look
        faces: sign name and number of the face to the name of its geom
    """

    def __init__(self, look: Appearance, drawings: Path | None) -> None:
        self.spec = mujoco.MjSpec()
        self.look = look
        self.faces: dict[tuple[str, int], str] = {}
        self._drawings = drawings
        self._materials: set[str] = set()

    def material(self, name: str, picture: Picture, tile: float | None = None) -> str:
        """Add a material unless it is there; ``tile`` (m) repeats the picture, else it fills what it is on."""
        if name in self._materials:
            return name
        self._materials.add(name)
        height, width = picture.shape[:2]
        texture = self.spec.add_texture(
            name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3
        )
        texture.data = picture.tobytes()
        material = self.spec.add_material(name=name, specular=0.1, shininess=0.1)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
        if tile is not None:
            material.texuniform = True
            material.texrepeat = (1.0 / tile, 1.0 / tile)
        return name

    def paint(self, name: str, colour: str) -> str:
        """Add a material of one colour (``#rrggbb``) unless it is there."""
        if name not in self._materials:
            self._materials.add(name)
            self.spec.add_material(name=name, rgba=(*shares(colour), 1.0), specular=0.3, shininess=0.5)
        return name

    def ball(self, diameter: float) -> str:
        """Add the surface of a ball (m) unless it is there.

        A geom of MuJoCo's own would need finer slices and stacks for all that is round, and many times the time.
        """
        name = f"ball/{diameter}"
        if name not in self._materials:
            self._materials.add(name)
            slices, stacks = _BALL
            down, round_ = np.linspace(0.0, math.pi, stacks + 1), np.arange(slices) * (math.tau / slices)
            ring = np.stack([np.cos(round_), np.sin(round_), np.zeros(slices)], axis=-1)
            inner = np.sin(down[1:-1])[:, None, None] * ring + np.cos(down[1:-1])[:, None, None] * (0.0, 0.0, 1.0)
            points = np.concatenate([[(0.0, 0.0, 1.0)], inner.reshape(-1, 3), [(0.0, 0.0, -1.0)]])
            self.spec.add_mesh(name=name, uservert=(diameter / 2.0 * points).ravel())
        return name

    def add_picture(
        self, parent: Any, material: str, place: Sequence[float], yaw: float, size: tuple[float, float], name: str = ""
    ) -> None:
        """Hang an upright picture of the given width and height (m) at a place (m), looking along ``yaw`` (rad)."""
        parent.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            # The third number spaces the plane's grid: one cell lights well enough.
            size=(size[0] / 2.0, size[1] / 2.0, 10.0),
            pos=place,
            quat=_product(_yaw(yaw), _FACING),
            material=material,
        )

    def add_sign(self, body: Any, sign: Sign) -> None:
        """Add a sign's card and what is printed on each face."""
        material = self.material(f"sign/{sign.label}", sign_picture(sign.label, self._drawings))
        half = sign.size / 2.0
        deep = half if sign.faces == 4 else _GAP / 2.0
        for face in range(sign.faces):
            yaw = sign.face_yaw(face)
            x, y = math.cos(yaw), math.sin(yaw)
            if face == 0 or sign.faces != 4:
                back = sign.offset - deep
                body.add_geom(
                    type=mujoco.mjtGeom.mjGEOM_BOX,
                    size=(deep, half, half),
                    pos=(back * x, back * y, sign.height),
                    quat=_yaw(yaw),
                    rgba=(*self.look.card, 1.0),
                )
            front = sign.offset + 2.0 * _GAP
            name = f"{sign.name}/face_{face}"
            self.faces[sign.name, face] = name
            self.add_picture(body, material, (front * x, front * y, sign.height), yaw, (sign.size, sign.size), name)

    def add_tags(self, body: Any, tags: Sequence[FlatTag], robot: str | None, lift: float = 0.0) -> None:
        """Add the tags of a robot, each on a card, or those of the floor.

        Args:
            body: of the robot, or the world's
            tags: of all
            robot: its name; None for the floor
            lift: puts them above what lies on the floor, m
        """
        for tag in tags:
            if tag.robot != robot:
                continue
            half, place = tag.side / 2.0, (tag.pose.x, tag.pose.y, tag.height + lift)
            if robot is not None:
                body.add_geom(
                    type=mujoco.mjtGeom.mjGEOM_BOX,
                    size=(half, half, _GAP),
                    pos=(*place[:2], tag.height - 2.0 * _GAP),
                    quat=_yaw(tag.pose.yaw),
                    rgba=(*self.look.card, 1.0),
                )
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_PLANE,
                size=(half, half, 10.0),
                pos=place,
                quat=_yaw(tag.pose.yaw),
                material=self.material(f"tag/{tag.number}", tag.picture),
            )


def _set_up(spec: Any, look: Appearance, cameras: Mapping[str, Pinhole]) -> None:
    visual = spec.visual
    visual.global_.offwidth = max(pinhole.width for pinhole in cameras.values())
    visual.global_.offheight = max(pinhole.height for pinhole in cameras.values())
    visual.quality.offsamples = 0
    # Clipping distances are given in units of the extent.
    spec.stat.extent = 1.0
    visual.map.znear = _NEAR
    visual.map.zfar = _FAR
    visual.headlight.ambient = (look.ambient,) * 3
    visual.headlight.diffuse = (0.1,) * 3
    visual.headlight.specular = (0.0,) * 3
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=look.sky,
        width=8,
        height=8,
    )
    for light in look.lights:
        spec.worldbody.add_light(
            pos=(0.0, 0.0, 5.0),
            dir=light.direction,
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            diffuse=(light.strength,) * 3,
            specular=(0.1,) * 3,
            ambient=(0.0,) * 3,
            castshadow=False,
        )


def _add_room(painter: _Painter, layout: Layout) -> None:
    """Add the floor, and the walls of a room that the arena stands in."""
    look, world = painter.look, painter.spec.worldbody
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=(_FAR / 2.0, _FAR / 2.0, 10.0),
        material=painter.material("floor", look.floor, look.floor_tile),
    )
    x0, y0, x1, y1 = _bounds(layout)
    gap = look.backdrop_gap
    middle = ((x0 + x1) / 2.0, (y0 + y1) / 2.0)
    half = ((x1 - x0) / 2.0 + gap, (y1 - y0) / 2.0 + gap)
    for index, yaw in enumerate((0.0, math.pi / 2, math.pi, -math.pi / 2)):
        out, along = (half[0], half[1]) if index % 2 == 0 else (half[1], half[0])
        place = (middle[0] - out * math.cos(yaw), middle[1] - out * math.sin(yaw), _ROOM_HEIGHT / 2.0)
        material = painter.material(f"backdrop_{index}", look.backdrops[index])
        painter.add_picture(world, material, place, yaw, (2.0 * along, _ROOM_HEIGHT))


def _add_decor(painter: _Painter, decor: Decor) -> None:
    """Add the picture on the floor, its columns along x, and the upright ones."""
    world = painter.spec.worldbody
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=(decor.side / 2.0, decor.side / 2.0, 10.0),
        pos=(0.0, 0.0, _GAP),
        material=painter.material("decor/floor", decor.floor),
    )
    for panel in decor.panels:
        material = painter.material(f"decor/{panel.name}", panel.picture)
        painter.add_picture(world, material, (panel.pose.x, panel.pose.y, panel.height), panel.pose.yaw, panel.size)


def _bounds(layout: Layout) -> tuple[float, float, float, float]:
    points = [point for solid in layout.solids for point in solid.polygon().exterior.coords]
    points += [point for fence in layout.fences.values() for point in fence]
    points += [(-1.0, -1.0), (1.0, 1.0)]
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs), min(ys), max(xs), max(ys)


def _add_solid(painter: _Painter, solid: Solid, index: int) -> None:
    """Add a wall or box; all but glass, dark and coloured ones are papered with one of the look's textures."""
    look, world = painter.look, painter.spec.worldbody
    number = index % len(look.walls)
    paint = {"glass": (0.7, 0.9, 1.0, 0.15), "dark": (0.05, 0.05, 0.06, 1.0)}.get(solid.surface)
    if solid.colour is not None:
        paint = (*shares(solid.colour), paint[3] if paint is not None else 1.0)
    average = [float(value) / 255.0 for value in look.walls[number].mean(axis=(0, 1))]
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(solid.length / 2.0, solid.width / 2.0, solid.height / 2.0),
        pos=(solid.pose.x, solid.pose.y, solid.height / 2.0),
        quat=_yaw(solid.pose.yaw),
        rgba=paint or (*average, 1.0),
    )
    if paint is not None:
        return
    material = painter.material(f"wall_{number}", look.walls[number], look.wall_tile)
    for turn in range(4):
        yaw = solid.pose.yaw + turn * math.pi / 2.0
        out, along = (solid.length, solid.width) if turn % 2 == 0 else (solid.width, solid.length)
        out = out / 2.0 + _GAP
        place = (solid.pose.x + out * math.cos(yaw), solid.pose.y + out * math.sin(yaw), solid.height / 2.0)
        painter.add_picture(world, material, place, yaw, (along, solid.height))


def _add_robot(body: Any, made: Body, look: Appearance) -> None:
    """Add a robot with the shape of a TurtleBot4: base, LiDAR, camera, and the posts that carry the upper plate.

    Decor: nothing collides.
    """
    cylinder, box = mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX
    plastic = look.robot if made.colour is None else list(shares(made.colour))
    light = [min(1.0, 1.6 * value) for value in plastic]
    wide, high = made.radius / TURTLEBOT4.radius, made.height / TURTLEBOT4.height
    for kind, (length, width, height), place, paint in (
        (cylinder, (TURTLEBOT4.radius, 0.0, 0.04), (0.0, 0.0, 0.05), plastic),
        (cylinder, (0.16, 0.0, 0.012), (0.0, 0.0, 0.1), light),
        (cylinder, (0.036, 0.0, 0.03), (-0.04, 0.0, 0.155), plastic),
        (box, (0.012, 0.045, 0.014), (-0.07, 0.0, 0.244), light),
        *((cylinder, (0.007, 0.0, 0.1), (x, y, 0.21), light) for x in (-0.08, 0.08) for y in (-0.08, 0.08)),
    ):
        half = (wide * length, wide * width, high * height)
        if kind == cylinder:
            half = (half[0], half[2], 0.0)
        centre = (wide * place[0], wide * place[1], high * place[2])
        body.add_geom(type=kind, size=half, pos=centre, rgba=(*paint, 1.0))


def _add_sphere(painter: _Painter, body: Any, sphere: Sphere) -> None:
    """Add a ball of one colour, which shines a little, as painted plastic does."""
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=painter.ball(sphere.diameter),
        pos=(0.0, 0.0, sphere.height),
        material=painter.paint(f"sphere/{sphere.colour}", sphere.colour),
    )


def _yaw(yaw: float) -> tuple[float, float, float, float]:
    return math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0)


def _product(first: Sequence[float], second: Sequence[float]) -> Any:
    result = np.empty(4)
    mujoco.mju_mulQuat(result, np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64))
    return result
