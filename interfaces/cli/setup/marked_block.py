"""Text for people and models: a block between two marks is inserted into or removed from it."""

from typing import Any

from ....modules.records import dataclass
from .documents import Edit, Facts, Unreadable, newline_of, separator_after, without_separator

BEGIN = "<!-- agentos:begin (agentos setup writes this block; --uninstall removes it) -->"
END = "<!-- agentos:end -->"


@dataclass(frozen=True)
class MarkedBlock:
    """A block between marks; `header` begins a file that holds nothing else. `begin` is known by its first word."""

    header: str = ""
    begin: str = BEGIN
    end: str = END

    def entry(self, text: str) -> Any | None:
        """Return the text between the marks; None where there is no block. Raises Unreadable."""
        span = self._span(text)
        if span is None:
            return None
        lines = text[span[0] : span[1]].splitlines()
        return "\n".join(lines[1:-1]) + "\n"

    def put(self, text: str, wanted: Any) -> Edit:
        """Append the block, or replace it. Raises Unreadable."""
        newline = newline_of(text)
        block = f"{self.begin}\n{wanted}{self.end}\n".replace("\n", newline)
        span = self._span(text)
        if span is not None:
            return Edit(text[: span[0]] + block + text[span[1] :])
        if not text.strip():
            return Edit(self.header + block, {"blank": text})
        separator = separator_after(text)
        return Edit(text + separator + block, {"separator": separator})

    def remove(self, text: str, facts: Facts) -> str:
        """Remove the block. Raises Unreadable."""
        span = self._span(text)
        if span is None:
            return text
        before, after = text[: span[0]], text[span[1] :]
        if "blank" in facts and (before + after).strip() == self.header.strip():
            return str(facts["blank"])
        return without_separator(before, after, {"separator": ""} if "blank" in facts else facts)

    def _span(self, text: str) -> tuple[int, int] | None:
        """Return where the block begins, and where the line of its end mark ends. Raises Unreadable."""
        first = self.begin.partition(" (")[0]
        if text.count(first) > 1 or text.count(self.end) > 1:
            raise Unreadable("the agentos markers appear twice; remove one block by hand")
        begin, end = text.find(first), text.find(self.end)
        if begin < 0 and end < 0:
            return None
        if begin < 0 or end < begin or (begin > 0 and text[begin - 1] != "\n"):
            raise Unreadable(
                f"one of the marks {first} … and {self.end} is missing or has moved; remove the other by hand"
            )
        newline = text.find("\n", end)
        if text[end + len(self.end) : None if newline < 0 else newline].strip():
            raise Unreadable(f"there is text after {self.end} on its line; remove the block by hand")
        return begin, len(text) if newline < 0 else newline + 1
