"""What the judge of updates makes of the newest memories, by their languages: a model, words alone, or no judgement."""

from collections import Counter

from ...modules.health.models import Check, Finding, info, ok
from ...modules.memory.supersession_chance import can_compare, judges
from ...modules.text.counting import memories_counted
from ...modules.text.scripts import BEGINNING, CHINESE, JAPANESE, LATIN, script_of
from .overview import Reader

NEWEST = 300
NAMES = {LATIN: "others in Latin script", CHINESE: "Chinese", JAPANESE: "Japanese", "HANGUL": "Korean"}
"""Scripts by the names of their languages; the others go by their own."""


def checks(reader: Reader, needs: tuple[str, ...]) -> list[Check]:
    """Return the one check, which needs others."""
    return [Check("rows.languages", lambda: look_at_languages(reader), needs)]


def look_at_languages(reader: Reader) -> Finding:
    """Tell in which languages of the newest memories updates are noticed by the model, by words, or not at all."""
    rows = reader.rows(f"SELECT substr(content, 1, {BEGINNING}) FROM memories ORDER BY seq DESC LIMIT {NEWEST}")
    texts = [text for (text,) in rows if any(map(str.isalpha, text))]
    by_model = sum(map(judges, texts))
    others = [text for text in texts if not judges(text)]
    by_words = Counter(_name(text) for text in others if can_compare(text))
    unjudged = Counter(_name(text) for text in others if not can_compare(text))
    told = [f"{by_model} by the model (what reads as English)"] if by_model else []
    if by_words:
        told.append(f"{by_words.total()} by words alone ({_listed(by_words)})")
    if unjudged:
        told.append(f"{unjudged.total()} not at all ({_listed(unjudged)})")
    if not told:
        return ok("updates are noticed by a model in English, by words in most other languages")
    message = f"updates of the newest {memories_counted(len(texts))} are noticed: {', '.join(told)}"
    details = {"by_model": by_model, "by_words": dict(by_words), "unjudged": dict(unjudged)}
    return info(message, **details) if unjudged else ok(message, **details)


def _name(text: str) -> str:
    script = script_of(text)
    return NAMES.get(script, script.title())


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common(5))
