"""What every launch file starts, without launch: what it hands to the translation, which test_launch_files.py tests."""

import os
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from arena_trees.games.registry import load_games, role_names
from arena_trees.nodes.programs.game_programs import prepare, write_programs
from arena_trees.nodes.programs.node_launch import LaunchExitReason, NodeLaunch
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.errors import ConfigError

FILES = sorted(path.name.removesuffix(".launch.py") for path in resource_path("launch").glob("*.launch.py"))
GAMES = {
    "crossroads": "crossroads_rendered",
    "pacman": "pacman",
    "pursuit": "pursuit_empty",
    "wall_following": "wall_following",
    "wolf_rabbit": "wolf_rabbit",
}
"""Launch file of each game, and its scenario."""
NAV2 = {
    "nav2_controller": "controller_server",
    "nav2_planner": "planner_server",
    "nav2_behaviors": "behavior_server",
    "nav2_bt_navigator": "bt_navigator",
    "nav2_velocity_smoother": "velocity_smoother",
    "nav2_collision_monitor": "collision_monitor",
    "nav2_lifecycle_manager": "lifecycle_manager",
}
"""Packages of Nav2, and the program of each that is started."""


class File:
    """A launch file: its arguments, and what it starts."""

    def __init__(self, name, monkeypatch, folder):
        handed = []
        translation = SimpleNamespace(describe=lambda *given: handed.append(given))
        monkeypatch.setitem(sys.modules, "launch", SimpleNamespace(LaunchDescription=object))
        monkeypatch.setitem(sys.modules, "arena_trees.nodes.programs.launching", translation)
        monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
        runpy.run_path(str(resource_path("launch", f"{name}.launch.py")))["generate_launch_description"]()
        ((arguments, self._nodes),) = handed
        self.arguments = {argument.name: argument for argument in arguments}
        self.folder = folder

    def start(self, **given):
        """Return the nodes, by the names of their processes; the arguments are checked as launch does."""
        for name, value in given.items():
            assert not self.arguments[name].choices or value in self.arguments[name].choices
        values = {argument.name: argument.default for argument in self.arguments.values()} | given
        assert None not in values.values(), "an argument without a default must be given"
        nodes = self._nodes(values, self.folder)
        found = {node.exec_name: node for node in nodes}
        assert len(found) == len(nodes)
        return found


@pytest.fixture
def file(monkeypatch, tmp_path):
    """Reads a launch file."""
    return lambda name: File(name, monkeypatch, tmp_path / "parameters")


def parameters(node):
    """Return what a node is given: ROS lets the section win that appeared later for the first time."""
    sections = {}
    for path in node.parameters:
        for name, section in yaml.safe_load(Path(path).read_text()).items():
            sections.setdefault(name, {}).update(section["ros__parameters"])
    names = ("/**", f"/**/{node.name}", f"{node.namespace}/{node.name}")
    return {key: value for name, section in sections.items() if name in names for key, value in section.items()}


def robots(*names, parts):
    return {f"{name}.{part}" for name in names for part in parts.split()}


PLAYED = {"game", "arena_simulator"}
STARTED = {
    "crossroads": (
        {"game"} | robots("robot_1", "robot_2", parts="tree_node velocity_gate localiser feedback"),
        PLAYED | robots("robot_1", "robot_2", parts="tree_node velocity_gate localiser"),
    ),
    "pacman": (
        {"game"} | robots("pacman", parts="tree_node velocity_gate feedback"),
        PLAYED | robots("pacman", parts="tree_node velocity_gate"),
    ),
    "pursuit": (
        {"game"}
        | robots("chaser", parts="tree_node velocity_gate sphere_detector localiser feedback")
        | robots("evader", parts="tree_node velocity_gate feedback"),
        PLAYED
        | robots("chaser", parts="tree_node velocity_gate localiser")
        | robots("evader", parts="tree_node velocity_gate"),
    ),
    "wall_following": (
        {"game"} | robots("r1", parts="tree_node velocity_gate feedback"),
        PLAYED | robots("r1", parts="tree_node velocity_gate"),
    ),
    "wolf_rabbit": (
        {"game"} | robots("wolf", "rabbit", parts="tree_node velocity_gate geofence_supervisor sign_detector feedback"),
        PLAYED | robots("wolf", "rabbit", parts="tree_node velocity_gate geofence_supervisor"),
    ),
}
"""Of each game the programs for real robots, and those in the simulated arena."""


