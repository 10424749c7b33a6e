"""How well questions are answered from memory, by rules alone."""
