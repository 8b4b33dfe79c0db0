"""The rules outside any one robot: who judges, counts and grants."""
