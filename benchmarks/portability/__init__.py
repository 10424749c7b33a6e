"""The portability loop: a memory with something of everything is exported to a file and imported again."""
