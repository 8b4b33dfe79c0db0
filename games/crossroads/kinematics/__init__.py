"""A crossing without sensors: robots as points on their lanes."""
