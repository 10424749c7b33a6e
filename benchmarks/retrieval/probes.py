"""Probes of recall: the one note with a rare word, messages beside the matter, near misses; in this process.

    python -m benchmarks.retrieval.probes                        # development halves
    python -m benchmarks.retrieval.probes --half final           # the halves that no rule was tried on
    python -m benchmarks.retrieval.probes --only messages,near

A rare word is asked bare, in a sentence, one letter wrong, and inflected, in stores of one language, or of all eight.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import MemoryFilter, SearchResult
from agentos.modules.store_request import StoreRequest

from ..figures import Bar, Figure
from ..progress import say
from . import notes, precision

HERE = Path(__file__).parent
HALVES = {"dev": ("near", "train", "validation"), "final": ("near", "precision")}
SIZES, MIXED, NAMED = (50, 500), 5_000, 24
BARS = {"bare": 98.0, "sentence": 97.0}
SYLLABLES = {
    "ru": ("дро вен лу тиш кар мо зел бри нос вак", ""),
    "ja": ("ザ ヌ ペ ギョ ムラ ゾ ヴィ テュ ホン ケル", ""),
    "zh": ("骞 岑 霁 澜 珩 鹭 璟 笙 筠 瀚 翎 彧", ""),
}
LATIN = ("dro ven lu quin tar mo zel bri nax vok fen tul gar sib", "dix vel mor nat sen")
CHATTER = (
    "The lift stood still again this morning and I walked up with two crates.",
    "Half of the office sang for somebody's leaving and the cake was gone by noon.",
    "My train was late, so please bear with me if I am slow today.",
    "It rains so hard here that the windows whistle and nobody wants to go out for lunch.",
)
LENGTHS = (0, 1, 2, 4)
PLACES = ("first", "middle", "last")


def words(language: str, chance: random.Random) -> str:
    """Return a made-up word in a language's script."""
    syllables, endings = (each.split() for each in SYLLABLES.get(language, LATIN))
    count = 4 if language == "ja" else 3
    made = "".join(chance.sample(syllables, count - bool(endings))) + (chance.choice(endings) if endings else "")
    return made if language in ("ja", "zh") else made.capitalize()


def one_letter_wrong(word: str) -> str:
    """Return a word with the letters in its middle swapped; a short one with its last letter left out."""
    at = len(word) // 2
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if len(word) > 4 else word[:-1]


def languages() -> dict[str, Any]:
    """Return the words of the notes, by language."""
    return tomllib.loads((HERE / "rare_words.toml").read_text(encoding="utf-8"))


