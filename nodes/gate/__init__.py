"""The parts of the node ``velocity_gate``: parameters, stop sources, output, report."""
