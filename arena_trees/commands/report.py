"""``arena-trees report``: shows a recording as a page, and as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.bag_options import parse_mounts, parse_topics
from arena_trees.commands.console import Force, progress_bar
from arena_trees.robot.configuration.output_files import check_ending, place_files

__all__ = ["report_recording"]

_FOLDER = Path("results")


def report_recording(
    bag: Annotated[Path, typer.Argument(help="Recording: a rosbag2 directory, ours or another's.")],
    page: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page; results/<recording>.html if absent.")
    ] = None,
    video: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Film of the arena, too: .mp4, .webm or .gif.")
    ] = None,
    force: Force = False,
    topics: Annotated[
        list[str] | None,
        typer.Option("--topic", help="Topic of another name, as in scan=/front/scan or red.scan=/s; repeatable."),
    ] = None,
    mounts: Annotated[
        list[str] | None,
        typer.Option("--mount", help="Where a LiDAR is mounted, m, m, degrees, as in scan=-0.04,0,90; repeatable."),
    ] = None,
) -> None:
    """Show a recording as a page, and as a film if asked for."""
    from arena_trees.recording.game_frames import game_frames
    from arena_trees.recording.loading import load_recording
    from arena_trees.recording.report_page.report import write_report
    from arena_trees.recording.video.film import check_film, write_film

    if page is not None:
        check_ending(page, (".html",), "--output")
    if video is not None:
        check_film(video, "--video")
    recording = load_recording(bag, parse_topics(topics or []), parse_mounts(mounts or []))
    path = page or _FOLDER / f"{recording.path.absolute().name}.html"
    places = place_files([path] if video is None else [path, video], force)
    frames = game_frames(recording)
    write_report(recording, places[0], frames)
    if video is not None:
        with progress_bar() as progress:
            task = progress.add_task("filming")
            write_film(
                recording, places[1], lambda done, total: progress.update(task, completed=done, total=total), frames
            )
    print(f"written: {', '.join(map(str, places))}")
