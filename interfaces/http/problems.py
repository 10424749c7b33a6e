"""Failures over HTTP: problem details (RFC 9457) with the stable codes of `modules.errors`."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.types import Send

from ...modules.errors import AgentOSError, InvalidInput

MEDIA_TYPE = "application/problem+json"
STATUSES: Mapping[str, int] = {
    "invalid_input": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "suspended": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "timeout": 408,
    "conflict": 409,
    "precondition_failed": 412,
    "too_large": 413,
    "unsupported_media_type": 415,
    "misdirected": 421,
    "too_many_requests": 429,
    "internal_error": 500,
    "overloaded": 503,
    "storage_unavailable": 503,
    "storage_refused": 503,
    "wrong_settings": 503,
}
"""The status of every code that an answer may have; 422 for the codes of other services' refusals."""

MAX_DETAIL_CHARS = 600
RETRY_AFTER_S = 1
MENDED_AFTER_S = 60
"""When to come again where somebody has to mend something first."""
_AGAIN_AFTER_S = {"storage_unavailable": RETRY_AFTER_S, "overloaded": 5}


class Problem(Exception):
    """A request is refused with a code of STATUSES; `str` tells the caller what to do."""

    def __init__(self, code: str, detail: str, field: str | None = None, **headers: str) -> None:
        super().__init__(detail)
        self.code = code
        self.status = STATUSES.get(code, 422)
        self.field = field
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def body(self, request_id: str) -> bytes:
        """Return the problem as JSON, in valid UTF-8."""
        fields: dict[str, Any] = {
            "type": f"urn:agentos:problem:{self.code}",
            "title": self.code.replace("_", " "),
            "status": self.status,
            "detail": str(self)[:MAX_DETAIL_CHARS],
            "code": self.code,
            "request_id": request_id,
        }
        if self.field is not None:
            fields["field"] = self.field
        return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")


def problem_of(error: AgentOSError, detail: str) -> Problem:
    """Return the problem that tells an error of the services, in words without secrets."""
    again = {}
    if STATUSES.get(error.code) == 503:
        again["retry_after"] = str(_AGAIN_AFTER_S.get(error.code, MENDED_AFTER_S))
    return Problem(error.code, detail, error.field if isinstance(error, InvalidInput) else None, **again)


async def send_problem(send: Send, problem: Problem, request_id: str) -> None:
    """Answer a request with a problem."""
    body = problem.body(request_id)
    fields = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **problem.headers}
    headers = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
