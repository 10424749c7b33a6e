"""Secrets in tables: Markdown, CSV, and tab-separated columns whose heading announces a secret."""

from collections.abc import Iterator, Sequence

from . import abroad, assignments, names
from .names import Class, Name
from .placeholders import is_placeholder
from .spans import SecretSpan, compiled

MAX_CELLS = 100
_CELLS = {
    "|": r"[^|\n]*+",
    ",": r'"(?:[^"\n]|"")*+"|[^,"\n]*+',
    ";": r'"(?:[^";\n]|"")*+"|[^;"\n]*+',
    "\t": r"[^\t\n]*+",
}
_RULE = r"[ \t|:+-]++"
_MIXED = r"(?=.{0,99}[\d!@#$%^&*+=?~])[!-~]{4,400}$"
_PASSWORD = Name(0, 8, "password", Class.PASSWORD, "password", upper=False)


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the values of columns that hold secrets."""
    lines = _lines(text)
    place = 0
    while place < len(lines) - 1:
        begin, end = lines[place]
        sign = _sign(text, begin, end)
        columns = _secret_columns(text, lower, begin, end, sign) if sign else {}
        place += 1
        if not columns or (sign == "|" and not _is_rule(text, *lines[place])):
            continue
        count = len(_cells(text, begin, end, sign))
        while place < len(lines):
            cells = _cells(text, *lines[place], sign)
            if len(cells) != count:
                break
            if not _is_rule(text, *lines[place]):
                yield from _values(text, cells, columns)
            place += 1


def _is_rule(text: str, begin: int, end: int) -> bool:
    """Return whether a line is the rule below a Markdown heading."""
    return text.find("-", begin, end) >= 0 and compiled(_RULE).fullmatch(text, begin, end) is not None


def _lines(text: str) -> list[tuple[int, int]]:
    found, begin = [], 0
    while begin <= len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        found.append((begin, end - text.endswith("\r", begin, end)))
        begin = end + 1
    return found


def _sign(text: str, begin: int, end: int) -> str:
    """Return the separator of a heading's cells; empty if the line is no heading."""
    if end - begin > 2_000:
        return ""
    return next((sign for sign in ("|", "\t", ";", ",") if text.find(sign, begin, end) >= 0), "")


def _cells(text: str, begin: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Return the begin and end of the cells of a line, without the space around them."""
    cells: list[tuple[int, int]] = []
    at = begin
    while at <= end and len(cells) < MAX_CELLS:
        spaces = compiled(r"[ \t]*+" if sign != "\t" else " *+").match(text, at, end)
        at = spaces.end() if spaces else at
        cell = compiled(_CELLS[sign]).match(text, at, end)
        if cell is None:
            return []
        cells.append((at, at + len(cell.group().rstrip())))
        after = compiled(r"[ \t]*+" if sign != "\t" else " *+").match(text, cell.end(), end)
        at = after.end() if after else cell.end()
        if at < end and text[at] != sign:
            return []
        at += 1
    return cells


def _secret_columns(text: str, lower: str, begin: int, end: int, sign: str) -> dict[int, Name]:
    if not any(stem in lower[begin:end] for stem in _HINTS) and text[begin:end].isascii():
        return {}
    cells = _cells(text, begin, end, sign)
    if len(cells) < 2 or any(compiled(_PLAIN).fullmatch(text, *cell) is None for cell in _inner(cells, sign)):
        return {}
    named = {place: _heading(text[slice(*cell)]) for place, cell in enumerate(cells)}
    return {place: name for place, name in named.items() if name is not None}


def _inner(cells: Sequence[tuple[int, int]], sign: str) -> Sequence[tuple[int, int]]:
    """Return the cells without the empty ones outside a Markdown row."""
    if sign != "|":
        return cells
    return [cell for place, cell in enumerate(cells) if cell[0] < cell[1] or 0 < place < len(cells) - 1]


_PLAIN = r"[\"'*_`]{0,3}[^\W\d_][\w .-]{0,39}[\"'*_`]{0,3}"
"""A heading: a name or a few words, which no line of code consists of."""
_HINTS = ("pass", "pwd", "pw", "secret", "token", "key", "pin", "otp", "cvv", "senha", "contrasena", "kennwort", "auth",
          "credential", "heslo", "parola", "wachtwoord", "salasana", "kata sandi", "adgangskode")  # fmt: skip


def _heading(cell: str) -> Name | None:
    """Return what a heading announces: a name with nothing beside it, so that no sentence is one."""
    bare = cell.strip("\"'*_` ")
    if len(bare) > names.MAX_NAME or len(bare.split()) > 3:
        return None
    name = names.read(bare)
    if name is not None and (name.category is not Class.KEY or len(name.written) > len("key")):
        return name
    return _PASSWORD if abroad.is_name(bare) else None


def _values(text: str, cells: Sequence[tuple[int, int]], columns: dict[int, Name]) -> Iterator[SecretSpan]:
    for place, name in columns.items():
        begin, end = cells[place]
        while begin < end and text[begin] in "\"'`*":
            begin += 1
        while end > begin and text[end - 1] in "\"'`*":
            end -= 1
        value = text[begin:end]
        if " " in value or is_placeholder(value) or not compiled(_MIXED).match(value):
            continue
        if assignments.stands_under(name, value):
            yield SecretSpan(begin, end, name.kind)
