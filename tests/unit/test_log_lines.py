"""Log lines as JSON: one line a record, with who asked, whatever it says."""

import json
import logging
import sys
from typing import Any

from agentos.modules import log_lines
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Door, local_owner


def line_of(message: str, *given: Any, error: bool = False, **extra: Any) -> dict[str, Any]:
    logger = logging.getLogger("agentos.test")
    trouble = None
    if error:
        try:
            raise ValueError("broken\nin two")
        except ValueError:
            trouble = sys.exc_info()
    record = logger.makeRecord(logger.name, logging.INFO, __file__, 1, message, given, trouble, extra=extra)
    line = log_lines.formatter("json").format(record)
    assert line.isascii() and "\n" not in line
    fields: dict[str, Any] = json.loads(line)
    return fields


def test_a_record_is_one_line_with_who_asked() -> None:
    with acting(local_owner("default", None, Door.STDIO, "r1")):
        fields = line_of("%d memories\nof %s", 3, "Jürgen")
    assert fields.pop("at").endswith("+00:00")
    assert fields == {
        "level": "INFO",
        "logger": "agentos.test",
        "message": "3 memories\nof Jürgen",
        "request_id": "r1",
        "principal": "owner",
        "door": "stdio",
    }


def test_what_a_record_says_of_itself_counts_and_nobody_asked_for_what_the_daemon_does() -> None:
    fields = line_of("GET", request_id="r2", principal="ada", door="http")
    assert (fields["request_id"], fields["principal"], fields["door"]) == ("r2", "ada", "http")
    fields = line_of("a job", error=True)
    assert "request_id" not in fields and fields["principal"] == "daemon"
    assert "ValueError: broken" in fields["error"]
