"""Files, commands, options, topics and parameters that README.md and docs/ name are those that exist."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.documents import DOCUMENTS, ROOT, blocks, commands, ours, spans
from helpers.existing_names import code, declared, files, is_parameter, options_of, parser, robots, words_of_code

from arena_trees.games.registry import game_names
from arena_trees.nodes.programs import game_launch, nav2_launch, robot_launch
from arena_trees.nodes.programs.parameter_file import robot_nodes

FILE = re.compile(r"[\w./<>*-]+(\.(py|js|md|ya?ml|toml|cfg|xml|sh|onnx|pdf|svg|png|gif|json|csv|html|rviz)|/)")
PLAIN = r"[a-z]\w*(?:\.[a-z]\w*)*"
TOPIC = re.compile(r"/[\w<>]+(/[\w<>]+)*")
EXEMPT = {
    "/cmd_vel_unstamped": "the document's, which the page says not to use",
    "best.json": "beside a person's own best.onnx", "best.yaml": "made of words", "best_METRIC.yaml": "made of words",
    "jobs/POINT/TRIAL.json": "made of numbers", "configure_discovery.sh": "turtlebot4_setup's",
    "my_room.arena.yaml": "the reader's own", "my_room.yaml": "the reader's own", "my_wolf.py": "the reader's own",
    "key": "stands for any parameter", "nav2_bringup": "a package of Nav2", "rqt_image_view": "a tool of ROS",
    "ruamel.yaml": "a library", "serialize_cdr": "of rosbags", "shapely.constrained_delaunay_triangles": "of shapely",
    "red_score_s": "a metric of an example's robot", "blue_score_s": "a metric of an example's robot",
    "red_tags_per_trial": "a metric of an example's robot", "results/wolf_rabbit_2.json": "numbered",
    "wolf.sensors.imu.rate_bias": "a parameter of an example's sensor", "results/wolf_rabbit_2.png": "numbered",
    "grey_breaches_per_trial": "a metric of an example's robot", "robots.count": "of robots that are all alike",
}  # fmt: skip
"""What is named and is not in the code as it stands there, with the reason."""


def false_files(text: str) -> Iterator[str]:
    """Yield files that are neither in the repository nor named by a program, which writes them."""
    scripts = [word for words in commands(text) if "python" in words[0] for word in words if word.endswith(".py")]
    started = [words for words in commands(text) if words[0] == "ros2" and words[2:3] == ["arena_trees"] and words[3:]]
    scripts += [f"nodes/{words[3]}.py" if words[1] == "run" else f"launch/{words[3]}" for words in started]
    for name in (*filter(FILE.fullmatch, spans(text)), *scripts):
        path = re.escape(name.removeprefix("./").removeprefix("arena_trees/").rstrip("/"))
        path = re.sub(r"<\w+>|\\\*|\b[A-Z]{3,}\b", '[^/"]*', path)
        there = any(re.fullmatch(f"(.*/)?{path}", one) for one in files())
        if not there and not re.search(f"[\"'/]{path.rpartition('/')[2]}[\"'/]", code()) and name[0] != "/":
            yield name


def false_commands(text: str) -> Iterator[str]:
    """Yield commands and options of ours that are none, and targets that the Makefile lacks."""
    for words in commands(text):
        program, command, rest = words[0].rpartition("bin/")[2], parser(), words[1:]
        if program == "make" and rest and f"\n{rest[0]}:" not in code():
            yield f"make {rest[0]}"
        elif program == "arena-trees" or program in command.commands:
            rest = rest if program == "arena-trees" else words
            while rest and hasattr(command, "commands") and re.match("[a-z]", rest[0]):
                if rest[0] not in command.commands:
                    yield f"arena-trees {rest[0]}"
                    break
                command = command.commands[rest.pop(0)]
            options = [one.split("=")[0] for one in rest if re.match("--?[a-z]", one)]
            yield from (f"{' '.join(words)}: {one}" for one in options if one not in options_of(command))
        elif words[0].startswith("--") or any(one.endswith(".py") for one in words[:2]):
            # Between backticks alone, an option of any command of ours or of our scripts.
            options = [one.split("=")[0] for one in words if one.startswith("--")]
            yield from (one for one in options if one not in options_of(command) and f'"{one}"' not in code())


def false_topics(text: str) -> Iterator[str]:
    """Yield topics and services, below any robot or node, that no code declares."""
    rows = [line.split("|") for line in text.splitlines() if line.startswith("|")]
    typed = [cell for row in rows for cell, kind in pairwise(row) if re.match(r" *[a-z]\w*/[A-Z]\w+", kind)]
    named = [*spans(" ".join(typed)), *filter(TOPIC.fullmatch, spans(text))]
    named += [one for words in commands(text) if words[0] == "ros2" for one in words if TOPIC.fullmatch(one)]
    nodes = (Path(node).name for node in robot_nodes("/"))
    heads = {*robots(), *nodes, *game_names(), "arena", "game", "arena_simulator"}
    for name in filter(re.compile(r"[~/]?[\w<>/]+").fullmatch, named):
        parts = name.lstrip("~/").split("/")
        own = next((place for place, part in enumerate(parts) if part not in heads and part[0] != "<"), len(parts))
        tails = ["/".join(parts[place:]) for place in range(own + 1)]
        if "" not in tails and not any(one.fullmatch(tail) for tail in tails for one in declared()):
            yield name


def false_parameters(text: str) -> Iterator[str]:
    """Yield parameters that are set or dotted and stand in no table, and other names with _ that no code has."""
    launch = {one.name for module in (game_launch, nav2_launch, robot_launch) for one in module.arguments()}
    for line in (*blocks(text), *spans(text)):
        set_here = re.findall(rf"--(?:set|grid|param)[ =]['\"]?({PLAIN})=", line)
        yield from (key for key in set_here if not is_parameter(key))
        if line.startswith("ros2 launch arena_trees"):
            yield from (one for one in re.findall(r"(\w+):=", line) if one not in launch)
    for span in spans(text):
        name = re.match(rf"({PLAIN})(?:[=:] ?\S.*)?$", span)
        if name and not FILE.fullmatch(span) and not is_parameter(name[1]):
            first, *more = name[1].split(".")
            if (more and first in {*robots(), "gate", "fence"}) or (
                "_" in span and not {first, *more} <= words_of_code()
            ):
                yield name[1]


KINDS: dict[Callable[[str], Iterator[str]], list[str]] = {
    false_files: [
        "`docs/no_such.md`", "`robot/*/no_such.py`", "    python scripts/no_such.py\n",
        "    ros2 launch arena_trees no_such.launch.py\n", "    ros2 run arena_trees no_such\n",
    ],
    false_commands: [
        "`arena-trees pley`", "    .venv/bin/arena-trees run wolf_rabbit --trails 3\n", "`--no-such-option`",
        "`arena-trees doctor --trials 3`", "`make coffee`", "`run-ros wolf_rabbit --trails 3`",
    ],
    false_topics: [
        "`/wolf/scann`", "| out | `cmd_vel_rw` | geometry_msgs/TwistStamped |", "    ros2 topic echo /wolf/scann\n",
        "`/wolf/velocity_gate/resett`", "    ros2 bag record -s mcap \\\n      /wolf/cmd_vel_rw /wolf/scan\n",
    ],
    false_parameters: [
        "`chase_kpp`", "`gate.scan_timeot`", "`wolf.chase_kpp`", "`--set wolf.gate.scan=1`", "`pose_timout: 1`",
        "    ros2 launch arena_trees game.launch.py scenari:=wolf_rabbit\n",
    ],
}  # fmt: skip
"""What finds false names, and texts in which each must find one."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_documents_name_exists(document: Path):
    text = ours(document.read_text(encoding="utf-8"))
    # The book of results names runs as its chapters make them.
    kinds = [kind for kind in KINDS if document.parent.name != "results" or kind is not false_parameters]
    assert not {kind.__name__: false for kind in kinds if (false := set(kind(text)) - EXEMPT.keys())}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_a_false_name_is_found(kind: Callable[[str], Iterator[str]], text: str):
    assert list(kind(text))
