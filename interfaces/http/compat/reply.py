"""The body of an answer in the shape of another system."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """The body of an answer: JSON values, and times."""

    content: Any

    def as_text(self) -> str:
        """Return nothing: it is programs that read these answers."""
        return ""
