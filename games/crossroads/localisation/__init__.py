"""The localiser of a robot on a crossing: by lanes, walls, markers and odometry."""
