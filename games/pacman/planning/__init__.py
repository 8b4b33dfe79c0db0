"""How PacMan chooses its next pellet and its path: our planner, and the report's."""
