"""Identifiers: the ids of records, and the names of namespaces."""

import secrets
from enum import Enum
from typing import NamedTuple

from . import inputs
from .errors import InvalidInput

MAX_NAMESPACE_CHARS = 100
GLOBAL = "global"
PROJECT = "prj"
PROJECT_PREFIX = f"{PROJECT}_"
"""The beginning of projects' ids, by which they are told from other tags."""
"""The namespace of memories that agents have promoted: every agent of a store reads it, only promotion writes there."""


class Everywhere(Enum):
    """The scope of all namespaces, which is named, never the absence of one: for people at the command line, jobs."""

    EVERYWHERE = "everywhere"


EVERYWHERE = Everywhere.EVERYWHERE
Scope = str | Everywhere
"""One namespace, or, said so, all of them."""


class Source(NamedTuple):
    """Another namespace that a search reads; with a `tag`, only the memories that have it."""

    namespace: str
    tag: str | None = None


def new_id(prefix: str) -> str:
    """Return a fresh random id: a prefix that names the kind of record, and 80 random bits in hexadecimal."""
    return f"{prefix}_{secrets.token_hex(10)}"


def namespace(field: str, value: str) -> str:
    """Return `value` if it can name an agent's namespace: up to 100 printable characters, no outer spaces.

    Raises InvalidInput for any other.
    """
    inputs.text(field, value)
    if len(value) > MAX_NAMESPACE_CHARS or value != value.strip() or not value.isprintable():
        raise InvalidInput(field, f"must be 1 to {MAX_NAMESPACE_CHARS} printable characters without spaces at the ends")
    return value


def agent(field: str, value: str) -> str:
    """Return `value` if an agent may have that namespace: as `namespace`, but for the one that is reserved.

    Raises InvalidInput for any other.
    """
    if namespace(field, value) == GLOBAL:
        raise InvalidInput(
            field, f"{GLOBAL!r} is reserved for what agents have promoted; choose another name for the agent"
        )
    return value
