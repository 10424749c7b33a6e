"""The registry of keys: whom this home trusts, whom a catalog of others vouches for, and which keys are revoked.

What was entered here always comes first: a catalog adds keys, and never changes or replaces an entry of this home.
A revocation has no beginning: whoever took a key can write any date under a text, so all that it signed is revoked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from ..errors import Conflict, InvalidInput, NotFound
from ..records import dataclass
from .keys import key_id

FORMAT = 1
MAX_AUTHOR = 200
MAX_KEYS = 10_000
"""The most keys of one catalog, and of this home."""


class Standing(StrEnum):
    """The result of checking a signature here."""

    TRUSTED = "trusted"
    UNSIGNED = "unsigned"
    INVALID = "invalid"
    REVOKED = "revoked"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class AuthorKey:
    """A public key and its author; `replaced_by` is the id of the key that came in the place of a revoked one."""

    public: str
    author: str
    own: bool = False
    revoked: bool = False
    replaced_by: str | None = None


@dataclass(frozen=True)
class Catalog:
    """Keys that others vouch for, by their ids; `signer` is the id of the key that signed the catalog."""

    label: str
    keys: Mapping[str, AuthorKey]
    signer: str


@dataclass(frozen=True)
class JudgedSignature:
    """The standing of a signature: by which key, on whose word (`here` or the catalog's id), and why."""

    standing: Standing
    author: str | None = None
    key_id: str | None = None
    origin: str | None = None
    reason: str | None = None
    replaced_by: str | None = None


@dataclass(frozen=True)
class Registry:
    """The keys that were entered here, and the catalogs that were brought in."""

    keys: Mapping[str, AuthorKey] = field(default_factory=dict)
    catalogs: Mapping[str, Catalog] = field(default_factory=dict)

    def judged(self, signature: str, author: str | None, public: str | None) -> JudgedSignature:
        """Return the standing of what an author signed; `signature` is `valid`, `invalid` or `unsigned`."""
        if signature == "unsigned":
            return JudgedSignature(Standing.UNSIGNED)
        if signature != "valid" or author is None or public is None:
            return JudgedSignature(
                Standing.INVALID, reason="the signature does not belong to this text, or to this key"
            )
        signer = key_id(public)
        found = self._known(signer)
        if found is None:
            return JudgedSignature(Standing.UNKNOWN, author, signer, reason="nobody here knows this key")
        origin, key = found
        if key.revoked:
            return JudgedSignature(Standing.REVOKED, key.author, signer, origin, replaced_by=key.replaced_by)
        if key.author != author:
            why = f"it is signed as {author}, with the key of {key.author}"
            return JudgedSignature(Standing.INVALID, key.author, signer, origin, why)
        if origin != HERE and any(one.author == author and not one.revoked for one in self.keys.values()):
            why = f"{author} is pinned to another key here"
            return JudgedSignature(Standing.UNKNOWN, author, signer, origin, why)
        return JudgedSignature(Standing.TRUSTED, author, signer, origin)

    def _known(self, signer: str) -> tuple[str, AuthorKey] | None:
        if signer in self.keys:
            return HERE, self.keys[signer]
        vouched = [(name, one.keys[signer]) for name, one in sorted(self.catalogs.items()) if signer in one.keys]
        return next((found for found in vouched if found[1].revoked), vouched[0] if vouched else None)

    def pinned(self, public: str, author: str, *, own: bool = False) -> "Registry":
        """Return the registry with a key of an author. Raises Conflict where the key has another one, or is revoked."""
        if not author.strip() or len(author) > MAX_AUTHOR:
            raise InvalidInput("author", f"must be a name of 1 to {MAX_AUTHOR} characters")
        if len(self.keys) >= MAX_KEYS:
            raise Conflict(f"there are {MAX_KEYS} keys already; agentos trust-keys unpin removes one")
        name = key_id(public)
        known = self.keys.get(name)
        if known and (known.revoked or known.author != author):
            state = "revoked" if known.revoked else f"that of {known.author}"
            raise Conflict(f"{name} is {state}; nothing was changed")
        return replace(self, keys={**self.keys, name: AuthorKey(public, author, own or bool(known and known.own))})

    def unpinned(self, name: str) -> "Registry":
        """Return the registry without a key of this home's. Raises NotFound; Conflict for a revoked or own one."""
        known = self._here(name)
        if known.revoked or known.own:
            what = "revoked: its revocation is kept" if known.revoked else "this home's own: revoke it instead"
            raise Conflict(f"{name} is {what}")
        return replace(self, keys={one: key for one, key in self.keys.items() if one != name})

    def revoked(self, name: str, replaced_by: str | None = None) -> "Registry":
        """Return the registry with a key revoked, a catalog's too. Raises NotFound, Conflict for no replacement."""
        found = self._known(name)
        if found is None:
            raise NotFound(f"there is no key {name!r}; agentos trust-keys list shows them")
        if replaced_by is not None:
            new = self._known(replaced_by)
            if new is None or new[1].revoked or replaced_by == name:
                raise Conflict(f"{replaced_by} cannot replace it: it is unknown, revoked or the same; pin it first")
        changed = replace(found[1], revoked=True, replaced_by=replaced_by)
        return replace(self, keys={**self.keys, name: changed})

    def restored(self, name: str) -> "Registry":
        """Return the registry with a revocation of this home's taken back. Raises NotFound."""
        return replace(self, keys={**self.keys, name: replace(self._here(name), revoked=False, replaced_by=None)})

    def _here(self, name: str) -> AuthorKey:
        if name not in self.keys:
            raise NotFound(f"no key {name!r} was entered here; agentos trust-keys list shows them")
        return self.keys[name]

    def with_catalog(self, document: Mapping[str, Any], signer: str) -> tuple["Registry", list[str]]:
        """Return the registry with a catalog in the place of its earlier edition, and the ids that it left as they are.

        What an earlier edition revoked stays revoked, so that an old edition that is shown again changes nothing.
        Raises InvalidInput for what is no catalog, Conflict where another key signed the earlier edition; then nothing
        changes.
        """
        name, label, entries = document.get("id"), document.get("label"), document.get("keys")
        if document.get("agentos_catalog") != FORMAT or not isinstance(entries, list):
            raise InvalidInput("catalog", f"is not a catalog of format {FORMAT}")
        if not isinstance(name, str) or not 0 < len(name) <= MAX_AUTHOR or name == HERE or not isinstance(label, str):
            raise InvalidInput("catalog", "needs an id and a label")
        if len(entries) > MAX_KEYS:
            raise InvalidInput("catalog", f"has more than {MAX_KEYS} keys")
        keys = dict(_entry(one) for one in entries)
        unchanged = sorted(one for one in keys if one in self.keys)
        before = self.catalogs.get(name)
        if before is not None and before.signer != signer:
            raise Conflict(f"the catalog {name} is signed by {signer}, its earlier edition by {before.signer}")
        revoked = {} if before is None else {one: key for one, key in before.keys.items() if key.revoked}
        new = Catalog(label, {one: key for one, key in {**keys, **revoked}.items() if one not in self.keys}, signer)
        return replace(self, catalogs={**self.catalogs, name: new}), unchanged

    def as_catalog(self, name: str, label: str) -> dict[str, Any]:
        """Return what was entered here as a catalog for others: public keys, never a private one."""
        return {"agentos_catalog": FORMAT, "id": name, "label": label, "keys": _entries(self.keys.values())}

    def as_document(self) -> dict[str, Any]:
        """Return the registry as it is kept in a file."""
        catalogs = {
            name: {"label": one.label, "signer": one.signer, "keys": _entries(one.keys.values())}
            for name, one in self.catalogs.items()
        }
        return {
            "agentos_trust": FORMAT,
            "keys": _entries(self.keys.values(), with_ownership=True),
            "catalogs": catalogs,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Registry":
        """Return the registry that a file keeps. Raises InvalidInput, KeyError, TypeError where it is none."""
        if document.get("agentos_trust") != FORMAT:
            raise InvalidInput("registry", f"is not a key registry of format {FORMAT}")
        catalogs = {
            name: Catalog(one["label"], dict(map(_entry, one["keys"])), one["signer"])
            for name, one in document["catalogs"].items()
        }
        return cls(dict(map(_entry, document["keys"])), catalogs)


HERE = "here"
"""The origin of keys that were entered in this home."""


def _entries(keys: Iterable[AuthorKey], *, with_ownership: bool = False) -> list[dict[str, Any]]:
    entries = []
    for key in keys:
        entry: dict[str, Any] = {"public": key.public, "author": key.author}
        if key.revoked:
            entry |= {"revoked": True, "replaced_by": key.replaced_by}
        if with_ownership and key.own:
            entry["own"] = True
        entries.append(entry)
    return entries


def _entry(value: Any) -> tuple[str, AuthorKey]:
    fit = isinstance(value, dict) and isinstance(value.get("public"), str) and isinstance(value.get("author"), str)
    if not fit or not 0 < len(value["author"]) <= MAX_AUTHOR:
        raise InvalidInput("keys", "each needs a public key and an author")
    replaced_by = value.get("replaced_by")
    if replaced_by is not None and not isinstance(replaced_by, str):
        raise InvalidInput("keys", "replaced_by is the id of a key")
    key = AuthorKey(
        value["public"], value["author"], value.get("own") is True, value.get("revoked") is True, replaced_by
    )
    return key_id(key.public), key


def by_key_alone(signature: str, author: str | None, public: str | None, key: str) -> JudgedSignature:
    """Return the standing of what an author signed where one public key is trusted, and nothing else."""
    return Registry().pinned(key, author or "?").judged(signature, author, public)
