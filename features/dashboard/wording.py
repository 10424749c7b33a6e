"""Messages of services in the words of a browser: pages instead of tools, arguments as words."""

import re

from .texts import Texts

_PAGES = {
    "approval": "approvals",
    "context": "memories",
    "goal": "goals",
    "graph": "graph",
    "insight": "home",
    "job": "operations",
    "memory": "memories",
    "procedures": "memories",
    "reflection": "reflection",
    "session": "sessions",
    "tiers": "operations",
}
"""The page for each group of tools, by its name in the catalogue."""
_TOOL = re.compile(rf"(?<![\w./'\"-])({'|'.join(_PAGES)})_[a-z_]{{2,40}}(?![\w.])")
_COMMANDS = {"approvals": "approvals", "keys": "operations", "grants": "operations", "backups": "operations"}
"""The page for each command that a message may name and that has one."""
_COMMAND = re.compile(rf"(?<![\w./-])agentos ({'|'.join(_COMMANDS)})(?![\w.])")
_FIELD = re.compile(r"([a-z][a-z_]{0,40}): ")
_NO_LABELS = ("id", "do", "by", "next")


def in_browser(message: str, texts: Texts) -> str:
    """Return a message with pages in place of tools, and without the id that it begins with."""
    if (field := _FIELD.match(message)) is not None:
        is_label = field[1] not in _NO_LABELS and not field[1].endswith("_id")
        message = (f"{field[1].replace('_', ' ')}: " if is_label else "") + message[field.end() :]
    parts = message.replace(": agentos ", "; agentos ").split("; ")
    pages = [_page(part) for part in parts]
    kept = [part for part, page in zip(parts, pages, strict=True) if page is None]
    kept += [texts("error.see_page", page=texts(f"pages.{page}")) for page in dict.fromkeys(pages) if page is not None]
    return "; ".join(kept)


def _page(part: str) -> str | None:
    """Return the page for the first tool or command that a part of a message names; None if it names none."""
    if (tool := _TOOL.search(part)) is not None:
        return _PAGES[tool[1]]
    command = _COMMAND.search(part)
    return None if command is None else _COMMANDS[command[1]]
