"""The vectors of a store by the model that made them, as the checks of models want them."""

GENERATIONS = (
    "SELECT g.fingerprint, g.dimension, "
    "(SELECT count(*) FROM embeddings e WHERE e.generation = g.id AND e.part = 0) "
    "FROM embedding_generations g"
)
"""Selects each model's fingerprint, the dimension of its vectors, and how many memories have one."""
