"""Streams that are open: each keeps a connection for long, so that a caller has so many and no more."""

from ..limits import Shares

MOST_OF_A_PRINCIPAL = 32


class Streams(Shares):
    """The streams that are open, by principal."""

    def __init__(self) -> None:
        super().__init__(MOST_OF_A_PRINCIPAL, "streams are open")
