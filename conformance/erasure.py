"""Certificates of erasure: what was erased, when and by whom, bound by a Merkle root and a signature.

The root is a Merkle tree's of RFC 6962 (section 2.1) over the ids in their order: a leaf is SHA-256 of 0x00 and the id,
a node SHA-256 of 0x01 and both below it. Texts are in no certificate, not even their hashes: short ones can be guessed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

FORMAT = 1


def merkle_root(ids: Sequence[str]) -> str:
    """Return the root over ids, in hexadecimal; of none, SHA-256 of nothing."""
    return _root([hashlib.sha256(b"\x00" + one.encode()).digest() for one in ids]).hex()


def certificate(
    namespace: str,
    subject: str,
    ids: Sequence[str],
    at: int,
    by: str,
    remains: Mapping[str, Sequence[str]],
    not_searched: Sequence[str] = (),
    files: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a certificate, to be signed; `at` is in µs, `remains` where the subject is named still.

    That is in files, tables, memories of other namespaces, in what is sealed, and where the rights did not reach.
    `files` are the SHA-256 of the attached files that the store holds no more.
    """
    ordered = sorted(ids)
    return {
        "agentos_erasure": FORMAT,
        "namespace": namespace,
        "subject": subject,
        "ids": ordered,
        "merkle_root": merkle_root(ordered),
        "erased_at": at,
        "erased_by": by,
        "remains": {where: list(places) for where, places in remains.items()},
    } | {name: list(told) for name, told in (("not_searched", not_searched), ("files", sorted(files))) if told}


def holds(document: Mapping[str, Any]) -> bool:
    """Return whether a certificate's root is that of its ids."""
    ids = document.get("ids")
    fit = isinstance(ids, list) and all(isinstance(one, str) for one in ids)
    return fit and document.get("merkle_root") == merkle_root(ids or [])


def _root(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + _root(leaves[:half]) + _root(leaves[half:])).digest()
