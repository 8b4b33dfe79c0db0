"""Experiments: scenarios, the trials that they become, sweeps, tuning, statistics and plots of them."""
