"""Fits the weights of `modules/redaction/nearby.py`: `python -m agentos.training.train_redaction`.

It learns from the halves of the redaction benchmark that may be looked into, and from `ORDINARY`. The threshold is the
one at which, with the weights of four fifths, no more than two ordinary texts in a thousand of the fifth lose anything.
"""

import random
import re
import sys
from collections.abc import Iterator

import numpy as np

from ..benchmarks.redaction import by_kind, harsh
from ..modules.redaction import nearby
from ..modules.redaction.spans import lowered
from .fitting import fit

_PARTS = 5
_MOST_FALSE = 0.002
_MARGIN = 0.5
"""What is added to the threshold, since texts of new kinds come nearer to it."""

ORDINARY = r"""
password length 12-64chars@NIST2024
the password rule: min8+1digit+1Upper
password age 90d/365d@policy7
passwords are checked by zxcvbn>=3/4@signup
password reset mails 1.2k/day@Q3+Q4
password prompt after 15min@idle+lock
Passwortlänge 12/64Zeichen@2026
Passwort-Richtlinie gilt ab 1.Jan2026@Werk3
token limit 8k/32k@mistral7b
token price 2.50USD/1M@gpt-4o
token speed 42tok/s@M3+16GB
one token = 4chars@English+code
the token ring: 16Mbit@IEEE802.5+
token lifetime 15min/30d@OAuth2.1
secret ballot 42yes/17no@AGM2026
secret recipe: 250g+3eggs@180C
secret level unlocked: World4-2*3stars@Mario
secret sharing 3-of-5@Shamir1979
secret rotation 30d+7d@staging2
my favourite secret beach: 41.9N/12.5E@Lazio
jeton de casino: 5EUR/25EUR@Table7
geheim bis 31.12.2026@18Uhr+MEZ
segreto di Stato: L.124/2007@art39
mot de passe : 12car+1chiffre@2026
contraseña: mínimo 8car+1num@2026
hasło dnia: 3x+2y=12@klasa7b
wachtwoord verloopt 90dgn@1jan2027
salasana vaihtuu 90pv/kk@2026
passphrase words 6x7776@Diceware+EFF
passcode screen iOS17.2/iPadOS17@MDM
""".strip().splitlines()
"""Lines with a word for a secret and what looks like one."""


def texts() -> Iterator[tuple[str, bool]]:
    """Yield texts with their secrets marked, and whether a text is ordinary."""
    for half in ("A", "C"):
        secret, ordinary = by_kind.half(half)
        yield from ((text, False) for _, text in secret)
        yield from ((text, True) for _, text in ordinary)
    for module in harsh.HALVES.values():
        yield from ((text, False) for text in harsh.secret(module))
        yield from ((text, True) for text in harsh.ordinary(module))
    yield from ((text, True) for text in ORDINARY)


def examples(text: str) -> Iterator[tuple[list[float], bool]]:
    """Yield the features of each candidate of a text, and whether it is marked."""
    plain = by_kind.unmarked(text)
    marked, removed = [], 0
    for match in re.finditer("⟪([^⟫]*)⟫", text):
        marked.append((match.start() - removed, match.end() - removed - 2))
        removed += 2
    for begin, end, words in nearby._lines(plain, lowered(plain)):
        for span, features in nearby._candidates(plain, begin, end, words):
            yield features, any(a < span.end and span.begin < b for a, b in marked)


def main() -> None:
    """Print the weights and what they catch."""
    rows = [
        (number, is_ordinary, features, is_secret)
        for number, (text, is_ordinary) in enumerate(texts())
        for features, is_secret in examples(text)
    ]
    values = np.array([row[2] for row in rows])
    wanted = np.array([float(row[3]) for row in rows])
    count = 1 + max(row[0] for row in rows)
    total = sum(is_ordinary for _, is_ordinary in texts())
    order = list(range(count))
    random.Random(7).shuffle(order)
    parts = np.array([order[row[0]] % _PARTS for row in rows])
    scores = np.zeros(len(rows))
    for part in range(_PARTS):
        inside = parts != part
        weights = fit(values[inside], wanted[inside], np.ones(inside.sum()))
        scores[~inside] = np.hstack([values[~inside], np.ones((int((~inside).sum()), 1))]) @ weights
    worst: dict[int, float] = {}
    for score, row in zip(scores, rows, strict=True):
        if row[1]:
            worst[row[0]] = max(score, worst.get(row[0], -99.0))
    threshold = sorted(worst.values(), reverse=True)[int(_MOST_FALSE * total)] + _MARGIN
    weights = fit(values, wanted, np.ones(len(rows)))
    found = (scores > threshold) & (wanted > 0)
    caught = found.sum() / wanted.sum()
    sys.stdout.write(
        f"{len(rows)} candidates, {int(wanted.sum())} secrets, {total} ordinary texts: {caught:.3f} caught\n"
    )
    written = ", ".join(f"{weight:.2f}" for weight in weights[:-1])
    sys.stdout.write(f"WEIGHTS = ({written})\nBIAS = {weights[-1] - threshold:.2f}\n")


if __name__ == "__main__":
    main()
