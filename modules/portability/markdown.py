"""A namespace as a page of Markdown: a view for people to read. The complete export is the bundle."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from ..goals.models import Goal, GoalStatus
from ..memory.models import Kind, Memory
from ..text.counting import counted, memories_counted
from ..views.labels import Labels

SECTIONS = (
    ("Facts and preferences", (Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE, Kind.KNOWLEDGE)),
    ("How things are done", (Kind.PROCEDURE, Kind.RULE)),
    ("Notes", (Kind.NOTE,)),
    ("What happened", (Kind.EPISODE, Kind.OBSERVATION, Kind.SUMMARY)),
)


def page(namespace: str, memories: Sequence[Memory], goals: Sequence[Goal], labels: Labels) -> str:
    """Render one agent's goals, then its memories by kind, the newest first. What no longer holds is struck out."""
    lines = [f"# {_plain(namespace)}", "", f"{memories_counted(len(memories))}, {counted(len(goals), 'goal')}."]
    lines += _section("Goals", map(_goal, goals))
    for title, kinds in SECTIONS:
        lines += _section(title, (_memory(memory, labels) for memory in memories if memory.kind in kinds))
    return "\n".join(lines) + "\n"


def _section(title: str, entries: Iterable[str]) -> Iterator[str]:
    found = list(entries)
    if found:
        yield from ("", f"## {title}", "", *found)


def _memory(memory: Memory, labels: Labels) -> str:
    first, *more = _plain(memory.content).splitlines() or [""]
    particulars = [memory.occurred_at.date().isoformat(), memory.id]
    if memory.valid_to is not None:
        first = f"~~{first}~~"
    particulars += filter(None, [labels.of(memory)])
    particulars += [f"#{_plain(tag)}" for tag in memory.tags]
    if memory.source:
        particulars.append(f"from {_plain(memory.source)}")
    # Indented lines belong to the entry, whatever they look like.
    return "\n".join([f"- {first}", *(f"  {line}" for line in more), f"  *{' · '.join(particulars)}*"])


def _goal(goal: Goal) -> str:
    box = "x" if goal.status is GoalStatus.COMPLETED else " "
    particulars = [goal.status.value, f"{goal.progress:.0%}", goal.id]
    if goal.deadline is not None:
        particulars.append(f"by {goal.deadline.date().isoformat()}")
    entry = [f"- [{box}] **{' '.join(_plain(goal.title).split())}**"]
    if goal.description.strip():
        entry += [f"  {line}" for line in _plain(goal.description).splitlines()]
    return "\n".join([*entry, f"  *{' · '.join(particulars)}*"])


_MARKS = re.compile(r"[\\`\[\]]|(?<=:)/(?=/)|(?<=\bwww)\.", re.IGNORECASE)
"""Characters that make links, images and code of a text: Markdown's signs, and what viewers take for an address."""


def _plain(text: str) -> str:
    """Return a text without markup: no element, link or image, nothing that a viewer fetches or a terminal obeys."""
    visible = "".join(one if one.isprintable() or one in "\n\u200c\u200d" else " " for one in text.strip())
    return html.escape(_MARKS.sub(r"\\\g<0>", visible), quote=False)
