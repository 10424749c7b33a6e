"""Weights that tell what a new memory may replace: `python -m benchmarks.lifecycle.train_predecessors [--write]`.

Updates, near pairs and other notes of all splits of SPLITS are stored in thought, in the order in which the benchmark
stores them: every store is compared with the nearest of what was there before, as `modules/memory/predecessors.py`
does it. An example is such a pair; an update's own older statement is one to name, every other is none. What the rules
end is no example; so that the model sees wordings that rules cannot read, each case is taken a second time as if they
had read neither statement. One logistic model; its threshold is the least at which no more near pairs and other notes
are asked about needlessly than NEEDLESS_NEAR and NEEDLESS_NOTES, by weights fitted without the split that is judged:
each was written by somebody who knew no other.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from agentos.modules.memory import predecessors
from agentos.modules.truth.competing import Told
from agentos.modules.truth.judgement import judge
from agentos.modules.truth.models import Action
from agentos.storage.embedding.loader import load_encoder

from ..progress import say
from .cases import Said, Split, near_pairs, updates
from .fitting import fit
from .rules_alone import Claim, claimed
from .surroundings import distractors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS: tuple[Split, ...] = ("dev", "fresh", "blind", "held_out")
SEED = 1
UPDATES, NEAR, GROUPS, BESIDE = 550, 550, 6, 150
FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
NEEDLESS_NEAR, NEEDLESS_NOTES = 0.25, 0.03
THRESHOLDS = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
OTHERS_KEPT = 0.25
"""Which share of the pairs that are nobody's own is fitted with, for its speed."""
WEIGHT_OF = {"update": 6.0, "near": 1.5, "note": 8.0, "other": 0.5}
"""Of the pairs of a case's own, of those of a note with anything, and of all others."""
WEIGHTS = Path(predecessors.__file__).with_name("predecessors_weights.json")


@dataclass(frozen=True)
class Stored:
    """One store: of an update's or a near pair's second statement `own` is the place of its first one."""

    split: Split
    kind: str
    told: Claim
    own: int | None = None


@dataclass(frozen=True)
class Asked:
    """What a store is compared with; `unread` as if the rules had read nothing. `own` is None where rules ended it."""

    split: Split
    kind: str
    is_second: bool
    unread: bool
    own: int | None
    rows: list[tuple[int, dict[str, float]]]


def _stores(split: Split) -> Iterator[list[Stored]]:
    """The stores of each namespace, in order."""
    chance = random.Random(f"predecessors {split}")
    parts: dict[str, tuple[list[tuple[str, str, Said]], list[tuple[str, str, Said]]]] = defaultdict(lambda: ([], []))
    for case in updates(split, SEED, UPDATES, GROUPS):
        if not case.backfilled:
            for part, said in zip(parts[f"updates-{case.group}"], (case.old, case.new), strict=True):
                part.append(("update", case.id, said))
    for pair in near_pairs(split, SEED, NEAR):
        for part, said in zip(parts[f"near-{pair.group}"], (pair.first, pair.second), strict=True):
            part.append(("near", pair.id, said))
    for group in range(GROUPS):
        for number, text in enumerate(distractors(chance, BESIDE)):
            said = Said(text, FIRST_DAY + timedelta(hours=chance.randint(0, 8000)))
            parts[f"updates-{group}"][number % 2].append(("note", "", said))
    for first, second in parts.values():
        chance.shuffle(first)
        chance.shuffle(second)
        places = {name: place for place, (_, name, _) in enumerate(first) if name}
        told = [(kind, said, places.get(name)) for kind, name, said in second]
        yield [
            Stored(split, kind, claimed(str(place), said), own)
            for place, (kind, said, own) in enumerate([*((kind, said, None) for kind, _, said in first), *told])
        ]


def _compared(stores: Sequence[Stored], vectors: NDArray[np.float32]) -> Iterator[Asked]:
    import numpy as np

    ended: set[int] = set()
    for place, store in enumerate(stores):
        before = [int(each) for each in np.argsort(-(vectors[:place] @ vectors[place]))] if place else []
        is_judged = _rules(stores, place, ended)
        for unread in (False, True):
            if unread and store.kind == "note":
                continue
            near = [each for each in before if unread or each not in ended][: predecessors.NEIGHBOURS]
            nearest = [(_told(stores[each].told, unread), float(vectors[each] @ vectors[place])) for each in near]
            rows = [] if is_judged and not unread else predecessors.candidates(_told(store.told, unread), nearest)
            own = None if store.own in ended and not unread else store.own
            named = [(near[at], dict(features)) for at, features in rows]
            yield Asked(store.split, store.kind, store.own is not None, unread, own, named)


def _rules(stores: Sequence[Stored], place: int, ended: set[int]) -> bool:
    """Whether the rules judge a store beside others of its slot; adds those that they end."""
    new = stores[place].told
    if new.slot is None:
        return False
    slot = (new.slot.subject, new.slot.attribute)
    rivals = [
        each.told
        for number, each in enumerate(stores[:place])
        if number not in ended and each.told.slot and (each.told.slot.subject, each.told.slot.attribute) == slot
    ]
    judgement = judge(new, rivals) if rivals else None
    if judgement is None:
        return False
    ended |= {
        int(name) for name, standing in judgement.revised.items() if standing.valid_to or standing.status != "active"
    }
    return judgement.action is not Action.ADD


