"""What tests of the command line share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer


@pytest.fixture(scope="package", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Keep what Typer makes of an app as long as the same commands are registered: it takes most of a short call."""
    make = typer.main.get_command
    made: dict[tuple[int, ...], tuple[typer.Typer, Any]] = {}

    def get_command(app: typer.Typer) -> Any:
        registered = (id(app), *map(id, (*app.registered_commands, *app.registered_groups)))
        if registered not in made:
            made[registered] = app, make(app)
        return made[registered][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", get_command)
        yield


@pytest.fixture
def empty_folder(tmp_path, monkeypatch) -> Path:
    """Work in a folder in which there is nothing."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
