"""The circles of a sphere's colour that a detector finds in pictures."""
