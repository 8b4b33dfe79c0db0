"""Runs the command line as ``python -m arena_trees``."""

from arena_trees.cli import main

if __name__ == "__main__":
    main()
