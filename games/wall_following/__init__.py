"""Wall following, the game of the Wall Following report: a robot drives round a tilde beside its wall.

What the report is, and what of it is used here, stands in docs/sources.md.
"""
