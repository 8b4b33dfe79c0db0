"""The trees as people see them: pure to build, small, named in words, and drawn by py_trees."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import py_trees
import pytest
from helpers.scripted import Scene, scripted_loop
from py_trees.behaviour import Behaviour
from py_trees.composites import Composite

from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
from arena_trees.commands.tree_svg import tree_svg
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit import rabbit, wolf

TREES: dict[str, Callable[[], Behaviour]] = {
    "wolf arena": lambda: wolf.create_root("r", Live(WolfParameters(strategy="arena")), RandomStreams(0)),
    "wolf source": lambda: wolf.create_root("r", Live(WolfParameters(strategy="source")), RandomStreams(0)),
    "rabbit": lambda: rabbit.create_root("r", Live(RabbitParameters()), RandomStreams(0)),
}
DEFAULTS = {"graph", "node", "edge"}
"""How a dot file names what holds for every node."""

ALL = pytest.mark.parametrize("create", TREES.values(), ids=TREES.keys())


@ALL
def test_a_tree_is_small_enough_to_be_read(create: Callable[[], Behaviour]) -> None:
    nodes = list(create().iterate())
    assert len(nodes) < 60
    for node in nodes:
        assert len(node.children) <= 7
        assert len(node.children) != 1
        assert bool(node.children) == isinstance(node, Composite)


@ALL
def test_names_are_short_phrases_and_siblings_differ(create: Callable[[], Behaviour]) -> None:
    root = create()
    for node in root.iterate():
        assert 3 <= len(node.name) <= 24
        assert node.name[0].isupper()
        assert node.name[1:] == node.name[1:].lower()
        assert all(character.isalpha() or character in " ?" for character in node.name)
        names = [child.name for child in node.children]
        assert len(set(names)) == len(names)


@ALL
def test_questions_are_conditions_and_never_move(create: Callable[[], Behaviour]) -> None:
    for node in create().iterate():
        if node.name.endswith("?"):
            assert not any(client.is_registered("command") for client in node.blackboards)


@ALL
def test_two_builds_look_the_same_and_py_trees_draws_them(create: Callable[[], Behaviour]) -> None:
    pictures = [
        (py_trees.display.unicode_tree(root), py_trees.display.ascii_tree(root), py_trees.display.xhtml_tree(root))
        for root in (create(), create())
    ]
    assert pictures[0] == pictures[1]
    root = create()
    for node in root.iterate():
        assert node.name in pictures[0][0]
    drawn = [node for node in py_trees.display.dot_tree(root).get_nodes() if node.get_name() not in DEFAULTS]
    assert len(drawn) == len(list(root.iterate()))


def test_building_a_tree_needs_neither_ros_nor_mujoco_and_opens_no_file() -> None:
    code = """
import sys
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit import rabbit, wolf

def build():
    for strategy in ("arena", "source"):
        wolf.create_root("w", Live(WolfParameters(strategy=strategy)), RandomStreams(0))
    rabbit.create_root("r", Live(RabbitParameters()), RandomStreams(0))

build()  # Some libraries load parts of themselves at their first use.
touched = []
sys.addaudithook(
    lambda event, _: touched.append(event) if event.split(".")[0] in ("open", "socket", "subprocess", "os") else None
)
build()
print(sorted(touched), sorted({"rclpy", "mujoco"} & set(sys.modules)))
"""
    path = ":".join(entry for entry in sys.path if entry)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert ran.stdout.strip() == "[] []"


class Visited(py_trees.visitors.VisitorBase):
    """Counts the nodes of a tick."""

    def __init__(self) -> None:
        super().__init__(full=False)
        self.counts: list[int] = []

    def initialise(self) -> None:
        self.counts.append(0)

    def run(self, behaviour: Behaviour) -> None:
        self.counts[-1] += 1


FAR = Detection("rabbit_sign", 1.0, 125.0, 60.0, 40.0, 40.0)
THREAT = Detection("wolf_sign", 1.0, 125.0, 60.0, 40.0, 40.0)


@pytest.mark.parametrize(
    ("name", "scene", "task"),
    [
        ("wolf arena", Scene(1), "Look round"),
        ("wolf arena", Scene(1, lost=True), "Scan"),
        ("wolf arena", Scene(1, boxes=(FAR,)), "Chase the rabbit"),
        ("wolf source", Scene(1), "Forward"),
        ("wolf source", Scene(1, boxes=(FAR,)), "Chase the rabbit"),
        ("rabbit", Scene(1), "Scan"),
        ("rabbit", Scene(1, boxes=(THREAT,)), "Hide at home"),
    ],
)
def test_the_common_paths_visit_few_nodes(name: str, scene: Scene, task: str) -> None:
    loop = scripted_loop(TREES[name](), "r", (Scene(1, Pose2D(), lost=scene.lost), scene))
    visited = Visited()
    loop.tree.add_visitor(visited)
    loop.configure()
    loop.activate()
    records = [loop.step() for _ in range(12)]
    assert records[-1].active == task
    assert records[-1].fault is None
    # Patrol is the last of the priorities, so it visits most.
    assert max(visited.counts[6:]) <= 29
    loop.close()


def test_feedback_changes_on_events_only() -> None:
    loop: Any = scripted_loop(TREES["wolf arena"](), "r", (Scene(1), Scene(1, boxes=(FAR,))))
    loop.configure()
    loop.activate()
    for _ in range(10):
        loop.step()
    before = [node.feedback_message for node in loop.tree.root.iterate()]
    for _ in range(30):
        loop.step()
    assert [node.feedback_message for node in loop.tree.root.iterate()] == before
    loop.close()


def test_the_picture_tells_memory_conditions_actions_and_sensing_apart() -> None:
    root = py_trees.composites.Sequence("Keeps on", memory=True)
    again = py_trees.composites.Selector("Begins anew", memory=False)
    root.add_children([py_trees.behaviours.Success("Is it?"), again])
    again.add_children([py_trees.behaviours.Running("Do <it>"), py_trees.behaviours.Failure("Do more")])
    picture = ElementTree.fromstring(tree_svg(root, "a tree"))
    shapes = [element.tag.rpartition("}")[2] for element in picture]
    # One of each in the legend, besides.
    assert (shapes.count("ellipse"), shapes.count("circle")) == (2, 2)
    assert sum(element.text == "M" for element in picture) == 2
    assert {"Is it?", "Do <it>", "with memory: goes on where it was"} <= {element.text for element in picture}
    assert not any(element.get("stroke-dasharray") for element in picture), "nothing senses"
    again.memory = True
    assert sum(element.text == "M" for element in ElementTree.fromstring(tree_svg(root, ""))) == 3
    senses = ElementTree.fromstring(tree_svg(TREES["rabbit"](), "rabbit"))
    assert any(element.get("stroke-dasharray") for element in senses)
    width = float(senses.get("width", 0))
    assert all(float(one.get("x", 0)) + float(one.get("width", 0)) <= width for one in senses)
