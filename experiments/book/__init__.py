"""The book of results: figures, tables and pictures made from the documents of runs."""
