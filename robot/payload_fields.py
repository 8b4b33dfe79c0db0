"""Plain values of messages: each is checked before anything is computed with it."""

from __future__ import annotations

from typing import Any

__all__ = ["count", "duration", "flag", "number", "text"]

_MOST_COUNT = 1 << 53
_MOST_NUMBER = 1e6


def count(value: Any) -> int:
    """Return the value where it is a count: a whole number, zero or more, below 2**53.

    Raises:
        ValueError: it is not
    """
    if type(value) is not int or not 0 <= value < _MOST_COUNT:
        raise ValueError(f"{value!r} is no count")
    return value


def number(value: Any) -> float:
    """Return the value where it is a finite number of at most a million either way.

    Raises:
        ValueError: it is not
    """
    # The bound keeps what is computed of it finite, also in ns; NaN fails every comparison.
    if type(value) not in (int, float) or not abs(value) <= _MOST_NUMBER:
        raise ValueError(f"{value!r} is no number to be used here")
    return float(value)


def duration(value: Any) -> float:
    """Return the value where it is a number that is not negative.

    Raises:
        ValueError: it is not
    """
    if number(value) < 0.0:
        raise ValueError(f"{value!r} is no duration")
    return float(value)


def text(value: Any) -> str:
    """Return the value where it is a name of 1 to 64 characters.

    Raises:
        ValueError: it is not
    """
    if not isinstance(value, str) or not 0 < len(value) <= 64:
        raise ValueError(f"{value!r} is no name")
    return value


def flag(value: Any) -> bool:
    """Return the value where it is true or false.

    Raises:
        ValueError: it is not
    """
    if type(value) is not bool:
        raise ValueError(f"{value!r} is neither true nor false")
    return value
