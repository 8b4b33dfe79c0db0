"""Plans of scenarios that ship."""

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario


def planned(name: str, **changes: object) -> TrialPlan:
    """Return the plan of a scenario, with changes by dotted keys."""
    path = find_scenario(name)
    return make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
