"""The contract of a game: one value, from which ``run``, ``render``, ``replay``, ``report``, ROS and docs know it.

A game is an instance of a subclass of :class:`Game` that an entry point of the group ``arena_trees.games`` names. Those
of this package are ``GAME`` in ``trees/<name>/game.py``. ``docs/adding_a_game.md`` adds one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar

import py_trees

from arena_trees.games.book import Chapter
from arena_trees.games.figures import Chart, Mark
from arena_trees.games.metrics import Metric, Value
from arena_trees.games.truth import End, Observation, Truth
from arena_trees.perception.percept_filter import Localiser
from arena_trees.robot.background import BackgroundRunner
from arena_trees.robot.configuration.parameters import Live, Parameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.show.cues import Show
from arena_trees.safety.motion_limit import Limits
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.camera_optics import OAK_D, CameraOptics
from arena_trees.world.geofence import Geofence
from arena_trees.world.maps.occupancy_map import OccupancyMap
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.shapes import Shape
from arena_trees.world.signs import Sign

__all__ = [
    "Carry",
    "CreateRoot",
    "Game",
    "GameContext",
    "GameWorld",
    "Judge",
    "NoRules",
    "Player",
    "RobotContext",
    "RobotSettings",
    "Role",
    "Rules",
    "SwitchOff",
]

RulesT = TypeVar("RulesT", bound=Parameters)

CreateRoot = Callable[[str, Live[Any], RandomStreams], py_trees.behaviour.Behaviour]
"""Makes a robot's tree from the robot's name, its live parameters and its random streams."""


def _rules_as(rules: Parameters, model: type[RulesT]) -> RulesT:
    if not isinstance(rules, model):
        raise TypeError(f"the rules are {type(rules).__name__}, not {model.__name__}")
    return rules


@dataclass(frozen=True, slots=True)
class RobotContext:
    """What a role needs to know to give one robot a localiser, motion limits and, where it asks for it, a tree.

    Attributes:
        name: of the robot
        parameters: of its role
        rules: of the game
        arena: where it drives; None on a map
        start: where it starts, map frame; None where nobody knows
        streams: random numbers of how this robot was placed; None where ``start`` is the exact place that it is given
        body: what it is made of
        camera: its sphere camera where it has one, or else its sign camera
        fence: corners of its fence, map frame, m; empty where it has none
    """

    name: str
    parameters: Parameters
    rules: Parameters
    arena: ArenaFile | None = None
    start: Pose2D | None = None
    streams: RandomStreams | None = None
    body: Body = TURTLEBOT4
    camera: CameraOptics = OAK_D
    fence: tuple[tuple[float, float], ...] = ()

    def rules_as(self, model: type[RulesT]) -> RulesT:
        """Return the rules as values of the game's own rules model.

        Raises:
            TypeError: they are not of this model
        """
        return _rules_as(self.rules, model)


@dataclass(frozen=True, slots=True)
class Role:
    """One role of a game.

    Attributes:
        name: of the role, unique among all games; its parameters are in ``config/<game>/<name>.yaml``
        parameters: model of its parameters
        create_root: makes its tree for a robot
        sign: label of the sign that a robot of this role carries; empty where it carries none
        publishes: models of the messages that its tree sends
        subscribes: models of the messages that its tree reads
        navigates: whether its tree drives to goals, and ``create_root`` takes a ``navigator``
        background: whether its tree has work done in the background, and ``create_root`` takes a ``background``
        takes_context: whether ``create_root`` takes a ``context``: the robot's body, its camera and the game's rules
        sensors: percepts that it needs besides scan, odometry, pose, bumpers and what its body carries: detections,
            lane, markers or circles
        localiser: makes what tells where the robot is, in place of its own localisation, or returns None for one that
            keeps that; None where the role needs none
        limits: makes the motion limits that its velocity gate has besides its own; None where there are none
        most: how many robots of a scenario may have it; None where any number may
        estimates: keys of the blackboard with what its tree estimates, and the types of their values: frozen
            dataclasses; on ROS they are published for viewers and the judge
    """

    name: str
    parameters: type[Parameters]
    create_root: CreateRoot
    sign: str = ""
    publishes: tuple[type[GameMessage], ...] = ()
    subscribes: tuple[type[GameMessage], ...] = ()
    navigates: bool = False
    background: bool = False
    takes_context: bool = False
    sensors: tuple[str, ...] = ()
    localiser: Callable[[RobotContext], Localiser | None] | None = None
    limits: Callable[[RobotContext], Limits] | None = None
    most: int | None = None
    estimates: Mapping[str, type] = field(default_factory=dict)

    def given(self, context: RobotContext, background: BackgroundRunner) -> Mapping[str, Any]:
        """Return what its ``create_root`` is given by name, besides robot, parameters and streams.

        Args:
            context: of the robot
            background: has calls made in the background
        """
        given: dict[str, Any] = {"context": context} if self.takes_context else {}
        return {**given, "background": background} if self.background else given


@dataclass(frozen=True, slots=True)
class Player:
    """One robot of a game, as rules and judge know it.

    Attributes:
        name: of the robot
        role: its role's name
        parameters: of its role
        start: where it starts, map frame; None where nobody knows
        fence: its polygon, or None
        camera: its sphere camera where it has one, or else its sign camera; None where it is not known
        sign: that it carries, or None
        body: what it is made of
    """

    name: str
    role: str
    parameters: Parameters
    start: Pose2D | None = None
    fence: Geofence | None = None
    camera: Pinhole | None = None
    sign: Sign | None = None
    body: Body = TURTLEBOT4


class NoRules(Parameters):
    """The rules of a game that has none to change."""


@dataclass(frozen=True, slots=True)
class GameContext:
    """What a game is played with.

    Attributes:
        rules: validated values of the game's rules model
        players: the robots, by name, in the scenario's order
        duration_s: longest trial, s
        streams: random streams of the trial; rules draw from their child ``world`` alone, so that robots change nothing
        arena: the arena; None on a map
        map: the map, or None
        map_name: name or file of the map, for errors; empty where there is none
        bus: what happens to messages
        isolated: whether nobody hears anybody, so that there are no rules
    """

    rules: Parameters
    players: Mapping[str, Player]
    duration_s: float
    streams: RandomStreams
    arena: ArenaFile | None = None
    map: OccupancyMap | None = None
    map_name: str = ""
    bus: BusParameters = field(default_factory=BusParameters)
    isolated: bool = False

    def rules_as(self, model: type[RulesT]) -> RulesT:
        """Return the rules as what they are: values of the game's own rules model.

        Raises:
            TypeError: they are not of this model
        """
        return _rules_as(self.rules, model)

    def all_with_role(self, role: str) -> tuple[str, ...]:
        """Return the names of the robots with a role, in the scenario's order."""
        return tuple(name for name, player in self.players.items() if player.role == role)

    def with_role(self, role: str) -> str | None:
        """Return the name of the only robot with a role, or None where there is not exactly one."""
        names = self.all_with_role(role)
        return names[0] if len(names) == 1 else None


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """Rules let a robot's computer die: it ticks no more, and its base is left to itself."""

    robot: str


