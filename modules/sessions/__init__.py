"""Sessions: what happened while an agent worked, in which project, and what is worth keeping of it."""
