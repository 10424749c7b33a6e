"""LongMemEval's public files as a data set: a haystack per question, under neutral names."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .data import DataError, DataSet, Item, Question, Store, read

ABSTENTION = "_abs"
"""Suffix of the id of a question that the haystack does not answer: it counts in no recall."""

_DATES = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")


@dataclass(frozen=True)
class _Session:
    """A session of a haystack; turns are (text with its role, whether it answers the question)."""

    answers: bool
    date: str | None
    turns: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class _Asked:
    """One entry of the file."""

    category: str
    text: str
    is_answerable: bool
    sessions: tuple[_Session, ...]


def load(path: Path) -> DataSet:
    """Read longmemeval_s, _m or _oracle. Raises DataError."""
    return from_json(read(path), path.stem)


def from_json(value: Any, name: str) -> DataSet:
    """Return the entries of a file as stores of turns, one store per question. Raises DataError.

    The file's session ids reveal which of them hold the answer (`answer_…`), so systems get numbers instead; the store
    is named by its place in the file for the same reason.
    """
    if not isinstance(value, list):
        raise DataError(f"{name}: LongMemEval's files are a list of questions")
    return DataSet(name, tuple(_store(_asked(entry, place), place) for place, entry in enumerate(value)))


def _asked(entry: Any, place: int) -> _Asked:
    try:
        ids, dates, sessions = (entry[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
        answers = set(entry["answer_session_ids"])
        return _Asked(
            category=entry["question_type"],
            text=entry["question"],
            is_answerable=not entry["question_id"].endswith(ABSTENTION),
            sessions=tuple(
                _Session(
                    answers=id_ in answers,
                    date=_moment(date),
                    turns=tuple(
                        (f"{turn['role']}: {turn['content']}", bool(turn.get("has_answer")))
                        for turn in turns
                        if turn["content"].strip()
                    ),
                )
                for id_, date, turns in zip(ids, dates, sessions, strict=True)
            ),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"question {place}: not of LongMemEval's form: {type(error).__name__}: {error}") from error


def _store(asked: _Asked, place: int) -> Store:
    items: list[Item] = []
    evidence: list[str] = []
    answering: list[str] = []
    for number, session in enumerate(asked.sessions, start=1):
        opaque = f"session-{number}"
        if session.answers:
            answering.append(opaque)
        for text, answers in session.turns:
            item = Item(f"turn-{len(items) + 1}", opaque, session.date, text)
            items.append(item)
            if answers and session.answers:
                evidence.append(item.id)
    question = Question(asked.text, asked.category, tuple(evidence), tuple(answering))
    if not asked.is_answerable:
        question = Question(asked.text, asked.category, ())
    return Store(f"question-{place}", tuple(items), (question,))


def _moment(text: str) -> str | None:
    """Return a date such as `2023/05/20 (Sat) 02:21` as ISO 8601; None for other formats."""
    for form in _DATES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).isoformat()
        except ValueError:
            continue
    return None