@dataclass(frozen=True, slots=True)
class Carry:
    """Rules have a robot carried elsewhere, at rest (pose: map frame)."""

    robot: str
    pose: Pose2D


class Rules(ABC):
    """The rules of one game: pure, so that equal inputs give equal outputs; they read no clock but ``now``.

    Attributes:
        end: how the game ended, or None while it is played
        epoch: number of this life of the rules, if they speak of it; who hosts one life after another sets a higher
            one before each begin
        state: what a newcomer would receive now, or None
    """

    end: End | None = None
    epoch: int = 0

    def begin(self, now: int) -> None:  # noqa: B027 (rules that begin by themselves have nothing to do)
        """Begin the game, or its next round (ns)."""

    def stop(self, now: int, reason: str) -> None:  # noqa: B027 (as above)
        """End the game without a winner (ns), for a reason."""

    @property
    def state(self) -> GameMessage | None:
        """What a newcomer would receive now; a judge and drawings see it in every tick."""
        return None

    @abstractmethod
    def step(self, now: int, truth: Truth, inbox: Inbox) -> Iterable[GameMessage | SwitchOff | Carry]:
        """Advance to an instant; return what is to be sent, and done, now.

        Args:
            now: ns
            truth: of every robot that is seen
            inbox: the messages that the rules have received; ``inbox.received`` has all that came since the step before
        """

    @property
    def controls(self) -> Mapping[str, Callable[[int], str]]:
        """What people may do besides start and stop: name to a function of now (ns) that returns what it did.

        On ROS each is a service ``game/<name>`` (std_srvs/Trigger). A function refuses by raising ArenaTreesError.
        """
        return MappingProxyType({})

    @property
    def settings(self) -> Mapping[str, Callable[[int, Any], str]]:
        """What people may tell the rules while they run: name to a function of now (ns) and a value.

        On ROS each is a topic ``game/<name>`` (std_msgs/String, JSON). A function refuses by raising ArenaTreesError.
        """
        return MappingProxyType({})

    def diagnostics(self, now: int) -> tuple[bool, str, Mapping[str, str]]:
        """Return whether all is well (now: ns), a phrase, and values by name."""
        return True, str(self.state or ""), MappingProxyType({})


