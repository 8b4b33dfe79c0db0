"""The velocity gate in a loop of one's own: no game, no tree, no ROS."""

import math
from functools import partial

import arena_trees as at

to_scan = partial(
    at.LaserScan.from_ranges, angle_min=0.0, angle_increment=math.radians(1.0), range_min=0.1, range_max=12.0
)


def main() -> None:
    """Drive at a wall 1 m ahead, and print each second what the gate lets through."""
    gate = at.VelocityGate(at.GateParameters(obstacle_margin=0.1))
    percept_filter = at.PerceptFilter()
    x, driven = 0.0, at.Twist2D()
    for tick in range(1, 251):
        now = tick * at.SECOND // 50
        # What your drivers say; beam 0 of this LiDAR looks ahead.
        ranges = [(1.0 - x) / math.cos(math.radians(k)) if k < 60 or k > 300 else math.inf for k in range(360)]
        scan = to_scan(ranges, now)
        odometry = at.Odometry.from_values(now, x=x, y=0.0, yaw=0.0, linear=driven.linear, angular=driven.angular)
        percepts = percept_filter.take(at.Readings(now, scan=scan, odometry=odometry))
        decision = gate.decide(percepts, at.Twist2D(linear=0.3, angular=0.0))
        # What your base is told.
        driven = decision.twist
        x += driven.linear / 50.0
        if tick % 50 == 0:
            print(f"{x:.2f} m, {driven.linear:.2f} m/s {', '.join(decision.reasons)}")


if __name__ == "__main__":
    main()
