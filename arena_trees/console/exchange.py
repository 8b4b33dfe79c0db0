"""What the server and the process of a game, or of a ROS graph, send each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from arena_trees.recording.bags.message_buffer import BufferedMessage
from arena_trees.recording.bags.writer import Topic
from arena_trees.recording.recording import Recording

__all__ = ["Instruction", "Played", "State"]


class Instruction(NamedTuple):
    """What the operator wants.

    Attributes:
        what: ``run``, ``pause``, ``step`` (one tick, and pause), ``speed``, ``stop`` (latch every gate), ``reset``
            (clear every latch, and go on), ``tune``, ``control`` and ``set`` (of the game's rules), ``cue``, ``start``
            (localisation or Nav2 of a robot on ROS), ``flush`` (send all that is recorded) or ``quit``
        speed: simulated seconds a second; 0 for as fast as it goes
        robot: whose parameters are tuned, that is given a cue, or whose localisation or Nav2 is started
        changes: of its parameters, key to value
        name: of one of the rules' controls or settings, of a cue, or ``localization`` or ``navigation``
        value: of that setting
        number: of the order; None for ``quit``, which has no answer
    """

    what: Literal[
        "run", "pause", "step", "speed", "stop", "reset", "tune", "control", "set", "cue", "start", "flush", "quit"
    ]
    speed: float = 1.0
    robot: str = ""
    changes: Mapping[str, Any] | None = None
    name: str = ""
    value: Any = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """How a game stands.

    Attributes:
        scenario: that is played
        seed: of the trial
        now_s: simulated time, s
        running: whether it goes on
        speed: that is wanted, simulated seconds a second; 0 for as fast as it goes
        reached: speed of the last second
        over: whether the judge has ended it
        outcome: how it ended, if it did
        reason: why
        stopped: whether the operator's stop holds
        latched: robot to why it is latched
        failed: why the game could not be played; empty where it is
        tuned: how often parameters were changed
        controls: names of what people may do to the game's rules
        settings: names of the values that they may set in them
        ros: what is watched on ROS, such as ``ROS domain 0``; empty for a game of the embedded arena
        stacks: of robots on ROS, what starts their localisation and Nav2: robot, name, state, and what to do about it
        findings: robot on ROS to what the doctor reports of it: what is wrong, and what to do
    """

    scenario: str
    seed: int
    now_s: float = 0.0
    running: bool = False
    speed: float = 1.0
    reached: float = 0.0
    over: bool = False
    outcome: str = ""
    reason: str = ""
    stopped: bool = False
    latched: tuple[tuple[str, str], ...] = ()
    failed: str = ""
    tuned: int = 0
    controls: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    ros: str = ""
    stacks: tuple[tuple[str, str, str, str], ...] = ()
    findings: tuple[tuple[str, str, str], ...] = ()


class Played(NamedTuple):
    """What the process sends.

    Attributes:
        part: ticks since the last time; None where there is no game
        state: how the game stands
        recorded: messages of a bag of the game since the last time
        topics: of that bag, besides those that were sent before
        sheets: robot to its parameters, see :meth:`Tuning.sheets`; the first time, and where they were changed
        answers: number of each order, and why it was refused; empty where it was followed
        late_s: of each tick that was due at an instant, by how much it began later, s
    """

    part: Recording | None
    state: State
    recorded: Sequence[BufferedMessage] = ()
    topics: Sequence[Topic] = ()
    sheets: Mapping[str, Any] | None = None
    answers: Sequence[tuple[int, str]] = ()
    late_s: Sequence[float] = ()
