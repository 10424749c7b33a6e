"""The hooks in a client's settings: ours are added to those of each event; every other byte stays."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ....modules.records import dataclass
from ...hooks.clients import EVENTS
from .documents import Edit, Facts, Unreadable, lacks
from .jsonc import JsonMember, Key
from .launch import words_of

HOOKS = "hooks"
_PROGRAM = re.compile(r"(?:.*[/\\])?(?:agentos|agentos-hook)(?:\.exe)?|agentos\.interfaces\.(?:cli|hooks)")


@dataclass(frozen=True)
class FoundHook:
    """An AgentOS hook: its event, entry and path, and its position among the entry's hooks.

    The place is None where the entry itself is the hook, as in Cursor. `alone`: the entry holds none but ours.
    """

    event: str
    entry: dict[str, Any]
    path: tuple[Key, ...]
    place: int | None
    alone: bool

    @property
    def stated(self) -> dict[str, Any]:
        """The entry as `stated` has it."""
        return self.entry if self.place is None else stated(self.entry, self.place)


@dataclass(frozen=True)
class HookEntries:
    """Our hooks under `hooks`, by event, each as `stated`.

    `beside` is what the file must hold beside them, as Cursor's version.
    """

    beside: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, text: str) -> Any | None:
        """Return our hooks by event; None where there is none. Raises Unreadable."""
        return {found.event: found.stated for found in reversed(list(_ours(text)))} or None  # the first of each event

    def put(self, text: str, wanted: Any) -> Edit:
        """Add the hook of each event behind the existing ones, or change what ours lacks. Raises Unreadable."""
        facts: dict[str, Any] = {}
        for name, value in self.beside.items():
            member = JsonMember((name,))
            if member.entry(text) is None:
                edit = member.put(text, value)
                text, facts[name] = edit.text, edit.facts
        for event, hook in wanted.items():
            here = next((found for found in _ours(text) if found.event == event), None)
            if here is not None:
                text = _completed(text, here, hook)
                continue
            entry = _entry(hook)
            others = JsonMember((HOOKS, event)).entry(text)
            if others is None:
                edit = JsonMember((HOOKS, event)).put(text, [entry])
            elif isinstance(others, list):
                edit = JsonMember((HOOKS, event, len(others))).put(text, entry)
            else:
                raise Unreadable(f"{HOOKS}.{event} is not an array")
            text, facts[event] = edit.text, {"new": others is None, "undo": edit.facts}
        return Edit(text, facts)

    def remove(self, text: str, facts: Facts) -> str:
        """Remove every hook of AgentOS, and what was created for it. Raises Unreadable."""
        found = {each.event for each in _ours(text)}
        noted = [name for name in facts if name in found]
        for event in [*sorted(found - set(noted)), *reversed(noted)]:
            text = _without(text, event, facts.get(event, {}))
        for name in reversed([name for name in self.beside if name in facts]):
            if JsonMember((name,)).entry(text) == self.beside[name]:
                text = JsonMember((name,)).remove(text, facts[name])
        return text


def stated(entry: Mapping[str, Any], place: int = 0) -> dict[str, Any]:
    """Return one hook of an entry under `hook`, beside the entry's settings for all hooks; a bare hook as it is."""
    if "hooks" not in entry:
        return dict(entry)
    return {**{name: value for name, value in entry.items() if name != "hooks"}, "hook": entry["hooks"][place]}


def _entry(hook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a hook that is `stated`."""
    if "hook" not in hook:
        return dict(hook)
    return {**{name: value for name, value in hook.items() if name != "hook"}, "hooks": [hook["hook"]]}


def runs_our_hook(hook: Any) -> bool:
    """Return whether a client's hook runs an AgentOS program."""
    words = command_line(hook)
    named = [at for at, word in enumerate(words) if _PROGRAM.fullmatch(word)]
    return any(event in words[at + 1 : at + 3] for at in named for event in EVENTS)


def command_line(hook: Any) -> list[str]:
    """Return a hook's command, word by word; empty where it is not one, or needs a shell, as ours never do."""
    words = words_of(hook)
    if len(words) != 1 or isinstance(hook.get("args"), list):
        return words
    try:
        return shlex.split(words[0])
    except ValueError:
        return []


def _ours(text: str) -> Iterator[FoundHook]:
    """Yield each entry that holds a hook of AgentOS, in order. Raises Unreadable."""
    events = JsonMember((HOOKS,)).entry(text)
    if events is not None and not isinstance(events, dict):
        raise Unreadable(f"{HOOKS} is not an object")
    for event, entries in (events or {}).items():
        for at, entry in enumerate(entries if isinstance(entries, list) else []):
            if not isinstance(entry, dict):
                continue
            inner = entry.get("hooks")
            own = [runs_our_hook(hook) for hook in (inner if isinstance(inner, list) else [entry])]
            if any(own):
                place = own.index(True) if isinstance(inner, list) else None
                yield FoundHook(event, entry, (HOOKS, event, at), place, all(own))


def _completed(text: str, here: FoundHook, wanted: Mapping[str, Any]) -> str:
    """Return the text with our hook's missing fields added; an entry that it shares with other hooks stays."""
    if here.place is None:
        return JsonMember(here.path).put(text, wanted).text if lacks(here.entry, wanted) else text
    parts: dict[tuple[Key, ...], Any] = {(*here.path, "hooks", here.place): wanted["hook"]}
    if here.alone:
        parts |= {(*here.path, name): value for name, value in wanted.items() if name != "hook"}
    for path, value in parts.items():
        if lacks(JsonMember(path).entry(text), value):
            text = JsonMember(path).put(text, value).text
    return text


def _without(text: str, event: str, facts: Facts) -> str:
    """Return the text without ours at an event; without `facts`, also without a list that becomes empty."""
    is_new, undo = facts.get("new", True), facts.get("undo", {"made": 1})
    while ours := [found for found in _ours(text) if found.event == event]:
        last = ours[-1]
        if not last.alone:
            text = JsonMember((*last.path, "hooks", last.place or 0)).remove(text, {})
        elif is_new and len(JsonMember((HOOKS, event)).entry(text) or ()) == 1:
            text = JsonMember((HOOKS, event)).remove(text, undo)
        else:
            text = JsonMember(last.path).remove(text, {} if is_new else undo)
    return text
