"""The text indexes: that of what a search reads, and that of what it leaves aside unless asked."""

MAIN, ASIDE = "memory_text", "memory_text_aside"


def indexes(*, with_aside: bool) -> tuple[str, ...]:
    """Return the tables that a search reads."""
    return (MAIN, ASIDE) if with_aside else (MAIN,)
