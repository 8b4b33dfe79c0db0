"""YAML files: a safe, strict loader whose errors name file, line, key and value."""

from __future__ import annotations

import re
import stat
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arena_trees.robot.configuration.hints import did_you_mean, keys_beside, no_such_file
from arena_trees.robot.errors import ConfigError

__all__ = ["MAXIMUM_BYTES", "first_error", "flatten", "load_model", "load_yaml", "split_key", "validate"]

MAXIMUM_BYTES = 100_000
"""Larger files are refused unread: no config of this project comes near, and the parser needs 10 s for a megabyte."""

MAXIMUM_DEPTH = 40
"""Deeper nesting is refused: it is noise, and would exhaust the parser's stack."""

_UNKNOWN = "unknown key"

ModelT = TypeVar("ModelT", bound=BaseModel)


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader with YAML 1.2 numbers and booleans, and without duplicate keys, aliases or other tags.

    PyYAML reads YAML 1.1, where ``1e3`` is text, ``012`` is ten and ``on`` is true
    [yaml.org/type]; here they are a number, text and text.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse aliases, tags and nesting that no config needs."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.constructor.ConstructorError(None, None, "aliases are not allowed", mark)
        # PyYAML's own tags are refused with the others: "!!int x" and their like raise anything.
        if getattr(event, "tag", None) is not None:
            raise yaml.constructor.ConstructorError(None, None, f"tag {event.tag!r} is not allowed", mark)
        if isinstance(event, yaml.ScalarEvent):
            event.value.encode()  # Raises for half a surrogate pair, which nothing could print or save.
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise yaml.constructor.ConstructorError(None, None, "nesting is too deep", mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Refuse duplicate keys, which PyYAML lets the last one win."""
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is not text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_StrictLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        r"^(?:[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        "-+0123456789.",
    ),
):
    _firsts = [character if character != "\0" else "" for character in _first]
    _StrictLoader.add_implicit_resolver(_tag, re.compile(_pattern), _firsts)


def load_yaml(path: str | Path) -> Any:
    """Return the plain values of a YAML file.

    Raises:
        ConfigError: the file is missing, too large, not text, or not YAML that this project accepts
    """
    path = Path(path)
    try:
        status = path.stat()
        # Who reads a FIFO or a device may wait for ever.
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError("is a directory" if stat.S_ISDIR(status.st_mode) else "is no regular file", file=path)
        size = status.st_size
        if size > MAXIMUM_BYTES:
            raise ConfigError(f"file has {size} bytes; at most {MAXIMUM_BYTES} are accepted", file=path)
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise ConfigError(no_such_file(path), file=path) from error
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", file=path) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 text: {error.reason} at byte {error.start}", file=path) from error
    except ValueError as error:  # There is a zero byte in the name.
        raise ConfigError(str(error), file=path) from error
    return parse_yaml(text, path)


def parse_yaml(text: str, file: str | Path) -> Any:
    """Return the plain values of YAML text; ``file`` is named in errors.

    Raises:
        ConfigError: the text is not YAML that this project accepts
    """
    try:
        # _StrictLoader is a SafeLoader.
        return yaml.load(text, Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise ConfigError(error.problem or "is not YAML", file=file, line=line) from error
    # OverflowError: an escape such as "\\UFFFFFFFF" that is no character.
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        reason = getattr(error, "reason", None) or str(error) or "is not YAML"
        raise ConfigError(reason, file=file) from error


def split_key(key: str) -> list[str]:
    """Return the parts of a dotted key.

    Raises:
        ConfigError: there are more than values are ever nested
    """
    parts = key.split(".")
    if len(parts) > MAXIMUM_DEPTH:
        raise ConfigError(f"has {len(parts)} parts; at most {MAXIMUM_DEPTH} are accepted", key=key)
    return parts


def flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted keys and values of nested maps, as :func:`split_key` takes them apart."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def first_error(error: ValidationError) -> tuple[str, str, object]:
    """Return dotted key, reason and refused value of the first error of a pydantic validation.

    What stands there comes before what is missing: an unknown key may have been meant for that.
    """
    details = _foremost(error)
    key = ".".join(str(part) for part in details["loc"])
    reason = details["msg"]
    if details["type"] == "extra_forbidden":
        reason = _UNKNOWN
    elif details["type"] == "missing":
        return key, "is required", None
    elif details["type"] == "value_error":
        reason = reason.removeprefix("Value error, ")
    elif details["input"] is None:
        reason += ", not null"
    return key, reason, details["input"]


def _foremost(error: ValidationError) -> ErrorDetails:
    """Return the first error of a pydantic validation, those last that say that something is missing."""
    return min(error.errors(include_url=False), key=lambda one: one["type"] == "missing")


def _missing_beside(error: ValidationError, path: tuple[int | str, ...]) -> str:
    """Return which keys are required where a path ends, as the end of a sentence."""
    missing = (one["loc"] for one in error.errors(include_url=False) if one["type"] == "missing")
    keys = [str(place[-1]) for place in missing if place[:-1] == path[:-1]]
    return f"; {' and '.join(keys)} {'is' if len(keys) == 1 else 'are'} required" if keys else ""


def validate(model: type[ModelT], values: Any, file: str | Path, key: str | None = None) -> ModelT:
    """Return the model made of plain values.

    Args:
        model: pydantic model
        values: plain values, a map in most cases
        file: named in errors
        key: dotted path of the values inside the file, put before the key that an error names

    Raises:
        ConfigError: the values do not fit the model
    """
    if not isinstance(values, dict):
        raise ConfigError("must be a map of keys to values", file=file, key=key, value=values)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found, reason, value = first_error(error)
        if reason == _UNKNOWN:
            path = _foremost(error)["loc"]
            reason += did_you_mean(str(path[-1]), keys_beside(model, path)) + _missing_beside(error, path)
        raise ConfigError(reason, file=file, key=".".join(filter(None, (key, found))), value=value) from error
    except ConfigError as error:
        raise error.within(file, key) from error


def load_model(model: type[ModelT], path: str | Path) -> ModelT:
    """Return the model that a YAML file holds.

    Raises:
        ConfigError: the file or its values cannot be used
    """
    values = load_yaml(path)
    return validate(model, {} if values is None else values, path)
