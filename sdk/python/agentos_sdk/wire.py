"""Requests and answers as they are on the wire, without sending any."""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode

from .errors import AgentOSError, UnexpectedAnswer, WrongOption, error_of
from .generated.operations import OPERATIONS, VERSION
from .operation import Operation
from .options import Options

PROBLEM = "application/problem+json"
ACCEPTED = f"application/json, application/x-ndjson, text/event-stream, {PROBLEM}"
MOST_BYTES = 256 * 2**20
"""The largest answer that is read."""
_IN_PATH = re.compile(r"\{(\w{1,40})\}")


@dataclass(frozen=True)
class Request:
    """A request, ready to be sent as often as needed: with each retry goes the same Idempotency-Key."""

    operation: Operation
    url: str
    headers: Mapping[str, str]
    body: bytes | None


def request_of(name: str, given: Mapping[str, Any], options: Options) -> Request:
    """Return the request for an operation. What is None is left out. Raises WrongOption."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise WrongOption(f"operation: this client knows no {name!r}; its names are those of /openapi.json")
    values = {one: value for one, value in given.items() if value is not None}
    if operation.namespaced and options.namespace is not None:
        values.setdefault("namespace", options.namespace)
    path = _IN_PATH.sub(lambda found: _part(found[1], values.pop(found[1], None)), operation.path)
    headers = {
        **options.headers,
        "authorization": f"Bearer {options.key}",
        "accept": ACCEPTED,
        "user-agent": f"agentos-sdk/{VERSION} (Python)",
    }
    if operation.once:
        headers["idempotency-key"] = options.idempotency_key or str(uuid.uuid4())
    if operation.sends == "body":
        headers["content-type"] = "application/json"
        return Request(operation, options.url + path, headers, _dumped(values))
    if operation.sends == "bundle":
        headers["content-type"] = "application/x-ndjson"
    if operation.sends == "file":
        headers["content-type"] = "application/octet-stream"
    query = urlencode({one: _queried(value) for one, value in values.items()}, doseq=True, errors="replace")
    return Request(operation, options.url + path + (f"?{query}" if query else ""), headers, None)


def answer_of(status: int, body: bytes) -> Any:
    """Return what was answered. Raises UnexpectedAnswer."""
    try:
        return json.loads(body)
    except ValueError as error:
        raise UnexpectedAnswer(f"the answer is no JSON: {error}", status) from error


def refusal_of(status: int, headers: Mapping[str, str], body: bytes, url: str) -> AgentOSError:
    """Return the failure that an answer without success stands for."""
    wait = retry_after(headers.get("retry-after"))
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == PROBLEM:
        problem = answer_of(status, body)
        if isinstance(problem, dict) and {"code", "detail", "status"} <= problem.keys():
            return error_of(problem, wait)
    goes = headers.get("location")
    hint = f"it leads to {goes}: give that as the url" if goes else f"is {url} the address of AgentOS?"
    return UnexpectedAnswer(f"answered with {status} {kind}, not by AgentOS: {hint}", status, wait)


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After asks for, which is a number or a date; None where it is neither."""
    if header is None:
        return None
    if header.strip().isdecimal() and len(header) < 10:
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _part(name: str, value: Any) -> str:
    if not isinstance(value, str) or value in ("", ".", "..") or "/" in value:
        raise WrongOption(f'{name}: must be text that is neither empty, "." nor "..", and has no "/"')
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise WrongOption(f"{name}: is not valid Unicode") from None


def _queried(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [_queried(one) for one in value]
    return str(value)


def _dumped(values: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise WrongOption(f"the arguments are no JSON: {error}") from None
    return text.encode("utf-8", "replace")
