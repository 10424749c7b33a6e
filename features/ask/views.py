"""An answer with its sources, as a view."""

from typing import Literal

from ...modules.framing import NOTICE, quote
from ...modules.records import dataclass
from ...modules.views.texts import cut

CHARS = 160
NEAREST = "Nearest, which do not answer it:"


@dataclass(frozen=True)
class Said:
    """A sentence of an answer, and the memories that bear it."""

    text: str
    memories: tuple[str, ...]


@dataclass(frozen=True)
class Near:
    """A memory that is near a question, and does not answer it."""

    id: str
    text: str


@dataclass(frozen=True)
class Answer:
    """An answer: each sentence names its memories. `which` lists what may be meant; `nearest` does not answer it."""

    outcome: Literal["answered", "unknown", "which"]
    sentences: tuple[Said, ...] = ()
    which: tuple[str, ...] = ()
    nearest: tuple[Near, ...] = ()
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the answer as lines."""
        lines = [NOTICE] if self.sentences or self.nearest else []
        lines += [f"{one.text} [{', '.join(one.memories)}]" for one in self.sentences]
        lines += [f"Which is meant: {', '.join(map(quote, self.which))}?"] if self.which else []
        lines += ["Not known."] if self.outcome == "unknown" else []
        lines += [NEAREST, *(f"- {one.id} {quote(cut(one.text, CHARS))}" for one in self.nearest)] * bool(self.nearest)
        return "\n".join([*lines, *self.notes])
