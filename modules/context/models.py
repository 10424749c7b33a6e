"""A compiled context and the request it was compiled for."""

from ..records import dataclass
from ..views.contexts import Context, ContextEntry, ContextPart


@dataclass(frozen=True)
class CompiledContext:
    """A context for a prompt; `tokens` (estimated on the high side) are all that it costs, as text or as JSON.

    `intent` is what the query was taken for, `method` how it was compiled.
    """

    preset: str
    intent: str
    method: str
    tokens: int
    context: Context

    @property
    def parts(self) -> tuple[ContextPart, ...]:
        """The parts, in a stable order."""
        return self.context.parts

    def part(self, name: str) -> tuple[ContextEntry, ...]:
        """Return the entries of a part; none where there is no such part."""
        return next((part.entries for part in self.context.parts if part.name == name), ())
