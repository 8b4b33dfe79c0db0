"""What is said in a game of tag."""

from __future__ import annotations

from typing import Literal

import arena_trees as at

Phase = Literal["WAITING", "CHASE", "PAUSE", "OVER"]


class Place(at.GameMessage, topic="place"):
    """Where a robot takes itself to be, in the map frame, m; each says so ten times a second."""

    x: at.Number
    y: at.Number


class TagState(at.GameMessage, topic="tag"):
    """How the game stands; the referee repeats it ten times a second.

    Attributes:
        phase: in the PAUSE whoever was just tagged stands
        it: who has to tag the other
        tags: how often somebody was tagged
        score_s: robot name to the time that it was not "it", s
        places: robot name to where it is, m, map frame: for drawings. Robots go by each other's Place
    """

    phase: Phase
    it: at.Name
    tags: at.Count
    score_s: dict[at.Name, at.Duration]
    places: dict[at.Name, tuple[at.Number, at.Number]]
