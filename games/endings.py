"""Endings: by which rule a trial ends with an outcome; a game states its own as ``Game.endings``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["USUAL", "rules_named"]

USUAL: Mapping[str, str] = MappingProxyType(
    {
        "over": "Time was up, duration_s of the scenario, and none of the game's other outcomes had come.",
        "aborted": "The game was stopped from outside, by a person or a service, before a rule or the time ended it.",
    }
)
"""What holds for outcomes of any game that specifies nothing else for them."""

_RULE = re.compile(r"\brules\.\w+(?:\.\w+)*")


def rules_named(text: str) -> list[str]:
    """Return the keys of rules that an ending names, such as ``rules.lives``, each once."""
    return list(dict.fromkeys(_RULE.findall(text)))
