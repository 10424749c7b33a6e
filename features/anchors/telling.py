"""What is told of anchors: the mark of a note, and the lines that come when a file is read."""

import re
from collections.abc import Iterable, Sequence

from ...modules.context.entries import Briefing, Group, KeyedLine, fitted
from ...modules.context.tokens import cut
from ...modules.framing import quote
from ...modules.memory.models import Memory
from ...modules.views.labels import Labels
from .models import Anchor, State

TOLD_TOKENS = 150
"""The most that comes with a file."""
NOTE_TOKENS = 50
LONGEST_MARK = 600
"""The longest mark, in characters: it stands with the note wherever that is read, and in an index."""

_PLAIN = re.compile(r"[\w./:+@#$~-]{1,300}")


def mark_of(anchor: Anchor) -> str:
    """Return what became of a note's code, and the command that shows it; "" where it is as it was.

    A name that is more than that is quoted: whoever names a file says nothing to an agent.
    """
    place, now = anchor.place, anchor.now
    name, at, now_at = _named(place.symbol or place.path), _named(place.path), _named(now.path)
    match anchor.state:
        case State.SAME:
            return ""
        case State.RENAMED:
            where = "" if now.path == place.path else f" in {now_at}"
            what = f"{name} is now {_named(now.symbol)}{where}"
        case State.MOVED:
            what = f"{name} is now in {now_at}" if place.symbol else f"{name} is now {now_at}"
        case State.CHANGED:
            what = f"{at}:{name}" if place.symbol else name
        case State.GONE:
            what = f"{name} from {at}" if place.symbol else name
    said, diff = f"code {anchor.state.value}: {what}", diff_of(anchor)
    shown = f"; {diff}" if diff else ""
    return said + shown if len(said + shown) <= LONGEST_MARK else said[:LONGEST_MARK]  # half a command shows nothing


def diff_of(anchor: Anchor) -> str:
    """Return the command that shows what became of a note's code; "" where none is known, or a name is not plain."""
    paths = dict.fromkeys((anchor.place.path, anchor.now.path))
    is_plain = all(_PLAIN.fullmatch(path) for path in paths)
    return f"git diff {anchor.commit[:12]} -- {' '.join(paths)}" if anchor.commit and is_plain else ""


def _named(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quote(name)


def file_key(path: str) -> str:
    """Return the entry that marks that a file has brought its notes."""
    return f"code:{path}"


def briefing(paths: Sequence[str], memories: Iterable[Memory], labels: Labels) -> Briefing:
    """Return the notes on files within TOLD_TOKENS, quoted; nothing without any."""
    entries = []
    for one in memories:
        label = labels.of(one)
        head = f"- {one.id} [{label}]" if label else f"- {one.id}"
        entries.append(KeyedLine(one.id, f"{head}: {quote(cut(one.content, NOTE_TOKENS))}"))
    made = fitted(f"# AgentOS: notes on {quote(cut(' '.join(paths), 30))}", [Group("", entries)], "", TOLD_TOKENS)
    return Briefing(made.text, (*made.entries, *map(file_key, paths))) if made.entries else Briefing()
