"""Who is in a group: cards by which devices join and leave, and new keys by which one is shut out."""

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...modules.errors import InvalidInput
from . import keys
from .folder import CARD, DEVICES, GROUP, KEYS, Folder
from .keys import DeviceKeys, group_key
from .places import member_as_json, member_of
from .ports import BEFORE_RESTORE, Member, Place
from .segments import Refused

FORMAT = 1
FIRST_EPOCH = "0000000000"
LONGEST_NAME = 100


def new_place(folder: str, group: str, name: str, secrets_: Mapping[str, bytes], epoch: str) -> Place:
    """Return the place of a new device in a group."""
    own = DeviceKeys.new()
    member = Member(name, own.signing_public, own.opening_public)
    return Place(group, name, folder, own, dict(secrets_), epoch, members={own.device: member})


def renewed(place: Place) -> Place:
    """Return the place of a home that is older than what it told, as after a restore: it goes on as a new device.

    What it had told since then it takes as another's.
    """
    old = replace(place.members[place.device], name=name_before(place), has_left=True)
    fresh = new_place(place.folder, place.group, place.name, place.secrets, place.epoch)
    return replace(
        fresh,
        count=place.count,
        heard={**place.heard, place.device: place.number},
        claims=place.claims,
        members={**place.members, **fresh.members, place.device: old},
        cuts=place.cuts,
        purge=[BEFORE_RESTORE],
        former=[*place.former, place.keys],
    )


def name_before(place: Place) -> str:
    """Return what the device is called that a home was before it was restored."""
    return f"{place.name}, before its restore"


