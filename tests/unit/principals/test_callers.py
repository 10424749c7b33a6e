"""Callers: what they may touch, and that nothing widens it."""

import pytest

from agentos.modules.errors import AgentOSError, InvalidInput, PermissionDenied
from agentos.modules.principals import secrets
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from tests.tables import every


def caller(role: Role = Role.WRITER, **rights: Right) -> Caller:
    return Caller("ada", role, rights, "own", Door.HTTP)


BOTH = {"own": Right.WRITE, "team": Right.READ}


@every(
    "of, asks, named, answer",
    [
        (caller(**BOTH), "reading", None, "own"),
        (caller(**BOTH), "reading", "team", "team"),
        (caller(**BOTH), "writing", "own", "own"),
        (caller(**BOTH), "writing", "team", PermissionDenied),
        (caller(**BOTH), "reading", "other", PermissionDenied),
        (caller(**BOTH), "administering", "own", PermissionDenied),
        (caller(**BOTH), "reading", "global", InvalidInput),
        (caller(**BOTH), "reading", "", InvalidInput),
        (caller(), "reading", None, PermissionDenied),
        (caller(), "reading", "own", PermissionDenied),
        (caller(Role.READER, own=Right.ADMIN), "writing", None, PermissionDenied),
        (caller(Role.READER, own=Right.ADMIN), "reading", None, "own"),
        (caller(Role.OPERATOR, own=Right.ADMIN), "administering", "own", PermissionDenied),
        (caller(Role.OWNER, own=Right.ADMIN), "administering", "own", "own"),
        (caller(Role.OWNER, own=Right.READ), "writing", "own", PermissionDenied),
        (local_owner("me", None, Door.STDIO), "writing", "anybody", "anybody"),
        (local_owner("me", frozenset({"me", "you"}), Door.STDIO), "writing", "you", "you"),
        (local_owner("me", frozenset({"me"}), Door.STDIO), "reading", "you", PermissionDenied),
        (local_owner("me", frozenset(), Door.STDIO), "reading", None, PermissionDenied),
    ],
)
def test_an_argument_narrows_and_a_missing_scope_is_none(
    of: Caller, asks: str, named: str | None, answer: str | type[AgentOSError]
) -> None:
    if isinstance(answer, str):
        assert getattr(of, asks)(named) == answer
    else:
        with pytest.raises(answer):
            getattr(of, asks)(named)


def test_a_role_includes_those_before_it() -> None:
    for number, held in enumerate(Role):
        for place, needed in enumerate(Role):
            if place <= number:
                caller(held).requires(needed)
            else:
                with pytest.raises(PermissionDenied, match=needed):
                    caller(held).requires(needed)


def test_a_secret_is_found_by_its_prefix_and_checked_by_its_digest() -> None:
    secret, prefix = secrets.new()
    assert secrets.prefix_of(secret) == prefix
    assert secrets.digest(b"k", secret) != secrets.digest(b"l", secret)
    for other in ("", secret[:-1], secret + "\n", secret.upper(), f" {secret}", secret.replace("agos", "sk")):
        assert secrets.prefix_of(other) is None, other
