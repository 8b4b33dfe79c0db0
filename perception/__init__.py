"""From readings to percepts: checks, the percept filter, detectors, LiDAR sectors, the geofence supervisor."""