def rare(language: str, half: str, size: int, named: int) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Return ordinary notes, and `named` ones with a made-up word each: note, word, and the question that names it."""
    of, chance = languages()[language], random.Random(f"{language} {half} {size}")
    said = of[half]
    pairs = [(note, thing) for note, _ in said for thing in of["things"]]
    ordinary = [
        note.replace("{}", thing).replace("#", str(2 + number))
        for number, (note, thing) in enumerate(chance.choice(pairs) for _ in range(size))
    ]
    with_word, known = [], set[str]()
    while len(with_word) < named:
        word = words(language, chance)
        if word not in known:
            known.add(word)
            note, question = said[len(with_word) % len(said)]
            with_word.append(
                (note.replace("{}", word).replace("#", str(chance.randint(2, 99))), word, question.replace("{}", word))
            )
    return ordinary, with_word


def asked_as(language: str, word: str, question: str) -> Iterator[tuple[str, str]]:
    """Yield the ways in which a word is asked for, each a name and the query."""
    yield "bare", word
    yield "sentence", question
    yield "misspelt", question.replace(word, one_letter_wrong(word))
    yield "inflected", question.replace(word, languages()[language]["form"].replace("{}", word))


def message(question: str, sentences: int, place: str, asks: bool) -> str:
    """Return a question among so many sentences of chatter, without its mark where it does not ask."""
    asking = question[:1].upper() + question[1:].rstrip("?") + ("?" if asks else ".")
    chatter = list(CHATTER[:sentences])
    at = {"first": 0, "middle": len(chatter) // 2, "last": len(chatter)}[place]
    return " ".join([*chatter[:at], asking, *chatter[at:]])


@asynccontextmanager
async def opened(folder: Path, **settings: object) -> AsyncIterator[AgentOS]:
    """Open the services with the models over an empty home."""
    from agentos.modules.clock import system_clock

    loaded = config.load(home=folder, embedding_wait_s=60, reranker_wait_s=60, **settings)
    store = await database.open_store(loaded, system_clock)
    embedder, reranker = database.open_embedder(loaded), database.open_reranker(loaded)
    agentos = AgentOS.over(store, embedder, loaded, system_clock, reranker)
    try:
        assert await agentos.embedding.ready(120)
        yield agentos
    finally:
        await agentos.close()
        await store.close()


async def fill(agentos: AgentOS, namespace: str, texts: Sequence[str]) -> dict[str, str]:
    """Store texts and wait for their vectors; return their ids by text."""
    ids = {text: (await agentos.memory.store(namespace, StoreRequest(text))).memory.id for text in dict.fromkeys(texts)}
    while not await agentos.embedding.caught_up(60):
        pass
    return ids


async def find(agentos: AgentOS, namespace: str, query: str, limit: int = 5) -> SearchResult:
    """Search as the tool does."""
    return await agentos.memory.search(namespace, query, MemoryFilter(), limit)


Shares = dict[str, list[bool]]


def figures(shares: Mapping[str, Sequence[bool]], bar: Callable[[str], Bar | None] = lambda name: None) -> list[Figure]:
    """Return the share of hits of each name, in percent."""
    return [
        Figure(f"{name} ({len(met)})", 100 * sum(met) / len(met), "%", bar=bar(name)) for name, met in shares.items()
    ]


async def rare_words(agentos: AgentOS, half: str, sizes: Sequence[int], mixed: int, named: int) -> list[Figure]:
    """Measure how often the only note with a word is first."""
    shares: Shares = defaultdict(list)
    missed = []

    async def ask(namespace: str, size: int, language: str, with_word: Sequence[tuple[str, str, str]]) -> None:
        for note, word, question in with_word:
            for way, query in asked_as(language, word, question):
                hits = (await find(agentos, namespace, query)).hits
                met = bool(hits) and hits[0].memory.content == note
                shares[f"{way}, {size} notes"].append(met)
                shares[f"{way}, {language}"].append(met)
                if not met:
                    missed.append((namespace, way, query, note, [hit.memory.content for hit in hits[:1]]))

    everything = {language: rare(language, half, mixed // len(languages()), named) for language in languages()}
    for size in sizes:
        for language in languages():
            ordinary, with_word = rare(language, half, size - named, named)
            await fill(agentos, f"{language}-{size}", [*ordinary, *(note for note, _, _ in with_word)])
            await ask(f"{language}-{size}", size, language, with_word)
    if mixed:
        texts = [text for ordinary, named_ in everything.values() for text in (*ordinary, *(n for n, _, _ in named_))]
        await fill(agentos, "mixed", texts)
        for language, (_, with_word) in everything.items():
            await ask("mixed", mixed, language, with_word)
    for one in missed[:: max(1, len(missed) // 40)]:
        say(f"missed {one}")
    ordered = dict(sorted(shares.items()))
    return figures(ordered, lambda name: Bar(at_least=BARS[way]) if (way := name.split(",")[0]) in BARS else None)


def answers(half: str) -> list[precision.Notes]:
    """Return the notes with questions of a half."""
    folder = HERE if half == "final" else HERE.parents[1] / "training" / "answers"
    return [one for name in HALVES[half] for one in precision.stores(folder / f"{name}.json")]


async def messages_and_misses(agentos: AgentOS, half: str) -> list[Figure]:
    """Measure messages beside the matter and to it, of the same lengths, and near misses beside answered questions."""
    shares: Shares = defaultdict(list)
    for notes_of in answers(half):
        ids = await fill(agentos, notes_of.name, [text for _, text in notes_of.items])
        by_name = {name: ids[text] for name, text in notes_of.items}
        for number, question in enumerate(notes_of.questions):
            right = {by_name[name] for name in question.answers}
            if question.kind in ("off", "one"):
                for sentences in LENGTHS:
                    place, asks = PLACES[number % 3], number % 2 == 0
                    query = message(question.text, sentences, place, asks)
                    found = await find(agentos, notes_of.name, query)
                    hits = {hit.memory.id for hit in found.hits}
                    kind = "off topic, nothing" if question.kind == "off" else "on topic, found"
                    met = not hits if question.kind == "off" else bool(hits & right)
                    shares[f"{kind}: {sentences} sentences more"].append(met)
                    shares[f"{kind}: {'with' if asks else 'without'} mark"].append(met)
                    if not met and question.kind == "off":
                        say(f"answered, off topic: {query}")
            found = await find(agentos, notes_of.name, question.text)
            if question.kind == "near":
                shares["near miss, nothing or nearest"].append(not found.hits)
                if found.hits:
                    say(f"answered, near miss: {question.text} → {found.hits[0].memory.content}")
            elif right:
                shares["answered, any found"].append(bool(right & {hit.memory.id for hit in found.hits}))
                shares["answered, first"].append(bool(found.hits) and found.hits[0].memory.id in right)
    return figures(dict(sorted(shares.items())))


async def other_words(agentos: AgentOS) -> list[Figure]:
    """Measure notes asked in other words: how often the right one is first, and among three."""
    store = notes.load()["stores"][0]
    ids = await fill(agentos, "notes", [item["content"] for item in store["items"]])
    by_name = {item["id"]: ids[item["content"]] for item in store["items"]}
    shares: Shares = defaultdict(list)
    for question in store["questions"]:
        right = {by_name[name] for name in question["evidence"]}
        hits = [hit.memory.id for hit in (await find(agentos, "notes", question["text"])).hits]
        shares[f"{question['category']}: first"].append(bool(right & set(hits[:1])))
        shares[f"{question['category']}: in three"].append(bool(right & set(hits[:3])))
    return figures(shares)


async def measure(options: argparse.Namespace, folder: Path) -> list[Figure]:
    """Measure what was chosen."""
    only, found = options.only.split(","), []
    async with opened(folder) as agentos:
        if "words" in only:
            sizes = [int(size) for size in options.sizes.split(",") if size]
            found += await rare_words(agentos, options.half, sizes, options.mixed, options.named)
        if "messages" in only:
            found += await messages_and_misses(agentos, options.half)
        if "other" in only:
            found += await other_words(agentos)
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="dev")
    parser.add_argument("--only", default="words,messages,other")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--mixed", type=int, default=MIXED)
    parser.add_argument("--named", type=int, default=NAMED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentos-probes-") as folder:
        for figure in asyncio.run(measure(options, Path(folder) / "home")):
            say(f"{figure.name:60} {figure.value:6.1f}")


if __name__ == "__main__":
    main()
