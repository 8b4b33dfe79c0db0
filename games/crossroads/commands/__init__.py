"""The commands ``arena-trees crossroads ...``."""
