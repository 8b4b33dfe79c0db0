"""Crossroads (the Crossroads report): robots cross again and again, and a scheduler lets in who is in nobody's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena_trees.behaviours.crossroads.parameters import CrosserParameters, TrespasserParameters
from arena_trees.games.crossroads.book import CHAPTER
from arena_trees.games.crossroads.cues import SHOWS
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import plan_of
from arena_trees.games.crossroads.layout.round import Round, check_links, check_round_trips
from arena_trees.games.crossroads.layout.section import CrossingArena
from arena_trees.games.crossroads.messages import MESSAGES, Crossing, CrossingClaim, CrossingRequest
from arena_trees.games.crossroads.metrics import ENDINGS, METRICS
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.placing import make_localiser
from arena_trees.games.crossroads.scheduling.scheduler import SCHEDULER
from arena_trees.games.crossroads.stop_lines import make_limits
from arena_trees.games.game import Game, GameContext, GameWorld, Judge, RobotSettings, Role, Rules
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.trees.crossroads import crosser, trespasser
from arena_trees.world.arena_file import ArenaFile, Start

__all__ = ["GAME", "Crossroads"]

_SPARE = 0.12
"""Between robots that start in one lane, in addition to the distance at which they follow each other, m."""

_SPREAD = 0.04
"""Starts are drawn from a disc of this radius, m."""


_SOURCE_LIGHT = {"lanes.brightness": 83.0, "lanes.contrast": 1.65}
"""The Crossroads report sets each camera so that its masks fit: 1.65 times as bright keeps red and black within them in
most of the light that the arena draws."""


class Crossroads(Game):
    """A crossing without traffic lights."""

    name = "crossroads"
    title = "Crossroads"
    rules = CrossroadsRules
    roles = (
        Role(
            "crosser",
            CrosserParameters,
            crosser.create_root,
            publishes=(CrossingRequest, CrossingClaim),
            subscribes=(Crossing,),
            sensors=("lane", "markers"),
            localiser=make_localiser,
            limits=make_limits,
        ),
        Role(
            "trespasser",
            TrespasserParameters,
            trespasser.create_root,
            sensors=("lane", "markers"),
            localiser=make_localiser,
        ),
    )
    messages = MESSAGES
    state = Crossing
    speaker = SCHEDULER
    metrics = METRICS
    endings = ENDINGS
    shows = SHOWS
    strategy_key = "rules.protocol"
    chapter = CHAPTER

    def make_judge(self, context: GameContext) -> Judge:
        """Return the judge of robots that drive."""
        from arena_trees.games.crossroads.evaluation.judge import CrossroadsJudge

        return CrossroadsJudge(context)

    def make_rules(self, context: GameContext) -> Rules | None:
        """Return what hosts the scheduler."""
        from arena_trees.games.crossroads.rules import CrossingRules

        return CrossingRules(context)

    def check(self, context: GameContext) -> None:
        """Refuse robots and rules that do not go together.

        Robots that do not exist or cannot cross in time; trespassers alone, or that are points; a strategy without its
        protocol or its camera.

        Raises:
            ConfigError: there are such; names the scenario's key
        """
        rules = _own(context.rules)
        _check_trespassers(context, rules)
        for index, death in enumerate(rules.deaths):
            if death.robot is not None and death.robot not in context.players:
                raise ConfigError("there is no such robot", key=f"rules.deaths.{index}.robot", value=death.robot)
        for player in context.players.values():
            assert isinstance(player.parameters, CrosserParameters)
            if player.parameters.strategy != "source":
                continue
            if player.role == "trespasser":
                raise ConfigError(
                    "a trespasser steers as ours do", key=f"robots.{player.name}.strategy", value="source"
                )
            if rules.protocol == "arena":
                # It takes longer to cross than our leases last.
                raise ConfigError("needs rules.protocol: source", key="strategy", value="source")
            if rules.sensing == "lidar":
                reason = "steers by pictures of the lane and needs rules.sensing: rendered"
                raise ConfigError(reason, key="strategy", value="source")
        if rules.protocol == "arena" and rules.sensing != "kinematic":
            _check_lease(context, rules)

    def make_arena(self, rules: Parameters, robots: Sequence[str]) -> ArenaFile | None:
        """Return the crossing; points on lanes need no place to start.

        Raises:
            ConfigError: there is no such crossing, or robots that drive would lock each other on it
        """
        own = _own(rules)
        values: dict[str, Any] = {"name": "crossing", "fenced": False, "starts": {}}
        try:
            plan_of(own.plan)
            CrossingFloor(own.plan, own.floor)
            check_links(own.plan, len(robots))
            if own.sensing != "kinematic":
                check_round_trips(own.plan, len(robots))
                values["start_distance"] = own.plan.separation
                values["starts"] = _starts(own, robots)
                values["crossing"] = CrossingArena(plan=own.plan, floor=own.floor)
        except ConfigError as error:
            raise error.within("", "rules.plan") from error
        return ArenaFile.model_validate(values)

    def robot_settings(self, rules: Parameters, robots: Sequence[str], strategy: str | None) -> RobotSettings:
        """Return the crossing, the protocol's times and the traffic, as robots and their lane cameras know them."""
        own = _own(rules)
        pause = 60.0 * len(robots) / own.arrivals_per_min if own.arrivals_per_min > 0.0 else 0.0
        parameters: dict[str, Any] = {
            "pause_s": pause,
            **{f"plan.{key}": value for key, value in own.plan.model_dump().items()},
            **{f"times.{key}": value for key, value in own.times.model_dump().items()},
        }
        sensors: dict[str, Any] = {"lanes.lane_width": own.plan.lane_width}
        if own.sensing == "rendered":
            sensors["lanes.kind"] = "rendered"
            if strategy == "source":
                sensors |= _SOURCE_LIGHT
        return RobotSettings(parameters, sensors)

    def make_world(self, context: GameContext, seed: int) -> GameWorld | None:
        """Return the crossing on which robots are points, or None where they drive."""
        from arena_trees.games.crossroads.kinematics.world import CrossingWorld

        rules = _own(context.rules)
        return CrossingWorld(rules, list(context.players), context.bus, seed) if self.has_world(rules) else None

    def has_world(self, rules: Parameters) -> bool:
        """Return whether robots are points."""
        return _own(rules).sensing == "kinematic"

    def check_ros(self, rules: Parameters) -> None:
        """Refuse points and deaths, which are not played on ROS."""
        own = _own(rules)
        if own.sensing == "kinematic":
            raise ConfigError("points on lanes are not played on ROS", key="rules.sensing", value=own.sensing)
        if own.deaths:
            raise ConfigError("nobody dies on ROS", key="rules.deaths")


