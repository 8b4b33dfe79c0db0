"""The pictures of a film: the arena, the clock, and what each robot does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.camera_model import CameraModel, camera_model_of, images_of, sights_in
from arena_trees.recording.events import Event, list_events
from arena_trees.recording.outlines import outline_shapes
from arena_trees.recording.recording import Recording, RobotRecording, Tick
from arena_trees.recording.report_page.tracks import (
    FARTHEST,
    Track,
    best_track,
    extent_of,
    measured_at,
    scan_points,
    thinned,
)
from arena_trees.recording.shape_frames import ShapeFrame, frame_at, settled
from arena_trees.recording.video.arena import CARD, GRID, INK, MUTED, NOSE, PAPER, ArenaView, pale, robot_colour
from arena_trees.recording.video.letters import Letters
from arena_trees.recording.video.pen import bgr
from arena_trees.recording.video.speed_chart import SpeedChart
from arena_trees.robot.circles import Circles
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.detections import Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.world import palette
from arena_trees.world.body import Body
from arena_trees.world.shapes import Layer, corners

__all__ = ["HEIGHT", "WIDTH", "FilmView"]

WIDTH, HEIGHT = 1280, 720
_EDGE = 16
_SIDE = HEIGHT - 2 * _EDGE
_PANEL = 2 * _EDGE + _SIDE
"""Column at which the panel next to the arena begins."""
_CARD = 96
"""Height of a robot's part of the panel, px."""
_MOST_CARDS = 4
_NEAR = 4.0
_SCANS = 40
_FRESH = from_seconds(0.5)
_NEW = from_seconds(4.0)
"""An event is new for so long."""
_OLD = from_seconds(1.0)
"""A figure that is older is marked with its age."""
_TRAIL = from_seconds(8.0)
_CHART = 130
"""Height of a chart, px."""
_MOST_CHARTS = 2
_LINE = 24


@dataclass(frozen=True, slots=True)
class _Actor:
    """One robot, prepared."""

    robot: RobotRecording
    track: Track
    pixels: NDArray[np.float64]
    ticked: NDArray[np.int64]
    """Of the ticks, ns."""
    commanded: NDArray[np.int64]
    """Of the commands, ns."""
    measured: NDArray[np.int64]
    """Of the odometry, ns."""
    images: Sequence[Detections] | Sequence[Circles]
    seen: NDArray[np.int64]
    """Of the images, ns."""
    aimed: NDArray[np.int64]
    """Of the turret's states, ns."""
    scanned: NDArray[np.int64]
    """Of the scans, ns."""
    look: CameraModel

    def turret(self, now: int) -> float | None:
        """Return the yaw (rad, base_link) of its turret at an instant (ns); None before any, and without one."""
        turrets: Sequence[Any] = self.robot.more.get("turret", ())
        newest = int(np.searchsorted(self.aimed, now, "right")) - 1
        return None if newest < 0 else turrets[newest].yaw


