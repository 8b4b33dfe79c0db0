"""Hints for people who mistyped a name: what they may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel

__all__ = ["did_you_mean", "keys_beside", "no_such", "no_such_file"]

_MOST = 3
_LIKE = 0.72
"""Similarity of two words (0 to 1) from which one may stand for the other; a reversed pair of letters has 0.8."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the question for the names most like a word, to be put behind a reason; empty where none is like it."""
    names = {name.lower(): name for name in sorted(known)}
    close = [names[found] for found in get_close_matches(word.lower(), names, _MOST, _LIKE)]
    return f": did you mean {', '.join(close[:-1])}{' or ' if close[1:] else ''}{close[-1]}?" if close else ""


def no_such(kind: str, word: str, known: Iterable[str]) -> str:
    """Return the reason that there is nothing of a kind by a name, with the names like it, or else with all there are.

    Args:
        kind: such as ``role``
        word: the name that was given
        known: names that there are
    """
    names = list(known)
    listed = f"; there are {', '.join(names)}" if names else ""
    return f"there is no such {kind}{did_you_mean(word, names) or listed}"


def no_such_file(path: Path) -> str:
    """Return the reason that there is no such file, with the files of its folder that are called like it."""
    try:
        others = [other.name for other in path.absolute().parent.iterdir()]
    except OSError:
        return "there is no such file"
    return f"there is no such file{did_you_mean(path.name, others)}"


def keys_beside(model: type[BaseModel], path: Iterable[str | int]) -> list[str]:
    """Return the keys that stand where a dotted path ends, for models within models; none where no model is there."""
    *groups, _ = path
    for group in groups:
        field = model.model_fields.get(str(group))
        kinds = [] if field is None else [field.annotation, *getattr(field.annotation, "__args__", ())]
        found = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not found:
            return []
        model = found[0]
    return list(model.model_fields)
