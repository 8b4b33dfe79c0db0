"""py_trees leaves, one skill a module."""
