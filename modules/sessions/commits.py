"""Commits in shell commands: whether one is made, its message, and the kind of change that the message states."""

import re

from .models import ObservationType

_COMMIT = re.compile(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\b", re.DOTALL)
_MESSAGE = re.compile(r"(?:\s-[a-zA-Z]*m|\s--message)(?:\s+|=)(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S+)")
_CONVENTIONAL = re.compile(r"(\w+)(?:\([^)]*\))?!?:\s")
_KINDS = {
    "fix": ObservationType.BUGFIX,
    "bugfix": ObservationType.BUGFIX,
    "hotfix": ObservationType.BUGFIX,
    "feat": ObservationType.FEATURE,
    "feature": ObservationType.FEATURE,
    "refactor": ObservationType.REFACTOR,
    **dict.fromkeys(
        ("build", "chore", "ci", "docs", "perf", "revert", "style", "test", "tests"), ObservationType.CHANGE
    ),
}


def is_commit(command: str) -> bool:
    """Return whether a shell command makes a commit."""
    return _COMMIT.search(command) is not None


def message(command: str) -> str:
    """Return the message of a commit command, given as an argument or in a here document; "" if none is seen."""
    found = _COMMIT.search(command)
    if found is None:
        return ""
    rest = command[found.end() :]
    if document := _HEREDOC.search(rest):
        return document[2].strip()
    given = _MESSAGE.search(rest)
    if given is None:
        return ""
    text = given[1]
    return text[1:-1].replace('\\"', '"').strip() if text[0] in "\"'" else text


def kind(subject: str) -> ObservationType | None:
    """Return the type that a conventional commit's first line states; None for any other line."""
    found = _CONVENTIONAL.match(subject)
    return None if found is None else _KINDS.get(found[1].lower())
