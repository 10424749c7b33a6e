"""The models of a process, which several stores may share."""

from typing import Any, cast

from ...modules.language.ports import LanguageModel
from ...modules.memory.models import QueryEncoding
from ...modules.memory.ports import Embedder, PairJudge
from ...modules.records import dataclass
from .lazy import RememberedQueries


class _Lent:
    """A model that goes on when one of its users closes it."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def close(self) -> None:
        """Do nothing."""


class _LentEmbedder(_Lent):
    """Remembers queries by itself: how fast one is answered tells nobody that another store was asked it.

    The model itself is to remember none.
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._remembered = RememberedQueries()

    async def encode_query(self, query: str) -> QueryEncoding:
        if (known := self._remembered.get(query)) is not None:
            return known
        return self._remembered.add(query, await self._model.encode_query(query))


class _LentLanguageModel(_Lent):
    async def close(self) -> None:  # type: ignore[override]
        """Do nothing."""


def embedder(model: Embedder) -> Embedder:
    """Return an embedding model for one of its users."""
    return cast(Embedder, _LentEmbedder(model))


def judge(model: PairJudge | None) -> PairJudge | None:
    """Return a model that judges pairs for one of its users."""
    return None if model is None else cast(PairJudge, _Lent(model))


def language_model(model: LanguageModel | None) -> LanguageModel | None:
    """Return a language model for one of its users."""
    return None if model is None else cast(LanguageModel, _LentLanguageModel(model))


@dataclass(frozen=True)
class Models:
    """The models of a process, each loaded at its first use."""

    embedder: Embedder
    reranker: PairJudge | None
    succession: PairJudge | None
    language: LanguageModel | None

    def lent(self) -> "Models":
        """Return them for one of their users, who ends none of them."""
        return Models(
            embedder(self.embedder), judge(self.reranker), judge(self.succession), language_model(self.language)
        )

    async def close(self) -> None:
        """End all of them."""
        for model in (self.embedder, self.reranker, self.succession):
            if model is not None:
                model.close()
        if self.language is not None:
            await self.language.close()
