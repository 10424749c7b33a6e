"""The body of an answer in the shape of another system."""

from typing import Any

from ....modules.records import dataclass


@dataclass(frozen=True)
class CompatReply:
    """The body of an answer: JSON values, and times."""

    content: Any

    def as_text(self) -> str:
        """Return nothing: it is programs that read these answers."""
        return ""
