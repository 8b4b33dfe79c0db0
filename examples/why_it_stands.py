"""Why does my robot stand? Step a game tick by tick and count what the velocity gate had to say."""

from __future__ import annotations

from collections import Counter

from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Trial

# Anything that `arena-trees run --set` takes; here the wolf's LiDAR falls silent for three seconds.
CHANGES = {"seed": 0, "duration_s": 10.0, "faults": [{"robot": "wolf", "sensor": "scan", "at_s": 2.0, "for_s": 3.0}]}


def main() -> None:
    """Play, and print how often each limit acted on each robot."""
    path = find_scenario("wolf_rabbit")
    trial = Trial(make_plan(apply_changes(load_scenario(path), CHANGES), path), index=0)
    reasons: dict[str, Counter[str]] = {name: Counter() for name in trial.loops}
    try:
        trial.begin()
        while not trial.judge.over:
            trial.step()
            for name, record in trial.records.items():
                reasons[name].update(record.reasons or ("free",))
    finally:
        trial.close()
    for name, counts in reasons.items():
        ticks = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
        print(f"{name}, ticks: {ticks}; latched: {trial.loops[name].fault or 'no'}")


if __name__ == "__main__":
    main()
