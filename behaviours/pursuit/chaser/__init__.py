"""Leaves of the chaser."""
