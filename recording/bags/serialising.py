"""Messages of any type in CDR, by rosbags: three to seven times as slow as :mod:`~arena_trees.recording.bags.cdr`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype

from arena_trees.recording.bags.message_types import typestore
from arena_trees.robot.ros_messages import layout

__all__ = ["serialised"]

_HEADER = "std_msgs/msg/Header"
_EMPTY = {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}


def serialised(kind: str, stamp: int, frame: str, fields: Mapping[str, Any]) -> bytes:
    """Return a message; headers that are not given, of its parts too, have its stamp and frame.

    Args:
        kind: its type, such as ``sensor_msgs/msg/Imu``
        stamp: of its headers, ns
        frame: of its headers
        fields: by their names, maps for fields of fields; those left out are zero or empty

    Raises:
        ValueError: a field is none of the type
    """
    header = _message(_HEADER, layout.header_fields(stamp, frame), None)
    return bytes(typestore().serialize_cdr(_message(kind, fields, header), kind))


def _message(kind: str, given: Mapping[str, Any], header: Any) -> Any:
    make, fields = _type(kind)
    if not given.keys() <= fields.keys():
        raise ValueError(f"{kind} has no field {', '.join(sorted(given.keys() - fields.keys()))}")
    return make(
        *(
            _value(node, given[name], header) if name in given else header if name == "header" else empty
            for name, (node, empty) in fields.items()
        )
    )


@cache
def _type(kind: str) -> tuple[Any, Mapping[str, tuple[Any, Any]]]:
    """Return the class of a message, and of each field, in order, what it is and what is in it where it is empty."""
    fields = typestore().fielddefs[kind][1]
    return typestore().types[kind], {name: (node, _empty(node)) for name, node in fields}


def _value(node: Any, given: Any, header: Any) -> Any:
    sort, about = node
    if sort is Nodetype.NAME:
        return _message(about, given, header)
    if sort is Nodetype.BASE:
        return given
    element_sort, element = about[0]
    if isinstance(given, np.ndarray):
        return given.astype(element[0], copy=False)
    if element_sort is Nodetype.BASE and element[0] != "string":
        return np.array(given, dtype=element[0])
    return [_value((element_sort, element), one, header) for one in given]


def _empty(node: Any) -> Any:
    """Return what is zero or empty; it is shared, for nobody changes what is serialised."""
    sort, about = node
    if sort is Nodetype.NAME:
        make, fields = _type(about)
        return make(*(empty for _, empty in fields.values()))
    if sort is Nodetype.BASE:
        return _EMPTY.get(about[0], 0)
    (element_sort, element), count = about
    count = count if sort is Nodetype.ARRAY else 0
    if element_sort is Nodetype.BASE and element[0] != "string":
        return np.zeros(count, dtype=element[0])
    return [_empty((element_sort, element))] * count
