"""A trial that a soak steps, whichever way its game is played: by robots in the arena, or in a world of its own."""

from __future__ import annotations

from typing import Protocol

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.trial import Trial
from arena_trees.robot.clock import from_seconds

__all__ = ["SteppedTrial", "open_trial"]


class SteppedTrial(Protocol):
    """A trial that has begun."""

    @property
    def over(self) -> bool:
        """Whether it has come to its end."""
        ...

    @property
    def stopped(self) -> int:
        """Number of its robots that a fault has stopped."""
        ...

    def step(self) -> None:
        """Advance everything in it by one tick."""
        ...

    def close(self) -> None:
        """Give back whatever it holds."""
        ...


def open_trial(plan: TrialPlan, index: int) -> SteppedTrial:
    """Make a trial and begin it; whoever opens it closes it.

    Args:
        plan: what to play
        index: number of the trial; its seed is the scenario's plus this
    """
    return _WorldTrial(plan, index) if plan.has_world else _ArenaTrial(plan, index)


class _ArenaTrial:
    """A trial in the arena."""

    def __init__(self, plan: TrialPlan, index: int) -> None:
        self._trial = Trial(plan, index)
        try:
            self._trial.begin()
        except BaseException:
            self._trial.close()
            raise
        self.step = self._trial.step
        self.close = self._trial.close

    @property
    def over(self) -> bool:
        return self._trial.judge.over or bool(self._trial.broken)

    @property
    def stopped(self) -> int:
        return sum(bool(loop.fault) for loop in self._trial.loops.values())


class _WorldTrial:
    """A trial of robots that have no trees which a fault could stop, and that hold nothing."""

    stopped = 0

    def __init__(self, plan: TrialPlan, index: int) -> None:
        world = plan.game.make_world(plan.context(index, {}), plan.scenario.seed + index)
        # The plan was checked.
        assert world is not None
        self._world = world
        self._end = from_seconds(plan.scenario.duration_s)
        self.step = world.step

    @property
    def over(self) -> bool:
        return self._world.now >= self._end or self._world.judge.over

    def close(self) -> None:
        """Do nothing."""
