"""The battery's charge."""
