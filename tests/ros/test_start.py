"""Ctrl-C to programs that are still being imported: they end without a word."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.patience import output, until

from arena_trees.nodes.runtime.start import is_program, waiting_prefix

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "nodes").glob("*.py") if "\ndef main()" in path.read_text())
SLOW = """
import pathlib, time
pathlib.Path({file!r}).touch()
time.sleep(600)
"""
"""Stands where rclpy is looked for, and is imported for ever."""


@pytest.fixture
def importing(tmp_path):
    """Starts Python so that it hangs where it imports rclpy; ends what is left."""
    started = []

    def start(*command, prefix=()):
        folder = tmp_path / str(len(started))
        (folder / "rclpy").mkdir(parents=True)
        (folder / "rclpy" / "__init__.py").write_text(SLOW.format(file=str(folder / "begun")))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [*prefix, sys.executable, *command], env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return process, folder / "begun"

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_program_that_has_hardly_begun_says_nothing_either(importing):
    prefix = waiting_prefix()
    if not prefix:
        pytest.skip("env cannot block signals here")
    process, _ = importing("-m", "arena_trees.nodes.feedback", prefix=prefix.split())
    until(lambda: int(status(process, "SigBlk"), 16) >> (signal.SIGINT - 1) & 1, "SIGINT to be blocked")
    process.send_signal(signal.SIGINT)
    said, _ = output(process)
    assert (said, process.returncode) == ("", 0)


def status(process, key):
    """Return a line of what the system says of a process."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{key}:"))


def interrupted(process, begun):
    """Return what a process writes that is interrupted in the middle of its imports, and its exit code."""
    until(lambda: begun.exists() or process.poll() is not None, f"{process.args} to import rclpy")
    process.send_signal(signal.SIGINT)
    said, _ = output(process)
    return said, process.returncode


def test_every_program_that_is_interrupted_while_it_is_imported_says_nothing(importing):
    running = [importing("-m", f"arena_trees.nodes.{name}") for name in PROGRAMS]
    assert len(running) > 8
    assert [interrupted(*one) for one in running] == [("", 0)] * len(running)


def test_an_installed_program_says_nothing_either(importing, tmp_path):
    program = tmp_path / "velocity_gate"
    program.write_text("import sys\nfrom arena_trees.nodes.velocity_gate import main\nsys.exit(main())\n")
    assert interrupted(*importing(str(program))) == ("", 0)


def test_who_merely_imports_us_is_interrupted_as_ever(importing):
    said, code = interrupted(*importing("-c", "import arena_trees.nodes.velocity_gate"))
    assert "KeyboardInterrupt" in said and code != 0


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        (["python", "-m", "arena_trees.nodes.tree_node", "--ros-args"], ["-m"], True),
        (["python", "/ws/install/lib/arena_trees/tree_node"], ["/ws/install/lib/arena_trees/tree_node"], True),
        (["python", "-m", "arena_trees", "run-ros", "tree_node"], ["-m"], False),
        (["python", "/opt/ros/jazzy/bin/ros2", "launch"], ["/opt/ros/jazzy/bin/ros2"], False),
        (["python", "-m", "pytest"], ["-m"], False),
        (["python"], [""], False),
    ],
)
def test_only_our_nodes_are_programs(command, arguments, expected):
    assert is_program(command, arguments) is expected
