"""Whether what is known stays true: updates, contradictions, duplicates, undo, and questions without an answer."""
