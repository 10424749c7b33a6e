"""One run: which systems are started, on which data, and with which channels left out."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from agentos.modules.memory.ranking import CHANNELS

from .data import DataSet
from .embeddings import Embeddings
from .measuring import Asking, Outcome, measured
from .systems.chroma import Chroma
from .systems.contextual import ContextualText
from .systems.peer import Peer
from .systems.plain import PlainHybrid, PlainPairs, PlainText, PlainVectors
from .systems.server import NO_MODEL, AgentOSServer
from .systems.system import System

AGENTOS = "agentos"
LEXICAL = "agentos-without-model"
REFERENCES = (PlainText.name, ContextualText.name, PlainPairs.name, PlainVectors.name)
"""What AgentOS must not fall below, on any set and category."""
SYSTEMS = (AGENTOS, LEXICAL, *REFERENCES, PlainHybrid.name, Chroma.name)


@dataclass(frozen=True)
class Bench:
    """Starts and queries systems. `folder` is for everything they write; `judge` is None without a model.

    `settings` are the non-default ones of the system `agentos`, without the prefix.
    """

    folder: Path
    embeddings: Embeddings
    judge: Embeddings | None
    peers: Mapping[str, Path]
    settings: Mapping[str, str]
    asking: Asking
    say: Callable[[str], None]
    _servers: dict[str, AgentOSServer] = field(default_factory=dict)

    def compare(self, data: DataSet, names: Sequence[str]) -> list[Outcome]:
        """Return the outcome of each system on a data set, one after the other.

        The vectors of all items are computed before: the time to fill a store is without them, whoever is first
        (AgentOS has its own model, and is measured with it).
        """
        if self.judge is not None:
            self.judge.vectors([item.content for store in data.stores for item in store.items])
        return [measured(name, self._starter(name, data), data, self.asking, self.judge, self.say) for name in names]

    def ablate(self, data: DataSet) -> list[Outcome]:
        """Return the outcome of AgentOS with each channel left out in turn, on stores that `compare` has filled."""
        complete = self._servers[data.name]
        asking = replace(self.asking, off_topic=0)
        return [
            measured(f"without {channel}", partial(complete.without, channel), data, asking, self.judge, self.say)
            for channel in CHANNELS
        ]

    def _starter(self, name: str, data: DataSet) -> Callable[[], System]:
        starters: dict[str, Callable[[], System]] = {
            AGENTOS: lambda: self._server(data),
            LEXICAL: lambda: AgentOSServer(LEXICAL, self._new_folder(LEXICAL), NO_MODEL),
            PlainText.name: PlainText,
            ContextualText.name: ContextualText,
            PlainPairs.name: PlainPairs,
            PlainVectors.name: lambda: PlainVectors(self.embeddings),
            PlainHybrid.name: lambda: PlainHybrid(self.embeddings),
            Chroma.name: lambda: Chroma(self.embeddings, self._new_folder(Chroma.name)),
        }
        if name in self.peers:
            return lambda: Peer(name, self.peers[name], self.embeddings, self._new_folder(name))
        return starters[name]

    def _server(self, data: DataSet) -> AgentOSServer:
        _ = self.embeddings.dimension  # raises without a model: the server would fall back to words alone
        server = AgentOSServer(AGENTOS, self._new_folder(AGENTOS), self.settings)
        self._servers[data.name] = server
        return server

    def _new_folder(self, name: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))
