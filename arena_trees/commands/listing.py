"""``arena-trees list``: the scenarios that ship with the code."""

from __future__ import annotations

from rich.table import Table

from arena_trees.commands.console import plain_console
from arena_trees.simulation.experiments.scenario import Team, find_scenario, load_scenario, scenario_names

__all__ = ["list_scenarios"]


def list_scenarios() -> None:
    """List the scenarios that there are."""
    table = Table(box=None, pad_edge=False)
    for heading in ("scenario", "robots", "trials", "longest, s"):
        table.add_column(heading, justify="left" if heading in ("scenario", "robots") else "right", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for name in scenario_names():
        scenario = load_scenario(find_scenario(name))
        arms = f"{len(scenario.variants) + 1} x " if scenario.variants else ""
        team = scenario.robots
        robots = f"{team.count} {team.role}s" if isinstance(team, Team) else ", ".join(team)
        trials = f"{arms}{scenario.trials}"
        table.add_row(name, robots, trials, f"{scenario.duration_s:g}", scenario.description)
    plain_console().print(table)
