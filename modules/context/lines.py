"""Lines about memories in briefings: an id, what to know before believing it, and its text as quoted data."""

from typing import Any

from ..clock import Clock
from ..framing import quote
from ..memory.models import Memory
from ..sessions import service as sessions
from ..views.labels import Labels, with_times
from . import lessons
from .phrases import Phrases
from .replaced import Told
from .tokens import cut

ENTRY_TOKENS = 130
WAS_TOKENS = 40
FILES_TOKENS = 24


class Lines:
    """Tells memories as lines, with their labels."""

    def __init__(self, clock: Clock, phrases: Phrases) -> None:
        self._clock = clock
        self._phrases = phrases

    def told(self, told: Told, text: str | None = None, max_tokens: int = ENTRY_TOKENS, also: int = 0) -> str:
        """Return a memory, or the part of its text that is given, with what it may have replaced.

        What it tells was told as often besides as `also` says.
        """
        memory = told.memory
        source = f" {self._phrases.by.format(source=quote(cut(memory.source, 10)))}" if memory.source else ""
        was = ""
        if told.was is not None:
            was = f" ({self._phrases.was.format(text=quote(cut(told.was.content, WAS_TOKENS)))})"
        shown = quote(cut(memory.content if text is None else text, max_tokens))
        return f"- {memory.id}{self._label(memory, also)}{source}: {shown}{was}"

    def work(self, memory: Memory, max_tokens: int = ENTRY_TOKENS) -> str:
        """Return a stretch of work, by its title, with what is next or else the files that it changed."""
        fields = observation(memory)
        title = quote(cut(str(fields.get("title", memory.summary)), max_tokens))
        if following := next_steps(memory):
            more = f", {self._phrases.next.format(text=quote(cut(following, max_tokens)))}"
        else:
            files = [str(path) for path in fields.get("files_modified", ())][:3]
            changed = self._phrases.changed.format(files=", ".join(map(quote, files)))
            more = cut(f", {changed}", FILES_TOKENS) if files else ""
        return f"- {memory.id} {fields.get('type', 'work')}{self._label(memory)}: {title}{more}"

    def rule(self, memory: Memory, *, sure: bool, max_tokens: int = ENTRY_TOKENS) -> str:
        """Return a rule or a lesson, how much it matters, and where it is from."""
        label = "" if sure else f", {self._phrases.unvouched}"
        origin = lessons.origin_of(memory, self._phrases)
        head = f"- {memory.id} [{lessons.severity_of(memory)}{self._label(memory)}{label}] {origin}"
        return f"{head}: {quote(cut(memory.content, max_tokens))}"

    def _label(self, memory: Memory, also: int = 0) -> str:
        labels = Labels(self._clock(), suspicious=frozenset())  # what may be shown unasked is none
        label = with_times(labels.of(memory), also)
        return f", {label}" if label else ""


def observation(memory: Memory) -> dict[str, Any]:
    """Return what is known of a stretch of work; nothing where a memory is none."""
    fields = memory.metadata.get(sessions.TAG)
    return fields if isinstance(fields, dict) else {}


def next_steps(memory: Memory) -> str:
    """Return what a stretch of work left to do."""
    steps = observation(memory).get("next")
    return "; ".join(map(str, steps)) if isinstance(steps, list | tuple) else ""
