"""Commands in the process of the test."""

from pathlib import Path

import pytest

from arena_trees.cli import main
from helpers.documents import ROOT


def call(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    """Return what a command prints when all is well, or what it complains of where it ends with another code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert ended.value.code == code, said.err
    return said.err if code else said.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return the one line that a command is refused with; skip the test where it is for lack of MuJoCo."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1), said
    assert said.err.startswith("error: ") and len(said.err) < 1500
    if "the arena needs MuJoCo" in said.err:
        pytest.skip("there is no MuJoCo here")
    return said.err


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return the one line that a command is refused with, before it has written anything where the test works.

    The test works in a folder of its own: other tests write in the repository meanwhile, so what stands there changes.
    """
    assert not Path.cwd().is_relative_to(ROOT), "a test that looks at what is written works in a folder of its own"
    before = sorted(Path.cwd().rglob("*"))
    said = refused(capsys, *arguments)
    assert sorted(Path.cwd().rglob("*")) == before, "nothing is written"
    return said


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return what every file below a folder holds, by its path there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
