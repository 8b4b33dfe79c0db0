"""Crossroads, the game of the Crossroads report."""
