"""Writes what is generated: parameters.md, ros_parameters.md, feedback.md, pictures of trees, tables, results.

Pictures of trees are docs/trees/*.svg, and the text blocks in the docstrings of trees/<game>/<role>.py. The
tables are those of folders and of the velocity gate's reasons in docs/architecture.md, and that of what the field
draws in docs/profiles.md. Results are what any document quotes of the book in docs/results/, between marks;
`arena-trees book` writes the book itself.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import py_trees
from pydantic import BaseModel

from arena_trees.commands.render import draw, role_tree
from arena_trees.experiments.book.markdown import Book, fill, quotes
from arena_trees.experiments.profile import Profile, load_profile
from arena_trees.experiments.promises.promise import Promise
from arena_trees.experiments.scenario import RobotEntry, Scenario, Start
from arena_trees.games.game import Game
from arena_trees.games.registry import load_games
from arena_trees.perception.ceiling.parameters import CeilingParameters, FloorTag, RobotTag
from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.configuration.parameter_table import parameter_table
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.show.cues import Priority, Show
from arena_trees.robot.show.lights import Light
from arena_trees.robot.show.songs import Song
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import REASONS
from arena_trees.simulation.faults.fault import Fault
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.simulation.sensors.circle_errors import CircleErrors
from arena_trees.world.arena_file import ArenaFile, Box, Carrot, RandomBoxes, Slot, Wall
from arena_trees.world.arena_file import Start as ArenaStart
from arena_trees.world.body import Barrel, Body, RangeMount, Sphere, Turret
from arena_trees.world.misplaced_walls import WallErrors

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

HEAD = """# Parameters

<!-- Made by `make docs` from the models themselves. Changes here are lost. -->

A value is set in three places, the later ones winning: the defaults below, the role's file in `config/`, and the
scenario (or `arena-trees run --set key=value`). `arena-trees check FILE` reports what is wrong in a file and where.
A number must be finite, an unknown key is refused, and nothing is converted silently: `1` is no text, `"1"` no number.
ROBOT is a robot's name, or the role of robots that are all alike.

