"""Robots' true poses from one to four cameras on the ceiling: tags, calibration, tracking and the stated error."""
