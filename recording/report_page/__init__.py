"""A recording as one page for a browser."""
