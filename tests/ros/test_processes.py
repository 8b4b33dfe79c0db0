"""Processes of a run: one that ends too early is told with its log, and none is left behind."""

import os
import signal
import subprocess
import sys

import pytest
from helpers.patience import is_running, until

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.processes import ProcessError, Processes
from arena_trees.nodes.programs.program import Program

pytest.importorskip("rclpy", reason="there is no ROS here")


FEEDBACK = Program("wolf.feedback", "feedback", "/wolf")


def test_what_a_node_refuses_is_told_with_its_log(tmp_path):
    with reserved_domain() as domain, Processes(tmp_path, domain) as processes:
        processes.start(Program("game", "game", parameters={"scenario": "nowhere"}))
        with pytest.raises(ProcessError, match=r"game ended with exit code 2 \(error: .*nowhere.*\); log: .*game"):
            until(processes.check, processes.log("game").read_text)


def test_processes_end_well_and_in_any_case(tmp_path):
    with reserved_domain() as domain, Processes(tmp_path, domain) as processes:
        processes.start(Program("game", "game", parameters={"scenario": "wolf_rabbit"}))
        processes.start(FEEDBACK)
        identities = [processes.identity(name) for name in processes.names]
        assert len(identities) == 2
        assert all(is_running(identity) for identity in identities)
        processes.send("game", signal.SIGKILL)
        assert processes.wait("game") == -signal.SIGKILL
    assert not any(is_running(identity) for identity in identities)


def test_one_that_is_stopped_ends_well_and_one_that_is_killed_may_be_started_again(tmp_path):
    with reserved_domain() as domain, Processes(tmp_path, domain) as processes:
        processes.start(Program("game", "game", parameters={"scenario": "wolf_rabbit"}))
        first = processes.identity("game")
        processes.kill("game")
        processes.check()
        assert not is_running(first)
        processes.start_again("game", {"autostart": False})
        assert processes.identity("game") != first
        assert "autostart: false" in (tmp_path / "game.yaml").read_text()
        until(processes.log("game").read_text, "its first words")
        processes.pause("game", True)
        processes.patience = 60.0
        processes.stop()


def test_a_process_does_not_outlive_the_one_that_started_it(tmp_path):
    script = f"""
import os, pathlib, signal, time
from arena_trees.nodes.programs.processes import Processes
from arena_trees.nodes.programs.program import Program
processes = Processes(pathlib.Path({str(tmp_path)!r}), {os.environ["ROS_DOMAIN_ID"]})
processes.start(Program("game", "game", parameters={{"scenario": "wolf_rabbit"}}))
print(processes.identity("game"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    identity = int(done.stdout)
    until(lambda: not is_running(identity), "its end")
