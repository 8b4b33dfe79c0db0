"""What is measured at a crossing by the truth."""
