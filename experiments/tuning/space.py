"""Spaces: which keys a study changes, and between which bounds or among which values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arena_trees.experiments.sweeps.grid import parse_axis, parse_number
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

__all__ = ["Choice", "Dimension", "Range", "check_space", "parse_space"]

_FORM = "must have the form key=low:high, key=low:high:log or key=a,b,c"


@dataclass(frozen=True, slots=True)
class Range:
    """A key whose value is a number between two bounds, both of which it can have.

    Attributes:
        key: as ``--set`` takes it
        low: smallest value
        high: largest value
        log: search evenly in its logarithm
        whole: only whole numbers are values
    """

    key: str
    low: int | float
    high: int | float
    log: bool = False
    whole: bool = False

    @property
    def ends(self) -> tuple[Any, ...]:
        """Both bounds."""
        return self.low, self.high

    def to_plain(self) -> dict[str, Any]:
        """Return the dimension as plan files hold it."""
        return {"low": self.low, "high": self.high, "log": self.log, "whole": self.whole}

    def distribution(self) -> BaseDistribution:
        """Return what Optuna draws from."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(float(self.low), float(self.high), log=self.log)

    def value(self, drawn: Any) -> Any:
        """Return the value that Optuna's one stands for."""
        return drawn

    def drawn(self, value: Any) -> Any:
        """Return Optuna's value for one of the key, None where it is outside of the bounds."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not self.low <= value <= self.high:
            return None
        return int(value) if self.whole else float(value)


@dataclass(frozen=True, slots=True)
class Choice:
    """A key whose value is one of several.

    Attributes:
        key: as ``--set`` takes it
        values: plain values, all different; Optuna knows them by their places
    """

    key: str
    values: tuple[Any, ...]

    @property
    def ends(self) -> tuple[Any, ...]:
        """All values: none lies between two others."""
        return self.values

    def to_plain(self) -> list[Any]:
        """Return the dimension as plan files hold it."""
        return list(self.values)

    def distribution(self) -> BaseDistribution:
        """Return what Optuna draws from."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(range(len(self.values)))

    def value(self, drawn: Any) -> Any:
        """Return the value that Optuna's one stands for."""
        return self.values[drawn]

    def drawn(self, value: Any) -> Any:
        """Return Optuna's value for one of the key, None where it is none of the values."""
        # To Python, true is 1.
        alike = (place for place, one in enumerate(self.values) if one == value and type(one) is type(value))
        return next(alike, None)


Dimension = Range | Choice


def parse_space(texts: Iterable[str], source: str = "--param") -> tuple[Dimension, ...]:
    """Return the dimensions that ``key=low:high``, ``key=low:high:log`` and ``key=a,b,c`` ask for.

    Args:
        texts: one a key
        source: named in errors

    Raises:
        ConfigError: a text has another form, a key is given twice, or a value is refused
    """
    space: dict[str, Dimension] = {}
    for text in texts:
        key, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not key or not key.isprintable() or not values:
            raise ConfigError(_FORM, file=source, value=text)
        if key in space:
            raise ConfigError("is given twice", file=source, key=key)
        try:
            space[key] = _range(key, values) or Choice(key, parse_axis(key, values).values)
        except ConfigError as error:
            value = values if error.value is None else error.value
            raise ConfigError(error.reason, file=source, key=key, value=value) from error
        if len(set(map(str, space[key].ends))) < 2:
            raise ConfigError("has one value alone: --set gives it", file=source, key=key, value=values)
    if not space:
        raise ConfigError(_FORM, file=source)
    return tuple(space.values())


def check_space(
    space: Iterable[Dimension], accepts: Callable[[Mapping[str, Any]], object], source: str = "--param"
) -> tuple[Dimension, ...]:
    """Return the space with the ranges of whole numbers known, after a look whether each end of each can be played.

    An end counts as playable where the scenario accepts it with the other keys as they are, or with all of them at
    their first or all at their last end: some parameters may not be larger than others. A range whose bounds are whole
    numbers is one of whole numbers where the value half a step above the lower bound is refused.

    Args:
        space: as it was asked for
        accepts: raises ConfigError where the scenario refuses values, by key
        source: named in errors

    Raises:
        ConfigError: an end is refused
    """
    space = tuple(space)
    corners = ({one.key: one.ends[0] for one in space}, {one.key: one.ends[-1] for one in space})
    for one in space:
        for end in one.ends:
            _check_end(accepts, {one.key: end}, corners, source)
    return tuple(
        replace(one, whole=_is_whole(one, accepts, corners)) if isinstance(one, Range) else one for one in space
    )


def _check_end(
    accepts: Callable[[Mapping[str, Any]], object],
    values: Mapping[str, Any],
    corners: Iterable[Mapping[str, Any]],
    source: str,
) -> None:
    """Raise why values are refused, wherever the other keys are."""
    refused: ConfigError | None = None
    for corner in ({}, *corners):
        try:
            accepts({**corner, **values})
        except ConfigError as error:
            refused = refused or error
        else:
            return
    assert refused is not None
    raise ConfigError(refused.reason, file=source, key=refused.key, value=refused.value) from refused


def _is_whole(one: Range, accepts: Callable[[Mapping[str, Any]], object], corners: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a range is of whole numbers, by the type of what it changes."""
    if not (isinstance(one.low, int) and isinstance(one.high, int)):
        return False
    try:
        _check_end(accepts, {one.key: one.low + 0.5}, corners, "")
    except ConfigError:
        return True
    return False


def _range(key: str, text: str) -> Range | None:
    """Return the range that a text is, None where it is a list."""
    parts = text.split(":")
    if len(parts) == 1 or "," in text or set("\"'[]{}") & set(text):
        return None
    log = len(parts) == 3 and parts[2].strip() == "log"
    if len(parts) != 2 and not log:
        raise ConfigError("a range has the form low:high or low:high:log", value=text)
    low, high = (parse_number(part, text, "both bounds of a range must be numbers") for part in parts[:2])
    if not low < high:
        raise ConfigError("the lower bound must be less than the upper one", value=text)
    if log and low <= 0:
        raise ConfigError("a logarithmic range begins above 0", value=text)
    return Range(key, low, high, log)
