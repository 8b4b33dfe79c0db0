"""A robot on the bench: it does what the gate lets through, and senses as a TurtleBot 4 does."""

from dataclasses import dataclass, field

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Percepts, PoseEstimate
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.scan import Scan
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.reckoning import advance
from helpers.scans import Segments, cast, laser

TICK = 20_000_000


@dataclass
class Bench:
    """Runs a gate in closed loop at 50 Hz; scans come each 7 ticks, odometry and poses each 3.

    The base follows what the gate let through one tick ago, within its acceleration. No pose comes any more
    once it is lost.
    """

    gate: VelocityGate
    walls: Segments
    pose: Pose2D
    twist: Twist2D = ZERO
    tick: int = 0
    percepts: Percepts = field(default_factory=lambda: Percepts(0))
    wanted: Twist2D = ZERO
    lost: bool = False

    def __post_init__(self) -> None:
        self.home = self.pose

    def settle(self) -> None:
        """Stand until the gate has seen enough scans."""
        for _ in range(15):
            self.step(ZERO)

    def altered(self, percepts: Percepts) -> Percepts:
        """Return what the gate is told in place of the percepts."""
        return percepts

    def step(self, command: Twist2D | None) -> GateDecision:
        now = self.tick * TICK
        scan, odometry, estimate = self.percepts.scan, self.percepts.odometry, self.percepts.pose
        if self.tick % 7 == 0:
            scan = Scan.from_laser(laser(cast(self.walls, self.pose), now, self.tick + 1))
        if self.tick % 3 == 0:
            odometry = Odometry(now, now, self.tick + 1, self.home.relative(self.pose), self.twist)
            estimate = estimate if self.lost else PoseEstimate(now, now, self.tick + 1, self.pose)
        self.percepts = self.altered(Percepts(now, scan, odometry, estimate))
        decision = self.gate.decide(self.percepts, command)
        self.twist = Twist2D(
            _towards(self.twist.linear, self.wanted.linear, 0.9 * 0.02),
            _towards(self.twist.angular, self.wanted.angular, 8.0 * 0.02),
        )
        self.pose = advance(self.pose, self.twist, 0.02)
        self.wanted = decision.twist
        self.tick += 1
        return decision


def _towards(value: float, goal: float, step: float) -> float:
    return min(goal, value + step) if goal > value else max(goal, value - step)
