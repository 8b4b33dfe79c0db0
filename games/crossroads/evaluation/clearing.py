"""Dead robots that were carried away: how fast traffic comes back."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.games.crossroads.evaluation.trips import Vehicle
from arena_trees.games.metrics import Value
from arena_trees.robot.clock import to_seconds

__all__ = ["Clearings"]


class Clearings:
    """What follows each clearing of a trial.

    Args:
        stands: a robot slower than this stands, m/s
    """

    def __init__(self, stands: float) -> None:
        self._stands = stands
        self._clearings: list[_Clearing] = []

    def begin(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Note that a robot has been carried away (ns); the crossing is clear where no other is dead."""
        if not any(body.dead for body in bodies):
            self._clearings.append(_Clearing(now, bodies, self._stands))

    def observe(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Look at an instant (ns)."""
        for clearing in self._clearings:
            clearing.observe(now, bodies)

    def values(self, now: int) -> dict[str, Value]:
        """Return the longest times (s) of a trial that ends now (ns); empty where nothing was cleared."""
        if not self._clearings:
            return {}
        return {
            "flows_again_s": max(clearing.time_until(now, clearing.flowed) for clearing in self._clearings),
            "enters_again_s": max(clearing.time_until(now, clearing.entered) for clearing in self._clearings),
        }


class _Clearing:
    """What follows one clearing.

    Attributes:
        entered: instant of the next entry, ns; None before
        flowed: instant at which one that had stopped inside drove on, or of the next entry, ns; None before
    """

    def __init__(self, now: int, bodies: Sequence[Vehicle], stands: float) -> None:
        self.entered: int | None = None
        self.flowed: int | None = None
        self._at = now
        self._stands = stands
        self._stopped = [body for body in bodies if body.inside and not body.dead and abs(body.speed) < stands]

    def observe(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Look at an instant (ns)."""
        if self.entered is None and any(_entered(body) > self._at for body in bodies):
            self.entered = now
        drives_on = any(body.inside and abs(body.speed) >= self._stands for body in self._stopped)
        if self.flowed is None and (drives_on or self.entered is not None):
            self.flowed = now

    def time_until(self, now: int, instant: int | None) -> float:
        """Return the time (s) from the clearing to an instant (ns), or to now where it has not come."""
        return to_seconds((now if instant is None else instant) - self._at)


def _entered(body: Vehicle) -> int:
    return -1 if body.trip is None or body.trip.entered is None else body.trip.entered
