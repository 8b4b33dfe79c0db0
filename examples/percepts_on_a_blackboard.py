"""Checked percepts on the blackboard of a py_trees tree of one's own."""

import math
from functools import partial

import arena_trees as at


class Ahead(at.PerceptBehaviour):
    """SUCCESS where the LiDAR sees something nearer than 0.5 m ahead. FAILURE otherwise, and without a fresh scan."""

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, reads=("scan",))

    def update(self) -> at.Status:
        """Look."""
        scan = self.percepts.scan
        near = self.fresh(scan, max_age_s=0.5) and scan.distance.min(initial=math.inf) < 0.5
        return at.Status.SUCCESS if near else at.Status.FAILURE


def main() -> None:
    """Write two scans, then none, and tick after each."""
    writer = at.PerceptionBlackboardWriter("robot")
    leaf = Ahead("Something ahead?", "robot")
    to_scan = partial(at.LaserScan.from_ranges, angle_min=-0.1, angle_increment=0.1, range_min=0.1, range_max=12.0)
    for second, ranges in enumerate(([2.0, 2.0, math.nan], [2.0, 0.4, math.inf], None), start=1):
        scan = None if ranges is None else to_scan(ranges, second * at.SECOND)
        writer.write(at.Readings(second * at.SECOND, scan=scan), messages=())
        leaf.tick_once()
        print(f"{second} s: {leaf.status.name}")
    writer.close()


if __name__ == "__main__":
    main()
