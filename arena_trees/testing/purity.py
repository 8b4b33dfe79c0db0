"""Rules and judges must be pure: the same input has the same output, independent of the clock and of chance."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np

from arena_trees.games.game import Game, GameContext, Judge, Rules
from arena_trees.games.truth import Observation, Truth
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["JudgeLog", "RulesLog", "check_judge", "check_rules", "no_clock_no_chance"]

_FORBIDDEN: Mapping[Any, Sequence[str]] = {
    time: ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "sleep"),
    random: ("random", "uniform", "randint", "randrange", "choice", "choices", "shuffle", "sample", "gauss"),
    np.random: ("random", "rand", "randn", "randint", "uniform", "normal", "choice", "shuffle", "permutation"),
}


@contextmanager
def no_clock_no_chance(who: str) -> Iterator[None]:
    """Let whoever reads a clock of the machine, or draws a random number without a seed, fail."""

    def refused(name: str) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> Any:
            raise AssertionError(f"{who}: {name} is asked for; there is the game's own now, and its random streams")

        return fail

    seeded = np.random.default_rng

    def default_rng(seed: Any = None) -> Any:
        return refused("numpy.random.default_rng without a seed")() if seed is None else seeded(seed)

    with ExitStack() as patches:
        for module, names in _FORBIDDEN.items():
            for name in names:
                patches.enter_context(mock.patch.object(module, name, refused(f"{module.__name__}.{name}")))
        patches.enter_context(mock.patch.object(np.random, "default_rng", default_rng))
        yield


@dataclass
class RulesLog:
    """Stands between a trial and its rules, and keeps what they are given and what they answer.

    Attributes:
        rules: the rules
        calls: name and arguments of each call, and what was answered
    """

    rules: Rules
    calls: list[tuple[str, tuple[Any, ...], str]] = field(default_factory=list)

    def begin(self, now: int) -> None:
        """Begin the game (ns)."""
        self._call("begin", now)

    def stop(self, now: int, reason: str) -> None:
        """End the game (ns)."""
        self._call("stop", now, reason)

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Sequence[Any]:
        """Advance to an instant (ns)."""
        return self._call("step", now, dict(truth), inbox)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)

    def _call(self, name: str, *arguments: Any) -> Sequence[Any]:
        sent = _asked(self.rules, name, arguments)
        self.calls.append((name, arguments, _answer(self.rules, sent)))
        return sent


@dataclass
class JudgeLog:
    """Stands between a trial and its judge, and keeps what it sees and its verdicts.

    Attributes:
        judge: the judge
        seen: each observation, and the judge's verdict on it
    """

    judge: Judge
    seen: list[tuple[Observation, str]] = field(default_factory=list)

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        self.judge.observe(seen)
        # The trial goes on with the same mapping of ticks.
        self.seen.append((replace(seen, ticks=dict(seen.ticks)), _verdict(self.judge)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.judge, name)


def check_rules(game: Game, context: GameContext, log: RulesLog) -> None:
    """Give two new sets of rules, in turn, what those of a trial were given.

    Raises:
        AssertionError: they answer otherwise, or look at a clock
    """
    pair = [game.make_rules(context), game.make_rules(context)]
    with no_clock_no_chance(f"the rules of {game.name}"):
        for number, (name, arguments, answer) in enumerate(log.calls):
            for rules in pair:
                assert rules is not None
                again = _answer(rules, _asked(rules, name, arguments))
                assert again == answer, (
                    f"the rules of {game.name} are not pure: told the same, they answer otherwise"
                    f" in call {number} ({name} at {arguments[0]} ns): {again}, and before {answer}"
                )


def check_judge(game: Game, context: GameContext, log: JudgeLog) -> None:
    """Show two new judges, in turn, what that of a trial saw.

    Raises:
        AssertionError: they say otherwise, or look at a clock
    """
    pair = [game.make_judge(context), game.make_judge(context)]
    with no_clock_no_chance(f"the judge of {game.name}"):
        for seen, verdict in log.seen:
            for judge in pair:
                judge.observe(seen)
                again = _verdict(judge)
                assert again == verdict, (
                    f"the judge of {game.name} is not pure: shown the same, it says otherwise"
                    f" at {seen.now} ns: {again}, and before {verdict}"
                )
        expected = _figures(log.judge)
        for judge in pair:
            again = _figures(judge)
            assert again == expected, (
                f"the judge of {game.name} is not pure: shown the same, its figures are {again}, not {expected}"
            )


def _asked(rules: Rules, name: str, arguments: tuple[Any, ...]) -> list[Any]:
    return list(getattr(rules, name)(*arguments) or ())


def _answer(rules: Rules, sent: list[Any]) -> str:
    return repr((sent, rules.end, rules.state))


def _verdict(judge: Judge) -> str:
    return repr((judge.outcome, judge.reason, judge.over))


def _figures(judge: Judge) -> str:
    return repr((dict(judge.values()), tuple(judge.marks()), tuple(judge.charts()), tuple(judge.shapes())))
