"""Primitives of text that have no subject of their own: scripts, normal forms and words."""