def test_every_game_has_a_launch_file_and_every_launch_file_is_tested():
    assert {prepare(scenario, [], {}).plan.game.name for scenario in GAMES.values()} == set(load_games())
    assert set(FILES) == {*GAMES, "game", "robot", "nav2"}
    assert set(STARTED) == set(GAMES)


@pytest.mark.parametrize("name", FILES)
def test_every_argument_is_described(file, name):
    arguments = file(name).arguments
    assert arguments
    for argument in arguments.values():
        assert argument.description.endswith("."), argument
        assert argument.default is None or not argument.choices or argument.default in argument.choices


@pytest.mark.parametrize("name", GAMES)
def test_the_file_of_a_game_is_the_common_one_with_its_scenario(file, name):
    own, common = file(name).arguments, file("game").arguments
    assert own["scenario"].default == GAMES[name] and common["scenario"].default is None
    assert list(own) == list(common)
    assert {key: own[key] for key in own if key != "scenario"} == {key: common[key] for key in own if key != "scenario"}


@pytest.mark.parametrize("sim", [False, True], ids=["real", "sim"])
@pytest.mark.parametrize("name", GAMES)
def test_which_programs_a_game_starts_and_what_every_one_is_told(file, name, sim):
    nodes = file(name).start(sim=str(sim).lower())
    assert set(nodes) == STARTED[name][sim]
    game = prepare(GAMES[name], [], {}).plan.game.name
    for process, node in nodes.items():
        robot, _, module = process.rpartition(".")
        assert node.name == {"tree_node": "tree"}.get(module, module)
        assert node.namespace == (f"/{robot}" if robot else "")
        assert node.ros_arguments == ("--enclave", f"/{game}{node.namespace}/{node.name}")
        remaps = {"/tf": "tf", "/tf_static": "tf_static"} if robot else {}
        assert dict(node.remappings) == remaps | ({"cmd_vel_raw": "cmd_vel_raw"} if module == "tree_node" else {})
        assert node.additional_env == {"ARENA_TREES_PARENT": str(os.getpid())}
        told = parameters(node)
        if module != "arena_simulator":
            assert told["use_sim_time"] is sim
        if module in ("tree_node", "game"):
            assert told["autostart"] is True
        if module == "game":
            by_truth = sim and prepare(GAMES[name], [], {}).plan.scenario.judged_by == "truth"
            assert told["truth"] == ("ground_truth" if by_truth else "tf")
        # Exactly these end the launch, and exactly these come back.
        assert node.vital is (module in ("velocity_gate", "arena_simulator"))
        assert node.needed is (module == "game")
        again = module in ("feedback", "geofence_supervisor", "sign_detector", "sphere_detector")
        assert (node.respawn_delay is not None) is again


@pytest.mark.parametrize("name", GAMES)
def test_a_launch_in_the_arena_starts_what_run_ros_starts(file, name, tmp_path):
    order = prepare(GAMES[name], [], {})
    programs = {program.name: program for program in write_programs(order, tmp_path / "run_ros")}
    nodes = file(name).start(sim="true", starts="given")
    assert set(nodes) == set(programs)
    # By a launch all begin by themselves, and the arena of each is a file of its own.
    own = {"autostart", "arena", "stamped_cmd_vel", "starts", "real_time_factor"}
    for process, program in programs.items():
        told = parameters(nodes[process])
        same = {key: value for key, value in program.parameters.items() if key not in own}
        assert {key: value for key, value in told.items() if key not in own} == yaml.safe_load(yaml.safe_dump(same))


