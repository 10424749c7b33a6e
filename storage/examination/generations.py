"""The vectors of a store by the model that made them, as the checks of models want them."""

from .overview import Reader

_GENERATIONS = (
    "SELECT g.fingerprint, g.dimension, "
    "(SELECT count(*) FROM embeddings e WHERE e.generation = g.id AND e.part = 0) "
    "FROM embedding_generations g"
)


def by_model(reader: Reader, unreadable: type[Exception]) -> dict[str, tuple[int, int]]:
    """Return by their model's fingerprint the vectors' dimension, and how many memories have one.

    Empty where that is `unreadable`.
    """
    try:
        return {name: (dimension, memories) for name, dimension, memories in reader.rows(_GENERATIONS)}
    except unreadable:
        return {}
