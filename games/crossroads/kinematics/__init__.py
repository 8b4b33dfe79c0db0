"""A crossing without sensors and physics: robots as points on their lanes, for runs of hours."""
