"""Profiles: how hard a world is, as ranges of settings of sensors, network and walls, drawn anew for each trial."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_model, load_yaml, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.misplaced_walls import WallErrors

__all__ = ["CLEAN", "Profile", "Range", "load_profile", "profile_names"]

CLEAN = "clean"
"""The profile in which every value is as the scenario, its game or the sensor itself has it."""
_FILE = "profiles.yaml"


class Range(Parameters):
    """Limits of a value that each trial draws evenly."""

    low: float = parameter(..., "least value", allow_inf_nan=False)
    high: float = parameter(..., "largest value", allow_inf_nan=False)
    source: str = parameter(
        ..., "what the limits were taken from: recording, paper, data sheet, or a guess", min_length=3
    )

    @model_validator(mode="after")
    def _is_ordered(self) -> Range:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Profile(Parameters):
    """How hard a world is.

    What the scenario gives itself, or its game, is not drawn.
    """

    description: str = parameter("", "what kind of world it is")
    sensors: dict[str, Range] = Field(
        default_factory=dict, description="settings of a robot's base and sensors; each robot draws its own"
    )
    bus: dict[str, Range] = Field(default_factory=dict, description="settings of the line between the robots")
    arena: dict[str, Range] = Field(default_factory=dict, description="how far walls stand from where the map has them")

    def draw_sensors(self, robot: str, seed: int) -> dict[str, float]:
        """Return a robot's settings of base and sensors in a trial, by dotted key.

        Args:
            robot: its name
            seed: of the trial
        """
        return _draw(self.sensors, RandomStreams(seed).child(f"profile.sensors.{robot}"))

    def draw_bus(self, seed: int) -> dict[str, float]:
        """Return the settings of the line between the robots in the trial of a seed."""
        return _draw(self.bus, RandomStreams(seed).child("profile.bus"))

    def draw_arena(self, seed: int) -> dict[str, float]:
        """Return how far walls stand from where the map has them in the trial of a seed, by key."""
        return _draw(self.arena, RandomStreams(seed).child("profile.arena"))


@lru_cache(maxsize=1)
def profile_names() -> tuple[str, ...]:
    """Return the names of the profiles that ship with the code."""
    return (CLEAN, *load_yaml(resource_path("config", _FILE)))


def load_profile(name: str, folder: Path | None = None) -> Profile:
    """Return a profile.

    Args:
        name: of one that ships with the code, or a YAML file with one
        folder: in which a file is looked for first

    Raises:
        ConfigError: there is none, or it cannot be used
    """
    for path in (*(() if folder is None else (folder / name,)), Path(name)):
        if path.suffix in (".yaml", ".yml") and os.path.isfile(path):
            return _checked(load_model(Profile, path), path)
    if name not in profile_names():
        raise ConfigError(no_such("profile", name, profile_names()), key="profile", value=name)
    return Profile() if name == CLEAN else _shipped(name)


@lru_cache(maxsize=8)
def _shipped(name: str) -> Profile:
    path = resource_path("config", _FILE)
    values: Mapping[str, Any] = load_yaml(path)
    return _checked(validate(Profile, values[name], path, name), path)


def _checked(profile: Profile, file: Path) -> Profile:
    """Return a profile whose limits can all be set; else a trial would fail that happens to draw what cannot.

    Raises:
        ConfigError: a key is unknown, or a limit is refused
    """
    for part, ranges, model in (
        ("sensors", profile.sensors, SensorParameters()),
        ("bus", profile.bus, BusParameters()),
        ("arena", profile.arena, WallErrors()),
    ):
        for key, one in ranges.items():
            for end in ("low", "high"):
                value = getattr(one, end)
                try:
                    model.with_changes({key: value})
                except ConfigError as error:
                    where = f"{part}.{error.key or key}.{end}"
                    raise ConfigError(error.reason, file=file, key=where, value=value) from error
    return profile


def _draw(ranges: Mapping[str, Range], streams: RandomStreams) -> dict[str, float]:
    """Draw each value from a stream of its own, so that a further range disturbs no other."""
    return {key: float(streams.generator(key).uniform(one.low, one.high)) for key, one in ranges.items()}
