"""The commands that play many trials to find something out: `sweep`, `plot-sweep`, `tune` and `book`."""
