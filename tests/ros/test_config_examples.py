"""The examples for programs of others: consistent in themselves, and with our topics."""

import subprocess
import sys

import pytest
import yaml

from arena_trees.robot.configuration.resources import config_path, resource_path


def parameters(file: str, node: str) -> dict:
    return yaml.safe_load(resource_path("config", file).read_text(encoding="utf-8"))[node]["ros__parameters"]


def test_twist_mux_lets_the_joystick_go_first_and_gives_up_a_silent_game():
    mux = parameters("twist_mux.yaml", "/**/twist_mux")
    assert mux["use_stamped"] is True, "without it the node dies"
    topics = mux["topics"]
    assert topics["joystick"]["priority"] > topics["game"]["priority"]
    assert topics["game"]["topic"] == "cmd_vel_tree"
    for entry in (*topics.values(), *mux["locks"].values()):
        assert set(entry) == {"topic", "timeout", "priority"}
        assert type(entry["timeout"]) is float and type(entry["priority"]) is int


def test_the_collision_monitor_stands_before_the_gate():
    monitor = parameters("collision_monitor.yaml", "/**/collision_monitor")
    assert (monitor["cmd_vel_in_topic"], monitor["cmd_vel_out_topic"]) == ("cmd_vel_tree", "cmd_vel_raw")
    assert monitor["enable_stamped_cmd_vel"] is True
    assert set(monitor["polygons"]) | set(monitor["observation_sources"]) == {
        key for key, value in monitor.items() if isinstance(value, dict)
    }
    managed = parameters("collision_monitor.yaml", "/**/lifecycle_manager")["node_names"]
    assert managed == ["collision_monitor"]


def test_nav2_marks_ghosts_and_bumps_in_layers_of_their_own():
    for costmap in ("local_costmap", "global_costmap"):
        layers = parameters("nav2.yaml", f"/**/{costmap}")
        assert layers["plugins"] == [
            "static_layer", "obstacle_layer", "ghost_layer", "bump_layer", "inflation_layer",
        ]  # fmt: skip
        assert set(layers["plugins"]) <= set(layers)
        assert 0.22 <= layers["inflation_layer"]["inflation_radius"] <= 0.30
        scan, ghosts, bumps = layers["obstacle_layer"]["scan"], layers["ghost_layer"], layers["bump_layer"]
        assert (scan["topic"], scan["marking"], scan["clearing"]) == ("/pacman/scan", True, True)
        assert bumps["observation_sources"].split() == ["bumped", "scan"]
        marks, clears = bumps["bumped"], bumps["scan"]
        assert (marks["topic"], marks["marking"], marks["clearing"]) == ("/pacman/bumped_cloud", True, False)
        assert (clears["topic"], clears["marking"], clears["clearing"]) == ("/pacman/scan", False, True)
        assert marks["max_obstacle_height"] > 0.05, "by default Nav2 takes points at the height 0 alone"
        assert ghosts["observation_sources"].split() == ["ghost", "trail"]
        marks, clears = ghosts["ghost"], ghosts["trail"]
        assert (marks["topic"], marks["marking"], marks["clearing"]) == ("/ghost_cloud", True, False)
        assert (clears["topic"], clears["marking"], clears["clearing"]) == ("/ghost_trail", False, True)
        # By default Nav2 takes points at the height 0 alone, and only near ones.
        assert min(marks["max_obstacle_height"], clears["max_obstacle_height"]) > 0.25
        assert min(marks["obstacle_max_range"], clears["raytrace_max_range"]) >= 100.0


def test_nav2_drives_within_the_base_and_never_past_the_tree():
    chain = [parameters("nav2.yaml", f"/**/{node}") for node in ("controller_server", "behavior_server")]
    smoother, monitor = (parameters("nav2.yaml", f"/**/{node}") for node in ("velocity_smoother", "collision_monitor"))
    assert all(node["enable_stamped_cmd_vel"] is True for node in (*chain, smoother, monitor))
    assert (monitor["cmd_vel_in_topic"], monitor["cmd_vel_out_topic"]) == ("cmd_vel_smoothed", "cmd_vel_nav")
    assert chain[0]["FollowPath"]["desired_linear_vel"] <= smoother["max_velocity"][0] == 0.306
    assert smoother["max_velocity"][2] == 1.9
    assert chain[0]["goal_checker"]["xy_goal_tolerance"] < 0.25, "a pellet is collected within 0.25 m"


def test_ros_reads_the_parameters_of_nav2():
    pytest.importorskip("rclpy", reason="there is no ROS here")
    code = (
        "import rclpy; rclpy.init(); "
        "node = rclpy.create_node('global_costmap', automatically_declare_parameters_from_overrides=True); "
        "print(node.get_parameter('ghost_layer.trail.topic').value)"
    )
    arguments = [
        "--ros-args",
        "-r",
        "__ns:=/pacman/global_costmap",
        "--params-file",
        resource_path("config", "nav2.yaml"),
    ]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "/ghost_trail", done.stderr


@pytest.mark.parametrize(
    ("file", "needed"),
    [
        (
            "wolf_rabbit.rviz",
            {f"/{robot}/{name}" for robot in ("wolf", "rabbit") for name in ("geofence/markers", "ground_truth")},
        ),
        (
            "pacman.rviz",
            {"/game/markers", "/ghost_cloud", "/pacman/ground_truth", "/pacman/scan"},
        ),
    ],
)
def test_rviz_shows_what_we_publish(file, needed):
    view = yaml.safe_load(config_path(file).read_text(encoding="utf-8"))
    manager = view["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "map"
    topics = {display["Topic"]["Value"] for display in manager["Displays"] if "Topic" in display}
    assert needed <= topics
