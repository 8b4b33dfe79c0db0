"""A fault of a simulated robot: of what, which, from when, for how long and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from pydantic import field_validator, model_validator

from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["KINDS", "Fault", "drawn_faults", "sensor_names"]

_NOT_SENSED = (keys.NOW, keys.GEOFENCE, keys.INBOX)
"""Percepts that no sensor measures."""

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sensor": ("silent", "frozen", "stuck", "garbage", "delayed", "intermittent", "wrong", "flood"),
        "base": ("silent", "delayed", "intermittent", "weak", "slip", "sag", "carried"),
        "line": ("silent", "intermittent", "lossy", "duplicated", "reordered", "delayed", "flood"),
        "computer": ("killed", "stopped", "restarted", "slow"),
        "clock": ("jumps", "stands"),
    }
)
"""Part of a robot to the kinds of fault that it may have."""


def sensor_names() -> tuple[str, ...]:
    """Return the names of all sensors; lane and markers are what a lane camera sees."""
    return tuple(key for key in keys.percept_keys() if key not in _NOT_SENSED)


class Fault(Parameters):
    """One part of one robot is faulty for a while, once or again and again."""

    robot: str = parameter(..., "name of the robot")
    part: Literal["sensor", "base", "line", "computer", "clock"] = parameter(
        "sensor", "which part of it; line is its line to other robots and to the rules"
    )
    sensor: str = parameter(
        "scan", "which of its sensors, by the key of its percept; lane and markers are what its lane camera sees"
    )
    kind: Literal[
        "silent", "frozen", "stuck", "garbage", "delayed", "intermittent", "wrong", "flood", "weak", "slip", "sag",
        "carried", "lossy", "duplicated", "reordered", "killed", "stopped", "restarted", "slow", "jumps", "stands",
    ] = parameter("silent", "what is the matter with it")  # fmt: skip
    at_s: float = parameter(0.0, "when it begins", "s", ge=0, le=86_400)
    random_s: float = parameter(
        0.0,
        "begins up to so much later, drawn for each trial; with others that have the same at_s and random_s",
        "s",
        ge=0,
        le=86_400,
    )
    for_s: float | None = parameter(None, "for how long; to the end where not given", "s", gt=0, le=86_400)
    every_s: float | None = parameter(
        None, "comes again, so long after its last beginning; once where not given", "s", gt=0, le=86_400
    )
    delay_s: float = parameter(1.0, "of kind delayed", "s", gt=0, le=60)
    period_s: float = parameter(1.0, "of kind intermittent: silent for the first half of each", "s", gt=0, le=600)
    share: float = parameter(
        0.5,
        "of messages on a line that are lossy, duplicated or reordered; of the left wheel's speed that is lacking"
        " (weak), of both wheels' motion that is lost on the floor (slip), of the largest speed that is lacking (sag)",
        gt=0,
        le=1,
    )
    scale: float = parameter(1.0, "of kind wrong: factor of what is measured", ge=-10, le=10)
    bias: float = parameter(0.0, "of kind wrong: added to what is measured, in its unit", ge=-1000, le=1000)
    yaw_deg: float = parameter(
        0.0, "of kind wrong: by how much a sensor is turned on its mount; carried: by how much the robot is", "deg",
        ge=-180, le=180,
    )  # fmt: skip
    x_m: float = parameter(0.0, "of kind carried: how far in the map's x", "m", ge=-100, le=100)
    y_m: float = parameter(0.0, "of kind carried: how far in the map's y", "m", ge=-100, le=100)
    by_s: float = parameter(3600.0, "of kind jumps: by how much the clock does, back where negative", "s")
    times: int = parameter(
        10,
        "of kind slow: how many times as long a tick takes; flood: how many messages come for one",
        "",
        ge=2,
        le=1000,
    )

    @field_validator("sensor")
    @classmethod
    def _exists(cls, sensor: str) -> str:
        if sensor not in sensor_names():
            raise ValueError(no_such("sensor", sensor, sensor_names()))
        return sensor

    @model_validator(mode="after")
    def _fits(self) -> Fault:
        if self.kind not in KINDS[self.part]:
            raise ValueError(no_such(f"fault of a {self.part}", self.kind, KINDS[self.part]))
        if self.part != "sensor" and "sensor" in self.model_fields_set:
            raise ValueError(f"a fault of a {self.part} is of no sensor")
        if self.kind == "restarted" and self.for_s is None:
            raise ValueError("a computer that is restarted needs its time: give for_s")
        if self.kind == "killed" and self.for_s is not None:
            raise ValueError("a computer that is killed does not come back; see restarted")
        if self.every_s is not None and (self.for_s is None or self.for_s >= self.every_s):
            raise ValueError("a fault that comes again ends before: give a shorter for_s")
        if self.kind == "wrong" and (self.scale, self.bias, self.yaw_deg) == (1.0, 0.0, 0.0):
            raise ValueError("says not what is wrong: give scale, bias or yaw_deg")
        return self

    def elapsed(self, now: int) -> int | None:
        """Return for how long (ns) it has acted at an instant (ns); None while it does not."""
        elapsed = now - from_seconds(self.at_s)
        if elapsed < 0:
            return None
        if self.every_s is not None:
            elapsed %= from_seconds(self.every_s)
        return None if self.for_s is not None and elapsed >= from_seconds(self.for_s) else elapsed

    def acts(self, now: int) -> bool:
        """Return whether something is the matter at an instant (ns)."""
        elapsed = self.elapsed(now)
        if elapsed is None or self.kind != "intermittent":
            return elapsed is not None
        period = from_seconds(self.period_s)
        return elapsed % period < period // 2


def drawn_faults(faults: Sequence[Fault], seed: int) -> list[Fault]:
    """Return the faults of a trial, with the beginnings that are drawn for it; equal ``at_s`` and ``random_s`` are one.

    Args:
        faults: of the scenario
        seed: of the trial
    """
    streams = RandomStreams(seed).child("faults")
    begins: dict[tuple[float, float], float] = {}
    drawn = []
    for number, fault in enumerate(faults):
        if fault.random_s:
            span = fault.at_s, fault.random_s
            if span not in begins:
                begins[span] = fault.at_s + fault.random_s * float(streams.generator(str(number)).random())
            fault = fault.model_copy(update={"at_s": begins[span]})
        drawn.append(fault)
    return drawn
