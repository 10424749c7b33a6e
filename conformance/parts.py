"""Parts of a bundle, each a bundle itself: a passport (memories of one scope), a history (one memory's lineage).

A part holds memories with their earlier versions and relations, and nothing that was not asked for: no sessions, goals,
audit rows or vectors. What is hidden (archived, forgotten) stays at home.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from . import reader
from .reader import Row

ACTIVE = "active"
"""The status of memories from before there was one."""
HIDDEN = frozenset({"archived", "forgotten"})
PERSONAL = frozenset({"preference", "user-preference", "display", "verbosity", "style", "personal"})
TEAM = frozenset({"team", "policy", "shared", "security", "review", "runbook", "compliance"})
NEEDED: Mapping[str, Mapping[str, type]] = {
    "memories": {"id": str, "namespace": str, "content": str, "created_at": int},
    "memory_versions": {"memory_seq": str, "content": str, "replaced_at": int},
    "relations": {"from_id": str, "to_id": str, "type": str, "created_at": int},
    "namespaces": {"id": str, "created_at": int},
}
"""What is read of a row, by its table."""
PROJECT = frozenset({"decision", "incident", "project", "rule", "deploy", "bugfix", "constraint"})


class Scope(StrEnum):
    """Which memories a passport holds."""

    ALL = "all"
    PERSONAL = "personal"
    TEAM = "team"
    PROJECT = "project"


@dataclass
class Part:
    """The rows of a bundle of which a passport or a history is made, in their order."""

    head: Row
    memories: dict[str, Row] = field(default_factory=dict)
    versions: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    namespaces: list[Row] = field(default_factory=list)

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> "Part":
        """Read the visible memories of a bundle. Raises Complaint."""
        part = cls({})
        for line in reader.read(lines):
            if line.kind == "head":
                part.head = {name: value for name, value in line.value.items() if name != "envelope"}
                continue
            if line.kind == "end":
                continue
            row = line.value["row"]
            _check(line)
            match line.value["table"]:
                case "memories" if row.get("status") not in HIDDEN:
                    part.memories[row["id"]] = row
                case "memory_versions":
                    part.versions.append(row)
                case "relations":
                    part.relations.append(row)
                case "namespaces":
                    part.namespaces.append(row)
        return part.only(part.memories)

    def only(self, ids: Iterable[str]) -> "Part":
        """Return what belongs to some memories, and the relations between them."""
        wanted = set(ids)
        memories = {name: row for name, row in self.memories.items() if name in wanted}
        whose = {row["namespace"] for row in memories.values()}
        return Part(
            self.head,
            memories,
            [row for row in self.versions if row["memory_seq"] in memories],
            [row for row in self.relations if row["from_id"] in memories and row["to_id"] in memories],
            [row for row in self.namespaces if row["id"] in whose],
        )

    def scoped(self, scope: Scope) -> "Part":
        """Return the memories of a scope."""
        return self.only(name for name, row in self.memories.items() if belongs(row, scope))

    def lineage(self, root: str) -> "Part":
        """Return a memory with all that it comes from and all that came from it. Raises KeyError for none such."""
        if root not in self.memories:
            raise KeyError(root)
        found, waiting = {root}, [root]
        beside: dict[str, set[str]] = {}
        for row in self.relations:
            beside.setdefault(row["from_id"], set()).add(row["to_id"])
            beside.setdefault(row["to_id"], set()).add(row["from_id"])
        while waiting:
            new = beside.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return self.only(found)

    def moved(self, namespace: str) -> "Part":
        """Return a branch: the same in another namespace, under ids that follow from the old ones and from its name."""
        ids = {name: branched(name, namespace) for name in self.memories}
        created = min((row["created_at"] for row in self.namespaces), default=0)
        return Part(
            self.head,
            {
                ids[id_]: _elsewhere(row) | {"id": ids[id_], "namespace": namespace}
                for id_, row in self.memories.items()
            },
            [row | {"memory_seq": ids[row["memory_seq"]]} for row in self.versions],
            [row | {"from_id": ids[row["from_id"]], "to_id": ids[row["to_id"]]} for row in self.relations],
            [{"id": namespace, "created_at": created}],
        )

    def lines(self, envelope: Callable[[str], Row] | None = None) -> list[bytes]:
        """Return the part as the lines of a bundle in its normal form, each with its end; an envelope by its hash."""
        tables = {
            "memories": list(self.memories.values()),
            "memory_versions": self.versions,
            "namespaces": self.namespaces,
            "relations": self.relations,
        }
        found = reader.CanonicalHash()
        body = []
        for table, rows in tables.items():
            for row in rows:
                found.add(table, row)
                body.append(reader.canonical({"table": table, "row": row}) + b"\n")
        head = self.head if envelope is None else self.head | {"envelope": envelope(found.digest)}
        end = {"end": len(body), "canonical_hash": found.digest}
        return [reader.canonical(head) + b"\n", *body, reader.canonical(end) + b"\n"]


def _check(line: reader.Line) -> None:
    """Raise Complaint for a row without what is read of it: its hash may be right all the same."""
    table, row = line.value["table"], line.value["row"]
    wrong = [name for name, kind in NEEDED.get(table, {}).items() if type(row.get(name)) is not kind]
    if table == "memories":
        wrong += [name for name, kind in (("metadata", dict), ("tags", list)) if not _holds(row.get(name), kind)]
        beside = (("valid_to", row.get("valid_to") or 0, int), ("status", row.get("status", ACTIVE), str))
        wrong += [name for name, value, kind in beside if type(value) is not kind]
    if wrong:
        raise reader.Complaint("row", line.number, f"line {line.number}: {table}.{wrong[0]} is missing or wrong")


def _holds(text: Any, kind: type) -> bool:
    """Return whether a text is JSON of a kind, or none."""
    try:
        return not text or isinstance(json.loads(text), kind)
    except (TypeError, ValueError, RecursionError):
        return False


def _elsewhere(memory: Row) -> Row:
    """Return a memory as another namespace understands it: that knows a project by its name, not by its id here."""
    metadata = json.loads(memory.get("metadata") or "{}")
    if "project_name" not in metadata:
        return memory
    named = metadata | {"project": metadata["project_name"]}
    return memory | {"metadata": json.dumps(named, ensure_ascii=False, separators=(",", ":"))}


def belongs(memory: Row, scope: Scope) -> bool:
    """Return whether a memory belongs to a scope: by its tags, else by whether it is a session's.

    Personal is what a session left, or what is tagged as a preference; of a project what no session owns and nobody
    tagged as personal, or what is tagged as its decision or rule; of a team only what is tagged so.
    """
    tags = {str(tag).casefold() for tag in json.loads(memory.get("tags") or "[]")}
    of_session = memory.get("session") is not None
    return {
        Scope.ALL: True,
        Scope.PERSONAL: of_session or bool(tags & PERSONAL),
        Scope.TEAM: bool(tags & TEAM),
        Scope.PROJECT: bool(tags & PROJECT) or not (of_session or tags & PERSONAL),
    }[scope]


def timeline(part: Part) -> list[tuple[int, str, str, str]]:
    """Return what happened to the memories of a part, oldest first: moment (µs), what, the memory's id, and more."""
    found = [(row["created_at"], "created", name, row["content"]) for name, row in part.memories.items()]
    found += [(row["replaced_at"], "rewritten", row["memory_seq"], row["content"]) for row in part.versions]
    found += [(row["created_at"], str(row["type"]), row["from_id"], row["to_id"]) for row in part.relations]
    ends = ((row.get("valid_to"), name) for name, row in part.memories.items())
    found += [(at, "ended", name, "") for at, name in ends if at is not None]
    return sorted(found)


def counts(part: Part) -> Mapping[str, int]:
    """Return how many rows a part has, by table, and its memories by status."""
    by_status = Counter(str(row["status"]) for row in part.memories.values())
    return {
        "memories": len(part.memories),
        "versions": len(part.versions),
        "relations": len(part.relations),
    } | by_status


def branched(name: str, namespace: str) -> str:
    """Return the id of a memory's branch in a namespace."""
    return f"mem_{hashlib.sha256(reader.canonical([namespace, name])).hexdigest()[:20]}"
