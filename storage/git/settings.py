"""The syntax of git's configuration: the variables of one file, without following what it includes."""

import re
from collections.abc import Iterator

from ...modules.records import dataclass

_HEADER = re.compile(r'\s*\[\s*([-.\w]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_VARIABLE = re.compile(r"\s*([A-Za-z][-A-Za-z0-9]*)\s*(?:=\s*(.*))?")
_PIECE = re.compile(r'\\(.)|(")|([#;])|[^\\"#;]+')
_CONTINUED = re.compile(r"(?<!\\)\\\r?\n")
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}
_OFF = {"false", "no", "off", "0", ""}


@dataclass(frozen=True)
class Setting:
    """A variable of a section (`about`: the subsection), names in lower case; `value` is None where none is given."""

    section: str
    about: str | None
    key: str
    value: str | None

    @property
    def is_on(self) -> bool:
        """Return whether the value is true, as git reads a boolean."""
        return self.value is None or self.value.lower() not in _OFF


def settings_of(text: str) -> Iterator[Setting]:
    """Yield the variables that a text in git's syntax sets, in order; lines that set none are left out."""
    section = ""
    about: str | None = None
    for line in _CONTINUED.sub("", text.removeprefix("\ufeff")).split("\n"):
        if header := _HEADER.match(line):
            section, about = header[1].lower(), header[2]
            if about is None:
                section, _, old_style = section.partition(".")
                about = old_style or None
            line = line[header.end() :]
        if variable := _VARIABLE.match(line):
            yield Setting(section, about, variable[1].lower(), None if variable[2] is None else _value(variable[2]))


def _value(written: str) -> str:
    """Return a value without its quotes, escapes and comment."""
    value: list[str] = []
    is_quoted = False
    for piece in _PIECE.finditer(written):
        escaped, quote, comment = piece.groups()
        if comment and not is_quoted:
            break
        if quote:
            is_quoted = not is_quoted
        else:
            value.append(_ESCAPED.get(escaped, escaped) if escaped else piece[0])
    return "".join(value).strip()
