"""What tests of the command line share."""

from pathlib import Path

import pytest


@pytest.fixture
def empty_folder(tmp_path, monkeypatch) -> Path:
    """Work in a folder in which there is nothing."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
