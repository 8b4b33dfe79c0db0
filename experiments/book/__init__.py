"""The book of results: figures, tables and pictures made of what runs have left behind."""
