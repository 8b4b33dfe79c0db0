"""Search for a target that is out of sight: where it can be, and from where more of that is seen."""
