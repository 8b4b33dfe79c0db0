"""Behaviour trees for small robots that play together, in an embedded arena and on TurtleBot 4.

The rooms of the house stand at the root of the repository and are imported from here:
``arena_trees.robot``, ``arena_trees.control`` and so on.
"""

__version__ = "0.1.0"
