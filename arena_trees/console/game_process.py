"""The process in which a game of the console is played, so that no browser ever slows a tick."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from arena_trees.console.exchange import Instruction, Played, State
from arena_trees.console.game_parts import GameParts
from arena_trees.console.pace import Pace
from arena_trees.console.quick_pickle import dumps
from arena_trees.console.tuning import Tuning, check_cue
from arena_trees.experiments.plan import TrialPlan, check_cameras, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario, scenario_names
from arena_trees.experiments.trial import Trial
from arena_trees.experiments.watching import Together
from arena_trees.games.registry import game_names
from arena_trees.recording.bags.message_buffer import MessageBuffer
from arena_trees.recording.trial_recorder import TrialRecorder, trial_info_of
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.loop import LoopState

__all__ = ["first_scenario", "plan_of", "play_game"]

_PERIOD_S = 1.0 / 25.0
"""Time between two parts that are sent."""


def play_game(number: int) -> None:
    """Play a trial by the orders that come through a connection, until ``quit`` or until it is closed.

    Args:
        number: file descriptor of the connection
    """
    # Ctrl-C reaches the whole terminal; whoever started this process ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(number)
    scenario, changes = connection.recv()
    try:
        trial = Trial(plan_of(scenario, changes), 0)
    except ArenaTreesError as error:
        connection.send(Played(None, State(scenario, 0, failed=str(error))))
        connection.close()
        return
    try:
        parts = GameParts(trial, scenario)
        recorder = TrialRecorder(MessageBuffer, trial, trial_info_of(trial, scenario))
        trial.observer = Together((parts, recorder))
        trial.begin()
        _Player(connection, trial, parts, recorder, scenario).play()
    except (BrokenPipeError, ConnectionResetError, EOFError):
        # Whoever wanted the game is gone.
        return
    finally:
        trial.close()
        connection.close()


def plan_of(scenario: str, changes: Mapping[str, Any]) -> TrialPlan:
    """Return what the console plays.

    Args:
        scenario: name or file
        changes: key to value, such as the seed

    Raises:
        ConfigError: the scenario or a change cannot be used, or its robots have no trees
    """
    path = find_scenario(scenario)
    plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
    if plan.has_world:
        raise ConfigError("its robots are points without sensors, which have no trees", key="scenario", value=scenario)
    check_cameras(plan)
    return plan


def first_scenario() -> str:
    """Return the first scenario that has the name of its game and robots with trees.

    Raises:
        ConfigError: there is none
    """
    for name in sorted(set(scenario_names()) & set(game_names())):
        try:
            plan_of(name, {})
        except ConfigError:
            continue
        return name
    raise ConfigError("there is no scenario with the name of its game", key="scenario")


class _Player:
    def __init__(
        self,
        connection: Connection,
        trial: Trial,
        parts: GameParts,
        recorder: TrialRecorder[MessageBuffer],
        scenario: str,
    ) -> None:
        self._connection = connection
        self._trial = trial
        self._parts = parts
        self._recorder = recorder
        self._topics = recorder.bag.topics
        self._tuning = Tuning(trial)
        self._tuned = 0
        self._sheets: Mapping[str, Any] | None = self._tuning.sheets()
        self._answers: list[tuple[int, str]] = []
        self._late: list[float] = []
        self._scenario = scenario
        self._running = self._quit = self._stopped = False
        self._pace = Pace()
        self._reached = 0.0
        self._sent = self._measured = time.perf_counter()
        self._measured_s = 0.0

    def play(self) -> None:
        self._send()
        while not self._quit:
            if not self._running:
                self._listen(None)
                continue
            now = time.perf_counter()
            if now - self._sent >= _PERIOD_S:
                self._send()
            pace = self._pace
            self._listen(max(0.0, min(pace.due, self._sent + _PERIOD_S) - now) if pace.speed else 0.0)
            if self._may_step():
                if pace.speed:
                    self._late.append(time.perf_counter() - pace.due)
                self._step()

    def _may_step(self) -> bool:
        """Return whether the next tick is due; an order may have paused the game."""
        return self._running and (not self._pace.speed or time.perf_counter() >= self._pace.due)

    def _listen(self, patience_s: float | None) -> None:
        """Follow the orders that wait, or come within a time (s); without one, wait for the next."""
        while self._connection.poll(patience_s):
            self._follow(self._connection.recv())
            patience_s = 0.0

    def _follow(self, order: Instruction) -> None:
        refused = ""
        if order.what == "step":
            self._running = False
            self._step()
        elif order.what in ("run", "pause"):
            self._running = order.what == "run" and not self._is_over()
            self._pace.begin(self._pace.speed)
        elif order.what == "speed":
            self._pace.begin(order.speed)
        elif order.what == "flush":
            self._recorder.flush(self._trial)
        elif order.what in ("tune", "control", "set", "cue"):
            refused = self._change(order)
        elif order.what == "start":
            refused = "the arena tells its robots where they are, and they plan their way themselves"
        elif order.what == "quit":
            self._quit = True
        else:
            self._latch(order.what == "stop")
        if order.number is not None:
            self._answers.append((order.number, refused))
        self._send()

    def _latch(self, stopped: bool) -> None:
        """Latch every gate, or clear every latch."""
        self._stopped = stopped
        for loop in self._trial.loops.values():
            gate: Any = loop.gate
            if stopped:
                gate.operator_stop("console")
            elif loop.fault is not None and loop.state is not LoopState.UNCONFIGURED:
                # One whose setup failed has no tree to go on with.
                loop.reset()
                loop.activate()

    def _change(self, order: Instruction) -> str:
        """Change parameters or the rules, or give a cue; return why that is refused, if it is."""
        try:
            if order.what == "tune":
                self._tuning.change(order.robot, order.changes or {})
                self._tuned += 1
                self._sheets = self._tuning.sheets()
            elif order.what == "cue":
                self._cue(order.robot, order.name)
            elif order.what == "control":
                self._ruled("control", order.name, self._controls)(self._trial.arena.now)
            else:
                self._ruled("setting", order.name, self._settings)(self._trial.arena.now, order.value)
        except ArenaTreesError as error:
            return str(error)
        return ""

    def _cue(self, robot: str, cue: str) -> None:
        """Give a robot a cue, as its tree would."""
        check_cue(self._tuning.sheets(), robot, cue)
        for observer in (self._parts, self._recorder):
            observer.cue(robot, self._trial.arena.now, cue)

    @staticmethod
    def _ruled(kind: str, name: str, there: Mapping[str, Callable[..., str]]) -> Callable[..., str]:
        if name not in there:
            raise ConfigError(no_such(kind, name, there), key=kind, value=name)
        return there[name]

    @property
    def _controls(self) -> Mapping[str, Callable[[int], str]]:
        return {} if self._trial.host is None else self._trial.host.rules.controls

    @property
    def _settings(self) -> Mapping[str, Callable[[int, Any], str]]:
        return {} if self._trial.host is None else self._trial.host.rules.settings

    def _is_over(self) -> bool:
        return self._trial.judge.over or bool(self._trial.broken)

    def _step(self) -> None:
        if self._is_over():
            self._running = False
            return
        self._trial.step()
        self._pace.stepped()
        if self._is_over():
            self._running = False
            self._send()

    def _send(self) -> None:
        now, now_s = time.perf_counter(), to_seconds(self._trial.arena.now)
        if now - self._measured >= 1.0:
            self._reached = (now_s - self._measured_s) / (now - self._measured)
            self._measured, self._measured_s = now, now_s
        over = self._is_over()
        judge = self._trial.judge
        state = State(
            scenario=self._scenario,
            seed=self._trial.seed,
            now_s=now_s,
            running=self._running,
            speed=self._pace.speed,
            reached=self._reached if self._running else 0.0,
            over=over,
            outcome=judge.outcome if over else "",
            reason=judge.reason if over else "",
            stopped=self._stopped,
            latched=tuple((name, loop.fault) for name, loop in self._trial.loops.items() if loop.fault),
            tuned=self._tuned,
            controls=tuple(self._controls),
            settings=tuple(self._settings),
        )
        recorded = self._recorder.bag.take()
        played = Played(self._parts.take(), state, recorded, self._topics, self._sheets, self._answers, self._late)
        self._connection.send_bytes(dumps(played))
        self._topics, self._sheets, self._answers, self._late = (), None, [], []
        self._sent = time.perf_counter()
