"""Answers of a language model: what no memory bears is dropped."""

import re

from ...modules.framing import quote
from ...modules.memory.models import Memory
from ...modules.stop_words import STOP_WORDS
from ...modules.suspicion import is_suspicious
from ...modules.text.negation import denials
from .models import AskEvidence, AskOutcome, Reply, Sentence
from .reading import borne_by, has
from .rules import doubt

INSTRUCTION = (
    "Answer the question from the notes alone, in at most 5 short sentences, one a line. End each with the ids of the "
    "notes that say it, in brackets: [id]. Say what holds now first. If the notes do not answer it, write UNKNOWN."
)
MAX_TOKENS, MOST, NOTES, NOTE_CHARS = 300, 5, 10, 500
LEAST = 0.8
"""The share of a sentence's words that its notes, or the question, must have."""
_NOT_FIRST = re.compile(r"(?<=\s)[^\w\s]?([^\W\d_]\w*)")
_CITED = re.compile(r"\[([^\[\]\n]{1,200})\]")


def notes(evidence: AskEvidence) -> str:
    """Return the evidence as a model reads it."""
    return "\n".join(
        f"[{hit.memory.id}] {hit.memory.occurred_at:%Y-%m-%d}"
        + (" (no longer holds)" if _holds_no_more(hit.memory, evidence) else "")
        + f"{doubt(hit.memory)}: {hit.memory.content[:NOTE_CHARS]}"
        for hit in evidence.hits[:NOTES]
    )


def checked(written: str, question: str, evidence: AskEvidence) -> Reply:
    """Return the sentences of a model's answer that the memories they name bear."""
    texts = {hit.memory.id: hit.memory.content[:NOTE_CHARS] for hit in evidence.hits[:NOTES]}
    gone = {hit.memory.id for hit in evidence.hits if _holds_no_more(hit.memory, evidence)}
    doubts = {hit.memory.id: doubt(hit.memory) for hit in evidence.hits}
    said = []
    for line in written.splitlines()[: 2 * MOST]:
        cited = [one.strip() for group in _CITED.findall(line) for one in group.split(",")]
        text = _CITED.sub("", line).strip(" -*")
        if not text or not cited or not set(cited) <= texts.keys() or is_suspicious(text):
            continue
        if _is_borne(text, question, [texts[one] for one in cited]):
            was = "no longer holds: " if set(cited) <= gone else ""
            but = doubts[cited[0]] if all(doubts[one] for one in cited) else ""
            said.append(Sentence(f"{was}{quote(text)}{but}", tuple(dict.fromkeys(cited))))
    return Reply(AskOutcome.ANSWERED, tuple(said[:MOST])) if said else Reply(AskOutcome.UNKNOWN)


def _holds_no_more(memory: Memory, evidence: AskEvidence) -> bool:
    return memory.has_ended(evidence.now) or memory.id in evidence.successors


def _is_borne(text: str, question: str, cited: list[str]) -> bool:
    """Return whether notes have every figure and name of a sentence, and most of its words.

    A name may be of the question too, as any word may.
    """
    written, _ = borne_by(text)
    there, stems = borne_by("\n".join(cited))
    if any(word[0].isdigit() and word not in there for word in written):
        return False
    denied = [denials(one) > 0 for one in cited]
    if (denials(text) > 0 and not any(denied)) or (not denials(text) and all(denied)):
        return False
    stems |= borne_by(question)[1]
    capital = [word for word in _NOT_FIRST.findall(text) if word[0].isupper() and word.lower() not in STOP_WORDS]
    names = borne_by(" ".join(capital))[1]
    if not all(has(stems, one) for one in names):
        return False
    wanted = borne_by(" ".join(written))[1]
    return sum(has(stems, one) for one in wanted) >= LEAST * len(wanted)
