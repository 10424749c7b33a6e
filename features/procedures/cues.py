"""Classification of turns by the cues of `cues.toml`: what a user asks for, what an answer does. Pure functions."""

import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ...modules import package_files
from ...modules.records import dataclass
from .models import Action, ToolUse, Trigger

T = TypeVar("T")

MAX_REMEMBERED = 50_000
MAX_CHARS = 2_000
"""Characters of a text that are read: of a longer one, the beginning and the end."""
STRONG, WEAK = 4, 1
"""Points of a cue."""

_READING = ("read", "view", "open_file", "grep", "glob", "search_file", "list_dir", "ls")
_WRITING = ("write", "edit", "replace", "patch", "create_file", "notebook")
_MEMORY = ("memory_search", "recall_memory", "retrieve_memory", "search_memory")
_TEST_FILE = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_[^/]*$|[._-](?:test|spec|tests)\.[a-z]+$", re.I)
_PROSE = frozenset({".md", ".rst", ".adoc", ".txt"})
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_WRAPPERS = re.compile(
    r"^(?:(?:\w+=\S*|sudo|time|nice|env|command|exec|uv run|poetry run|pipenv run|npx|timeout \S+) +)+"
)
_FAULTY = frozenset({Trigger.BUG_REPORT, Trigger.DEBUGGING})
_BEGINNING = r"(?:^|(?<=[.!?:;] )|(?<=, ))"
_QUOTED = re.compile(r"```.*?```|^>.*?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class _Cues:
    triggers: Mapping[Trigger, tuple[tuple[re.Pattern[str], int], ...]]
    most: Mapping[Trigger, int]
    actions: Mapping[Action, tuple[re.Pattern[str], ...]]
    commands: Mapping[Action, tuple[str, ...]]


class CueReader:
    """Reads turns, and caches the result for each text, so that only new texts cost anything."""

    def __init__(self) -> None:
        self._triggers: dict[int, Trigger] = {}
        self._actions: dict[int, frozenset[Action]] = {}

    def trigger_of(self, text: str) -> Trigger:
        """Return what a user's turn asks for."""
        return _once(self._triggers, text, trigger_of)

    def actions_in(self, text: str) -> frozenset[Action]:
        """Return what an answer says that it does or did."""
        return _once(self._actions, text, actions_in)


def _once(known: dict[int, T], text: str, read: Callable[[str], T]) -> T:
    key = hash(text)
    if key not in known:
        if len(known) >= MAX_REMEMBERED:
            known.clear()
        known[key] = read(text)
    return known[key]


def trigger_of(text: str) -> Trigger:
    """Return what a user's turn asks for: the trigger with the most points, `general` if there are none."""
    prose, known = _read(text), _cues()
    points = {
        trigger: min(sum(value for cue, value in cues if _says(prose, cue)), known.most[trigger])
        for trigger, cues in known.triggers.items()
    }
    best = max(points, key=lambda trigger: points[trigger])
    return best if points[best] > 0 else Trigger.GENERAL


def actions_in(text: str) -> frozenset[Action]:
    """Return what an answer says that it does or did."""
    prose = _read(text)
    return frozenset(action for action, cues in _cues().actions.items() if any(_says(prose, cue) for cue in cues))


def actions_of(use: ToolUse, trigger: Trigger) -> frozenset[Action]:
    """Return what a tool's run does; a change of code is a fix if a fault was reported."""
    name = use.tool.lower()
    if any(part in name for part in _MEMORY):
        return frozenset({Action.SEARCH_MEMORY})
    if use.files_modified or any(part in name for part in _WRITING):
        change = Action.FIX if trigger in _FAULTY else Action.IMPLEMENT
        return frozenset(_written(path, change) for path in use.files_modified) or frozenset({change})
    if use.command:
        return frozenset(filter(None, map(_run, _SEPARATOR.split(use.command))))
    return frozenset({Action.READ_CODE}) if name.startswith(_READING) else frozenset()


def _written(path: str, change: Action) -> Action:
    if _TEST_FILE.search(path):
        return Action.WRITE_TEST
    return Action.DOCUMENT if PurePosixPath(path).suffix.lower() in _PROSE else change


def _run(command: str) -> Action | None:
    line = _WRAPPERS.sub("", command.strip()) + " "
    return next((a for a, heads in _cues().commands.items() if line.startswith(heads)), None)


def _read(text: str) -> str:
    """Return the part of a text that is read, without quotations: what is quoted is not the speaker's."""
    excerpt = text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    prose = _QUOTED.sub(" ", excerpt).replace("\u2019", "'").strip()
    return (prose or excerpt.strip()).lower()


def _says(prose: str, cue: re.Pattern[str]) -> bool:
    """Return whether a cue occurs in a text, not beginning within a word.

    Checked here, since a lookbehind would make the search slow.
    """
    return any(
        match.start() == 0 or not ((before := prose[match.start() - 1]).isalnum() or before in "_-")
        for match in cue.finditer(prose)
    )


@cache
def _cues() -> _Cues:
    document = tomllib.loads(package_files.text(Path(__file__).with_name("cues.toml")))
    triggers = {
        Trigger(name): tuple(
            (_expression(cue), value) for key, value in (("strong", STRONG), ("weak", WEAK)) for cue in cues[key]
        )
        for name, cues in document["triggers"].items()
    }
    most = {Trigger(name): cues.get("most", sys.maxsize) for name, cues in document["triggers"].items()}
    actions = {Action(name): tuple(map(_expression, entry["cues"])) for name, entry in document["actions"].items()}
    commands = {
        Action(name): tuple(head if head.endswith(" ") else f"{head} " for head in entry["tools"])
        for name, entry in document["actions"].items()
        if "tools" in entry
    }
    return _Cues(triggers, most, actions, commands)


def _expression(cue: str) -> re.Pattern[str]:
    """Compile a cue for lower-case text, not ending within a word; a leading ^ means the beginning of a sentence."""
    begun = f"{_BEGINNING}{cue[1:]}" if cue.startswith("^") else cue
    return re.compile(rf"(?:{begun})(?!\w)", re.MULTILINE)
