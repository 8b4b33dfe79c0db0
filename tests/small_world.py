"""Small worlds for the arena's tests: an open room, and sensors without noise."""

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec, SensorParameters
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import CarrotPlace, Layout

QUIET = SensorParameters().with_changes(
    {
        "lidar.noise_m": 0.0,
        "lidar.dropout": 0.0,
        "odometry.distance_scale": 0.0,
        "odometry.yaw_scale": 0.0,
        "odometry.distance_walk": 0.0,
        "odometry.yaw_walk": 0.0,
        "odometry.speed_noise": 0.0,
        "odometry.rate_noise": 0.0,
        "localisation.noise_m": 0.0,
        "localisation.noise_yaw": 0.0,
        "localisation.jumps_per_minute": 0.0,
        "camera.miss": 0.0,
        "camera.false_alarms": 0.0,
        "camera.edge_noise_px": 0.0,
        "camera.confidence_noise": 0.0,
    }
)
"""Sensors without noise, misses and false alarms."""

ORIGIN = Pose2D()


def room(*solids: Solid, half: float = 2.6, carrots: tuple[CarrotPlace, ...] = ()) -> Layout:
    """Return a square room whose walls' faces are ``half`` metres from the origin."""
    centre, reach = half + 0.05, half + 0.1
    walls = (
        Solid.wall("wall_north", (-reach, centre), (reach, centre), 0.1, 0.5, "normal"),
        Solid.wall("wall_west", (-centre, -reach), (-centre, reach), 0.1, 0.5, "normal"),
        Solid.wall("wall_south", (-reach, -centre), (reach, -centre), 0.1, 0.5, "normal"),
        Solid.wall("wall_east", (centre, -reach), (centre, reach), 0.1, 0.5, "normal"),
    )
    return Layout("room", (*walls, *solids), {}, {}, {}, carrots)


def wolf(pose: Pose2D = ORIGIN, sensors: SensorParameters = QUIET) -> RobotSpec:
    return RobotSpec("wolf", "wolf_sign", pose, sensors)


def rabbit(pose: Pose2D, sensors: SensorParameters = QUIET) -> RobotSpec:
    return RobotSpec("rabbit", "rabbit_sign", pose, sensors)


def run(arena: Arena, seconds: float, **twists: Twist2D) -> None:
    """Step the arena, commanding each named robot in every tick."""
    for _ in range(round(seconds * 50)):
        for name, twist in twists.items():
            arena.robots[name].drive(twist)
        arena.step()
