"""Trust: how far a memory, and whoever stored it, has proved right, by what others judged; never by its own word."""
