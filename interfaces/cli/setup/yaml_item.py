"""YAML: one item is inserted into or removed from a list at the top of a file; the other items stay."""

from pathlib import PurePath
from typing import Any

from ....modules.records import dataclass
from .documents import Edit, Facts
from .yaml_member import YamlMember, replaced


@dataclass(frozen=True)
class YamlItem:
    """The path in the list `key` that ends in the file name `file`; the list may also be a single text."""

    key: str
    file: str

    def entry(self, text: str) -> Any | None:
        """Return our item; None where there is none. Raises Unreadable."""
        return next((item for item in self._items(text) if self._is_ours(item)), None)

    def put(self, text: str, wanted: Any) -> Edit:
        """Add our item behind the others, or change it. Raises Unreadable."""
        member, present = YamlMember((self.key,)), self._items(text)
        if not present:
            edit = member.put(text, [wanted])
            return Edit(edit.text, {"whole": edit.facts})
        start, end = member.lines(text, member.path)
        items = [*(item for item in present if not self._is_ours(item)), wanted]
        after = replaced(text, (start, end), member.path, items, member.column(text))
        if self._items(after) != items:
            raise member.by_hand()
        return Edit(after, {"was": text[start:end], "all": items})

    def remove(self, text: str, facts: Facts) -> str:
        """Take our item out, to the byte as before if nothing else has changed since. Raises Unreadable."""
        member, present = YamlMember((self.key,)), self._items(text)
        left = [item for item in present if not self._is_ours(item)]
        if len(left) == len(present):
            return text
        if not left:
            return member.remove(text, facts.get("whole", {}))
        start, end = member.lines(text, member.path)
        if facts.get("all") == present:
            return text[:start] + str(facts["was"]) + text[end:]
        return replaced(text, (start, end), member.path, left, member.column(text))

    def _items(self, text: str) -> list[Any]:
        value = YamlMember((self.key,)).entry(text)
        return [] if value is None else value if isinstance(value, list) else [value]

    def _is_ours(self, item: Any) -> bool:
        return isinstance(item, str) and PurePath(item).name == self.file
