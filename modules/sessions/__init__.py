"""Sessions: the log of an agent's work on a project, and the observations derived from it."""
