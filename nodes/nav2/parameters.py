"""How long Nav2 is waited for."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["Nav2Parameters"]


class Nav2Parameters(Parameters):
    """How long Nav2 is waited for."""

    frame: str = parameter("map", "frame of the goals")
    server_timeout: float = parameter(5.0, "a goal fails where there is no server for so long", "s", gt=0, le=60)
    acknowledge_timeout: float = parameter(3.0, "a goal fails that is not acknowledged within it", "s", gt=0, le=60)
    silence_timeout: float = parameter(
        5.0, "a goal fails about which the server is silent for so long: no feedback, no status", "s", gt=0, le=60
    )
    ask_period: float = parameter(1.0, "after so much silence, and again, the result is asked for", "s", gt=0, le=60)
    cancel_period: float = parameter(
        0.5, "a goal that was given up is cancelled so often until it ends", "s", gt=0, le=60
    )
    preemption_time: float = parameter(
        1.0, "the server may take so long to end a goal by itself that a new one replaced", "s", ge=0, le=60
    )
    remember_time: float = parameter(30.0, "a goal that was given up is looked after so long", "s", gt=0, le=3600)
    velocity_age: float = parameter(0.3, "Nav2's velocity counts so long", "s", gt=0, le=2)
