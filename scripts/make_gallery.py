"""Plays a trial of each scenario, and writes docs/gallery.md with a small picture of each.

python scripts/make_gallery.py
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from arena_trees.experiments.plots.map_plot import draw_map, prepare_map
from arena_trees.experiments.plots.run_plot import plot_run
from arena_trees.experiments.results import RunResult
from arena_trees.experiments.scenario import find_scenario, load_scenario
from arena_trees.games.registry import find_game
from arena_trees.recording.play import play
from arena_trees.world.palette import PAPER

DOCS = Path(__file__).resolve().parents[1] / "docs"
PICTURES = DOCS / "images" / "gallery"

WIDTH = 560
"""Pixels."""
COLOURS = 64
"""Colours of a picture: lines and flat areas need no more, and the file is a third as large."""


class Shot(NamedTuple):
    """What is played for one picture: a shipped scenario or a file of examples/, its seed, and the longest trial, s."""

    scenario: str
    seed: int
    longest_s: float | None = None


SHOTS = (
    Shot("wolf_rabbit", 1014),
    Shot("wolf_rabbit_open", 1001),
    Shot("breach_recovery", 1004),
    Shot("examples/two_wolves.yaml", 1000),
    Shot("pacman", 1000),
    Shot("pacman_maze", 1000, 120.0),
    Shot("crossroads", 1000, 60.0),
    Shot("crossroads_lidar", 1000, 20.0),
    Shot("crossroads_row", 1000, 40.0),
    Shot("pursuit_wall", 4),
    Shot("pursuit_dodging_source_scale", 41),
    Shot("pursuit_hiding", 4001),
    Shot("wall_following", 1000),
    Shot("wall_chase_source_scale", 4),
)

HEAD = """# Gallery

<!-- Made by scripts/make_gallery.py. Changes here are lost. -->

One trial of a selection of scenarios, seen from above. `arena-trees run NAME` plays the whole scenario and draws more:
who did what when, charts, and how all trials ended. `arena-trees list` names all scenarios, and
[a robot, a tree and an arena of your own](your_own.md) adds to them.
"""


def main() -> None:
    """Play, draw and write."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    parts = [HEAD]
    for shot in SHOTS:
        changes = {} if shot.longest_s is None else {"duration_s": shot.longest_s}
        result = play(shot.scenario, trials=1, seed=shot.seed, changes=changes)
        picture = PICTURES / f"{Path(shot.scenario).stem}.png"
        draw(result, picture)
        parts.append(section(shot, picture, outcome_text(shot, result)))
    (DOCS / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def draw(result: RunResult, path: Path) -> None:
    """Draw the map of a run's only trial, or its charts where it has none, as a small picture."""
    trial, stream = result.trials[0], io.BytesIO()
    if trial.trajectories or trial.shapes:
        figure = Figure(figsize=(7.0, 7.0), dpi=100, facecolor=PAPER, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        prepare_map(axes, trial)
        figure.draw_without_rendering()
        draw_map(axes, trial)
        figure.savefig(stream, format="png", facecolor=PAPER)
    else:
        whole = path.with_suffix(".whole.png")
        plot_run(result, whole)
        stream = io.BytesIO(whole.read_bytes())
        whole.unlink()
    with Image.open(stream) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def outcome_text(shot: Shot, result: RunResult) -> str:
    """Return what the trial of a picture was, and how it ended."""
    trial = result.trials[0]
    how = f" ({trial.reason})" if trial.reason else ""
    change = "" if shot.longest_s is None else f" --set duration_s={shot.longest_s:g}"
    command = f"arena-trees run {shot.scenario} --trials 1 --seed {shot.seed}{change}"
    return f"`{command}`: {trial.ending}{how}."


def section(shot: Shot, picture: Path, caption: str) -> str:
    """Return the part of the page that shows a scenario."""
    scenario = load_scenario(find_scenario(shot.scenario))
    text = f"{scenario.description[:1].upper()}{scenario.description[1:]}."
    title = f"{Path(shot.scenario).stem} ({find_game(scenario.game).title or scenario.game})"
    image = f"![{scenario.description}]({picture.relative_to(DOCS).as_posix()})"
    return f"## {title}\n\n{text}\n\n{image}\n\n{caption}\n"


if __name__ == "__main__":
    main()
