"""Measures redaction with hard texts: `python -m agentos.benchmarks.redaction.harsh dev|held_out [--show]`.

The share of secrets that is redacted (recall), and of ordinary texts that lose anything (false alarms). The held-out
half is for figures only: whoever looks at its misses must write another one.
"""

import random
import re
import string
import sys
from collections.abc import Iterator
from types import ModuleType

from ...modules.redaction.rules import redact
from . import harsh_dev, harsh_held_out

HALVES: dict[str, ModuleType] = {"dev": harsh_dev, "held_out": harsh_held_out}
_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": string.digits + "abcdef",
    "u": string.ascii_uppercase + "234567",
    "b": string.ascii_letters + string.digits + "+/",
}


def lines(text: str, seed: int = 11) -> Iterator[str]:
    """Yield the texts of a half, with generated characters in place of their marks."""
    chance = random.Random(seed)

    def made(match: re.Match[str]) -> str:
        kind, length = match[1], int(match[2])
        found = [chance.choice(_ALPHABETS[kind]) for _ in range(length)]
        if kind in "ab":  # random values nearly always mix these
            found[1], found[length // 2], found[-2] = "7", "Q", "k"
        return "".join(found)

    for line in text.strip().splitlines():
        line = line.replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\")
        yield re.sub(r"\{([ahub])(\d{1,3})\}", made, line)


def missed(half: ModuleType) -> tuple[int, list[str]]:
    """Return how many secret texts there are, and those in which a secret is left."""
    found = list(lines(half.SECRET))
    left = []
    for line in found:
        secrets = re.findall("⟪([^⟫]+)⟫", line)
        redacted = redact(line.replace("⟪", "").replace("⟫", "")).text
        if any(secret in redacted for secret in secrets):
            left.append(line)
    return len(found), left


def false_alarms(half: ModuleType) -> tuple[int, list[str]]:
    """Return how many ordinary texts there are, and those that lose anything."""
    found = list(lines(half.ORDINARY))
    return len(found), [f"{line!r} -> {redact(line).text!r}" for line in found if redact(line).text != line]


def main(arguments: list[str]) -> None:
    """Print the figures of a half."""
    half = HALVES[arguments[0]]
    (secrets, left), (ordinary, wrong) = missed(half), false_alarms(half)
    sys.stdout.write(
        f"recall {1 - len(left) / secrets:.3f} of {secrets}, false alarms {len(wrong) / ordinary:.3f} of {ordinary}\n"
    )
    if "--show" in arguments and half is harsh_dev:
        sys.stdout.writelines(f"MISSED {line!r}\n" for line in left)
        sys.stdout.writelines(f"WRONG {line}\n" for line in wrong)


if __name__ == "__main__":
    main(sys.argv[1:])
