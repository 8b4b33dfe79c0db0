"""Trained networks, the drawings that they know, and :mod:`arena_trees.models.training`, which makes both."""
