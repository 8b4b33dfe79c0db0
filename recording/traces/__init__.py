"""Ticks: how they are written and read, and statements about how they follow each other."""
