"""Energy: what the rabbit spends by moving and gains by resting."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.robot import keys
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live

__all__ = ["Exhausted", "Rest", "SpendEnergy"]


class SpendEnergy(PerceptBehaviour):
    """Take the energy that a tick of an activity costs; goes before the activity. Returns SUCCESS always.

    Blackboard Variables:
        * energy (float) [rw]: 0 to 100

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters, for the energy at the start
        rate: returns the drain, % per s
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters], rate: Callable[[], float]) -> None:
        super().__init__(name, robot, writes=(keys.ENERGY,))
        self.live = live
        self.rate = rate
        self.outputs.energy = live.value.energy_start
        self._last = 0

    def setup(self, **kwargs: object) -> None:
        """Start with the energy of the start."""
        self.outputs.energy = self.live.value.energy_start
        self._last = 0

    def update(self) -> Status:
        """Subtract the energy that the time since the last tick costs; SUCCESS always."""
        now = self.now
        # A gap means that another activity was on meanwhile, which paid for itself.
        dt = to_seconds(now - self._last)
        self._last = now
        if 0.0 < dt <= 0.1:
            self.outputs.energy = max(0.0, self.outputs.energy - self.rate() * dt)
        return Status.SUCCESS


class Exhausted(PerceptBehaviour):
    """SUCCESS when no energy is left. FAILURE otherwise.

    Blackboard Variables:
        * energy (float) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.ENERGY,))

    def update(self) -> Status:
        """Return SUCCESS if no energy is left, FAILURE otherwise."""
        return Status.SUCCESS if self.percepts.energy <= 0.0 else Status.FAILURE


class Rest(ActionBehaviour):
    """Stand still and gain energy. RUNNING until ``rest_resume_energy``, then SUCCESS.

    Blackboard Variables:
        * energy (float) [rw]
        * command [w]: zero
        * cues [w]: REST when it begins
    """

    def __init__(self, name: str, robot: str, live: Live[RabbitParameters]) -> None:
        super().__init__(name, robot, writes=(keys.ENERGY,))
        self.live = live
        self._last = 0

    def initialise(self) -> None:
        """Begin to rest."""
        self._last = self.now
        self.show("REST")

    def update(self) -> Status:
        """Command zero and add energy; RUNNING until ``rest_resume_energy``, then SUCCESS."""
        now = self.now
        parameters = self.live.value
        gained = parameters.rest_energy_gain_per_sec * to_seconds(now - self._last)
        self._last = now
        self.outputs.energy = min(100.0, self.outputs.energy + max(0.0, gained))
        if self.outputs.energy >= parameters.rest_resume_energy:
            return Status.SUCCESS
        self.drive(0.0, 0.0)
        return Status.RUNNING
