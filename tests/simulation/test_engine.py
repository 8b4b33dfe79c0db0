"""MuJoCo is imported when the arena is built, and not when a scenario is planned: robots plan, too."""

import subprocess
import sys

SCRIPT = """
import sys
from arena_trees.experiments.plan import draw_world, make_plan
from arena_trees.experiments.scenario import find_scenario, load_scenario

sys.modules["mujoco"] = None
for name in ("wolf_rabbit", "pacman", "crossroads_lidar"):
    path = find_scenario(name)
    plan = make_plan(load_scenario(path), path, path.parent)
    draw_world(plan, 0)
    assert plan.game.make_rules(plan.context(0, {spec.name: spec.start for spec in draw_world(plan, 0).specs}))
"""


def test_a_plan_and_rules_need_no_mujoco():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
