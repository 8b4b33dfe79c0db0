"""Judges and metrics of the crossing, which measure by the truth."""
