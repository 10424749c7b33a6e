"""The models: text to vector, and a query with a text to a score."""
