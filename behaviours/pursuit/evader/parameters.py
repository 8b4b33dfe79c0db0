"""Parameters of the evader."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from pydantic import model_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["EvaderParameters"]


class EvaderParameters(Parameters):
    """The evader. The report gives none of its numbers."""

    manner: Literal["source", "hide", "dodge", "hide_and_dodge"] = parameter(
        "source",
        "explores away from the chaser as the Pursuit and Engagement report has it, hides behind walls and boxes, "
        "dodges when it is aimed at, or does both: it dodges in plain view, and hides else",
        read_only=True,
    )
    arena: str = parameter(
        "", "arena file whose walls and boxes it hides behind; that of the scenario where it has one", read_only=True
    )
    min_speed: float = parameter(0.10, "lowest speed that is drawn for a way ahead", "m/s", gt=0.0, le=5.0)
    max_speed: float = parameter(0.20, "highest speed that is drawn for a way ahead", "m/s", gt=0.0, le=5.0)
    turn_speed: float = parameter(1.0, "yaw rate of a turn on the spot", "rad/s", gt=0.0, le=20.0)
    step_s: float = parameter(
        0.1,
        "between two looks: the next place is where it would be then; chance is asked anew",
        "s",
        gt=0.0,
        le=2.0,
    )
    move_chance: float = parameter(
        0.2, "chance at each look that it moves on where it may; otherwise it turns further", gt=0.0, le=1.0
    )
    clearance: float = parameter(0.30, "it goes no nearer to an obstacle ahead of its hull", "m", gt=0.0, le=5.0)
    threat_timeout: float = parameter(1.0, "an older message about the chaser is ignored", "s", gt=0.0, le=10.0)
    gain: float = parameter(3.0, "yaw rate per bearing of where it heads for", "1/s", gt=0.0, le=20.0)
    dodge_angle_deg: float = parameter(
        15.0, "it is aimed at where the barrel points so near to it (dodge)", "deg", gt=0.0, le=180.0
    )
    dodge_reach: float = parameter(
        1.5, "and the chaser is nearer than this share of its laser's reach (dodge)", gt=0.0, le=10.0
    )
    dodge_min_s: float = parameter(0.6, "shortest time until it reverses (dodge)", "s", gt=0.0, le=30.0)
    dodge_max_s: float = parameter(2.0, "longest time until it reverses (dodge)", "s", gt=0.0, le=30.0)
    dodge_near: float = parameter(
        1.0, "a chaser so near is dodged wherever its barrel points (hide_and_dodge)", "m", ge=0.0, le=20.0
    )
    cover_margin: float = parameter(
        0.15, "it keeps its hull this far from walls and boxes on its way to cover (hide)", "m", ge=0.0, le=5.0
    )
    cover_arrival: float = parameter(0.10, "it has come to its cover within this (hide)", "m", gt=0.0, le=5.0)
    cover_near: float = parameter(
        1.0,
        "a way to cover so short is taken, and not dodged on, when it is aimed at (hide_and_dodge)",
        "m",
        ge=0.0,
        le=50.0,
    )
    eye_height: float = parameter(0.30, "height of what it hides, above the floor (hide)", "m", gt=0.0, le=5.0)

    @cached_property
    def dodge_angle(self) -> float:
        """Angle between barrel and evader within which it is aimed at, rad."""
        return math.radians(self.dodge_angle_deg)

    @model_validator(mode="after")
    def _ranges_are_ordered(self) -> EvaderParameters:
        for low, high in (("min_speed", "max_speed"), ("dodge_min_s", "dodge_max_s")):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} is larger than {high}")
        return self