class Judge(ABC):
    """The judge of one trial: pure, it sees observations alone.

    Attributes:
        outcome: how the game ended, in a word; ``over`` while or where no word fits
        reason: what ended it
        over: whether the trial is over
        ended_s: since the trial's begin, s: when the game ended; None while it is played, and where its end is the
            trial's. What a trial watches after that is not in it
    """

    outcome: str = "over"
    reason: str = "time is up"
    over: bool = False
    ended_s: float | None = None

    @abstractmethod
    def observe(self, seen: Observation) -> None:
        """Look at an instant, before the world moves on."""

    @abstractmethod
    def values(self) -> dict[str, Value]:
        """Return what the trial is judged by: the values that the game's metrics name."""

    def contradicted(self) -> frozenset[str]:
        """Return the values that the rules decided and the truth contradicts, such as a catch from too far away.

        Where the rules see the truth themselves, as in the arena, there are none.
        """
        return frozenset()

    def marks(self) -> Sequence[Mark]:
        """Return what happened where and when."""
        return ()

    def charts(self) -> Sequence[Chart]:
        """Return the trial's charts."""
        return ()

    def shapes(self) -> Sequence[Shape]:
        """Return what a picture of the whole trial shows of the game, such as ways and in which order things happened.

        What :meth:`Game.shapes` draws of the last state is in the picture, too, but for groups that the judge draws.
        """
        return ()


class GameWorld(Protocol):
    """A world of a game's own, in place of the arena with its robots: points that move on lanes, for one.

    Attributes:
        now: the instant, ns
        judge: its judge; observes by itself
    """

    now: int

    @property
    def judge(self) -> Judge:
        """What judges it."""
        ...

    def step(self) -> None:
        """Advance by one tick."""
        ...

    def activities(self) -> Mapping[str, str]:
        """Return what robots do, by name."""
        ...

    def record(self) -> str:
        """Return the instant and all that moves, as a line of JSON: the trace of a trial."""
        ...


