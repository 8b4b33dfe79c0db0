"""Parameters of the velocity gate's node, besides those of the gate and of its guard."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import field_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["VelocityGateParameters"]


class VelocityGateParameters(Parameters):
    """Which fence, which role, which base, which buttons; fixed once the node runs."""

    robot: str = parameter("", "name of the robot; empty for the last part of the namespace")
    role: str = parameter("", "role of the robot, whose motion limits hold besides; empty for none")
    body: str = parameter(
        "", "what is different about the robot's body, as YAML such as {radius: 0.2}; as in the arena if empty"
    )
    rules: tuple[str, ...] = parameter((), "rules of its game that are not as by default, such as key=value")
    arena: str = parameter("", "arena file or shipped arena; empty for no fence")
    zone: str = parameter("", "name of the fence in the arena; empty for the robot's name")
    game_namespace: str = parameter("/arena", "where the game's messages are")
    map_frame: str = parameter("map", "fixed frame of the fence and of the arena")
    odom_frame: str = parameter("odom", "frame of dead reckoning")
    base_frame: str = parameter("base_link", "frame of the robot")
    pose_deviation: float = parameter(
        0.7, "standard deviation of the place in amcl_pose above which a robot with a fence or a line stands; RViz "
        "gives 0.5 m to an estimate by hand", "m", gt=0.0, le=100.0,
    )  # fmt: skip
    pose_yaw_deviation: float = parameter(0.7, "the same of its yaw", "rad", gt=0.0, le=10.0)
    stamped_cmd_vel: Literal["auto", "true", "false"] = parameter(
        "auto", "whether cmd_vel is TwistStamped, as since Jazzy, and not Twist; auto: as its subscribers want"
    )
    allowed_publishers: tuple[str, ...] = parameter(
        ("teleop_twist_joy_node",), "names, without namespace, of nodes that may publish cmd_vel too"
    )
    start_latched: bool = parameter(
        True, "whether it starts latched, until a reset; launch files and run-ros start it with false"
    )
    allow_loose_gate: bool = parameter(False, "whether limits may be looser than by default, now and by live changes")
    record: bool = parameter(True, "whether it publishes what it decides, for bags and viewers")
    stop_joy_button: int = parameter(
        1, "button of joy that stops: B of the TurtleBot 4 controller; -1 for none", ge=-1, le=63
    )  # fmt: skip
    stop_hmi_button: int = parameter(2, "button beside the display that stops, 1 to 4; 0 for none", ge=0, le=4)
    stop_interface_button: Literal["none", "button_1", "button_power", "button_2"] = parameter(
        "button_power", "button on the base that stops"
    )

    @field_validator("stamped_cmd_vel", mode="before")
    @classmethod
    def _spell(cls, value: Any) -> Any:
        # YAML reads true and false as more than words.
        return str(value).lower() if isinstance(value, bool) else value
