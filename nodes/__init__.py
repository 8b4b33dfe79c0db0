"""ROS 2 nodes, a process each: adapters between ROS and the layers below."""

from arena_trees.nodes.runtime.start import end_quietly_while_imported

# The first that is imported of a program.
end_quietly_while_imported()