def found_group(folder: Folder) -> str:
    """Return the id of the group in a folder. Blocks. Raises InvalidInput, StorageUnavailable."""
    folder.require()
    try:
        value = json.loads(folder.read(GROUP) or b"")
        group, format_ = str(value["group"]), value["agentos_sync"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("folder", f"{folder.place}/{GROUP} is damaged") from error
    if format_ != FORMAT:
        raise InvalidInput("folder", "was made by another version of AgentOS: update this one")
    return group


def write_group(folder: Folder, group: str) -> None:
    """Write what makes a folder that of a group. Blocks."""
    folder.write(json.dumps({"agentos_sync": FORMAT, "group": group}).encode(), GROUP)


def write_card(folder: Folder, place: Place, *, has_left: bool = False) -> None:
    """Write the card of this device: whoever knows the group's phrase can read it, and only it can write it. Blocks."""
    member = Member(place.name, place.keys.signing_public, place.keys.opening_public, has_left)
    text = json.dumps(member_as_json(member)).encode()
    about = {"group": place.group, "device": place.device, "epoch": place.epoch}
    folder.write(_signed(place, "card", about, text), DEVICES, place.device, CARD)


def joined_with(folder: Folder, secret: bytes, group: str) -> tuple[str, Mapping[str, Any]]:
    """Return the epoch of a secret, and what its file says. Blocks. Raises InvalidInput for another group's."""
    for epoch in reversed(folder.epochs()):
        head, sealed, _ = _parted(folder.read(KEYS, epoch) or b"", "keys")
        if not head:
            continue  # another's file
        try:
            said = keys.unseal(group_key(secret, group), sealed, head)
        except keys.Unreadable:
            break  # an earlier epoch's phrase lets nobody in any more
        return epoch, json.loads(said)
    else:
        for device in folder.devices():
            head, sealed, _ = _parted(folder.read(DEVICES, device, CARD) or b"", "card")
            try:
                keys.unseal(group_key(secret, group), sealed, head)
            except keys.Unreadable:
                continue
            return FIRST_EPOCH, {"secrets": {}, "members": {}, "cuts": {}}
    raise InvalidInput("phrase", "is not this group's now; agentos sync status --phrase shows it on a device of it")


def with_keys(place: Place, said: Mapping[str, Any]) -> Place:
    """Return a place that knows what a file of keys says."""
    members = {device: member_of(one) for device, one in said["members"].items()}
    cuts = dict(place.cuts)
    for device, number in said["cuts"].items():
        cuts[device] = min(int(number), cuts.get(device, int(number)))
    secrets_ = {epoch: base64.b64decode(one) for epoch, one in said["secrets"].items()}
    return replace(
        place,
        secrets={**secrets_, **place.secrets},
        members={**members, **place.members},
        cuts=cuts,
    )


def revoke(folder: Folder, place: Place, device: str) -> None:
    """Write new keys for all devices but one; what that one writes from now on is refused. Blocks."""
    secret = keys.new_secret()
    number = int(max(place.secrets).partition("-")[0]) + 1
    epoch = f"{number:010d}-{secrets.token_hex(4)}"
    cuts = {**place.cuts, device: place.heard.get(device, 0)}
    said = {
        "secrets": {name: base64.b64encode(one).decode() for name, one in place.secrets.items()},
        "members": {name: member_as_json(one) for name, one in place.members.items()},
        "cuts": cuts,
    }
    about = {"group": place.group, "device": place.device, "epoch": epoch}
    given = {
        name: base64.b64encode(keys.seal_for(one.opening, secret, f"{place.group} {epoch} {name}".encode())).decode()
        for name, one in place.members.items()
        if name not in cuts and not one.has_left
    }
    sealing = replace(place, epoch=epoch, secrets={**place.secrets, epoch: secret})
    folder.write(_signed(sealing, "keys", about | {"for": given}, json.dumps(said).encode()), KEYS, epoch)


def refreshed(folder: Folder, place: Place) -> tuple[Place, dict[str, str]]:
    """Return a place that knows who has joined, left and been revoked; by device what is wrong. Blocks."""
    words: dict[str, str] = {}
    for epoch in folder.epochs():
        if epoch not in place.secrets and place.device not in place.cuts:
            try:
                place = _with_epoch(place, epoch, folder.read(KEYS, epoch) or b"")
            except Refused as refusal:
                words[f"keys/{epoch}"] = str(refusal)
    for device in folder.devices():
        text = folder.read(DEVICES, device, CARD)
        if text is None or device == place.device or device in place.cuts:
            continue
        try:
            member = _member(place, device, text)
        except Refused as refusal:
            words[device] = f"its card {refusal}"
            continue
        known = place.members.get(device)
        if known is None or (member.has_left and not known.has_left):
            place = replace(place, members={**place.members, device: member})
    return place, words


def _with_epoch(place: Place, epoch: str, text: bytes) -> Place:
    """Return a place with new keys, or as revoked where they are for all others. Raises Refused."""
    line, sealed, signature = _parted(text, "keys")
    head = _head(line)
    writer = str(head.get("device"))
    known = place.members.get(writer)
    if known is None or writer in place.cuts or not keys.is_signed(known.signing, signature, line + sealed):
        raise Refused("is not signed by a device of this group")
    if head.get("group") != place.group or head.get("epoch") != epoch:
        raise Refused("belongs elsewhere")
    given = head.get("for", {}).get(place.device)
    if given is None:
        return replace(place, cuts={**place.cuts, place.device: place.number})
    about = f"{place.group} {epoch} {place.device}".encode()
    try:
        secret = place.keys.open(base64.b64decode(given), about)
        said = json.loads(keys.unseal(group_key(secret, place.group), sealed, line))
        place = with_keys(place, said)
    except (keys.Unreadable, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("is damaged") from error
    return replace(place, secrets={**place.secrets, epoch: secret}, epoch=max(place.epoch, epoch))


def _member(place: Place, device: str, text: bytes) -> Member:
    """Return the device that a card is of. Raises Refused."""
    line, sealed, signature = _parted(text, "card")
    head = _head(line)
    epoch = str(head.get("epoch"))
    if epoch not in place.secrets:
        raise Refused("is sealed with a phrase that this device does not know")
    if epoch != place.epoch and device not in place.members:
        raise Refused("is sealed with an old phrase: leave on that device, and join with the present one")
    try:
        member = member_of(json.loads(keys.unseal(group_key(place.secrets[epoch], place.group), sealed, line)))
    except (keys.Unreadable, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("is damaged") from error
    is_its_own = keys.device_of(member.signing) == device == head.get("device") and head.get("group") == place.group
    if not is_its_own or not keys.is_signed(member.signing, signature, line + sealed):
        raise Refused("is not signed by that device")
    return replace(member, name=member.name[:LONGEST_NAME])


def _signed(place: Place, what: str, about: Mapping[str, Any], text: bytes) -> bytes:
    line = json.dumps({f"agentos_{what}": FORMAT, **about}).encode() + b"\n"
    sealed = keys.seal(group_key(place.secrets[place.epoch], place.group), text, line)
    return line + sealed + place.keys.sign(line + sealed)


def _parted(text: bytes, what: str) -> tuple[bytes, bytes, bytes]:
    """Return the head of a card or file of keys, what is sealed, and the signature; empty where it is none."""
    line, newline, rest = text.partition(b"\n")
    if not newline or f'"agentos_{what}"'.encode() not in line or len(rest) < keys.SIGNATURE_BYTES:
        return b"", b"", b""
    return line + newline, rest[: -keys.SIGNATURE_BYTES], rest[-keys.SIGNATURE_BYTES :]


def _head(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise Refused("is damaged, or not all here yet") from error
    if not isinstance(value, dict):
        raise Refused("is damaged")
    return value
