"""Pictures of a run, a sweep and a study, drawn by matplotlib."""
