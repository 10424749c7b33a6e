"""The connector service: offers signals, keeps them as candidates, and removes them with all that they brought."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from ...modules.agentos import AgentOS
from ...modules.clock import Clock
from ...modules.connecting import TAG, Connected, ever
from ...modules.errors import InvalidInput, NotFound, described
from ...modules.memory.models import Kind, Memory, Status
from ...modules.memory.service import MemoryChanges, MemoryService
from ...modules.redactor import Redactor
from ...modules.store_request import StoreRequest
from ...storage.sqlite.failures import BUSY
from .catalog import CONNECTORS
from .models import Connector, Kept, Offer, Offers, Signal

CONFIDENCE = 0.15
"""How sure a signal is: below what is told without being asked for, until somebody confirms it."""
MOST_A_DAY = 50
"""The most signals that one connector may add to a namespace within a day."""
MOST_READ = 20_000
"""The most signals that are looked at in one collection."""
MOST_CHARS = 500
CONNECTOR, REFERENCE = "connector", "reference"
"""The names in a signal's metadata of its connector, and of its reference there."""
DAY = timedelta(days=1)


def connectors_of(agentos: AgentOS, on: Collection[str] = ()) -> "ConnectorService":
    """Return the connectors' service over open services; `on` names those that the settings name."""
    return ConnectorService(agentos.memory, agentos.redactor, agentos.clock, on)


class ConnectorService:
    """Signals of this machine's programs in one store."""

    def __init__(self, memory: MemoryService, redactor: Redactor, clock: Clock, on: Collection[str] = ()) -> None:
        self._memory = memory
        self._redactor = redactor
        self._clock = clock
        self._on = on

    async def offers(self, namespace: str, connector: Connector, files: Sequence[Path], since: timedelta) -> Offers:
        """Return what a collection from these files would keep, and change nothing.

        Only signals of the last time `since`, or of the future, are looked at.
        """
        now = self._clock()
        signals, unread = await asyncio.to_thread(_read, connector, files, now)
        recent = [one for one in signals if one.at >= now - since]
        kept = {str(one.metadata.get(REFERENCE)): one for one in await self.brought(namespace, connector.name)}
        room = MOST_A_DAY - sum(one.created_at > now - DAY for one in kept.values())
        offers: list[Offer] = []
        known = beyond = 0
        texts = [await self._redactor.text(signal.text[:MOST_CHARS]) for signal in recent]
        there = await self._memory.known(namespace, texts)
        for signal, text, same in zip(recent, texts, there, strict=True):
            memory = kept.get(signal.reference)
            if memory is not None and (memory.status is not Status.CANDIDATE or memory.content == text):
                known += 1
            elif memory is not None:
                offers.append(Offer(signal, text, memory.id))
            elif same is not None:
                known += 1
            elif room > 0:
                offers.append(Offer(signal, text))
                room -= 1
            else:
                beyond += 1
        return Offers(offers, known, len(signals) - len(recent), beyond, unread)

    async def keep(self, namespace: str, connector: Connector, offers: Sequence[Offer]) -> Kept:
        """Keep what was offered as candidates; what cannot be kept does not stop the rest."""
        new = renewed = 0
        refused: dict[str, str] = {}
        for offer in offers:
            try:
                if offer.memory_id is None:
                    new += not (await self._memory.store(namespace, _request(connector.name, offer))).duplicate
                else:
                    await self._memory.update(namespace, offer.memory_id, MemoryChanges(content=offer.text))
                    renewed += 1
            except (InvalidInput, NotFound) as error:
                refused[offer.text] = str(error)
        return Kept(new, renewed, refused)

    async def brought(self, namespace: str, name: str) -> list[Memory]:
        """Return what a connector has brought, whatever became of it, newest first."""
        return [one async for one in self._tagged(namespace, _tag(name)) if one.metadata.get(CONNECTOR) == name]

    async def status(self, namespace: str) -> Sequence[Connected]:
        """Return how each connector stands in a namespace."""
        came: dict[str, list[datetime]] = {name: [] for name in CONNECTORS}
        async for one in self._tagged(namespace, TAG):
            name = str(one.metadata.get(CONNECTOR))
            if name in came and _tag(name) in one.tags:
                came[name].append(one.created_at)
        return [
            Connected(one.name, one.reads, one.name in self._on, len(at := came[one.name]), max(at, default=None))
            for one in CONNECTORS.values()
        ]

    async def _tagged(self, namespace: str, tag: str) -> AsyncIterator[Memory]:
        async for one in self._memory.walk(namespace, ever(tag)):
            if one.kind == Kind.OBSERVATION:  # a tag is anybody's to give, and so are metadata
                yield one

    async def remove(self, namespace: str, name: str, by: str) -> int:
        """Erase all that a connector has brought; return how many memories that were."""
        ids = [one.id for one in await self.brought(namespace, name)]
        for begin in range(0, len(ids), MOST_A_DAY):
            await self._memory.delete(namespace, *ids[begin : begin + MOST_A_DAY], by=by)
        return len(ids)


def _read(connector: Connector, files: Sequence[Path], now: datetime) -> tuple[list[Signal], dict[str, str]]:
    """Return the signals of files, each reference once, and what cannot be read. Blocks."""
    signals: dict[str, Signal] = {}
    unread: dict[str, str] = {}
    for file in files:
        try:
            for signal in connector.read(file, now):
                signals.setdefault(signal.reference, signal)
                if len(signals) == MOST_READ:
                    return list(signals.values()), unread
        except InvalidInput as error:
            unread[str(file)] = error.problem
        except sqlite3.Error as error:
            is_locked = getattr(error, "sqlite_errorname", "").startswith(BUSY)
            unread[str(file)] = "its program uses it: close it, or give a copy" if is_locked else described(error)
        except (OSError, ValueError) as error:
            unread[str(file)] = described(error).removeprefix(f"{file}: ")
    return list(signals.values()), unread


def _request(name: str, offer: Offer) -> StoreRequest:
    signal = offer.signal
    return StoreRequest(
        offer.text,
        memory_type="episodic" if signal.is_event else "semantic",
        tags=(TAG, _tag(name)),
        metadata={CONNECTOR: name, REFERENCE: signal.reference},
        source=f"{TAG}: {name}",
        occurred_at=signal.at.isoformat(),
        confidence=CONFIDENCE,
        kind=Kind.OBSERVATION,
        valid_until=signal.until,
    )


def _tag(name: str) -> str:
    return f"{TAG}-{name}"
