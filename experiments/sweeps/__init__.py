"""Sweeps: a scenario played at every point of a grid of parameters, in jobs that a killed sweep does not repeat."""
