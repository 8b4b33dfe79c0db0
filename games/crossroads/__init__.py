"""Crossroads, the game of the Crossroads report: robots cross in turn, as a scheduler lets them."""
