"""Codings of bodies: compressed requests are read as what they say, within a bound."""

import zlib

MAX_PLAIN_BYTES = 32 * 1024 * 1024
"""The longest body that is looked at: a small one can unfold to any length."""
READ = "gzip, deflate"
"""The codings that are read here, as `accept-encoding` names them."""


def plain(body: bytes, coding: str) -> bytes:
    """Return a body without its coding, as `content-encoding` names it. Raises ValueError for one not read here."""
    for name in reversed([one.strip().lower() for one in coding.split(",")]):
        if name in ("gzip", "x-gzip"):
            body = _unfolded(body, 16 + zlib.MAX_WBITS)
        elif name == "deflate":
            body = _unfolded(body, zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS)
        elif name not in ("", "identity"):
            raise ValueError(f"its content-encoding is not one of {READ}")
    return body


def _unfolded(body: bytes, window: int) -> bytes:
    reader = zlib.decompressobj(window)
    try:
        plain = reader.decompress(body, MAX_PLAIN_BYTES)
    except zlib.error as error:
        raise ValueError(f"its content-encoding is wrong ({error})") from None
    if not reader.eof or reader.unused_data:
        raise ValueError("its content-encoding holds more than one body, or too long a one")
    return plain
