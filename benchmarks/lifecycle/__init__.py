"""Measurements of whether memories stay true: updates, contradictions, duplicates, undo, unanswerable questions."""
