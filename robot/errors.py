"""The exceptions that Arena Trees raises on purpose."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "AimConflictError",
    "ArenaTreesError",
    "CommandConflictError",
    "ConfigError",
    "ScanError",
    "format_error",
    "shortened",
]


_LONGEST_KEY = 120
_LONGEST_VALUE = 60


class ArenaTreesError(Exception):
    """Base class of every exception that Arena Trees raises on purpose."""


class ConfigError(ArenaTreesError):
    """A file, a key or a value that a user gave cannot be used.

    The text is one line that names the file, the key and the value, so that the command line
    can print it as it stands.

    Args:
        reason: what is wrong, as a short format_error
        file: the file the value came from, if any
        key: dotted path of the key inside the file, if any
        value: the refused value; shown shortened, as are long names and keys
        line: 1-based line in the file, if known
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | Path | None = None,
        key: str | None = None,
        value: object = None,
        line: int | None = None,
    ) -> None:
        self.reason = " ".join(reason.split())
        self.file = file
        self.key = key
        self.value = value
        self.line = line
        super().__init__(str(self))

    def __str__(self) -> str:
        where = []
        if self.file is not None:
            name = shortened(str(self.file))
            where.append(name if self.line is None else f"{name}:{self.line}")
        if self.key:
            where.append(shortened(self.key, _LONGEST_KEY))
        text = ": ".join([*where, self.reason])
        if self.value is not None:
            text += f" (got {shortened(' '.join(repr(self.value).split()), _LONGEST_VALUE)})"
        return text

    def within(self, file: str | Path, key: str | None = None) -> ConfigError:
        """Return a copy that names the file, with ``key`` put before the key it names."""
        joined = ".".join(part for part in (key, self.key) if part) or None
        return ConfigError(self.reason, file=self.file or file, key=joined, value=self.value, line=self.line)


def shortened(text: str, most: int = 300) -> str:
    """Return a text as people can be shown it: of at most so many letters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


class ScanError(ArenaTreesError, ValueError):
    """A laser scan message contradicts itself and must not be used."""


class CommandConflictError(ArenaTreesError):
    """Two behaviours wrote the robot's command in one tick."""


class AimConflictError(ArenaTreesError):
    """Two behaviours aimed the robot's turret in one tick."""


def format_error(error: Exception) -> str:
    """Return an exception as one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
