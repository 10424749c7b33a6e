"""Precision: the share of a search's results that answer; notes, and questions that one, several or none answer.

`precision.json` is only measured; what support is fitted to lies in `training/answers`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

TEST = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Question:
    """A query, and the ids of the notes that answer it: `one`, a `list`, none (`off` topic, or a `near` miss)."""

    kind: str
    text: str
    answers: frozenset[str]


@dataclass(frozen=True)
class Notes:
    """A store of notes, each an id and its text, and the questions to it."""

    name: str
    items: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Answer:
    """The ids that a search returned for a question, best first."""

    question: Question
    ids: Sequence[str]


def stores(path: Path = TEST) -> list[Notes]:
    """The stores of a file."""
    return [
        Notes(
            one["name"],
            tuple((item["id"], item["text"]) for item in one["notes"]),
            tuple(Question(q["kind"], q["text"], frozenset(q["answers"])) for q in one["questions"]),
        )
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]


def table(answers: Sequence[Answer]) -> Iterator[str]:
    """Yield, for each kind of question, precision and recall if it has answers, and how often nothing is returned."""
    for kind in dict.fromkeys(answer.question.kind for answer in answers):
        of_kind = [answer for answer in answers if answer.question.kind == kind]
        empty = fmean(not answer.ids for answer in of_kind)
        hits = fmean(len(answer.ids) for answer in of_kind)
        line = f"{kind:6} {len(of_kind):4} questions, {hits:4.1f} hits, nothing {empty:.3f}"
        if all(answer.question.answers for answer in of_kind):
            right = [(len(answer.question.answers.intersection(answer.ids)), answer) for answer in of_kind]
            precision = fmean(count / max(1, len(answer.ids)) for count, answer in right)
            recall = fmean(count / len(answer.question.answers) for count, answer in right)
            first = fmean(answer.ids[:1] != [] and answer.ids[0] in answer.question.answers for answer in of_kind)
            line += f", precision {precision:.3f}, recall {recall:.3f}, first right {first:.3f}"
        yield line
