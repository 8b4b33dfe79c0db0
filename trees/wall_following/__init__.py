"""Trees of robots that follow walls, and each other."""
