"""Measures redaction with hard texts: `python -m agentos.benchmarks.redaction.harsh HALF [--show]`.

The share of secrets that is redacted (recall), and of ordinary texts that lose anything (false alarms). A half that is
held out is for figures only: whoever looks at its misses must write another one.

What is between ⟪ and ⟫ must go. Marks stand for generated characters: `{aN}` letters and digits, `{lN}` lower case,
`{hN}` and `{HN}` hexadecimal, `{uN}` upper case or digits, `{bN}` and `{gN}` Base64, `{cN}` crypt, `{dN}` digits;
`{U}` is a UUID, `{p}` a password that somebody chose, `{w}` and `{W}` a word. An `@` in a context stands for the form.
"""

import random
import re
import string
import sys
import uuid
from collections.abc import Iterator
from types import ModuleType

from ...modules.redaction.rules import redact
from . import harsh_dev, harsh_seen, kinds_fifth, kinds_first, kinds_fourth, kinds_second, kinds_third

HALVES: dict[str, ModuleType] = {
    "dev": harsh_dev,
    "seen": harsh_seen,
    "kinds_first": kinds_first,
    "kinds_second": kinds_second,
    "kinds_third": kinds_third,
    "kinds_fourth": kinds_fourth,
    "kinds_fifth": kinds_fifth,
}
_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "h": string.digits + "abcdef",
    "H": string.digits + "ABCDEF",
    "u": string.ascii_uppercase + "234567",
    "b": string.ascii_letters + string.digits + "+/",
    "g": string.ascii_letters + string.digits + "-_",
    "c": string.ascii_letters + string.digits + "./",
    "d": string.digits,
}
_WORDS = (
    "amber birch canal dune ember fjord grove heron inlet jetty knoll lagoon mesa nook orchard plume quarry reef "
    "sluice thicket umber vale wharf yarrow"
).split()
_ESCAPED = {"n": "\n", "t": "\t"}
_CONTEXTS_EACH = (2, 8)
"""The contexts in which each secret form and each lookalike stands."""


def lines(text: str, seed: int = 11) -> Iterator[str]:
    """Yield the texts of a half, with generated characters in place of their marks."""
    chance = random.Random(seed)
    for line in text.strip("\n").splitlines():
        plain = re.sub(r"\\(.)", lambda escaped: _ESCAPED.get(escaped[1], escaped[1]), line)
        yield re.sub(r"\{([ablhHugcdUpwW])(\d{0,3})\}", lambda mark: _made(chance, mark[1], mark[2]), plain)


def _made(chance: random.Random, kind: str, length: str) -> str:
    match kind:
        case "U":
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        case "w":
            return chance.choice(_WORDS)
        case "W":
            return chance.choice(_WORDS).title()
        case "p":
            return _password(chance)
    found = [chance.choice(_ALPHABETS[kind]) for _ in range(int(length))]
    if kind in "abgc" and len(found) > 5:  # random values nearly always mix these
        found[1], found[len(found) // 2], found[-2] = "7", "Q", "k"
    return "".join(found)


def _password(chance: random.Random) -> str:
    """Return a password as people choose or generate them, in one of nine manners."""
    first, second, third = chance.sample(_WORDS, 3)
    number, sign = str(chance.randrange(10, 9999)), chance.choice("!@#$%*?+=&")
    scattered = "".join(chance.choice(string.ascii_letters + string.digits + "!#%*+=?@_") for _ in range(9))
    return chance.choice(
        (
            f"{first.title()}{number}{sign}",
            f"{first}_{number}",
            f"{first.title()}{sign}{second}{number}",
            f"{first}-{second}-{third}-{number}",
            f"{number}{first.title()}{sign}",
            f"{first.title()}{second.title()}{number}",
            first.translate(str.maketrans("aeo", "@30")) + sign + number,
            f"{scattered}7xK",
            f"{first}.{second.title()}{number}",
        )
    )


def _texts(half: ModuleType, whole: str, forms: str, times: int) -> list[str]:
    """Return the texts of a half, and its forms in some of its contexts."""
    found = list(lines(getattr(half, whole)))
    chance = random.Random(7)
    for _ in range(times):
        for form in lines(getattr(half, forms, ""), seed=chance.randrange(1000)):
            before, _, after = chance.choice(list(lines(half.CONTEXTS))).partition("@")
            found.append(before + form + after)
    return found


def secret(half: ModuleType) -> list[str]:
    """Return the texts with secrets, which are marked."""
    return _texts(half, "SECRET", "FORMS", _CONTEXTS_EACH[0])


def ordinary(half: ModuleType) -> list[str]:
    """Return the texts without secrets."""
    return _texts(half, "ORDINARY", "LOOKALIKES", _CONTEXTS_EACH[1])


def missed(half: ModuleType) -> tuple[int, list[str]]:
    """Return how many secret texts there are, and those in which a secret is left."""
    found = secret(half)
    left = []
    for line in found:
        planted = re.findall("⟪([^⟫]+)⟫", line)
        redacted = redact(line.replace("⟪", "").replace("⟫", "")).text
        if any(value in redacted for value in planted):
            left.append(line)
    return len(found), left


def false_alarms(half: ModuleType) -> tuple[int, list[str]]:
    """Return how many ordinary texts there are, and those that lose anything."""
    found = ordinary(half)
    return len(found), [f"{line!r} -> {redact(line).text!r}" for line in found if redact(line).text != line]


def main(arguments: list[str]) -> None:
    """Print the figures of a half."""
    half = HALVES[arguments[0]]
    (secrets, left), (ordinary, wrong) = missed(half), false_alarms(half)
    sys.stdout.write(
        f"recall {1 - len(left) / secrets:.3f} of {secrets}, false alarms {len(wrong) / ordinary:.3f} of {ordinary}\n"
    )
    if "--show" in arguments:
        sys.stdout.writelines(f"MISSED {line!r}\n" for line in left)
        sys.stdout.writelines(f"WRONG {line}\n" for line in wrong)


if __name__ == "__main__":
    main(sys.argv[1:])
