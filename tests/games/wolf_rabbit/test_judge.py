"""The judge of wolf and rabbit where there are several rabbits, on observations made by hand."""

from __future__ import annotations

import pytest
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import draw_world
from arena_trees.games.truth import End, Observation, TruthSample
from arena_trees.games.wolf_rabbit.judge import WolfRabbitJudge
from arena_trees.games.wolf_rabbit.messages import ISOLATED, GamePhase
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.record import TickRecord

TICK = SECOND // 50
PLACES = {"grey": (0.0, 0.0), "black": (2.0, 0.0), "ruby": (0.5, 0.1), "hazel": (2.4, 0.0), "clover": (-3.0, 0.0)}


class Trial:
    """Shows a judge what two wolves and three rabbits do."""

    def __init__(self) -> None:
        plan = planned("wolf_rabbit_several")
        starts = {spec.name: spec.start for spec in draw_world(plan, 0).specs}
        self.judge = WolfRabbitJudge(plan.context(0, starts))
        self.places = dict(PLACES)
        self.caught: dict[str, tuple[float, float]] = {}
        self.verdicts: dict[str, dict[int, bool]] = {"grey": {}, "black": {}}
        self.now = 0

    def show(self, seconds: float = TICK / SECOND, catch: str = "", by: str = "", **records: TickRecord) -> None:
        if catch:
            self.caught[catch] = self.places[catch]
        if by:
            self.verdicts[by][len(self.verdicts[by]) + 1] = True
        alive = len(self.caught) < 3
        phase = GamePhase.ACTIVE if alive else GamePhase.CAPTURED
        verdicts = {wolf: dict(known) for wolf, known in self.verdicts.items()}
        changes = {"caught": dict(self.caught), "phase": phase, "rabbit_alive": alive, "verdicts_of": verdicts}
        state = ISOLATED.model_copy(update=changes)
        end = None if alive else End("caught", "the last", self.now)
        for _ in range(round(seconds * SECOND / TICK)):
            truth = {name: TruthSample(name, self.now, Pose2D(*place)) for name, place in self.places.items()}
            self.judge.observe(Observation(self.now, TICK, truth, records, state=state, end=end))
            self.now += TICK

    def __getitem__(self, name: str) -> object:
        return self.judge.values()[name]


def record(robot: str, cues: tuple[str, ...] = (), px: float | None = None) -> TickRecord:
    tracking = None if px is None else Tracking("chase", px, px, 0.0, px, 250, 0.02, 1.0)
    return TickRecord(robot, 0, 0, (), (), (), None, ZERO, (), b"", "", cues, tracking)


def test_the_game_is_won_with_the_last_catch_and_each_is_counted() -> None:
    trial = Trial()
    trial.show(1.0)
    trial.show(1.0, catch="ruby")
    assert (trial["caught"], trial["catches"], trial["time_to_catch_s"]) == (False, 1, None)
    assert trial.judge.outcome == "over"
    trial.show(1.0, catch="hazel")
    trial.places["clover"] = (-0.3, 0.0)
    trial.show(0.5, catch="clover")
    assert (trial["caught"], trial["catches"], trial["time_to_catch_s"]) == (True, 3, 3.0)
    assert trial["catch_true_distance_m"] == pytest.approx((0.26**0.5 + 0.4 + 0.3) / 3)
    assert [(mark.now_s, mark.label) for mark in trial.judge.marks()] == [(t, "caught") for t in (1.0, 2.0, 3.0)]
    assert (trial.judge.outcome, trial.judge.over) == ("caught", False)


def test_a_catch_is_from_where_the_wolf_was_whose_claim_was_accepted() -> None:
    for by, away in (("grey", 0.26**0.5), ("black", (1.5**2 + 0.1**2) ** 0.5), ("", 0.26**0.5)):
        trial = Trial()
        trial.show(0.1)
        trial.show(0.1, catch="ruby", by=by)
        assert trial["catch_true_distance_m"] == pytest.approx(away), by


def test_who_was_caught_in_the_round_before_is_not_caught_in_this_one() -> None:
    trial = Trial()
    trial.caught = {"ruby": (0.0, 0.0), "hazel": (1.0, 0.0)}
    trial.show(1.0)
    trial.caught = {}
    trial.show(1.0)
    assert trial["catches"] == 0
    trial.show(1.0, catch="ruby")
    assert trial["catches"] == 1


def test_who_is_not_caught_when_time_is_up_has_survived() -> None:
    trial = Trial()
    trial.show()
    trial.show(1.0, catch="ruby")
    while not trial.judge.over:
        trial.show(10.0)
    assert (trial.judge.outcome, trial["caught"], trial["catches"]) == ("survived", False, 1)


def test_rests_and_meals_are_of_all_rabbits() -> None:
    trial = Trial()
    trial.show(ruby=record("ruby", ("REST",)), clover=record("clover", ("REST", "EAT")))
    assert (trial["rest_events"], trial["meals"]) == (2, 1)


def test_the_distance_is_of_the_nearest_rabbit_that_is_not_caught() -> None:
    trial = Trial()
    trial.places["hazel"] = (2.0, 1.0)
    trial.show(0.2)
    trial.show(0.2, catch="ruby")
    (chart,) = trial.judge.charts()
    assert chart.title == "Distance of the nearest wolf to a rabbit, m"
    assert chart.curves[0].ys == pytest.approx((0.26**0.5, 0.26**0.5, 1.0, 1.0))


def test_a_column_is_compared_with_that_of_the_rabbit_that_is_steered_at() -> None:
    trial = Trial()
    trial.places |= {"ruby": (1.0, 0.2), "hazel": (1.0, -0.2)}
    trial.show(grey=record("grey", px=40.0))
    left = trial["tracking_error_filtered"]
    trial = Trial()
    trial.places |= {"ruby": (1.0, 0.2), "hazel": (1.0, -0.2)}
    trial.show(grey=record("grey", px=210.0))
    assert trial["tracking_error_filtered"] == pytest.approx(left)
    assert left < 0.3
