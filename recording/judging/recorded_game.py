"""Which game a recording is of, and what it was played with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arena_trees.experiments.plan import TrialPlan, draw_world, make_plan
from arena_trees.experiments.profile import CLEAN
from arena_trees.experiments.scenario import Scenario, find_scenario, load_scenario
from arena_trees.games.game import Game, GameContext, NoRules, Player
from arena_trees.games.registry import game_names, game_of_role, role_names
from arena_trees.recording.recording import Recording
from arena_trees.recording.replaying.plan import plan_replay, recorded_camera, recorded_rules
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.layout import NOWHERE, Layout
from arena_trees.world.signs import Sign, SignParameters

__all__ = ["RecordedGame", "recorded_game"]


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game as it was recorded.

    Attributes:
        game: that was played
        plan: of the scenario; None where it is not known
        index: of the trial, in the scenario
        rules: of the game, where no scenario is known
        players: who played, likewise
        isolated: whether no robot received from anybody, likewise
    """

    game: Game
    plan: TrialPlan | None = None
    index: int = 0
    rules: Parameters = field(default_factory=NoRules)
    players: Mapping[str, Player] = field(default_factory=dict)
    isolated: bool = False

    @property
    def layout(self) -> Layout:
        """The world; an empty one where no scenario is known."""
        drawn = self.plan is not None and not self.plan.has_world
        return draw_world(self.plan, self.index).layout if self.plan and drawn else NOWHERE

    def context(self, starts: Mapping[str, Pose2D], recorded_s: float) -> GameContext:
        """Return what the game is judged with.

        Args:
            starts: robot name to where it was at the begin, map frame
            recorded_s: length of the recording: how long the game lasts where no scenario says it
        """
        if self.plan is not None:
            return self.plan.context(self.index, starts)
        return GameContext(
            rules=self.rules,
            players={name: replace(player, start=starts.get(name)) for name, player in self.players.items()},
            duration_s=recorded_s,
            streams=RandomStreams(0),
            isolated=self.isolated,
        )


def recorded_game(recording: Recording, scenario: str | None = None) -> RecordedGame | None:
    """Return the game that a recording is of; None where it holds no robot with a role.

    Args:
        recording: the recording
        scenario: name or file of what was played, where the recording does not hold it

    Raises:
        ConfigError: what is recorded cannot be used, or is another scenario's
    """
    info = recording.info
    if scenario is not None:
        path = find_scenario(scenario)
        plan = make_plan(load_scenario(path), path, path.parent)
        _check_robots(plan, recording, scenario)
        return RecordedGame(plan.game, plan)
    values = info.get("scenario_values")
    if isinstance(values, dict) and values.get("game") in game_names():
        # What sensors measured is recorded: the profile, which may be a file that is not here, draws nothing now.
        played = validate(Scenario, {**values, "profile": CLEAN}, recording.path, "scenario_values")
        index = info.get("trial")
        plan = make_plan(played, recording.path)
        return RecordedGame(plan.game, plan, index if type(index) is int and index >= 0 else 0)
    return _by_roles(recording)


def _by_roles(recording: Recording) -> RecordedGame | None:
    """Return the game of which the robots say that they have a role in it."""
    infos = recording.info.get("robots", {})
    roles = {name: robot.role for name, robot in recording.robots.items() if robot.role in role_names()}
    games = {game.name: game for game in map(game_of_role, filter(None, roles.values()))}
    if not games:
        return None
    if len(games) > 1:
        raise ConfigError(f"robots play several games: {', '.join(sorted(games))}", file=recording.path)
    (game,) = games.values()
    players = {}
    for name, label in roles.items():
        plan, info = plan_replay(recording, name), infos.get(name, {})
        role = game.role(label or "")
        assert role is not None
        sign = Sign.carried(name, role.sign, SignParameters()) if role.sign else None
        camera = recorded_camera(recording, info).pinhole()
        players[name] = Player(name, role.name, plan.parameters, None, plan.fence, camera, sign, plan.robot.body)
    first = infos.get(next(iter(players)), {})
    isolated = any(infos.get(name, {}).get("isolated") is True for name in players)
    return RecordedGame(game, None, 0, recorded_rules(game, recording, first), players, isolated)


def _check_robots(plan: TrialPlan, recording: Recording, scenario: str) -> None:
    for name in plan.robots:
        if name not in recording.robots:
            known = ", ".join(recording.robots) or "none"
            raise ConfigError(f"{scenario} has a robot {name}, and the recording has {known}", key="--scenario")
