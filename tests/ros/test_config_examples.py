"""The examples for programs of others: consistent in themselves, and with our topics."""

from __future__ import annotations

import yaml

from arena_trees.robot.resources import resource_path


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


def test_rviz_shows_what_we_publish():
    view = yaml.safe_load(resource_path("config", "rviz", "wolf_rabbit.rviz").read_text(encoding="utf-8"))
    manager = view["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "map"
    topics = {display["Topic"]["Value"] for display in manager["Displays"] if "Topic" in display}
    own = {"geofence/markers", "ground_truth"}
    assert {f"/{robot}/{name}" for robot in ("wolf", "rabbit") for name in own} <= topics
