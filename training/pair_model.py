"""The trainable form, in torch, of the model that reads two texts at once and that `AdaptedModel` runs.

The embedding model's own weights are frozen; low-rank products beside its layers (LoRA), the embedding that marks the
second text, and a head are trained. Needs torch and transformers, which sentence-transformers brings.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentos.benchmarks.progress import say
from agentos.storage.embedding import adapter
from agentos.storage.embedding.adapted_model import TOKENS_MAX
from agentos.storage.embedding.default_weights import DEFAULT_MODEL
from agentos.storage.embedding.graph import PARTS
from agentos.storage.embedding.locate import ModelFiles, locate
from agentos.storage.embedding.onnx_encoder import padded
from agentos.storage.embedding.session import open_tokenizer
from agentos.storage.embedding.tokens import clean

from .succession_pairs import Property

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

BATCH = 48
"""Pairs per batch."""
RANK, INNER = 16, 64
"""The rank of the products beside each layer, and the width of the head."""
REPORT_EVERY = 100
WARM_UP, LAST = 60, 0.02
"""Steps in which the learning rate rises, and the share of it at the end."""
ALIKE, TOO_ALIKE, ALIKE_COUNT = 0.2, 0.72, 12
"""Cosines of two properties' questions that count as alike, and as possibly the same; the most alike ones taken.
"""
LAYERS = (
    *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    *("intermediate.dense", "output.dense"),
)


def weights() -> ModelFiles:
    """Return the embedding model's default weights."""
    with tempfile.TemporaryDirectory(prefix="agentos-training-") as folder:
        return locate(DEFAULT_MODEL, True, Path(folder))


