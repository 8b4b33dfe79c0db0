"""The picture of a run: whatever a game leaves is drawn, and labels do not lie upon each other."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from arena_trees.experiments.plots import run_plot
from arena_trees.experiments.plots.gate_marks import Limited, limited_of
from arena_trees.experiments.plots.legends import legend_above
from arena_trees.experiments.plots.map_plot import draw_map, prepare_map
from arena_trees.experiments.plots.run_plot import plot_run, representative
from arena_trees.experiments.plots.shapes import draw_shapes
from arena_trees.experiments.results import Arm, RunResult, Trajectory, TrialResult
from arena_trees.games.figures import TIME, Chart, Curve, Mark, VerticalLine
from arena_trees.games.metrics import charted, mean
from arena_trees.robot.geometry import Pose2D
from arena_trees.world import shapes
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.palette import robot_letter

SQUARE = ((-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0))
WALL = Solid("wall", Pose2D(0.0, 2.5), 5.0, 0.1, 0.5)
LAYOUT = Layout("small", (WALL,), {"red": SQUARE, "blue": SQUARE}, {}, {"blue": (0.5, 0.5)})
DRAWN = (
    shapes.Polygon(SQUARE, fill="#eeeeee", layer=shapes.Layer.GROUND),
    shapes.Polygon(SQUARE[:3], line="#0000ff", dash=0.1, alpha=0.5, name="zone"),
    shapes.Disc(1.0, 1.0, 0.2, fill="#ffd400", line="#000000"),
    shapes.Path(SQUARE, "#3c7a2b", fading=True, name="ghost $x$"),
    shapes.Path(SQUARE, "#3c7a2b", dash=0.2),
    shapes.Path((), "#3c7a2b"),
    shapes.Text(1.0, 1.0, "$1\nof {2", halo="#ffffff"),
)
CHARTS = (
    Chart(
        "Distance, $m",
        TIME,
        "m",
        (Curve("", (0.0, 1.0, 2.0), (1.0, math.nan, 3.0)),),
        moments=(VerticalLine(1.0, "a"),),
    ),
    Chart("Count", TIME, "", (Curve("a", (0.0, 1.0), (0, 1)), Curve("b", (0.0,), (1,))), style="step"),
    Chart("Shares", "delay, s", "", (Curve("", (3.0, 1.0)),), style="share", all_trials=True),
    Chart("Nothing", TIME, "", (), all_trials=True),
)


def way(offset: float) -> Trajectory:
    time = np.linspace(0.0, 5.0, 40)
    pose = np.stack([offset + 0.2 * time, 0.3 * np.sin(time), 0.1 * time], axis=1)
    return Trajectory("walker", time, pose, ("Walk", "") * 20)


def trial(index: int = 0, outcome: str = "won", simulated_s: float = 5.0, **changes: object) -> TrialResult:
    ways = {"red": way(-1.0), "blue": way(0.3)}
    made = TrialResult(index, 1000 + index, outcome, "", {}, simulated_s, {}, None, LAYOUT, ways)
    return replace(made, **changes)


def run(*trials: TrialResult, **changes: object) -> RunResult:
    return replace(RunResult("a $game", "0", 1000, len(trials), [Arm("", trials)]), **changes)


def picture(result: RunResult, folder: Path) -> np.ndarray:
    plot_run(result, folder / "run.png")
    read = cv2.imread(str(folder / "run.png"))
    assert read is not None and read.shape[1] == 1560
    return read


def test_the_trial_that_stands_for_a_run_is_the_median_of_the_outcome_named_first():
    trials = [trial(n, outcome, time) for n, (outcome, time) in enumerate(zip("bbaaa", (9, 8, 7, 5, 6), strict=True))]
    assert representative(trials, {"c": "#000000", "a": "#000000", "b": "#000000"}) is trials[4]
    assert representative(trials, {"b": "#000000"}) is trials[1]
    assert representative(trials, {"c": "#000000"}) is representative(trials) is trials[0]


def test_everything_that_a_game_leaves_is_drawn(tmp_path: Path):
    plain = picture(run(trial()), tmp_path)
    marks = (Mark(1.0, 0.0, 0.0, "met $"), Mark(2.0, 0.1, 0.0, "lost", "#ff0000"))
    full = [trial(n, simulated_s=5.0 + n, marks=marks, charts=CHARTS, shapes=DRAWN) for n in range(3)]
    drawn = picture(run(*full, outcomes={"won": "#3c7a2b"}), tmp_path)
    green = (drawn == (43, 122, 60)).all(axis=2).sum()
    assert green > 2000 > (plain == (43, 122, 60)).all(axis=2).sum(), "bars of the game's colour"


@pytest.mark.parametrize("charts", [(), CHARTS[:1], CHARTS])
def test_without_ways_there_is_no_map(tmp_path: Path, charts: tuple[Chart, ...]):
    lone = [trial(n, trajectories={}, charts=charts) for n in range(2)]
    arms = [Arm("ours", tuple(lone)), Arm("theirs", tuple(lone))]
    assert picture(run(*lone, arms=arms), tmp_path).shape[0] == 624


def test_little_is_enough_for_a_picture(tmp_path: Path):
    empty = Layout("", (), {}, {}, {})
    none = Trajectory("", np.zeros(0), np.zeros((0, 3)), ())
    crowd = {f"robot_{number}": way(0.01 * number) for number in range(20)}
    for ways in ({"a": none}, crowd):
        picture(run(trial(simulated_s=0.0, layout=empty, trajectories=ways)), tmp_path)


def drawn(result: RunResult, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    figures = []

    def keep(*arguments: object, **settings: object) -> Figure:
        figures.append(Figure(*arguments, **settings))
        return figures[0]

    monkeypatch.setattr(run_plot, "Figure", keep)
    plot_run(result, folder / "run.png")
    return figures[0]


def compared(count: int = 3) -> RunResult:
    """Return a comparison in which everything is drawn that a picture can have."""
    score = charted(mean("score", "points won"))
    held = ((), *[("obstacle",)] * 9, *[()] * 20, *[("fence", "obstacle")] * 10)
    ways = {name: replace(path, limited=held) for name, path in trial().trajectories.items()}
    named = (*CHARTS[:3], Chart("Gap", TIME, "", (Curve("clyde", (0.0,), (1.0,)), Curve("pinky", (0.0,), (2.0,)))))
    arms = [
        Arm(
            name,
            tuple(
                trial(n, outcome, 5.0 + n, trajectories=ways, charts=named, shapes=DRAWN, values={"score": n + more})
                for n, outcome in enumerate(("won", "lost", "over")[:count])
            ),
            (score,),
        )
        for name, more in (("ours", 1), ("theirs", 4))
    ]
    outcomes = {"won": "#3c7a2b", "lost": "#c8401f"}
    return RunResult("a game", "0", 1000, count, arms, outcomes=outcomes)


def test_the_picture_of_a_comparison_shows_the_same_trial_of_both_arms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    figure = drawn(compared(), tmp_path, monkeypatch)
    maps = [axes for axes in figure.axes if axes.get_xlabel() == "x, m"]
    assert len(maps) == 2
    titles = [one.get_suptitle() for band in figure.subfigs for one in band.subfigs]
    assert titles[:2] == ["ours: won after 5.00 s", "theirs: won after 5.00 s"]
    bars = [axes for axes in figure.axes if axes.get_title(loc="left") == "Points won"]
    assert [[bar.get_height() for bar in axes.patches] for axes in bars] == [[1, 2, 3], [4, 5, 6]]
    assert bars[0].get_ylim() == bars[1].get_ylim(), "one scale"
    assert len({bar.get_hatch() for bar in bars[0].patches}) == 3, "outcomes differ in more than colour"
    check_legends(figure)


def test_legends_cover_nothing_and_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    result = compared()
    check_legends(drawn(replace(result, arms=result.arms[:1]), tmp_path, monkeypatch))


def test_a_legend_of_many_arms_lies_below_its_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    result = compared()
    arms = [Arm(f"chases at 0.{number} m/s", result.arms[0].trials) for number in range(8)]
    # Of more than two arms the picture shows one.
    figure = drawn(replace(result, arms=arms), tmp_path, monkeypatch)
    check_legends(figure)
    assert min(axes.get_window_extent().width for axes in figure.axes if axes.axison) > 300.0


@pytest.mark.parametrize("title", ["", "Robots that have crossed, a line a trial"])
def test_a_legend_lies_above_its_axes_unless_it_would_lie_on_the_title(title: str) -> None:
    figure = Figure(figsize=(5.5, 2.0), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    legend_above(axes, [Line2D([], [], label=name) for name in ("as it is", "pushes in", "stops in the box", "strays")])
    FigureCanvasAgg(figure).draw()
    legend = axes.get_legend()
    assert legend is not None
    above = bool(legend.get_window_extent().y0 >= axes.get_window_extent().y1 - 4.0)
    assert above is not bool(title)


def check_legends(figure: Figure) -> None:
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend() is not None]
    assert len(legends) >= 4
    panels = [axes.get_window_extent() for axes in figure.axes if axes.axison]
    headings = {axes.get_title(loc="left") for axes in figure.axes} - {""}
    titles = [text.get_window_extent() for text in figure.findobj(Text) if text.get_text() in headings]
    assert titles
    for legend in legends:
        box = legend.get_window_extent()
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, [text.get_text() for text in legend.get_texts()]
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1
        # Of the handles and the words; what is around them is empty.
        inside = box.padded(-4.0)
        assert not any(inside.overlaps(panel) for panel in panels), [text.get_text() for text in legend.get_texts()]
        assert not any(inside.overlaps(title) for title in titles), [text.get_text() for text in legend.get_texts()]


def test_leaves_are_named_in_their_bars_or_in_the_legend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    leaves = ("Walk to the left", "Scan") * 15
    path = replace(way(0.0), active=("Stand",) * 10 + leaves)
    figure = drawn(run(trial(trajectories={"red": path})), tmp_path, monkeypatch)
    bars, legend = (axes for axes in figure.axes[:2])
    assert [text.get_text() for text in bars.texts] == ["Stand"]
    assert [text.get_text() for text in legend.get_legend().get_texts()] == ["Walk to the left", "Scan"]


def test_where_and_why_the_gate_limited_a_robot():
    held: list[tuple[str, ...]] = [()] * 40
    held[1:3] = [("no scan",)] * 2
    held[10:13] = [("obstacle",)] * 3
    # Within half a second, so the same stretch; the next one is another.
    held[15] = ("obstacle", "fence")
    held[30] = ("obstacle",)
    pose = way(0.0).pose
    pose[:5] = pose[0]
    path = replace(way(0.0), pose=pose, limited=tuple(held))
    time = path.time.tolist()
    assert [(one.reason, one.begin, one.end) for one in limited_of(path)] == [
        ("obstacle", time[9], time[15]),
        ("fence", time[14], time[15]),
        ("obstacle", time[29], time[30]),
    ]
    assert limited_of(path)[0].place == pytest.approx(tuple(path.pose[9, :2]))
    stands = replace(path, pose=np.zeros((40, 3)), limited=(("no scan",),) * 40)
    assert limited_of(stands) == [Limited("no scan", 0.0, 5.0, (0.0, 0.0))], "it never drove off"
    axes = axes_of(trial(trajectories={"red": path}), {"obstacle": ("s", "#000000"), "fence": ("D", "#0072b2")})
    assert [line.get_marker() for line in axes.lines if line.get_marker() in ("s", "D")] == ["s", "D", "s"]


def test_robots_are_told_apart_by_more_than_colour():
    axes = axes_of(trial())
    letters = [text.get_text() for text in axes.texts]
    assert letters == ["R", "B"]
    lines = axes.get_legend().get_lines()
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    assert [robot_letter(name) for name in ("robot_3", "wolf", "", "r12")] == ["3", "W", "", "12"]


def axes_of(one: TrialResult, signs: dict[str, tuple[str, str]] | None = None):
    figure = Figure(figsize=(6, 6), dpi=120)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    prepare_map(axes, one, signs)
    figure.draw_without_rendering()
    draw_map(axes, one, signs)
    figure.draw_without_rendering()
    return axes


def test_labels_of_marks_do_not_lie_upon_each_other():
    marks = tuple(Mark(float(n), 0.1 * n, 0.1, "found it") for n in range(12))
    axes = axes_of(trial(marks=marks))
    boxes = [text.get_bbox_patch().get_window_extent() for text in axes.texts if text.get_bbox_patch()]
    assert len(boxes) == 8
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert all(axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 for box in boxes)


def test_the_title_and_the_map_say_the_same_time():
    """What a trial watches after the end of its game is in neither."""
    one = trial(simulated_s=9.44, marks=(Mark(7.94, 0.0, 0.0, "won"),), ended_s=7.94)
    assert one.ending == "won after 7.94 s"
    assert [text.get_text() for text in axes_of(one).texts if "won" in text.get_text()] == ["won at 7.94 s"]


def test_widths_and_letters_follow_the_scale():
    def drawn(reach: float) -> tuple[float, float]:
        figure = Figure(figsize=(4, 4), dpi=100)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0.0, reach), ylim=(0.0, reach))
        draw_shapes(axes, [shapes.Path(SQUARE, "#000000", width=0.05), shapes.Text(0.0, 0.0, "a", size=0.25)])
        return axes.lines[0].get_linewidth(), axes.texts[0].get_fontsize()

    # 4 inches are 288 points.
    assert drawn(4.0) == pytest.approx((0.05 * 72, 0.25 * 72))
    assert drawn(8.0) == pytest.approx((0.05 * 36, 0.25 * 36))
    assert drawn(4000.0) == pytest.approx((0.6, 6.0))
