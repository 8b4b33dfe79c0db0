"""How launch files start programs of ours, wherever they are installed.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing
but the standard library, PyYAML and launch may be imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, Shutdown
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from arena_trees.nodes.programs.program import Program

__all__ = ["given_values", "program_node", "role_choices", "ros_node", "switch"]

_PACKAGE = "arena_trees"
_RESPAWN_DELAY_S = 2.0


def switch(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that is true or false."""
    return DeclareLaunchArgument(name, default_value=default, choices=["true", "false"], description=description)


def given_values(arguments: Sequence[DeclareLaunchArgument], context: LaunchContext) -> dict[str, str]:
    """Return what each argument is given, by name."""
    return {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in arguments}


def role_choices() -> list[str] | None:
    """Return the names of all roles; None where this Python cannot tell, so that the nodes must."""
    try:
        from arena_trees.games.registry import role_names

        return role_names()
    except ImportError:
        return None


def program_node(program: Program, before: Sequence[str] = (), after: Sequence[str] = ()) -> Node:
    """Return the action that starts a program; its parameters are written into a file of the launch's own.

    A file, because launch_ros writes lists among its own parameters as Python's tuples.

    Args:
        program: to start
        before: parameter files that it wins over
        after: parameter files that win over it
    """
    # ROS lets the section win that appeared later for the first time: of a name what wins, of /** what does not.
    section = f"/**/{program.node}" if before else "/**"
    folder = Path(launch_config.log_dir) / "parameters"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{program.name}.yaml"
    content = {section: {"ros__parameters": dict(program.parameters)}}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    options: dict[str, Any] = {}
    if program.namespace != "/":
        options["namespace"] = program.namespace
    if program.vital:
        options["on_exit"] = Shutdown(reason=f"{program.name} ended")
    elif program.again:
        options |= {"respawn": True, "respawn_delay": _RESPAWN_DELAY_S}
    return ros_node(
        program.module,
        name=program.node,
        exec_name=program.name,
        output="screen",
        parameters=[*before, str(file), *after],
        remappings=list(program.remaps.items()),
        ros_arguments=["--enclave", program.enclave] if program.enclave else [],
        **options,
    )


def ros_node(module: str, **options: Any) -> Node:
    """Return the action that starts a node.

    In a ROS workspace that is the program in ``lib/arena_trees``, whose first line names its own
    Python; elsewhere the module, run by this Python.

    Args:
        module: of ``arena_trees.nodes``, which is the program's name too
        **options: of :class:`launch_ros.actions.Node`
    """
    if (_libexec() / module).is_file():
        return Node(package=_PACKAGE, executable=module, **options)
    return Node(executable=sys.executable, arguments=["-m", f"{_PACKAGE}.nodes.{module}"], **options)


def _libexec() -> Path:
    """Return the folder in which ROS looks for our programs; it need not exist."""
    try:
        prefix = get_package_prefix(_PACKAGE)
    except (PackageNotFoundError, LookupError, OSError):
        # OSError, a bare one, where no AMENT_PREFIX_PATH is set.
        prefix = sys.prefix
    return Path(prefix) / "lib" / _PACKAGE
