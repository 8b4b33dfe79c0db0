"""The rows of the matrix of faults: what breaks, and what the robot may still do then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.simulation.faults.fault import Fault

__all__ = ["FaultMatrix", "FaultRow", "load_matrix"]

_FILE = "faults.yaml"


class FaultRow(Parameters):
    """One row: a fault, or several at once, and its bound."""

    what: str = parameter(..., "what is the matter, in words", min_length=3)
    faults: list[dict[str, Any]] = Field(
        default_factory=list, description="entries of a scenario's faults, without robot and beginning"
    )
    stands_s: float | None = parameter(
        None, "bound: the robot stands so long after the beginning, and until the end of the fault", "s", gt=0, le=60
    )
    speed: float | None = parameter(
        None, "bound: it drives no faster than this in the second half of the fault", "m/s", gt=0, le=5
    )
    way_m: float | None = parameter(None, "bound: it drives no farther than this", "m", gt=0, le=100)
    outside_m: float | None = parameter(
        None, "bound: its centre is no farther outside its fence; that of the matrix where not given", "m", ge=0, le=100
    )
    needs: Literal["place"] | None = parameter(
        None, "stands_s and speed bind only robots whose velocity gate needs the place that localisation gives"
    )
    tested_by: list[str] = Field(default_factory=list, description="further tests of the same fault")
    elsewhere: str = parameter("", "why a scenario cannot have this fault; tested_by says what tests it")

    @field_validator("faults")
    @classmethod
    def _are_faults(cls, faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for values in faults:
            # Raises where a key or a value is none.
            Fault.model_validate({"robot": "robot", **values})
            if taken := {"robot", "at_s", "random_s"} & set(values):
                raise ValueError(f"the matrix itself says {', '.join(sorted(taken))}")
        return faults

    @model_validator(mode="after")
    def _is_played_or_not(self) -> FaultRow:
        if bool(self.faults) == bool(self.elsewhere):
            raise ValueError("a row has either faults or elsewhere")
        return self


class FaultMatrix(Parameters):
    """Rows, and which scenarios play them."""

    trials: int = parameter(5, "trials of each cell", "", ge=1, le=100_000)
    seed: int = parameter(1000, "seed of the first trial of each cell", "", ge=0, lt=1 << 31)
    begin_s: float = parameter(..., "when faults begin", "s", ge=0, le=3600)
    random_s: float = parameter(..., "and up to so much later, drawn for each trial", "s", ge=0, le=3600)
    duration_s: float = parameter(..., "length of each trial", "s", gt=0, le=3600)
    outside_m: float = parameter(..., "bound: no robot's centre is farther outside its fence", "m", ge=0, le=100)
    scenarios: dict[str, dict[str, Any]] = Field(description="scenario to its changes, key to value")
    tested_by: dict[str, list[str]] = Field(
        default_factory=dict, description="part of a robot, or key of a sensor, to the tests of its faults"
    )
    rows: dict[str, FaultRow] = Field(description="by name")

    def tests_of(self, row: FaultRow) -> list[str]:
        """Return the tests of a row: its own, and those of what is faulty, each once."""
        faulty = []
        for values in row.faults:
            part = str(values.get("part", "sensor"))
            faulty += [str(values.get("sensor", "scan")), part] if part == "sensor" else [part]
        named = (*row.tested_by, *(path for name in faulty for path in self.tested_by.get(name, ())))
        return list(dict.fromkeys(named))

    @property
    def played(self) -> Mapping[str, FaultRow]:
        """The rows that scenarios can have, by name."""
        return {name: row for name, row in self.rows.items() if not row.elsewhere}

    def outside_of(self, row: str) -> float:
        """Return how far (m) a robot may be outside its fence."""
        bound = self.rows[row].outside_m
        return self.outside_m if bound is None else bound

    def faults_of(self, row: str, robot: str) -> list[dict[str, Any]]:
        """Return the entries of a scenario's faults by which a robot has those of a row."""
        when = {"robot": robot, "at_s": self.begin_s, "random_s": self.random_s}
        return [{**when, **values} for values in self.rows[row].faults]


def load_matrix(path: Path | None = None) -> FaultMatrix:
    """Return the matrix in a file.

    Args:
        path: of the file; the one that ships with the code where not given

    Raises:
        ConfigError: the file cannot be used
    """
    return load_model(FaultMatrix, path or resource_path("config", _FILE))
