"""Pursuit, the game of the Pursuit and Engagement report: a chaser hits an evader's ball with a laser, by camera alone.

What the report is, and what of it is used here, stands in docs/sources.md.
"""
