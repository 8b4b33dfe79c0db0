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
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir
from launch_ros.actions import Node

from arena_trees.nodes.programs.program import Program
from arena_trees.nodes.runtime.parent import child_environment
from arena_trees.robot.configuration.resources import ResourceNotFoundError, config_path

__all__ = [
    "given_values",
    "has_fences",
    "option",
    "program_node",
    "robot_arguments",
    "role_choices",
    "ros_node",
    "scenario_launch",
    "switch",
]

_PACKAGE = "arena_trees"
_RESPAWN_DELAY_S = 2.0


def option(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that is any text."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


def switch(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that is true or false."""
    return DeclareLaunchArgument(name, default_value=default, choices=["true", "false"], description=description)


def robot_arguments(localiser: str, spheres: str) -> list[DeclareLaunchArgument]:
    """Return the arguments that every launch file of robots has.

    Args:
        localiser: whether localisers are started where nothing else is asked for, true or false
        spheres: the same of sphere detectors
    """
    return [
        DeclareLaunchArgument(
            "stamped_cmd_vel",
            default_value="auto",
            choices=["auto", "true", "false"],
            description="Whether cmd_vel is TwistStamped; auto: as its subscriber wants.",
        ),
        option(
            "command_topic",
            "cmd_vel_raw",
            "Where trees send commands; another one if a multiplexer or a collision monitor stands between "
            "a tree and its gate's cmd_vel_raw.",
        ),
        DeclareLaunchArgument(
            "navigation",
            default_value="",
            choices=["", "embedded", "nav2"],
            description="Who plans the way of robots that drive to goals; as the parameters say if empty.",
        ),
        switch("tree", "true", "Start the trees."),
        switch("gate", "true", "Start the velocity gates; when one ends, the whole launch ends."),
        switch("allow_loose_gate", "false", "Let limits of velocity gates be looser than by default."),
        switch("detector", "true", "Start the sign detectors, of roles that see signs."),
        switch("spheres", spheres, "Start the sphere detectors, of roles that look for spheres."),
        switch("geofence", "true", "Start the geofence supervisors, of robots with a fence."),
        switch("localiser", localiser, "Start the localisers, of roles that have one of their own."),
        switch("feedback", "true", "Start lights and sounds of real robots."),
        switch("respawn_tree", "false", "Start a tree again when it dies; its gate stays latched until it is reset."),
    ]


def scenario_launch(scenario: str) -> LaunchDescription:
    """Return game.launch.py with a scenario for where none is given."""
    described = "Name of a scenario, or its file."
    argument = option("scenario", scenario, described)
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/game.launch.py"])
    given = {"scenario": LaunchConfiguration("scenario")}
    return LaunchDescription([argument, IncludeLaunchDescription(source, launch_arguments=given.items())])


def has_fences(arena: str) -> bool:
    """Return whether an arena, a file or a shipped one, has fences; true where its file is not to be read here.

    The nodes then say what is wrong with it.
    """
    if not arena:
        return False
    try:
        file = Path(arena) if Path(arena).is_file() else config_path("arenas", f"{arena.removesuffix('.yaml')}.yaml")
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (ResourceNotFoundError, OSError, ValueError, yaml.YAMLError):
        return True
    return not isinstance(content, dict) or bool(content.get("fences"))


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
        # The log of the launch, too, where arena-trees doctor reads why a node has ended.
        output="both",
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
    # A launch that is killed cannot end what it has started.
    options["additional_env"] = child_environment()
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
