"""Launch files, from the plain description of what they start: the translation into actions of launch.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library, PyYAML and launch may be imported here.
"""

from __future__ import annotations

import atexit
import dataclasses
import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.event_handlers import OnProcessIO
from launch.logging import get_logger, launch_config
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from arena_trees.nodes.programs.launch_argument import Argument
from arena_trees.nodes.programs.node_launch import LaunchExitReason, NodeLaunch
from arena_trees.robot.errors import ConfigError

__all__ = ["describe"]

_OURS = ("prefix", "respawn_delay", "vital", "needed", "first", "then")
"""What is not handed to launch_ros as it is."""


class LaunchFailedError(RuntimeError):
    """A program has ended the launch by an error: launch ends all others, and exits with code 1."""


def describe(
    arguments: Sequence[Argument], nodes: Callable[[Mapping[str, str], Path], Sequence[NodeLaunch]]
) -> LaunchDescription:
    """Return what a launch file describes.

    A launch of it ends with an exception, and its command with code 1, where an argument of its command line is none
    of its own or cannot be used, and where a program ends it with an error.

    Args:
        arguments: its arguments
        nodes: returns what is started; given each argument's value, and a folder for files
    """

    def start(context: LaunchContext) -> list[Action]:
        _refuse_unknown(arguments, context)
        given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in arguments}
        words = LaunchExitReason()
        watch = OnProcessIO(on_stderr=lambda event: words.hear(event.process_name, event.text.decode(errors="replace")))
        # Programs that end meanwhile write after the one that is why.
        atexit.register(_tell, words)
        started = nodes(given, Path(launch_config.log_dir) / "parameters")
        return [RegisterEventHandler(watch), *(_node(node, words) for node in started)]

    return LaunchDescription([*map(_declared, arguments), OpaqueFunction(function=start)])


def _refuse_unknown(arguments: Sequence[Argument], context: LaunchContext) -> None:
    """Refuse arguments of the command line that are none of the launch file's; launch itself ignores them.

    Those of a launch file that includes it are not looked at, for they are that file's.

    Raises:
        ConfigError: there is one
    """
    own = Path(context.locals.current_launch_file_path).name
    if own not in (Path(word).name for word in sys.argv):
        return
    known = [argument.name for argument in arguments]
    for word in context.argv:
        name, between, value = word.partition(":=")
        if between and name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f": did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            reason = f"is no argument of {own}{hint}"
            raise ConfigError(reason, key=name, value=value)


def _declared(argument: Argument) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(
        argument.name,
        default_value=argument.default,
        choices=list(argument.choices) or None,
        description=argument.description,
    )


def _node(node: NodeLaunch, words: LaunchExitReason) -> Node:
    def ended(event: Any, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        if words.ended(event.process_name, node, event.returncode):
            if event.returncode:
                raise LaunchFailedError(words.why)
            return [Shutdown(reason=words.why)]
        return [_node(one, words) for one in node.then]

    # What is empty is left to launch_ros.
    given = {key: value for key, value in _values(node).items() if value and key not in _OURS}
    if node.prefix:
        given["prefix"] = [LaunchConfiguration("launch-prefix", default=""), f" {node.prefix}"]
    if node.respawn_delay is not None:
        given |= {"respawn": True, "respawn_delay": node.respawn_delay}
    # The log of the launch, too, where arena-trees doctor reads why a node has ended.
    return Node(output="both", on_exit=ended, **given)


def _values(node: NodeLaunch) -> dict[str, Any]:
    values = {one.name: getattr(node, one.name) for one in dataclasses.fields(node)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _tell(words: LaunchExitReason) -> None:
    if words.why:
        get_logger("launch").error(words.why)
