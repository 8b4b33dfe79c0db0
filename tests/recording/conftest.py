"""Recordings that several tests look at."""

from pathlib import Path

import pytest
from helpers.recorded import played, record

from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording


@pytest.fixture(scope="package")
def recorded(tmp_path_factory) -> Path:
    """Return the path of a short game's recording: the wolf sees the rabbit, chases and catches it."""
    return record(
        tmp_path_factory.mktemp("recorded"),
        seed=400,
        **{
            "wolf.start": {"x": -1.0, "y": 0.0, "yaw_deg": 0.0},
            "rabbit.start": {"x": 0.3, "y": 0.0, "yaw_deg": 0.0},
            "arena_set.random_boxes.count": 1,
            "arena_set.start_distance": 0.5,
            "duration_s": 12.0,
        },
    )


@pytest.fixture(scope="package")
def recording(recorded: Path) -> Recording:
    """Return the same, loaded."""
    return load_recording(recorded)


@pytest.fixture(scope="package")
def game() -> Recording:
    """Return a recording of a whole game of the wolf and the rabbit."""
    return played(seed=1000)
