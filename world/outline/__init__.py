"""Closed outlines as chains of walls, among them the tilde."""
