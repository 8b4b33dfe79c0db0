"""What the process of every node needs: executor, diagnostics, QoS, parameters."""
