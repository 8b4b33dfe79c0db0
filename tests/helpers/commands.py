"""Commands in the process of the test."""

from __future__ import annotations

import pytest

from arena_trees.cli import main


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command prints when all is well."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return said.out
