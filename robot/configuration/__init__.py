"""Parameters and files: read, checked, and found where the package is installed."""
