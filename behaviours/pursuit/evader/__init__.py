"""Leaves of the evader."""
