"""``arena-trees sample-frames``: draws the frames of a recording that people shall label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["sample_frames"]


def sample_frames(
    bag: Annotated[Path, typer.Argument(help="A rosbag2 directory with pictures and detections.")],
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder for a dataset of each robot.")],
    count: Annotated[
        int, typer.Option(help="Frames of each robot and class, and as many with nothing.", min=1, max=100_000)
    ] = 200,
    seed: Annotated[int, typer.Option(help="Of the choice.", min=0)] = 0,
    blur: Annotated[bool, typer.Option("--blur", help="Blur what is outside of the detections.")] = False,
) -> None:
    """Draw frames of a recording for people to label.

    What was detected in them is written beside them as a start.
    """
    from arena_trees.recording.frames import draw_sample

    sample = draw_sample(bag, folder, count, seed, blur)
    for (robot, name), drawn in sorted(sample.frames.items()):
        print(f"{robot}, {name}: {drawn} of {sample.available[robot, name]} frames")
    for reason, skipped in sorted(sample.skipped.items()):
        print(f"skipped: {reason} {skipped}")
    print(f"written: {folder}; labels are the detector's own: correct them before you evaluate it")
