"""Whether memories stay true: updates, contradictions, duplicates, undo, and questions without an answer."""
