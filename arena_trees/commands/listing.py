"""``arena-trees list``: the games, and the scenarios that ship with the code."""

from __future__ import annotations

from collections import Counter

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena_trees.commands.console import fits, plain_console
from arena_trees.commands.glossary import main_metrics
from arena_trees.experiments.scenario import Scenario, Team, find_scenario, load_scenario, scenario_names
from arena_trees.games.registry import load_games

__all__ = ["list_scenarios"]


def list_scenarios() -> None:
    """List games and scenarios, who plays, and what is measured."""
    console = plain_console()
    scenarios = {name: load_scenario(find_scenario(name)) for name in scenario_names()}
    for game in load_games().values():
        own = {name: scenario for name, scenario in scenarios.items() if scenario.game == game.name}
        if not own:
            continue
        console.print(Text(f"{game.title or game.name} (game: {game.name})", style="bold"))
        roles, metrics = (", ".join(names) for names in ([role.name for role in game.roles], main_metrics(game)))
        console.print(Padding(Text(f"roles: {roles}\nmeasured by: {metrics}"), (0, 0, 0, 2)))
        shown: RenderableType = Padding(_table(own), (0, 0, 1, 2))
        console.print(shown if fits(console, shown) else Padding(_lines(own), (0, 0, 1, 2)))
    console.print("arena-trees run NAME plays one; arena-trees explain NAME says what any of these names means.")


def _table(scenarios: dict[str, Scenario]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("scenario", "robots", "trials", "longest, s"):
        table.add_column(heading, justify="left" if heading in ("scenario", "robots") else "right", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for name, scenario in scenarios.items():
        table.add_row(name, _robots(scenario), _trials(scenario), f"{scenario.duration_s:g}", scenario.description)
    return table


def _lines(scenarios: dict[str, Scenario]) -> Text:
    """Return the table's content as two lines a scenario, for a terminal that is too narrow for the table."""
    lines = Text()
    for name, scenario in scenarios.items():
        number = f"trials: {_trials(scenario)}, of up to {scenario.duration_s:g} s"
        lines.append(name, style="bold").append(f": {scenario.description}\n  {_robots(scenario)}; {number}\n")
    lines.rstrip()
    return lines


def _trials(scenario: Scenario) -> str:
    """Return how many trials a run plays, for each of its arms where there are several."""
    arms = f"{len(scenario.variants) + 1} x " if scenario.variants else ""
    return f"{arms}{scenario.trials}"


def _robots(scenario: Scenario) -> str:
    """Return how many robots of each role there are."""
    if isinstance(scenario.robots, Team):
        return f"{scenario.robots.count} x {scenario.robots.role}"
    counts = Counter(entry.role for entry in scenario.entries.values())
    return ", ".join(role if count == 1 else f"{count} x {role}" for role, count in counts.items())
