"""Falsification: a search for the run that comes nearest to breaking a promise, and for the least that breaks it."""
