"""The embedding model: text to vector."""