def test_arguments_reach_the_nodes_of_a_game(file, tmp_path):
    own = tmp_path / "mine.yaml"
    own.write_text("/wolf/tree: {ros__parameters: {chase_kp: 0.7}}\n/**: {ros__parameters: {threshold: 0.3}}")
    nodes = file("wolf_rabbit").start(
        set="rules.catch_distance=0.5; rabbit.gate.max_linear=0.2; wolf.chase_ki=0.5",
        seed="1007",
        params_file=str(own),
        command_topic="cmd_vel_tree",
        stamped_cmd_vel="true",
        starts="seen",
        autostart="false",
        respawn_tree="true",
        feedback="false",
        geofence="false",
    )
    assert len(nodes) == 7
    wolf, rabbit, rules = nodes["wolf.tree_node"], nodes["rabbit.tree_node"], nodes["game"]
    assert (parameters(wolf)["chase_kp"], parameters(wolf)["seed"], parameters(wolf)["autostart"]) == (0.7, 1007, False)
    assert parameters(wolf)["chase_ki"] == 0.5 and parameters(rabbit)["seed"] == 1007
    assert "chase_kp" not in parameters(rabbit)
    assert dict(wolf.remappings)["cmd_vel_raw"] == "cmd_vel_tree" and wolf.respawn_delay is not None
    assert parameters(nodes["wolf.sign_detector"])["threshold"] == 0.3
    gate = parameters(nodes["rabbit.velocity_gate"])
    assert (gate["max_linear"], gate["rules"], gate["stamped_cmd_vel"]) == (0.2, ["catch_distance=0.5"], "true")
    assert parameters(rules)["set"] == ["rules.catch_distance=0.5", "rabbit.gate.max_linear=0.2", "wolf.chase_ki=0.5"]
    assert (parameters(rules)["starts"], parameters(rules)["seed"]) == ("seen", 1007)
    nodes = file("pacman").start(navigation="nav2", sim="true", real_time_factor="0.5", seed="1003")
    assert parameters(nodes["pacman.tree_node"])["navigation"] == "nav2"
    arena = parameters(nodes["arena_simulator"])
    assert (arena["real_time_factor"], arena["seed"]) == (0.5, 1003)


@pytest.mark.parametrize("sim", [False, True], ids=["real", "sim"])
def test_cameras_on_the_ceiling_are_started_with_the_game(file, sim):
    given = {"sim": str(sim).lower(), "ceiling": "c1, c2", "ceiling_file": "lab.yaml", "truth": "ceiling"}
    nodes = file("wolf_rabbit").start(**given)
    tracker, told = nodes["ceiling_tracker"], parameters(nodes["ceiling_tracker"])
    assert (tracker.namespace, tracker.respawn_delay is not None, tracker.vital) == ("", True, False)
    assert (told["cameras"], told["file"], told["use_sim_time"]) == (["c1", "c2"], "lab.yaml", sim)
    assert told["reliability"] == ("reliable" if sim else "best_effort")
    assert parameters(nodes["game"])["truth"] == "ceiling"
    if sim:
        arena = parameters(nodes["arena_simulator"])
        assert (arena["ceiling_cameras"], arena["ceiling.file"]) == (["c1", "c2"], "lab.yaml")


def test_a_tracking_system_is_relayed_with_the_game(file):
    nodes = file("wolf_rabbit").start(tracking="wolf=/vicon/wolf,rabbit=tf:body", tracking_file="frame.yaml")
    told = parameters(nodes["tracking_relay"])
    assert (told["robots"], told["calibration"]) == (["wolf=/vicon/wolf", "rabbit=tf:body"], "frame.yaml")
    assert parameters(nodes["game"])["truth"] == "tf" and "ceiling_tracker" not in nodes


def test_parts_are_left_out_and_the_output_of_the_tree_is_moved(file):
    off = dict.fromkeys(("gate", "detector", "feedback"), "false")
    robot = file("robot").start(role="rabbit", arena="", use_sim_time="true", command_topic="cmd_vel_tree", **off)
    (tree,) = robot.values()
    assert dict(tree.remappings)["cmd_vel_raw"] == "cmd_vel_tree" and tree.namespace == ""
    told = parameters(tree)
    assert (told["robot"], told["use_sim_time"]) == ("rabbit", True), "without a namespace the role is the name"


