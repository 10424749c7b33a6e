"""Stores of any size, generated fast: varied sentences with fitting vectors, through the package's own storage layer.

Each sentence joins two of some clauses that the real model has embedded; its vector is their mixture with a little
noise, of unit length. So 100,000 memories cost the model only CLAUSES texts, rows and indexes are those of the real
`store`, and only the fsyncs are fewer.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import aiosqlite
import numpy as np
from numpy.typing import NDArray

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.encoder import Encoder
from agentos.storage.embedding.loader import load_encoder
from agentos.storage.embedding.passages import generation_name
from agentos.storage.engine.ports import Parameters, Row, T, Work
from agentos.storage.sqlite import dialect, text_functions
from agentos.storage.sqlite.connection import SqliteConnection
from agentos.storage.sqlite.store import SqliteStore

from .home import models_here

CLAUSES = 1_500
MODEL = "all-MiniLM-L6-v2"
NAMESPACE = "default"
A_TRANSACTION = 5_000
PROJECTS = 10
NAMES = 20_000
SPAN = timedelta(days=90)
TOKENS = 30
"""Approximate tokens of a sentence."""
IN_A_PARAGRAPH = 11
"""The clauses of a paragraph of a turn: some 650 characters, a passage."""
TOKENS_OF_PARAGRAPH = 150
TURNS_A_SESSION = 40
EDITION = 3
"""Rises when the sentences, or their vectors, change: cached stores are then generated anew."""

_WHO = """
the billing service|Maria|the staging database|the release script|the search index|our Berlin team|the payment gateway|
Tomasz|the mobile client|the nightly backup|the login page|the customer survey|the design system|Aisha|
the data warehouse|the invoice export|the on-call rota|the message queue|the privacy policy|the image resizer|
the warehouse robot|the training plan|the newsletter|the finance department|the compiler cache|the garden sensor|
the travel budget|Kenji|the translation memory|the load balancer
"""
_DID = """
was moved to|depends on|is reviewed by|fails without|was measured against|replaces|must never wait for|was delayed by|
is paid for by|learns from|was written for|conflicts with|is tested with|prefers|was blamed on
"""
_WHAT = """
a new cluster in Frankfurt|the second data centre|PostgreSQL 16|small pull requests|the legal team's approval|
a flaky network cable|the quarterly report|green tea and quiet mornings|an expired certificate|the marketing calendar|
a rate limit of 40 calls|the old XML format|three volunteers|the accessibility checklist|weekly retrospectives|
a cache of two gigabytes|the supplier in Lyon|a manual rollback|the pricing experiment|daylight saving time|
the board's decision|a broken migration|the conference in Oslo|feature flags|the recipe for rye bread|
the encryption key|a slow regular expression|the intern's prototype|the insurance contract|
the cycling route along the river
"""
_SYLLABLES = "ba do fe gi ka lo mu ne pi ro sa tu".split()
_KINDS = ("episodic", "semantic", "procedural")


def _phrases(text: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in text.split("|")]


def clauses(count: int = CLAUSES) -> list[str]:
    """Return `count` different short statements, always the same ones in the same order."""
    all_clauses = [f"{who} {did} {what}" for who, did, what in itertools.product(*map(_phrases, (_WHO, _DID, _WHAT)))]
    return random.Random(7).sample(all_clauses, count)


def sentence(number: int) -> str:
    """Return a statement that no other number has."""
    author = _name(random.Random(number))
    return f"{_clause_of(number, 1)}; {_clause_of(number, 2)}, told by {author} in ticket AB-{number}."


def turn(number: int) -> str:
    """Return a turn of a talk with an assistant that no other number has: user and assistant in turn.

    The user says a paragraph, the assistant several: 2,000 characters on average.
    """
    speaker = ("User", "Assistant")[number % 2]
    paragraphs = [". ".join(_ALL[index] for index in part).capitalize() + "." for part in _paragraphs(number)]
    return f"{speaker}: {chr(10).join(paragraphs)} {sentence(number)}"


def _paragraphs(number: int) -> list[list[int]]:
    """Return the clauses of each paragraph of a turn."""
    chance = random.Random(number + 0.5)
    return [[chance.randrange(CLAUSES) for _ in range(IN_A_PARAGRAPH)] for _ in range((1, 5)[number % 2])]


def question(number: int) -> str:
    """Return a question about the store's contents, in other words than any statement; differs for each number.

    Half of them have only words that are in thousands of memories, half also a name, which may be rare.
    """
    chance = random.Random(number * 7919)
    who, what = chance.choice(_phrases(_WHO)), chance.choice(_phrases(_WHAT))
    about = _name(chance) if number % 2 else f"{number} days ago"
    return f"what do we know about {who} and {what}, {about}?"


def cue(number: int) -> str:
    """Return a question that the sentence of this number answers best: it has half of its words."""
    return f"what did {_name(random.Random(number))} tell about this: {_clause_of(number, 1)}?"


def _name(chance: random.Random) -> str:
    """Return one of NAMES coined names: as in real text, a few are frequent and most are rare (Zipf's law)."""
    rank = int(NAMES ** chance.random())
    return "".join(_SYLLABLES[rank // len(_SYLLABLES) ** place % len(_SYLLABLES)] for place in range(4)).capitalize()


_ALL = clauses()


def _clause_of(number: int, part: int) -> str:
    return _ALL[_index_of(number, part)]


def _index_of(number: int, part: int) -> int:
    return (number * (7, 104_729)[part - 1] + part * (number // CLAUSES)) % CLAUSES


def _request(number: int) -> StoreRequest:
    return StoreRequest(
        sentence(number),
        _KINDS[number % len(_KINDS)],
        importance=number % 10 / 10,
        tags=[f"project-{number % PROJECTS}", f"week-{number % 13}"],
    )


def _request_of_turn(number: int) -> StoreRequest:
    return StoreRequest(turn(number), "episodic", session=f"talk-{number // TURNS_A_SESSION}")


class Seeds:
    """Seeded databases, generated once and copied; kept between runs if `folder` is."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._encoder: Encoder | None = None
        self._vectors: NDArray[np.float32] | None = None

    @property
    def encoder(self) -> Encoder:
        """The real model, in this process."""
        if self._encoder is None:
            self._encoder = load_encoder(MODEL, True, self._folder / "models", models_here())
        return self._encoder

    def plant(self, home: Path, count: int, *, turns: bool = False) -> None:
        """Create a home of `count` memories (sentences, or long `turns` of talks), with the model's files."""
        seeded = self._folder / f"{'turns' if turns else 'memories'}-{count}-{EDITION}"
        if not seeded.exists():
            unfinished = self._folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            asyncio.run(self.load(unfinished, range(count), turns=turns))
            unfinished.replace(seeded)
        shutil.copytree(seeded, home, dirs_exist_ok=True)
        shutil.copytree(self._folder / "models", home / "models", dirs_exist_ok=True)

    async def load(self, home: Path, numbers: Sequence[int], *, turns: bool = False) -> None:
        """Store the memories of these numbers, in large transactions; nobody else may use the home meanwhile."""
        settings = config.load(home=home)
        clock = _Past(len(numbers))
        store = await SqliteStore.open(home, settings.database, clock)
        connection = _OneTransaction(settings.database)
        # Every repository uses the store's one connection: the loader replaces it.
        store._sqlite.read = connection.read  # type: ignore[method-assign]
        store._sqlite.write = connection.write  # type: ignore[method-assign]
        agentos = AgentOS.over(store, _Prepared(self), settings, clock)
        try:
            for done, number in enumerate(numbers):
                await agentos.memory.store(NAMESPACE, _request_of_turn(number) if turns else _request(number))
                if done % A_TRANSACTION == A_TRANSACTION - 1:
                    connection.commit()
            while await agentos.embedding.embed_pending():
                pass
        finally:
            await agentos.close()
            connection.close()
            await store.close()

    def vector(self, number: int) -> bytes:
        """Return the vector of a sentence: the mixture of its clauses' vectors."""
        vectors = self.clause_vectors()
        mixed = vectors[_index_of(number, 1)] + 0.8 * vectors[_index_of(number, 2)]
        mixed = mixed + np.random.default_rng(number).normal(0, 0.01, mixed.shape)
        data: bytes = (mixed / np.linalg.norm(mixed)).astype("<f4").tobytes()
        return data

    def paragraph_vectors(self, number: int) -> list[bytes]:
        """Return the vector of each paragraph of a turn: the mean of its clauses' vectors."""
        clause_vectors = self.clause_vectors()
        means = [clause_vectors[clauses].mean(axis=0) for clauses in _paragraphs(number)]
        return [(mean / np.linalg.norm(mean)).astype("<f4").tobytes() for mean in means]

    def clause_vectors(self) -> NDArray[np.float32]:
        if self._vectors is None:
            file = self._folder / f"clauses-{CLAUSES}-{EDITION}.npy"
            if not file.exists():
                data = b"".join(self.encoder.encode(_ALL))
                np.save(file, np.frombuffer(data, dtype="<f4").reshape(CLAUSES, -1))
            self._vectors = np.load(file)
        return self._vectors


class _Prepared:
    """The Embedder of `modules.memory.ports` that already has the vectors of the generated sentences."""

    problem = None

    def __init__(self, seeds: Seeds) -> None:
        self._seeds = seeds
        self.fingerprint = generation_name(seeds.encoder.fingerprint, late_interaction=True)
        self.dimension = seeds.encoder.dimension

    async def ready(self, wait_s: float) -> bool:
        return True

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        return [self._passages(content) for content in contents]

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        return [True] * len(texts)

    async def encode_query(self, query: str) -> QueryEncoding:
        return self._seeds.encoder.encode_query(query)

    def _passages(self, content: str) -> list[Passage]:
        number = int(content.rpartition("AB-")[2].rstrip("."))
        chance = np.random.default_rng(number)
        if "\n" not in content and not content.startswith("User: "):
            signs = chance.bytes(TOKENS * self.dimension // 8)
            return [Passage(0, len(content), self._seeds.vector(number), signs)]
        passages, begin = [], content.index(" ") + 1
        for paragraph, vector in zip(content[begin:].split("\n"), self._seeds.paragraph_vectors(number), strict=True):
            signs = chance.bytes(TOKENS_OF_PARAGRAPH * self.dimension // 8)
            passages.append(Passage(begin, begin + len(paragraph), vector, signs))
            begin += len(paragraph) + 1
        return passages

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class _OneTransaction:
    """Replaces the package's `Sqlite`: many changes in one transaction, in the caller's thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        text_functions.add_to(self._connection)
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", "cache_size=-200000", "synchronous=NORMAL"):
            self._connection.execute(f"PRAGMA {pragma}")

        self._surface = SqliteConnection(
            cast("aiosqlite.Connection", _Awaitable(self._connection)), dialect.spelled, math.inf
        )

    async def read(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        return await self._surface.fetch_all(sql, parameters)

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        return await work(self._surface)

    def commit(self) -> None:
        """Commit the transaction; the next change begins another."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Commit what is open, and merge the WAL into the database file."""
        self.commit()
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


class _Awaitable:
    """The methods of aiosqlite's connection that the engine uses, without a thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    async def executemany(self, sql: str, parameters: Iterable[Any]) -> sqlite3.Cursor:
        return self._connection.executemany(sql, parameters)

    async def execute_fetchall(self, sql: str, parameters: Any = ()) -> list[sqlite3.Row]:
        return self._connection.execute(sql, parameters).fetchall()


class _Past:
    """A clock that advances evenly through the last SPAN."""

    def __init__(self, steps: int) -> None:
        self._now = datetime.now(UTC) - SPAN
        self._step = SPAN / (steps * 4 + 4)  # a store reads the clock more than once

    def __call__(self) -> datetime:
        self._now = min(self._now + self._step, datetime.now(UTC))
        return self._now
