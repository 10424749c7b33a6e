"""A segment: what one device changed, in one file that is numbered, sealed with the group's key and signed by it."""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...modules.records import dataclass
from . import keys
from .kinds import KINDS, PROJECT
from .models import Change, Fields, Seen, change_as_json, change_of, seen_of

FORMAT = 1
LONGEST_HEAD, LONGEST = 2_000, 64 << 20
MOST_UNPACKED = 256 << 20
_FAST = 1


class Refused(Exception):
    """Why a segment is not taken, in a few words; whatever it says, nothing of it is."""


class Incomplete(Exception):
    """A segment of which the end has not come yet."""


@dataclass(frozen=True)
class Head:
    """What anybody can read of a segment: whose and which it is, under which key, how often written, and how long."""

    group: str
    device: str
    number: int
    epoch: str
    revision: int
    size: int

    def line(self) -> bytes:
        return json.dumps({"agentos_segment": FORMAT, **self.__dict__}, separators=(",", ":")).encode() + b"\n"


@dataclass(frozen=True)
class Segment:
    """What a segment says: the writer's count, what it had heard of all devices, and its changes.

    `projects` are those that the changes name; `erased` counts the changes that were taken out of it since.
    """

    count: int
    heard: Seen
    changes: Sequence[Change]
    erased: int = 0
    projects: Sequence[Fields] = ()


def sealed(segment: Segment, head: Head, key: bytes, sign: Callable[[bytes], bytes]) -> bytes:
    """Return the bytes of a segment; the size in the head is set here."""
    said = {
        "count": segment.count,
        "heard": segment.heard,
        "changes": [change_as_json(one) for one in segment.changes],
        "erased": segment.erased,
        "projects": list(segment.projects),
    }
    packed = zlib.compress(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode(), _FAST)
    size = keys.NONCE_BYTES + len(packed) + keys.TAG_BYTES
    named = Head(head.group, head.device, head.number, head.epoch, head.revision, size)
    line = named.line()
    text = line + keys.seal(key, packed, line)
    return text + sign(text)


def head_of(text: bytes) -> Head:
    """Return the head of a segment. Raises Incomplete, Refused."""
    line, newline, _ = text[:LONGEST_HEAD].partition(b"\n")
    if not newline:
        if len(text) < LONGEST_HEAD and b'{"agentos_segment":'.startswith(text[:19]):
            raise Incomplete
        raise Refused("is no segment")
    try:
        value: dict[str, Any] = json.loads(line)
        format_ = value.pop("agentos_segment")
        head = Head(
            str(value["group"]),
            str(value["device"]),
            int(value["number"]),
            str(value["epoch"]),
            int(value["revision"]),
            int(value["size"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused("is no segment") from error
    if format_ != FORMAT:
        raise Refused("was written by another version of AgentOS: update this one")
    return head


def opened(text: bytes, head: Head, key: bytes, signing_public: bytes) -> Segment:
    """Return what a segment says. Raises Incomplete where its end is missing, Refused where it was altered."""
    line = text[: text.index(b"\n") + 1]
    whole = len(line) + head.size + keys.SIGNATURE_BYTES
    if len(text) < whole:
        raise Incomplete
    if len(text) > whole or not keys.is_signed(
        signing_public, text[-keys.SIGNATURE_BYTES :], text[: -keys.SIGNATURE_BYTES]
    ):
        raise Refused("was altered: its signature is not the device's")
    try:
        packed = keys.unseal(key, text[len(line) : -keys.SIGNATURE_BYTES], line)
        return _segment(_unpacked(packed), head)
    except (keys.Unreadable, zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused("cannot be read with the group's key") from error


def _unpacked(packed: bytes) -> Mapping[str, Any]:
    unpacking = zlib.decompressobj()
    said = unpacking.decompress(packed, MOST_UNPACKED)
    if not unpacking.eof:
        raise ValueError("is too large")
    value: Mapping[str, Any] = json.loads(said)
    return value


def _segment(value: Mapping[str, Any], head: Head) -> Segment:
    changes = [change_of(one) for one in value["changes"]]
    if any(one.dot != (head.device, head.number) for one in changes):
        raise ValueError("speaks for another segment")
    if any(one.kind not in KINDS for one in changes):
        raise Refused("tells of what this version of AgentOS does not know: update this one")
    projects = [{name: one[name] for name in PROJECT} for one in value["projects"]]
    return Segment(int(value["count"]), seen_of(value["heard"]), changes, int(value["erased"]), projects)
