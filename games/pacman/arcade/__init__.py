"""Ghosts and pellets as the game moves and places them, and the test of who touched what."""