@dataclass(frozen=True, slots=True)
class RobotSettings:
    """What a game's rules change in robots: dotted keys to values.

    Attributes:
        parameters: of its role, in every robot
        sensors: of every robot
        gates: of a robot's velocity gate: name of its role to what is changed in it
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    sensors: Mapping[str, Any] = field(default_factory=dict)
    gates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class Game(ABC):
    """A game; a subclass specifies what it is made of and how it is played.

    Attributes:
        name: a plain word; ``game:`` of a scenario
        title: for people
        rules: model of what ``rules:`` of a scenario may say
        roles: who plays
        messages: every message of the game; an unknown topic is refused
        state: the one of them by which the rules repeat how the game stands; None without rules
        speaker: name under which the rules send
        metrics: what it is measured by, besides what every game is
        outcomes: outcome to its colour, ``#rrggbb``
        endings: outcome to a sentence: by which rule a trial ends so. ``rules.KEY`` in it names a rule, of which
            ``arena-trees explain`` prints the value; an outcome without one has the usual sentence of any game
        shows: events of its trees to lights and sounds
        fenced: whether it needs an arena with fences, and so cannot be played on a map
        strategy_key: key of a scenario that ``--strategy`` and ``--compare`` change
        ros_node: ``module:Class`` of what the ROS node ``game`` publishes besides, or empty
        chapter: its chapter in the book of results, or None
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    rules: ClassVar[type[Parameters]] = NoRules
    roles: ClassVar[tuple[Role, ...]]
    messages: ClassVar[tuple[type[GameMessage], ...]] = ()
    state: ClassVar[type[GameMessage] | None] = None
    speaker: ClassVar[str] = "rules"
    metrics: ClassVar[tuple[Metric, ...]] = ()
    outcomes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    endings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    shows: ClassVar[Mapping[str, Show]] = MappingProxyType({})
    fenced: ClassVar[bool] = False
    strategy_key: ClassVar[str] = "strategy"
    ros_node: ClassVar[str] = ""
    chapter: ClassVar[Chapter | None] = None

    @abstractmethod
    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge of a trial."""

    def make_rules(self, context: GameContext) -> Rules | None:
        """Return the rules of a trial; None where nobody rules."""
        return None

    def check(self, context: GameContext) -> None:  # noqa: B027 (a game may be played with anything)
        """Refuse what the game cannot be played with.

        Raises:
            ConfigError: it cannot; names the scenario's key
        """

    def make_arena(self, rules: Parameters, robots: Sequence[str]) -> ArenaFile | None:
        """Return the arena that the rules describe, in place of a file; None where the scenario names one.

        Raises:
            ConfigError: the rules describe none
        """
        return None

    def robot_settings(self, rules: Parameters, robots: Sequence[str], strategy: str | None) -> RobotSettings:
        """Return what the rules change in robots; settings of a robot in the scenario take precedence."""
        return RobotSettings()

    def make_world(self, context: GameContext, seed: int) -> GameWorld | None:
        """Return a world of the game's own; None where the arena is played in."""
        return None

    def has_world(self, rules: Parameters) -> bool:
        """Return whether :meth:`make_world` gives one."""
        return False

    def check_ros(self, rules: Parameters) -> None:  # noqa: B027 (as above)
        """Refuse what cannot be played on ROS.

        Raises:
            ConfigError: it cannot; names the scenario's key
        """

    def shapes(self, state: GameMessage) -> Sequence[Shape]:
        """Return what is drawn of a state of the game: by RViz, the report, the film and the picture."""
        return ()

    @property
    def sent_by_rules(self) -> tuple[str, ...]:
        """Topics of the messages that the rules may send: how the game stands, and what no role sends."""
        others = {message for role in self.roles for message in role.publishes}
        return tuple(one.topic for one in self.messages if one is self.state or one not in others)

    @property
    def sent_by_robots(self) -> tuple[str, ...]:
        """Topics of the messages that a role sends."""
        sent = {message for role in self.roles for message in role.publishes}
        return tuple(message.topic for message in self.messages if message in sent)

    def role(self, name: str) -> Role | None:
        """Return a role of this game, or None."""
        return next((role for role in self.roles if role.name == name), None)
