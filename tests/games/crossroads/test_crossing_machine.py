"""The crossing's protocol, whatever happens to messages, robots and the scheduler: nobody meets, all are served."""

import random

import pytest
from helpers.crossing_model import PLAN, CrossingModel
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from arena_trees.games.crossroads.messages import Urgency

ROBOTS = [f"r{number}" for number in range(4)]
MOVEMENTS = sorted(PLAN.movements, key=str)


class CrossingMachine(RuleBasedStateMachine):
    """Invariants: no two robots in each other's way, no lease lengthened by delay, order kept, all served in time.

    That nobody enters without a lease that outlasts its crossing is checked where the model's robots enter.
    """

    @initialize(patience=st.sampled_from([0.0, 20.0]), courtesy=st.sampled_from([0.0, 5.0, 3600.0]))
    def begin(self, patience: float, courtesy: float) -> None:
        self.model = CrossingModel(len(ROBOTS), patience, courtesy)

    @rule(
        movements=st.lists(st.sampled_from(MOVEMENTS), min_size=4, max_size=4),
        urgency=st.sampled_from(Urgency),
        ticks=st.integers(50, 300),
    )
    def go_on(self, movements, urgency: Urgency, ticks: int) -> None:
        """Whoever is at home sets out, one of them with an urgency; time passes."""
        for tick in range(ticks):
            if tick % 50 == 0:
                for robot, movement in zip(ROBOTS, movements, strict=True):
                    self.model.ask(robot, movement, urgency if robot == ROBOTS[0] else Urgency.NORMAL)
            self.model.step()
            self.model.check()

    @rule(
        loss=st.sampled_from([0.0, 0.2, 0.6]),
        longest=st.sampled_from([0, 5, 30, 100]),
        cut=st.sampled_from([None, *ROBOTS]),
        seed=st.integers(0, 1 << 16),
    )
    def flow(self, loss: float, longest: int, cut: str | None, seed: int) -> None:
        """Messages arrive after 0 to ``longest`` tenths of a second, overtaking each other, or not at all."""
        wire = self.model.wire
        wire.flowing, wire.loss, wire.longest, wire.cut, wire.random = True, loss, longest, cut, random.Random(seed)

    @precondition(lambda self: self.model.wire.pending)
    @rule(place=st.floats(0, 1, exclude_max=True), copies=st.integers(0, 2), keep=st.booleans())
    def deliver_one(self, place: float, copies: int, keep: bool) -> None:
        """Out of turn; lost, once or twice, and perhaps once more later."""
        self.model.deliver(int(place * len(self.model.wire.pending)), copies, keep)
        self.model.check()

    @rule(
        mishap=st.sampled_from(["die", "restart", "hold back", "clear up"]),
        robot=st.sampled_from(ROBOTS),
    )
    def mishap(self, mishap: str, robot: str) -> None:
        model = self.model
        if mishap == "die":
            model.kill(robot)
        elif mishap == "restart":
            model.restart()
        elif mishap == "hold back":
            model.wire.flowing = False
        else:
            model.clear_up()

    @rule(dies=st.booleans(), ticks=st.integers(20, 100))
    def strand(self, dies: bool, ticks: int) -> None:
        """Somebody dies inside, or sticks there."""
        self.model.strand_inside(dies, ticks)

    @rule(holder=st.sampled_from(ROBOTS), restarts=st.booleans())
    def cut_off_with_a_lease(self, holder: str, restarts: bool) -> None:
        """One that waits on a lease hears and says nothing any more; perhaps the scheduler starts anew meanwhile."""
        model = self.model
        if model.robots[holder].client.lease_left(model.now) > 0.0 and not model.robots[holder].inside:
            model.wire.cut = holder
            if restarts:
                model.restart()

    def teardown(self) -> None:
        if hasattr(self, "model"):
            self.model.settle()


@pytest.mark.parametrize("examples", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_crossing(examples: int) -> None:
    run_state_machine_as_test(
        CrossingMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            # Shrinking a run of minutes takes minutes; a failure is shown as it was found.
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
