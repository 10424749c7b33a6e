"""The lines of logs: for people, or a JSON object each for programs, with who asked and in which request."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from .principals.acting import actor

TEXT = "%(asctime)s %(levelname)s %(name)s %(message)s"
ASKED = ("request_id", "principal", "door")
"""What a record may say of itself as `extra`; else it is what is being done that says it."""
MAX_CHARS = 32_000
"""The most characters of a message, and of the traceback of an error."""


class JsonLines(logging.Formatter):
    """One JSON object a record, in one line whatever the message holds."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        principal, door, request_id = actor()
        known = {"request_id": request_id, "principal": principal, "door": door}
        fields: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:MAX_CHARS],
            **{name: value for name in ASKED if (value := getattr(record, name, known[name]))},
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)[-MAX_CHARS:]
        return json.dumps(fields, ensure_ascii=True)


def formatter(form: str) -> logging.Formatter:
    """Return what writes lines in a form of AGENTOS_LOG_FORMAT: text or json."""
    return JsonLines() if form == "json" else logging.Formatter(TEXT)


def to_stderr(form: str) -> None:
    """Send the log of this process to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler])
