"""A crossing of lanes: its plan, paths, floor and markers."""