class FilmView:
    """Draws any instant of a recording.

    Args:
        recording: to be shown
        frames: of the game's shapes
    """

    def __init__(self, recording: Recording, frames: Iterable[ShapeFrame] = ()) -> None:
        self._recording = recording
        self._frames = settled(frames)
        tracks = [best_track(robot) for robot in recording.robots.values()]
        robots = recording.robots.values()
        ways = [_corners(extent_of(track), robot.body) for robot, track in zip(robots, tracks, strict=True)]
        if not recording.outlines:
            ways += [_near(robot, track) for robot, track in zip(recording.robots.values(), tracks, strict=True)]
        if self._frames:
            ways.append(np.array(corners(self._frames[0].shapes), dtype=np.float64).reshape(-1, 2))
        colours = {name: palette.robot_colour(number) for number, name in enumerate(recording.robots)}
        self._arena = ArenaView(_SIDE, outline_shapes(recording.outlines, colours, FARTHEST), ways)
        self._actors = [
            self._actor(robot, track) for robot, track in zip(recording.robots.values(), tracks, strict=True)
        ]
        self._events = [event for event in list_events(recording) if event.kind != "gate"]
        self._large, self._bold, self._plain = Letters(34, bold=True), Letters(18, bold=True), Letters(14)
        self._ground = np.full((HEIGHT, WIDTH, 3), PAPER, dtype=np.uint8)
        self._titles()
        self._charts = self._draw_charts()

    def picture(self, now: int) -> NDArray[np.uint8]:
        """Return the picture of an instant (ns): blue, green, red, shape (HEIGHT, WIDTH, 3)."""
        picture = self._ground.copy()
        picture[_EDGE : _EDGE + _SIDE, _EDGE : _EDGE + _SIDE] = self.world(now)
        since = to_seconds(now - self._recording.start)
        self._large.write(picture, f"{since:.2f} s", (_PANEL, 112), INK)
        for number, actor in enumerate(self._actors[:_MOST_CARDS]):
            self._card(picture, number, actor, now)
        for chart in self._charts:
            chart.mark(picture, now)
        self._tell(picture, now)
        total = max(self._recording.end - self._recording.start, 1)
        done = round((WIDTH - _EDGE - _PANEL) * min(max((now - self._recording.start) / total, 0.0), 1.0))
        picture[HEIGHT - 22 : HEIGHT - 16, _PANEL : _PANEL + done] = robot_colour(1)
        return picture

    def _actor(self, robot: RobotRecording, track: Track) -> _Actor:
        images = images_of(robot)
        return _Actor(
            robot,
            track,
            self._arena.pen.pixels(track.pose[:, :2]),
            np.array([tick.now for tick in robot.ticks], dtype=np.int64),
            np.array([instant for instant, _ in robot.commands], dtype=np.int64),
            np.array([one.arrival for one in robot.odometry], dtype=np.int64),
            images,
            np.array([image.arrival for image in images], dtype=np.int64),
            np.array([state.arrival for state in robot.more.get("turret", ())], dtype=np.int64),
            np.array([scan.arrival for scan in robot.scans], dtype=np.int64),
            camera_model_of(self._recording, robot),
        )

    def _titles(self) -> None:
        info = self._recording.info
        scenario = info.get("scenario")
        named = isinstance(scenario, str) and "\n" not in scenario
        room = WIDTH - _EDGE - _PANEL
        title = str(scenario) if named else self._recording.path.name
        self._bold.write(self._ground, self._bold.fitted(title, room), (_PANEL, 36), INK)
        facts = ", ".join(f"{key} {info[key]}" for key in ("trial", "seed") if isinstance(info.get(key), int))
        self._plain.write(self._ground, self._plain.fitted(facts, room), (_PANEL, 58), MUTED)
        self._ground[HEIGHT - 22 : HEIGHT - 16, _PANEL : WIDTH - _EDGE] = pale(INK, 0.85)
        for number in range(min(len(self._actors), _MOST_CARDS)):
            top = self._top(number)
            self._ground[top : top + _CARD, _PANEL : WIDTH - _EDGE] = CARD
            self._ground[top : top + _CARD, _PANEL : _PANEL + 5] = robot_colour(number)

    @staticmethod
    def _top(number: int) -> int:
        return 134 + number * (_CARD + 10)

    def world(self, now: int) -> NDArray[np.uint8]:
        """Return the arena at an instant."""
        image = self._arena.ground.copy()
        shapes = frame_at(self._frames, now)
        self._arena.pen.draw(image, (shape for shape in shapes if shape.layer < Layer.ROBOTS))
        poses = [actor.track.at(now) for actor in self._actors]
        for number, actor in enumerate(self._actors):
            self._trail(image, number, actor, now)
        if not self._recording.outlines:
            for number, actor in enumerate(self._actors):
                self._echo(image, number, actor, now)
        for number, (actor, pose) in enumerate(zip(self._actors, poses, strict=True)):
            if pose is not None:
                self._observe(image, number, actor, pose, now)
        moving = (shape for shape in shapes if Layer.ROBOTS <= shape.layer < Layer.LABELS)
        self._arena.pen.draw(image, moving)
        for number, (actor, pose) in enumerate(zip(self._actors, poses, strict=True)):
            if pose is not None:
                others = [(other.distance_to(pose.x, pose.y), other.y) for other in poses if other not in (None, pose)]
                up = bool(others) and min(others)[1] < pose.y
                robot, turret = actor.robot, actor.turret(now)
                self._arena.robot(image, robot.name, robot.body, pose, robot_colour(number), up, turret)
        self._arena.pen.draw(image, (shape for shape in shapes if shape.layer >= Layer.LABELS))
        return image

    def _trail(self, image: NDArray[np.uint8], number: int, actor: _Actor, now: int) -> None:
        newest, fresh = (int(np.searchsorted(actor.track.time, instant, "right")) for instant in (now, now - _TRAIL))
        if newest:
            colour = robot_colour(number)
            self._arena.pen.line(image, actor.pixels[: fresh + 1], pale(colour, 0.65), 2)
            self._arena.pen.line(image, actor.pixels[max(fresh - 1, 0) : newest], colour, 2)
            self._arena.ring(image, actor.pixels[0], colour)

    def _echo(self, image: NDArray[np.uint8], number: int, actor: _Actor, now: int) -> None:
        """Draw the newest scan, where nothing else tells of the world."""
        newest = int(np.searchsorted(actor.scanned, now, "right")) - 1
        if newest >= 0 and now - actor.scanned[newest] <= 2 * _FRESH:
            points = scan_points(actor.robot.scans[newest], actor.track)
            self._arena.points(image, self._arena.pen.pixels(points), pale(robot_colour(number), 0.3))

    def _observe(self, image: NDArray[np.uint8], number: int, actor: _Actor, pose: Pose2D, now: int) -> None:
        """Draw the camera's cone and what it saw."""
        newest = int(np.searchsorted(actor.seen, now, "right")) - 1
        if newest < 0:
            return
        look, frame, mount = actor.look, actor.images[newest], Pose2D(actor.look.camera.x)
        sights = sights_in(frame, look) if now - frame.arrival <= _FRESH else ()
        colour = robot_colour(number)
        eye = pose.compose(Pose2D(yaw=actor.turret(now) or 0.0)).compose(mount)
        self._arena.cone(image, eye, look, colour, bool(sights))
        measured = measured_at(frame)
        then = actor.track.at(measured) or pose
        eye = then.compose(Pose2D(yaw=actor.turret(measured) or 0.0)).compose(mount)
        for sight in sights:
            seen_from = eye if sight.distance is None else then
            self._arena.detection(image, seen_from, sight.bearing, sight.distance, look.sign.size, colour)

    def _card(self, picture: NDArray[np.uint8], number: int, actor: _Actor, now: int) -> None:
        """Write what a robot does."""
        top, left, room = self._top(number), _PANEL + 18, WIDTH - _EDGE - _PANEL - 30
        robot = actor.robot
        role = f"  {robot.role}" if robot.role and robot.role != robot.name else ""
        self._plain.write(picture, self._plain.fitted(robot.name + role, room), (left, top + 24), INK)
        doing, moves = _doing(actor, now)
        ink = INK
        if robot.ticks and doing:
            ground = palette.leaf_colour(doing.split(": ")[0] if doing.startswith("latched: ") else doing)
            picture[top + 33 : top + 59, left - 6 : left + room] = bgr(ground)
            ink = bgr(palette.ink_on(ground))
        self._bold.write(picture, self._bold.fitted(doing, room), (left, top + 51), ink)
        self._plain.write(picture, self._plain.fitted(moves, room), (left, top + 79), MUTED)

    def _draw_charts(self) -> list[SpeedChart]:
        """Draw the speeds of robots without a tree, of which there is little else to tell, below the cards."""
        robots = (actor.robot for actor in self._actors if not actor.robot.ticks)
        shown = [robot for robot in robots if robot.commands or robot.odometry][:_MOST_CHARTS]
        top = self._top(min(len(self._actors), _MOST_CARDS))
        charts: list[SpeedChart] = []
        for robot in shown:
            colours = (CARD, GRID, pale(MUTED, 0.7), MUTED, robot_colour(self._number(robot)), INK)
            place = (_PANEL, top + len(charts) * (_CHART + 10), WIDTH - _EDGE - _PANEL, _CHART)
            chart = SpeedChart(robot, self._recording.start, self._recording.end, place, colours)
            chart.draw(self._ground, self._plain)
            charts.append(chart)
        return charts

    def _number(self, robot: RobotRecording) -> int:
        return list(self._recording.robots).index(robot.name)

    def _tell(self, picture: NDArray[np.uint8], now: int) -> None:
        """Write the newest events, the oldest above."""
        top = self._top(min(len(self._actors), _MOST_CARDS)) + len(self._charts) * (_CHART + 10) + 24
        room = max((HEIGHT - 40 - top) // _LINE, 1)
        shown = [event for event in self._events if event.now <= now][-room:]
        if not self._events:
            # Where nothing happens that is recorded, the recording itself is described.
            for line, text in enumerate(self._notes()[:room]):
                fitted = self._plain.fitted(text, WIDTH - _EDGE - _PANEL)
                self._plain.write(picture, fitted, (_PANEL, top + line * _LINE), MUTED)
        for line, event in enumerate(shown):
            text = self._plain.fitted(self._line(event), WIDTH - _EDGE - _PANEL)
            colour = INK if now - event.now <= _NEW else MUTED
            self._plain.write(picture, text, (_PANEL, top + line * _LINE), colour)

    def _notes(self) -> list[str]:
        places = {"truth": "truly was", "localisation": "was by its localisation", "odometry": "was by its odometry"}
        lines = []
        for actor in self._actors:
            name, track = actor.robot.name, actor.track
            drawn = [f"drawn where it {places[track.source]}"] if len(track.time) else []
            lines += [f"{name}: {text}" for text in (*drawn, *actor.robot.notes)]
        return [" ".join(line.split()) for line in lines]

    def _line(self, event: Event) -> str:
        since = to_seconds(event.now - self._recording.start)
        return " ".join(f"{since:.1f} s  {event.robot}  {event.text}".split("\n"))


def _corners(extent: tuple[float, float, float, float] | None, body: Body) -> NDArray[np.float64]:
    """Return two corners of what a robot covers on its way, shape (2, 2), or no point where there is no way."""
    if extent is None:
        return np.zeros((0, 2))
    left, right, low, high = extent
    reach = NOSE * body.radius
    return np.array([(left - reach, low - reach), (right + reach, high + reach)])


def _near(robot: RobotRecording, track: Track) -> NDArray[np.float64]:
    """Return points of some scans that lie near the robot, shape (k, 2); none where a spike put it."""
    scans = robot.scans[thinned(len(robot.scans), _SCANS)]
    extent = extent_of(track)
    if extent is None:
        return np.zeros((0, 2))
    left, right, low, high = extent
    places = [(scan, track.at(measured_at(scan))) for scan in scans]
    good = [scan for scan, pose in places if pose and left <= pose.x <= right and low <= pose.y <= high]
    return np.concatenate([*(scan_points(scan, track, _NEAR) for scan in good), np.zeros((0, 2))])


def _doing(actor: _Actor, now: int) -> tuple[str, str]:
    """Return what a robot does and how it drives, or, without a tree, how it was commanded to and how it did."""
    robot = actor.robot
    if not robot.ticks:
        commanded = _velocity_text("commanded", actor.commanded, [twist for _, twist in robot.commands], now)
        measured = _velocity_text("measured", actor.measured, [one.twist for one in robot.odometry], now)
        return commanded, measured
    newest = int(np.searchsorted(actor.ticked, now, "right")) - 1
    if newest < 0:
        return "", ""
    tick: Tick = robot.ticks[newest]
    doing = f"latched: {tick.fault}" if tick.fault is not None else tick.active
    limits = f"gate: {', '.join(tick.reasons)}" if tick.reasons else ""
    return doing, f"drives {_speeds(tick.twist)}{_age(now - tick.now)}   {limits}".strip()


def _velocity_text(word: str, instants: NDArray[np.int64], twists: Sequence[Twist2D], now: int) -> str:
    """Return the newest of some velocities in words."""
    newest = int(np.searchsorted(instants, now, "right")) - 1
    if newest < 0:
        return f"{word} -" if len(instants) else f"{word} speed is not recorded"
    return f"{word} {_speeds(twists[newest])}{_age(now - int(instants[newest]))}"


def _age(age: int) -> str:
    """Return that a figure is old, where it is older than a second (age: ns)."""
    return f", {to_seconds(age):.1f} s old" if age > _OLD else ""


def _speeds(twist: Twist2D) -> str:
    linear, angular = (value if math.isfinite(value) else 0.0 for value in (twist.linear, twist.angular))
    return f"{linear:+.2f} m/s  {angular:+.2f} rad/s"
