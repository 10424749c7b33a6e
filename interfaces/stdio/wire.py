"""Lines on the wire, and the request ids in them; standard library only, since the front imports it."""

from __future__ import annotations

import json
import re
from typing import Any, TypeGuard

MAX_LINE_BYTES = 32 * 2**20
MAX_VALUES = 100_000
"""The most JSON values in a message: more would hold up everybody else while they are read."""

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_JSON = "Parse error: the line is not JSON"
TOO_LONG = f"Invalid Request: longer than {MAX_LINE_BYTES} bytes"
TOO_MANY_VALUES = f"Invalid Request: more than {MAX_VALUES} values in one message"
NO_MESSAGE = "Invalid Request: no JSON-RPC 2.0 message, or its id is neither a text nor a whole number"

_END = 2**12
_CUT = b"\x00"
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")(?=\s*[,}])'
# In a message that cannot be parsed, the id is where clients write it: first, after plain texts, or last.
_ID_FIRST = re.compile(r'^\{(?:\s*"\w+"\s*:\s*"[^"\\]*"\s*,)*\s*' + _ID)
_ID_LAST = re.compile(_ID + r"\s*\}\s*$")

_RESPONSE_ID = re.compile(rb'\{"jsonrpc":"2\.0","id":(-?\d+|"[^"\\]*"),"(?:result|error)"')

RequestId = int | str


class LineSplitter:
    """Cuts a stream into lines without their end; of a line that is too long it keeps only the two ends."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._overlong = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that are complete now."""
        lines: list[bytes] = []
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            self._pending += part
            if self._overlong:
                self._pending[_END:_END] = _CUT  # never valid JSON: the ends must not pass for the whole
            lines.append(bytes(self._pending))
            self._pending.clear()
            self._overlong = False
        self._pending += rest
        self._overlong = self._overlong or len(self._pending) > MAX_LINE_BYTES
        if self._overlong:  # its two ends are enough to find the id that wants an answer
            del self._pending[_END:-_END]
        return lines


def is_cut(line: bytes) -> bool:
    """Return whether only the two ends of a line were kept."""
    return line[_END : _END + 1] == _CUT


def decoded(line: str | bytes) -> Any:
    """Return the JSON value of a line; None when it is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def guessed_id(line: str) -> RequestId | None:
    """Return the id of the request in a line that is not JSON, if it can be seen; in JSON it is certain."""
    found = _ID_FIRST.search(line[:_END])
    if found is None and (found := _ID_LAST.search(line[-_END:])) is not None and not _is_balanced(line):
        return None  # torn, and the last object in it is none that wants an answer
    return decoded(found[1]) if found else None


def has_too_many_values(line: bytes) -> bool:
    """Return whether a line has more values than a message may have; far cheaper than reading it."""
    if len(line) < 2 * MAX_VALUES or line.count(b",") < MAX_VALUES:
        return False
    if line.count(b'"') - line.count(b'\\"') > 4 * MAX_VALUES:  # each value has a name at most, and is one text
        return True
    return sum(part.count(b",") for part in _outside_texts(line)) >= MAX_VALUES


def _is_balanced(line: str) -> bool:
    """Return whether all that a line opens is closed, as far as it was kept."""
    if _CUT.decode() in line:
        return True
    plain = b"".join(_outside_texts(line.encode("utf-8", "replace")))
    return all(plain.count(begin) == plain.count(end) for begin, end in (b"{}", b"[]"))


def _outside_texts(line: bytes) -> list[bytes]:
    return line.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]


def answered_id(line: bytes) -> RequestId | None:
    """Return the id that a server's line answers; read from its beginning where our server wrote it.

    None for a request of the server: its id is of its own, and may be one that the client uses too.
    """
    found = _RESPONSE_ID.match(line)
    if found is not None:
        identifier = json.loads(found[1])
    else:
        message = decoded(line)
        identifier = message.get("id") if isinstance(message, dict) and "method" not in message else None
    return identifier if is_request_id(identifier) else None


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Return whether a value can be the id of a request."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def canonical_id(request_id: RequestId) -> RequestId:
    """Return an id as ids are compared: to the SDKs "7" and 7 are one, and either cancels the other."""
    try:
        return int(request_id)
    except ValueError:
        return request_id


def nobodys_error(code: int, message: str) -> bytes:
    """The answer to what has no id that could be answered: its id is null."""
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, separators=(",", ":")).encode()


def refusal_of(line: bytes) -> bytes | None:
    """The answer to a line that is not a message and has no id; None for an empty one, and where an id can be seen."""
    is_json = decoded(line) is not None or line.strip() == b"null"
    if not line.strip() or not (is_json or guessed_id(line.decode("utf-8", "replace")) is None):
        return None
    if is_cut(line):
        return nobodys_error(INVALID_REQUEST, TOO_LONG)
    return nobodys_error(INVALID_REQUEST, NO_MESSAGE) if is_json else nobodys_error(PARSE_ERROR, NO_JSON)
