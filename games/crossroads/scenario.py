"""The scenario of a crossing, checked: its traffic, what goes wrong, and how long it is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from arena_trees.games.crossroads.drive import plan_drive
from arena_trees.games.crossroads.kinematic import CrossingWorldParameters
from arena_trees.perception.crossing.localiser import LocaliserParameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.robot.yaml_files import load_yaml, validate
from arena_trees.simulation.faults import Fault
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.plan_files import flatten
from arena_trees.world.crossing.floor import FloorParameters
from arena_trees.world.crossing.plan import CrossingPlan

__all__ = [
    "Crossroads",
    "CrossroadsFault",
    "CrossroadsPlan",
    "change_crossroads",
    "is_crossroads",
    "load_crossroads",
    "plan_crossroads",
]

_SHOWN = 4
_FREE = ("crosser", "sensors")
"""Keys under which stands what other models check."""


class CrossroadsFault(Parameters):
    """A death: of a robot's computer, or of the scheduler."""

    dies: Literal["robot", "scheduler"] = parameter("robot", "who")
    robot: str | None = parameter(
        None, "which robot, as soon as it drives; the first one that is in the box where not given"
    )
    at_s: float = parameter(0.0, "not before this time", "s", ge=0, le=86_400)
    for_s: float | None = parameter(
        None,
        "then the robot is carried away, one that drives for good, or the scheduler starts anew and knows nothing; "
        "never where not given",
        "s",
        gt=0,
        le=86_400,
    )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> CrossroadsFault:
        if self.dies == "scheduler" and self.robot is not None:
            raise ValueError("either the scheduler dies or a robot, not both")
        return self


class Crossroads(CrossingWorldParameters):
    """One scenario of a crossing."""

    robots: int = parameter(4, "robots; each drives again when it has reached the end of its arm", ge=1, le=200)
    description: str = parameter("", "what it is for")
    game: Literal["crossroads"] = parameter("crossroads", "what is played")
    sensing: Literal["kinematic", "lidar", "rendered"] = parameter(
        "kinematic",
        "robots are points on their lanes, without sensors; or they drive, by LiDAR and odometry, or by rendered "
        "cameras as well",
    )
    strategy: Literal["arena", "source"] = parameter(
        "arena", "how robots that drive steer: ours, or document 003's way, which needs its protocol"
    )
    floor: FloorParameters = parameter(FloorParameters(), "lines, walls and markers, for robots that drive")
    crosser: dict[str, Any] = Field(default_factory=dict, description="parameters of robots that drive to change")
    sensors: dict[str, Any] = Field(default_factory=dict, description="their sensors' parameters to change")
    localiser: LocaliserParameters = parameter(LocaliserParameters(), "how they know where they are")
    duration_s: float = parameter(600.0, "length of a trial", "s", gt=0, le=86_400)
    trials: int = parameter(10, "trials that a run plays", "", ge=1, le=1_000_000)
    seed: int = parameter(1000, "seed of the first trial; the next has the next seed", "", ge=0, lt=1 << 31)
    faults: list[CrossroadsFault] = Field(default_factory=list, description="who dies, and when")
    sensor_faults: list[Fault] = Field(
        default_factory=list, description="sensors of robots that drive, which fall silent, and when"
    )
    variants: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="further arms of the run, each with its changes, in the same worlds"
    )

    @model_validator(mode="after")
    def _names_its_robots(self) -> Crossroads:
        for index, fault in enumerate(self.faults):
            if fault.robot is not None and fault.robot not in self.names:
                raise ConfigError("there is no such robot", key=f"faults.{index}.robot", value=fault.robot)
        for index, silent in enumerate(self.sensor_faults):
            if self.sensing == "kinematic":
                raise ConfigError("points on lanes have no sensors", key="sensor_faults", value=self.sensing)
            if silent.robot not in self.names:
                raise ConfigError("there is no such robot", key=f"sensor_faults.{index}.robot", value=silent.robot)
        if self.strategy == "source" and self.protocol != "source":
            # It takes longer to cross than our leases last.
            raise ConfigError("needs protocol: source", key="strategy", value=self.strategy)
        return self

    @property
    def names(self) -> Sequence[str]:
        """Names of the robots."""
        return [f"robot_{number}" for number in range(1, self.robots + 1)]


@dataclass(frozen=True, slots=True)
class CrossroadsPlan:
    """A scenario of a crossing, checked.

    Attributes:
        scenario: the scenario
    """

    scenario: Crossroads

    @property
    def robots(self) -> Sequence[str]:
        """Names of the robots that a display of the run has room for."""
        return self.scenario.names[:_SHOWN]


def is_crossroads(path: str | Path) -> bool:
    """Return whether a file says that it is a scenario of a crossing.

    Raises:
        ConfigError: it cannot be read, or is no YAML
    """
    values = load_yaml(path)
    return isinstance(values, dict) and values.get("game") == "crossroads"


def load_crossroads(path: str | Path) -> Crossroads:
    """Return the scenario in a file, its variants checked with it.

    Raises:
        ConfigError: the file or its values cannot be used
    """
    scenario = validate(Crossroads, load_yaml(path), path)
    for name, changes in scenario.variants.items():
        try:
            change_crossroads(scenario, changes)
        except ConfigError as error:
            own = ConfigError(error.reason, key=error.key, value=error.value)
            raise own.within(path, f"variants.{name}") from error
    return scenario


def change_crossroads(scenario: Crossroads, changes: Mapping[str, Any]) -> Crossroads:
    """Return the scenario with changes, dotted keys to values; those of the robots are checked with their plan.

    Raises:
        ConfigError: a key is unknown or a value is refused
    """
    own = {key: value for key, value in changes.items() if key.split(".")[0] not in _FREE}
    for first in _FREE:
        inner = {key.partition(".")[2]: value for key, value in changes.items() if key.startswith(f"{first}.")}
        if inner:
            own[first] = {**dict(flatten(getattr(scenario, first))), **inner}
    whole = {key: value for key, value in changes.items() if key in _FREE}
    changed: Crossroads = scenario.with_changes({**own, **whole})
    return changed


def plan_crossroads(scenario: Crossroads, source: str | Path) -> CrossroadsPlan | TrialPlan:
    """Check what the scenario's model alone cannot.

    Args:
        scenario: the scenario
        source: named in errors

    Raises:
        ConfigError: there is no such crossing
    """
    try:
        CrossingPlan(scenario.plan)
    except ConfigError as error:
        raise error.within(source, "plan") from error
    return CrossroadsPlan(scenario) if scenario.sensing == "kinematic" else plan_drive(scenario, source)
