"""What was executed is told so that it is found: by the types of its errors, its tools, and how long it took."""

from typing import Any

from agentos.modules.turns.executions import read
from tests.tables import every

TIMED_OUT = {"tools_used": ["curl", "jq"], "errors": ["TimeoutError: no answer"], "duration_ms": 5012, "success": False}
RUNS: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
    (
        TIMED_OUT,
        "Execution: tools curl, jq; error TimeoutError: no answer; took 5012 ms; failed",
        ("error:TimeoutError",),
    ),
    (
        {"errors": [{"type": "KeyError", "message": "user"}, {"error": "it raised a ValueError"}, "disk full: sda"]},
        "Execution: error KeyError: user; error ValueError: it raised a ValueError; error disk full: sda",
        ("error:KeyError", "error:ValueError", "error:disk full"),
    ),
    ({"errors": ["OSError: OSError: disk full"]}, "Execution: error OSError: disk full", ("error:OSError",)),
    ({"duration_s": 2.5}, "Execution: took 2.5 s", ()),
    ({"errors": [], "tools_used": None, "duration_ms": "soon"}, "", ()),
    ({"errors": "OSError", "tools_used": "make"}, "Execution: tools make; error OSError", ("error:OSError",)),
    (
        {
            "tool": "Bash",
            "command": "make deploy",
            "exit_code": 2,
            "error": "E_LOCK on orders",
            "output": {},
            "note": " ",
        },
        "Execution: tools Bash; error E_LOCK on orders; command make deploy; exit_code 2",
        ("error:E_LOCK on orders",),
    ),
    ({}, "", ()),
]


@every(("details", "text", "tags"), RUNS)
def test_an_execution_is_described_by_its_errors_tools_and_duration(
    details: dict[str, Any], text: str, tags: tuple[str, ...]
) -> None:
    assert (read(details).text, read(details).tags) == (text, tags)
