"""Commands of the crossing."""
