"""PacMan, the game of the PacMan report."""
