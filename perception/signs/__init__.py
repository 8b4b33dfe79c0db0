"""Detectors of signs in images, and their evaluation on data sets."""
