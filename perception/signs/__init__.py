"""Detectors of signs, and how good they are."""
