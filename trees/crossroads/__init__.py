"""The tree of a robot at a crossing."""
