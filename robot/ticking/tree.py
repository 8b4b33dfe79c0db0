"""The tree that robot loops tick: py_trees' own, without the walks over the whole tree that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import py_trees

from arena_trees.robot import keys
from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.ticking.tree_executor import tick_tree

__all__ = ["RobotTree", "check_reads", "written_keys"]

Handler = Callable[[py_trees.trees.BehaviourTree], None]


def written_keys(nodes: Iterable[py_trees.behaviour.Behaviour], robot: str) -> dict[str, str]:
    """Return the keys, with their absolute names, that nodes of a robot's tree write, less percepts and outputs."""
    prefix = f"{keys.namespace(robot)}/"
    written = {key for node in nodes for client in node.blackboards for key in (*client.write, *client.exclusive)}
    names = sorted(key.removeprefix(prefix) for key in written if key.startswith(prefix))
    return {name: prefix + name for name in names if name not in keys.percept_keys() and name not in keys.OUTPUTS}


def check_reads(nodes: Iterable[py_trees.behaviour.Behaviour], robot: str) -> None:
    """Refuse a tree in which a node reads a key that nothing writes.

    Args:
        nodes: of the tree of a robot
        robot: name of the robot; keys outside of its namespace are not looked at

    Raises:
        ConfigError: one does; names the node, the key and the keys that there are
    """
    nodes, prefix = tuple(nodes), f"{keys.namespace(robot)}/"
    own = written_keys(nodes, robot)
    there = {*keys.percept_keys(), *keys.OUTPUTS, *own}
    for node in nodes:
        read = {key for client in node.blackboards for key in client.read if key.startswith(prefix)}
        for key in sorted(read):
            name = key.removeprefix(prefix)
            optional = name in getattr(node, "optional_reads", ())
            if name in there or optional or key in py_trees.blackboard.Blackboard.storage:
                continue
            listed = f"; percepts are {', '.join(keys.percept_keys())}"
            if own:
                listed += f"; this tree writes {', '.join(own)}"
            reason = f"{node.name} reads what nothing writes{did_you_mean(name, there)}{listed}"
            raise ConfigError(reason, key="reads", value=name)


class RobotTree(py_trees.trees.BehaviourTree):
    """A :class:`py_trees.trees.BehaviourTree` that is ticked by :mod:`~arena_trees.robot.ticking.tree_executor`.

    The effects are the same. Nor is every node iterated over after each tick, but for visitors that want all nodes.
    """

    def tick(self, pre_tick_handler: Handler | None = None, post_tick_handler: Handler | None = None) -> None:
        """Tick the tree once and run handlers and visitors, as py_trees does.

        Args:
            pre_tick_handler: called before the tick
            post_tick_handler: called after the tick
        """
        for handler in (*([] if pre_tick_handler is None else [pre_tick_handler]), *self.pre_tick_handlers):
            handler(self)
        for visitor in self.visitors:
            visitor.initialise()
        visiting = [visitor for visitor in self.visitors if not visitor.full]
        tick_tree(self.root, visiting[0].run if len(visiting) == 1 else _visit_by(visiting))
        if len(visiting) < len(self.visitors):
            self._visit_every_node()
        for visitor in self.visitors:
            visitor.finalise()
        for handler in (*self.post_tick_handlers, *([] if post_tick_handler is None else [post_tick_handler])):
            handler(self)
        self.count += 1

    def _visit_every_node(self) -> None:
        walking = [visitor for visitor in self.visitors if visitor.full]
        for node in self.root.iterate():
            for visitor in walking:
                visitor.run(node)


def _visit_by(visitors: Sequence[py_trees.visitors.VisitorBase]) -> Callable[[py_trees.behaviour.Behaviour], None]:
    def visit(node: py_trees.behaviour.Behaviour) -> None:
        for visitor in visitors:
            visitor.run(node)

    return visit