def test_real_robots_at_a_crossing_are_not_told_where_they_start(file):
    nodes = file("crossroads").start(set="robots.count=2; rules.plan.size=3.2; rules.localiser.gate=3.0")
    eyes, gate = (parameters(nodes[f"robot_1.{part}"]) for part in ("localiser", "velocity_gate"))
    assert (eyes["role"], eyes["seed"], "start" in eyes) == ("crosser", -1, False)
    assert "localiser.gate=3.0" in eyes["rules"] and "plan.size=3.2" in gate["rules"]
    assert parameters(nodes["robot_2.tree_node"])["plan.size"] == 3.2
    assert Path(eyes["arena"]).is_file() and Path(gate["arena"]).is_file()


def test_one_machine_starts_some_of_the_robots_and_another_the_rules(file):
    game = file("game")
    assert {name.partition(".")[0] for name in game.start(scenario="wolf_rabbit", robots="rabbit", game="false")} == {
        "rabbit"
    }
    assert set(game.start(scenario="wolf_rabbit", robots="")) == {"game"}


def test_a_robot_by_itself(file):
    nodes = file("robot").start(role="wolf", namespace="wolf2/", seed="7", stamped_cmd_vel="true", domain_id="17")
    parts = "tree_node velocity_gate geofence_supervisor sign_detector feedback"
    assert set(nodes) == robots("wolf2", parts=parts)
    for node in nodes.values():
        assert node.namespace == "/wolf2" and node.additional_env["ROS_DOMAIN_ID"] == "17"
        assert node.ros_arguments == ("--enclave", f"/wolf_rabbit/wolf2/{node.name}")
        assert Path(node.parameters[0]).name == "wolf.yaml", "the role's file where none is given"
    tree, gate = parameters(nodes["wolf2.tree_node"]), parameters(nodes["wolf2.velocity_gate"])
    assert (tree["role"], tree["seed"], tree["isolated"], tree["autostart"]) == ("wolf", 7, False, True)
    assert tree["chase_linear_speed"] == 0.306
    assert (gate["stamped_cmd_vel"], gate["role"]) == ("true", "wolf")


def test_an_argument_wins_over_the_file_of_a_robot(file, tmp_path):
    mine = tmp_path / "mine.yaml"
    own = {"/**/tree": {"seed": 3, "chase_kp": 0.5}, "/**/velocity_gate": {"arena": "other.yaml", "max_linear": 0.1}}
    mine.write_text(yaml.safe_dump({node: {"ros__parameters": values} for node, values in own.items()}))
    nodes = file("robot").start(role="wolf", params_file=str(mine), arena="mine.yaml", seed="9")
    tree, gate = parameters(nodes["wolf.tree_node"]), parameters(nodes["wolf.velocity_gate"])
    assert (tree["seed"], tree["chase_kp"]) == (9, 0.5)
    assert (gate["arena"], gate["max_linear"]) == ("mine.yaml", 0.1)


@pytest.mark.parametrize(("role", "own", "other"), [("wolf", "wolf", "rabbit"), ("crosser", "robot_1", "robot_2")])
def test_the_file_of_a_robot_may_be_about_the_other_robots_of_its_game_too(file, tmp_path, role, own, other):
    mine = tmp_path / "mine.yaml"
    given = {"role": role, "namespace": f"/{own}", "params_file": str(mine)}
    mine.write_text(f"/{own}/tree: {{ros__parameters: {{}}}}\n/{other}/tree: {{ros__parameters: {{}}}}\n")
    assert f"{own}.tree_node" in file("robot").start(**given)
    mine.write_text(f"/{own}/tree: {{ros__parameters: {{}}}}\n/nobody/tree: {{ros__parameters: {{}}}}\n")
    with pytest.raises(RuntimeError, match="/nobody/tree: is about none of"):
        file("robot").start(**given)


