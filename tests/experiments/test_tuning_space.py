"""Spaces that studies search: how they are written, which values they have, and what is refused."""

from typing import Any

import pytest

from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.experiments.tuning.space import Choice, Range, check_space, parse_space
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError


class Gains(Parameters):
    kp: float = parameter(2.0, "gain", ge=0.0, le=20.0)
    frames: int = parameter(2, "images", ge=1, le=100)
    kind: str = parameter("a", "kind")


def test_every_form_is_read():
    assert parse_space(["kp=0.5:4", " kd = 0.01:1:log ", "n=1:9", "s=arena,source", "t=[1],[2]", "u='a:b',c"]) == (
        Range("kp", 0.5, 4),
        Range("kd", 0.01, 1, log=True),
        Range("n", 1, 9),
        Choice("s", ("arena", "source")),
        Choice("t", ([1], [2])),
        Choice("u", ("a:b", "c")),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kp", "must have the form"),
        ("kp=", "must have the form"),
        ("kp=4:1", "--param: kp: the lower bound must be less"),
        ("kp=1:1", "the lower bound must be less"),
        ("kp=0:1:log", "a logarithmic range begins above 0"),
        ("kp=1:2:3", "low:high or low:high:log"),
        ("kp=1:.nan", "must be finite"),
        ("kp=-.inf:1", "must be finite"),
        ("kp=low:high", "both bounds of a range must be numbers"),
        ("kp=true:2", "both bounds of a range must be numbers"),
        ("kp=1,.inf", "must be finite"),
        ("kp=1,1.0", "given twice"),
        ("kp=3", "one value alone"),
    ],
)
def test_what_is_no_space_is_refused(text: str, words: str):
    with pytest.raises(ConfigError, match=words):
        parse_space([text])


def test_a_key_is_given_once_and_there_is_one():
    for texts in (["a=1:2", "a=3:4"], []):
        with pytest.raises(ConfigError, match=r"given twice|must have the form"):
            parse_space(texts)


def accepts(values: Any) -> None:
    Gains().with_changes(values, "--param")


def test_the_field_says_whether_a_range_is_of_whole_numbers():
    space = check_space(parse_space(["kp=1:4", "frames=1:4", "kind=a,b"]), accepts)
    assert [getattr(one, "whole", None) for one in space] == [False, True, None]
    assert [one.drawn(2) for one in space[:2]] == [2.0, 2]
    assert [type(one.drawn(2)) for one in space[:2]] == [float, int]
    assert [one.drawn(5) for one in space] == [None, None, None], "outside"
    assert space[2].value(space[2].drawn("b")) == "b"
    assert Choice("k", (1, True)).drawn(True) == 1, "true is not 1"


@pytest.mark.parametrize("text", ["kp=1:21", "kp=-1:2", "frames=1.5:4", "frames=0:4", "kind=a,1", "kq=1:2"])
def test_an_end_that_the_model_refuses_is_named_before_anything_is_played(text: str):
    with pytest.raises(ConfigError, match=rf"^--param: {text.partition('=')[0]}: "):
        check_space(parse_space([text]), accepts)


def test_ends_that_fit_together_alone_are_accepted():
    def roams(values: Any) -> None:
        RoamParameters().with_changes(values, "--param")

    # Neither fits the other's default, 2 to 5 s.
    check_space(parse_space(["leg_min_s=6.0:8.0", "leg_max_s=7.0:9.0"]), roams)
    with pytest.raises(ConfigError, match="leg_min_s is larger than leg_max_s"):
        check_space(parse_space(["leg_min_s=1.0:8.0"]), roams)
