"""docs/ros.md names what the nodes really do."""

import re
from pathlib import Path

import pytest
from helpers.node_graph import ALONE, NODES, OTHERS, node_graph

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "ros.md").read_text(encoding="utf-8")
OF_EVERY_NODE = re.compile(
    r"/rosout|/parameter_events|/clock|/diagnostics|.*/transition_event|.*/(get|set|list|describe)_\w+"
)
OF_THE_VIEWERS = re.compile(r".*/(snapshots|snapshot_streams/.*|blackboard_streams/.*)")
"""There where py_trees_ros is installed."""
KINDS = {"in": "subscribes", "out": "publishes", "service": "serves", "action": "calls"}


def named(node: str, verb: str) -> set[str]:
    """Return the full names in a node's table, of one kind of row."""
    section = DOCUMENT.split(f"\n### {node}\n")[1].split("\n###")[0].split("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith(f"| {verb} |")]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[2].split("(")[0])]
    names = [name.replace("<robot>", "wolf") for name in names]
    scope = "" if node in ALONE else "/wolf"
    return {name.replace("~", f"{scope}/{node}") if name[0] in "~/" else f"{scope}/{name}" for name in names}


@pytest.mark.parametrize(
    "name", sorted({**NODES, **OTHERS, **{name: ALONE[name] for name in ("ceiling_tracker", "game", "tracking_relay")}})
)
def test_every_topic_and_service_stands_in_its_table(name):
    graph = node_graph(name)
    for verb, kind in KINDS.items():
        real = {entry for entry in getattr(graph, kind) if not OF_EVERY_NODE.fullmatch(entry)}
        reported = named(name, verb)
        assert {entry for entry in real - reported if not OF_THE_VIEWERS.fullmatch(entry)} == set()
        assert {entry for entry in reported - real if not OF_THE_VIEWERS.fullmatch(entry)} == set()
