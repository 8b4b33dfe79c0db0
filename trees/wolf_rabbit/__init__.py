"""Trees of the wolf and the rabbit."""
