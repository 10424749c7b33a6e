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
_TOOL = re.compile(rf"(?<![\w./-])({'|'.join(_PAGES)})_[a-z_]{{2,40}}(?![\w.])")
_FIELD = re.compile(r"([a-z][a-z_]{0,40}): ")
_NO_LABELS = ("id", "do", "by", "next")


def in_browser(message: str, texts: Texts) -> str:
    """Return a message with pages in place of tools, and without the id that it begins with."""
    if (field := _FIELD.match(message)) is not None:
        is_label = field[1] not in _NO_LABELS and not field[1].endswith("_id")
        message = (f"{field[1].replace('_', ' ')}: " if is_label else "") + message[field.end() :]
    parts = message.split("; ")
    kept = [part for part in parts if _TOOL.search(part) is None]
    tools = dict.fromkeys(_PAGES[found[1]] for part in parts if (found := _TOOL.search(part)))
    kept += [texts("error.see_page", page=texts(f"pages.{page}")) for page in tools]
    return "; ".join(kept)