@pytest.mark.parametrize("role", role_names())
def test_every_role_can_be_a_robot_by_itself(file, role):
    nodes = file("robot").start(role=role, arena="")
    assert set(nodes) == robots(role, parts="tree_node velocity_gate sign_detector feedback")


@pytest.mark.parametrize(("arena", "fenced"), [("arena_4x4", True), ("crossing_4", False), ("", False)])
def test_a_geofence_supervisor_runs_only_where_the_arena_has_fences(file, arena, fenced):
    nodes = file("robot").start(role="crosser", namespace="/robot_1", arena=arena)
    assert ("robot_1.geofence_supervisor" in nodes) is fenced


def test_a_localiser_is_told_where_it_starts(file):
    nodes = file("robot").start(role="crosser", namespace="/robot_1", localiser="true", start="[0.3, -2.7, 1]")
    assert parameters(nodes["robot_1.localiser"])["start"] == [0.3, -2.7, 1.0]


def test_an_isolated_robot_in_the_arena_needs_no_domain(file):
    nodes = file("robot").start(role="wolf", isolated="true", use_sim_time="true")
    assert parameters(nodes["wolf.tree_node"])["isolated"] is True


@pytest.mark.parametrize("name", ["robot", "wolf_rabbit"])
def test_a_robot_that_is_to_undock_begins_when_that_is_done(file, name):
    given = ROBOT | {"namespace": "/wolf"} if name == "robot" else {}
    others = file(name).start(**given)
    nodes = file(name).start(**given, undock="true")
    names = {node.namespace.strip("/") for node in others.values() if node.namespace}
    assert set(nodes) == {f"{robot}.undock" for robot in names} | ({"game"} & set(others))
    for robot in names:
        first = nodes[f"{robot}.undock"]
        assert first.namespace == f"/{robot}" and first.ros_arguments == ("--enclave", f"/wolf_rabbit/{robot}/undock")
        assert {node.exec_name for node in first.then} == {one for one in others if one.startswith(f"{robot}.")}
        assert all(node.exec_name != "game" for node in first.then)


def test_nav2_drives_through_its_smoother_and_monitor_to_the_tree(file):
    nodes = file("nav2").start(namespace="/pacman", use_sim_time="true")
    assert {node.package: node.executable for node in nodes.values()} == NAV2
    for name, node in nodes.items():
        drives = name in ("controller_server", "behavior_server", "velocity_smoother")
        assert (dict(node.remappings).get("cmd_vel") == "cmd_vel_controller") is drives
        assert dict(node.remappings)["/tf"] == "tf" and node.namespace == "/pacman"
        assert node.ros_arguments == ("-p", "use_sim_time:=true")
    managed = yaml.safe_load(Path(nodes["lifecycle_manager_navigation"].parameters[0]).read_text())
    (names,) = [
        section["ros__parameters"]["node_names"]
        for key, section in managed.items()
        if key.endswith("lifecycle_manager_navigation")
    ]
    assert set(names) == set(nodes) - {"lifecycle_manager_navigation"}


