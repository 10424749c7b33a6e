"""`agentos contract`: what programs can rely on, for people and for machines; it opens nothing."""

import json
from pathlib import Path
from typing import Any

from ... import conformance
from ...conformance import reader
from ...conformance.validation import published
from ...modules.version import VERSION
from ..stdio.front.handshake import HANDSHAKE_VERSIONS, MODERN
from . import shown
from .options import AsJson
from .terminal import say, say_json

STATED = Path(conformance.__file__).with_name("contract.json")


def contract(as_json: AsJson = False) -> None:
    """Show what this version guarantees and does not, and the formats and protocols it supports."""
    content = document()
    if as_json:
        say_json(content)
        return
    for name in ("guarantees", "known_gaps"):
        say(shown.rows((name.replace("_", " "), ""), [(one["id"], one["says"]) for one in content[name]]))
    versions = [
        (name, ", ".join(map(str, given))) for name, given in content["versions"].items() if isinstance(given, list)
    ]
    say(shown.rows(("versions", ""), versions))


def document() -> dict[str, Any]:
    """Return the contract with the versions that belong to it, as JSON."""
    stated: dict[str, Any] = json.loads(STATED.read_text(encoding="utf-8"))
    return stated | {
        "versions": {
            "agentos": VERSION,
            "bundle_formats": [reader.FORMAT],
            "bundle_schemas": published(),
            "sealed_formats": [1],
            "mcp": [*HANDSHAKE_VERSIONS, MODERN],
            "rest": ["v1"],
        }
    }
