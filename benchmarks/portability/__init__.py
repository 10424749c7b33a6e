"""The portability loop: a memory that has everything in it goes away as a file and comes back."""
