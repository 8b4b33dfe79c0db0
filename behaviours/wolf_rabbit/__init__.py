"""Leaves of the wolf and the rabbit."""
