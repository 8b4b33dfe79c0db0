"""The markers beside a road."""
