"""Programs of this project as processes: started, watched, ended, and their exit codes checked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from arena_trees.nodes.programs.program import Program
from arena_trees.nodes.runtime.parent import child_environment
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["ProcessError", "Processes", "ros_arguments"]

_PATIENCE_S = 5.0
"""How long a process may take to end after it is signalled, where nobody knows how busy the machine is."""
_LOST = "ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER", "ROS_NAMESPACE"
"""Variables by which a run would receive from others, or not from itself."""


class ProcessError(ArenaTreesError):
    """A process ended that should not have, or not as it should."""


class Processes:
    """The processes of a run; a context manager that leaves none behind.

    They receive only from one another: same domain, this machine alone. They end with this process, however it ends.

    Attributes:
        patience: how long (s) a process may take to end after it is signalled

    Args:
        folder: for logs and parameter files; made where it is missing
        domain: ROS domain of all of them
        profile: Fast DDS profiles (XML) for all of them, in addition to its defaults
    """

    def __init__(self, folder: Path, domain: int, profile: str = "") -> None:
        self.folder = folder
        self.patience = _PATIENCE_S
        self._environment = {key: value for key, value in os.environ.items() if key not in _LOST} | {
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            "ROS_LOG_DIR": str(folder / "ros"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
            **child_environment(),
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._programs: dict[str, Program] = {}
        self._ending: set[str] = set()
        self._paused: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)
        if profile:
            file = folder / "profiles.xml"
            file.write_text(profile, encoding="utf-8")
            self._environment["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(file)

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def start(self, program: Program) -> None:
        """Start a program; one of the same name must have ended."""
        self._programs[program.name] = program
        command = [sys.executable, "-m", f"arena_trees.nodes.{program.module}", *ros_arguments(program, self.folder)]
        with self.log(program.name).open("ab") as log:
            self._running[program.name] = subprocess.Popen(
                command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C in a terminal is for this process, which then ends them in order.
                start_new_session=True,
            )

    def start_again(self, name: str, changes: Mapping[str, Any]) -> None:
        """Start a program that has ended, with other values of some parameters."""
        program = self._programs[name]
        self.start(replace(program, parameters={**program.parameters, **changes}))

    def kill(self, name: str) -> None:
        """End a process by SIGKILL; it may then be started again."""
        process = self._running.pop(name)
        self._ending.discard(name)
        self._paused.discard(name)
        process.kill()
        process.wait()

    def pause(self, name: str, paused: bool) -> None:
        """Stop a process where it is by SIGSTOP, or let it go on; nothing where it is so already."""
        if paused is not (name in self._paused):
            self._running[name].send_signal(signal.SIGSTOP if paused else signal.SIGCONT)
            (self._paused.add if paused else self._paused.discard)(name)

    def log(self, name: str) -> Path:
        """Return the file that a process writes to."""
        return self.folder / f"{name}.log"

    def identity(self, name: str) -> int:
        """Return a process' number."""
        return self._running[name].pid

    @property
    def names(self) -> Sequence[str]:
        """Names of the processes that were started and not waited for."""
        return tuple(self._running)

    def check(self) -> None:
        """Do nothing as long as all are running that were not asked to end.

        Raises:
            ProcessError: one has ended
        """
        for name, process in self._running.items():
            if name not in self._ending and process.poll() is not None:
                raise ProcessError(self._ended(name, process.returncode))

    def send(self, name: str, number: signal.Signals) -> int:
        """Send a process a signal to end; return the monotonic clock just before, ns."""
        self._ending.add(name)
        now = time.monotonic_ns()
        self._running[name].send_signal(number)
        return now

    def wait(self, name: str) -> int:
        """Wait until a process has ended, and return its exit code; it may then be started again.

        Raises:
            ProcessError: it does not end
        """
        try:
            code = self._running[name].wait(self.patience)
        except subprocess.TimeoutExpired as error:
            raise ProcessError(f"{name} did not end within {self.patience:.0f} s; log: {self.log(name)}") from error
        del self._running[name]
        self._ending.discard(name)
        return code

    def stop(self) -> None:
        """Send all the signal of Ctrl-C, and wait until they have ended.

        Raises:
            ProcessError: one does not end, or with another exit code than 0
        """
        faults = [self._ended(name, code) for name, code in self._end().items() if code != 0]
        if faults:
            raise ProcessError("; ".join(faults))

    def _end(self) -> dict[str, int]:
        """End all, by force where they do not obey; return their exit codes."""
        # One after the other: Fast DDS can lock itself up when many participants leave at once (its issue 6193).
        codes = {name: _end_one(process, self.patience) for name, process in self._running.items()}
        self._running.clear()
        return codes

    def _ended(self, name: str, code: int) -> str:
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        log = self.log(name)
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{name} {how}{f' ({last})' if last else ''}; log: {log}"


def _end_one(process: subprocess.Popen[bytes], patience: float) -> int:
    """Signal a process to end, and after that time (s) kill it; return its exit code."""
    # By SIGABRT a process that hangs writes into its log where.
    for number, seconds in ((signal.SIGINT, patience), (signal.SIGABRT, 1.0)):
        process.send_signal(number)
        # One that is stopped takes no signal.
        process.send_signal(signal.SIGCONT)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.wait()


def ros_arguments(program: Program, folder: Path) -> list[str]:
    """Return the ROS arguments of a program, and write its parameters into a folder that is there."""
    file = folder / f"{program.name}.yaml"
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(program.parameters)}}), encoding="utf-8")
    remaps = [f"{old}:={new}" for old, new in {"__ns": program.namespace, **program.remaps}.items()]
    return ["--ros-args", "--params-file", str(file), *(part for remap in remaps for part in ("-r", remap))]
