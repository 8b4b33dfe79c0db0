"""The signs that a detector finds in pictures."""
