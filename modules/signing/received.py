"""What the signature of a received bundle is worth here: told at each import, and refused where it is a warning."""

from collections.abc import Mapping
from typing import Any

from ..errors import PermissionDenied
from .registry import Registry, Standing


def weighed(seal: Mapping[str, Any], registry: Registry) -> str:
    """Return a sentence about a bundle's seal and signature.

    `seal` is what the published reader says of it. Raises PermissionDenied for a revoked key, for a signature that does
    not belong to the file, and for a file that is not as it was sealed.
    """
    if seal["integrity"] == "changed":
        raise PermissionDenied("this file was changed after it was sealed; nothing was imported. Ask for it again")
    judged = registry.judged(seal["signature"], seal["author"], seal["key"])
    if judged.standing is Standing.REVOKED:
        replaced = f", and replaced by {judged.replaced_by}" if judged.replaced_by else ""
        raise PermissionDenied(
            f"this file is signed with {judged.key_id} of {judged.author}, which is revoked{replaced}; nothing was "
            "imported. Ask for a copy that is signed with a key in use"
        )
    if judged.standing is Standing.INVALID:
        raise PermissionDenied(f"{judged.reason}; nothing was imported. Ask for the file again")
    if seal["integrity"] == "none":
        return "not signed: it does not say who made it"
    if judged.standing is Standing.TRUSTED:
        return f"signed by {judged.author}, whose key is trusted here"
    if judged.standing is Standing.UNKNOWN:
        return (
            f"signed as {judged.author} with {judged.key_id}, which is not a trusted key here: {judged.reason}. If it "
            "is theirs, trust it with agentos trust-keys pin"
        )
    return "complete, but not signed: it does not say who made it"
