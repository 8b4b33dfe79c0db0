"""Traces: what one robot knew, decided and did at each tick, from a recording or from a trial as it is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.games.registry import find_role
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.port import RecordedMessages, RecordedPort
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D

if TYPE_CHECKING:
    from arena_trees.experiments.trial import Trial

__all__ = ["Trace", "Traces"]


@dataclass(frozen=True, slots=True)
class Trace:
    """The moments of one robot, in their order.

    Attributes:
        robot: its name
        moments: one a tick
    """

    robot: str
    moments: Sequence[TraceTick]

    @classmethod
    def of_recording(cls, recording: Recording, robot: str | None = None) -> Trace:
        """Return the trace of a recorded robot.

        Args:
            recording: with ticks of the robot's tree
            robot: its name; may be left out where there is one

        Raises:
            ConfigError: there is no such robot, or its info in the recording cannot be used
        """
        plan = plan_replay(recording, robot)
        recorded = plan.robot
        port = RecordedPort(recorded, recorded.name)
        messages = {(message.sender, message.epoch, message.sequence): message for _, message in recording.messages}
        line = RecordedMessages(recorded.name, messages, port)
        supervisor = None
        if plan.fence is not None:
            supervisor = GeofenceSupervisor(plan.fence, parameters=plan.fence_parameters)
        percept_filter = PerceptFilter(supervisor, subscribes=find_role(plan.role).subscribes)
        truths = {name: _Truth(other) for name, other in recording.robots.items()}
        nodes = tuple(node.name for node in recorded.tree)
        moments = []
        for tick in recorded.ticks:
            port.go_to(tick.now)
            line.deliver(tick)
            percepts = percept_filter.take(port.read(), line.receive())
            placed = {name: place for name, truth in truths.items() if (place := truth.at(tick.now)) is not None}
            own = placed.pop(recorded.name, None)
            seconds = to_seconds(tick.now - recorded.ticks[0].now)
            moments.append(TraceTick(seconds, tick, percepts, own, plan.fence, nodes, placed))
        return cls(recorded.name, moments)


class _Truth:
    """Where a recorded robot truly was."""

    def __init__(self, robot: RobotRecording) -> None:
        self._truth = robot.truth
        self._instants = np.array([instant for instant, _ in robot.truth], dtype=np.int64)

    def at(self, now: int) -> Pose2D | None:
        """Return the newest pose at an instant (ns), map frame; None before the first."""
        newest = int(np.searchsorted(self._instants, now, side="right")) - 1
        return self._truth[newest][1] if newest >= 0 else None


class Traces(Mapping[str, Trace]):
    """The traces of a trial's robots, by name.

    Implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    For example ``traces = Traces(); run_trial(plan, 0, watch=traces.watch); check(traces["red"], ...)``.
    """

    def __init__(self) -> None:
        self._moments: dict[str, list[TraceTick]] = {}

    def __getitem__(self, robot: str) -> Trace:
        return Trace(robot, self._moments[robot])

    def __iter__(self) -> Iterator[str]:
        return iter(self._moments)

    def __len__(self) -> int:
        return len(self._moments)

    def watch(self, arm: str, trial: Trial) -> Traces:
        """Return what looks on at a trial: this."""
        return self

    def begin(self, trial: Trial) -> None:
        """Forget an earlier trial."""
        self._moments = {name: [] for name in trial.loops}

    def tick(self, trial: Trial) -> None:
        """Keep a tick of each robot."""
        for name, moments in self._moments.items():
            moment = trial.moment(name)
            if moment is not None:
                moments.append(moment)

    def end(self, trial: Trial) -> None:
        """Keep what there is."""
