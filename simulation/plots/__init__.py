"""Pictures of a run, drawn by matplotlib."""
