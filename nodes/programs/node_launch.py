"""How a launch starts a node, and when the launch ends with it: plain data that a launch file hands to launch_ros.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library, PyYAML and ament_index_python may be imported here.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from arena_trees.nodes.programs.program import Program
from arena_trees.nodes.runtime.parent import child_environment
from arena_trees.nodes.runtime.start import waiting_prefix

__all__ = ["LaunchExitReason", "NodeLaunch", "in_order", "launched"]

_PACKAGE = "arena_trees"
_RESPAWN_DELAY_S = 2.0
_REFUSED = 2
"""Exit code of a program that cannot use its arguments."""
_WORDS = "error: "
"""How the line begins in which our programs say why they end."""


@dataclass(frozen=True, slots=True)
class NodeLaunch:
    """How a launch starts a node, by the names that :class:`launch_ros.actions.Node` has.

    Attributes:
        executable: a program of the package, or any program where there is no package
        package: ROS package
        prefix: command that starts the program
        arguments: of the program
        ros_arguments: more of them, for ROS
        name: of the node
        exec_name: of the process, in the log of the launch
        namespace: of the node; as the launch file is included where empty
        parameters: files, each of which wins over those before
        remappings: topic to topic
        additional_env: variables
        respawn_delay: seconds after which it is started again when it ends; None where it is not
        vital: the launch ends when it ends, however that is
        needed: the launch ends when it ends with an error of its own
        first: the other nodes of its namespace are started when it has ended well
        then: those nodes, once :func:`in_order` has found them
    """

    executable: str
    package: str = ""
    prefix: str = ""
    arguments: tuple[str, ...] = ()
    ros_arguments: tuple[str, ...] = ()
    name: str = ""
    exec_name: str = ""
    namespace: str = ""
    parameters: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    additional_env: Mapping[str, str] = field(default_factory=dict)
    respawn_delay: float | None = None
    vital: bool = False
    needed: bool = False
    first: bool = False
    then: tuple[NodeLaunch, ...] = ()

    def ends_launch(self, code: int) -> bool:
        """Return whether the launch ends where the program has ended.

        Args:
            code: exit code; minus the number of a signal
        """
        # A program that cannot use its arguments would not do better the next time.
        return self.vital or code == _REFUSED or (self.needed and code > 0) or (self.first and code != 0)


def launched(
    program: Program,
    folder: Path,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    domain: str = "",
) -> NodeLaunch:
    """Return how a program is started; its parameters are written into a file of the launch's own.

    A file, because launch_ros writes lists among its own parameters as Python's tuples.

    Args:
        program: to start
        folder: for the file; made where it is missing
        before: parameter files that it wins over
        after: parameter files that win over it
        domain: ROS domain; that of the launch if empty
    """
    # ROS lets the section win that appeared later for the first time: of a name what wins, of /** what does not.
    section = f"/**/{program.node}" if before else "/**"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{program.name}.yaml"
    content = {section: {"ros__parameters": dict(program.parameters)}}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    installed = _is_installed(program.module)
    return NodeLaunch(
        # In a ROS workspace the program in lib/arena_trees, whose first line names its own Python; elsewhere
        # the module, run by this Python.
        package=_PACKAGE if installed else "",
        executable=program.module if installed else sys.executable,
        prefix=waiting_prefix(),
        arguments=() if installed else ("-m", f"{_PACKAGE}.nodes.{program.module}"),
        ros_arguments=("--enclave", program.enclave) if program.enclave else (),
        name=program.node,
        exec_name=program.name,
        namespace="" if program.namespace == "/" else program.namespace,
        parameters=(*before, str(file), *after),
        remappings=tuple(program.remaps.items()),
        # A launch that is killed cannot end what it has started.
        additional_env={**child_environment(), **({"ROS_DOMAIN_ID": domain} if domain else {})},
        respawn_delay=_RESPAWN_DELAY_S if program.again and not program.vital else None,
        vital=program.vital,
        needed=program.needed,
        first=program.first,
    )


def in_order(nodes: Sequence[NodeLaunch]) -> list[NodeLaunch]:
    """Return the nodes that are started at once; of a robot with a first one, that with the others after it."""
    first = {node.namespace for node in nodes if node.first}
    return [
        replace(node, then=tuple(other for other in nodes if other.namespace == node.namespace and not other.first))
        if node.first
        else node
        for node in nodes
        if node.first or node.namespace not in first
    ]


def _is_installed(module: str) -> bool:
    """Return whether a program is where ROS looks for it."""
    try:
        from ament_index_python.packages import get_package_prefix

        prefix = get_package_prefix(_PACKAGE)
    except (LookupError, OSError, ImportError):
        # OSError, a bare one, where no AMENT_PREFIX_PATH is set.
        prefix = sys.prefix
    return (Path(prefix) / "lib" / _PACKAGE / module).is_file()


class LaunchExitReason:
    """Why a launch ends: the error message of the program with which it ends."""

    def __init__(self) -> None:
        self._errors: dict[str, str] = {}
        self._why = ""

    @property
    def why(self) -> str:
        """One line; empty where no program has ended the launch."""
        return self._why

    def hear(self, process: str, text: str) -> None:
        """Take what a process writes to stderr."""
        for line in text.splitlines():
            if line.startswith(_WORDS):
                self._errors[process] = line.removeprefix(_WORDS)

    def ended(self, process: str, node: NodeLaunch, code: int) -> bool:
        """Return whether the launch ends with a process that has ended; the first such is why.

        Args:
            process: its name in the log of the launch
            node: how it was started
            code: exit code; minus the number of a signal
        """
        if not node.ends_launch(code):
            return False
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        error = self._errors.get(process)
        self._why = self._why or f"{node.exec_name} {how}{f': {error}' if error else ''}"
        return True