| table | file | in a robot of a scenario | `--set` |
|---|---|---|---|
| {roles} | `config/<game>/<role>.yaml` | `set:` | `ROBOT.KEY=VALUE` |
| [Body](#body) | arena file: `bodies:` | `body:` | `ROBOT.body.KEY=VALUE` |
| [Velocity gate](#velocity-gate) | | `gate:` | `ROBOT.gate.KEY=VALUE` |
| [Fence](#fence) | | `fence:` | `ROBOT.fence.KEY=VALUE` |
| [Perception](#perception) | not in files; the defaults hold | | |
| [Cameras on the ceiling](#cameras-on-the-ceiling) | [`config/ceiling.yaml`](ceiling_camera.md) | | |
| [Sensors](#sensors) | | `sensors:` | `ROBOT.sensors.KEY=VALUE` |
| [Scenario](#scenario) and what follows it | scenario file | | `KEY=VALUE` |
| {rules} | `rules:` of a scenario | | `rules.KEY=VALUE` |
| [Arena](#arena) and what follows it | arena file, or `arena_set:` of a scenario | | `arena_set.KEY=VALUE` |
"""

SECTIONS: tuple[tuple[str, str, type[BaseModel], str, bool], ...] = (
    ("Body", "What a robot is made of; a TurtleBot 4 unless stated otherwise.", Body, "body.", False),
    ("Range sensor of a body", "One entry of `ranges`.", RangeMount, "", False),
    ("Turret of a body", "Where it has one: `turret: {}` is one as by default.", Turret, "body.turret.", False),
    ("Barrel of a body", "Where it has a weapon.", Barrel, "body.barrel.", False),
    ("Ball of a body", "Where it carries one.", Sphere, "body.sphere.", False),
    (
        "Velocity gate",
        "The last word before the wheels. Defaults and bounds are those of a TurtleBot 4; with another body, what\n"
        "that body can do is the default of `max_linear`, `max_reverse`, `max_angular`, `max_wheel`, `half_track`,\n"
        "`acceleration`, `deceleration` and `hull_radius`, and the bound of speeds; `body_radius` grows with the hull.",
        GateParameters,
        "gate.",
        True,
    ),
    ("Fence", "When a robot is warned of its fence.", FenceParameters, "fence.", True),
    ("Perception", "How far readings are trusted.", PerceptionParameters, "", True),
    (
        "Cameras on the ceiling",
        "What they look for, and how far it is trusted ([the page](ceiling_camera.md)).",
        CeilingParameters,
        "",
        False,
    ),
    ("Tag on the floor", "One entry of `floor`.", FloorTag, "", False),
    ("Tag of a robot", "One entry of `robots`.", RobotTag, "robots.NAME.", False),
    ("Sensors", "The simulated robot: base, sensors and the sign that it carries.", SensorParameters, "", True),
    (
        "Detector of balls",
        "How `source` and `arena` fail in a parametric sphere camera. What is not given was measured with the camera\n"
        "whose images are nearest in width, 250 or 640 px ([values](spheres.md#the-parametric-camera)); the defaults\n"
        "here are only those of the model.",
        CircleErrors,
        "sphere_camera.DETECTOR.",
        False,
    ),
    ("Scenario", "What a scenario file holds at its top.", Scenario, "", False),
    (
        "Robot of a scenario",
        "One entry of `robots`; robots that are all alike have a `count` besides.",
        RobotEntry,
        "robots.NAME.",
        False,
    ),
    ("Start of a robot", "Either a pose, or a place outside the fence.", Start, "robots.NAME.start.", False),
    ("Bus", "The line between the robots.", BusParameters, "bus.", False),
    (
        "Misplaced walls",
        "What a [profile](profiles.md) draws under `arena`; a scenario does not give it.",
        WallErrors,
        "",
        False,
    ),
    ("Fault", "One entry of `faults`.", Fault, "", False),
    ("Promise", "One entry of `promises`, under its name.", Promise, "", False),
    ("Arena", "What an arena file holds at its top.", ArenaFile, "", False),
    ("Wall", "One entry of `walls`.", Wall, "", False),
    ("Box", "One entry of `boxes`.", Box, "", False),
    ("Random boxes", "Drawn anew for each trial.", RandomBoxes, "random_boxes.", False),
    ("Start in an arena", "Used where the scenario gives the robot none.", ArenaStart, "starts.NAME.", False),
    ("Slot", "One entry of `slots`.", Slot, "", False),
    ("Carrot", "One entry of `carrots`.", Carrot, "", False),
)
"""Title, sentence, model, prefix of its keys, and whether nested models are listed with it; after those of games."""

ROS_HEAD = """# Parameters of the ROS 2 nodes

<!-- Made by `make docs` from the models themselves, where ROS is installed. Changes here are lost. -->

A parameter file has the form that ROS knows: keys for every node under `/**:`, a node's own under its name.

    /**:
      ros__parameters:
        chase_kp: 1.5
    /**/velocity_gate:
      ros__parameters:
        max_linear: 0.25

The tree refuses keys that it does not know, and the gate too, but for the tree's in sections for every node, such as
`/**`; other nodes ignore them. So give the gate's keys to the gate. Launch files refuse a file that is missing, and
one with a section that is about no node of theirs. A bad value ends the node with one line and exit code 2. Every
node has `use_sim_time` besides. Where ROS knows no null, an empty text stands for it.

While a node runs, few keys may change: those of the tree's role, those of the gate itself, the detector's `max_fps`,
and the localiser's `brightness` and `contrast`. `rqt_reconfigure` shows them as sliders; a refused
change gives the reason. All others are fixed.
[Nodes, topics and services](ros.md#nodes) are elsewhere.
"""

ROS_SECTIONS = (
    (
        "tree",
        "Besides, those of its [role](parameters.md), which may change while it runs. `seed` may change while the\n"
        "node is not configured.",
        (
            ("nodes.runtime.tree_parameters", "TreeNodeParameters", ""),
            ("nodes.runtime.tree_parameters", "TreeSeed", ""),
            ("safety.fence_status", "FenceParameters", "fence."),
            ("world.camera_optics", "CameraOptics", "camera."),
            ("nodes.nav2.parameters", "Nav2Parameters", "nav2."),
        ),
    ),
    (
        "velocity_gate",
        "Besides, those of [the gate itself](parameters.md#velocity-gate), without a prefix, which may change while\n"
        "it runs: the robot is stopped for one step then.",
        (("nodes.gate.parameters", "VelocityGateParameters", ""), ("safety.parameters", "GuardParameters", "")),
    ),
    ("sign_detector", "", (("nodes.sign_detector", "SignDetectorParameters", ""),)),
    ("sphere_detector", "", (("nodes.sphere_detector", "SphereDetectorParameters", ""),)),
    ("geofence_supervisor", "", (("nodes.geofence_supervisor", "GeofenceSupervisorParameters", ""),)),
    ("game", "`seed` may change while no round is played.", (("nodes.game", "GameNodeParameters", ""),)),
    (
        "localiser",
        "`brightness` and `contrast` may change while it runs.",
        (
            ("nodes.localiser", "LocaliserNodeParameters", ""),
            ("perception.lanes.lines", "LaneParameters", "lanes."),
        ),
    ),
    ("ceiling_tracker", "", (("nodes.ceiling_tracker", "CeilingTrackerParameters", ""),)),
    ("tracking_relay", "", (("nodes.tracking_relay", "TrackingRelayParameters", ""),)),
    ("arena_simulator", "", (("nodes.arena_simulator", "ArenaSimulatorParameters", ""),)),
    ("undock", "", (("nodes.undock", "UndockParameters", ""),)),
    ("feedback", "", (("nodes.feedback", "FeedbackParameters", ""),)),
)
"""Node, sentence, and module, class and prefix of its parameters."""

FEEDBACK = """# Lights and sounds

<!-- Made by `make docs` from the tables themselves. Changes here are lost. -->

A tree shows events by name (`self.show("CATCH")` in a behaviour). A game's `cues.py` defines what people see and hear
of each: the six lights of a Create 3's ring, and a song from its loudspeaker. The rules are the same in the arena and
on a robot. The event mapper, light node and audio node of [the PacMan report](sources.md#the-pacman-report) (algorithms
6 to 8) are this table and the node [`feedback`](ros.md#feedback); the motion that goes with some events there is in the
trees.

| game | event | light | seen, s | song | heard, s | priority |
|---|---|---|---|---|---|---|
{shows}

RESET gives the ring back to the base at once. Other names are recorded and reported, and not shown.

## Who comes first

Priorities are {priorities}, the last being the most important.

- **Ring.** A new light of the same or a higher priority overrides the one that is seen; a lower one is left out. When
  its time is over the base has its ring back, also when the node ends. Frames of an animation follow each other every
  0.15 s, as in the report.
- **Loudspeaker.** While a song plays, another one of the same or a lower priority is dropped, and a higher one takes
  its place. The same song within 0.25 s of its beginning is a duplicate, and dropped.
- Nothing is put off: what is shown begins in the tick of its event (20 ms), or never.

## Songs

A note is a MIDI number m with a duration, and its frequency f = 440 * 2^((m - 69) / 12) Hz. `-` is a rest. All songs
were written for this project. A robot gets whole hertz, and a rest as 0 Hz.

| song | notes | Hz |
|---|---|---|
{songs}

## In the arena

    arena-trees run wolf_rabbit --wav results/sound.wav

writes what all robots of the first trial play: mono, 22050 Hz, 16 bits, exactly as long as the trial's simulated time,
and while it is played, so that a long trial needs no more memory (2.6 MB a minute on disk). The wave is the softened
square of a small loudspeaker. What was shown is in the results, too: each trial's `shown` lists `time_s`, `robot`,
`event`, `light` and `song`, the last two null where something more important was seen, or the loudspeaker was busy.
Recordings and traces hold the events themselves (`cues`).

## On a robot

A cue is a message on the robot's topic `cues`: the name of an event, or that with `/light` or `/song` behind it for
this part of its show alone, as in `ros2 topic pub --once /pacman/cues std_msgs/msg/String "data: WIN/light"`. The
[console](console.md#lights-and-sounds) has a button for each.

Songs go to the action `audio_note_sequence` where the base offers it, and to the topic `cmd_audio` where it does not,
or refuses. A song that is overridden is cancelled, also if the base acknowledges it later; at its end the node waits
for that, up to 0.5 s. Lights go to `cmd_lightring`. All of it was tried against real publishers and action servers,
never on a real Create 3; what that does with a note of 0 Hz is not known.

## A further event

1. Show it in a behaviour: `self.show("FOUND")`.
2. Add it to the `SHOWS` of the game's `cues.py`, with a `Light` (a name, frames of six colours, of which one is a
   static colour, and how long it is seen) and, if it is to be heard, a song:
   `"FOUND": Show(Light("FOUND", steady(GREEN), 2.0), even("FOUND", 0.1, 69, 76), Priority.MIDDLE)`.
3. `make docs` puts it into the tables here.
"""

LAYERS = (
    "robot", "sensors", "world", "control", "safety", "perception", "games", "behaviours", "trees", "simulation",
    "experiments", "recording", "nodes", "arena_trees", "models",
)  # fmt: skip
"""The packages at the root, from the lowest to the highest; one that is not named here comes last."""

TREE_LEVELS = 4
"""Levels of a tree that the picture in a docstring shows; the pictures in docs/trees/ show all."""


def documents() -> dict[Path, str]:
    """Return each made file's text."""
    games = load_games().values()
    roles = ", ".join(f"[{role.name.title()}](#{role.name})" for game in games for role in game.roles)
    rules = ", ".join(f"[{_rules_title(game)}](#{_rules_title(game).lower().replace(' ', '-')})" for game in games)
    parts = [HEAD.replace("{roles}", roles).replace("{rules}", rules)]
    for title, sentence, model, prefix, nested in (*_sections_of(games), *SECTIONS):
        parts.append(f"\n## {title}\n\n{sentence}\n\n{parameter_table(model, prefix, nested)}")
    made = {DOCS / "parameters.md": "".join(parts), DOCS / "feedback.md": feedback()}
    if importlib.util.find_spec("rclpy") is not None:
        made[DOCS / "ros_parameters.md"] = ros_parameters()
    page = DOCS / "architecture.md"
    text = between(page.read_text(encoding="utf-8"), "folders", folders())
    made[page] = between(text, "reasons", reasons())
    page = DOCS / "profiles.md"
    made[page] = between(page.read_text(encoding="utf-8"), "field", ranges(load_profile("field")))
    return made | quoting(made) | tree_pictures() | tree_docstrings()


def quoting(made: Mapping[Path, str]) -> dict[Path, str]:
    """Return each document that quotes the book of results; those that were made for another reason as made there."""
    games = load_games()
    chapters = {name: game.chapter for name, game in games.items() if game.chapter is not None}
    book = Book(chapters, DOCS / "results")
    pages = (*ROOT.glob("*.md"), *DOCS.glob("*.md"), *book.folder.glob("*.md"))
    texts = {page: made.get(page) or page.read_text(encoding="utf-8") for page in pages}
    return {page: fill(text, book, page) for page, text in texts.items() if quotes(text)}


def between(page: str, name: str, made: str) -> str:
    """Return a page with a text that was made between the marks of a name."""
    head, rest = page.split(f"<!-- {name}", 1)
    mark, rest = rest.split("-->\n", 1)
    return f"{head}<!-- {name}{mark}-->\n{made}<!-- /{name}{rest.split(f'<!-- /{name}', 1)[1]}"


def reasons() -> str:
    """Return the table of the velocity gate's reasons."""
    lines = ["| reason | kind | meaning | clears |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {one.kind} | {one.meaning} | {one.clears or '-'} |" for name, one in REASONS.items()]
    return "\n".join(lines) + "\n"


def ranges(profile: Profile) -> str:
    """Return the table of what a profile draws."""
    drawn = {f"sensors.{key}": one for key, one in profile.sensors.items()}
    drawn |= {f"bus.{key}": one for key, one in profile.bus.items()}
    drawn |= {f"arena.{key}": one for key, one in profile.arena.items()}
    lines = ["| key | from | to | source |", "|---|---|---|---|"]
    lines += [f"| `{key}` | {one.low:g} | {one.high:g} | {one.source} |" for key, one in drawn.items()]
    return "\n".join(lines) + "\n"


def folders() -> str:
    """Return the table of all packages; the first paragraph of each one's docstring is what it holds."""
    tops = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    order = {name: number for number, name in enumerate(LAYERS)}
    lines = ["| folder | what it holds |", "|---|---|"]
    for top in sorted(tops, key=lambda path: (order.get(path.name, len(order)), path.name)):
        for folder in (top, *_packages_in(top)):
            text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
            name = folder.relative_to(ROOT).as_posix()
            shown = f"**`{name}/`**" if folder == top else f"`{name}/`"
            lines.append(f"| {shown} | {' '.join(text.split(chr(10) * 2)[0].replace('``', '`').split())} |")
    return "\n".join(lines) + "\n"


def _packages_in(folder: Path) -> Iterator[Path]:
    """Yield the packages in a folder and in those, but not behind links: arena_trees/ links to all others."""
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and not inner.is_symlink() and (inner / "__init__.py").exists():
            yield inner
            yield from _packages_in(inner)


def tree_pictures() -> dict[Path, str]:
    """Return the picture of every role's tree, and that of its strategy "source" where it looks otherwise."""
    made = {}
    for game in load_games().values():
        for role in game.roles:
            made[DOCS / "trees" / f"{role.name}.svg"] = draw(role.name, "svg", "arena") + "\n"
            has_strategies = "strategy" in role.parameters.model_fields
            if has_strategies and draw(role.name, "dot", "source") != draw(role.name, "dot", "arena"):
                made[DOCS / "trees" / f"{role.name}_source.svg"] = draw(role.name, "svg", "source") + "\n"
    return made


def tree_docstrings() -> dict[Path, str]:
    """Return every tree module with the picture of the real tree in its docstring.

    Raises:
        ValueError: a module of a tree has no text block in its docstring
    """
    made = {}
    for game in load_games().values():
        for role in game.roles:
            path = ROOT / "trees" / game.name / f"{role.name}.py"
            block, text = (
                re.compile(r"(?<=\.\. code-block:: text\n\n)(?: {4}.*\n|\n)*"),
                path.read_text(encoding="utf-8"),
            )
            found = block.search(text)
            if found is None:
                raise ValueError(f"{path}: its docstring has no '.. code-block:: text'")
            end = "" if text.startswith('"""', found.end()) else "\n"
            made[path] = text[: found.start()] + tree_text(role.name) + end + text[found.end() :]
    return made


def tree_text(role: str) -> str:
    """Return the upper levels of a role's tree as lines of a docstring; "..." stands for what is below them."""
    with role_tree(role, "arena") as root:
        rows = [row for row in py_trees.display.ascii_tree(root).splitlines() if row.strip()]
    depths = [(len(row) - len(row.lstrip())) // 4 for row in rows]
    lines = []
    for row, depth, following in zip(rows, depths, [*depths[1:], 0], strict=True):
        if depth < TREE_LEVELS:
            lines.append(f"    {row}{' ...' if TREE_LEVELS <= following > depth else ''}\n")
    return "".join(lines)


def _rules_title(game: Game) -> str:
    return f"Rules of {game.title}"


def _sections_of(games: Iterable[Game]) -> Iterator[tuple[str, str, type[BaseModel], str, bool]]:
    """Yield the sections of every game: each role, its rules, and the entries of lists in them."""
    for game in games:
        for role in game.roles:
            yield role.name.title(), first_sentence(role.parameters), role.parameters, "", True
        if game.rules.model_fields:
            yield _rules_title(game), f"What `rules:` may hold where `game: {game.name}`.", game.rules, "rules.", True
        for key, model in _entries(game.rules):
            yield f"{model.__name__}", f"{first_sentence(model)} An entry of `rules.{key}`.", model, "", True


def _entries(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the models that stand in lists of a model, or are absent by default, by the key of the field."""
    for key, field in model.model_fields.items():
        for part in get_args(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield key, part


def first_sentence(model: type[BaseModel]) -> str:
    """Return the first paragraph of a model's docstring, on one line."""
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())


def ros_parameters() -> str:
    """Return the document of the nodes' parameters; the nodes' modules need ROS."""
    parts = [ROS_HEAD]
    for node, sentence, models in ROS_SECTIONS:
        parts.append("\n".join(["", f"## {node}", *(["", sentence] if sentence else []), ""]))
        tables = [
            parameter_table(getattr(importlib.import_module(f"arena_trees.{module}"), name), prefix)
            for module, name, prefix in models
        ]
        # One table, so without the heads of all but the first.
        parts += ["\n", tables[0], *("".join(text.splitlines(keepends=True)[2:]) for text in tables[1:])]
    return "".join(parts)


def feedback() -> str:
    """Return the document of lights and sounds."""
    shows, songs = [], {}
    for game in load_games().values():
        for event, show in game.shows.items():
            shows.append(f"| {game.title} | {' | '.join(_show_cells(event, show))} |")
            if show.song is not None:
                songs[show.song.name] = f"| {show.song.name} | {_notes(show.song)} | {_pitches(show.song)} |"
    names = [priority.name for priority in Priority]
    text = FEEDBACK.replace("{shows}", "\n".join(shows)).replace("{songs}", "\n".join(songs.values()))
    return text.replace("{priorities}", f"{', '.join(names[:-1])} and {names[-1]}")


def _show_cells(event: str, show: Show) -> tuple[str, ...]:
    light, song = show.light, show.song
    seen = f"{light.seconds:g}" if light.frames else ""
    named, length = ("", "") if song is None else (song.name, f"{song.length / 1e9:g}")
    return event, _kind(light), seen, named, length, show.priority.name


def _kind(light: Light) -> str:
    if not light.frames:
        return "off"
    if len(light.frames) > 1:
        return f"{light.name}, {len(light.frames)} frames"
    return f"{light.name}, static #{''.join(f'{part:02x}' for part in light.frames[0][0])}"


def _notes(song: Song) -> str:
    return " ".join("-" if note.midi is None else str(note.midi) for note in song.notes)


def _pitches(song: Song) -> str:
    """Return the frequencies of a song from its lowest to its highest."""
    return ", ".join(f"{pitch:.1f}" for pitch in sorted({note.frequency for note in song.notes} - {0.0}))


if __name__ == "__main__":
    for path, text in documents().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
