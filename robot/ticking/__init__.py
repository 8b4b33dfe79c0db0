"""Ticks a tree: the executor, its blackboard clients, and what contains the faults of behaviours."""
