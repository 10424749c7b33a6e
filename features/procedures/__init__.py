"""Procedures: habits (what is usually done when) and lessons (what was learned from failures), by rules alone."""
