"""Plan what a manifest changes in a home, before anything is changed: trusted signers, keys, settings.

Whether a document is as it was signed is judged by the published reader, which the caller passes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...modules.errors import PermissionDenied
from ...modules.records import dataclass
from ...modules.signing.keys import key_id
from ...modules.signing.registry import HERE, JudgedSignature, Registry, Standing, by_key_alone
from .manifest import Manifest

IsSigned = Callable[[Mapping[str, Any]], bool]
_NAMED = re.compile(r"\s*(?:export\s+)?(\w+)\s*=")


@dataclass(frozen=True)
class Signed:
    """A document's signature: its state, the signer, and the public key."""

    state: str
    author: str | None
    public: str | None


@dataclass(frozen=True)
class Joining:
    """A manifest that may be applied: what its keys make of the home's registry, and the ids that stay as they are."""

    manifest: Manifest
    public: str
    registry: Registry
    left: Sequence[str]

    @property
    def successors(self) -> dict[str, str]:
        """The keys that came in the place of revoked ones."""
        return {one: key.replaced_by for one, key in self.registry.keys.items() if key.replaced_by}


def joinable(manifest: Manifest, found: Signed, key: str | None, registry: Registry, is_signed: IsSigned) -> Joining:
    """Return a manifest as it would be applied. Raises PermissionDenied for an untrusted signer, or a foreign catalog.

    `key` is the public key that a person named; `registry` what the home thinks of keys.
    """
    judged = judge(found, key, registry)
    if judged.standing is not Standing.TRUSTED:
        why = f": {judged.reason}" if judged.reason else ""
        raise PermissionDenied(
            f"the manifest is {judged.standing}{why}; nothing was changed. Check its author's public key over "
            "another channel, and give it with --key"
        )
    public = str(found.public)
    changed, left = trusting(registry, manifest, public, is_signed)
    return Joining(manifest, public, changed, left)


def judge(found: Signed, key: str | None, registry: Registry) -> JudgedSignature:
    """Return how the signer stands: pinned here, or named by a key that nothing here says is revoked."""
    here = registry.judged(found.state, found.author, found.public)
    is_vouched = here.standing is Standing.TRUSTED and here.origin != HERE
    if key is not None and (here.standing is Standing.UNKNOWN or is_vouched):
        return by_key_alone(found.state, found.author, found.public, key)
    if is_vouched or (here.standing is Standing.TRUSTED and key not in (None, found.public)):
        return replace(here, standing=Standing.UNKNOWN, reason="the signer is not pinned here")
    return here


def trusting(
    registry: Registry, manifest: Manifest, public: str, is_signed: IsSigned
) -> tuple[Registry, Sequence[str]]:
    """Return the registry with a manifest's signer, keys and catalogs, and the ids that were known and stay.

    Raises PermissionDenied for a catalog that is not as it was signed, or whose signer the manifest does not name.
    """
    if manifest.signer not in registry.keys:
        registry = registry.pinned(public, manifest.author)
    registry, left = registry.with_catalog(manifest.as_catalog(), manifest.signer)
    named = {key_id(str(one["public"])) for one in manifest.keys if not one.get("revoked")} | {manifest.signer}
    for catalog in manifest.catalogs:
        by = key_id(str(catalog["signature"].get("key")))
        if by not in named or not is_signed(catalog):
            raise PermissionDenied(f"the catalog {str(catalog.get('id'))[:60]!r} is signed by no key that it lists")
        registry, more = registry.with_catalog(catalog, by)
        left = [*left, *more]
    return registry, left


def missing_settings(manifest: Manifest, own: str) -> dict[str, str]:
    """Return the settings of a manifest that a home's `own` env file says nothing of."""
    named = {found[1].upper() for line in own.splitlines() if (found := _NAMED.match(line))}
    return {name: value for name, value in manifest.settings.items() if f"AGENTOS_{name.upper()}" not in named}
