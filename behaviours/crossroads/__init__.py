"""Leaves of a robot at a crossing."""
