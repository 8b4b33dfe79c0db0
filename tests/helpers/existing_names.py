"""What exists by the names that documents use: files, words of the code, robots, topics, commands and parameters."""

import ast
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import typer

from arena_trees.cli import app
from arena_trees.command_table import COMMANDS
from arena_trees.experiments.scenario import find_scenario, load_scenario, scenario_names
from arena_trees.games.registry import game_names, role_names
from helpers.documents import DOCUMENTS, ROOT


@cache
def files() -> list[str]:
    """Return the files and folders of the repository, without hidden ones and results."""
    found: list[str] = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [one for one in below if one[0] not in "._" and (folder, one) != (str(ROOT), "results")]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in (*below, *names)]
    return found


@cache
def code() -> str:
    """Return the text of our programs, of their configuration and of the Makefile."""
    own = [one for one in files() if re.search(r"\.(py|js|yaml|toml)$|^Makefile$", one)]
    own = [one for one in own if not re.match(r"docs/|tests/(?!benchmarks/)", one)]
    return "\n".join((ROOT / one).read_text(encoding="utf-8") for one in own)


@cache
def words_of_code() -> set[str]:
    """Return the words of that text, with the names of scenarios and games."""
    return {*re.findall(r"[a-z]\w*", code()), *scenario_names(), *game_names()}


@cache
def robots() -> set[str]:
    """Return the names of roles, and of robots in scenarios, those of documents among them."""
    shown = re.findall(r"^ +(\w+): \{role:", "".join(one.read_text() for one in DOCUMENTS), re.MULTILINE)
    return {
        *role_names(),
        *shown,
        *(name for one in scenario_names() for name in load_scenario(find_scenario(one)).entries),
    }


@cache
def declared() -> list[re.Pattern[str]]:
    """Return patterns of the topics and services that the code may declare: its strings, and what it puts together."""
    rooms = re.compile(r"(nodes|robot|recording|games|sensors|arena_trees/view)/.*\.py$")
    nodes = [node for one in files() if rooms.match(one) for node in ast.walk(ast.parse((ROOT / one).read_text()))]
    texts = {
        node.value.lstrip("~/") for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    names = {one for one in texts if re.fullmatch(r"[a-z][\w/]*", one)} | {
        "ceiling/*/camera_info",
        "ceiling/*/image_raw",
        "ranges/*",
        "tree/estimates/*",
        "geofence/status",
    }
    return [re.compile(re.escape(one).replace(r"\*", r"[\w<>]+")) for one in names]


@cache
def parser() -> Any:
    """Return the parser of the command line, with the commands of games."""
    group = typer.main.get_command(app)
    for name in (*COMMANDS, *game_names()):
        group.get_command(None, name)  # type: ignore[attr-defined]
    return group


def options_of(command: Any) -> set[str]:
    """Return the options of a command, and of those below it."""
    own = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    return own.union({"--help"}, *map(options_of, getattr(command, "commands", {}).values()))


@cache
def parameters() -> set[str]:
    """Return the keys in the tables of parameters, and what stands before their dots."""
    pages = "".join((ROOT / "docs" / name).read_text() for name in ("parameters.md", "ros_parameters.md"))
    keys = re.findall(r"^\| ([\w.]+) \|", pages, re.MULTILINE)
    return {".".join(key.split(".")[:count]) for key in keys for count in range(1, key.count(".") + 2)}


def is_parameter(key: str) -> bool:
    """Return whether a key is in the tables, with or without a robot and one of its parts before it."""
    parts = ["NAME" if part in robots() else part for part in key.split(".")]
    above = ("NAME", "ROBOT", "gate", "fence", "sensors", "arena_set")
    tails = [parts[place:] for place in range(len(parts)) if all(part in above for part in parts[:place])]
    return any(".".join((*before, *tail)) in parameters() for tail in tails for before in ((), ("rules",), ("body",)))
