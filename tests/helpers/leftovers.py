"""What a test leaves behind that nobody ends: threads, child processes, open files, DDS participants, graphics."""

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

LEAST_S = 8.0
"""How long what a test has ended may take to be gone, s: threads of DDS end a moment after their node."""

ALLOWED: Mapping[str, str] = {
    r"thread time limit .*": "measures the test itself",
    r"file .*\.ttf|file .*/onnxruntime\.db.*": "matplotlib and ONNX Runtime keep their files open",
    r"file .*\.log": "rclpy's log file stays open until the last context of the process is gone",
    r"file (anon_inode|socket):.*|file /dev/shm/.*": "Fast DDS opens some late; a participant shows by its thread",
}
"""What may stay, as patterns of its name, and why."""

_PROCESS = Path("/proc/self")


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fail where what is open at the end was not open at the beginning.

    Raises:
        AssertionError: something was left behind; names it
    """
    before = _open_things()
    yield
    deadline = time.monotonic() + LEAST_S
    while left := _open_things() - before:
        left = Counter({name: count for name, count in left.items() if not _is_allowed(name)})
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    assert not left, f"left behind: {', '.join(map(_described, sorted(left.elements())))}"


def _is_allowed(name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in ALLOWED)


def _described(name: str) -> str:
    """Return a name and, of a process, what it runs."""
    kind, _, number = name.partition(" ")
    if kind != "process":
        return name
    with suppress(OSError):
        return f"{name} {Path('/proc', number, 'cmdline').read_text().replace(chr(0), ' ').strip()}"
    return name


def _open_things() -> Counter[str]:
    """Return the names of what this process holds now."""
    things = Counter(f"thread {thread.name} ({thread.native_id})" for thread in threading.enumerate())
    things.update(_graphics())
    if _PROCESS.is_dir():
        things.update(_files())
        for task in os.scandir(_PROCESS / "task"):
            # A thread may end while one looks at it.
            with suppress(OSError):
                things.update(_of_task(Path(task.path)))
    return things


def _of_task(task: Path) -> Iterator[str]:
    """Yield the children that a thread of this process has started, and the DDS participant whose thread it is."""
    name = (task / "comm").read_text().strip()
    # One a participant; its others begin when they are needed.
    if name.startswith("dds.ev."):
        yield f"DDS participant ({name})"
    for child in (task / "children").read_text().split():
        # What it runs may still change: it is forked first.
        yield f"process {child}"


def _files() -> Iterator[str]:
    for descriptor in os.scandir(_PROCESS / "fd"):
        with suppress(OSError):
            target = os.readlink(descriptor.path)
            # The folder that is being listed.
            if not target.startswith(f"/proc/{os.getpid()}/"):
                yield f"file {target}"


def _graphics() -> Iterator[str]:
    import sys

    graphics = sys.modules.get("arena_trees.simulation.rendering.graphics")
    if graphics is not None:
        yield from (f"graphics context {number}" for number in graphics._open)
