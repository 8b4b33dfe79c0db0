"""Makes what of docs/ is made: docs/parameters.md, docs/ros_parameters.md, and the pictures of the trees."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from pydantic import BaseModel

from arena_trees.behaviours.parameters import RabbitParameters, WolfParameters
from arena_trees.commands.render import draw
from arena_trees.games.referee import RefereeParameters
from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.parameter_table import parameter_table
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.parameters import GateParameters
from arena_trees.simulation.arena_file import ArenaFile, Box, Carrot, RandomBoxes, Wall
from arena_trees.simulation.arena_file import Start as ArenaStart
from arena_trees.simulation.bus import BusParameters
from arena_trees.simulation.faults import Fault
from arena_trees.simulation.robot import SensorParameters
from arena_trees.simulation.scenario import End, Recovery, RobotEntry, Scenario, Start

DOCS = Path(__file__).resolve().parents[1] / "docs"

HEAD = """# Parameters

<!-- Made by `make docs` from the models themselves. Changes here are lost. -->

A value is set in three places, the later ones winning: the defaults below, the role's file in `config/`, and the
scenario (or `arena-trees run --set key=value`). `arena-trees check FILE` says what is wrong in a file and where.
A number must be finite, an unknown key is refused, and nothing is converted silently: `1` is no text, `"1"` no number.

| table | file | in a robot of a scenario | `--set` |
|---|---|---|---|
| [Wolf](#wolf), [Rabbit](#rabbit) | `config/<role>.yaml` | `set:` | `wolf.KEY=VALUE` |
| [Velocity gate](#velocity-gate) | | `gate:` | `wolf.gate.KEY=VALUE` |
| [Fence](#fence) | | `fence:` | `wolf.fence.KEY=VALUE` |
| [Perception](#perception) | not in files; the defaults hold | | |
| [Sensors](#sensors) | | `sensors:` | `wolf.sensors.KEY=VALUE` |
| [Scenario](#scenario) and what follows it | scenario file | | `KEY=VALUE` |
| [Arena](#arena) and what follows it | arena file, or `arena_set:` of a scenario | | `arena_set.KEY=VALUE` |
"""

SECTIONS: tuple[tuple[str, str, type[BaseModel], str, bool], ...] = (
    ("Wolf", "Names that document 000 has are kept.", WolfParameters, "", True),
    ("Rabbit", "Names that document 000 has are kept.", RabbitParameters, "", True),
    ("Velocity gate", "The last word before the wheels.", GateParameters, "gate.", True),
    ("Fence", "When a robot is warned of its fence.", FenceParameters, "fence.", True),
    ("Perception", "How far readings are trusted.", PerceptionParameters, "", True),
    ("Sensors", "The simulated robot: base, sensors and the sign that it carries.", SensorParameters, "", True),
    ("Scenario", "What a scenario file holds at its top.", Scenario, "", False),
    ("Robot of a scenario", "One entry of `robots`.", RobotEntry, "robots.NAME.", False),
    ("Start of a robot", "Either a pose, or a place outside the fence.", Start, "robots.NAME.start.", False),
    ("Referee", "Rules of the game; `round_duration` is given as `duration_s`.", RefereeParameters, "referee.", False),
    ("Bus", "The line between the robots.", BusParameters, "bus.", False),
    ("Fault", "One entry of `faults`.", Fault, "", False),
    ("End", "When a trial is over, besides its duration.", End, "end.", False),
    ("Recovery", "Success of a trial that begins outside the fence.", Recovery, "end.recovery.", False),
    ("Arena", "What an arena file holds at its top.", ArenaFile, "", False),
    ("Wall", "One entry of `walls`.", Wall, "", False),
    ("Box", "One entry of `boxes`.", Box, "", False),
    ("Random boxes", "Drawn anew for each trial.", RandomBoxes, "random_boxes.", False),
    ("Start in an arena", "Used where the scenario gives the robot none.", ArenaStart, "starts.NAME.", False),
    ("Carrot", "One entry of `carrots`.", Carrot, "", False),
)
"""Title, sentence, model, prefix of its keys, and whether nested models are listed with it."""

ROS_HEAD = """# Parameters of the ROS 2 nodes

<!-- Made by `make docs` from the models themselves, where ROS is installed. Changes here are lost. -->

A parameter file has the form that ROS knows: keys for every node under `/**:`, a node's own under its name.

    /**:
      ros__parameters:
        chase_kp: 1.5
    /**/velocity_gate:
      ros__parameters:
        max_linear: 0.25

The tree refuses keys that it does not know, and the other nodes ignore those of others: so give the gate's keys to
the gate. A bad value ends the node with one line and exit code 2. Every node has `use_sim_time` besides. Where ROS
knows no null, an empty text stands for it.

While a node runs, three kinds of keys may change: those of the tree's role, those of the gate itself, and the
detector's `max_fps`. `rqt_reconfigure` shows them as sliders; a change that is refused says why. All others are fixed.
[Nodes, topics and services](ros.md#nodes) are elsewhere.
"""

ROS_SECTIONS = (
    (
        "tree",
        "Besides, those of its role, which may change while it runs: [wolf](parameters.md#wolf),\n"
        "[rabbit](parameters.md#rabbit).",
        (("nodes.tree_node", "TreeNodeParameters", ""), ("safety.fence_status", "FenceParameters", "fence.")),
    ),
    (
        "velocity_gate",
        "Besides, those of [the gate itself](parameters.md#velocity-gate), without a prefix, which may change while\n"
        "it runs: the robot is stopped for one step then.",
        (("nodes.gate_parameters", "VelocityGateParameters", ""), ("safety.parameters", "GuardParameters", "")),
    ),
    ("sign_detector", "", (("nodes.sign_detector", "SignDetectorParameters", ""),)),
    ("geofence_supervisor", "", (("nodes.geofence_supervisor", "GeofenceSupervisorParameters", ""),)),
    (
        "referee",
        "",
        (("nodes.referee", "RefereeNodeParameters", ""), ("games.referee", "RefereeParameters", "")),
    ),
    ("arena_simulator", "", (("nodes.arena_simulator", "ArenaSimulatorParameters", ""),)),
    ("feedback", "", (("nodes.feedback", "FeedbackParameters", ""),)),
)
"""Node, sentence, and module, class and prefix of its parameters."""

TREES = (("wolf", "arena"), ("wolf", "source"), ("rabbit", "arena"))
"""Role and strategy of each picture."""


def documents() -> dict[Path, str]:
    """Return each made file's text."""
    parts = [HEAD]
    for title, sentence, model, prefix, nested in SECTIONS:
        parts.append(f"\n## {title}\n\n{sentence}\n\n{parameter_table(model, prefix, nested)}")
    made = {DOCS / "parameters.md": "".join(parts)}
    if importlib.util.find_spec("rclpy") is not None:
        made[DOCS / "ros_parameters.md"] = ros_parameters()
    for role, strategy in TREES:
        name = role if strategy == "arena" else f"{role}_{strategy}"
        made[DOCS / "images" / f"{name}.svg"] = draw(role, "svg", strategy) + "\n"
    return made


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


if __name__ == "__main__":
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")