class PairModel:
    """Judges pairs of a first and a second text."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import BertModel

        self._tokenizer = open_tokenizer(folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._begin, self._end = self._tokenizer.encode("").ids
        self._known: dict[str, list[int]] = {}
        self.bert = BertModel.from_pretrained(str(folder), add_pooling_layer=False, hidden_dropout_prob=0.0)
        self.bert.requires_grad_(False)
        self.segments = self.bert.embeddings.token_type_embeddings.weight.requires_grad_(True)
        self.products: dict[str, torch.nn.Parameter] = {}
        for name, layer in self.bert.named_modules():
            if name.endswith(LAYERS) and isinstance(layer, torch.nn.Linear):
                self._add_product(name, layer)
        hidden = self.bert.config.hidden_size
        self.inner, self.outer = torch.nn.Linear(5 * hidden, INNER), torch.nn.Linear(INNER, 1)

    def go_on_from(self, own: adapter.Adapter) -> None:
        """Load all weights that another run has trained."""
        import torch

        head = {f"inner.{name}": values for name, values in self.inner.named_parameters()}
        head |= {f"outer.{name}": values for name, values in self.outer.named_parameters()}
        with torch.no_grad():
            self.segments.copy_(torch.from_numpy(own.segments))
            for there, stored in ((self.products, own.layers), (head, own.head)):
                for name, values in there.items():
                    values.copy_(torch.from_numpy(stored[name]))

    def _add_product(self, name: str, layer: torch.nn.Linear) -> None:
        import torch

        down = torch.nn.Parameter(torch.randn(RANK, layer.in_features) / math.sqrt(layer.in_features))
        up = torch.nn.Parameter(torch.zeros(layer.out_features, RANK))  # changes nothing at first
        for part, values in zip(PARTS, (down, up), strict=True):
            self.products[f"{name}.{part}"] = values

        def added(_: Any, given: tuple[torch.Tensor], found: torch.Tensor) -> torch.Tensor:
            return found + given[0] @ down.T @ up.T

        layer.register_forward_hook(added)

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """All trained parameters."""
        return [self.segments, *self.products.values(), *self.inner.parameters(), *self.outer.parameters()]

    def logits(self, pairs: Sequence[tuple[str, str]], *, dropped: float = 0.0) -> torch.Tensor:
        """Return the log odds of each pair for the trained question: (batch,)."""
        import torch
        from torch.nn.functional import dropout, relu

        ids, mask, segments = map(torch.from_numpy, self._batch(pairs))
        states = self.bert(input_ids=ids, token_type_ids=segments, attention_mask=mask).last_hidden_state
        first = mask - segments
        first[:, 0] = 0
        one, other = (_mean(states, chosen) for chosen in (first, segments))
        seen = torch.cat([states[:, 0], one, other, (one - other).abs(), one * other], dim=1)
        inner = relu(self.inner(dropout(seen, dropped)))
        logits: torch.Tensor = self.outer(dropout(inner, dropped)).squeeze(-1)
        return logits

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of single texts, before anything is trained: (texts, hidden)."""
        import numpy as np
        import torch

        found = []
        with torch.no_grad():
            for begin in range(0, len(texts), BATCH):
                sequences = [[self._begin, *self._ids(text), self._end] for text in texts[begin : begin + BATCH]]
                ids, mask = map(torch.from_numpy, padded(sequences, 0))
                states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
                found.append(torch.nn.functional.normalize(_mean(states, mask), dim=1).numpy())
        return np.concatenate(found)

    def alike(self, properties: Sequence[Property]) -> list[list[int]]:
        """Return, for each property, up to ALIKE_COUNT others of its kind of subject with the most similar questions.

        To be called before anything is trained.
        """
        import numpy as np

        vectors = self.vectors([f"{one.name}. {one.asks[0].replace('{s}', 'it')}" for one in properties])
        about = np.array([one.about for one in properties])
        cosines = vectors @ vectors.T
        found = []
        for place in range(len(properties)):
            own = np.where((about == about[place]) & (cosines[place] < TOO_ALIKE), cosines[place], -1.0)
            own[place] = -1.0
            found.append([int(other) for other in own.argsort()[::-1][:ALIKE_COUNT] if own[other] > ALIKE])
        return found

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> tuple[NDArray[np.int64], ...]:
        import numpy as np

        firsts = [[self._begin, *self._ids(first), self._end] for first, _ in pairs]
        seconds = [[*self._ids(second), self._end] for _, second in pairs]
        ids, mask = padded([[*one, *other] for one, other in zip(firsts, seconds, strict=True)], 0)
        segments = np.zeros_like(ids)
        for row, (one, other) in enumerate(zip(firsts, seconds, strict=True)):
            segments[row, len(one) : len(one) + len(other)] = 1
        return ids, mask, segments

    def _ids(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(clean(text), add_special_tokens=False).ids[:TOKENS_MAX]
        return self._known[text]

    def chances(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities (0..1) of any number of pairs."""
        import numpy as np
        import torch

        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]) + len(pairs[place][1]))
        found = np.zeros(len(pairs))
        with torch.no_grad():
            for begin in range(0, len(order), BATCH):
                places = order[begin : begin + BATCH]
                found[places] = torch.sigmoid(self.logits([pairs[place] for place in places])).numpy()
        return found

    def written(self, of: str) -> bytes:
        """Serialise the adapter for the weights with this SHA-256."""
        head = {
            **{f"inner.{name}": values for name, values in self.inner.named_parameters()},
            **{f"outer.{name}": values for name, values in self.outer.named_parameters()},
        }
        layers = {name: values.detach().numpy() for name, values in self.products.items()}
        plain = {name: values.detach().numpy() for name, values in head.items()}
        return adapter.written(of, self.segments.detach().numpy(), layers, plain)

    def learn(self, losses: Iterator[torch.Tensor], rate: float, steps: int) -> None:
        """Train on `steps` losses; each is made after the one before has changed the model.

        The learning rate rises, and then falls linearly.
        """
        import torch

        changing = torch.optim.AdamW(self.parameters, lr=rate, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            changing, lambda step: min((step + 1) / WARM_UP, max(LAST, 1 - step / steps))
        )
        began, lost = time.monotonic(), 0.0
        for step, loss in enumerate(islice(losses, steps), start=1):
            changing.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
            changing.step()
            schedule.step()
            lost += loss.item()
            if step % REPORT_EVERY == 0:
                say(f"{step} of {steps}: loss {lost / REPORT_EVERY:.3f}, {time.monotonic() - began:.0f} s")
                lost = 0.0


def _mean(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    weights = chosen[:, :, None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
