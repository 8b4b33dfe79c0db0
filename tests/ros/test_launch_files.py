"""Launch files, run by the real launch with programs in the place of our nodes that say how they were started."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from helpers.patience import Patience, exit_code, until

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed; they come from apt, not from PyPI")

from launch import LaunchContext
from launch.launch_description_sources import PythonLaunchDescriptionSource

from arena_trees.games.registry import role_names
from arena_trees.nodes.diagnosis.launch_log import launch_end
from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.runtime.start import waiting_prefix
from arena_trees.robot.configuration.resources import resource_path

NODES = ("feedback", "game", "geofence_supervisor", "sign_detector", "tree_node", "undock", "velocity_gate")
WOLF = "role:=wolf"

LAUNCH = """
import os, sys
for module in os.environ.get("WITHOUT", "").split():
    sys.modules[module] = None
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
file, *given = sys.argv[1:]
arguments = [tuple(one.split(":=", 1)) for one in given]
service = LaunchService(argv=given)
source = PythonLaunchDescriptionSource(file)
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments)]))
sys.exit(service.run())
"""

OUTER = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

def generate_launch_description():
    names = ("robots_in_lab", "namespce")
    given = {{"role": "wolf", "namespace": LaunchConfiguration("namespce"), "detector": "false", "feedback": "false",
              "geofence": "false"}}
    ours = IncludeLaunchDescription(PythonLaunchDescriptionSource({file!r}), launch_arguments=given.items())
    return LaunchDescription([*map(DeclareLaunchArgument, names), ours])
"""
"""A launch file of a lab's, with an argument that is called nearly as one of ours."""

STAND_IN = f"""#!{sys.executable}
import json, os, signal, sys, time
signal.signal(signal.SIGINT, lambda *_: None)
waiting = signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
told = {{"pid": os.getpid(), "program": os.path.basename(sys.argv[0]), "arguments": sys.argv[1:],
        "domain": os.environ.get("ROS_DOMAIN_ID"), "parent": os.environ.get("ARENA_TREES_PARENT"),
        "waiting": list(map(int, waiting))}}
with open(os.environ["STAND_IN_LOG"], "a") as log:
    log.write(json.dumps(told) + "\\n")
refuses, _, code = os.environ.get("REFUSES", "").partition(":")
if refuses == told["program"]:
    # Once the others are there.
    while len(open(os.environ["STAND_IN_LOG"]).readlines()) < int(os.environ["OF"]):
        time.sleep(0.01)
    sys.stderr.write("error: /wolf/tree: chase_kpp: unknown key (got 1)\\n")
    sys.exit(int(code))
signal.pause()
sys.stderr.write("said on the way out\\n")
"""
"""Stands where one of our programs is looked for, and says in a file how it was started."""


class Started:
    """A program as it was started."""

    def __init__(self, reported):
        self.pid = reported["pid"]
        self.program = reported["program"]
        self.domain = reported["domain"]
        self.parent = reported["parent"]
        self.waiting = reported["waiting"]
        pairs = list(zip(reported["arguments"], reported["arguments"][1:], strict=False))
        remaps = [value.split(":=", 1) for flag, value in pairs if flag == "-r"]
        self.remaps = dict(remaps)
        self.namespace = self.remaps.pop("__ns", "")
        self.enclave = next((value for flag, value in pairs if flag == "--enclave"), None)
        self.name = self.remaps.pop("__node", self.program)
        self.sections = {}
        for flag, value in pairs:
            if flag == "--params-file":
                for name, section in yaml.safe_load(Path(value).read_text()).items():
                    self.sections.setdefault(name, {}).update(section["ros__parameters"])
            elif flag == "-p":
                key, _, text = value.partition(":=")
                self.sections.setdefault("/**", {})[key] = yaml.safe_load(text)

    @property
    def parameters(self):
        """What the node gets: ROS lets the section win that appeared later for the first time."""
        found = {}
        for name, values in self.sections.items():
            if name in ("/**", f"/**/{self.name}", f"{self.namespace.rstrip('/')}/{self.name}"):
                found |= values
        return found


def stand_in(folder: Path, package: str, program: str) -> None:
    """Install a stand-in as a program of a package."""
    marker = folder / "share/ament_index/resource_index/packages" / package
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    file = folder / "lib" / package / program
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(STAND_IN)
    file.chmod(0o755)


