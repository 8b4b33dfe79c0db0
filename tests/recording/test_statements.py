"""Statements about ticks: true when they should be, and when not, the message says who, when, what, and by how much."""

from collections.abc import Sequence
from typing import Any

import pytest
from helpers.recorded import record
from helpers.scenario_plans import planned
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.experiments.promises.conditions import (
    Condition,
    breach,
    condition,
    cue,
    driving,
    faster_than,
    heard,
    latched,
    leaf,
    limited_by,
    moving_inward,
    moving_outward,
    safe,
    seeing,
    standing,
    status,
    truly_outside,
    turning_faster_than,
)
from arena_trees.experiments.promises.statements import (
    TraceError,
    always,
    check,
    eventually,
    failure,
    never,
    robustness,
    whenever,
)
from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.experiments.trial import run_trial
from arena_trees.games.wolf_rabbit.messages import GamePhase, GameState
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.traces.tick import Tick
from arena_trees.recording.traces.trace import Trace, Traces
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Percepts

caught = heard("caught", GameState, lambda game: game.phase is GamePhase.CAPTURED)


def trace(letters: str, period: float = 0.1) -> Trace:
    """Return a trace of ten ticks a second, whose leaves are the letters."""
    ticks = [Tick(round(number * period * 1e9), b"", active=letter) for number, letter in enumerate(letters)]
    return Trace("fox", [TraceTick(number * period, tick, Percepts(tick.now)) for number, tick in enumerate(ticks)])


def one_of(letters: str) -> Condition:
    return Condition(letters, lambda moment: moment.tick.active in letters)


A, B, C = one_of("aAB"), one_of("bAB"), one_of("c")
"""``a`` is A, ``b`` is B, and a capital letter is A and B."""


@pytest.mark.parametrize(
    ("statement", "letters", "true"),
    [
        (always(A), "aaa", True), (always(A), "aab", False), (always(A), "", False),
        (never(A), "bbb", True), (never(A), "bba", False),
        (eventually(A), "bbba", True), (eventually(A), "bbbb", False),
        (eventually(A).within(0.25), "bbaa", True), (eventually(A).within(0.25), "bbba", False),
        (whenever(A).holds(B), "xAAxA", True), (whenever(A).holds(B), "xAax", False),
        (whenever(A).within(0.2).holds(B), "aaAAxaaA", True), (whenever(A).within(0.2).holds(B), "aaaA", False),
        (whenever(A).within(0.2).holds(B), "aaxaax", True),
        (whenever(A).within(0.2).holds(B).until(C), "axbbbcxx", True),
        (whenever(A).within(0.2).holds(B).until(C), "axbbxbc", False),
        (whenever(A).within(0.2).holds(B).until(C), "axbb", True),
        (whenever(A).within(0.2).holds(B).until(C), "acxxx", True),
        (whenever(A).within(0.2).holds(B).until(C), "axbcxaxbxc", False),
        (whenever(A).holds(B).lasts(0.2), "Abbx", True), (whenever(A).holds(B).lasts(0.2), "Abxx", False),
        (whenever(A).within(0.3).comes(B), "axxbxx", True), (whenever(A).within(0.3).comes(B), "axxxxb", False),
        (whenever(A).within(0.3).comes(B), "axx", True), (whenever(A).within(0.3).comes(B), "axbxaxxxxx", False),
        (whenever(A).holds(B), "xxx", False), (whenever(A, at_least=0).holds(B), "xxx", True),
        (whenever(A, at_least=2).holds(B), "xAx", False), (whenever(A, at_least=2).holds(B), "AxA", True),
        (whenever(A, at_least=2).within(1.0).comes(B), "AxA", True),
    ],
)  # fmt: skip
def test_what_is_true(statement: Any, letters: str, true: bool):
    assert (failure(trace(letters), statement) is None) is true
    assert (robustness(trace(letters), statement) > 0.0) is true


def driven(*speeds: float) -> Trace:
    ticks = [Tick(n * 100_000_000, b"", twist=Twist2D(speed, 0.0)) for n, speed in enumerate(speeds)]
    return Trace("fox", [TraceTick(n * 0.1, tick, Percepts(tick.now)) for n, tick in enumerate(ticks)])


FAST, VERY_FAST, TOO_FAST = faster_than(0.2), faster_than(0.3), faster_than(0.5)


