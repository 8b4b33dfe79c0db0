"""Simulated sensors, with the noise and the faults of real ones."""
