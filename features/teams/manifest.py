"""The manifest of a team: what each member's home is to have, signed by who leads the team; no secret is in one.

A manifest is read here and nowhere else: what is not known in it, or not in its form, refuses all of it.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, TypeVar

from ...modules import identifiers, inputs
from ...modules.branches.models import Demand, Review, Watch
from ...modules.branches.service import watch
from ...modules.errors import InvalidInput
from ...modules.records import dataclass
from ...modules.signing.keys import key_id
from ...modules.signing.registry import MAX_AUTHOR, MAX_KEYS

FORMAT = 1
MOST, MOST_RULES, MOST_CATALOGS = 200, 200, 20
LONGEST_RULE = 2_000
LIMITS = ("max_memories", "max_bytes", "retention_days")
SETTINGS = frozenset(
    "toolsets search_consistency search_profile snapshot_max_tokens working_memory_hours stale_days archive_days "
    "forgotten_days session_event_days backup_keep reflection_lookback_days redact_emails".split()
)
"""The settings that a team may share: no address, no path, no secret, and nothing that lets secrets through."""
_FIELDS = frozenset(
    "agentos_team id label version keys catalogs namespaces governance rules settings signature".split()
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
T = TypeVar("T")


@dataclass(frozen=True)
class NamespacePolicy:
    """A namespace's policy: what else it reads, where it writes, and its limits by name."""

    name: str
    reads: tuple[str, ...] = ()
    target: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class NamespaceRules:
    """The review rules of a namespace, and what is watched."""

    namespace: str
    review: Review | None = None
    watches: tuple[Watch, ...] = ()


@dataclass(frozen=True)
class TeamInstruction:
    """An instruction for a namespace; with `tools`, for before one of these runs and is given one of `contains`."""

    namespace: str
    text: str
    tools: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read; `signer` is the id of the key that signed it, `digest` names this very edition."""

    id: str
    label: str
    version: int
    keys: tuple[Mapping[str, Any], ...]
    catalogs: tuple[Mapping[str, Any], ...]
    namespaces: tuple[NamespacePolicy, ...]
    governance: tuple[NamespaceRules, ...]
    rules: tuple[TeamInstruction, ...]
    settings: Mapping[str, str]
    author: str
    signer: str
    digest: str

    @property
    def touched(self) -> list[str]:
        """The namespaces that it says something of."""
        named = [one.name for one in self.namespaces]
        named += [one.namespace for one in self.governance]
        return list(dict.fromkeys([*named, *(one.namespace for one in self.rules)]))

    def as_catalog(self) -> dict[str, Any]:
        """Return its keys as a catalog, which never changes a home's own entries."""
        return {"agentos_catalog": 1, "id": f"team:{self.id}", "label": self.label, "keys": list(self.keys)}


@dataclass(frozen=True)
class Applied:
    """The edition of a team's manifest that a store has, and when it was applied."""

    id: str
    label: str
    version: int
    signer: str
    digest: str
    applied_at: datetime


def read(document: Mapping[str, Any], canonical: bytes) -> Manifest:
    """Return the manifest that a signed document is; `canonical` is its text. Raises InvalidInput."""
    if document.get("agentos_team") != FORMAT:
        raise InvalidInput("manifest", f"is not a team manifest of format {FORMAT}, as agentos team init writes it")
    _only("manifest", document, _FIELDS)
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 0 < version < 2**31:
        raise InvalidInput("version", "must be a whole number of 1 or more")
    signature = document.get("signature")
    if not isinstance(signature, Mapping):
        raise InvalidInput("manifest", "is not signed; agentos team init writes a signed one")
    settings = {name: _setting(name, value) for name, value in _object("settings", document.get("settings")).items()}
    team = _text("id", document.get("id"))
    if not _ID.fullmatch(team):
        raise InvalidInput("id", "must be 1 to 64 letters, digits and . _ -")
    return Manifest(
        team,
        _text("label", document.get("label"), 200),
        version,
        tuple(_each("keys", document.get("keys"), MAX_KEYS, _key)),
        tuple(_each("catalogs", document.get("catalogs"), MOST_CATALOGS, _catalog)),
        tuple(_each("namespaces", document.get("namespaces"), MOST, _namespace)),
        tuple(_each("governance", document.get("governance"), MOST, _governance)),
        tuple(_each("rules", document.get("rules"), MOST_RULES, _rule)),
        settings,
        str(signature.get("author")),
        key_id(str(signature.get("key"))),
        hashlib.sha256(canonical).hexdigest(),
    )


