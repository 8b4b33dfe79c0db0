"""The speeds of a robot over time, in the panel of a film."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.recording import RobotRecording
from arena_trees.recording.sensor_dropouts import dropouts_of
from arena_trees.recording.video.letters import Colour, Letters

__all__ = ["SpeedChart"]

_TITLE, _FOOT = 24, 6
"""Rows above and below the lines, px."""

_ROOM = 1.08
"""The chart reaches so much farther than the lines."""

_BEYOND = 0.02, 0.98
"""Quantiles of a line; values farther beyond them than these are apart are spikes, and cut off."""


class SpeedChart:
    """Draws measured and commanded speed, m/s, of a whole recording.

    Args:
        robot: of which they are
        start: of the recording, ns
        end: of the recording, ns
        place: column and row of the upper left corner, width and height, px
        colours: of ground, grid, silences, the commanded and the measured speed, and letters
    """

    def __init__(
        self, robot: RobotRecording, start: int, end: int, place: tuple[int, int, int, int], colours: Sequence[Colour]
    ) -> None:
        self._robot = robot
        self._start, self._length = start, max(1, end - start)
        self._left, self._top, self._width, self._height = place
        self._paper, self._grid, self._shade, self._asked, self._done, self._ink = colours
        commanded = [(instant, twist.linear) for instant, twist in robot.commands]
        measured = [(one.arrival, one.twist.linear) for one in robot.odometry]
        self._lines = [
            (name, colour, np.array(values, dtype=np.float64))
            for name, colour, values in (("commanded", self._asked, commanded), ("measured", self._done, measured))
            if values
        ]
        shown = [part for _, _, values in self._lines for part in _usual(values[:, 1])]
        self._low, self._high = min([0.0, *shown]), _ROOM * max([0.1, *shown])

    def draw(self, picture: NDArray[np.uint8], letters: Letters) -> None:
        """Draw all that does not depend on the instant."""
        box = picture[self._top : self._top + self._height, self._left : self._left + self._width]
        box[:] = self._paper
        for silence in dropouts_of(self._robot, self._start, self._start + self._length):
            first, last = self.column(silence.begin), self.column(silence.end)
            box[_TITLE:-_FOOT, first - self._left : last - self._left + 1] = self._shade
        zero = self._rows(np.zeros(1))[0]
        box[zero - self._top, :] = self._grid
        place = self._left + 8
        for text, colour in [("speed, m/s:", self._ink), *((name, colour) for name, colour, _ in self._lines)]:
            letters.write(picture, text, (place, self._top + 17), colour)
            place += letters.width(text) + 12
        letters.write(picture, f"{self._high / _ROOM:.2f}", (self._left + self._width - 44, self._top + 17), self._ink)
        for _, colour, values in self._lines:
            columns = np.clip((values[:, 0] - self._start) / self._length, 0.0, 1.0) * (self._width - 1) + self._left
            points = np.stack([np.rint(columns).astype(np.int32), self._rows(values[:, 1])], axis=1)
            cv2.polylines(picture, [points], False, colour, 1, cv2.LINE_AA)

    def mark(self, picture: NDArray[np.uint8], now: int) -> None:
        """Draw where an instant (ns) is."""
        column = self.column(now)
        picture[self._top + _TITLE : self._top + self._height - _FOOT, column : column + 2] = self._ink

    def column(self, now: int) -> int:
        """Return the column of an instant (ns), px."""
        share = min(max((now - self._start) / self._length, 0.0), 1.0)
        return self._left + round(share * (self._width - 2))

    def _rows(self, speeds: NDArray[np.float64]) -> NDArray[np.int32]:
        share = (np.clip(speeds, self._low, self._high) - self._low) / (self._high - self._low)
        room = self._height - _TITLE - _FOOT - 1
        return np.asarray(np.rint(self._top + _TITLE + (1.0 - share) * room), np.int32)


def _usual(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the greatest of some values that are no spikes."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 0.0
    low, high = np.quantile(finite, _BEYOND)
    usual = finite[(finite >= low - (high - low) - 0.05) & (finite <= high + (high - low) + 0.05)]
    return float(usual.min()), float(usual.max())
