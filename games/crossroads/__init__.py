"""Crossroads, the game of the Crossroads report: robots cross in turn, as a scheduler lets them.

What the report is, and what of it is used here, stands in docs/sources.md.
"""
