"""Your own behaviour in 30 lines: a rabbit that dances in circles, played against the wolf."""

from __future__ import annotations

from pathlib import Path

import arena_trees as at
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.behaviours.wolf_rabbit.round_over import RoundOver


class Dance(at.ActionBehaviour):
    """Drive in circles, and turn away from whatever is near ahead. RUNNING always."""

    def __init__(self, name: str, robot: str, speed: float = 0.2) -> None:
        super().__init__(name, robot, reads=("scan",))
        self.speed = speed

    def update(self) -> at.Status:
        """Look, and drive; a tick without a command is a stop."""
        scan: at.Scan | None = self.percepts.scan
        if scan is not None:
            near = at.sector_min(scan, -0.6, 0.6) < 0.5
            self.drive(linear=0.0 if near else self.speed, angular=1.0 if near else 0.4)
        return at.Status.RUNNING


def create_root(robot: str, live: at.Live[RabbitParameters], streams: at.RandomStreams) -> at.Behaviour:
    """Return the tree: sensing beside deciding, emergencies first."""
    dead = at.guarded("Dead", RoundOver("Caught or over?", robot), at.StandStill("Play dead", robot))
    tasks = [dead, at.back_inside(robot, live, to_centroid=False), Dance("Dance", robot)]
    return at.robot_root("Dancer", [at.Sense("Percepts", robot)], tasks)


if __name__ == "__main__":
    result = at.play("wolf_rabbit_open", trees={"rabbit": create_root}, trials=5, seed=0)
    for trial in result.trials:
        print(f"seed {trial.seed}: {trial.ending} ({trial.reason})")
    at.plot_run(result, Path("results/own_behaviour.png"))
