"""PacMan in a trial: the game controller on the bus, and the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from arena_trees.control.free_space import FreeSpace
from arena_trees.games.observers import ContactObserver
from arena_trees.games.pacman.controller import PacmanController, PacmanRules
from arena_trees.games.pacman.judge import PacmanJudge
from arena_trees.games.pacman.messages import PACMAN_TOPIC, PacmanPhase
from arena_trees.games.pacman.planning.best_tour import best_tour_m
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.message_bus import MessageBus
from arena_trees.robot.messages import Message
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.timing import TICK
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import PacmanStory, TrialResult

__all__ = ["FASTEST", "PacmanTrial"]

FASTEST = 0.306
"""Greatest speed of a Create 3, m/s, by which the best tour is timed."""
_CONTROLLER = "game_controller"
_AFTER_S = 0.5
"""A trial goes on for this long after its end, so that the last cue is seen."""
_SAMPLE = 5
"""Ticks between two points of a ghost's way."""


class PacmanTrial:
    """One round of PacMan; implements :class:`~arena_trees.simulation.game.TrialGame`.

    It is over when every pellet was scored, when no life is left, or when time is up.

    Args:
        plan: what is played
        arena: where
        bus: line between the robot and the game controller
        streams: of the trial; ghosts draw from the world's alone

    Attributes:
        controller: leads the game
        judge: compares it with the truth
        outcome: complete, died, or over
        over: whether the trial is over
        reason: what ended it
    """

    def __init__(self, plan: TrialPlan, arena: Arena, bus: MessageBus, streams: RandomStreams) -> None:
        robot, area, rules = plan.with_role("pacman"), plan.map, plan.rules
        # The plan was checked.
        assert robot is not None and area is not None and isinstance(rules, PacmanRules)
        self.outcome = "over"
        self.reason = "time is up"
        self.over = False
        self._robot = robot
        self._plan = plan
        self._arena = arena
        home = arena.true_pose(robot)
        self.controller = PacmanController(area, home, streams.child("world"), rules, robot)
        pellets = self.controller.field.spawned
        self.judge = PacmanJudge(pellets, rules.pickup_radius, rules.death_radius)
        places = [(pellet.x, pellet.y) for pellet in pellets]
        space = FreeSpace(area, rules.pellets.reach_clearance)
        self._tour_s = best_tour_m(space, (home.x, home.y), places, rules.pickup_radius) / FASTEST
        self._port = bus.port(_CONTROLLER)
        self._contacts = ContactObserver(plan.robots)
        self._seen = 0
        self._phase = self.controller.phase
        self._ticks = 0
        self._begun: int | None = None
        self._completed: int | None = None
        self._ended: int | None = None
        self._died: list[tuple[float, float, float]] = []
        self._ways: dict[str, list[tuple[float, float, float]]] = {ghost.name: [] for ghost in self.controller.ghosts}

    def begin(self, now: int) -> None:
        """Ask for a start; the game begins when the robot says that it is ready."""
        self.controller.start(now)

    def step(self, now: int) -> Message | None:
        """Let the game controller act; return what it said, or None."""
        self._phase = self.controller.phase
        payload = self.controller.step(now, self._seen_at(now), self._port.receive())
        return None if payload is None else self._port.send(PACMAN_TOPIC, payload)

    def observe(self, now: int, records: Mapping[str, TickRecord]) -> None:
        """Look at one tick, before the arena moves on."""
        controller, judge = self.controller, self.judge
        truth = self._arena.true_pose(self._robot)
        events = controller.events[self._seen :]
        self._seen += len(events)
        judge.hear(now, records[self._robot].cues)
        ghosts = [ghost.view() for ghost in controller.ghosts]
        deaths = judge.deaths
        judge.look(now, (truth.x, truth.y), ghosts, self._phase is PacmanPhase.RUNNING, events)
        if judge.deaths > deaths:
            self._died.append((to_seconds(now), truth.x, truth.y))
        self._contacts.observe(now, self._arena.contacts)
        if controller.phase is PacmanPhase.RUNNING:
            self._begun = now if self._begun is None else self._begun
        if self._ticks % _SAMPLE == 0 and self._begun is not None:
            for ghost in ghosts:
                self._ways[ghost.name].append((to_seconds(now), ghost.x, ghost.y))
        self._ticks += 1
        self._check_end(now)

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by."""
        judge = self.judge
        time_s = None
        if self._completed is not None and self._begun is not None:
            time_s = to_seconds(self._completed - self._begun)
        return {
            "completed": self._completed is not None,
            "all_but_one": judge.left <= 1,
            "deaths": judge.deaths,
            "false_deaths": judge.false_deaths,
            "missed_deaths": judge.missed_deaths,
            "pellets_collected": len(judge.collected),
            "false_pickups": judge.false_pickups,
            "completion_time_s": time_s,
            "ghost_free_tour_s": round(self._tour_s, 2),
            "tour_ratio": None if time_s is None else round(time_s / self._tour_s, 4),
            "cue_latency_s": judge.mean_latency_s(),
            "cue_latency_max_s": to_seconds(max(judge.latencies)) if judge.latencies else None,
            "cues_missing": judge.missing_cues,
            "collisions": self._contacts.collisions,
        }

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with what happened."""
        controller = self.controller
        story = PacmanStory(
            round=controller.round,
            score=controller.score,
            pellets={pellet.id: (pellet.x, pellet.y) for pellet in controller.field.spawned},
            power=frozenset(pellet.id for pellet in controller.field.spawned if pellet.power),
            collected=tuple((to_seconds(now), number) for now, number in self.judge.collected),
            ghosts={name: np.array(way, dtype=np.float64).reshape(-1, 3) for name, way in self._ways.items()},
            begun=None if self._begun is None else to_seconds(self._begun),
            died=tuple(self._died),
            won=self._completed is not None,
        )
        return replace(result, pacman=story)

    def _seen_at(self, now: int) -> tuple[float, float] | None:
        """Return where the game controller takes the robot to be."""
        if self._plan.scenario.judged_by == "localisation":
            estimate = self._arena.robots[self._robot].read().pose
            return None if estimate is None else (estimate.pose.x, estimate.pose.y)
        truth = self._arena.true_pose(self._robot)
        return truth.x, truth.y

    def _check_end(self, now: int) -> None:
        if self._ended is None and self.controller.over:
            self._end(now)
        if self._ended is None and to_seconds(now + TICK) >= self._plan.scenario.duration_s:
            self._ended, self.over = now, True
        if self._ended is not None and now - self._ended >= from_seconds(_AFTER_S):
            self.over = True
        if self.over:
            self.judge.end()

    def _end(self, now: int) -> None:
        self._ended = now
        if self.controller.phase is not PacmanPhase.COMPLETE:
            self.outcome, self.reason = "died", f"{self.judge.left} pellets left"
        elif self.judge.complete:
            self._completed = self.controller.events[-1].now
            self.outcome, self.reason = "complete", f"all {len(self.judge.collected)} pellets"
        else:
            self.reason = f"declared complete with {self.judge.left} pellets left"
