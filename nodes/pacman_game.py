"""The PacMan node: pellets, ghosts and the game controller in one process, over ROS."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Float64, Int32
from std_srvs.srv import Trigger

from arena_trees.control.map_files import find_map, start_pose
from arena_trees.control.occupancy_map import load_map
from arena_trees.games.pacman.controller import PacmanController, PacmanRules
from arena_trees.games.pacman.messages import PACMAN_STATUS_TOPIC, PACMAN_TOPIC
from arena_trees.nodes.diagnostics import OK, WARN, Diagnostics
from arena_trees.nodes.message_port import RosMessagePort
from arena_trees.nodes.pacman_board import PacmanBoard
from arena_trees.nodes.parameters import declare, read
from arena_trees.nodes.process import run
from arena_trees.nodes.qos import EVENTS
from arena_trees.nodes.timelines import RosTimeline
from arena_trees.nodes.witness import Source, known_pose, pose_sources
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["PacmanGameNode", "PacmanGameParameters", "main"]

_TICK_S = 0.02
_NAME = "pacman_game"
_SOURCES: dict[str, Source] = {"localisation": "tf", "truth": "ground_truth"}
_POSE = 3
"""Numbers of a home: x, y, yaw."""


class PacmanGameParameters(Parameters):
    """Who plays, where, and how the robot is seen; the rules are :class:`~arena_trees.games.pacman.controller.PacmanRules`."""

    robot: str = parameter("pacman", "name of the robot that plays", min_length=1)
    map: str = parameter("flat", "the map: a name of config/maps, or a file of map_server's form")
    home_by: Literal["map", "robot"] = parameter(
        "map", "home is the map's start, or where the robot is seen first, as in document 002"
    )
    home: tuple[float, ...] = parameter((), "x, y (m) and yaw (rad) of home, map frame, in place of both")
    judged_by: Literal["localisation", "truth"] = parameter(
        "localisation", "where the robot is taken to be: by its own tf, or by the simulated arena's truth"
    )
    pose_timeout: float = parameter(0.5, "age above which a pose says nothing", "s", gt=0, le=10)
    seed: int = parameter(0, "seed of the ghosts' random choices", ge=0, lt=1 << 31)
    autostart: bool = parameter(False, "begin the first game by itself once the robot is ready")
    game_namespace: str = parameter("/arena", "where the messages to and from the robot are")


class PacmanGameNode(Node):
    """Leads a game of PacMan: what document 002 spreads over three nodes, so that all agree on what is left.

    Where the clock goes back, because the arena has been started anew, everything begins again. With
    ``home_by: robot`` there is no game before the robot is seen, and nothing but the diagnostics says so.

    Topics, beside those of :class:`~arena_trees.nodes.pacman_board.PacmanBoard`:
        * ``/arena/pacman`` (std_msgs/String, reliable, keep last 50) [published]: the state of the game, 10 Hz and
          on change
        * ``/arena/pacman_status`` (std_msgs/String, reliable, keep last 50) [subscribed]: what the robot has finished
        * ``pellets/remove`` (std_msgs/Int32, reliable, keep last 50) [subscribed]: number of a pellet
        * ``ghosts/speed`` (std_msgs/Float64, reliable, keep last 50) [subscribed]: of all ghosts until they are reset,
          m/s
        * those of :func:`~arena_trees.nodes.witness.pose_sources` [subscribed]
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`PacmanGameParameters` and of :class:`~arena_trees.games.pacman.controller.PacmanRules`

    Services:
        * ``game/start`` (std_srvs/Trigger): begin a game, or the next round; refused while one is played
        * ``game/reset`` (std_srvs/Trigger): stop whatever is played
        * ``pellets/reset`` (std_srvs/Trigger): put all pellets back
        * ``ghosts/reset`` (std_srvs/Trigger): put all ghosts at new places, with their round's speed

    Raises:
        ConfigError: a parameter cannot be used, or the map has no room for pellets or ghosts
    """

    def __init__(self) -> None:
        super().__init__(_NAME)
        declare(self, PacmanGameParameters, read_only=True)
        declare(self, PacmanRules, read_only=True)
        self._wanted = wanted = read(self, PacmanGameParameters)
        self._rules = read(self, PacmanRules)
        path = find_map(wanted.map)
        self._map = load_map(path)
        self._home: Pose2D | None = _pose(wanted.home) if wanted.home else None
        if self._home is None and wanted.home_by == "map":
            self._home = start_pose(path, self._map)
        self._timeline = RosTimeline(self)
        self._source = pose_sources(self, self._timeline, (wanted.robot,), _SOURCES[wanted.judged_by])[wanted.robot]
        self._port = RosMessagePort(self, _NAME, (PACMAN_TOPIC,), (PACMAN_STATUS_TOPIC,), wanted.game_namespace)
        self._board = PacmanBoard(self)
        self._controller: PacmanController | None = None
        self._last = 0
        if self._home is not None:
            self._begin_anew(self._home)
        self._diagnostics = Diagnostics(self, _NAME)
        self._serve()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Stop the game: nobody is left to lead it."""
        if self._controller is not None:
            now = self._timeline.now()
            self._controller.reset(now)
            self._send(self._controller, now)

    def _serve(self) -> None:
        controls = {
            "game/start": _start,
            "game/reset": _reset,
            "pellets/reset": _reset_pellets,
            "ghosts/reset": _reset_ghosts,
        }
        for name, act in controls.items():
            self.create_service(Trigger, name, self._answerer(act))
        self.create_subscription(Int32, "pellets/remove", self._on_remove, EVENTS)
        self.create_subscription(Float64, "ghosts/speed", self._on_speed, EVENTS)

    def _begin_anew(self, home: Pose2D) -> None:
        wanted, before = self._wanted, self._controller
        streams = RandomStreams(wanted.seed).child("world")
        self._controller = controller = PacmanController(self._map, home, streams, self._rules, wanted.robot)
        self._board.forget()
        if wanted.autostart:
            controller.start(0)
        if before is None:
            self.get_logger().info(f"{wanted.map}, home at ({home.x:.2f}, {home.y:.2f}): {controller.field}")

    def _step(self) -> None:
        now = self._timeline.now()
        back, self._last = now < self._last, now
        home = self._home or self._pose()
        if home is None or now == 0:
            return
        self._home = home
        if back:
            self.get_logger().warning("the clock went back: the game begins again")
        if back or self._controller is None:
            self._begin_anew(home)
        if self._controller is not None:
            self._send(self._controller, now)

    def _send(self, controller: PacmanController, now: int) -> None:
        pose = self._pose()
        place = None if pose is None else (pose.x, pose.y)
        payload = controller.step(now, place, self._port.receive())
        for name in self._board.tell_events(controller):
            self.get_logger().info(f"round {controller.round}: {name}, score {controller.score}")
        if payload is not None:
            self._port.send(PACMAN_TOPIC, payload)
            self._board.tell(controller, now)

    def _pose(self) -> Pose2D | None:
        return known_pose(self._source(), self._timeline.now(), from_seconds(self._wanted.pose_timeout))

    def _answerer(self, act: Callable[[PacmanController, int], str]) -> Callable[[Any, Any], Any]:
        def answer(request: Any, response: Any) -> Any:
            try:
                response.message = act(self._led(), self._timeline.now())
                response.success = True
            except ArenaTreesError as error:
                response.message = str(error)
            return response

        return answer

    def _led(self) -> PacmanController:
        """Return the game.

        Raises:
            ArenaTreesError: there is none yet
        """
        if self._controller is None:
            raise ArenaTreesError(f"no pose of {self._wanted.robot}: nobody knows where home is")
        return self._controller

    def _on_remove(self, message: Any) -> None:
        if self._controller is None or not self._controller.remove_pellet(message.data):
            self.get_logger().warning(f"there is no pellet {message.data} to remove")

    def _on_speed(self, message: Any) -> None:
        try:
            self._led().set_ghost_speed(message.data)
        except ArenaTreesError as error:
            self.get_logger().warning(f"ghosts/speed: {error}")

    def _report(self) -> None:
        controller, blind = self._controller, self._pose() is None
        values = {"clock [s]": f"{to_seconds(self._last):.2f}", "messages dropped": str(self._port.dropped)}
        message = "no game yet"
        if controller is not None:
            message = f"round {controller.round}: {controller.phase.value}, score {controller.score}"
            values |= {
                "phase": controller.phase.value,
                "round": str(controller.round),
                "score": str(controller.score),
                "lives": str(controller.lives),
                "pellets left": str(len(controller.field.remaining)),
                "robot ready": str(controller.ready),
            }
        if blind:
            message += f", no pose of {self._wanted.robot}"
        self._diagnostics.publish(WARN if blind else OK, message, values)


def _start(controller: PacmanController, now: int) -> str:
    controller.start(now)
    return f"round {controller.round} begins" if controller.ready else "begins when the robot knows where it is"


def _reset(controller: PacmanController, now: int) -> str:
    controller.reset(now)
    return "the game is reset"


def _reset_pellets(controller: PacmanController, now: int) -> str:
    controller.reset_pellets()
    return str(controller.field)


def _reset_ghosts(controller: PacmanController, now: int) -> str:
    controller.reset_ghosts(now)
    return f"ghosts at new places: {len(controller.ghosts)}"


def _pose(home: tuple[float, ...]) -> Pose2D:
    if len(home) != _POSE:
        raise ConfigError("must be three numbers: x, y, yaw", key="home", value=list(home))
    return Pose2D(*home)


def main() -> None:
    """Run the node."""
    sys.exit(run(PacmanGameNode))


if __name__ == "__main__":
    main()
