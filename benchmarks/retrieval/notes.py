"""The set of one-shot notes: decisions, causes of faults, settings, preferences and observations, with questions.

Written by hand for this project. No note has a session; many differ from another only by a name, a version or a
number. A paraphrase question shares few words with its note, an identifier question names something exact.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTES = Path(__file__).with_name("notes.json")


def load(path: Path = NOTES) -> dict[str, Any]:
    """Return the set in the form of `--data` files.

    It has a name, and stores of items (id, session, occurred_at, content) and of questions.
    """
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data
