"""Answers by rules alone: the stretch that answers, or what its memories add up to."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from ...modules.framing import quote
from ...modules.memory.models import Memory, SearchHit, Status
from ...modules.records import dataclass
from ...modules.text.moments import first_day
from ...modules.text.sentences import sentences
from ...modules.views.labels import PROBABLE
from .models import AskEvidence, AskOutcome, QuestionKind, Reply, Sentence
from .reading import ReadQuestion, borne_by, has, is_pair

MOST, CHARS = 8, 300
"""The most sentences of an answer, and characters of a stretch."""
LIKELY, LIKELY_OF_SEVERAL = 0.65, 0.4
"""The least chance that one of the memories answers, where a model has judged it: what only shares words has less. Of
several that are counted or listed none answers alone."""
_ITEM = r"[\w'’-]{2,40}(?: [\w'’-]{2,40}){0,2}"
_LISTED = re.compile(rf"(?P<items>[\w'’-]{{2,40}}(?:, {_ITEM}){{1,12}}),? (?:and|or) {_ITEM}")
_TIMES = re.compile(r"\b(?:often|times)\b", re.I)
_COUNTED = re.compile(r"\bhow many\s+(\w{3,40})", re.I)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred"
SAME = 6
"""The letters with which two forms of what is counted begin alike."""
_SINCE = re.compile(r"\bsince\b", re.I)
_AGAINST = {
    "when": re.compile(r"\d|day\b|days\b|noon|midnight|morning|evening|night|week|month|year", re.I),
    "who": re.compile(r"(?<![.!?]\s)\b[A-Z]|\bI\b|\b(?:team|group)\b"),
    "how much": re.compile(r"\d"),
}
"""What an answer to such a question has."""
UNKNOWN = Reply(AskOutcome.UNKNOWN)


@dataclass(frozen=True)
class Borne:
    """A stretch of a memory, and the share of the question that it bears."""

    hit: SearchHit
    stretch: str
    share: float

    @property
    def memory(self) -> Memory:
        return self.hit.memory


def answer(question: ReadQuestion, evidence: AskEvidence) -> Reply:
    """Return what the evidence says; reading dates takes a moment: call it outside the event loop."""
    if choices := meant(question, evidence):
        return Reply(AskOutcome.WHICH, choices=choices)
    found = borne(question, evidence)
    if not found:
        return UNKNOWN
    projects = {one.memory.project for one in found if one.memory.project}
    if len(projects) > 1 and not any(one.lower() in question.text.lower() for one in projects):
        return Reply(AskOutcome.WHICH, choices=tuple(sorted(projects)))
    said = _BY_KIND[question.kind](question, found, evidence)
    if question.kind in _OF_NOW:
        said = _with_newer(question, said, evidence)
    return Reply(AskOutcome.ANSWERED, tuple(said[:MOST])) if said else UNKNOWN


def meant(question: ReadQuestion, evidence: AskEvidence) -> tuple[str, ...]:
    """Return the people or projects that the question may mean, if it says too little to tell them apart."""
    texts = [hit.memory.content for hit in evidence.hits]
    for name in question.names:
        if not name.isalpha():
            continue
        surname = re.compile(rf"\b({re.escape(name.capitalize())} [A-Z][\w-]{{1,40}})")
        full = {match[1] for text in texts for match in surname.finditer(text)}
        if len(full) > 1 and not any(one.split()[1].lower() in question.names for one in full):
            return tuple(sorted(full))
    if re.search(r"\bthe project\b", question.text, re.I):
        named = re.compile(r"\bproject ([A-Z][\w-]{1,40})", re.I)
        projects = {f"project {match[1]}" for text in texts for match in named.finditer(text) if match[1][0].isupper()}
        return tuple(sorted(projects)) if len(projects) > 1 else ()
    return ()


def borne(question: ReadQuestion, evidence: AskEvidence) -> list[Borne]:
    """Return the stretches that bear the question, those that bear most first, else as they were found."""
    found = [one for hit in evidence.hits if (one := _best(question, hit)) is not None]
    least = LIKELY if question.kind is QuestionKind.STRETCH else LIKELY_OF_SEVERAL
    if max((1.0 if one.hit.support is None else one.hit.support for one in found), default=0.0) < least:
        return []
    return sorted(found, key=lambda one: -one.share)


def _best(question: ReadQuestion, hit: SearchHit) -> Borne | None:
    text = hit.memory.content
    whole, whole_stems = borne_by(text)
    if not question.names <= whole or not all(has(whole_stems, one) for one in question.owned):
        return None
    best: Borne | None = None
    for part in sentences(text):
        written, stems = borne_by(part)
        words = sum(has(stems, one) for one in question.words)
        names = len(question.names & written)
        total = len(question.words) + len(question.names)
        if (question.words and not words) or not total:
            continue
        share = (words + names) / total
        if _suffices(question, words, names) and (best is None or share > best.share) and _fits(question, part):
            best = Borne(hit, part, share)
    return best


def _suffices(question: ReadQuestion, words: int, names: int) -> bool:
    if any(map(is_pair, question.words)):  # which are words by half
        return 3 * words >= 2 * len(question.words)
    if question.kind is QuestionKind.STRETCH:
        return 2 * words >= len(question.words)
    missed = len(question.words) - words
    return missed == 0 or (missed == 1 and words + names >= 2)


def _fits(question: ReadQuestion, stretch: str) -> bool:
    if question.kind is not QuestionKind.STRETCH:
        return True
    asked = question.text.lower().lstrip()
    return all(pattern.search(stretch) for word, pattern in _AGAINST.items() if asked.startswith(word))


def _top(found: Sequence[Borne]) -> list[Borne]:
    """Return those that bear as much as the best."""
    return [one for one in found if one.share == found[0].share]


def _current(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    """Say the stretch that answers now, and what it was."""
    if not question.words:
        return [_said(one, evidence) for one in sorted(found, key=lambda one: _ended(one, evidence))]
    top = _top(found)
    best = next((one for one in top if not _ended(one, evidence)), top[0])
    newer = evidence.hit(evidence.successors.get(best.memory.id))
    said = [_said(one, evidence) for one in ([best] if newer is None else [_whole_or_best(question, newer), best])]
    known = {one for sentence in said for one in sentence.memories}
    earlier = [one for one in found if evidence.successors.get(one.memory.id) in known and one.memory.id not in known]
    return said + [_said(one, evidence) for one in _by_time(earlier)[::-1]]


def _with_newer(question: ReadQuestion, said: Sequence[Sentence], evidence: AskEvidence) -> list[Sentence]:
    """Say what may have replaced something before it, where it answers too or probably has, else after it."""
    told: dict[str, Sentence] = {}
    for sentence in said:
        pairs = [(evidence.hit(one), evidence.newer(one)) for one in sentence.memories]
        newer = {hit.memory.id: (old, hit) for old, hit in pairs if old is not None and hit is not None}
        first = [hit for old, hit in newer.values() if _best(question, hit) or _is_probable(old.memory)]
        last = [hit for _, hit in newer.values() if hit not in first]
        for hit in first:
            told.setdefault(hit.memory.id, _said(_whole_or_best(question, hit), evidence))
        told.setdefault(" ".join(sentence.memories), sentence)
        for hit in last:
            told.setdefault(hit.memory.id, _said(_whole_or_best(question, hit), evidence))
    return list(told.values())


def _whole_or_best(question: ReadQuestion, hit: SearchHit) -> Borne:
    return _best(question, hit) or Borne(hit, hit.memory.content, 1.0)


def _is_probable(memory: Memory) -> bool:
    return memory.may_be_outdated_by is not None and memory.may_be_outdated_by.probability >= PROBABLE


def _count(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    """Say how many there are."""
    of_times = _TIMES.search(question.text) is not None
    if not of_times:
        if (figure := _figure(question, found, evidence)) is not None:
            return [_said(figure, evidence)]
        found = [one for one in found if not _ended(one, evidence)] or found
    top = _by_time(_top(found))
    if len(top) == 1 and (listed := _LISTED.search(top[0].stretch)) and "often" not in question.text.lower():
        number = listed["items"].count(",") + 2
        return [Sentence(f"{number}: {_quoted(top[0])}", (top[0].memory.id,))]
    days = {(one.memory.id, _day(one.memory)) for one in top}
    days |= {(one.memory.id, other.at) for one in top for other in one.hit.also}
    more = "At least " if evidence.has_more else ""
    number, shown = len(days), ", ".join(sorted({f"{day:%Y-%m-%d}" for _, day in days}))
    return [
        Sentence(f"{more}{number}: {shown}.", tuple(dict.fromkeys(one for one, _ in sorted(days)))),
        *(_said(one, evidence) for one in top),
    ]


def _figure(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> Borne | None:
    """Return the stretch that has the number of what is asked for: "40 employees"."""
    counted = _COUNTED.search(question.text)
    if counted is None:
        return None
    number = re.compile(
        rf"\b(?:\d[\d.,]{{0,12}}|{_NUMBERS})\s+(?:[\w-]{{1,30}}\s+)?{re.escape(counted[1][:SAME])}", re.I
    )
    return next((one for one in _top(found) if not _ended(one, evidence) and number.search(one.stretch)), None)


def _last(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    past = _past(found, evidence)
    return _at(past[-1], max(one for one in _occasions(past[-1], found) if one[0] <= evidence.now)) if past else []


def _first(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    first = (_past(found, evidence) or _by_time(_top(found)))[0]
    return _at(first, min(_occasions(first, found)))


def _past(found: Sequence[Borne], evidence: AskEvidence) -> list[Borne]:
    """Return what has happened by now, of those that bear as much as the best, in the order of time."""
    return [one for one in _by_time(_top(found)) if _day(one.memory) <= evidence.now]


def _occasions(one: Borne, found: Sequence[Borne]) -> list[tuple[datetime, str]]:
    """Return when it happened, with the memory of each time: also those that a hit only counts."""
    also = [(other.at, other.id) for each in _top(found) for other in each.hit.also]
    return [(_day(one.memory), one.memory.id), *also]


def _at(one: Borne, occasion: tuple[datetime, str]) -> list[Sentence]:
    """Say a day and what was told of it; of a time that a hit only counts, what was told at another one."""
    day, memory_id = occasion
    if memory_id == one.memory.id:
        return [_dated(one)]
    return [Sentence(f"{_written(day)}.", (memory_id,)), _dated(one)]


def _since(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    """Say since when it holds: as it says itself, else since it was so first."""
    top = [one for one in _top(found) if not _ended(one, evidence)]
    for one in top:
        if _SINCE.search(one.stretch):
            return [_said(one, evidence)]
    return [_dated(_by_time(top)[0], "Since ")] if top else []


def _before(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    """Say what was before: what something else has replaced, by name if one is given."""
    texts = {hit.memory.id: borne_by(hit.memory.content)[0] for hit in evidence.hits}
    ended = [one for one in found if _ended(one, evidence)]
    if question.before:
        ended = [
            one
            for one in ended
            if question.before in texts.get(evidence.successors.get(one.memory.id, ""), ())
            and question.before not in texts[one.memory.id]
        ]
    return [_said(one, evidence) for one in _by_time(ended)[-1:]]


def _change(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    """Say what it was at which time, if it was more than one thing."""
    top = {one.memory.id: one for one in _top(found)}
    linked = set(top) | {evidence.successors.get(one, "") for one in top}
    linked |= {old for old, new in evidence.successors.items() if new in linked}
    steps = _by_time([one for one in found if one.memory.id in linked])
    return [_dated(one) for one in steps] if len(steps) > 1 else []


def _list(question: ReadQuestion, found: Sequence[Borne], evidence: AskEvidence) -> list[Sentence]:
    return [_said(one, evidence) for one in _by_time(_top(found)) if not _ended(one, evidence)]


_BY_KIND = {
    QuestionKind.STRETCH: _current,
    QuestionKind.COUNT: _count,
    QuestionKind.LAST: _last,
    QuestionKind.FIRST: _first,
    QuestionKind.SINCE: _since,
    QuestionKind.BEFORE: _before,
    QuestionKind.CHANGE: _change,
    QuestionKind.LIST: _list,
}


_OF_NOW = (QuestionKind.STRETCH, QuestionKind.SINCE, QuestionKind.LIST)
"""The kinds of question about what holds now."""


def _ended(one: Borne, evidence: AskEvidence) -> bool:
    return one.memory.has_ended(evidence.now) or one.memory.id in evidence.successors


def _by_time(found: Iterable[Borne]) -> list[Borne]:
    return sorted(found, key=lambda one: (_day(one.memory), one.memory.id))


def _day(memory: Memory) -> datetime:
    """Return when it happened: the day that it names, else the one it is of."""
    return first_day(memory.content[:CHARS], memory.occurred_at) or memory.occurred_at


def _said(one: Borne, evidence: AskEvidence) -> Sentence:
    ended = one.memory.valid_to
    was = f"was until {_written(ended)}: " if _ended(one, evidence) and ended is not None else ""
    return Sentence(f"{was}{_quoted(one)}{doubt(one.memory)}", (one.memory.id,))


def doubt(memory: Memory) -> str:
    """Return what is to be known before a memory is believed."""
    if memory.status in (Status.CANDIDATE, Status.CONTESTED):
        return f" ({memory.status.value})"
    if memory.outdated_by is None:
        return ""
    return " (maybe outdated)" if _is_probable(memory) else " (there is a newer one)"


def _dated(one: Borne, before: str = "") -> Sentence:
    return Sentence(f"{before}{_written(_day(one.memory))}: {_quoted(one)}{doubt(one.memory)}", (one.memory.id,))


def _written(day: datetime) -> str:
    return f"{day.day} {day:%B %Y}"


def _quoted(one: Borne) -> str:
    return quote(one.stretch, CHARS)
