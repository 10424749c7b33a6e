"""Reading a memory's entities and relations by rules alone; pure and offline."""

from collections.abc import Iterable, Sequence

from .forms import FindTerms, forms
from .keys import key
from .models import EntityType, Named, StatedRelation, Text, Understood
from .names import SPEAKERS, NameSpan, capitalised, names, sentences
from .stated_relations import relations

MAX_ENTITIES = 15
MAX_CHARS = 5_000
"""Characters of a text that are looked at."""


def understand(text: Text, find_terms: FindTerms) -> Understood:
    """Return the entities of a memory, at most MAX_ENTITIES, and the relations between them.

    Ends of relations come first, then the speaker, then names, then entities recognised by form, each in order.
    """
    content = _without_speaker(text)[:MAX_CHARS]
    spans = named_sentences(content)
    stated = [each for each in relations(text, spans) if key(each.subject.label) != key(each.object.label)]
    found: list[Named] = [end for each in stated for end in (each.subject, each.object)]
    if text.speaker is not None and text.speaker.lower() not in SPEAKERS:
        found.append(Named(text.speaker, EntityType.PERSON))
    found += [Named(span.label, span.type) for _, named in spans for span in named]
    found += forms(content, find_terms)
    entities = _each_once(found)[:MAX_ENTITIES]
    by_key = {key(each.label): each for each in entities}
    return Understood(tuple(entities), tuple(_among(stated, by_key)))


def named_sentences(content: str) -> list[tuple[str, Sequence[NameSpan]]]:
    """Return the sentences of a text, each with the names in it."""
    texts = [sentence for _, sentence in sentences(content)]
    elsewhere = frozenset(word for sentence in texts for word in capitalised(sentence))
    return [(sentence, names(sentence, elsewhere)) for sentence in texts]


def _without_speaker(text: Text) -> str:
    lead = f"{text.speaker}:"
    stripped = text.content.lstrip()
    return stripped[len(lead) :].lstrip() if text.speaker and stripped.startswith(lead) else text.content


def _each_once(found: Iterable[Named]) -> list[Named]:
    """Return each key once, at its first place, with the most specific type."""
    by_key: dict[str, Named] = {}
    for each in found:
        same = key(each.label)
        if not same or len(same) < 2 or "[redacted" in same:
            continue
        known = by_key.get(same)
        if known is None or (known.type is EntityType.NAME and each.type is not EntityType.NAME):
            by_key[same] = Named(known.label if known else each.label, each.type)
    return list(by_key.values())


def _among(stated: Iterable[StatedRelation], by_key: dict[str, Named]) -> Iterable[StatedRelation]:
    seen = set()
    for each in stated:
        one, other = by_key.get(key(each.subject.label)), by_key.get(key(each.object.label))
        if one is None or other is None or (one, each.type, other) in seen:
            continue
        seen.add((one, each.type, other))
        yield StatedRelation(one, each.type, other, each.weight, each.since, each.until, each.holds)