def _own(rules: Parameters) -> CrossroadsRules:
    assert isinstance(rules, CrossroadsRules)
    return rules


def _starts(rules: CrossroadsRules, robots: Sequence[str]) -> dict[str, Start]:
    """Return starts in the approach lanes, side by side first, the first ones farthest out."""
    p = rules.plan
    plan = plan_of(p)
    far = p.size - p.robot_radius - 2.0 * _SPREAD
    starts = {}
    lanes = [lane for lane in plan.lanes if not p.is_link(lane)]
    for index, name in enumerate(robots):
        row, side = divmod(index, len(lanes))
        back = far - row * (p.follow_gap + _SPARE)
        place = plan.from_lane(lanes[side]).path.pose(p.hold_distance - back)
        starts[name] = Start(position=(place.x, place.y), radius=_SPREAD, yaw=place.yaw)
    return starts


def _check_trespassers(context: GameContext, rules: CrossroadsRules) -> None:
    """Refuse robots of which none heeds the scheduler, and trespassers that are points or steer as the document's."""
    lawful = context.all_with_role("crosser")
    if not lawful:
        raise ConfigError("nobody heeds the scheduler: one at least must be a crosser", key="robots")
    for name in sorted(context.players.keys() - set(lawful)):
        parameters = context.players[name].parameters
        if rules.sensing == "kinematic":
            raise ConfigError("points heed the scheduler: a trespasser drives", key=f"robots.{name}.role")
        if isinstance(parameters, CrosserParameters) and parameters.strategy == "source":
            raise ConfigError("a trespasser steers as ours do", key=f"{name}.strategy", value="source")


def _check_lease(context: GameContext, rules: CrossroadsRules) -> None:
    """Refuse leases that a robot could never enter on."""
    paths = [Round(path, rules.plan) for path in plan_of(rules.plan).movements.values()]
    drivers = {id(player.parameters): player.parameters for player in context.players.values()}
    needed = max(
        driver.crossing_time(path)
        for driver in drivers.values()
        if isinstance(driver, CrosserParameters)
        for path in paths
    )
    drift = 1.0 - rules.times.clock_drift
    if needed >= rules.times.lease * drift:
        raise ConfigError(
            f"must be more than {needed / drift:.1f} s, the longest crossing",
            key="rules.times.lease",
            value=rules.times.lease,
        )


GAME = Crossroads()
