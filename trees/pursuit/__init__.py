"""Trees of chaser and evader."""
