"""The game node: the rules of any game over ROS."""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import replace
from importlib import import_module
from typing import Literal, Protocol

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from arena_trees.experiments.plan import draw_world
from arena_trees.games.game import Carry, Game, Rules, SwitchOff
from arena_trees.games.game_end import END_TOPIC, end_text
from arena_trees.games.host import RulesHost
from arena_trees.games.truth import End, Truth, TruthSample
from arena_trees.games.truth_history import PATIENCE, TruthHistory
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.adapters.pose_sources import Source, known_pose, pose_sources
from arena_trees.nodes.adapters.rules_controls import RulesControls
from arena_trees.nodes.adapters.shape_markers import ShapeMarkers
from arena_trees.nodes.adapters.timelines import RosTimeline, stamp_message
from arena_trees.nodes.adapters.weapons import listen_to_weapons
from arena_trees.nodes.programs.played import PlayedParameters, TrialParameters, load_played
from arena_trees.nodes.runtime.diagnostics import OK, WARN, Diagnostics
from arena_trees.nodes.runtime.epochs import next_epoch
from arena_trees.nodes.runtime.parameters import accept_changes, declare, read
from arena_trees.nodes.runtime.process import run
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Live, parameter
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["GameNode", "GameNodeParameters", "GameTopics", "main"]

_NOT_BEGUN = End("", "nobody has begun it", 0)
_TICK_S = 0.02
_NAME = "game"


class GameTopics(Protocol):
    """What a game publishes besides: made with the node, under the name that :attr:`Game.ros_node` gives."""

    def update(self, rules: Rules, now: int) -> None:
        """Publish what is new; called when the rules have sent something (ns)."""
        ...


class GameNodeParameters(PlayedParameters):
    """What is played, how robots are seen, and when it begins."""

    truth: Source = parameter(
        "ground_truth", "where poses come from: the simulated arena's truth, each robot's own tf, or ceiling cameras"
    )
    starts: Literal["given", "seen"] = parameter(
        "given", "robots start where the scenario has them start, or where each is seen first"
    )
    pose_timeout: float = parameter(0.5, "age above which a pose is not used", "s", gt=0, le=10)
    autostart: bool = parameter(True, "begin by itself once every robot is seen")
    epoch: int = parameter(
        0, "number of the rules' life, higher than in their last one; 0 for this machine's next", ge=0, lt=1 << 52
    )
    game_namespace: str = parameter("/arena", "where the messages to and from the robots are")


