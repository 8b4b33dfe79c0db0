"""Plays trials of whichever version of Arena Trees it is run in: a line of JSON comes in and one goes out for each.

:mod:`arena_trees.experiments.timing.versions` asks. The version may be older than this one, so nothing is used but what
every version has.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial, run_trial

__all__: list[str] = []


def _planned(name: str, changes: dict[str, Any]) -> TrialPlan:
    path = find_scenario(name)
    return make_plan(apply_changes(load_scenario(path), changes), path, path.parent)


def _time(plan: TrialPlan) -> float:
    """Return the processor time that the ticks of a trial take, s."""
    trial = Trial(plan, 0)
    try:
        trial.begin()
        begun = time.process_time()
        while not trial.judge.over:
            trial.step()
        return time.process_time() - begun
    finally:
        trial.close()


def main() -> None:
    """Answer until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        plan = _planned(asked["scenario"], asked["changes"])
        answer = run_trial(plan, 0, trace=True).trace_sha256 if asked["trace"] else _time(plan)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
