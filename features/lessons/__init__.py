"""Lessons that prove themselves: whether what was told was followed, and whether the runs that it is for fail less."""
