"""Identifiers: what records and namespaces are called."""

import secrets

from . import inputs
from .errors import InvalidInput

MAX_NAMESPACE_CHARS = 100


def new_id(prefix: str) -> str:
    """A fresh random id: a prefix that names the kind of record, and 80 random bits in hexadecimal."""
    return f"{prefix}_{secrets.token_hex(10)}"


def namespace(field: str, value: str) -> str:
    """`value` if it can name an agent's namespace: up to 100 printable characters, no outer spaces."""
    inputs.text(field, value)
    if len(value) > MAX_NAMESPACE_CHARS or value != value.strip() or not value.isprintable():
        raise InvalidInput(field, f"must be 1 to {MAX_NAMESPACE_CHARS} printable characters without outer spaces")
    return value
