"""Parameters: strict models, and live changes that come whole or not at all."""

from __future__ import annotations

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError, model_validator

from arena_trees.robot.configuration.parameters import Live, Parameters, parameter
from arena_trees.robot.errors import ConfigError


class Gains(Parameters):
    kp: float = parameter(2.0, "proportional gain", "1/s", ge=0.0, le=10.0)
    kd: float = parameter(0.1, "derivative gain", ge=0.0)


class Role(Parameters):
    gains: Gains = parameter(Gains(), "gains")
    slow: float = parameter(0.1, "slow speed", "m/s", gt=0.0)
    fast: float = parameter(0.3, "fast speed", "m/s", gt=0.0)
    frames: int = parameter(3, "frames", ge=1)
    strategy: Literal["a", "b"] = parameter("a", "strategy")
    shape: Literal["a", "b"] = parameter("a", "shape of the tree", read_only=True)

    @model_validator(mode="after")
    def _ordered(self) -> Role:
        if self.slow > self.fast:
            raise ValueError("slow is larger than fast")
        return self


def test_changes_are_seen_only_after_the_swap_and_add_up_until_then():
    live = Live(Role())
    live.propose({"slow": 0.2})
    assert live.value.slow == 0.1
    assert live.swap()
    assert live.value.slow == 0.2
    assert not live.swap()
    live = Live(Role())
    live.propose({"slow": 0.2})
    live.propose({"gains.kp": 3, "frames": 5})
    assert live.swap()
    assert live.value == Role(slow=0.2, gains=Gains(kp=3.0), frames=5)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"slow": 0.2, "frames": 0}, "frames"),
        ({"slow": 0.2, "unknown": 1}, "unknown"),
        ({"slow": 0.2, "gains.kq": 1}, "gains.kq"),
        ({"slow": 0.2, "gain.kp": 1}, "gain.kp"),
        ({"slow": 0.2, "gains.kp.x": 1}, "gains.kp.x"),
        ({"slow": 0.2, "": 1}, ""),
        ({"slow": 0.2, "gains.kp": math.nan}, "gains.kp"),
        ({"slow": 0.2, "gains.kp": math.inf}, "gains.kp"),
        ({"slow": 0.2, "gains.kp": True}, "gains.kp"),
        ({"slow": 0.2, "gains.kp": "3"}, "gains.kp"),
        ({"slow": 0.2, "gains.kp": None}, "gains.kp"),
        ({"slow": 0.2, "frames": 2.0}, "frames"),
        ({"slow": 0.2, "frames": True}, "frames"),
        ({"slow": 0.2, "strategy": "c"}, "strategy"),
        ({"slow": 0.2, "gains": 4}, "gains"),
        ({"slow": 0.4}, "slow is larger"),
    ],
)
def test_a_refused_change_changes_nothing(changes: dict[str, Any], key: str) -> None:
    live = Live(Role())
    live.propose({"fast": 0.35})
    with pytest.raises(ConfigError, match=r"^change: ") as caught:
        live.propose(changes)
    assert key in str(caught.value)
    live.swap()
    assert live.value == Role(fast=0.35)


def test_parameters_are_frozen_and_know_their_units() -> None:
    role = Role()
    with pytest.raises(ValidationError):
        role.slow = 0.2  # type: ignore[misc]
    field = Gains.model_json_schema()["properties"]["kp"]
    assert (field["unit"], field["description"], field["maximum"]) == ("1/s", "proportional gain", 10.0)


def test_a_default_outside_its_bounds_is_found_out() -> None:
    class Wrong(Parameters):
        gain: float = parameter(-1.0, "a gain", ge=0.0)

    with pytest.raises(ValidationError):
        Wrong()


@given(
    st.dictionaries(
        st.sampled_from(["slow", "fast", "frames", "gains.kp", "gains", "strategy", "other"]),
        st.one_of(st.floats(), st.integers(), st.booleans(), st.none(), st.text(max_size=3), st.just({"kp": 1.0})),
    )
)
def test_any_change_is_whole_or_a_config_error(changes: dict[str, Any]) -> None:
    live = Live(Role())
    try:
        live.propose(changes)
    except ConfigError:
        assert not live.swap()
        assert live.value == Role()
        return
    live.swap()
    value = live.value
    assert 0.0 < value.slow <= value.fast < math.inf
    for key in changes.keys() & {"slow", "fast", "frames", "strategy"}:
        assert getattr(value, key) == changes[key]


def test_what_shaped_the_tree_cannot_be_changed_live() -> None:
    live = Live(Role())
    with pytest.raises(ConfigError, match="shape: is read only"):
        live.propose({"shape": "b", "slow": 0.2})
    assert not live.swap()
    assert live.value == Role()
    live.built = False
    live.propose({"shape": "b"})
    assert live.swap() and live.value.shape == "b"
