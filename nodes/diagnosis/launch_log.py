"""What the log of the newest ``ros2 launch`` on this machine has on programs that have ended."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Death", "LaunchEnd", "deaths", "launch_end", "launch_log"]

_LONGEST = 20_000_000
"""Bytes at the end of a log that are read."""
_LINE = re.compile(r"(?P<time>\d+\.\d+) (?:\[\w+\] )?\[(?P<program>[^\]]+)\]:? (?P<text>.*)")
_DIED = re.compile(r"process has died \[pid \d+, exit code (-?\d+), cmd '(.*)'\]")
_STARTED = "process started with pid"
_ENDED = re.compile(r"Caught exception in launch \([^)]*\): (.*)")
"""What launch itself writes (launch/launch_service.py, as the program ``launch``) before it ends by an error."""
_NODE, _NAMESPACE = re.compile(r"__node:=(\S+)"), re.compile(r"__ns:=(\S+)")
_WORDS = "error: "
"""How the line begins in which our programs say why they end."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a node's process ended.

    Attributes:
        ago: s
        code: exit code; minus the number of a signal
        words: why, in its own error message; empty where there is none
    """

    ago: float
    code: int
    words: str


@dataclass(frozen=True, slots=True)
class LaunchEnd:
    """Why a launch has ended by an error.

    Attributes:
        ago: s
        words: the reason, one line
    """

    ago: float
    words: str


def launch_log() -> Path:
    """Return the path of the newest launch's log; it need not exist."""
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    return Path(os.environ.get("ROS_LOG_DIR") or home / "log") / "latest" / "launch.log"


def deaths(file: Path) -> dict[str, Death]:
    """Return the nodes that a launch has started, that ended with an exit code but 0, and that were not started again.

    Args:
        file: the launch's log
    """
    found: dict[str, Death] = {}
    programs: dict[str, str] = {}
    words: dict[str, str] = {}
    for line in _lines(file):
        program, text = line["program"], line["text"]
        if text.startswith(_WORDS):
            words[program] = text
        elif text.startswith(_STARTED):
            found.pop(programs.get(program, ""), None)
            words.pop(program, None)
        elif died := _DIED.search(text):
            node, namespace = _NODE.search(died[2]), _NAMESPACE.search(died[2])
            if node:
                programs[program] = name = f"{namespace[1].rstrip('/') if namespace else ''}/{node[1]}"
                found[name] = Death(time.time() - float(line["time"]), int(died[1]), words.get(program, ""))
    return found


def launch_end(file: Path) -> LaunchEnd | None:
    """Return why a launch has ended by an error, such as a parameter file that it refused; None where it has not.

    Args:
        file: the launch's log
    """
    for line in _lines(file):
        ended = _ENDED.fullmatch(line["text"]) if line["program"] == "launch" else None
        if ended:
            return LaunchEnd(time.time() - float(line["time"]), ended[1])
    return None


def _lines(file: Path) -> list[re.Match[str]]:
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - _LONGEST))
            lines = stream.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return list(filter(None, map(_LINE.fullmatch, lines)))
