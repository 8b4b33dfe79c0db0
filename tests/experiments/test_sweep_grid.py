"""The grammar of grids: what is accepted gives the points that were meant, and all else names option, key and value."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arena_trees.experiments.sweeps import grid as grid_module
from arena_trees.experiments.sweeps.grid import Grid, parse_grid
from arena_trees.robot.errors import ConfigError

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(10**6), 10**6)
WORDS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1).filter(lambda word: word not in ("true", "false", "null"))
KEYS = st.lists(WORDS, min_size=1, max_size=3).map(".".join)


def values_of(text: str) -> list[object]:
    return list(parse_grid([f"a.b={text}"]).axes[0].values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2.5, -3e-1", [1, 2.5, -0.3]),
        ("arena,source", ["arena", "source"]),
        ("true,false", [True, False]),
        ("true,1", [True, 1]),
        ("7", [7]),
        ("~,flat", [None, "flat"]),
        ("[1,2],[3]", [[1, 2], [3]]),
        ("{x: 1.0, y: 0.0},{x: 2.0, y: 0.0}", [{"x": 1.0, "y": 0.0}, {"x": 2.0, "y": 0.0}]),
        ("'a,b','c:d'", ["a,b", "c:d"]),
        ("1:5:5", [1, 2, 3, 4, 5]),
        ("5:1:3", [5, 3, 1]),
        ("0:1:11", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        (" 1e-1 : .5 : 2 ", [0.1, 0.5]),
        ("1.0:3.0:3", [1.0, 2.0, 3.0]),
        ("1:2:4", [1.0, 1.33333333333333, 1.66666666666667, 2.0]),
    ],
)
def test_what_is_meant(text: str, values: list[object]):
    found = values_of(text)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", ("key=a,b,c", "nonsense")),
        ("=1,2", ("key=a,b,c",)),
        ("a=", ("key=a,b,c",)),
        ("a=1,,2", ("a: ", "missing", "1,,2")),
        ("a=1,2,", ("a: ", "missing")),
        ("a=1,.nan", ("a: ", "finite", "nan")),
        ("a=.inf", ("a: ", "finite", "inf")),
        ("a=[1,-.inf]", ("a: ", "finite", "-inf")),
        ("a={x: .nan}", ("a: ", "finite", "nan")),
        ("a=1e999,2", ("a: ", "finite", "inf")),
        (f"a={'9' * 400}", ("a: ", "finite")),
        ("a=1,1.0", ("a: ", "twice", "1.0")),
        ("a=[1],[1]", ("a: ", "twice", "[1]")),
        ("a=0:1", ("a: ", "start:stop:n", "0:1")),
        ("a=0:1:2:3", ("a: ", "start:stop:n")),
        ("a=0:1:3,5", ("a: ", "alone")),
        ("a=0:1:1", ("a: ", "from 2", "'1'")),
        ("a=0:1:0", ("a: ", "from 2", "'0'")),
        ("a=0:1:-4", ("a: ", "from 2", "'-4'")),
        ("a=0:1:2.0", ("a: ", "from 2", "'2.0'")),
        ("a=0:1:1e99", ("a: ", "whole number")),
        ("a=0:1:99999999", ("a: ", "whole number")),
        ("a=0:.nan:3", ("a: ", "finite", "nan")),
        ("a=-.inf:0:3", ("a: ", "finite", "inf")),
        ("a=0:1e999:3", ("a: ", "finite", "inf")),
        ("a=nan:1:3", ("a: ", "must be numbers", "nan:1:3")),
        ("a=0:inf:3", ("a: ", "must be numbers", "0:inf:3")),
        ("a=0:true:3", ("a: ", "must be numbers")),
        ("a=x:y:3", ("a: ", "must be numbers")),
        ("a=::", ("a: ", "must be numbers")),
        ("a=2:2:3", ("a: ", "more than once")),
        ("a=1:1.0000000000000002:9", ("a: ", "more than once")),
        ("a=[1", ("a: ",)),
        ("a=!!python/name:os.system", ("a: ",)),
        (".".join("k" * 60) + "=1", ("parts",)),
    ],
)
def test_what_is_refused_names_option_key_and_value(text: str, words: tuple[str, ...]):
    with pytest.raises(ConfigError) as refused:
        parse_grid([text])
    said = str(refused.value)
    assert said.startswith("--grid: ")
    assert "(got " in said
    for word in words:
        assert word in said


def test_keys_are_given_once(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ConfigError, match="--grid: a: is given twice"):
        parse_grid(["a=1", "a=2"])
    with pytest.raises(ConfigError, match="--grid: a: has one value by another option"):
        parse_grid(["a=1,2"], taken={"a": 3})
    with pytest.raises(ConfigError, match="--grid: must have the form"):
        parse_grid([])
    monkeypatch.setattr(grid_module, "MOST_POINTS", 8)
    assert len(parse_grid(["a=1,2", "b=1,2,3,4"])) == 8
    with pytest.raises(ConfigError, match="--grid: the grid has 9 points; at most 8"):
        parse_grid(["a=1,2,3", "b=1,2,3"])


@given(start=NUMBERS, stop=NUMBERS, count=st.integers(2, 60))
@example(start=0, stop=1, count=3)
def test_a_range_goes_from_its_start_to_its_stop_in_equal_steps(start: float, stop: float, count: int):
    try:
        values = parse_grid([f"a={start!r}:{stop!r}:{count}"]).axes[0].values
    except ConfigError as error:
        # So near to each other that 15 digits do not tell its values apart.
        assert "more than once" in error.reason
        assert abs(stop - start) <= 1e-13 * count * max(abs(start), abs(stop))
        return
    assert len(values) == count
    assert (values[0], values[-1]) == (start, stop)
    assert all(map(math.isfinite, values))
    steps = [after - before for before, after in pairwise(values)]
    step = (stop - start) / (count - 1)
    assert steps == pytest.approx([step] * (count - 1), rel=1e-6, abs=1e-14 * (abs(start) + abs(stop)) + 1e-300)
    assert len({type(value) for value in values}) == 1


@given(st.lists(NUMBERS | WORDS | st.booleans() | st.none(), min_size=1, max_size=8))
def test_a_list_is_read_as_it_was_written(values: list[object]):
    assume(len({(type(value) is bool, value) for value in values}) == len(values))
    assert values_of(json.dumps(values)[1:-1]) == values


@given(st.lists(st.tuples(KEYS, st.lists(st.integers(), min_size=1, max_size=4, unique=True)), min_size=1, max_size=4))
def test_points_are_every_combination_once_and_the_last_key_runs_fastest(axes: list[tuple[str, list[int]]]):
    assume(len({key for key, _ in axes}) == len(axes))
    grid = parse_grid([f"{key}={','.join(map(str, values))}" for key, values in axes])
    assert len(grid.points) == len(grid) == math.prod(len(values) for _, values in axes)
    assert len({tuple(point.values()) for point in grid.points}) == len(grid)
    places = [tuple(values.index(point[key]) for key, values in axes) for point in grid.points]
    assert places == sorted(places)


@given(st.text(max_size=30))
@example("=:=")
@example("a=\ud800")
@example("a=\x00")
@example("0\n0=|")
def test_any_text_is_a_grid_or_an_error_of_one_line(text: str):
    try:
        grid = parse_grid([text])
    except ConfigError as error:
        assert "\n" not in str(error)
        assert str(error).startswith("--grid: ")
    else:
        json.dumps(grid.to_dict(), allow_nan=False)
        assert isinstance(grid, Grid)
