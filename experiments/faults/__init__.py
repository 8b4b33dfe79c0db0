"""The matrix of faults: which there are, what a robot may still do with each, and what it did."""
