"""Fits what says, in any language, whether a statement replaces an older one.

    python -m training.train_languages [--write]

The pair model knows English alone. For other languages a logistic model over the differences of two texts is fitted to
`languages/*.jsonl` and to the pairs of the benchmark that are for training, in ten languages: each update beside its
own older statement, and many more that both hold: notes about the same, statements beside it, and the nearest of its
store. Every language is judged by a model that has seen nothing of it, and the threshold is chosen by that. A minute.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agentos.benchmarks.lifecycle.supersession_cases import Split
from agentos.benchmarks.progress import say
from agentos.modules.memory import supersession_chance
from agentos.modules.memory.differences import differences
from agentos.modules.memory.formulas import log_odds

from .fitting import fit
from .supersession_stores import Statement, Store, of_pairs
from .train_supersession import NEAR, Judge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDER = Path(__file__).parent / "languages"
FITTED, JUDGED = ("languages", "train", "validation"), ("test", "kept")
CANDIDATES = 8
OTHERS = 0.3
"""The weight of a statement and a neighbour that is not its own older one."""
NEEDLESS = 0.03
"""The share of notes, of languages held out, that may be asked about."""


@dataclass(frozen=True)
class Pair:
    """A statement and one of the nearest before it; `of` numbers the statement."""

    of: int
    source: str
    statement: Statement
    is_own: bool
    known: dict[str, float]

    @property
    def replaces(self) -> bool:
        """Whether the statement replaces this older one."""
        return self.is_own and self.statement.kind == "update"

    @property
    def counts(self) -> bool:
        """Whether a question about this older statement is to be counted: any is needless for a note."""
        return self.is_own or self.statement.kind == "note"


def written() -> Iterator[Store]:
    """Yield, per language, a store of `languages`: all older statements, then all others."""
    for file in sorted(FOLDER.glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        store = [Statement(line["older"], language=file.stem) for line in lines]
        for place, line in enumerate(lines):
            for kind, name in (("update", "newer"), ("note", "note"), ("parallel", "beside")):
                store.append(Statement(line[name], kind, place, file.stem))
        yield store


def sources() -> Iterator[tuple[str, Store]]:
    """Yield each store of another language with the name of its source."""
    yield from (("languages", store) for store in written())
    splits: tuple[Split, ...] = ("train", "validation", "test", "kept")
    for split in splits:
        yield from ((split, store) for store in of_pairs(split) if not store[0].is_english)


def gathered(judge: Judge) -> list[Pair]:
    """Return every statement with the nearest before it."""
    import numpy as np

    found: list[Pair] = []
    for number, (source, store) in enumerate(sources()):
        vectors = judge.vectors([one.text for one in store])
        for place, one in enumerate(store):
            if not one.kind:
                continue
            cosines = vectors[:place] @ vectors[place]
            for each in map(int, np.argsort(-cosines)[:CANDIDATES]):
                if cosines[each] >= NEAR and store[each].text != one.text:
                    known = differences(store[each].text, one.text, float(cosines[each]))
                    found.append(Pair(number * 10_000 + place, source, one, each == one.own, known))
    return found


def main() -> None:
    """Fit, judge each language by the others, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m training.train_languages", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {supersession_chance.WEIGHTS.name}")
    arguments = parser.parse_args()
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="agentos-languages-") as folder:
        pairs = gathered(Judge(Path(folder)))
    names = list(pairs[0].known)
    values = np.array([[pair.known[name] for name in names] for pair in pairs])
    languages = np.array([pair.statement.language for pair in pairs])
    is_fitted = np.array([pair.source in FITTED for pair in pairs])
    odds = np.zeros(len(pairs))
    for language in sorted(set(languages)):
        *weights, bias = _fitted(values, pairs, is_fitted & (languages != language))
        odds[languages == language] = values[languages == language] @ np.array(weights) + bias
    notes: dict[int, float] = {}
    for pair, each in zip(pairs, odds, strict=True):
        if pair.source in FITTED and pair.statement.kind == "note":
            notes[pair.of] = max(each, notes.get(pair.of, -np.inf))
    threshold = float(np.quantile(list(notes.values()), 1 - NEEDLESS))
    for source in (*FITTED, *JUDGED):
        _report(
            source, [(pair, each >= threshold) for pair, each in zip(pairs, odds, strict=True) if pair.source == source]
        )
    *weights, bias = _fitted(values, pairs, is_fitted)
    file = json.loads(supersession_chance.WEIGHTS.read_text("utf-8"))
    bias += log_odds(file["asked"]) - threshold
    model = {"bias": round(float(bias), 3)} | {n: round(float(w), 3) for n, w in zip(names, weights, strict=True)}
    counts = Counter(pair.statement.language for pair in pairs if pair.source in FITTED)
    file |= {
        "of_differences": model,
        "of_differences_made_by": "python -m training.train_languages --write",
        "of_differences_pairs": dict(sorted(counts.items())),
    }
    say(json.dumps(model))
    if arguments.write:
        supersession_chance.WEIGHTS.write_text(json.dumps(file, indent=1) + "\n", encoding="utf-8")


def _report(source: str, judged: Sequence[tuple[Pair, bool]]) -> None:
    """Print the share asked about, by kind and language; a language was judged by the others."""
    asked: dict[tuple[str, str], dict[int, bool]] = {}
    for pair, is_asked in judged:
        for language in (pair.statement.language, "all"):
            of = asked.setdefault((language, pair.statement.kind), {})
            of[pair.of] = of.get(pair.of, False) or (is_asked and pair.counts)
    for language in sorted({language for language, _ in asked}):
        shown = (
            f"{kind} {sum(found.values()):3} of {len(found):3}" for (of, kind), found in asked.items() if of == language
        )
        say(f"{source:10} {language:3}  {', '.join(shown)}")


def _fitted(values: NDArray[np.float64], pairs: Sequence[Pair], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    import numpy as np

    replaces = np.array([float(pair.replaces) for pair in pairs])
    counts = np.array([1.0 if pair.is_own else OTHERS for pair in pairs])
    return fit(values[chosen], replaces[chosen], counts[chosen])


if __name__ == "__main__":
    main()
