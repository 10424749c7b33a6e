"""Relations between thoughts in a text, by rules: what blocks, causes, requires or solves what, with node types."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from . import cues
from .forms import FindTerms
from .keys import key
from .models import RULE_WEIGHT, EdgeType, EntityType, Named, NodeType, Relationship, StatedRelation, Text, Understood
from .names import NameSpan
from .understanding import MAX_ENTITIES, named_sentences, understand

MAX_CHARS = 2_000
MAX_PHRASE_WORDS = 7
DEFAULT_WEIGHT = 0.3
"""Weight of a relationship that no words express."""

_TYPES = (
    (
        NodeType.PROBLEM,
        r"bugs?|errors?|issues?|failures?|problems?|outages?|crash(?:es)?|leaks?|regressions?|timeouts?|deadlocks?|incidents?"
        r"|bottlenecks?|vulnerabilit(?:y|ies)|risks?|delays?|shortage|lack|missing|broken|slow|latency|downtime|conflicts?",
    ),
    (
        NodeType.SKILL,
        r"skills?|knowledge|expertise|experience|know-how|proficiency|fluency|programming|ability|understanding",
    ),
    (NodeType.GOAL, r"goals?|objectives?|launch|release|milestones?|targets?|mission|vision|okrs?|ship|shipping"),
    (
        NodeType.TASK,
        r"tasks?|todo|tickets?|migrations?|migrate|refactor\w*|implement\w*|deploy(?:ment|ing)?|rewrite|upgrade|fix(?:es|ing)?|review"
        r"|testing|setup|cleanup|rollout|building|writing|adding|updating|installing",
    ),
    (NodeType.EPISODE, r"meetings?|retro(?:spective)?|post-?mortem|workshop|interview|call|session|sprint|conference"),
)
_WORK = re.compile(
    r"(?:fix|migrat|refactor|implement|deploy|writ|rewrit|upgrad|review|test|build|add|updat|install|remov|clean|mov|creat"
    r"|set)(?:t?ing|e)? (?=\w)",
    re.IGNORECASE,
)
_LEARNED = re.compile(r"\blearn(?:ed|t|s)? (?P<what>[^.;,]{2,60}?) (?P<from>from )(?P<source>.+)", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:and|but|so|because|since|although|while|when|if|then|also|however|that|which|therefore|thus|first|next|finally|now"
    r"|today|we|i|it|they|you|the|a|an|our|my|this|that|these|those|its|their|your|some|all|to|is|are|was|by)\b[, ]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<!\s)\s*+(?:[,;(:–—]|\b(?:because|so that|so|but|which|that|when|while|if|and|or|since|until|before|after"
    r"|although|in order)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = re.compile(
    r"^.*(?:[,;)]|\b(?:because|so|but|when|while|if|and|since|although|that)\b)\s*", re.IGNORECASE | re.DOTALL
)


def extract(text: str, context: str, occurred_at: datetime, find_terms: FindTerms) -> Understood:
    """Return the nodes and edges of a text: the entities it names and the relations it states.

    `context` is not used: nothing is taken from it.
    """
    content = text[:MAX_CHARS]
    basis = understand(Text(0, "", 1, content, occurred_at), find_terms)
    stated = [*_thoughts(content), *basis.relations]
    nodes: dict[str, Named] = {}
    for each in (*(end for one in stated for end in (one.subject, one.object)), *basis.entities):
        nodes.setdefault(key(each.label), each)
    by_key = dict(list(nodes.items())[:MAX_ENTITIES])
    relations = {
        (key(each.subject.label), each.type, key(each.object.label)): each
        for each in reversed(stated)
        if key(each.subject.label) in by_key and key(each.object.label) in by_key
    }
    return Understood(
        tuple(by_key.values()),
        tuple(
            StatedRelation(by_key[one], type_, by_key[other], each.weight, each.since, each.until, each.holds)
            for (one, type_, other), each in relations.items()
        ),
    )


def relationship(one: str, other: str, context: str) -> Relationship:
    """Return how two things are related, by the words between them in a context, or by their node types."""
    for first, second, backwards in ((one, other, False), (other, one, True)):
        pattern = rf"(?<!\w){re.escape(first)}(?!\w)(?P<between>[^.!?\n]{{1,80}}?)(?<!\w){re.escape(second)}(?!\w)"
        for match in re.finditer(pattern, context, re.IGNORECASE):
            words = match["between"]
            found = cues.between(words)
            if found is None and (cue := cues.first_cue(f" {words} ")) is not None:
                found = cue[0], cue[1]
            if found is not None and found[0] in set(EdgeType):
                return Relationship(found[0], RULE_WEIGHT, match.group().strip(), found[1] != backwards)
    if node_type(one) is NodeType.PROBLEM and node_type(other) in (NodeType.GOAL, NodeType.TASK):
        return Relationship(EdgeType.BLOCKS, DEFAULT_WEIGHT, "a problem next to a goal, with no other evidence")
    if node_type(one) in (NodeType.GOAL, NodeType.TASK) and node_type(other) is NodeType.SKILL:
        return Relationship(EdgeType.REQUIRES, DEFAULT_WEIGHT, "a skill next to a task, with no other evidence")
    return Relationship(EdgeType.RELATES_TO, DEFAULT_WEIGHT, "no words tell more")


def node_type(label: str) -> NodeType:
    """Return the node type of a phrase by its words; "fixing the login bug" is a task, not a problem."""
    if _WORK.match(label):
        return NodeType.TASK
    for type_, words in _TYPES:
        if re.search(rf"\b(?:{words})\b", label, re.IGNORECASE):
            return type_
    return NodeType.CONCEPT


def _thoughts(content: str) -> Iterator[StatedRelation]:
    for sentence, named in named_sentences(content):
        found = cues.first_cue(sentence)
        if (learned := _LEARNED.search(sentence)) is not None:
            one = _thing(learned["what"], named, learned.start("what"), before=False)
            other = _thing(learned["source"], named, learned.start("source"), before=False)
            if one is not None and other is not None:
                yield StatedRelation(one, EdgeType.LEARNED_FROM, other, RULE_WEIGHT)
        elif found is None:
            continue
        else:
            yield from _joined(sentence, named, *found)


def _joined(
    sentence: str, named: Sequence[NameSpan], type_: str, backward: bool, begin: int, end: int
) -> Iterator[StatedRelation]:
    """Yield the relation of a sentence whose characters `begin` to `end` are the cue."""
    one = _thing(sentence[:begin], named, 0, before=True)
    other = _thing(sentence[end:], named, end, before=False)
    if type_ in set(EdgeType) and one is not None and other is not None and key(one.label) != key(other.label):
        yield (
            StatedRelation(other, type_, one, RULE_WEIGHT)
            if backward
            else StatedRelation(one, type_, other, RULE_WEIGHT)
        )


def _thing(words: str, named: Sequence[NameSpan], offset: int, *, before: bool) -> Named | None:
    """Return the thing that words name; a phrase of a name and at most one more word is reduced to that name."""
    phrase = _HEAD.sub("", words) if before else _TAIL.sub("", words)
    phrase = _LEAD.sub("", phrase.strip(" .,;:!?\"'\n")).strip(" .,;:!?\"'")
    if not phrase or len(phrase) > 100 or len(phrase.split()) > MAX_PHRASE_WORDS or not re.search(r"\w\w", phrase):
        return None
    inside = [span for span in named if offset <= span.begin < offset + len(words) and span.label in phrase]
    if (
        len(inside) == 1
        and len(phrase.split()) - len(inside[0].label.split()) <= 1
        and node_type(phrase) is NodeType.CONCEPT
    ):
        return Named(inside[0].label, inside[0].type if isinstance(inside[0].type, EntityType) else NodeType.CONCEPT)
    return Named(phrase, node_type(phrase))
