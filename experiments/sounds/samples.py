"""The sound of loudspeakers: songs as samples, and a WAV file that is written as time goes by."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.songs import Song

__all__ = ["SAMPLE_RATE", "SoundFile", "render_song", "sample_at"]

SAMPLE_RATE = 22050
"""Samples per second."""

_LOUDNESS = 0.3
"""Amplitude of one robot, as a share of full scale; three at once do not clip."""

_HARDNESS = 2.5
"""How close to a square wave it is: tanh(hardness * sin). Higher ones would alias at this sample rate."""

_RAMP_S = 0.004
"""Time of a note's fade-in and fade-out, without which it would click."""

_FULL = 32767.0
"""The largest sample of 16 bits."""


def sample_at(now: int) -> int:
    """Return the number of the first sample at or after an instant (ns)."""
    return -(-now * SAMPLE_RATE // SECOND)


def render_song(song: Song, started: int, first: int, count: int) -> NDArray[np.float64]:
    """Return samples of a song.

    Args:
        song: what is played
        started: its beginning, ns
        first: number of the first sample
        count: of samples

    Returns:
        samples from -1 to 1, shape (count,); zero before and after the song
    """
    samples = np.zeros(count)
    for begin, end, note in song.timed():
        low = max(sample_at(started + begin) - first, 0)
        high = min(sample_at(started + end) - first, count)
        if note.midi is None or low >= high:
            continue
        since = (first + np.arange(low, high)) / SAMPLE_RATE - (started + begin) / SECOND
        left = (end - begin) / SECOND - since
        envelope = np.clip(np.minimum(since, left) / _RAMP_S, 0.0, 1.0)
        swing = np.sin(2.0 * np.pi * note.frequency * since)
        samples[low:high] = _LOUDNESS * envelope * np.tanh(_HARDNESS * swing) / np.tanh(_HARDNESS)
    return samples


class SoundFile:
    """A WAV file: mono, 16 bits a sample. Holds no more than the newest samples in memory.

    Args:
        path: of the file; its folder is made

    Raises:
        ConfigError: it cannot be written
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("wb")
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", file=path) from error
        self._path = path
        self._wave = wave.Wave_write(self._stream)
        self._wave.setnchannels(1)
        self._wave.setsampwidth(2)
        self._wave.setframerate(SAMPLE_RATE)

    def write(self, voices: Sequence[NDArray[np.float64]], count: int) -> None:
        """Write the sum of voices.

        Args:
            voices: samples from -1 to 1, each of the shape (count,)
            count: of samples; silence where there are no voices

        Raises:
            ConfigError: the file cannot be written
        """
        if voices:
            mixed = np.clip(np.sum(voices, axis=0), -1.0, 1.0)
            data = np.round(mixed * _FULL).astype("<i2").tobytes()
        else:
            data = bytes(2 * count)
        try:
            self._wave.writeframesraw(data)
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", file=self._path) from error

    def close(self) -> None:
        """Write the final length, and close the file.

        Raises:
            ConfigError: the file cannot be written
        """
        try:
            with self._stream:
                self._wave.close()
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", file=self._path) from error
