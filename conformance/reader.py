"""The reference reader of AgentOS bundles, in Python: which lines are accepted, what they hold, their normal form.

    python reader.py verify FILE       what it holds, as JSON
    python reader.py normalise FILE    its normal form, on standard output
    python reader.py seal FILE [KEY]   whether it is as it was sealed, and who signed it; 1 if not, or not by KEY
    python reader.py signed FILE [KEY] the same of another signed document: a catalog, a certificate, a manifest

One file that needs the standard library alone, and the package cryptography for signatures: copy it. A bundle that is
not accepted ends it with 1 and the complaint as JSON on standard error. README.md beside it explains the format;
reader.mjs is the same in JavaScript.
"""

import base64
import binascii
import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

FORMAT = 1
"""The format of the lines; the schema of the rows in them has its own number."""

MAX_DEPTH = 64
"""The deepest nesting of objects and lists, including the line's own object."""

MAX_INTEGER = 2**63

SIGNED = b"AgentOS signature 1\n"
"""What stands before the canonical text of everything that is signed, so that no other text can be taken for one."""

SCHEME = "ed25519"

_MAX_DIGITS = len(str(MAX_INTEGER)) + 1
_MAYBE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

Row = dict[str, Any]


class Complaint(Exception):
    """The reason why a bundle is not accepted: a `code`, the same in every reader, and the line's number, from 1."""

    def __init__(self, code: str, line: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.message = message

    def as_json(self) -> dict[str, Any]:
        """Return the complaint for programs."""
        return {"code": self.code, "line": self.line, "message": self.message}


@dataclass(frozen=True)
class Line:
    """An accepted line: `head`, `row` or `end`, whole, with fields that this reader does not know."""

    number: int
    kind: str
    value: Row


class CanonicalHash:
    """A SHA-256 over rows, independent of their order: the hash of their sorted hashes."""

    def __init__(self) -> None:
        self._hashes: list[bytes] = []

    def add(self, table: str, row: Row) -> None:
        """Add a row. Raises ValueError for what no bundle can hold."""
        self._hashes.append(hashlib.sha256(canonical([table, row])).digest())

    @property
    def digest(self) -> str:
        """The hash, in hexadecimal."""
        return hashlib.sha256(b"".join(sorted(self._hashes))).hexdigest()


def parse(line: bytes) -> Any:
    """Return the value of a line of strict JSON. Raises ValueError for any other, RecursionError for one far too deep.

    Stricter than JSON where readers would differ: UTF-8 without a byte order mark, no name twice in an object, whole
    numbers of 64 bits, other numbers finite, no unpaired surrogate, at most MAX_DEPTH levels.
    """
    value = json.loads(
        line.decode("utf-8"),
        object_pairs_hook=_object,
        parse_int=_integer,
        parse_float=_real,
        parse_constant=_no_constant,
    )
    if line.count(b"{") + line.count(b"[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    if _MAYBE_SURROGATE.search(line):
        canonical(value)
    return value


def canonical(value: Any) -> bytes:
    """Return the canonical text of a JSON value, in UTF-8. Raises ValueError for what no bundle can hold.

    Names in the order of their code points, no spaces; in texts only `"`, `\\` and what is below U+0020 is escaped. A
    number that was written with a fraction or an exponent keeps one: the fewest digits that give the same double, as
    `1.0`, `0.0001`, `1e-05`, `1e+16` (an exponent of two digits or more, below 1e-4 and from 1e16 on).
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")


def read(lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield the lines of a bundle, each checked before; if the last one comes, the bundle is whole and unchanged.

    Raises Complaint.
    """
    count, found, ended = 0, CanonicalHash(), False
    number = 0
    for number, text in enumerate(lines, start=1):
        if ended:
            raise Complaint("after", number, f"line {number} comes after the last line")
        value = _accepted(number, text)
        if number == 1:
            yield _head(value)
        elif "end" in value:
            _check_end(number, value, count, found.digest)
            ended = True
            yield Line(number, "end", value)
        else:
            yield _row(number, value)
            found.add(value["table"], value["row"])
            count += 1
    if not ended:
        raise Complaint("end", number + 1, "ends too early: its last line is missing")


def normal(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a bundle's normal form: each canonical, the tables by name, their rows as they arrived.

    Raises Complaint.
    """
    rows: dict[str, list[bytes]] = {}
    ends: list[bytes] = []
    for line in read(lines):
        text = canonical(line.value) + b"\n"
        if line.kind == "head":
            yield text
        elif line.kind == "row":
            rows.setdefault(line.value["table"], []).append(text)
        else:
            ends.append(text)
    for table in sorted(rows):
        yield from rows[table]
    yield from ends


def verified(lines: Iterable[bytes]) -> dict[str, Any]:
    """Return what a bundle holds, once verified: its format, its schema, rows by table, hash. Raises Complaint."""
    summary: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    for line in read(lines):
        if line.kind == "head":
            summary = {"format": line.value["agentos_bundle"], "schema": line.value["schema"]}
        elif line.kind == "row":
            counts[line.value["table"]] += 1
        else:
            summary |= {"rows": dict(sorted(counts.items())), "canonical_hash": line.value["canonical_hash"]}
    return summary


def unbroken(lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield the lines of a bundle as `read` does. Raises Complaint too where its seal is not that of its bytes."""
    found = _Sealing()
    for line, text in _with_texts(lines):
        found.add(line, text)
        if found.seal is not None and found.seal.get("sha256") != found.digest.hexdigest():
            raise Complaint("seal", line.number, "is not as it was sealed: a byte outside of its rows was changed")
        yield line


def sealing(lines: Iterable[bytes]) -> tuple[Row, Row | None, str]:
    """Return a bundle's envelope, its seal if it has one, and the SHA-256 that a seal must name.

    That of its bytes, with the last line in its canonical text without the seal: a sealed bundle has one spelling.
    Raises Complaint.
    """
    found = _Sealing()
    for line, text in _with_texts(lines):
        found.add(line, text)
    return found.envelope, found.seal, found.digest.hexdigest()


class _Sealing:
    """What a seal is about, line by line."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.envelope: Row = {}
        self.seal: Row | None = None

    def add(self, line: Line, text: bytes) -> None:
        if line.kind != "end":
            self.digest.update(text + b"\n")
            envelope = line.value.get("envelope") if line.kind == "head" else None
            self.envelope = envelope if isinstance(envelope, dict) else self.envelope
            return
        end = dict(line.value)
        seal = end.pop("seal", None)
        self.digest.update(canonical(end) if text == canonical(line.value) else text)
        self.seal = seal if isinstance(seal, dict) else None


def _with_texts(lines: Iterable[bytes]) -> Iterator[tuple[Line, bytes]]:
    latest = [b""]

    def remembered() -> Iterator[bytes]:
        for latest[0] in lines:
            yield latest[0]

    for line in read(remembered()):
        yield line, latest[0]


def signed_text(document: Row) -> bytes:
    """Return the bytes that the signature in a document signs: all of it but the signature's own value."""
    unsigned = {name: value for name, value in document["signature"].items() if name != "value"}
    return SIGNED + canonical(document | {"signature": unsigned})


def signature_of(document: Row) -> str:
    """Return `valid`, `invalid` or `unsigned`: how a document's signature stands to it, and to the key it names."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if "signature" not in document:
        return "unsigned"
    signature = document["signature"]
    try:
        if signature["scheme"] != SCHEME or not isinstance(signature["author"], str):
            return "invalid"
        key = Ed25519PublicKey.from_public_bytes(_bytes(signature["key"]))
        key.verify(_bytes(signature["value"]), signed_text(document))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return "invalid"
    return "valid"


def seal_of(lines: Iterable[bytes]) -> dict[str, Any]:
    """Return how a bundle stands to its seal: `integrity` whole, changed or none, the signature, author and key.

    Raises Complaint.
    """
    envelope, seal, digest = sealing(lines)
    if seal is None:
        return {"envelope": envelope, "integrity": "none", "signature": "unsigned", "author": None, "key": None}
    found = signature_of(seal)
    signature = seal["signature"] if found == "valid" else {}
    return {
        "envelope": envelope,
        "integrity": "whole" if seal.get("sha256") == digest else "changed",
        "signature": found,
        "author": signature.get("author"),
        "key": signature.get("key"),
    }


def signed_by(text: bytes) -> dict[str, Any]:
    """Return how a signed document stands to its signature, and its author and key. Raises Complaint."""
    try:
        document = parse(text)
    except (ValueError, RecursionError) as error:
        raise Complaint("json", 1, f"is no signed document: {error}") from None
    if not isinstance(document, dict):
        raise Complaint("json", 1, "is no signed document: no object")
    found = signature_of(document)
    signature = document["signature"] if found == "valid" else {}
    return {"signature": found, "author": signature.get("author"), "key": signature.get("key")}


def in_lines(file: BinaryIO) -> Iterator[bytes]:
    """Return the lines of a file, which end with U+000A and nothing else."""
    return (line.removesuffix(b"\n") for line in file)


def _bytes(text: str) -> bytes:
    """Return what a text says in base64. Raises ValueError where the same bytes would be written otherwise."""
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("is no base64") from error
    if base64.b64encode(value).decode() != text:
        raise ValueError("is no base64 as it is written")
    return value


def _accepted(number: int, text: bytes) -> Row:
    try:
        value = parse(text)
    except json.JSONDecodeError as error:
        raise Complaint("json", number, f"line {number} is not JSON") from error
    except (ValueError, RecursionError) as error:
        raise Complaint("json", number, f"line {number}: {error}") from error
    if not isinstance(value, dict):
        raise Complaint("json", number, f"line {number} is no JSON object")
    return value


def _head(value: Row) -> Line:
    made = value.get("agentos_bundle")
    if type(made) is not int or made < 1 or type(value.get("schema")) is not int or value["schema"] < 1:
        raise Complaint("head", 1, "is no AgentOS bundle: the first line does not say so")
    if made != FORMAT:
        raise Complaint("newer", 1, f"has format {made}, this reader knows {FORMAT}; upgrade")
    return Line(1, "head", value)


def _row(number: int, value: Row) -> Line:
    if not isinstance(value.get("table"), str) or not isinstance(value.get("row"), dict):
        raise Complaint("row", number, f"line {number} is not a row")
    return Line(number, "row", value)


def _check_end(number: int, value: Row, count: int, digest: str) -> None:
    if type(value["end"]) is not int or value["end"] != count:
        raise Complaint("count", number, "is not as it was written: rows are missing or changed (their number)")
    if value.get("canonical_hash") != digest:
        raise Complaint("hash", number, "is not as it was written: rows are missing or changed (their hash)")


def _object(pairs: list[tuple[str, Any]]) -> Row:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same name twice")
    return found


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS or not -MAX_INTEGER <= (value := int(text)) < MAX_INTEGER:
        raise ValueError("a whole number is out of range: it has more than 64 bits")
    return value


def _real(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError("a number is too large")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return its exit code."""
    action, *rest = arguments or [""]
    if (action, len(rest)) not in (
        ("verify", 1),
        ("normalise", 1),
        ("seal", 1),
        ("seal", 2),
        ("signed", 1),
        ("signed", 2),
    ):
        sys.stderr.write((__doc__ or "") + "\n")
        return 2
    try:
        with Path(rest[0]).open("rb") as file:
            if action == "verify":
                sys.stdout.buffer.write(canonical(verified(in_lines(file))) + b"\n")
            elif action == "normalise":
                sys.stdout.buffer.writelines(list(normal(in_lines(file))))
            elif action == "signed":
                found = signed_by(file.read())
                sys.stdout.buffer.write(canonical(found) + b"\n")
                return 0 if found["signature"] == "valid" and rest[1:] in ([], [found["key"]]) else 1
            else:
                found = seal_of(in_lines(file))
                sys.stdout.buffer.write(canonical(found) + b"\n")
                as_sealed = found["integrity"] == "whole" and found["signature"] != "invalid"
                return 0 if as_sealed and rest[1:] in ([], [found["key"]]) else 1
    except Complaint as complaint:
        sys.stderr.write(json.dumps(complaint.as_json()) + "\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
