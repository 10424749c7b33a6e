"""Task state: five lists of what is known about a task, sorted by rules from what was recalled about it."""

import re
from enum import StrEnum

from ..memory.models import Kind
from .intent import expressions


class Sort(StrEnum):
    """The role of a statement in a task."""

    FACTS = "facts"
    CONSTRAINTS = "constraints"
    ACTIONS = "actions"
    QUESTIONS = "questions"
    EVIDENCE = "evidence"


_CUED = (Sort.QUESTIONS, Sort.CONSTRAINTS, Sort.EVIDENCE, Sort.ACTIONS)
"""The order of the tests: a question about what must be done is a question, a rule about what to run a constraint."""

_OF_KIND = {Kind.PROCEDURE: Sort.ACTIONS, Kind.RULE: Sort.CONSTRAINTS, Kind.OBSERVATION: Sort.EVIDENCE}
"""The sort of a memory by its kind, where its words say nothing else."""

_SENTENCE = re.compile(r"[^\s].*?(?:[.!?][\"'”’)]*(?=\s|$)|(?=\n)|$)", re.DOTALL)
_SPEAKER = re.compile(r"^[^\W\d_][\w .'-]{0,40}: (?=\S)")
LEAST_CHARS = 12


def sort_of(statement: str, kind: Kind = Kind.NOTE) -> Sort:
    """Return what a statement is to a task; a fact where neither cues nor its kind say otherwise."""
    for sort in _CUED:
        if any(cue.search(statement) for cue in expressions("statement", sort)):
            return sort
    return _OF_KIND.get(kind, Sort.FACTS)


def is_decision(statement: str) -> bool:
    """Return whether a statement says that something was settled."""
    return any(cue.search(statement) for cue in expressions("statement", "decisions"))


def is_constraint(statement: str) -> bool:
    """Return whether a statement says what must or must not be, or what limits."""
    return any(cue.search(statement) for cue in expressions("statement", Sort.CONSTRAINTS))


def is_preference(statement: str) -> bool:
    """Return whether a statement says what somebody likes, or cannot stand."""
    return any(cue.search(statement) for cue in expressions("statement", "preferences"))


def without_speaker(text: str) -> str:
    """Return a text without who says it."""
    return _SPEAKER.sub("", text, count=1)


def statements(text: str) -> list[str]:
    """Return the sentences and lines of a text, without who says them or what is too short to state anything."""
    sentences = [match.group().strip() for match in _SENTENCE.finditer(without_speaker(text))]
    return [sentence for sentence in sentences if len(sentence) >= LEAST_CHARS]
