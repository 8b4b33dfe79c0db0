"""A tree that drives by Nav2: its velocity becomes the tree's command, and no goal outlives the wish for it."""

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("nav2_msgs.action", reason="nav2_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import TwistStamped
from helpers.nav2_server import Manner, Nav2Server
from helpers.node_bench import NodeBench
from helpers.robot_senses import Senses
from irobot_create_msgs.msg import HazardDetection, HazardDetectionVector
from sensor_msgs.msg import PointCloud2

from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase
from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.tree_node import TreeNode
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

NAMESPACE = ("-r", "__ns:=/pacman")
NAV2 = (*NAMESPACE, "-p", "role:=pacman", "-p", "navigation:=nav2")
HOME = Pose2D(120.0, 0.0)
"""Far away; the server's velocity is a thousandth of it."""


def game(phase):
    game = PacmanGame(
        phase=phase, round=1, score=0, lives=3, spawned=1, pellets=(), ghosts=(), home=HOME, pickup_radius=0.25,
        death_radius=0.3,
    )  # fmt: skip
    return game.encode()


@pytest.fixture
def server():
    server = Nav2Server("/pacman")
    server.manner = Manner(lasts=60.0)
    yield server
    server.close()


def test_nav2_s_velocity_leaves_through_the_tree_and_a_goal_that_is_not_wanted_is_cancelled(server):
    with NodeBench(TreeNode, *NAV2) as bench:
        senses = Senses(bench.observer, "pacman")
        commands = bench.hear(TwistStamped, "/pacman/cmd_vel_raw")
        controller = RosMessagePort(bench.observer, "game_controller", find_game("pacman"), [PacmanGame.topic])

        def tell(phase):
            senses.publish()
            controller.send(PacmanGame.topic, game(phase))

        def driven(speed):
            return any(abs(command.twist.linear.x - speed) < 1e-9 for command in commands[-5:])

        bench.until(lambda: driven(0.12), "Nav2's velocity", lambda: tell(PacmanPhase.RETURNING_HOME))
        assert server.active() == [120]
        bench.until(lambda: not server.active(), "the cancel", lambda: tell(PacmanPhase.MENU))
        assert server.ended[-1] == (120, "cancelled")
        commands.clear()
        bench.until(lambda: commands, "a command", lambda: tell(PacmanPhase.MENU))
        bench.until(lambda: commands[-1].twist.linear.x == 0.0, "zero", lambda: tell(PacmanPhase.MENU))


def test_the_end_of_the_node_ends_its_goal(server):
    with NodeBench(TreeNode, *NAV2) as bench:
        senses = Senses(bench.observer, "pacman")
        controller = RosMessagePort(bench.observer, "game_controller", find_game("pacman"), [PacmanGame.topic])

        def tell():
            senses.publish()
            controller.send(PacmanGame.topic, game(PacmanPhase.RETURNING_HOME))

        bench.until(server.active, "a goal", tell)
        bench.halt()
        bench.until(lambda: not server.active(), "the cancel")
        assert server.ended[-1] == (120, "cancelled")


def test_nav2_is_told_of_what_the_bumper_meets(server):
    with NodeBench(TreeNode, *NAV2) as bench:
        senses = Senses(bench.observer, "pacman")
        clouds = bench.hear(PointCloud2, "/pacman/bumped_cloud")
        hazards = bench.speaker(HazardDetectionVector, "/pacman/hazard_detection", 1)
        controller = RosMessagePort(bench.observer, "game_controller", find_game("pacman"), [PacmanGame.topic])
        pressed = HazardDetection(type=HazardDetection.BUMP)
        pressed.header.frame_id = "bump_front_center"

        def tell():
            senses.publish()
            message = HazardDetectionVector(detections=[pressed])
            message.header.stamp = bench.observer.get_clock().now().to_msg()
            hazards.publish(message)
            controller.send(PacmanGame.topic, game(PacmanPhase.RETURNING_HOME))

        bench.until(lambda: clouds, "a cloud of what was met", tell)
        assert clouds[-1].header.frame_id == "base_link" and clouds[-1].width > 20


def test_a_role_that_drives_to_no_goals_has_no_use_for_nav2():
    with pytest.raises(ConfigError, match="navigation: role wolf drives to no goals"):
        NodeBench(TreeNode, *NAMESPACE, "-p", "role:=wolf", "-p", "navigation:=nav2")