ROBOT = {"role": "wolf"}
GAME = {"scenario": "wolf_rabbit"}


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("robot", ROBOT | {"seed": "abc"}, "seed: must be a whole number from 0 to 2147483647 (got 'abc')"),
        ("robot", ROBOT | {"seed": "-1"}, "seed: must be a whole number"),
        ("robot", ROBOT | {"seed": "9999999999"}, "seed: must be a whole number"),
        ("robot", ROBOT | {"domain_id": "home"}, "domain_id: must be a whole number from 0 to 232 (got 'home')"),
        ("robot", ROBOT | {"domain_id": "233"}, "domain_id: must be"),
        ("robot", ROBOT | {"start": "here"}, "start: must be [x, y, yaw], in m and rad (got 'here')"),
        ("robot", ROBOT | {"start": "[1, 2]"}, "start: must be"),
        ("robot", ROBOT | {"start": "[1, .nan, 0]"}, "start: must be"),
        ("robot", ROBOT | {"start": "[1, 2, 'east']"}, "start: must be"),
        ("robot", ROBOT | {"start": "[1, 2"}, "start: must be"),
        ("robot", ROBOT | {"namespace": "/my robot"}, "namespace: must be / and a plain word (got '/my robot')"),
        ("robot", ROBOT | {"namespace": "/2nd"}, "namespace: must be"),
        ("robot", ROBOT | {"isolated": "true"}, "isolated: an isolated robot needs a domain of its own"),
        ("robot", ROBOT | {"isolated": "true", "domain_id": "0"}, "isolated: an isolated robot needs a domain"),
        ("robot", ROBOT | {"params_file": "/nowhere.yaml"}, "params_file: /nowhere.yaml"),
        ("nav2", {"namespace": "/pac man"}, "namespace: must be"),
        ("game", {"scenario": "nowhere"}, "nowhere"),
        ("game", GAME | {"seed": "abc"}, "seed: must be a whole number from 0 to 2147483647 (got 'abc')"),
        ("game", GAME | {"real_time_factor": "fast"}, "real_time_factor: must be a number above 0 (got 'fast')"),
        ("game", GAME | {"real_time_factor": "0"}, "real_time_factor: must be"),
        ("game", GAME | {"real_time_factor": "nan"}, "real_time_factor: must be"),
        ("game", GAME | {"undock": "true", "sim": "true"}, "undock: the simulated arena has no docks"),
        ("game", GAME | {"robots": "fox"}, "robots: there is no fox; there are wolf, rabbit (got 'fox')"),
        ("game", GAME | {"set": "wolf.wings=2"}, "wings"),
        ("game", GAME | {"set": "wolf.gate.obstacle_margin=0"}, "allow_loose_gate:=true"),
        ("game", GAME | {"params_file": "/nowhere.yaml"}, "params_file: /nowhere.yaml"),
        ("game", {"scenario": "pacman", "ceiling": "c1", "tracking": "pacman=/a"}, "give one of them"),
        ("game", {"scenario": "pacman", "ceiling_file": "a.yaml"}, "ceiling_file: nothing reads it without ceiling"),
        ("game", {"scenario": "pacman", "tracking_file": "a.yaml"}, "nothing reads it without tracking"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_named_with_its_key(file, name, given, said):
    with pytest.raises((ConfigError, RuntimeError)) as refused:
        file(name).start(**given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("node", "ending"),
    [
        (NodeLaunch("feedback"), {2}),
        (NodeLaunch("game", needed=True), {1, 2}),
        (NodeLaunch("velocity_gate", vital=True), {-9, -2, 0, 1, 2}),
        (NodeLaunch("undock", first=True), {-9, -2, 1, 2}),
    ],
    ids=["any", "needed", "vital", "first"],
)
def test_which_exit_codes_end_the_launch(node, ending):
    assert {code for code in (-9, -2, 0, 1, 2) if node.ends_launch(code)} == ending


def test_the_last_words_are_those_of_the_first_program_that_ended_the_launch():
    words, tree = LaunchExitReason(), NodeLaunch("tree_node", exec_name="wolf.tree_node")
    words.hear("wolf.tree_node-1", "[WARN] something\nerror: chase_kpp: unknown key\n")
    words.hear("rabbit.tree_node-2", "error: and I as well")
    assert not words.ended("wolf.tree_node-1", tree, -9) and words.why == ""
    assert words.ended("wolf.tree_node-1", tree, 2)
    assert words.ended("rabbit.tree_node-2", NodeLaunch("tree_node", exec_name="rabbit.tree_node"), 2)
    assert words.why == "wolf.tree_node ended with exit code 2: chase_kpp: unknown key"


def test_a_program_that_said_nothing_is_named_with_its_signal():
    words = LaunchExitReason()
    assert words.ended("gate-1", NodeLaunch("velocity_gate", exec_name="wolf.velocity_gate", vital=True), -9)
    assert words.why == "wolf.velocity_gate was killed by SIGKILL"
