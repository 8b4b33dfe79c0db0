"""The times of the crossing's protocol, the same for the scheduler and for all robots."""

from __future__ import annotations

from arena_trees.games.crossroads.messages import Urgency
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["ProtocolParameters"]


class ProtocolParameters(Parameters):
    """Times of the crossing's protocol."""

    lease: float = parameter(12.0, "a robot may rely on a grant this long after it sent what is answered", "s", gt=0)
    request_period: float = parameter(0.2, "a robot that waits repeats its request this often", "s", ge=0.02, le=5)
    claim_period: float = parameter(
        0.1, "a robot that holds a lease publishes its place this often", "s", ge=0.02, le=5
    )
    publish_period: float = parameter(0.1, "the scheduler repeats its state this often", "s", ge=0.02, le=5)
    fresh: float = parameter(1.5, "only robots received within this time are let in, or followed", "s", gt=0, le=60)
    give_up: float = parameter(
        5.0, "a robot that cannot enter gives its lease back after this time and asks anew", "s", gt=0, le=600
    )
    priority_bonus: float = parameter(10.0, "a request of class PRIORITY counts as this much older", "s", ge=0, le=3600)
    emergency_bonus: float = parameter(
        120.0, "a request of class EMERGENCY counts as this much older; whoever has waited longer goes first", "s",
        ge=0, le=3600,
    )  # fmt: skip
    patience: float = parameter(
        20.0, "until a request is so old a later one in its way may go past it if that can go at once; 0: never", "s",
        ge=0, le=3600,
    )  # fmt: skip
    courtesy: float = parameter(
        5.0, "a request is held up for no longer than this, as is foreseen, by all that go past it", "s", ge=0, le=3600
    )
    pace: float = parameter(
        0.306, "speed at which robots are expected to cross; only the order depends on it", "m/s", gt=0
    )
    clock_drift: float = parameter(0.01, "largest relative error between two clocks' rates", ge=0, le=0.1)
    rival_hold: float = parameter(1.0, "no robot enters for this long after a message of a second scheduler", "s", gt=0)

    def bonus(self, urgency: Urgency) -> int:
        """Return by how much older (ns) a request of a class counts."""
        seconds = {
            Urgency.NORMAL: 0.0,
            Urgency.PRIORITY: self.priority_bonus,
            Urgency.EMERGENCY: self.emergency_bonus,
        }
        return from_seconds(seconds[urgency])
