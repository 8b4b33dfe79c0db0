"""The scan watch: notices a LiDAR that sends nonsense."""

from __future__ import annotations

from arena_trees.robot.scan import Scan

__all__ = ["ScanWatch"]

MALFORMED = "scans malformed"

_MALFORMED = 3
"""Malformed scans in a row that stop the robot."""

_RECOVERED = 3
"""Good scans in a row that end it."""


class ScanWatch:
    """Looks at each scan once, in addition to the gate's own watch over age and content."""

    def __init__(self) -> None:
        self._malformed = False
        self._scan: Scan | None = None
        self._good = 0

    def observe(self, scan: Scan | None, malformed: int) -> str | None:
        """Return why the scans are not to be trusted, or None.

        Args:
            scan: the newest that was not refused
            malformed: how many in a row were refused since, because they contradict themselves
        """
        if malformed >= _MALFORMED:
            self._malformed, self._good = True, 0
        elif scan is not None and scan is not self._scan:
            self._scan = scan
            self._good += 1
            if self._good >= _RECOVERED:
                self._malformed = False
        return MALFORMED if self._malformed else None
