"""Judges games by what was recorded of them, or is published, from outside."""
