"""Crossroads, the game of document 003."""
