"""Messages of any type in CDR, by rosbags: three times as slow as :mod:`~arena_trees.recording.bags.cdr`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype

from arena_trees.recording.bags.message_types import typestore
from arena_trees.robot.ros_messages import layout

__all__ = ["serialised"]

_EMPTY = {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}


def serialised(kind: str, stamp: int, frame: str, fields: Mapping[str, Any]) -> bytes:
    """Return a message, with a header where its type has one.

    Args:
        kind: its type, such as ``sensor_msgs/msg/Imu``
        stamp: of its header, ns
        frame: of its header
        fields: by their names, maps for fields of fields; those left out are zero or empty

    Raises:
        ValueError: a field is none of the type
    """
    has_header = any(name == "header" for name, _ in typestore().fielddefs[kind][1])
    head = {"header": layout.header_fields(stamp, frame)} if has_header else {}
    message = _message(kind, {**head, **fields})
    return bytes(typestore().serialize_cdr(message, kind))


def _message(kind: str, given: Mapping[str, Any]) -> Any:
    _, fields = typestore().fielddefs[kind]
    unknown = given.keys() - {name for name, _ in fields}
    if unknown:
        raise ValueError(f"{kind} has no field {', '.join(sorted(unknown))}")
    return typestore().types[kind](**{name: _value(node, given.get(name)) for name, node in fields})


def _value(node: Any, given: Any) -> Any:
    sort, about = node
    if sort is Nodetype.NAME:
        return _message(about, {} if given is None else given)
    if sort is Nodetype.BASE:
        return _EMPTY.get(about[0], 0) if given is None else given
    (element_sort, element), count = about
    given = (() if sort is Nodetype.SEQUENCE else [None] * count) if given is None else given
    if isinstance(given, np.ndarray):
        return given.astype(element[0], copy=False)
    if element_sort is Nodetype.BASE and element[0] != "string":
        return np.array([0 if one is None else one for one in given], dtype=element[0])
    return [_value((element_sort, element), one) for one in given]
