"""Where a device stands, as JSON: what its store keeps of sync beside the records. Pure."""

import base64
from collections.abc import Mapping
from typing import Any

from .keys import DeviceKeys
from .models import seen_of
from .ports import Member, Place


def place_as_json(place: Place) -> dict[str, Any]:
    """Return a place as JSON."""
    return {
        "group": place.group,
        "name": place.name,
        "folder": place.folder,
        "keys": _keys_as_json(place.keys),
        "secrets": {epoch: _text(secret) for epoch, secret in place.secrets.items()},
        "epoch": place.epoch,
        "number": place.number,
        "count": place.count,
        "heard": place.heard,
        "claims": place.claims,
        "members": {device: member_as_json(one) for device, one in place.members.items()},
        "cuts": place.cuts,
        "purge": list(place.purge),
        "former": [_keys_as_json(one) for one in place.former],
        "outbox": {str(number): _text(one) for number, one in place.outbox.items()},
    }


def place_of(value: Mapping[str, Any]) -> Place:
    """Return the place of `place_as_json`."""
    return Place(
        value["group"],
        value["name"],
        value["folder"],
        DeviceKeys(*map(_bytes, value["keys"])),
        {epoch: _bytes(secret) for epoch, secret in value["secrets"].items()},
        value["epoch"],
        value["number"],
        value["count"],
        seen_of(value["heard"]),
        seen_of(value["claims"]),
        {device: member_of(one) for device, one in value["members"].items()},
        seen_of(value["cuts"]),
        value["purge"],
        [DeviceKeys(*map(_bytes, one)) for one in value["former"]],
        {int(number): _bytes(one) for number, one in value["outbox"].items()},
    )


def member_as_json(member: Member) -> dict[str, Any]:
    """Return a device as JSON."""
    return {
        "name": member.name,
        "signing": _text(member.signing),
        "opening": _text(member.opening),
        "left": member.has_left,
    }


def member_of(value: Mapping[str, Any]) -> Member:
    """Return the device of `member_as_json`. Raises KeyError, TypeError, ValueError for what is none."""
    return Member(str(value["name"]), _bytes(value["signing"]), _bytes(value["opening"]), bool(value["left"]))


def _keys_as_json(keys: DeviceKeys) -> list[str]:
    return [_text(keys.signing), _text(keys.opening)]


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _bytes(value: str) -> bytes:
    return base64.b64decode(value, validate=True)
