"""Ghosts, pellets, and who touched what."""
