"""What a tree knows of its robot on ROS: the body, the camera and the rules of the scenario."""

import math

import pytest
from helpers.scenario_plans import planned

from arena_trees.nodes.programs.game_programs import TrialRequest, write_programs
from arena_trees.nodes.runtime.role_context import known_role
from arena_trees.robot.background import InlineRunner
from arena_trees.world.arenas import load_body
from arena_trees.world.camera_optics import CameraOptics


@pytest.mark.parametrize("robot", ["chaser", "evader"])
def test_the_tree_node_is_told_of_camera_and_rules_where_its_role_wants_to_know(tmp_path, robot):
    plan = planned("pursuit_empty_source_scale", **{"rules.reach": 4.0})
    programs = {program.name: program for program in write_programs(TrialRequest("it", (), plan, 0), tmp_path)}
    told = programs[f"{robot}.tree_node"].parameters
    body = load_body(told["arena"], robot, robot, told["body"])
    camera = CameraOptics(**{key.removeprefix("camera."): told[key] for key in told if key.startswith("camera.")})
    role, context = known_role(robot, robot, told["rules"], told["arena"], body=body, camera=camera)
    assert role.given(context, InlineRunner()) == {"context": context}
    assert context.body == plan.robots[robot].body and context.rules == plan.rules
    assert context.camera.pinhole() == plan.robots[robot].camera.pinhole()
    assert math.degrees(context.camera.pinhole().hfov) == pytest.approx(70.0 if robot == "chaser" else 42.0)
