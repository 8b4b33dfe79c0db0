"""Trees from files: a Python file with ``create_root`` in place of a role's own tree, in whichever process plays."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from py_trees.behaviour import Behaviour

from arena_trees.experiments.plan import TrialPlan
from arena_trees.robot.configuration.hints import no_such_file
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.ticking.tree import check_reads

__all__ = ["TreeFile", "with_tree_files"]


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A Python file with a function ``create_root(robot, live, streams)``; it is imported where it is first called.

    It can import files in its folder. Being no more than a path, it can be sent to other processes.

    Attributes:
        path: absolute path of the file
    """

    path: Path

    def __call__(self, robot: str, live: Live[Any], streams: RandomStreams) -> Behaviour:
        """Return a robot's tree.

        Raises:
            ConfigError: the file cannot be imported, or does not make a tree
        """
        if not self.path.is_file():
            raise ConfigError(no_such_file(self.path), file=self.path)
        name = f"arena_trees_tree_file_{abs(hash(self.path))}"
        try:
            if name not in sys.modules:
                self._import(name)
            create_root = getattr(sys.modules[name], "create_root", None)
            if not callable(create_root):
                raise ConfigError("has no function create_root(robot, live, streams)", file=self.path)
            root = create_root(robot, live, streams)
        except ConfigError as error:
            raise error.within(self.path) from error
        # Whatever a file does while it is imported, its writer must know where; a script may even want to exit.
        except (Exception, SystemExit) as error:
            text = error.msg if isinstance(error, SyntaxError) else error
            raise ConfigError(f"{type(error).__name__}: {text}", file=self.path, line=self._line(error)) from error
        if not isinstance(root, Behaviour):
            raise ConfigError("create_root must return a behaviour", file=self.path, value=root)
        return root

    def _import(self, name: str) -> None:
        # Compiled here, so that no __pycache__ is left next to the file.
        code = compile(self.path.read_bytes(), self.path, "exec")
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = str(self.path)
        if str(self.path.parent) not in sys.path:
            sys.path.append(str(self.path.parent))
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise

    def _line(self, error: BaseException) -> int | None:
        """Return the line of the file that raised, if one did."""
        if isinstance(error, SyntaxError) and error.filename == str(self.path):
            return error.lineno
        frames = traceback.extract_tb(error.__traceback__)
        return next((frame.lineno for frame in reversed(frames) if frame.filename == str(self.path)), None)


def with_tree_files(plan: TrialPlan, files: Mapping[str, TreeFile]) -> TrialPlan:
    """Return a plan in which robots are driven by trees of files; each tree was built once, to see that it can be.

    Args:
        plan: what is played
        files: robot name to the file of its tree

    Raises:
        ConfigError: a file does not make a tree for its robot
    """
    for name, file in files.items():
        nodes = tuple(file(name, Live(plan.robots[name].parameters), RandomStreams(0)).iterate())
        try:
            check_reads(nodes, name)
        except ConfigError as error:
            raise error.within(file.path) from error
        finally:
            for node in nodes:
                for client in node.blackboards:
                    client.unregister(clear=True)
    return plan.with_trees(files)
