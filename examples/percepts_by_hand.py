"""Tick a subtree with percepts made by hand, without any arena: this is how the tests look at behaviours."""

from __future__ import annotations

import py_trees
from py_trees.common import Access

import arena_trees as at
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.robot import keys
from arena_trees.trees.wolf_rabbit import rabbit

TICK = at.SECOND // 50


class Bench:
    """Holds a robot's tree and its blackboard; percepts stay until they are replaced."""

    def __init__(self, robot: str, root: py_trees.behaviour.Behaviour) -> None:
        self.root = root
        self.now = at.SECOND
        self.board = py_trees.blackboard.Client(name="bench", namespace=keys.namespace(robot))
        for key in (*keys.percept_keys(), *keys.OUTPUTS):
            self.board.register_key(key, Access.WRITE)
            self.board.set(key, getattr(at.Percepts(now=0), key, None))
        root.setup_with_descendants()

    def stamps(self) -> tuple[int, int, int]:
        """Return a percept's stamp, arrival and sequence number, as if it had just been measured."""
        return self.now, self.now, self.now // TICK

    def tick(self, **percepts: object) -> str:
        """Write percepts, tick once and say what the tree does."""
        for key, value in {"now": self.now, **percepts, "command": None, "cues": [], "outbox": []}.items():
            self.board.set(key, value)
        self.root.tick_once()
        self.now += TICK
        active = next(node for node in self.root.iterate() if node.status is at.Status.RUNNING and not node.children)
        return f"{active.name}: {self.board.command}"


def main() -> None:
    """Show the wolf's sign to a rabbit that is away from its home."""
    root = rabbit.create_root("rabbit", at.Live(RabbitParameters()), at.RandomStreams(seed=0))
    bench = Bench("rabbit", root)
    standing = at.Twist2D(0.0, 0.0)
    print(bench.tick(odometry=at.Odometry(*bench.stamps(), at.Pose2D(0.0, 0.0, 0.0), standing)))
    wolf = at.Detection("wolf_sign", confidence=0.9, x=125.0, y=60.0, width=40.0, height=40.0)
    for _ in range(2):
        away = at.Odometry(*bench.stamps(), at.Pose2D(-1.0, 0.0, 0.0), standing)
        image = at.Detections(*bench.stamps(), image_width=250, image_height=250, boxes=(wolf,))
        print(bench.tick(odometry=away, detections=image))
    print(py_trees.display.unicode_tree(root, show_status=True))


if __name__ == "__main__":
    main()
