"""From sensor readings to percepts: detectors, LiDAR sectors and the blackboard writer."""
