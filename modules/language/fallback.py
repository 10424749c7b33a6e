"""Language models in turn: where the first fails, the next is asked."""

import logging
import math
import time
from collections.abc import Callable, Sequence

from .ports import LanguageError, LanguageModel, LanguageUnavailable

LEFT_ALONE_S = 60.0
"""How long a model that failed is not asked while there is another."""

log = logging.getLogger(__name__)


class ModelsInTurn:
    """The LanguageModel over several, the preferred first."""

    def __init__(self, models: Sequence[LanguageModel], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._models = tuple(models)
        self._monotonic = monotonic
        self._ask_again_at = [-math.inf] * len(self._models)

    @property
    def name(self) -> str:
        return ", then ".join(model.name for model in self._models)

    @property
    def problem(self) -> str | None:
        problems = [model.problem for model in self._models]
        return None if None in problems else "; ".join(filter(None, problems))

    async def complete(self, instruction: str, text: str, max_tokens: int) -> str:
        failure: LanguageError | None = None
        for place, model in enumerate(self._models):
            if self._monotonic() < self._ask_again_at[place]:
                continue
            try:
                return await model.complete(instruction, text, max_tokens)
            except LanguageError as error:
                failure = error
                if isinstance(error, LanguageUnavailable):
                    self._ask_again_at[place] = self._monotonic() + LEFT_ALONE_S
                if place + 1 < len(self._models):
                    log.warning("the language model %s failed, the next is asked: %s", model.name, error)
        raise failure or LanguageUnavailable(self.problem or "every language model failed a moment ago")

    async def close(self) -> None:
        for model in self._models:
            await model.close()
