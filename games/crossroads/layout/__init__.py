"""The geometry of a crossing: its plan, paths, floor and markers."""
