"""Leaves of PacMan."""
