"""Audit: who changed what, by which door, in a chain of entries that shows what was tampered with."""