@pytest.mark.parametrize(
    ("statement", "speeds", "expected"),
    [
        (never(TOO_FAST), (0.1, -0.45, 0.2), 0.05), (never(TOO_FAST), (0.1, 0.7), -0.2),
        (always(FAST), (0.3, 0.25), 0.05), (always(FAST), (0.3, 0.05), -0.15),
        (eventually(FAST), (0.1, 0.26, 0.1), 0.06), (eventually(FAST), (0.1, 0.15), -0.05),
        (eventually(FAST).within(0.15), (0.1, 0.18, 0.4), -0.02),
        (always(~TOO_FAST & FAST), (0.3, 0.45), 0.05), (always(VERY_FAST | ~FAST), (0.35, 0.05), 0.05),
        # While it is owed, by how much it holds; while it is not, how far it is from being owed, or from holding.
        (whenever(FAST).holds(~TOO_FAST), (0.1, 0.4, 0.1), 0.1), (whenever(FAST).holds(~TOO_FAST), (0.1, 0.6), -0.1),
        (whenever(FAST).holds(~TOO_FAST), (0.1, 0.25), 0.25),
        (whenever(FAST, at_least=0).holds(TOO_FAST), (0.1, 0.15), 0.05), (whenever(FAST).holds(TOO_FAST), (0.1,), -0.1),
        (whenever(FAST).within(0.15).comes(TOO_FAST), (0.3, 0.55, 0.1), 0.05),
        (whenever(FAST).within(0.15).comes(TOO_FAST), (0.3, 0.4, 0.3, 0.3), -0.1),
    ],
)  # fmt: skip
def test_by_how_much_a_statement_is_true(statement: Any, speeds: tuple[float, ...], expected: float):
    assert robustness(driven(*speeds), statement) == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.floats(-1.0, 1.0, allow_subnormal=False), min_size=1, max_size=30),
    st.sampled_from(
        [
            never(TOO_FAST), always(~TOO_FAST), eventually(FAST).within(1.0),
            whenever(FAST).within(0.2).holds(~TOO_FAST),
            whenever(FAST, at_least=0).holds(VERY_FAST).lasts(0.3),
            whenever(FAST, at_least=2).within(0.3).comes(TOO_FAST),
            whenever(VERY_FAST, at_least=0).holds(FAST).until(TOO_FAST),
        ]
    ),
)  # fmt: skip
def test_robustness_is_negative_where_a_statement_fails_and_nowhere_else(speeds: list[float], statement: Any):
    by = robustness(driven(*speeds), statement)
    assert (failure(driven(*speeds), statement) is None) is (by > 0.0) or abs(by) < 1e-9


def test_conditions_combine_and_read_well():
    both = A & ~B | C
    assert str(both) == "aAB and not bAB or c"
    assert [both(moment) for moment in trace("aAbc").moments] == [True, False, False, True]

    @condition("at the first leaf")
    def first(moment: TraceTick) -> bool:
        return moment.tick.active == "a"

    assert str(never(first)) == "never at the first leaf"


def test_the_message_says_who_when_and_what():
    tick = Tick(0, b"", active="Go", twist=Twist2D(0.5, 0.0), reasons=("speed cap",), fault="x")
    moments: Sequence[TraceTick] = [*trace("aab").moments, TraceTick(0.3, tick, Percepts(0))]
    with pytest.raises(TraceError) as raised:
        check(Trace("fox", moments), never(faster_than(0.306)))
    assert str(raised.value) == (
        "fox at 0.30 s (tick 3): never faster than 0.306 m/s: faster than 0.306 m/s"
        " [leaf Go; twist +0.50 m/s +0.00 rad/s; gate speed cap; latched: x]"
    )
    assert failure(trace("xxaxx"), whenever(A).within(0.1).comes(B)) == (
        "fox at 0.40 s (tick 4): whenever aAB, within 0.1 s comes bAB: aAB at 0.20 s, and not bAB since"
        " [leaf x; twist +0.00 m/s +0.00 rad/s]"
    )
    assert failure(trace("bbb"), eventually(A)) == (
        "fox at 0.20 s (tick 2): eventually aAB: has not come true to the end [leaf b; twist +0.00 m/s +0.00 rad/s]"
    )
    assert failure(trace("xx"), whenever(A).holds(B)) == (
        "fox: whenever aAB, within 0 s bAB: it was aAB 0 times, fewer than 1: nothing was shown"
    )


def test_statements_about_a_recorded_game(recording: Recording):
    wolf = Trace.of_recording(recording, "wolf")
    check(
        wolf,
        never(faster_than(0.3061)),
        never(turning_faster_than(1.9001)),
        never(latched | truly_outside),
        eventually(seeing("rabbit_sign")).within(2.0),
        eventually(cue("CATCH")),
        whenever(leaf("Chase the rabbit")).holds(status("Chase the rabbit", "RUNNING")),
        whenever(limited_by("scan stale")).holds(standing),
        whenever(caught).within(1.0).holds(standing),
        whenever(cue("CHASE")).within(1.0).comes(driving),
    )
    check(Trace.of_recording(recording, "rabbit"), whenever(caught).within(0.1).comes(leaf("Play dead")))
    assert failure(wolf, never(cue("CATCH"))) is not None
    assert failure(wolf, always(safe)) is not None, "before the first pose nobody knows"


def test_a_live_trial_and_its_recording_say_the_same(tmp_path: Any):
    changes = {"seed": 1003, "duration_s": 8.0}
    traces = Traces()
    run_trial(planned("breach_recovery", **changes), 0, watch=traces.watch)
    live = traces["wolf"]
    recorded = Trace.of_recording(load_recording(record(tmp_path, "breach_recovery", **changes)))
    assert set(traces) == {"wolf"}
    names = (breach, safe, moving_inward, moving_outward, standing)
    for name in names:
        assert [name(moment) for moment in live.moments] == [name(moment) for moment in recorded.moments], name
    for one in (live, recorded):
        check(
            one,
            never(breach & moving_outward),
            whenever(breach).within(0.5).holds(~standing).until(~breach),
            whenever(breach).within(8.0).comes(safe | ~breach),
            whenever(leaf("Drive inside")).within(1.0).comes(moving_inward),
        )
