"""Makes the adapter that tells what a statement replaces: `python -m benchmarks.lifecycle.train_succession [--write]`.

The embedding model reads both statements at once; low-rank products beside its layers (LoRA), what marks the second
statement, and a head are trained, the model's own weights stay as they are. Pairs come from `statements/*.jsonl`, from
`exercises/*.jsonl` and from the splits in `--splits`, other ones in every round (`succession_pairs.py`), and from
`scenes/*.jsonl` and `worlds/*.jsonl` (`scenes.py`). What is held back makes the chances true. At the end it says what
the model makes of every split, in totals; only those that it was not trained with say something of other people's
wordings.

Needs torch and transformers, which sentence-transformers brings; 50 minutes on two cores. `--go-on` begins with the
adapter that there is, for new material: a quarter to a half of the steps, at half of the rate, do.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentos.storage.embedding import adapter
from agentos.storage.embedding.graph import PARTS
from agentos.storage.embedding.locate import DEFAULT_MODEL, locate
from agentos.storage.embedding.session import open_tokenizer, padded
from agentos.storage.embedding.succession_model import TOKENS_MAX
from agentos.storage.embedding.tokens import clean

from ..progress import say
from . import scenes
from .cases import SPLITS, Split, wordings
from .succession_pairs import HELD_BACK, Pair, Pairs, Property, cases_of, crossed, exercises, properties_of, written
from .train_meaning import fit

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

SEED = 1
TRAINED: tuple[Split, ...] = ("dev", "held_out", "fresh", "blind")
STEPS, BATCH, WARM_UP = 4_800, 48, 60
RANK, INNER = 16, 64
"""Of the products beside each layer; and how wide the head is."""
RATE, DROPPED, SMOOTHED = 1e-3, 0.1, 0.03
STEPS_ON, RATE_ON = 1_300, 5e-4
"""The same for going on from an adapter."""
SPLITS_COUNT, EXERCISES_COUNT, WORDINGS = 5, 2, 5
"""How often a property of a split or an exercise comes for each time that one of the statements does with up to so many
wordings."""
FROM_SPLITS, ROUNDS_OF_SPLITS = 0.4, 4
"""Which share of all pairs are cases of a split or an exercise, and how often each of them is filled anew."""
FROM_SCENES = 0.35
"""Which share of all pairs are of scenes."""
AT_ONCE = 24
"""Batches that are sorted by length together."""
ALIKE, TOO_ALIKE = 0.2, 0.72
"""Cosines of the questions of two properties that are alike, and that may be the same."""
CASES = 550
LAYERS = (
    *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    *("intermediate.dense", "output.dense"),
)
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


class Succession:
    """The model while it is trained: as `SuccessionModel` runs it, in torch."""

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
        """Take over all that another run has trained."""
        import torch

        head = {f"inner.{name}": values for name, values in self.inner.named_parameters()}
        head |= {f"outer.{name}": values for name, values in self.outer.named_parameters()}
        with torch.no_grad():
            self.segments.copy_(torch.from_numpy(own.segments))
            for there, kept in ((self.products, own.layers), (head, own.head)):
                for name, values in there.items():
                    values.copy_(torch.from_numpy(kept[name]))

    def _add_product(self, name: str, layer: torch.nn.Linear) -> None:
        import torch

        down = torch.nn.Parameter(torch.randn(RANK, layer.in_features) / math.sqrt(layer.in_features))
        up = torch.nn.Parameter(torch.zeros(layer.out_features, RANK))  # at first nothing is changed
        for part, values in zip(PARTS, (down, up), strict=True):
            self.products[f"{name}.{part}"] = values

        def added(_: Any, given: tuple[torch.Tensor], found: torch.Tensor) -> torch.Tensor:
            return found + given[0] @ down.T @ up.T

        layer.register_forward_hook(added)

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """All that is trained."""
        return [self.segments, *self.products.values(), *self.inner.parameters(), *self.outer.parameters()]

    def logits(self, pairs: Sequence[tuple[str, str]], *, dropped: float = 0.0) -> torch.Tensor:
        """How likely the second statement of each pair replaces the first one: (batch,)."""
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
        """Unit vectors of texts by themselves, before anything is trained: (texts, hidden)."""
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

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> tuple[NDArray[np.int64], ...]:
        import numpy as np

        firsts = [[self._begin, *self._ids(older), self._end] for older, _ in pairs]
        seconds = [[*self._ids(newer), self._end] for _, newer in pairs]
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
        """The same as numbers from 0 to 1, of any number of pairs."""
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
        """The adapter for the weights with this sha256."""
        head = {
            **{f"inner.{name}": values for name, values in self.inner.named_parameters()},
            **{f"outer.{name}": values for name, values in self.outer.named_parameters()},
        }
        layers = {name: values.detach().numpy() for name, values in self.products.items()}
        plain = {name: values.detach().numpy() for name, values in head.items()}
        return adapter.written(of, self.segments.detach().numpy(), layers, plain)


def _mean(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    weights = chosen[:, :, None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _alike(model: Succession, properties: Sequence[Property]) -> list[list[int]]:
    """For each property the twelve others of its kind of subject that are most like it."""
    import numpy as np

    vectors = model.vectors([f"{one.name}. {one.asked.replace('{s}', 'it')}" for one in properties])
    about = np.array([one.about for one in properties])
    cosines = vectors @ vectors.T
    found = []
    for place in range(len(properties)):
        own = np.where((about == about[place]) & (cosines[place] < TOO_ALIKE), cosines[place], -1.0)
        own[place] = -1.0
        found.append([int(other) for other in own.argsort()[::-1][:12] if own[other] > ALIKE])
    return found


def _batches(
    pairs: Pairs, places: Sequence[int], of_splits: Sequence[Pair], of_scenes: Sequence[Pair], chance: random.Random
) -> Iterator[list[Pair]]:
    """Batches of pairs of similar length, without end."""
    several: list[Pair] = []
    while True:
        for place in chance.sample(places, len(places)):
            made = pairs.of(place)
            several += made
            for share, own in ((FROM_SPLITS, of_splits), (FROM_SCENES, of_scenes)):
                often = share / (1 - FROM_SPLITS - FROM_SCENES)
                taken = int(often * len(made) + chance.random()) if own else 0
                several += chance.choices(own, k=taken)
            if len(several) < AT_ONCE * BATCH:
                continue
            chance.shuffle(several)
            several.sort(key=lambda pair: len(pair.older) + len(pair.newer) + 12 * chance.random())
            ready = [several[begin : begin + BATCH] for begin in range(0, len(several) - BATCH + 1, BATCH)]
            chance.shuffle(ready)
            yield from ready
            several = []


def _train(model: Succession, splits: Sequence[Split], steps: int, rate: float) -> None:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    chance = random.Random(SEED)
    each = [*((wordings(split), SPLITS_COUNT) for split in splits), *((own, EXERCISES_COUNT) for own in exercises())]
    often = [(one, math.ceil(len(one.new) / WORDINGS)) for one in written()]
    often += [(one, count) for own, count in each for one in properties_of(own)]
    properties = [one for one, _ in often]
    places = [place for place, (_, count) in enumerate(often) for _ in range(count)]
    of_splits = [
        pair
        for own, _ in each
        for place in range(ROUNDS_OF_SPLITS)
        for made in (cases_of, crossed)
        for pair in made(own, f"to train with {place}", CASES)
    ]
    pairs = Pairs(properties, _alike(model, properties), chance)
    of_scenes = scenes.trained_with(_scenes(), chance)
    say(f"{len(properties)} properties, {len(of_splits)} cases of splits, {len(of_scenes)} pairs of scenes")
    optimizer = torch.optim.AdamW(model.parameters, lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, max(0.02, 1 - step / steps))
    )
    began, lost = time.monotonic(), 0.0
    for step, batch in enumerate(_batches(pairs, places, of_splits, of_scenes, chance), start=1):
        truth = torch.tensor([float(pair.replaces) for pair in batch]) * (1 - SMOOTHED) + SMOOTHED / 2
        logits = model.logits([(pair.older, pair.newer) for pair in batch], dropped=DROPPED)
        loss = binary_cross_entropy_with_logits(logits, truth)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters, 1.0)
        optimizer.step()
        schedule.step()
        lost += loss.item()
        if step % 100 == 0:
            say(f"{step} of {steps}: loss {lost / 100:.3f}, {time.monotonic() - began:.0f} s")
            lost = 0.0
        if step == steps:
            return


def _scenes() -> list[list[scenes.Scene]]:
    return [*scenes.scenes(), *scenes.scenes(scenes.WORLDS)]


def _held_back() -> list[Pair]:
    """Pairs of the properties that nothing is trained with, a dozen each, and of the scenes."""
    properties, chance = written(HELD_BACK), random.Random(SEED)
    pairs = Pairs(properties, [[] for _ in properties], chance)
    made = [pair for place in range(len(properties)) for pair in pairs.of(place)]
    return made + scenes.held_back(_scenes(), chance)


def _calibrate(model: Succession, pairs: Sequence[Pair]) -> None:
    """Scale and shift the log odds until they are true of these pairs, where as many replace as do not.

    Platt, "Probabilistic Outputs for Support Vector Machines" (1999). What is trained with is too easy to tell that.
    """
    import numpy as np
    import torch

    chances = model.chances([(pair.older, pair.newer) for pair in pairs])
    replaces = np.array([pair.replaces for pair in pairs])
    counts = np.where(replaces, 0.5 / replaces.mean(), 0.5 / (~replaces).mean())
    slope, shift = fit(np.log(chances / (1 - chances))[:, None], replaces.astype(np.float64), counts)
    with torch.no_grad():
        model.outer.weight.mul_(slope)
        model.outer.bias.mul_(slope).add_(shift)
    say(f"log odds of what was held back: {slope:.2f} times and {shift:+.2f}")


def _report(model: Succession, held_back: Sequence[Pair]) -> None:
    """What is found of the updates and near pairs of every split, and of all kinds of pairs of what was held back."""
    for split in SPLITS:
        if split != "all":
            _shares(
                model,
                f"{split}: an update is likelier than a near pair",
                cases_of(wordings(split), f"{split} {SEED}", CASES),
            )
    _shares(model, "held back: what replaces is likelier than what does not", held_back)
    for kind in sorted({pair.kind for pair in held_back}):
        chances = model.chances([(pair.older, pair.newer) for pair in held_back if pair.kind == kind])
        say(f"  {kind}: {100 * (chances >= THRESHOLDS[4]).mean():.1f} % of {len(chances)} from {THRESHOLDS[4]} on")


def _shares(model: Succession, name: str, pairs: Sequence[Pair]) -> None:
    """Which share is found, of those that replace something and of the others, at each threshold."""
    import numpy as np

    chances = model.chances([(pair.older, pair.newer) for pair in pairs])
    replaces = np.array([pair.replaces for pair in pairs])
    updates, others = chances[replaces], np.sort(chances[~replaces])
    above = np.searchsorted(others, updates).mean() / len(others)
    say(f"{name} in {100 * above:.1f} %; the ones and the others from")
    for threshold in THRESHOLDS:
        shares = [100 * (of >= threshold).mean() for of in (updates, others)]
        say(f"  {threshold:.2f}  {shares[0]:5.1f} %  {shares[1]:5.1f} %")


def main() -> None:
    """Train, say what came of it, and write the adapter if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_succession", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the adapter in {adapter.FILE.name}")
    parser.add_argument("--splits", default=",".join(TRAINED), help="what is trained with, besides the statements")
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--go-on", action="store_true", help="begin with the adapter that there is")
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory(prefix="agentos-succession-") as folder:
        files = locate(DEFAULT_MODEL, True, Path(folder))
    model = Succession(files.folder)
    splits: list[Split] = [split for split in SPLITS if split in arguments.splits.split(",")]
    steps, rate = (STEPS_ON, RATE_ON) if arguments.go_on else (STEPS, RATE)
    if arguments.go_on:
        model.go_on_from(adapter.succession())
    _train(model, splits, arguments.steps or steps, rate)
    held_back = _held_back()
    _calibrate(model, held_back)
    if arguments.write:
        adapter.FILE.write_bytes(model.written(files.sha256))
    _report(model, held_back)


if __name__ == "__main__":
    main()
