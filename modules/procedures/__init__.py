"""Procedures: what is usually done when, and what was learned from what kept failing; by rules alone."""
