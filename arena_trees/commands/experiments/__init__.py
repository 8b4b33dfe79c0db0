"""The commands that play many trials to find something out: `sweep` and `plot-sweep`."""
