"""The exceptions that Arena Trees raises on purpose."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ArenaTreesError", "CommandConflictError", "ConfigError", "ScanError"]


class ArenaTreesError(Exception):
    """Base class of every exception that Arena Trees raises on purpose."""


class ConfigError(ArenaTreesError):
    """A file, a key or a value that a user gave cannot be used.

    The text is one line that names the file, the key and the value, so that the command line
    can print it as it stands.

    Args:
        reason: what is wrong, as a short phrase
        file: the file the value came from, if any
        key: dotted path of the key inside the file, if any
        value: the refused value; shown shortened
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
        where = [] if self.file is None else [str(self.file) if self.line is None else f"{self.file}:{self.line}"]
        if self.key:
            where.append(self.key)
        text = ": ".join([*where, self.reason])
        if self.value is not None:
            shown = " ".join(repr(self.value).split())
            text += f" (got {shown if len(shown) <= 60 else shown[:57] + '...'})"
        return text

    def within(self, file: str | Path, key: str | None = None) -> ConfigError:
        """Return a copy that names the file, with ``key`` put before the key it names."""
        joined = ".".join(part for part in (key, self.key) if part) or None
        return ConfigError(self.reason, file=self.file or file, key=joined, value=self.value, line=self.line)


class ScanError(ArenaTreesError, ValueError):
    """A laser scan message contradicts itself and must not be used."""


class CommandConflictError(ArenaTreesError):
    """Two behaviours wrote the robot's command in one tick."""
