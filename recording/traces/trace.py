"""Traces: what one robot knew, decided and did at each tick, from a recording or from a trial as it is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena_trees.games.registry import find_role
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.recording.recording import Recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.port import RecordedMessages, RecordedPort
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.record import TickRecord
from arena_trees.world.geofence import Geofence

if TYPE_CHECKING:
    from arena_trees.experiments.trial import Trial

__all__ = ["Trace", "TraceTick", "Traces"]


@dataclass(frozen=True, slots=True)
class TraceTick:
    """One tick of one robot, with what it knew then.

    Attributes:
        seconds: since the trace began
        tick: what was decided: command, twist, reasons, statuses, cues and so on
        percepts: what the tree and the gate were given
        truth: true pose in the map frame, at this tick or a few before; None outside of the arena
        fence: the robot's polygon, or None
        nodes: names of the tree's nodes, in the order of the statuses
    """

    seconds: float
    tick: Tick | TickRecord
    percepts: Percepts
    truth: Pose2D | None = None
    fence: Geofence | None = None
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        tick, percepts = self.tick, self.percepts
        parts = [f"leaf {tick.active or 'none'}", f"twist {tick.twist}"]
        if tick.reasons:
            parts.append(f"gate {', '.join(tick.reasons)}")
        if percepts.pose is not None:
            parts.append(f"pose {percepts.pose}")
        if percepts.geofence is not None:
            parts.append(f"fence {percepts.geofence}")
        if tick.fault is not None:
            parts.append(f"latched: {tick.fault}")
        return "; ".join(parts)


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
        instants = np.array([instant for instant, _ in recorded.truth], dtype=np.int64)
        nodes = tuple(node.name for node in recorded.tree)
        moments = []
        for tick in recorded.ticks:
            port.go_to(tick.now)
            line.deliver(tick)
            percepts = percept_filter.take(port.read(), line.receive())
            newest = int(np.searchsorted(instants, tick.now, side="right")) - 1
            truth = recorded.truth[newest][1] if newest >= 0 else None
            seconds = to_seconds(tick.now - recorded.ticks[0].now)
            moments.append(TraceTick(seconds, tick, percepts, truth, plan.fence, nodes))
        return cls(recorded.name, moments)


class Traces(Mapping[str, Trace]):
    """The traces of a trial's robots, by name.

    Implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    For example ``traces = Traces(); run_trial(plan, 0, watch=traces.watch); check(traces["red"], ...)``.
    """

    def __init__(self) -> None:
        self._moments: dict[str, list[TraceTick]] = {}
        self._nodes: dict[str, tuple[str, ...]] = {}

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
        self._nodes = {
            name: tuple(node.name for node in loop.tree.root.iterate()) for name, loop in trial.loops.items()
        }

    def tick(self, trial: Trial) -> None:
        """Keep a tick of each robot."""
        for name, record in trial.records.items():
            self._moments[name].append(
                TraceTick(
                    to_seconds(record.now),
                    record,
                    trial.loops[name].percepts,
                    trial.arena.true_pose(name),
                    trial.plan.robots[name].fence,
                    self._nodes[name],
                )
            )

    def end(self, trial: Trial) -> None:
        """Keep what there is."""
