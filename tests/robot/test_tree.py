"""The lean tree does what py_trees' own does, in the same order."""

import py_trees
import pytest
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from arena_trees.robot.ticking.tree import RobotTree


class Recorder(py_trees.visitors.VisitorBase):
    def __init__(self, name: str, full: bool, log: list[str]) -> None:
        super().__init__(full=full)
        self.name = name
        self.log = log

    def initialise(self) -> None:
        self.log.append(f"{self.name} initialise")

    def run(self, behaviour: Behaviour) -> None:
        self.log.append(f"{self.name} {behaviour.name} {behaviour.status.value}")

    def finalise(self) -> None:
        self.log.append(f"{self.name} finalise")


def ticked(tree_class: type[BehaviourTree], full: bool) -> tuple[list[str], int]:
    log: list[str] = []
    running = py_trees.behaviours.StatusQueue("b", [Status.RUNNING, Status.FAILURE, Status.SUCCESS], None)
    root = py_trees.composites.Selector(
        "root", memory=False, children=[py_trees.behaviours.Failure("a"), running, py_trees.behaviours.Running("c")]
    )
    tree = tree_class(root)
    tree.add_visitor(Recorder("visited", False, log))
    if full:
        tree.add_visitor(Recorder("full", True, log))
    tree.add_pre_tick_handler(lambda tree: log.append(f"pre {tree.count}"))
    tree.add_post_tick_handler(lambda tree: log.append(f"post {tree.count}"))
    for _ in range(4):
        tree.tick(lambda _: log.append("own pre"), lambda _: log.append("own post"))
    return log, tree.count


@pytest.mark.parametrize("full", [True, False])
def test_visitors_and_handlers_see_what_they_see_with_py_trees(full: bool) -> None:
    log, count = ticked(RobotTree, full)
    assert (log, count) == ticked(BehaviourTree, full)
    assert count == 4
    assert "visited b RUNNING" in log
