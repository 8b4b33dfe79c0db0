"""PacMan, the game of the PacMan report: a robot collects pellets and keeps away from ghosts."""
