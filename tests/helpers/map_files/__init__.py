"""Maps for tests."""

from pathlib import Path

__all__ = ["ROOM"]

ROOM = Path(__file__).with_name("room.yaml")
"""An empty room of 4 x 4 m about the origin."""
