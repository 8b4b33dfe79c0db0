"""Promises of scenarios: statements about how a robot's ticks follow each other, judged in every trial."""
