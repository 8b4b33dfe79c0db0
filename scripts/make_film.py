"""Writes a recording as an animated GIF, which pages show without a player: the README's short film.

    arena-trees run wolf_rabbit --seed 1014 --trials 1 --record FOLDER
    python scripts/make_film.py FOLDER/trial_000 docs/images/game.gif

The pictures are those of the film of ``arena-trees report --video``: fewer, smaller, and twice as fast.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
from PIL import Image

from arena_trees.recording.game_frames import game_frames
from arena_trees.recording.loading import load_recording
from arena_trees.recording.video.view import FilmView
from arena_trees.robot.clock import SECOND

SIZE = (800, 450)
EVERY = SECOND // 5
"""Between two pictures, ns of the recording."""
SHOWN_MS = 100
"""How long each picture is shown."""
LAST_MS = 3000
COLOURS = 64


def main(bag: Path, path: Path) -> None:
    """Draw the recording, and write it."""
    recording = load_recording(bag, {})
    view = FilmView(recording, game_frames(recording))
    instants = [*range(recording.start, recording.end, EVERY), recording.end]
    drawn = [cv2.resize(view.picture(now), SIZE, interpolation=cv2.INTER_AREA) for now in instants]
    pictures = [Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)) for picture in drawn]
    # One palette for all pictures: what does not move stays the same, and takes no room.
    palette = pictures[-1].quantize(COLOURS)
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    shown = [SHOWN_MS] * (len(pictures) - 1) + [LAST_MS]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=shown, loop=0, optimize=True)
    print(f"written: {path}, {len(pictures)} pictures, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
