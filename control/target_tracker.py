"""Which of what the images show is the target: tracks that are believed and given up by their likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena_trees.control.target_filter import Sighting, TargetEstimate, TargetFilter

__all__ = ["TargetTracker", "TrackRules"]

_MOST = 6
"""Tracks that are kept; the least likely are dropped."""


@dataclass(frozen=True, slots=True)
class TrackRules:
    """How sightings become a track.

    Attributes:
        acceleration: greatest acceleration of the target, m/s2
        speed: of the target along an axis, standard deviation, m/s
        gate: squared Mahalanobis distance beyond which a sighting is not of a track
        detection: probability that an image shows a target that is in view
        clutter: false sightings per image, radian and metre
        confirm: score at which a track is believed: the log-likelihood that it is the target rather than clutter
        cap: score that no track exceeds, so that a loss is noticed soon
        silent_s: a track that no image has shown for so long is given up, s
    """

    acceleration: float = 0.9
    speed: float = 0.2
    gate: float = 16.0
    detection: float = 0.85
    clutter: float = 0.01
    confirm: float = 9.0
    cap: float = 12.0
    silent_s: float = 1.0


class _Track:
    def __init__(self, first: Sighting, rules: TrackRules, number: int) -> None:
        self.filter = TargetFilter(first, rules.acceleration, rules.speed)
        self.score = 0.0
        self.number = number
        self.confirmed = False


class TargetTracker:
    """Keeps tracks of one target among false sightings, each with its log-likelihood ratio as a score.

    The score is that of the sequential probability ratio test (Wald 1945) as trackers use it (Blackman and Popoli 1999,
    section 6.2): a sighting within the gate adds the logarithm of its likelihood over that of clutter, an image without
    one, which should have shown the target, takes that of a miss. A track whose score falls below zero is lost.
    """

    def __init__(self) -> None:
        self._tracks: list[_Track] = []
        self._target: _Track | None = None
        self._count = 0

    @property
    def seen(self) -> bool:
        """Whether there is a track that is believed."""
        return self._target is not None

    @property
    def number(self) -> int:
        """Number of the believed track, counted from 1; 0 where there is none."""
        return 0 if self._target is None else self._target.number

    @property
    def stamp(self) -> int:
        """Exposure (ns) of the newest sighting of the believed track; 0 where there is none."""
        return 0 if self._target is None else self._target.filter.stamp

    @property
    def height(self) -> float | None:
        """Height of the target's centre above the floor as it is seen, m; None without a believed track."""
        return None if self._target is None else self._target.filter.height

    def at(self, stamp: int) -> TargetEstimate | None:
        """Return where the target is at an instant (ns); None without a believed track."""
        return None if self._target is None else self._target.filter.at(stamp)

    def take(
        self,
        stamp: int,
        sightings: Sequence[Sighting],
        in_view: Callable[[TargetEstimate], bool],
        rules: TrackRules,
    ) -> None:
        """Take in what one image shows.

        Args:
            stamp: exposure of the image, ns
            sightings: of that image
            in_view: tells whether the image would show a target that is there
            rules: how sightings become a track
        """
        left = list(sightings)
        for track in sorted(self._tracks, key=lambda one: (not one.confirmed, -one.score, one.number)):
            self._advance(track, stamp, left, in_view, rules)
        for sighting in left:
            self._count += 1
            self._tracks.append(_Track(sighting, rules, self._count))
        silent = int(rules.silent_s * 1e9)
        alive = [one for one in self._tracks if one.score >= 0.0 and stamp - one.filter.stamp <= silent]
        self._tracks = sorted(alive, key=lambda one: (-one.score, one.number))[:_MOST]
        self._choose(rules)

    def _advance(
        self,
        track: _Track,
        stamp: int,
        left: list[Sighting],
        in_view: Callable[[TargetEstimate], bool],
        rules: TrackRules,
    ) -> None:
        """Give a track its most likely sighting, which no other gets then, or a miss."""
        best: tuple[float, Sighting] | None = None
        for sighting in left:
            distance, likelihood = track.filter.likelihood(sighting)
            if distance <= rules.gate and (best is None or likelihood > best[0]):
                best = likelihood, sighting
        if best is not None:
            track.filter.update(best[1])
            left.remove(best[1])
            gained = best[0] + math.log(rules.detection / rules.clutter)
            track.score = min(rules.cap, track.score + gained)
        elif in_view(track.filter.at(stamp)):
            track.score += math.log(1.0 - rules.detection)

    def _choose(self, rules: TrackRules) -> None:
        """Believe the likeliest track that has enough evidence; one that is believed stays so until it is lost."""
        if self._target is not None and self._target not in self._tracks:
            self._target = None
        if self._target is None and self._tracks and self._tracks[0].score >= rules.confirm:
            self._target = self._tracks[0]
            self._target.confirmed = True
