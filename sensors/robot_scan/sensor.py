"""A second LiDAR, in the first one's place, that sees other robots alone, through walls.

Whoever reads it must check by the first one what is hidden.
"""

from __future__ import annotations

from arena_trees.robot.ros_messages import layout
from arena_trees.robot.scan import LaserScan, Scan
from arena_trees.robot.sensor import RosTopic, Sensor

__all__ = ["SENSOR"]

SENSOR = Sensor(
    key="robot_scan",
    description="the second LiDAR, of a body that has one that sees robots alone",
    reading=LaserScan,
    check=Scan.checked,
    carried=lambda body: body.robot_lidar,
    stale_s=0.5,
    ros=RosTopic(
        topic="robot_scan",
        type="sensor_msgs/msg/LaserScan",
        reading=layout.laser_scan,
        fields=layout.laser_scan_fields,
        frame=layout.LIDAR_FRAME,
        mount=lambda scan: scan.mount,
        mounted=True,
    ),
    simulated="arena_trees.sensors.robot_scan.simulated:SIMULATED",
)
