"""What is measured of a game of PacMan by the truth."""
