"""Scenarios, the trials that they become, and the statistics of a run of trials."""
