"""The sound of a trial: what its robots play, as a WAV file of the same length."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena_trees.experiments.sounds.samples import SoundFile, render_song, sample_at
from arena_trees.robot.show.cues import CuePlayer
from arena_trees.robot.timing import TICK

if TYPE_CHECKING:
    from arena_trees.experiments.trial import Trial

__all__ = ["SoundTrack", "SoundTracks"]


@dataclass(frozen=True, slots=True)
class SoundTracks:
    """Makes the sound track of the first trial of an arm; a :data:`~arena_trees.experiments.trial.Watch`.

    Attributes:
        path: of the WAV file
        arm: name of the arm
    """

    path: Path
    arm: str = ""

    def __call__(self, arm: str, trial: Trial) -> SoundTrack | None:
        """Return the sound track of a trial; None for any other than the first.

        Raises:
            ConfigError: the file cannot be written
        """
        return SoundTrack(self.path) if arm == self.arm and trial.index == 0 else None


class SoundTrack:
    """Writes what robots play; implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    Args:
        path: of the WAV file

    Raises:
        ConfigError: the file cannot be written
    """

    def __init__(self, path: Path) -> None:
        self._file = SoundFile(path)
        self._players: dict[str, CuePlayer] = {}

    def begin(self, trial: Trial) -> None:
        """Give each robot its loudspeaker."""
        self._players = {name: CuePlayer(trial.plan.game.shows) for name in trial.loops}

    def tick(self, trial: Trial) -> None:
        """Write the sound of one tick."""
        now = trial.arena.now
        first = sample_at(now)
        count = sample_at(now + TICK) - first
        voices = []
        for name, record in trial.records.items():
            player = self._players[name]
            for event in record.cues:
                player.play(event, now)
            playing = player.songs.playing(now)
            if playing is not None:
                voices.append(render_song(*playing, first, count))
        self._file.write(voices, count)

    def end(self, trial: Trial) -> None:
        """Close the file."""
        self._file.close()
