"""LangGraph: a store whose items are memories. Needs the extra `langgraph`."""

import asyncio
import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.base.embed import get_text_at_path

from .client import Client

PAGE = 100
MOST_LABELS = 40
"""The deepest namespace: each of its beginnings is a tag."""
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class AgentOSStore(BaseStore):
    """A store of LangGraph in a namespace of AgentOS; searches with a query go by meaning and by words.

    Items of `collection` are apart from other memories by their tags, and agents find them as they find any memory. A
    value has at most 16 KiB of JSON; secrets in it are taken out; what nobody reads for months goes into the archive.
    """

    supports_ttl = False

    def __init__(self, client: Client, *, collection: str = "langgraph") -> None:
        self._client = client
        self._collection = collection

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations: what is read is what was there before; of two puts under a key the last counts.

        Raises AgentOSError, ValueError.
        """
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            elif isinstance(op, GetOp):
                found = self._find(op.namespace, op.key)
                results.append(None if found is None else Item(**_members(found)))
            elif isinstance(op, SearchOp):
                results.append(list(islice(self._search(op), op.offset, op.offset + op.limit)))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            else:
                raise ValueError(f"unknown operation {op!r}")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, in a thread. Raises AgentOSError, ValueError."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _find(self, namespace: tuple[str, ...], key: str) -> Any:
        found = self._client.memories.list(tags=[self._tag("item", [*namespace, key])], limit=1)["results"]
        return found[0] if found else None

    def _put(self, op: PutOp) -> None:
        found = self._find(op.namespace, op.key)
        if op.value is None:
            if found is not None:
                self._client.memories.delete(found["id"], mode="erase")
            return
        if len(op.namespace) > MOST_LABELS:
            raise ValueError(f"namespace: has {len(op.namespace)} labels, at most {MOST_LABELS} are kept")
        item = {"namespace": list(op.namespace), "key": op.key, "value": op.value, "searched": op.index is not False}
        content = "\n".join((f"{'/'.join(op.namespace)} {op.key}", *_texts(op)))
        if found is not None:
            self._client.memories.update(found["id"], content=content, metadata={"item": item})
            return
        tags = [self._tag("item", [*op.namespace, op.key])]
        tags += [self._tag("in", op.namespace[:length]) for length in range(len(op.namespace) + 1)]
        self._client.memories.store(content, tags=tags, metadata={"item": item}, memory_type="semantic")

    def _search(self, op: SearchOp) -> Iterator[SearchItem]:
        tags = [self._tag("in", op.namespace_prefix)]
        limit = min(PAGE, op.offset + op.limit)
        found: Iterable[Any] = (
            self._client.search_all(op.query, tags=tags, limit=limit, include_superseded=True)
            if op.query
            else self._client.memories.list_all(tags=tags, limit=PAGE if op.filter else limit)
        )
        for one in found:
            item = one["metadata"]["item"]
            is_searched = item["searched"] or not op.query
            if is_searched and all(_matches(item["value"].get(name), how) for name, how in (op.filter or {}).items()):
                yield SearchItem(**_members(one), score=one.get("score"))

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        memories = self._client.memories.list_all(tags=[self._tag("in", ())], limit=PAGE)
        names = {tuple((one["metadata"] or {})["item"]["namespace"]) for one in memories}
        matching = {name for name in names if all(_fits(name, condition) for condition in op.match_conditions or ())}
        cut = {name[: op.max_depth] for name in matching}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _tag(self, kind: str, parts: Sequence[str]) -> str:
        digest = hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]
        return f"{self._collection}:{kind}:{digest}"


def _members(memory: Any) -> dict[str, Any]:
    item = memory["metadata"]["item"]
    return {
        "namespace": tuple(item["namespace"]),
        "key": item["key"],
        "value": item["value"],
        "created_at": datetime.fromisoformat(memory["created_at"]),
        "updated_at": datetime.fromisoformat(memory["updated_at"]),
    }


def _texts(op: PutOp) -> Iterator[str]:
    """Yield what a search reads of a value: its fields, or what stands at the paths of `index`."""
    if op.index is False or op.value is None:
        return
    if op.index is None:
        for name, value in op.value.items():
            yield f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        return
    for path in op.index:
        yield from get_text_at_path(op.value, path)


def _matches(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(value, Mapping) and all(_matches(value.get(name), one) for name, one in wanted.items())
    if unknown := wanted.keys() - _OPERATORS.keys():
        raise ValueError(f"filter: {', '.join(sorted(unknown))} is none of {', '.join(_OPERATORS)}")
    try:
        return all(_OPERATORS[name](value, one) for name, one in wanted.items())
    except TypeError:  # None, or a text beside a number
        return False


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    compared = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(compared, path, strict=True))
