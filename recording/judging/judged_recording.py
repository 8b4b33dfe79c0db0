"""A recording judged: its games, and what its robots' own sensors tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena_trees.experiments.results import TrialResult
from arena_trees.recording.judging.judgement import Judgement, judge_round, rounds_of
from arena_trees.recording.judging.recorded_game import RecordedGame, recorded_game
from arena_trees.recording.judging.recorded_truth import RecordedTruth, TruthName, recorded_truth
from arena_trees.recording.judging.robot_figures import robot_figures
from arena_trees.recording.judging.tracking_calibration import TrackingCalibration
from arena_trees.recording.loading import load_bag, recording_of
from arena_trees.recording.recording import Recording

__all__ = ["JudgedRecording", "TruthChoice", "judge_recording"]


@dataclass(frozen=True, slots=True)
class TruthChoice:
    """By what a recording is judged.

    Attributes:
        source: name of the source; the best that a recording has where not given
        topics: of a tracking system, by robot
        calibration: of the tracking system; its frame is ``map`` where not given
    """

    source: TruthName | None = None
    topics: Mapping[str, str] | None = None
    calibration: TrackingCalibration | None = None


@dataclass(frozen=True, slots=True)
class JudgedRecording:
    """What is known of a recording.

    Attributes:
        recording: itself
        game: that was played; None where no robot has a role in one
        truth: where the robots were
        judgements: one a game that was played
        figures: robot name to figures by its own sensors
    """

    recording: Recording
    game: RecordedGame | None
    truth: RecordedTruth
    judgements: Sequence[Judgement]
    figures: Mapping[str, Mapping[str, float | int | None]]

    def trials(self, first: int = 0) -> list[TrialResult]:
        """Return the games as trials of a run, numbered from the first on, each with what it was judged by."""
        return [
            replace(one.trial, index=first + number, truth=self._truth_of(one))
            for number, one in enumerate(self.judgements)
        ]

    def _truth_of(self, judgement: Judgement) -> dict[str, Any]:
        sigma, sigma_yaw = judgement.truth.deviation()
        known = math.isfinite(sigma)
        return {
            "bag": str(self.recording.path),
            "source": judgement.truth.source if known else "",
            "stated": judgement.truth.stated,
            "sigma_m": sigma if known else None,
            "sigma_deg": math.degrees(sigma_yaw) if known else None,
            "contacts": judgement.contacts,
            "bounds": {name: list(bounds) for name, bounds in judgement.bounds.items()},
            "unknown": list(judgement.unknown),
            "contradicted": list(judgement.contradicted),
        }


def judge_recording(
    path: Path,
    choice: TruthChoice = TruthChoice(),
    scenario: str | None = None,
    topics: Mapping[str, str] | None = None,
    game: RecordedGame | None = None,
) -> JudgedRecording:
    """Return what is known of a recording.

    Args:
        path: of the rosbag2 directory
        choice: by what it is judged
        scenario: name or file of what was played, where the recording does not hold it
        topics: as for :func:`~arena_trees.recording.loading.load_recording`
        game: that was played, where that is known otherwise

    Raises:
        BagError: it cannot be read
        ConfigError: it has no such truth, or is of another scenario
    """
    bag = load_bag(path)
    recording = recording_of(bag, path, topics or {}, {})
    game = recorded_game(recording, scenario) if game is None else game
    truth = recorded_truth(recording, bag, choice.source, choice.topics, choice.calibration)
    rounds = rounds_of(recording) if game is not None else []
    judgements = [judge_round(recording, game, truth, one) for one in rounds if game is not None]
    figures = {name: robot_figures(robot) for name, robot in recording.robots.items()}
    return JudgedRecording(recording, game, truth, judgements, figures)
