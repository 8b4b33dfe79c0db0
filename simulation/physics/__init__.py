"""The world of the arena and its robots, moved by MuJoCo."""
