"""The live parameters of a game's robots: what they are, what they may be, and how they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena_trees.games.registry import game_of_role
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameter_fields import ParameterField, parameter_fields, values_of
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.cues import PARTS

if TYPE_CHECKING:
    from arena_trees.experiments.trial import Trial

__all__ = ["Tuning", "check_cue", "sheet"]


class Tuning:
    """Shows and changes the parameters of a trial's trees.

    Args:
        trial: whose robots they are
    """

    def __init__(self, trial: Trial) -> None:
        self._live = trial.parameters
        self._roles = {name: trial.plan.role(name).name for name in self._live}
        self._begin = {name: values_of(live.proposed) for name, live in self._live.items()}

    def sheets(self) -> dict[str, Any]:
        """Return of each robot its role, the fields of its parameters, and their values, as plain values."""
        return {
            name: sheet(self._roles[name], type(live.value), self._begin[name], values_of(live.proposed))
            for name, live in self._live.items()
        }

    def change(self, robot: str, changes: Mapping[str, Any]) -> None:
        """Change parameters of a robot before its next tick, whole or not at all.

        Raises:
            ConfigError: there is no such robot, or a key or value is refused
        """
        if robot not in self._live:
            raise ConfigError(no_such("robot", robot, self._live), key="robot", value=robot)
        live = self._live[robot]
        now = values_of(live.proposed)
        changed = {key: value for key, value in changes.items() if key not in now or now[key] != value}
        if changed:
            live.propose(changed)


def sheet(role: str, model: type[Parameters], begin: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a robot's role, the cues of its game, the fields of its parameters, and their values, as plain values.

    Args:
        role: of the robot
        model: of its parameters
        begin: key to value, as they were at first
        values: key to value, as they are
    """
    fields = [_described(field) for field in parameter_fields(model)]
    return {"role": role, "cues": list(game_of_role(role).shows), "fields": fields, "begin": begin, "values": values}


def check_cue(sheets: Mapping[str, Any], robot: str, cue: str) -> None:
    """Raise ConfigError where a robot has no such cue, or where there is no such robot.

    Args:
        sheets: robot to its sheet
        robot: that is to be given the cue
        cue: name of an event; with ``/light`` or ``/song`` behind it for this part of its show alone
    """
    if robot not in sheets:
        raise ConfigError(no_such("robot", robot, sheets), key="robot", value=robot)
    cues = [name + part for name in sheets[robot]["cues"] for part in ("", *(f"/{part}" for part in PARTS))]
    if cue not in cues:
        raise ConfigError(no_such("cue", cue, cues), key="cue", value=cue)


def _described(field: ParameterField) -> dict[str, Any]:
    bounds = field.bounds
    kinds = {bool: "boolean", int: "integer", float: "number", str: "text"}
    return {
        "key": field.key,
        "kind": "choice" if field.choices else kinds.get(field.kind, "json"),
        "unit": field.unit,
        "description": field.description,
        "low": bounds.get("ge", bounds.get("gt")),
        "high": bounds.get("le", bounds.get("lt")),
        "choices": [choice for choices in field.choices for choice in choices],
        "optional": field.may_be_none,
        "read_only": field.is_read_only,
    }
