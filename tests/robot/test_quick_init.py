"""Dataclasses that are made quickly are those that they were."""

import copy
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, dataclass, field, replace

import pytest

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Readings
from arena_trees.robot.quick_init import quick_init


@dataclass(frozen=True, slots=True)
class Base:
    stamp: int
    name: str = "base"


def made_by(decorate):
    """Return a class, the same at each call but for what decorates it."""

    @dataclass(frozen=True, slots=True)
    class Made(Base):
        numbers: list[int] = field(default_factory=list)
        made: int = field(init=False, default=7)
        lists: list[int] = field(init=False, default_factory=list)
        half: float = field(init=False)

        def __post_init__(self) -> None:
            if self.stamp < 0:
                raise ValueError("a stamp must not be negative")
            object.__setattr__(self, "half", self.stamp / 2)

    return decorate(Made)


Plain, Quick = made_by(lambda cls: cls), made_by(quick_init)


@pytest.mark.parametrize(
    ("given", "named"), [((1,), {}), ((1, "one"), {}), ((1,), {"numbers": [2]}), ((), {"name": "n", "stamp": 3})]
)
def test_it_takes_the_same_arguments_and_has_the_same_values(given, named):
    plain, quick = Plain(*given, **named), Quick(*given, **named)
    assert repr(quick) == repr(plain)
    assert quick == Quick(*given, **named) != replace(quick, stamp=9)
    assert replace(quick, stamp=9).half == 4.5
    assert pickle.loads(pickle.dumps(Pose2D(1.0, 2.0, 3.0))) == Pose2D(1.0, 2.0, 3.0) == copy.deepcopy(Pose2D(1, 2, 3))


def test_each_has_its_own_of_what_a_factory_makes():
    assert Quick(1).numbers is not Quick(1).numbers
    assert Quick(1).lists is not Quick(1).lists


@pytest.mark.parametrize("call", [lambda kind: kind(), lambda kind: kind(1, 2, 3, 4, 5), lambda kind: kind(1, no=2)])
def test_wrong_arguments_are_refused_in_the_same_words(call):
    with pytest.raises(TypeError) as plain:
        call(Plain)
    with pytest.raises(TypeError) as quick:
        call(Quick)
    assert str(quick.value) == str(plain.value)


def test_it_is_still_checked_and_frozen():
    with pytest.raises(ValueError, match="must not be negative"):
        Quick(-1)
    for one, name in ((Quick(1), "stamp"), (Pose2D(), "x"), (Readings(0), "now")):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 5)
        with pytest.raises(FrozenInstanceError):
            delattr(one, name)


def test_what_it_cannot_make_is_refused():
    @dataclass(frozen=True, slots=True)
    class Late:
        x: int
        _: KW_ONLY
        y: int

    @dataclass(frozen=True)
    class Slotless:
        x: int

    @dataclass(frozen=True, slots=True)
    class Given:
        x: int
        seed: InitVar[int]

    for kind, words in ((Late, "not its fields"), (Slotless, "x has no slot"), (Given, "not its fields")):
        with pytest.raises(TypeError, match=words):
            quick_init(kind)
