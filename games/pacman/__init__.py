"""PacMan, the game of the PacMan report: a robot collects pellets and keeps away from ghosts.

What the report is, and what of it is used here, stands in docs/sources.md.
"""
