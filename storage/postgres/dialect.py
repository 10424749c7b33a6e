"""Portable SQL as PostgreSQL spells it. Hints to SQLite's planner are comments, and stay so."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...modules.events.hints import HintTopic
from ...modules.records import dataclass
from ...modules.text.scripts import key_form
from ..engine.ports import Parameters

_PATTERNS = {
    r"\bnewest\('(\w+)'\)": r"(SELECT nullif(n.\1, 0) FROM numbers n)",
    r"\bheld_in\(\?\)": "(SELECT CAST(coalesce(sum(t.memories), 0) AS bigint) FROM namespaces n "
    "JOIN text_statistics t ON t.shelf IN (2 * n.number, 2 * n.number + 1) WHERE n.id = ?)",
    # The order keeps the planner from walking what other namespaces have between two numbers.
    r"\bbefore_in\((\?\d), ([\w.]+)\)": r"(SELECT b.seq FROM memories b WHERE (b.namespace, b.seq) < (\1, \2) "
    r"AND b.namespace >= \1 ORDER BY b.namespace DESC, b.seq DESC LIMIT 1)",
    r"\bafter_in\((\?\d), ([\w.]+)\)": r"(SELECT b.seq FROM memories b WHERE (b.namespace, b.seq) > (\1, \2) "
    r"AND b.namespace <= \1 ORDER BY b.namespace, b.seq LIMIT 1)",
    r"ON CONFLICT \(": "ON CONFLICT (tenant, ",  # each constraint holds within one store
    r"/\*claim\*/": "FOR UPDATE SKIP LOCKED",
    # OFFSET keeps the planner, which takes a JSON array for a long one, from reading all rows of a store instead.
    r"/\*each\*/ JOIN (\w+) (\w+) ON \2\.(\w+) = ([\w.]+)": r"CROSS JOIN LATERAL "
    r"(SELECT * FROM \1 WHERE \3 = \4 OFFSET 0) \2",
    r"/\*alone\*/": "OFFSET 0",
    r"/\*few\*/ IN \((SELECT value FROM json_texts\(\?\))\)": r"= ANY (ARRAY(\1))",
}
_PARTS = re.compile(
    r"'(?:[^']|'')*'|/\*[^*]*\*/|::|(?P<tag>tag_of\(\?\))|\?(?P<place>\d*)|:(?P<name>[a-z]\w*)", re.DOTALL
)
_WRITES = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) \w+")
_OF_TEXTS = re.compile(r"\b(?:INSERT INTO|UPDATE) memories\b")
_TOPICS = {"INSERT INTO audit": HintTopic.EVENTS, "INSERT INTO queue": HintTopic.TASKS}


@dataclass(frozen=True)
class Statement:
    """A statement with numbered placeholders.

    `names` are those of its values in order, or None where they come in order; `tags` the places of tags, which
    are put into the form in which they are compared; `writes` tells whether it may change anything, `writes_texts`
    whether a memory's words, `topics` which hints it gives.
    """

    sql: str
    names: Sequence[str] | None
    tags: frozenset[int]
    writes: bool
    writes_texts: bool
    topics: frozenset[HintTopic]

    def values(self, parameters: Parameters) -> list[Any]:
        """Return the values of the placeholders, in order."""
        if isinstance(parameters, Mapping):
            return [parameters[name] for name in self.names or ()]
        if not self.tags:
            return list(parameters)
        return [key_form(value) if place in self.tags else value for place, value in enumerate(parameters)]


def spelled(sql: str) -> Statement:
    """Return a portable statement in PostgreSQL's words."""
    for portable, own in _PATTERNS.items():
        sql = re.sub(portable, own, sql)
    names: list[str] = []
    tags: set[int] = set()
    count = iter(range(10_000))
    written = _PARTS.sub(lambda found: _placeholder(found, names, tags, count), sql)
    writes = {found[0] for found in _WRITES.finditer(sql)}
    topics = frozenset(_TOPICS[one] for one in writes & _TOPICS.keys())
    return Statement(written, names or None, frozenset(tags), bool(writes), bool(_OF_TEXTS.search(sql)), topics)


def _placeholder(found: re.Match[str], names: list[str], tags: set[int], count: Iterator[int]) -> str:
    if found["name"]:
        if found["name"] not in names:
            names.append(found["name"])
        return f"${names.index(found['name']) + 1}"
    if found["tag"]:
        tags.add(place := next(count))
        return f"${place + 1}"
    if found["place"] is None:
        return found[0]
    return f"${found['place']}" if found["place"] else f"${next(count) + 1}"


Spelling = Callable[[str], Statement]