class GameNode(Node):
    """Hosts the rules of a scenario's game: steps them at 50 Hz by the steady clock; they count by the ROS clock.

    Where the clock goes back, because the arena has been started anew, everything begins again, under a higher epoch.
    A robot that has not been seen for a while is nowhere, as far as the rules know. A shot is shown to them by where
    robots were when it was received, once the poses of before and after have come.

    Topics, besides those that the game publishes by itself (:class:`GameTopics`):
        * those of :class:`~arena_trees.nodes.adapters.message_port.RosMessagePort`: every message that the rules send
          [published, subscribed], and every one that a robot of the scenario sends [subscribed]
        * ``<game_namespace>/end`` (std_msgs/String, latched): how the game ended, a JSON object with outcome, reason
          and stamp (ns), and null while it is played; before the first begin an empty outcome [published on change]
        * ``~/<setting>`` (std_msgs/String, reliable, keep last 50): a JSON value for each of the rules' settings
          [subscribed]
        * ``~/markers`` (visualization_msgs/MarkerArray, latched): how the game stands [published with its state]
        * those of :func:`~arena_trees.nodes.adapters.pose_sources.pose_sources` and
          :func:`~arena_trees.nodes.adapters.weapons.listen_to_weapons` [subscribed]
        * ``/diagnostics`` (diagnostic_msgs/DiagnosticArray) [published], 1 Hz

    Parameters:
        those of :class:`GameNodeParameters`, of which ``seed`` may be changed while no round is played: then another
        trial of the scenario is played, with its starts and its random choices

    Services (all std_srvs/Trigger):
        * ``~/start``: begin the game, or its next round; refused while a robot is not seen, or by the rules
        * ``~/stop``: end it without a winner
        * ``~/<control>``: each of the rules' controls

    Raises:
        ConfigError: a parameter or the scenario cannot be used, or nobody rules it
    """

    waking_subscriptions = ()
    """It works at a fixed rate: no message wakes it."""

    def __init__(self) -> None:
        super().__init__(_NAME)
        declare(self, TrialParameters, until_built=True)
        declare(self, GameNodeParameters, read_only=True)
        self._wanted = wanted = read(self, GameNodeParameters)
        self._trial = Live(read(self, TrialParameters))
        self._trial.built = False
        accept_changes(self, self._trial)
        self._plan = plan = load_played(wanted)
        self._game = game = plan.game
        self._timeline = RosTimeline(self)
        self._sources = pose_sources(self, self._timeline, tuple(plan.robots), wanted.truth)
        self._history = TruthHistory()
        self._shots: deque[tuple[int, str]] = deque()
        bodies = {name: robot.body for name, robot in plan.robots.items()}
        listen_to_weapons(self, bodies, self._on_turret, self._on_shot)
        received = [message.topic for message in game.messages]
        self._port = RosMessagePort(
            self, game.speaker, game, game.sent_by_rules, received, plan.robots_topics, wanted.game_namespace
        )
        self._ends = self.create_publisher(String, f"{wanted.game_namespace.rstrip('/')}/{END_TOPIC}", LATCHED)
        self._markers = self.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._drawn = ShapeMarkers()
        self._topics = _topics_of(game, self)
        self._host: RulesHost | None = None
        self._controls = RulesControls(self, self._ruling, self._timeline.now)
        self._controls.serve("start", self._start)
        self._controls.serve("stop", self._stop)
        self._waits, self._begun = wanted.autostart, False
        self._last = self._epoch = 0
        self._end: End | None = _NOT_BEGUN
        self._ends.publish(String(data=end_text(self._end)))
        self._logged = ""
        self._given = self._given_starts()
        if self._given is not None:
            self._begin_anew(self._given)
        self._diagnostics = Diagnostics(self, _NAME)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_TICK_S, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def halt(self) -> None:
        """Stop the game: nobody is left to rule it."""
        now = self._timeline.now()
        if self._host is not None:
            self._host.rules.stop(now, "the rules were stopped")
            self._send(self._host, now)

    def _begin_anew(self, starts: dict[str, Pose2D]) -> None:
        """Make rules that know nothing of what was played before.

        Raises:
            ConfigError: nobody rules the game
        """
        rules = self._game.make_rules(self._plan.context(0, starts))
        if rules is None or self._plan.scenario.isolated:
            raise ConfigError("nobody rules this game", key="scenario", value=self._wanted.scenario)
        self._host = RulesHost(rules, self._port, self._game.messages)
        self._waits, self._begun = self._wanted.autostart, False
        self._next_life(rules)
        self._controls.offer(rules)

    def _change_trial(self) -> None:
        """Play another trial of the scenario, where that has been asked for; where it has no world, the same one."""
        if not self._trial.swap():
            return
        try:
            self._plan = load_played(self._wanted.with_changes({"seed": self._trial.value.seed}))
        except ConfigError as error:
            self.get_logger().error(f"no other trial: {error}")
            return
        self._host, self._given = None, self._given_starts()
        self._shots.clear()
        self.get_logger().info(f"another trial, seed {self._plan.scenario.seed}")

    def _given_starts(self) -> dict[str, Pose2D] | None:
        """Return where robots start by the scenario; None where they start wherever they are seen first."""
        if self._wanted.starts != "given":
            return None
        return {spec.name: spec.start for spec in draw_world(self._plan, 0).specs}

    def _next_life(self, rules: Rules) -> None:
        self._epoch = max(self._epoch + 1, self._wanted.epoch or next_epoch(f"{self._game.speaker}.rules"))
        rules.epoch = self._epoch

    def _step(self) -> None:
        now = self._timeline.now()
        if now == 0:
            return
        if now < self._last:
            self.get_logger().warning("the clock went back: the game begins again")
            self._host, self._history = None, TruthHistory()
            self._shots.clear()
        self._last = now
        self._change_trial()
        missing = self._missing()
        if self._host is None:
            if self._given is None and missing:
                return
            self._begin_anew(self._given or self._poses())
        assert self._host is not None
        if self._waits and not missing:
            self._begin(self._host.rules, now)
        self._send(self._host, now)

    def _begin(self, rules: Rules, now: int) -> None:
        """Begin the game or its next round.

        Raises:
            ArenaTreesError: the rules refuse
        """
        self._waits = False
        before = rules.epoch
        self._next_life(rules)
        try:
            rules.begin(now)
        except ArenaTreesError:
            # What is played goes on under its own number.
            rules.epoch = before
            raise
        self._begun = self._trial.built = True
        self.get_logger().info(f"{self._wanted.scenario} begins")

    def _send(self, host: RulesHost, now: int) -> None:
        sent, actions = host.step(now, self._truth(now))
        if actions:
            self.get_logger().error(f"not done, for nobody can on ROS: {_words(actions)}")
        if sent:
            self._publish_state(host.rules, now)
        end = host.rules.end if self._begun else _NOT_BEGUN
        if end is not None:
            self._trial.built = False
        if end is not self._end:
            self._end = end
            self._ends.publish(String(data=end_text(self._end)))
            if self._end is not None and self._begun:
                self.get_logger().info(f"{self._end.outcome}: {self._end.reason}")

    def _publish_state(self, rules: Rules, now: int) -> None:
        """Show people and viewers how the game stands, and log what has changed."""
        state = rules.state
        if state is not None:
            self._markers.publish(self._drawn.message(self._game.shapes(state), stamp_message(now)))
        if self._topics is not None:
            self._topics.update(rules, now)
        _, phrase, _ = rules.diagnostics(now)
        if phrase != self._logged:
            self._logged = phrase
            self.get_logger().info(phrase)

    def _poses(self) -> dict[str, Pose2D]:
        now, longest = self._timeline.now(), from_seconds(self._wanted.pose_timeout)
        poses = {robot: known_pose(source(), now, longest) for robot, source in self._sources.items()}
        return {robot: pose for robot, pose in poses.items() if pose is not None}

    def _on_turret(self, robot: str, state: TurretState) -> None:
        self._history.note_turret(robot, state)

    def _on_shot(self, robot: str) -> None:
        self._shots.append((self._timeline.now(), robot))

    def _truth(self, now: int) -> Truth:
        """Return where robots are now; or where they were at a shot, of which the poses have come by now."""
        poses = self._poses()
        for robot, source in self._sources.items():
            estimate = source()
            if robot in poses and estimate is not None:
                self._history.note_pose(robot, estimate.stamp, estimate.pose, ZERO)
        shot = self._next_shot(now)
        truth = {}
        for robot, pose in poses.items():
            sample = self._history.at(robot, now if shot is None else shot[0])
            turret = None if sample is None else sample.turret
            truth[robot] = TruthSample(robot, now, pose, turret=turret)
            if shot is not None and sample is not None:
                truth[robot] = replace(sample, now=now, fired=robot == shot[1])
        return truth

    def _next_shot(self, now: int) -> tuple[int, str] | None:
        """Return instant (ns) and robot of the next shot that can be judged now."""
        if self._shots and (self._history.reaches(self._shots[0][0]) or now - self._shots[0][0] >= PATIENCE):
            return self._shots.popleft()
        return None

    def _missing(self) -> list[str]:
        """Return the robots that are not seen now."""
        poses = self._poses()
        return [robot for robot in self._sources if robot not in poses]

    def _ruling(self) -> Rules:
        """Return the rules.

        Raises:
            ArenaTreesError: there are none yet
        """
        if self._host is None:
            raise ArenaTreesError(f"no pose of {', '.join(self._missing())}: nobody knows where robots start")
        return self._host.rules

    def _start(self, rules: Rules, now: int) -> str:
        missing = self._missing()
        if missing:
            raise ArenaTreesError(f"no pose of {', '.join(missing)}")
        self._begin(rules, now)
        return rules.diagnostics(now)[1] or "begins"

    def _stop(self, rules: Rules, now: int) -> str:
        self._waits = self._trial.built = False
        rules.stop(now, "somebody asked for it")
        return rules.diagnostics(now)[1] or "stopped"

    def _report(self) -> None:
        missing, host = self._missing(), self._host
        well, phrase, values = (True, "no game yet", {}) if host is None else host.rules.diagnostics(self._last)
        if missing:
            phrase = ", ".join(part for part in (phrase, f"no pose of {', '.join(missing)}") if part)
        contested = self._port.contested()
        if contested:
            phrase = ", ".join(part for part in (phrase, f"several nodes publish {contested}") if part)
        entries = {**values, "messages dropped": str(self._port.dropped), "clock [s]": f"{to_seconds(self._last):.2f}"}
        for reason, count in sorted({} if host is None else host.mailbox.refusals.items()):
            entries[f"refused: {reason}"] = str(count)
        self._diagnostics.publish(OK if well and not missing and not contested else WARN, phrase, entries)


def _topics_of(game: Game, node: Node) -> GameTopics | None:
    """Return what the game publishes by itself."""
    if not game.ros_node:
        return None
    module, _, name = game.ros_node.partition(":")
    topics: GameTopics = getattr(import_module(module), name)(node)
    return topics


def _words(actions: tuple[SwitchOff | Carry, ...]) -> str:
    return ", ".join(f"{type(action).__name__} of {action.robot}" for action in actions)


def main() -> None:
    """Run the node."""
    sys.exit(run(GameNode))


if __name__ == "__main__":
    main()
