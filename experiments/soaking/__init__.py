"""Soaking: hours of trials in one process, and whether anything of it grows meanwhile."""
