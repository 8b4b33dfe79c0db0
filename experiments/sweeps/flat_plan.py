"""Plans that are plain values: a file of them, and how two of them differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import Self

from arena_trees.experiments.sweeps.sweep_plan import difference
from arena_trees.robot.errors import ConfigError

__all__ = ["FlatPlan"]


class FlatPlan:
    """Base of dataclasses whose fields are as JSON has them.

    Attributes:
        noun: what is planned, for errors
        wordings: how plans differ, by the first entry that does
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    noun: ClassVar[str]
    wordings: ClassVar[Mapping[str, str]]

    def to_json(self) -> bytes:
        """Return the text of the plan's file."""
        return json.dumps(asdict(self), indent=1, allow_nan=False, default=str).encode() + b"\n"

    @classmethod
    def from_json(cls, text: bytes, file: Path) -> Self:
        """Return the plan that a file holds.

        Args:
            text: of the file
            file: named in errors

        Raises:
            ConfigError: it is no plan
        """
        try:
            values = json.loads(text)
            if set(values) != {one.name for one in fields(cls)}:
                raise TypeError
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"is no plan of a {cls.noun}", file=file) from error

    def difference(self, other: Self) -> str | None:
        """Return what another plan has that this one has not, in words; None where both are one.

        Args:
            other: that is there
        """
        return difference(self.to_json(), other.to_json(), self.wordings)
