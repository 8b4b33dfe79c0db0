"""What every node's process is made of."""
