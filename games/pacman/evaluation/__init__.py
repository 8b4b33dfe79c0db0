"""The judge of PacMan and what it measures by the truth."""
