"""The table of a chase, and every loss with the sub-state that it came in."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.recorded import record

from arena_trees.recording.chase import chase_table
from arena_trees.recording.recording import load_recording
from arena_trees.recording.tick import Tick
from arena_trees.robot.percepts import Tracking


def tick(number: int, active: str, raw: float | None = None, predicted: float = 125.0, *cues: str) -> Tick:
    tracking = None if raw is None else Tracking("chase", raw, predicted, 0.0, predicted, 250, 0.1)
    return Tick(number * 20_000_000, b"", active=active, tracking=tracking, cues=cues, number=number)


def test_the_table_and_the_losses():
    ticks = [
        tick(0, "Scan"),
        tick(1, "Chase", 125.0, 125.0, "CHASE"),
        tick(2, "Chase", 250.0, 187.5),
        tick(3, "Search", None, 0.0, "LOST"),
        tick(4, "Chase", 0.0, 131.25, "CHASE"),
    ]
    table = chase_table(ticks)
    assert table.ticks == 3
    assert table.raw_error == pytest.approx(2.0 / 3.0)
    assert table.predicted_error == pytest.approx((0.0 + 0.5 + 0.05) / 3.0)
    assert table.deadband_share == pytest.approx(2.0 / 3.0)
    (loss,) = table.losses
    assert (loss.now, loss.state, loss.leaf, loss.tracking.raw_px) == (60_000_000, "chase", "Search", 250.0)


def test_without_a_chase_there_is_no_error():
    assert chase_table([tick(0, "Scan")]).predicted_error is None


def test_a_game_in_which_the_camera_falls_silent(tmp_path: Path):
    path = record(
        tmp_path,
        seed=400,
        **{
            "wolf.start": {"x": -1.5, "y": 0.0, "yaw_deg": 0.0},
            "rabbit.start": {"x": 1.2, "y": 0.0, "yaw_deg": 0.0},
            "arena_set.random_boxes.count": 0,
            "duration_s": 6.0,
            "faults": [{"robot": "wolf", "sensor": "sightings", "at_s": 2.5}],
        },
    )
    table = chase_table(load_recording(path).robots["wolf"].ticks)
    assert table.ticks > 50
    assert [(loss.state, loss.leaf) for loss in table.losses] == [("chase", "Search")]
