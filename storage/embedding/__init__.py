"""The models: from text to vector, and from a query and a text to a score."""
