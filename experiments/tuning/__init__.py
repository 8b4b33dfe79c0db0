"""Tuning: a search for the parameters that a metric likes best, in points that a killed study does not repeat."""
