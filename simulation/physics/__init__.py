"""The arena and its robots, moved by MuJoCo."""
