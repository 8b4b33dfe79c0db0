"""Reads JSON that may come from anybody: within limits, and refused for one reason in one line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from pydantic import ValidationError

__all__ = ["JsonError", "JsonLimits", "check_plain", "first_fault", "one_line", "read_json"]

_LARGEST = 1 << 63
"""Whole numbers lie between this and its negative; so do the stamps of ROS."""

_MOST_DIGITS = 20
"""Of a whole number, its sign included."""

_LONGEST_REASON = 200


class JsonError(ValueError):
    """A text or value is no JSON within limits; the text is one line."""


class JsonLimits(NamedTuple):
    """How much a text may hold.

    Attributes:
        bytes: of the whole text, in UTF-8
        depth: lists and maps that may lie in each other
        values: numbers, texts, lists and maps in all, and keys
        text: characters of a text or a key
    """

    bytes: int = 65_536
    depth: int = 16
    values: int = 50_000
    text: int = 10_000


def read_json(text: str, limits: JsonLimits = JsonLimits()) -> Any:  # noqa: B008 (it does not change)
    """Return what a JSON text holds: maps, lists, texts, finite numbers, truth values and None.

    Refused besides: a key that comes twice in one map, NaN and Infinity, a number that is too large (1e999,
    a whole number of more than 64 bits), and a text that UTF-8 cannot carry (half of a surrogate pair).

    Raises:
        JsonError: it holds none, or breaks the limits
    """
    if len(text) > limits.bytes or len(text.encode(errors="replace")) > limits.bytes:
        raise JsonError(f"longer than {limits.bytes} bytes")
    try:
        value = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=_refused, object_pairs_hook=_with_single_keys
        )
    except JsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonError(one_line(str(error))) from error
    check_plain(value, limits)
    return value


def check_plain(value: Any, limits: JsonLimits = JsonLimits()) -> None:  # noqa: B008 (as above)
    """Refuse a value that :func:`read_json` would not return; one that contains itself is too deep.

    Raises:
        JsonError: it is such a one
    """
    left = limits.values
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth >= limits.depth and isinstance(one, Mapping | list | tuple):
            raise JsonError(f"nested more than {limits.depth} deep")
        if isinstance(one, Mapping):
            for key in one:
                if not isinstance(key, str):
                    raise JsonError("a key is no text")
                _check_text(key, limits)
            left -= len(one)
            waiting.extend((item, depth + 1) for item in one.values())
        elif isinstance(one, list | tuple):
            waiting.extend((item, depth + 1) for item in one)
        else:
            _check_atom(one, limits)
        left -= 1
        if left < len(waiting):
            raise JsonError(f"holds more than {limits.values} values")


def _check_atom(one: Any, limits: JsonLimits) -> None:
    """Refuse what is no text, number, truth value or None."""
    if isinstance(one, str):
        _check_text(one, limits)
    elif isinstance(one, float):
        if not math.isfinite(one):
            raise JsonError(f"{one} is no number of JSON")
    elif isinstance(one, int):
        if not -_LARGEST <= one < _LARGEST:
            raise JsonError("a whole number has more than 64 bits")
    elif one is not None:
        raise JsonError(one_line(f"{type(one).__name__} is no value of JSON"))


def first_fault(error: ValidationError) -> str:
    """Return in one short line where and why a model refuses what it was given."""
    first = error.errors(include_url=False)[0]
    return one_line(": ".join(part for part in (".".join(map(str, first["loc"])), first["msg"]) if part))


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise JsonError("a whole number has more than 64 bits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise JsonError("a number is too large")
    return number


def _refused(constant: str) -> NoReturn:
    raise JsonError(f"{constant} is no number of JSON")


def _with_single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise JsonError("a key comes twice")
    return values


def _check_text(text: str, limits: JsonLimits) -> None:
    if len(text) > limits.text:
        raise JsonError(f"a text has more than {limits.text} characters")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise JsonError("a text cannot be encoded") from None


def one_line(text: str) -> str:
    """Return the beginning of a text as one short, printable line."""
    words = " ".join(text[: 2 * _LONGEST_REASON].split())
    return "".join(letter if letter.isprintable() else "?" for letter in words[:_LONGEST_REASON])
