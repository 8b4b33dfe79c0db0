"""The arena simulator node: the embedded arena, with its robots on ROS."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from geometry_msgs.msg import PoseStamped
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from arena_trees.experiments.plan import draw_world
from arena_trees.games.contacts import CONTACTS_TOPIC, contacts_text
from arena_trees.games.game_end import END_TOPIC, read_end
from arena_trees.games.observers import ContactObserver
from arena_trees.nodes.adapters.arena_robot import ArenaRobot
from arena_trees.nodes.adapters.ceiling_pictures import CeilingPictures, CeilingPicturesParameters
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.programs.game_programs import check_previews
from arena_trees.nodes.programs.played import PlayedParameters, load_played
from arena_trees.nodes.runtime.diagnostics import OK, WARN, Diagnostics
from arena_trees.nodes.runtime.parameters import declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS, LATCHED
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.ros_messages.layout import pose
from arena_trees.robot.timing import TICK
from arena_trees.simulation.faults.fault import drawn_faults
from arena_trees.simulation.physics.arena import Arena

__all__ = ["ArenaSimulator", "ArenaSimulatorParameters", "main"]

_SLOW = 0.95
"""Share of the wanted real time factor below which a warning is given."""


class ArenaSimulatorParameters(PlayedParameters):
    """What is simulated."""

    real_time_factor: float = parameter(
        1.0, "simulated seconds a second, where the machine is fast enough", gt=0, le=100
    )
    stamped_cmd_vel: bool = parameter(True, "cmd_vel is TwistStamped, as on Jazzy, and not Twist")
    faults_from: Literal["arena", "game"] = parameter(
        "arena", "whether the beginnings of faults count from when the arena begins, or the game"
    )
    ceiling_cameras: tuple[str, ...] = parameter((), "names of rendered cameras on the ceiling, four at most; none")
    ceiling: CeilingPicturesParameters = parameter(CeilingPicturesParameters(), "where they hang, and their lenses")


class ArenaSimulator(Node):
    """Steps the first trial of a scenario in real time; its robots are as TurtleBot4 are on ROS.

    World, sensors and their noise are those of ``arena-trees run`` with the same scenario and seed. A
    tick that comes too late is not made up for: simulated time then falls behind. The round is
    nobody's business here; the rules are a node of their own.

    Topics:
        * those of :class:`~arena_trees.nodes.adapters.arena_robot.ArenaRobot`, for each robot
        * those of :class:`~arena_trees.nodes.adapters.ceiling_pictures.CeilingPictures`, for each of
          ``ceiling_cameras``
        * ``/arena/contacts`` (std_msgs/String, reliable, keep last 50) [published on change]: who touches whom, a JSON
          object with stamp (ns) and pairs of names
        * ``/<robot>/place`` (geometry_msgs/PoseStamped in map, reliable, keep last 50) [subscribed]: the robot
          is put there, at rest, as a person would who carries it
        * with ``faults_from: game``: ``/arena/end`` (std_msgs/String, latched) [subscribed]: when the game begins
        * ``/clock`` (rosgraph_msgs/Clock, reliable, keep last 1) [published], 50 Hz
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`ArenaSimulatorParameters`

    Raises:
        ConfigError: a parameter, or something in the scenario, cannot be used
        GraphicsError: a camera is to be rendered, and there is no graphics library here
    """

    waking_subscriptions = ()
    """It works at a fixed rate: no message wakes it."""

    def __init__(self) -> None:
        super().__init__("arena_simulator")
        declare(self, ArenaSimulatorParameters, read_only=True)
        wanted = read(self, ArenaSimulatorParameters)
        plan = load_played(wanted)
        check_previews(plan)
        world = draw_world(plan, 0)
        self._arena = Arena(world.standing, world.specs, plan.scenario.seed, pictures=True)
        faults = drawn_faults(plan.scenario.faults, plan.scenario.seed)
        self._robots = [
            ArenaRobot(
                self,
                robot,
                [fault for fault in faults if fault.robot == name],
                wanted.stamped_cmd_vel,
                # With a localiser of its own the robot finds its place by itself.
                localised=not plan.localises(name),
                balls=partial(self._arena.spheres_seen_by, name),
            )
            for name, robot in self._arena.robots.items()
        ]
        if wanted.faults_from == "game":
            self.create_subscription(String, f"/arena/{END_TOPIC}", self._on_end, LATCHED)
        else:
            self._break_down()
        self._ceiling = self._make_ceiling(wanted, plan.scenario.seed)
        self._clock_publisher = self.create_publisher(Clock, "/clock", COMMAND)
        self._diagnostics = Diagnostics(self, "arena")
        self._contacts = ContactObserver(self._arena.robots)
        self._touching = self.create_publisher(String, f"/arena/{CONTACTS_TOPIC}", EVENTS)
        self._touched: tuple[tuple[str, str], ...] = ()
        for name in self._arena.robots:
            self.create_subscription(PoseStamped, f"/{name}/place", partial(self._place, name), EVENTS)
        self._pace = _Stopwatch()
        self._wanted = wanted.real_time_factor
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        # rcl's timer leaves out what it has missed.
        self._stepper = self.create_timer(to_seconds(TICK) / wanted.real_time_factor, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)
        self.get_logger().info(
            f"{wanted.scenario}, seed {plan.scenario.seed}: {', '.join(self._arena.robots)}; "
            f"{wanted.real_time_factor:g} times real time"
        )

    def halt(self) -> None:
        """Stop the world."""
        self._stepper.cancel()

    def destroy_node(self) -> None:
        """End the world, and the node."""
        if self._ceiling is not None:
            self._ceiling.close()
        self._arena.close()
        super().destroy_node()

    def _make_ceiling(self, wanted: ArenaSimulatorParameters, seed: int) -> CeilingPictures | None:
        if not wanted.ceiling_cameras:
            return None
        bodies = {name: robot.spec.body for name, robot in self._arena.robots.items()}
        return CeilingPictures(self, self._arena.layout, bodies, wanted.ceiling_cameras, wanted.ceiling, seed)

    def _step(self) -> None:
        begun = time.perf_counter()
        self._arena.step()
        self._publish_contacts()
        self._clock_publisher.publish(Clock(clock=stamp_message(self._arena.now)))
        for robot in self._robots:
            robot.publish()
        if self._ceiling is not None:
            self._ceiling.take(self._arena.now, {name: self._arena.true_pose(name) for name in self._arena.robots})
        self._pace.note(time.perf_counter() - begun)

    def _on_end(self, message: Any) -> None:
        try:
            end = read_end(message.data)
        except JsonError:
            return
        if end is None:
            self._break_down()

    def _break_down(self) -> None:
        for robot in self._robots:
            robot.break_down()

    def _place(self, robot: str, message: Any) -> None:
        place = pose(message)
        if place.is_finite:
            self._arena.carry(robot, place)
        else:
            self.get_logger().warning(f"{robot} is put nowhere: {place} is not finite")

    def _publish_contacts(self) -> None:
        """Count contacts, and publish who touches whom where that has changed."""
        now, pairs = self._arena.now, tuple(sorted(self._arena.contacts))
        self._contacts.observe(now, pairs)
        if pairs != self._touched:
            self._touched = pairs
            self._touching.publish(String(data=contacts_text(now, pairs)))

    def _report(self) -> None:
        pace = self._pace.measure(self._arena.now)
        slow = pace.factor < _SLOW * self._wanted
        state = f"{pace.factor:.2f} times real time"
        message = f"only {state}: the machine is too slow" if slow else state
        values = {
            "real time factor": f"{pace.factor:.3f}",
            "simulated time [s]": f"{to_seconds(self._arena.now):.2f}",
            "mean tick [ms]": f"{pace.mean_ms:.2f}",
            "longest tick [ms]": f"{pace.longest_ms:.2f}",
            "collisions": str(self._contacts.collisions),
            "robot_contacts": str(self._contacts.robot_contacts),
        }
        if self._ceiling is not None:
            values |= self._ceiling.take_values()
        self._diagnostics.publish(WARN if slow else OK, message, values)


@dataclass(frozen=True, slots=True)
class _Pace:
    """How fast simulated time went, and what ticks took; times in ms."""

    factor: float
    mean_ms: float
    longest_ms: float


class _Stopwatch:
    """Measures the pace between two calls."""

    def __init__(self) -> None:
        self._taken: list[float] = []
        self._measured = time.monotonic_ns()
        self._simulated = 0

    def note(self, taken: float) -> None:
        """A tick took so long (s)."""
        self._taken.append(taken)

    def measure(self, simulated: int) -> _Pace:
        """Return the pace since the last call; ``simulated`` is the arena's instant, ns."""
        now = time.monotonic_ns()
        factor = (simulated - self._simulated) / max(1, now - self._measured)
        taken = self._taken or [0.0]
        self._measured, self._simulated, self._taken = now, simulated, []
        return _Pace(factor, 1000.0 * sum(taken) / len(taken), 1000.0 * max(taken))


def main() -> None:
    """Run the node."""
    sys.exit(run(ArenaSimulator))


if __name__ == "__main__":
    main()
