"""Trained networks, the drawings that they know, and ``models/training/``, which makes both."""
