"""The commands of ``arena-trees``, one a module. Whatever is slow to import is imported when it is needed."""
