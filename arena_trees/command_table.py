"""The commands of ``arena-trees``: where each is, and what its help says in a line.

None is imported before it is asked for, so that the help of all costs no more than this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["COMMANDS", "CommandEntry"]


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command.

    Attributes:
        heading: in the help
        target: ``module:function``, without the package's own ``arena_trees.``
        help: the first paragraph of the function's docstring
    """

    heading: str
    target: str
    help: str


_UNDER: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Play": {
        "list": ("commands.listing:list_scenarios", "List games and scenarios, who plays, and what is measured."),
        "explain": ("commands.explain:explain_name", "Say what a name means, and where it is read."),
        "run": ("commands.run:run_scenario", "Play a scenario."),
        "console": ("console.command:open_console", "Play, watch robots or see recordings in the browser."),
        "view": ("view.command:open_view", "Play a scenario and stream it to Foxglove."),
        "check": ("commands.check:check_file", "Say what is wrong in a file, or that it is good."),
        "render": ("commands.render:render_tree", "Draw the tree of a role."),
        "bench": ("commands.bench:measure", "Measure the time of a tick, of the arena and of trials."),
    },
    "Experiments": {
        "sweep": ("commands.experiments.sweep:sweep_scenario", "Play a scenario over a grid of parameters."),
        "plot-sweep": ("commands.experiments.plot_sweep:plot_sweep_folder", "Draw a metric of a sweep over its keys."),
        "tune": ("commands.experiments.tune:tune_scenario", "Search for the parameters that a metric likes best."),
        "faults": ("commands.experiments.faults:play_faults", "Play scenarios with every fault of a matrix."),
        "falsify": (
            "commands.experiments.falsify:falsify_scenario",
            "Search for the run that comes nearest to breaking a promise.",
        ),
        "soak": ("commands.experiments.soak:soak_scenario", "Play for hours in one process, and say what grows."),
        "book": ("commands.experiments.book:write_book", "Play and write the book of results."),
        "compare": (
            "commands.experiments.compare:compare_results",
            "Compare two results files, in pairs of equal seeds.",
        ),
    },
    "Look at what was played": {
        "report": ("commands.report:report_recording", "Show a recording as a page, and as a film if asked for."),
        "replay": ("commands.replay:replay_recording", "Let a recorded robot decide again, and compare."),
        "assert": (
            "commands.experiments.assert_promises:assert_promises",
            "Say whether the robots of a recording kept promises.",
        ),
        "judge": ("commands.judge:judge_recordings", "Judge the games of recordings, and say by what."),
        "sample-frames": ("commands.sample_frames:sample_frames", "Draw frames of a recording for people to label."),
    },
    "Robots on ROS 2": {
        "run-ros": ("commands.ros.run_ros:run_ros", "Play a scenario on ROS 2, a process for each node."),
        "record": ("commands.ros.record:record_robots", "Record the robots of a ROS graph, on any machine of it."),
        "lab": ("commands.ros.lab:conduct_experiment", "Play trials with real robots, and record and judge each."),
        "print-markers": ("commands.ros.print_markers:print_markers", "Write the tags that ceiling cameras look for."),
        "print-trials": ("commands.ros.print_trials:print_trials", "Write the sheets for a day in the lab."),
        "doctor": ("commands.ros.doctor:diagnose_robots", "Say on a ROS graph why a robot will not move."),
        "sros2-policy": (
            "commands.ros.sros2_policy:write_sros2_policy",
            "Write a scenario's SROS2 policy, read from its nodes.",
        ),
    },
    "Signs and their detector": {
        "render-signs": ("commands.render_signs:render_signs", "Render signs in random arenas, with their true boxes."),
        "train-signs": ("commands.train_signs:train_signs", "Train the sign detector on synthetic images."),
        "evaluate-signs": ("commands.evaluate_signs:evaluate_signs", "Evaluate a sign detector on a dataset."),
    },
}

COMMANDS: Mapping[str, CommandEntry] = MappingProxyType(
    {
        name: CommandEntry(heading, target, about)
        for heading, commands in _UNDER.items()
        for name, (target, about) in commands.items()
    }
)
"""Every command by its name, in the order of the help."""