def _key(value: Mapping[str, Any]) -> Mapping[str, Any]:
    _only("keys", value, {"public", "author", "revoked", "replaced_by"})
    _text("keys: author", value.get("author"), MAX_AUTHOR)
    key_id(str(value.get("public")))
    return value


def _catalog(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if value.get("agentos_catalog") != 1 or not isinstance(value.get("signature"), Mapping):
        raise InvalidInput("catalogs", "each must be a whole signed catalog, as agentos trust-keys publish writes it")
    return value


def _namespace(value: Mapping[str, Any]) -> NamespacePolicy:
    _only("namespaces", value, {"name", "reads", "target", *LIMITS})
    target = value.get("target")
    return NamespacePolicy(
        identifiers.agent("namespaces: name", _text("namespaces: name", value.get("name"))),
        tuple(identifiers.namespace("namespaces: reads", one) for one in _texts("reads", value.get("reads"))),
        None if target is None else identifiers.agent("namespaces: target", _text("target", target)),
        {name: inputs.count(name, value[name], 0, 10**15) for name in LIMITS if name in value},
    )


def _governance(value: Mapping[str, Any]) -> NamespaceRules:
    _only("governance", value, {"namespace", "review", "watch", "notify"})
    review = value.get("review")
    watches = [watch(one) for one in _texts("watch", value.get("watch"))]
    watches += [watch(one, Demand.NOTIFY) for one in _texts("notify", value.get("notify"))]
    return NamespaceRules(
        identifiers.agent("governance: namespace", _text("governance: namespace", value.get("namespace"))),
        None if review is None else inputs.choice("review", _text("review", review), Review),
        tuple(watches),
    )


def _rule(value: Mapping[str, Any]) -> TeamInstruction:
    _only("rules", value, {"namespace", "text", "tools", "contains"})
    return TeamInstruction(
        identifiers.agent("rules: namespace", _text("rules: namespace", value.get("namespace"))),
        _text("rules: text", value.get("text"), LONGEST_RULE),
        _texts("tools", value.get("tools")),
        _texts("contains", value.get("contains")),
    )


def _setting(name: str, value: Any) -> str:
    if name not in SETTINGS:
        raise InvalidInput(
            "settings", f"{name[:60]!r} cannot be set by a team; allowed are: {', '.join(sorted(SETTINGS))}"
        )
    text = _text(f"settings: {name}", value, 200)
    if not text.isprintable() or not text.isascii() or set(text) & set("\"'\\#$"):
        raise InvalidInput(f"settings: {name}", "must be plain text on one line, without quotes")
    return text


def _only(field: str, value: Mapping[str, Any], known: Iterable[str]) -> None:
    if unknown := sorted(set(value) - set(known)):
        raise InvalidInput(
            field, f"has unknown fields: {', '.join(unknown)[:100]}; if a newer AgentOS wrote it, upgrade"
        )


def _object(field: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(field, "must be an object")
    return value


def _each(field: str, value: Any, most: int, made: Callable[[Mapping[str, Any]], T]) -> Sequence[T]:
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > most or not all(isinstance(one, Mapping) for one in value):
        raise InvalidInput(field, f"must be a list of at most {most} objects")
    return [made(one) for one in value]


def _text(field: str, value: Any, most: int = 200) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field, "must be a string")
    return inputs.text(field, value, most)


def _texts(field: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MOST:
        raise InvalidInput(field, f"must be a list of at most {MOST} strings")
    return tuple(_text(field, one) for one in value)
