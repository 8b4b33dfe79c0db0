"""Scenarios, the trials that they become, and what a run of trials comes to."""
