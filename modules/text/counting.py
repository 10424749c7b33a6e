"""Numbers with their nouns, as a person says them."""


def counted(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun; its plural takes an s unless it is given."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def memories_counted(number: int) -> str:
    """Return a number of memories."""
    return counted(number, "memory", "memories")
