"""Counting tokens with a model's own tokenizer, from its file."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from ...storage.embedding.architecture import UnsupportedModel
from ...storage.embedding.session import open_tokenizer

MOST_LOADED = 4
"""How many tokenizers are held at once: a large one takes some tens of megabytes."""

log = logging.getLogger(__name__)

Counter = Callable[[str], int]


class FileTokenCounters:
    """Tokenizers of models, from their files: each is loaded once, in a thread."""

    def __init__(self) -> None:
        self._loading: OrderedDict[str, asyncio.Task[Counter | None]] = OrderedDict()

    def counter(self, path: str) -> Counter | None:
        """Return what counts the tokens of a text; None while the file is loaded, or where it cannot be."""
        task = self._loading.get(path)
        if task is None:
            self._loading[path] = asyncio.get_running_loop().create_task(asyncio.to_thread(_loaded, path))
            if len(self._loading) > MOST_LOADED:
                self._loading.popitem(last=False)
            return None
        self._loading.move_to_end(path)
        return task.result() if task.done() and not task.cancelled() else None


def _loaded(path: str) -> Counter | None:
    try:
        tokenizer = open_tokenizer(Path(path))
    except (UnsupportedModel, OSError) as error:
        log.warning("tokens are estimated: %s", error)
        return None
    except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
        log.warning("tokens are estimated, a tokenizer cannot be read: %s", error)
        return None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
