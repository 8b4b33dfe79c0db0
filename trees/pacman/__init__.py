"""The tree of PacMan."""
