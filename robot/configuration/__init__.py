"""Parameter models and YAML files: read, checked, found where the package is installed."""
