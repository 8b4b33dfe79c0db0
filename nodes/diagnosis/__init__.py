"""What ``arena-trees doctor`` looks at, and what it concludes: why a robot does not move."""
