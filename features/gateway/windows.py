"""The context windows of models: what the user says, what providers tell of them, and a table of known ones."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

UNKNOWN_WINDOW, UNKNOWN_LOCAL_WINDOW = 8_192, 4_096
"""What a model of which nothing is known reads at least, and one that Ollama runs as it does by default."""
WINDOWS: Mapping[str, int] = {
    "chatgpt-4o": 128_000,
    "claude": 200_000,
    "codestral": 32_000,
    "command-r": 128_000,
    "deepseek-chat": 64_000,
    "deepseek-reasoner": 64_000,
    "gemini": 1_000_000,
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 400_000,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "kimi-k2": 128_000,
    "mistral-large": 128_000,
    "mistral-medium": 128_000,
    "mistral-small-latest": 128_000,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
}
"""The context windows of hosted models in tokens, by the beginnings of their names; a longer beginning goes first. What
people run themselves is not here: whoever runs it decides."""
MOST_HEARD, MAX_NAME_CHARS = 5_000, 200
MOST_LISTED = 2_000
LEAST, MOST = 256, 100_000_000
_LISTS = ("data", "models")
_NAMES = ("id", "name", "model", "key", "model_name")
_SIZES = (
    *("loaded_context_length", "num_ctx", "n_ctx", "max_model_len", "context_length", "context_window"),
    *("max_context_length", "inputTokenLimit", "max_input_tokens", "n_ctx_train"),
)
"""How providers name a window, first as it is in use, then as it could be."""
_WITHIN = ("top_provider", "meta", "model_info", "limits")


class Windows:
    """Knows how many tokens each model reads."""

    def __init__(self, own: Mapping[str, int] | None = None) -> None:
        """Begin with the user's `own` table, by the beginnings of names, which goes before all else."""
        self._own = own or {}
        self._heard: OrderedDict[str, int] = OrderedDict()

    def of(self, model: str, default: int = UNKNOWN_WINDOW) -> int:
        """Return how many tokens a model reads; the `default` where nothing is known of it."""
        known = self.known(model)
        return default if known is None else known

    def known(self, model: str) -> int | None:
        """Return how many tokens a model reads, None where that is not known."""
        own = of_model(model, self._own)
        if own is not None:
            return own
        return self._heard.get(model) or of_model(model.rpartition("/")[2], WINDOWS)

    def hear(self, listed: Mapping[str, int]) -> None:
        """Take what a provider tells of its models."""
        for model, size in listed.items():
            self._heard[model] = size
            self._heard.move_to_end(model)
        while len(self._heard) > MOST_HEARD:
            self._heard.popitem(last=False)


def listed(document: object) -> dict[str, int]:
    """Return the windows in a provider's list of models, whatever form of those in use it has."""
    lists = [document.get(name) for name in _LISTS] if isinstance(document, dict) else [document]
    found: dict[str, int] = {}
    for one in (one for models in lists if isinstance(models, list) for one in models[:MOST_LISTED]):
        size = _size(one) if isinstance(one, dict) else None
        if size is not None:
            for name in (str(one[key])[:MAX_NAME_CHARS] for key in _NAMES if isinstance(one.get(key), str)):
                found |= {name: size, name.removeprefix("models/"): size}
    return found


def shown(document: object) -> int | None:
    """Return the window in what Ollama shows of one model: its parameter, else no more than Ollama's default."""
    if not isinstance(document, dict):
        return None
    lines = str(document.get("parameters") or "").splitlines()
    set_to = next((words[1] for line in lines if (words := line.split())[:1] == ["num_ctx"] and len(words) > 1), "")
    if set_to.isdecimal():
        return _bounded(int(set_to))
    info = document.get("model_info")
    sizes = (size for name, size in info.items() if name.endswith(".context_length")) if isinstance(info, dict) else ()
    most = next((size for size in map(_bounded, sizes) if size is not None), None)
    return None if most is None else min(most, UNKNOWN_LOCAL_WINDOW)


def of_model(model: str, table: Mapping[str, T]) -> T | None:
    """Return what a table has for a model: under the longest name that the model's begins with."""
    known = [name for name in table if model.startswith(name)]
    return table[max(known, key=len)] if known else None


def _size(model: Mapping[str, Any]) -> int | None:
    parts = [model, *(part for name in _WITHIN if isinstance(part := model.get(name), dict))]
    sizes: Iterator[int | None] = (_bounded(part.get(name)) for name in _SIZES for part in parts)
    return next((size for size in sizes if size is not None), None)


def _bounded(size: object) -> int | None:
    return size if isinstance(size, int) and not isinstance(size, bool) and LEAST <= size <= MOST else None
