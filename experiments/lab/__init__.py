"""Experiments with robots that people put at their starts: what is played when, and what became of it."""
