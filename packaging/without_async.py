"""Makes the face of the Python SDK for programs without `async` out of the one for `async` programs, word by word."""

import re

MARK = "# Written by packaging/write_sdk.py from {}: do not edit."
WORDS = (
    (r"await asyncio\.to_thread\(([\w.]+)(?:, )?", r"\1("),
    (r"asyncio\.sleep", "time.sleep"),
    (r"^import asyncio\n", ""),
    (r"\b(?:async|await) (?=def |for |with |\w)", ""),
    (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"Awaitable\[(\w+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync_(?=\w)", ""),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\baclos", "clos"),
    (r"\baiter_bytes", "iter_bytes"),
    (r"for `async` programs", "for programs without `async`"),
    (r"One client serves one event loop\.", "One client serves a whole program, in any of its threads."),
)
"""Patterns, and what stands in their place."""


def without_async(text: str, source: str = "") -> str:
    """Return a module without `async`; with a `source`, a comment says what it was made from."""
    for pattern, instead in WORDS:
        text = re.sub(pattern, instead, text, flags=re.M)
    first, line, rest = text.partition("\n")
    return f"{first}{line}{MARK.format(source)}{line}{rest}" if source else text
