"""Leaves of chaser and evader."""
