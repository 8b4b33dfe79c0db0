"""Where a robot is at a crossing: lanes, walls, markers."""