class Launch:
    """A launch file that runs, with stand-ins for our programs."""

    def __init__(self, folder: Path, name: str, *arguments: str, **environment: str) -> None:
        for node in NODES:
            stand_in(folder, "arena_trees", node)
        self._log = folder / "started"
        self._log.touch()
        kept = {key: value for key, value in os.environ.items() if key != "ROS_DOMAIN_ID"}
        own = {"AMENT_PREFIX_PATH": str(folder), "STAND_IN_LOG": str(self._log), "ROS_LOG_DIR": str(folder / "log")}
        file = name if name.endswith(".py") else str(resource_path("launch", f"{name}.launch.py"))
        command = [sys.executable, "-c", LAUNCH, file, *arguments]
        self.output = folder / "output"
        self.log = folder / "log" / "latest" / "launch.log"
        with self.output.open("w") as output:
            # A group of its own, for a signal to all of it.
            self.process = subprocess.Popen(
                command,
                env={**kept, **own, **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def started(self, number: int) -> list[Started]:
        """Return what has been started, once it is that many programs, or the launch has ended."""

        def is_over() -> bool:
            return self.process.poll() is not None or len(self._log.read_text().splitlines()) >= number

        until(is_over, self.output.read_text)
        found = [Started(json.loads(line)) for line in self._log.read_text().splitlines()]
        assert len(found) >= number, self.output.read_text()
        return found

    def ended(self) -> int:
        return exit_code(self.process)

    def stop(self) -> int:
        """Interrupt it and all that it has started, as Ctrl-C does, and return its exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.ended()

    @property
    def last_line(self) -> str:
        """What was written last."""
        return self.output.read_text().splitlines()[-1]


@pytest.fixture
def start(tmp_path) -> Iterator[object]:
    """Starts launch files, and leaves none running."""
    running = []

    def begin(name: str, *arguments: str, **environment: str) -> Launch:
        running.append(Launch(tmp_path / str(len(running)), name, *arguments, **environment))
        return running[-1]

    yield begin
    for launch in running:
        if launch.process.poll() is None:
            launch.stop()


def description(name: str):
    """Return what a launch file describes."""
    source = PythonLaunchDescriptionSource(str(resource_path("launch", f"{name}.launch.py")))
    return source.get_launch_description(LaunchContext())


def test_choices_are_those_that_there_are_and_every_argument_is_described():
    arguments = {argument.name: argument for argument in description("robot").get_launch_arguments()}
    assert arguments["role"].choices == role_names()
    assert arguments["stamped_cmd_vel"].choices == ["auto", "true", "false"]
    parts = "tree gate detector spheres geofence localiser feedback isolated use_sim_time"
    assert all(arguments[part].choices == ["true", "false"] for part in parts.split())
    assert all(argument.description not in ("", "no description given") for argument in arguments.values())


def test_a_choice_that_is_none_is_refused(start):
    launch = start("robot", "role:=fox")
    assert launch.ended() != 0
    assert "fox" in launch.output.read_text()


def test_a_robot_has_its_namespace_its_tf_and_its_parameters(start):
    launch = start("robot", WOLF, "namespace:=wolf2/", "arena:=mine.yaml", "seed:=7", "stamped_cmd_vel:=true")
    started = {one.program: one for one in launch.started(5)}
    assert set(started) == {"velocity_gate", "tree_node", "sign_detector", "geofence_supervisor", "feedback"}
    for one in started.values():
        assert one.namespace == "/wolf2"
        assert one.remaps["/tf"] == "tf" and one.remaps["/tf_static"] == "tf_static"
        assert one.parameters["use_sim_time"] is False
        assert one.domain is None
        assert one.parent == str(launch.process.pid), "it ends with the launch"
        assert one.waiting == ([signal.SIGINT] if waiting_prefix() else []), "Ctrl-C waits for it to begin"
    tree, gate = started["tree_node"].parameters, started["velocity_gate"].parameters
    assert (tree["role"], tree["seed"], tree["isolated"], tree["autostart"]) == ("wolf", 7, False, True)
    assert tree["chase_linear_speed"] == 0.306, "config/wolf_rabbit/wolf.yaml is the parameter file where none is given"
    assert started["tree_node"].remaps["cmd_vel_raw"] == "cmd_vel_raw"
    assert gate["stamped_cmd_vel"] == "true"
    assert tree["arena"] == gate["arena"] == started["geofence_supervisor"].parameters["arena"] == "mine.yaml"
    assert launch.stop() == 0


def test_the_python_of_ros2_launch_needs_none_of_our_dependencies(start):
    parts = ("detector:=false", "feedback:=false", "geofence:=false")
    launch = start("robot", WOLF, *parts, WITHOUT="pydantic py_trees shapely rich typer")
    assert len(launch.started(2)) == 2
    assert launch.stop() == 0


def test_a_value_that_cannot_be_used_is_named_with_its_key_in_the_last_line(start):
    launch = start("robot", WOLF, "seed:=abc")
    assert launch.ended() != 0
    assert "seed: must be a whole number from 0 to 2147483647 (got 'abc')" in launch.last_line


@pytest.mark.parametrize(
    ("name", "argument", "said"),
    [
        ("robot", "namespce:=/rabbit", "namespce: is no argument of robot.launch.py: did you mean namespace?"),
        ("pacman", "map:=nosuch.yaml", "map: is no argument of pacman.launch.py; there are scenario, set,"),
    ],
)
def test_an_argument_that_the_launch_file_does_not_have_is_refused(start, name, argument, said):
    launch = start(name, *((WOLF,) if name == "robot" else ()), argument)
    assert launch.ended() == 1
    assert said in launch.output.read_text()


def test_arguments_of_a_launch_file_that_includes_ours_are_its_own(start, tmp_path):
    outer = tmp_path / "lab.launch.py"
    outer.write_text(OUTER.format(file=str(resource_path("launch", "robot.launch.py"))))
    launch = start(str(outer), "robots_in_lab:=2", "namespce:=/wolf")
    assert {one.namespace for one in launch.started(2)} == {"/wolf"}
    assert launch.stop() == 0


def test_the_doctor_finds_why_a_launch_refused_its_parameter_file(start, tmp_path):
    file = tmp_path / "fox.yaml"
    file.write_text("/fox/tree: {ros__parameters: {chase_kp: 1.0}}")
    launch = start("robot", WOLF, "namespace:=/wolf", f"params_file:={file}")
    assert launch.ended() == 1
    end = launch_end(launch.log)
    assert end is not None and end.words.startswith(f"params_file: {file}: /fox/tree: is about none of ")
    assert 0.0 <= end.ago < 3600.0


@pytest.mark.parametrize(("program", "code"), [("tree_node", 2), ("game", 1)])
def test_what_a_program_refused_ends_the_launch_and_is_the_last_line(start, program, code):
    launch = start("wolf_rabbit", "detector:=false", REFUSES=f"{program}:{code}", OF="9")
    assert launch.ended() == 1
    output = launch.output.read_text()
    assert output.count("said on the way out") >= 7, output
    assert f"{program} ended with exit code {code}: /wolf/tree: chase_kpp: unknown key (got 1)" in launch.last_line


def test_a_robot_begins_when_it_has_undocked(start):
    launch = start("robot", WOLF, "namespace:=/wolf", "undock:=true", "geofence:=false", "feedback:=false")
    (undock,) = launch.started(1)
    assert (undock.program, undock.namespace) == ("undock", "/wolf")
    os.kill(undock.pid, signal.SIGINT)
    assert {one.program for one in launch.started(4)} == {"undock", "tree_node", "velocity_gate", "sign_detector"}
    assert launch.stop() == 0


def test_a_robot_that_does_not_undock_does_not_begin(start):
    launch = start("robot", WOLF, "namespace:=/wolf", "undock:=true", REFUSES="undock:2", OF="1")
    assert launch.ended() == 1
    assert [one.program for one in launch.started(1)] == ["undock"]
    assert "wolf.undock ended with exit code 2" in launch.last_line


def test_rules_that_are_killed_leave_the_robots_as_they_are(start):
    launch = start("wolf_rabbit", "detector:=false", "geofence:=false", "feedback:=false", "tree:=false")
    (rules,) = [one for one in launch.started(3) if one.program == "game"]
    os.kill(rules.pid, signal.SIGKILL)
    until(lambda: "process has died" in launch.output.read_text(), launch.output.read_text)
    assert launch.process.poll() is None
    assert launch.stop() == 0
    assert "was killed" not in launch.output.read_text()


def test_a_game_is_its_robots_that_do_not_mix_and_its_rules(start, tmp_path):
    own = tmp_path / "mine.yaml"
    own.write_text("/wolf/tree: {ros__parameters: {chase_kp: 0.7}}\n/**: {ros__parameters: {threshold: 0.3}}")
    parts = ("feedback:=false", "geofence:=false", "command_topic:=cmd_vel_tree")
    launch = start(
        "wolf_rabbit", "set:=rules.catch_distance=0.5; rabbit.gate.max_linear=0.2", f"params_file:={own}", *parts
    )
    started = launch.started(7)
    assert {one.parameters["use_sim_time"] for one in started} == {False}
    robots = {(one.namespace, one.program): one for one in started if one.namespace}
    trees = {namespace: one.parameters for (namespace, program), one in robots.items() if program == "tree_node"}
    assert {namespace: values["role"] for namespace, values in trees.items()} == {"/wolf": "wolf", "/rabbit": "rabbit"}
    assert (trees["/wolf"]["chase_kp"], trees["/wolf"]["autostart"]) == (0.7, True)
    assert trees["/rabbit"].get("chase_kp") is None
    assert robots["/wolf", "sign_detector"].parameters["threshold"] == 0.3
    assert robots["/rabbit", "velocity_gate"].parameters["max_linear"] == 0.2
    assert robots["/wolf", "velocity_gate"].parameters["rules"] == ["catch_distance=0.5"]
    assert robots["/wolf", "tree_node"].remaps["cmd_vel_raw"] == "cmd_vel_tree"
    (rules,) = [one for one in started if one.program == "game"]
    assert robots["/rabbit", "tree_node"].enclave == "/wolf_rabbit/rabbit/tree" and rules.enclave == "/wolf_rabbit/game"
    assert (rules.parameters["truth"], rules.parameters["autostart"]) == ("tf", True)
    assert rules.parameters["set"] == ["rules.catch_distance=0.5", "rabbit.gate.max_linear=0.2"]
    assert launch.stop() == 0


def test_when_the_gate_dies_everything_ends(start):
    launch = start("robot", WOLF, "namespace:=/wolf")
    (gate,) = [one for one in launch.started(5) if one.program == "velocity_gate"]
    os.kill(gate.pid, signal.SIGKILL)
    assert launch.ended() == 1
    assert "wolf.velocity_gate was killed by SIGKILL" in launch.last_line
    for one in launch.started(5):
        with pytest.raises(ProcessLookupError):
            os.kill(one.pid, 0)


def test_detector_comes_back_and_the_tree_does_not(start):
    launch = start("robot", WOLF, "geofence:=false", "feedback:=false")
    for one in launch.started(3):
        if one.program != "velocity_gate":
            os.kill(one.pid, signal.SIGKILL)
    again = launch.started(4)[3:]
    assert [one.program for one in again] == ["sign_detector"]
    assert launch.process.poll() is None
    assert launch.stop() == 0
    assert len(launch.started(4)) == 4


def wait_for(text: str, file: Path, process: subprocess.Popen, limit_s: float | None = None) -> str:
    """Return the line of a log that holds a text; fail where it does not come."""

    def found() -> list[str]:
        assert process.poll() is None, file.read_text(errors="replace")[-3000:]
        return [line for line in file.read_text(errors="replace").splitlines() if text in line]

    patience = Patience(lambda: file.read_text(errors="replace")[-3000:], limit_s)
    while not (lines := found()):
        patience.check()
        time.sleep(0.1)
    return lines[0]


@contextmanager
def played(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen, Path]]:
    """Launch wolf and rabbit with the real programs; give the launch and its log, and interrupt what is left."""
    log = folder / "log"
    with reserved_domain() as domain, log.open("w") as output:
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_LOG_DIR": str(folder)}
        command = [sys.executable, "-c", LAUNCH, str(resource_path("launch", "wolf_rabbit.launch.py")), *arguments]
        launch = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            yield launch, log
            assert exit_code(launch) == 0
        finally:
            if launch.poll() is None:
                os.killpg(launch.pid, signal.SIGINT)
                exit_code(launch)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.2, 0.6, 1.2])
def test_real_programs_that_are_interrupted_as_they_begin_leave_no_traceback(tmp_path, delay):
    with played(tmp_path) as (launch, log):
        wait_for("process started", log, launch)
        time.sleep(delay)
        os.killpg(launch.pid, signal.SIGINT)
    said = log.read_text()
    assert "Traceback" not in said and "process has died" not in said, said


@pytest.mark.slow
def test_a_real_simulation_ends_in_a_catch_and_with_its_gate(tmp_path):
    for module in ("mujoco", "tf2_msgs", "vision_msgs", "irobot_create_msgs"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    with played(tmp_path, "sim:=true", "seed:=1000") as (launch, log):
        started = wait_for("[wolf.velocity_gate-", log, launch)
        wait_for("caught: claim", log, launch, 100.0)
        os.kill(int(started.rpartition("[")[2].rstrip("]")), signal.SIGKILL)
    assert log.read_text(errors="replace").count("process has finished cleanly") == 7
