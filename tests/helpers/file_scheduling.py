"""How pytest-xdist hands out files of tests, and what it does after a worker has died."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

__all__ = ["FileScheduling", "pytest_xdist_make_scheduler"]


class FileScheduling(LoadFileScheduling):
    """Hands out whole files, and after a crash those alone that are not over.

    xdist 3.8 hands out each file that the dead worker ever had. One of which all tests are over has nothing to run, so
    that the worker that gets it reports nothing, receives nothing more, and the run waits for ever.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Take a worker off, and return the test that it died in, or None."""
        files = self.assigned_work.get(node, {})
        for file in [file for file, tests in files.items() if all(tests.values())]:
            del files[file]
        died_in: str | None = super().remove_node(node)
        return died_in


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling | None:
    """Return what hands out tests where they go by files."""
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
