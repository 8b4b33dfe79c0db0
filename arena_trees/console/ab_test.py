"""A/B tests: two sets of values play the same seeds in other processes, and each metric shows which is better."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Any

from arena_trees.console.game_process import plan_of
from arena_trees.console.own_process import start_process
from arena_trees.experiments.comparison import compare
from arena_trees.experiments.metrics import summarise
from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.runner import Job, list_jobs, play_job
from arena_trees.experiments.workers import Workers, spread
from arena_trees.games.metrics import Metric, Values
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["ABTest", "Arms", "compared", "play_pairs"]

_NICE = 10
"""The game that somebody watches comes first."""


@dataclass(frozen=True, slots=True)
class Arms:
    """What is compared.

    Attributes:
        scenario: name or file
        pairs: to play; each has the seed after that of the one before
        a: key to value of the first arm
        b: key to value of the second arm
    """

    scenario: str
    pairs: int
    a: Mapping[str, Any]
    b: Mapping[str, Any]

    @property
    def plans(self) -> dict[str, TrialPlan]:
        """What each arm plays.

        Raises:
            ConfigError: a change cannot be used, or both arms are the same
        """
        if self.a == self.b:
            raise ConfigError("is the same as A", key="B", value=dict(self.b))
        return {name: plan_of(self.scenario, arm) for name, arm in (("A", self.a), ("B", self.b))}


class ABTest:
    """Plays pairs of trials in other processes. Its methods may be called from any thread.

    Args:
        arms: what is compared

    Raises:
        ConfigError: an arm cannot be played
    """

    def __init__(self, arms: Arms) -> None:
        # Refused here, where somebody waits for the answer.
        _ = arms.plans
        self._lock = threading.Lock()
        self._stopped = False
        self._progress: dict[str, Any] = {**asdict(arms), "done": 0, "running": True, "metrics": []}
        self._process, self._connection = start_process(f"{__name__}.{play_pairs.__name__}", arms)
        self._reader = threading.Thread(target=self._read, name="console-ab-test", daemon=True)
        self._reader.start()

    @property
    def progress(self) -> Mapping[str, Any]:
        """How it stands, as plain values.

        These are the fields of :class:`Arms`, how many pairs are ``done``, whether it is ``running``, why it ``failed``
        if it did, and of each of the ``metrics`` its name and meaning, the summaries ``a`` and ``b``, the mean
        difference B - A with the ends of its 95 % interval, and the ``verdict`` when all pairs are done.
        """
        with self._lock:
            return dict(self._progress)

    def stop(self) -> None:
        """End its processes; what was found stays."""
        self._stopped = True
        self._process.terminate()
        self._process.wait()
        self._reader.join()

    def close(self) -> None:
        """End its processes, and what is known of them."""
        self.stop()
        self._connection.close()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                news = self._connection.recv()
                with self._lock:
                    self._progress |= news
        with self._lock:
            if not self._stopped and self._progress["done"] < self._progress["pairs"]:
                self._progress.setdefault("failed", "the process that played has ended")
            self._progress["running"] = False


def play_pairs(number: int) -> None:
    """Play the pairs of an A/B test, and send how it stands after each.

    Args:
        number: file descriptor of the connection
    """
    # Ctrl-C reaches the whole terminal; whoever started this process ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICE)
    with Connection(number) as connection, suppress(BrokenPipeError, ConnectionResetError):
        (arms,) = connection.recv()
        try:
            _play_arms(arms, connection)
        except ArenaTreesError as error:
            connection.send({"failed": str(error)})


def _play_arms(arms: Arms, connection: Connection) -> None:
    plans = arms.plans
    played: dict[str, dict[int, Values]] = {name: {} for name in plans}
    jobs = list_jobs(plans, arms.pairs)
    # One processor is left to the game that is watched.
    workers = Workers(max(1, (os.cpu_count() or 1) - 1)).at_most(len(jobs))
    with spread(_play, jobs, workers) as results:
        for arm, index, values in results:
            played[arm][index] = values
            done = sorted(played["A"].keys() & played["B"].keys())
            first, second = ([played[name][index] for index in done] for name in plans)
            is_over = len(done) == arms.pairs
            connection.send({"done": len(done), "metrics": compared(first, second, plans["A"].game.metrics, is_over)})


def _play(job: Job) -> tuple[str, int, Values]:
    return job.arm, job.index, play_job(job).values


def compared(
    first: Sequence[Values], second: Sequence[Values], metrics: Sequence[Metric], is_over: bool
) -> list[dict[str, Any]]:
    """Return the result of each metric that may be better in one of two arms, as plain values.

    Which arm is better is stated only for the pairs that were planned: whoever looked after each pair, and stopped at
    pleasure, would find differences where there are none.

    Args:
        first: values of A's trials
        second: values of B's trials of the same seeds, in the same order
        metrics: of the game
        is_over: whether all pairs were played
    """
    means = [summarise(side, metrics) for side in (first, second)]
    winners = {"better": "A", "worse": "B"}
    return [
        {
            "name": name,
            "text": one.metric.text,
            "wanted": one.metric.better,
            "a": means[0][name].value,
            "b": means[1][name].value,
            "difference": one.difference.value,
            "low": one.difference.low,
            "high": one.difference.high,
            "verdict": winners.get(one.verdict, one.verdict) if is_over else "",
        }
        for name, one in compare(first, second, metrics).items()
        if one.metric.better is not None
    ]
