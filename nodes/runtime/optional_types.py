"""Message types that need not be installed: where a package is missing, the feature is off."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["optional_type"]

_warned: set[tuple[str, str]] = set()


def optional_type(node_or_logger: Any, package: str, kind: str, name: str, feature: str) -> Any | None:
    """Return a message or service type, or None where its package is not installed, which is logged once.

    Args:
        node_or_logger: node, or its logger
        package: such as ``vision_msgs``
        kind: ``msg`` or ``srv``
        name: such as ``Detection2DArray``
        feature: what is off without the type, as the subject of a sentence, such as ``detections``
    """
    try:
        return getattr(importlib.import_module(f"{package}.{kind}"), name)
    except (ImportError, AttributeError):
        pass
    if (package, feature) not in _warned:
        _warned.add((package, feature))
        logger = node_or_logger.get_logger() if hasattr(node_or_logger, "get_logger") else node_or_logger
        logger.warning(
            f"{feature}: off, because {package}/{kind}/{name} is not installed (apt install {_apt_name(package)})"
        )
    return None


def _apt_name(package: str) -> str:
    return f"ros-jazzy-{package.replace('_', '-')}"
