"""The report: a recording as one page for a browser."""
