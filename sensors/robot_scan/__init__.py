"""The scan of a LiDAR that sees robots alone."""
