"""Pictures of sweeps are functions of their tables."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import QuadMesh

from arena_trees.experiments.plots.sweep_plot import MOST_PANELS, SweepPicture, draw_sweep, plot_sweep
from arena_trees.experiments.sweeps.table import Table
from arena_trees.robot.errors import ConfigError

COLUMNS = ("point", "kp", "kd", "law", "played", "failed", "reason", "t_s", "t_s_low", "t_s_high", "t_s_n")


def table(kps: list[float] | None = None, laws: tuple[str, ...] = ("ours", "source")) -> Table:
    """Return a table of points in which one failed, one has no value, and one has not been played."""
    rows = []
    points = itertools.product(kps or [1.0, 10.0, 2.0], [0, 1], laws)
    for number, (kp, kd, law) in enumerate(points):
        value = 10.0 * kp + kd + 0.5 * (law == "source")
        cell: tuple[object, ...] = (4, 0, None, value, value - 1.0, value + 2.0, 4)
        if (kp, kd, law) == (10.0, 0, "ours"):
            cell = (0, 4, "it raised", None, None, None, 0)
        elif (kp, kd, law) == (10.0, 1, "ours"):
            cell = (4, 0, None, None, None, None, 0)
        elif (kp, kd, law) == (2.0, 1, "ours"):
            cell = (0, 0, None, None, None, None, 0)
        rows.append((number, kp, kd, law, *cell))
    return Table(COLUMNS, tuple(rows))


HEAT = SweepPicture("t_s", "kp", "kd", ("law",), title="four trials a point", label="time of a lap")


def test_a_heat_map_has_a_cell_a_point_sorted_by_size_and_a_panel_a_value_of_other_keys():
    figure = draw_sweep(table(), HEAT)
    first, second, bar = figure.axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["law = ours", "law = source"]
    assert (first.get_xlabel(), first.get_ylabel(), bar.get_ylabel()) == ("kp", "kd", "t_s: time of a lap")
    assert [label.get_text() for label in first.get_xticklabels()] == ["1", "2", "10"]
    assert [label.get_text() for label in first.get_yticklabels()] == ["0", "1"]
    meshes = [next(one for one in axes.collections if isinstance(one, QuadMesh)) for axes in (first, second)]
    assert np.ma.filled(meshes[1].get_array(), math.nan).tolist() == [[10.5, 20.5, 100.5], [11.5, 21.5, 101.5]]
    assert np.ma.getmaskarray(meshes[0].get_array()).tolist() == [[False, False, True], [False, True, True]]
    assert meshes[0].norm is meshes[1].norm, "one scale"
    assert {text.get_text() for text in first.texts} == {"10", "11", "20"}
    marks = {(patch.get_x(), patch.get_y()): patch.get_hatch() for patch in first.patches}
    assert marks == {(2.0, 0.0): "///", (2.0, 1.0): None}, "failed, and without a value; one has not been played"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["every trial failed", "no trial has a value"]


def test_lines_stand_at_their_values_and_break_where_there_is_none():
    figure = draw_sweep(table(), replace(HEAT, lines=True))
    first, second = figure.axes
    lines = {line.get_marker(): line for line in first.lines}
    assert lines["o"].get_xdata().tolist() == [1.0, 2.0, 10.0]
    assert np.isnan(lines["o"].get_ydata()).tolist() == [False, False, True]
    assert np.isnan(lines["s"].get_ydata()).tolist() == [False, True, True]
    assert first.get_ylim() == second.get_ylim()
    assert len(second.collections) == 2, "a band a line"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["kd = 0", "kd = 1"]


def test_words_stand_beside_each_other_with_bars():
    one = table(kps=[1.0])
    figure = draw_sweep(one, SweepPicture("t_s", "law", "kd"))
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["ours", "source"]
    lines = draw_sweep(one, SweepPicture("t_s", "law", "kd", lines=True)).axes[0]
    assert [line.get_linestyle() for line in lines.lines] == ["None", "None"]
    assert lines.lines[0].get_xdata()[0] < lines.lines[1].get_xdata()[0]


@pytest.mark.parametrize(
    ("laws", "picture", "words"),
    [
        (("a",), SweepPicture("lap", "kp"), "lap: no trial has a value of it"),
        (tuple("abcdefghijklm"), HEAT, f"{MOST_PANELS + 1} panels for law"),
        (tuple("abcdefghi"), SweepPicture("t_s", "kp", "law", lines=True), "law: 9 lines; at most 8"),
    ],
)
def test_what_nobody_could_read_is_refused(laws: tuple[str, ...], picture: SweepPicture, words: str):
    with pytest.raises(ConfigError, match=words):
        draw_sweep(table(laws=laws), picture)


def test_a_table_without_any_value_and_odd_letters_are_drawn_and_equal_ones_give_equal_bytes(tmp_path):
    rows = tuple((n, kp, 0, "$x_1^$", 0, 0, None, None, None, None, 0) for n, kp in enumerate([1.0, 2.0]))
    plot_sweep(Table(COLUMNS, rows), SweepPicture("t_s", "kp", "law", title="$x_"), tmp_path / "a.png")
    plot_sweep(Table(COLUMNS, rows), SweepPicture("t_s", "law"), tmp_path / "b.png")
    assert (tmp_path / "a.png").stat().st_size > 3000
    for ending, begin in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        pictures = [tmp_path / f"{name}{ending}" for name in ("a", "b")]
        for picture in pictures:
            plot_sweep(table(), HEAT, picture)
        assert pictures[0].read_bytes() == pictures[1].read_bytes()
        assert pictures[0].read_bytes().startswith(begin)
