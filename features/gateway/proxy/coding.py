"""Codings of bodies: compressed requests are read as what they say, within a bound."""

import importlib
import importlib.util
import zlib
from typing import Any

MAX_PLAIN_BYTES = 32 * 1024 * 1024
"""The longest body that is looked at: a small one can unfold to any length."""
MOST_CODINGS = 4
_LIBRARIES = {"br": "brotli", "zstd": "zstandard"}
"""What else is read where its library is there; without it such a body passes as it came."""
READ = ", ".join(["gzip", "deflate", *(name for name, one in _LIBRARIES.items() if importlib.util.find_spec(one))])
"""The codings that are read here, as `accept-encoding` names them."""


def plain(body: bytes, coding: str) -> bytes:
    """Return a body without its coding, as `content-encoding` names it. Raises ValueError for one not read here."""
    names = [one.strip().lower() for one in coding.split(",", MOST_CODINGS)]
    if len(names) > MOST_CODINGS:
        raise ValueError(f"it has more than {MOST_CODINGS} content-encodings")
    for name in reversed(names):
        if name in ("gzip", "x-gzip"):
            body = _unfolded(body, 16 + zlib.MAX_WBITS)
        elif name == "deflate":
            body = _unfolded(body, zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS)
        elif name in _LIBRARIES and name in READ:
            body = _READERS[name](importlib.import_module(_LIBRARIES[name]), body)
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


def _of_brotli(brotli: Any, body: bytes) -> bytes:
    reader = brotli.Decompressor()
    try:
        plain: bytes = reader.process(body, output_buffer_limit=MAX_PLAIN_BYTES)
    except brotli.error as error:
        raise ValueError(f"its content-encoding is wrong ({error})") from None
    except TypeError:  # a library that knows no limit
        raise ValueError(f"its content-encoding is not one of {READ}") from None
    if not reader.is_finished():
        raise ValueError("its content-encoding does not end, or holds too long a body")
    return plain


def _of_zstandard(zstandard: Any, body: bytes) -> bytes:
    reader = zstandard.ZstdDecompressor(max_window_size=MAX_PLAIN_BYTES).stream_reader(body, read_across_frames=True)
    try:
        plain: bytes = reader.read(MAX_PLAIN_BYTES + 1)
    except zstandard.ZstdError as error:
        raise ValueError(f"its content-encoding is wrong ({error})") from None
    if len(plain) > MAX_PLAIN_BYTES:
        raise ValueError("its content-encoding holds too long a body")
    return plain


_READERS = {"br": _of_brotli, "zstd": _of_zstandard}
