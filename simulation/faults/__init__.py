"""Faults of simulated robots: of their sensors, bases, lines, computers and clocks."""
