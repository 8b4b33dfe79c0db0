"""Faults of robots' computers on ROS: what happens to which processes, and when."""

from pathlib import Path

import numpy as np
import pytest

from arena_trees.robot.clock import from_seconds

pytest.importorskip("rclpy", reason="there is no ROS here")

from arena_trees.nodes.programs.faulty_computers import FaultyComputers
from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.game_run import play_trial
from arena_trees.simulation.faults.fault import Fault

OWN = ["wolf.tree_node", "wolf.velocity_gate"]


class Recorded:
    """Processes that run nothing, and write down what happens to them."""

    def __init__(self):
        self.names = ["wolf.tree_node", "wolf.velocity_gate", "rabbit.tree_node", "game"]
        self.paused = set()
        self.done = []

    def kill(self, name):
        self.names.remove(name)
        self.paused.discard(name)
        self.done.append(("killed", name))

    def start_again(self, name, changes):
        assert changes == {"autostart": True}
        self.names.append(name)
        self.done.append(("started", name))

    def pause(self, name, paused):
        if paused is not (name in self.paused):
            (self.paused.add if paused else self.paused.remove)(name)
            self.done.append(("paused" if paused else "resumed", name))


def played(seconds, **fault):
    """Return what has happened by each of some instants (s) to the processes of a wolf with a fault, and the rest."""
    processes = Recorded()
    computers = FaultyComputers([Fault(robot="wolf", part="computer", **fault)], processes)
    steps = []
    for moment in seconds:
        computers.apply(from_seconds(moment))
        steps.append(processes.done)
        processes.done = []
    assert {"rabbit.tree_node", "game"} <= set(processes.names)
    return steps


def all_of(what):
    return [(what, name) for name in OWN]


def test_one_that_is_killed_never_comes_back():
    assert played([0.0, 0.98, 1.0, 1.02, 50.0], kind="killed", at_s=1.0) == [[], [], all_of("killed"), [], []]


def test_one_that_is_stopped_goes_on_where_it_was():
    steps = played([0.0, 1.0, 2.0, 3.0, 4.0], kind="stopped", at_s=1.0, for_s=2.0)
    assert steps == [[], all_of("paused"), [], all_of("resumed"), []]


def test_one_that_starts_anew_is_killed_and_started_again():
    steps = played([0.0, 1.0, 2.0, 3.0, 4.0], kind="restarted", at_s=1.0, for_s=2.0)
    assert steps == [[], all_of("killed"), [], all_of("started"), []]


def test_one_that_is_slow_works_in_one_tick_of_some():
    steps = played([0.02 * tick for tick in range(9)], kind="slow", times=4)
    assert steps == [[], all_of("paused"), [], [], all_of("resumed"), all_of("paused"), [], [], all_of("resumed")]


@pytest.mark.slow
def test_a_robot_whose_computer_starts_anew_plays_on(tmp_path: Path):
    faults = 'faults=[{"robot": "wolf", "part": "computer", "kind": "restarted", "at_s": 2.0, "for_s": 2.0}]'
    order = prepare("wolf_rabbit", ["duration_s=20", "rules.catch_distance=0.01", faults], {"seed": 3})
    way = play_trial(order, tmp_path).trajectories["wolf"]
    moved = np.hypot(*np.diff(way.pose[:, :2], axis=0).T) + np.abs(np.diff(way.pose[:, 2])) > 0.003
    begins = way.time[:-1]
    # It was driving, stood while it was off, and began again.
    assert moved[begins < 2.0].any()
    assert not moved[(begins > 3.0) & (begins < 4.0)].any()
    assert moved[begins > 8.0].any()