def _told(claim: Claim, unread: bool) -> Told:
    if unread or claim.slot is None:
        return Told(claim.content)
    return Told(claim.content, claim.slot.subject, claim.slot.attribute)


def asked() -> list[Asked]:
    """All stores of all splits, compared; two minutes."""
    import numpy as np

    found: list[Asked] = []
    with tempfile.TemporaryDirectory(prefix="agentos-predecessors-") as folder:
        encoder = load_encoder("all-MiniLM-L6-v2", True, Path(folder))
        for split in SPLITS:
            for stores in _stores(split):
                texts = [store.told.content for store in stores]
                encoded = [
                    each for begin in range(0, len(texts), 64) for each in encoder.encode(texts[begin : begin + 64])
                ]
                found += _compared(stores, np.stack([np.frombuffer(each, dtype="<f4") for each in encoded]))
            say(f"{split}: {len(found)} stores so far")
    return found


def trained(given: Sequence[Asked]) -> dict[str, object]:
    """The model, after saying what it is worth on wordings that its weights were fitted without."""
    import numpy as np

    rows = [(number, place, features) for number, one in enumerate(given) for place, features in one.rows]
    names = list(rows[0][2])
    values = np.array([[features[name] for name in names] for *_, features in rows])
    of = [given[number] for number, *_ in rows]
    is_own = np.array([one.own == place for one, (_, place, _) in zip(of, rows, strict=True)])
    is_update = np.array([one.kind == "update" for one in of]) & is_own
    kept = is_own | (np.random.default_rng(SEED).random(len(rows)) < OTHERS_KEPT)
    counts = np.array([_weight(one, own) for one, own in zip(of, is_own, strict=True)])
    splits = np.array([one.split for one in of])

    def fitted(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        return fit(values[chosen], is_update[chosen].astype(np.float64), counts[chosen])

    chances = np.zeros(len(rows))
    for split in SPLITS:
        here = splits == split
        weights = fitted(~here & kept)
        chances[here] = 1 / (1 + np.exp(-(values[here] @ weights[:-1] + weights[-1])))
    threshold = _threshold(given, rows, list(chances))
    weights = fitted(kept)
    return {
        "made_by": "python -m benchmarks.lifecycle.train_predecessors --write",
        "pairs": len(rows),
        "threshold": threshold,
        "bias": round(float(weights[-1]), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)},
    }


def _weight(one: Asked, is_own: bool) -> float:
    if is_own:
        return WEIGHT_OF[one.kind]
    return WEIGHT_OF["note" if one.kind == "note" else "other"] / OTHERS_KEPT


def _threshold(
    given: Sequence[Asked], rows: Sequence[tuple[int, int, dict[str, float]]], chances: Sequence[float]
) -> float:
    likely: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (number, place, _), chance in zip(rows, chances, strict=True):
        likely[number].append((chance, place))
    best = {number: sorted(each, reverse=True)[: predecessors.NAMED] for number, each in likely.items()}
    chosen = THRESHOLDS[-1]
    for threshold in reversed(THRESHOLDS):
        named = [
            [place for chance, place in best.get(number, ()) if chance >= threshold] for number in range(len(given))
        ]
        for split in (*SPLITS, "all"):
            stores = [(one, each) for one, each in zip(given, named, strict=True) if split in (one.split, "all")]
            shares = _shares(stores)
            say(
                f"{threshold:.2f} {split:9}"
                + "  ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
            )
        if shares["notes"] <= NEEDLESS_NOTES and shares["near"] <= NEEDLESS_NEAR:
            chosen = threshold
    return chosen


def _shares(stores: Sequence[tuple[Asked, list[int]]]) -> dict[str, float]:
    """Updates whose older one is named (of those that rules did not end, and of all as if they had read nothing), near
    pairs whose first is, notes that are asked about, and updates' first statements that are."""

    def share(found: list[bool]) -> float:
        return sum(found) / max(1, len(found))

    def own(kind: str, unread: bool) -> float:
        return share(
            [
                one.own in each
                for one, each in stores
                if one.kind == kind and one.is_second and one.unread == unread and one.own is not None
            ]
        )

    return {
        "updates": own("update", False),
        "unread": own("update", True),
        "near": own("near", False),
        "near unread": own("near", True),
        "notes": share([bool(each) for one, each in stores if one.kind == "note"]),
        "first ones": share(
            [bool(each) for one, each in stores if one.kind == "update" and not one.is_second and not one.unread]
        ),
    }


def main() -> None:
    """Train, say what came of it, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_predecessors", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {WEIGHTS.name}")
    arguments = parser.parse_args()
    made = trained(asked())
    say(json.dumps(made, indent=1))
    if arguments.write:
        WEIGHTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
