"""Scenes and cameras: pictures of the arena off screen, and data sets of them."""
