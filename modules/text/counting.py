"""Numbers with their nouns or units, as a person says them."""


def counted(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun; its plural takes an s unless it is given."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def memories_counted(number: int) -> str:
    """Return a number of memories."""
    return counted(number, "memory", "memories")


def in_unit(size: float) -> tuple[float, str]:
    """Return a number of bytes in the unit that suits it, by steps of 1,024, and that unit."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return size, unit
        size /= 1024
    return size, "GiB"


def bytes_counted(size: float) -> str:
    """Return a number of bytes."""
    number, unit = in_unit(size)
    return f"{number:.{0 if unit == 'B' else 1}f} {unit}"
