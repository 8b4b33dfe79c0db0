"""Parameters of PacMan, with the PacMan report's values where it gives one."""

from __future__ import annotations

from functools import cached_property

from pydantic import model_validator

from arena_trees.behaviours.parameters import Strategy
from arena_trees.control.navigation.path_follower import FollowerParameters
from arena_trees.games.pacman.planning.pellet_planner import PlannerParameters
from arena_trees.games.pacman.planning.source_planner import SourceParameters
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.world.maps.map_files import START_CLEARANCE

__all__ = ["PacmanParameters"]


class PacmanParameters(Parameters):
    """PacMan."""

    strategy: Strategy = parameter("arena", "rules: ours, or the PacMan report's as written", read_only=True)
    map: str = parameter("flat", "the map: a name of config/maps, or a file of map_server's form", read_only=True)
    max_linear_speed: float = parameter(0.306, "greatest speed", "m/s", read_only=True, gt=0.0, le=0.46)
    max_angular_speed: float = parameter(1.9, "greatest yaw rate", "rad/s", read_only=True, gt=0.0, le=1.9)
    wall_clearance: float = parameter(
        START_CLEARANCE,
        "least distance of the robot's centre from walls on its way; a pellet that needs less is dropped",
        "m",
        read_only=True,
        ge=0.17,
        le=2.0,
    )
    wall_inflation: float = parameter(
        0.45, "distance from walls from which on a way costs nothing more", "m", read_only=True, ge=0.17, le=3.0
    )
    wall_weight: float = parameter(
        0.5, "cost of a way at the least clearance, in lengths of it", "", read_only=True, ge=0.0, le=100.0
    )
    look_ahead: float = parameter(
        0.35, "the path is aimed at this far ahead", "m", read_only=True, gt=0.0, le=2.0
    )  # fmt: skip
    pose_timeout: float = parameter(0.5, "a pose older than this is none", "s", gt=0.0, le=10.0)
    game_timeout: float = parameter(
        2.0, "a game that has been silent for so long is not played: the robot stands", "s", gt=0.0, le=60.0
    )
    home_tolerance: float = parameter(0.20, "home is reached within", "m", gt=0.0, le=2.0)
    spin_speed: float = parameter(1.5, "yaw rate of the start theatrics", "rad/s", ge=0.0, le=1.9)
    spin_s: float = parameter(8.0, "length of the start theatrics", "s", ge=0.0, le=60.0)
    shake_speed: float = parameter(1.5, "yaw rate of the death shake", "rad/s", ge=0.0, le=1.9)
    shake_period: float = parameter(0.25, "the shake changes its side this often", "s", gt=0.0, le=10.0)
    shake_s: float = parameter(5.0, "length of the death shake", "s", ge=0.0, le=60.0)
    win_s: float = parameter(4.0, "length of the show after a win", "s", ge=0.0, le=60.0)
    unreached_s: float = parameter(
        20.0, "a pellet to which the robot got no nearer for so long is put aside", "s", gt=0.0, le=600.0
    )
    plan_period: float = parameter(0.4, "between two plans of strategy arena", "s", ge=0.02, le=10.0)
    plan_delay: float = parameter(
        0.1, "from asking for a plan until it takes effect, while the robot goes on with the one it has", "s", ge=0.0,
        le=2.0,
    )  # fmt: skip
    plan_cell: float = parameter(0.20, "cell of the plans", "m", read_only=True, gt=0.02, le=1.0)
    plan_clearance: float = parameter(
        0.27, "least distance from walls in plans, but in narrow passages", "m", read_only=True, ge=0.17, le=2.0
    )  # fmt: skip
    plan_speed: float = parameter(0.29, "speed that plans reckon with", "m/s", read_only=True, gt=0.0, le=0.46)
    plan_horizon: float = parameter(20.0, "ghosts are foreseen so far ahead", "s", read_only=True, gt=2.0, le=120.0)
    danger_fading: float = parameter(
        10.0, "time over which danger ahead counts less, since there will be newer plans", "s", read_only=True, gt=0.0
    )
    danger_inner: float = parameter(0.40, "a ghost nearer than this is deadly", "m", read_only=True, gt=0.0, le=2.0)
    danger_outer: float = parameter(0.80, "one farther than this is harmless", "m", read_only=True, gt=0.0, le=4.0)
    danger_cost: float = parameter(40.0, "what a second near a ghost costs", "s", read_only=True, ge=0.0)
    patience: float = parameter(
        60.0, "time without a pellet after which danger counts less and less", "s", read_only=True, ge=0.0
    )
    pickup_distance: float = parameter(
        0.22, "in plans, a pellet is collected within this", "m", read_only=True, gt=0.0, le=1.0
    )
    goal_distance: float = parameter(3.0, "farthest goal of a plan", "m", read_only=True, gt=0.2, le=10.0)
    source_period: float = parameter(0.5, "between two decisions of strategy source", "s", ge=0.02, le=10.0)
    source_route_period: float = parameter(
        1.0, "between two routes round the ghost of strategy source", "s", read_only=True, gt=0.0, le=10.0
    )
    risk_radius: float = parameter(2.0, "source: a pellet nearer to a ghost is risky", "m", read_only=True, ge=0.0)
    risk_weight: float = parameter(3.0, "source: score for each metre nearer", "1/m", read_only=True, ge=0.0)
    direction_penalty: float = parameter(
        5.0, "source: score for lying in a threatening ghost's direction", "", read_only=True, ge=0.0
    )
    threat_distance: float = parameter(2.0, "source: a ghost within it threatens", "m", read_only=True, ge=0.0)
    closing_distance: float = parameter(
        3.0, "source: so does one within this that closes in", "m", read_only=True, ge=0.0
    )
    closing_speed: float = parameter(0.03, "source: at least so fast", "m/s", read_only=True, ge=0.0)
    replan_margin: float = parameter(
        0.3, "source: another pellet must be better by so much", "", read_only=True, ge=0.0
    )  # fmt: skip
    ghost_obstacle_radius: float = parameter(
        0.27, "source: ghosts are driven round at this distance, 0.05 m of the obstacle and 0.22 m of inflation", "m",
        read_only=True, ge=0.0, le=2.0,
    )  # fmt: skip

    @model_validator(mode="after")
    def _distances_are_ordered(self) -> PacmanParameters:
        if self.danger_inner >= self.danger_outer:
            raise ValueError("danger_inner must be less than danger_outer")
        return self

    @cached_property
    def planning_delay(self) -> float:
        """From asking the strategy's planner until its reply takes effect, s; the report's replies at once."""
        return 0.0 if self.strategy == "source" else self.plan_delay

    @cached_property
    def follower(self) -> FollowerParameters:
        """How paths are followed."""
        return FollowerParameters(
            max_linear=self.max_linear_speed,
            max_angular=self.max_angular_speed,
            max_wheel=self.max_linear_speed,
            look_ahead=self.look_ahead,
        )

    @cached_property
    def planner(self) -> PlannerParameters:
        """How the arena's strategy plans."""
        return PlannerParameters(
            speed=self.plan_speed,
            horizon=self.plan_horizon,
            fading=self.danger_fading,
            danger_inner=self.danger_inner,
            danger_outer=self.danger_outer,
            danger_cost=self.danger_cost,
            patience=self.patience,
            pickup=self.pickup_distance,
            look_ahead=self.goal_distance,
        )

    @cached_property
    def source(self) -> SourceParameters:
        """The constants of the PacMan report's strategy."""
        return SourceParameters(
            self.risk_radius,
            self.risk_weight,
            self.direction_penalty,
            self.threat_distance,
            self.closing_distance,
            self.closing_speed,
            self.replan_margin,
        )
