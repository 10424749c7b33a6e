"""Vouching: a person's confirmation of a memory's exact text; any change withdraws it. Pure.

The seal of what the person saw is kept with the change: no clock decides whether a memory still reads so.
"""

import hashlib
import json
from collections.abc import Mapping

from ..facts.models import FactState
from .models import HIDDEN, Memory, Status

HUMAN = "human"
AGAIN = "confirm_again"
"""The action that a person is asked about where what they confirmed was rewritten: whether it holds as it reads now."""
_SEALED = "as it reads: "


def seal(memory: Memory) -> str:
    """Return a digest of what a person vouches for: the text, the tags, when and where it holds."""
    about = (memory.metadata.get("trigger"), memory.metadata.get("project"))
    canonical = json.dumps([memory.content, sorted(memory.tags), *about], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def reason(memory: Memory) -> str:
    """Return the reason of a person's confirmation, which includes the seal of the memory."""
    return f"said by {HUMAN}, {_SEALED}{seal(memory)}"


def is_vouched(memory: Memory, reason: str) -> bool:
    """Return whether a confirmation with that reason is about the memory as it reads now."""
    return reason.endswith(f"{_SEALED}{seal(memory)}")


def unmade(before: Mapping[str, FactState], after: Mapping[str, FactState]) -> list[str]:
    """Return the ids of the memories that new standings unmake."""
    return [name for name in after if name in before and is_unmade(before[name], after[name])]


def is_unmade(before: FactState, after: FactState) -> bool:
    """Return whether a change makes a memory less visible, or visible for less time."""
    hidden = after.status in (*HIDDEN, Status.CONTESTED) and after.status != before.status
    ends = after.valid_to is not None and (before.valid_to is None or after.valid_to < before.valid_to)
    return hidden or ends or after.rejections > before.rejections
