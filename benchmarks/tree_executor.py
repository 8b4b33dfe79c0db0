"""Processor time of a tick by py_trees' generators and by the executor, of a tree whose leaves do nothing.

python benchmarks/tree_executor.py [--ticks 1500] [--rounds 9] [--copies 1]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import Inverter

from arena_trees.robot.ticking.tree_executor import tick_tree


class Leaf(Behaviour):
    """Returns the same status each time."""

    def __init__(self, name: str, status: Status) -> None:
        super().__init__(name)
        self._status = status

    def update(self) -> Status:
        """Return the status."""
        return self._status


def made(copies: int) -> Behaviour:
    """Return a tree of so many parts, each of the shape of a robot's."""
    return Parallel("robots", ParallelPolicy.SuccessOnAll(False), [made_one() for _ in range(copies)])


def made_one() -> Behaviour:
    """Return a tree of the shape of a robot's: it senses, tries four things, and does the fifth."""
    tried = [
        Sequence(f"try {k}", False, [Leaf("is it time?", Status.FAILURE), Leaf("do", Status.SUCCESS)]) for k in range(4)
    ]
    done = [Leaf("a", Status.SUCCESS), Leaf("b", Status.SUCCESS), Inverter("not", Leaf("c", Status.FAILURE))]
    last = Sequence("do", False, [*done, Leaf("drive", Status.RUNNING)])
    sense = Sequence("sense", False, [Leaf(str(k), Status.SUCCESS) for k in range(6)])
    decide = Selector("decide", False, [*tried, last])
    return Parallel("robot", ParallelPolicy.SuccessOnAll(False), [sense, decide])


def by_generators(root: Behaviour, visit: Callable[[Behaviour], object]) -> None:
    """Tick as py_trees does."""
    for node in root.tick():
        visit(node)


def main() -> None:
    """Measure, in turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--copies", type=int, default=1)
    options = parser.parse_args()
    costs: dict[str, list[float]] = {"py_trees": [], "executor": []}
    for _ in range(options.rounds):
        for name, tick in (("py_trees", by_generators), ("executor", tick_tree)):
            root = made(options.copies)
            begun = time.process_time()
            for _ in range(options.ticks):
                tick(root, lambda node: None)
            costs[name].append(1e6 * (time.process_time() - begun) / options.ticks)
    own, theirs = (statistics.median(costs[name]) for name in ("executor", "py_trees"))
    nodes = sum(1 for _ in made(options.copies).iterate())
    print(f"a tick of {nodes} nodes: py_trees {theirs:.1f} us, executor {own:.1f} us, {theirs / own:.1f} times as fast")


if __name__ == "__main__":
    main()
