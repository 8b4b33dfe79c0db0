"""What robots and rules say to each other, whatever carries it."""
