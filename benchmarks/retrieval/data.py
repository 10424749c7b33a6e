"""Data sets: stores of dated items, and questions that name the items that answer them."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..usage import UsageError

BUILT_IN = {
    name: Path(__file__).with_name(f"{name}.json")
    for name in ("notes", "developer", "everyday", "messages", "languages", "scripts")
}
"""Data sets that come with the benchmark, by name."""
NOISY = "noisy"


class DataError(UsageError):
    """The data cannot be read as a retrieval data set; the message names the place."""


@dataclass(frozen=True)
class Item:
    """One item to remember: a turn, a note. `occurred_at` is ISO 8601, or None."""

    id: str
    session: str | None
    occurred_at: str | None
    content: str


@dataclass(frozen=True)
class Question:
    """A question, the ids of the items that answer it, and of the sessions that do (if empty, those of the items)."""

    text: str
    category: str
    evidence: tuple[str, ...]
    sessions: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether anything in the store answers it; unanswerable questions count in no recall."""
        return bool(self.evidence or self.sessions)


@dataclass(frozen=True)
class Store:
    """One conversation or one collection of notes, searched together."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]

    @property
    def session_of(self) -> dict[str, str | None]:
        """The session of each item, by id."""
        return {item.id: item.session for item in self.items}


@dataclass(frozen=True)
class DataSet:
    """Stores under one name."""

    name: str
    stores: tuple[Store, ...]

    def only(self, part: "Part") -> "DataSet":
        """Return a part of the data. Raises DataError if a store does not exist, or no question is left."""
        unknown = part.stores - {store.name for store in self.stores}
        if unknown:
            there = ", ".join(store.name for store in self.stores[:20])
            raise DataError(f"{self.name}: there is no store {', '.join(sorted(unknown))}; there are {there}")
        chosen = [store for store in self.stores if not part.stores or store.name in part.stores]
        stores = tuple(replace(store, questions=part.questions_of(store)) for store in chosen[: part.first])
        if not any(store.questions for store in stores):
            raise DataError(f"{self.name}: no question is left to ask")
        return replace(self, stores=stores)


@dataclass(frozen=True)
class Part:
    """A selection: stores by name and number, categories, questions per store; None or empty: all."""

    stores: frozenset[str] = frozenset()
    first: int | None = None
    categories: frozenset[str] = frozenset()
    questions: int | None = None

    def questions_of(self, store: Store) -> tuple[Question, ...]:
        """Return the questions of a store that are in this part."""
        wanted = (q for q in store.questions if not self.categories or q.category in self.categories)
        return tuple(wanted)[: self.questions]


def load(source: str) -> DataSet:
    """Return the data set in a file, or the built-in one of that name. Raises DataError."""
    if source == NOISY:
        from .noise import noisy

        return noisy(load("scripts"))
    path = BUILT_IN.get(source, Path(source))
    if source in BUILT_IN and not path.is_file():
        raise DataError(f"the data {source!r} is in a checkout of AgentOS, not in what is installed from it")
    return from_json(read(path), path.stem)


def read(path: Path) -> Any:
    """Return the JSON in a file. Raises DataError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"the data {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"the data {path} is not JSON: {error}") from error


def from_json(value: Any, name: str) -> DataSet:
    """Return a data set from the form {"name", "stores": [{"name", "items", "questions"}]}. Raises DataError."""
    stores = tuple(_store(store, number) for number, store in enumerate(_list(value, "stores", name)))
    _all_different(f"{name}: stores", [store.name for store in stores])
    return DataSet(str(value.get("name") or name), stores)


def _store(value: Any, number: int) -> Store:
    name = _text(value, "name", f"store {number}")
    items = tuple(
        Item(
            id=_text(item, "id", f"{name}, item {place}"),
            session=item.get("session"),
            occurred_at=item.get("occurred_at"),
            content=_text(item, "content", f"{name}, item {place}"),
        )
        for place, item in enumerate(_list(value, "items", name))
    )
    _all_different(f"{name}: items", [item.id for item in items])
    known = {item.id for item in items}
    questions = []
    for place, question in enumerate(_list(value, "questions", name)):
        where = f"{name}, question {place}"
        evidence = tuple(dict.fromkeys(map(str, _list(question, "evidence", where))))
        if missing := set(evidence) - known:
            raise DataError(f"{where}: its evidence {', '.join(sorted(missing))} is no item of the store")
        questions.append(Question(_text(question, "text", where), str(question.get("category", "")), evidence))
    return Store(name, items, tuple(questions))


def _text(value: Any, field: str, where: str) -> str:
    text = value.get(field) if isinstance(value, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: {field!r} must be text")
    return text


def _list(value: Any, field: str, where: str) -> list[Any]:
    found = value.get(field) if isinstance(value, Mapping) else None
    if not isinstance(found, list):
        raise DataError(f"{where}: {field!r} must be a list")
    return found


def _all_different(what: str, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{what} must have different names: {', '.join(twice[:5])}")
