"""Validation of a bundle: its lines against the published JSON Schemas, and the references between its rows."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from . import reader

SCHEMAS = Path(__file__).parent / "schemas" / f"format-{reader.FORMAT}"
PUBLISHED = SCHEMAS.parent / "PUBLISHED"
LONGEST_SHOWN = 60

_KNOWN = {
    "head": {"agentos_bundle", "schema", "made_by", "envelope"},
    "row": {"table", "row"},
    "end": {"end", "canonical_hash", "seal"},
}


class Validation:
    """A bundle under examination: `complaints` yields what is wrong; the attributes are filled by the end.

    `summary` is what the bundle holds. `unknown` counts fields that the schemas do not have, as `table.field`: readers
    keep them, an import leaves them out. `unchecked` says why rows were not compared with a schema.
    """

    def __init__(self) -> None:
        self.summary: dict[str, Any] = {}
        self.unknown: Counter[str] = Counter()
        self.unchecked: str | None = None
        self._there: set[tuple[str, str]] = set()
        self._wanted: dict[tuple[str, str], int] = {}

    def complaints(self, lines: Iterable[bytes]) -> Iterator[reader.Complaint]:
        """Yield everything that is wrong, in order; nothing after what makes the rest unreadable."""
        rows: _Rows | None = None
        counts: Counter[str] = Counter()
        try:
            for line in reader.unbroken(lines):
                self._note(line)
                if line.kind == "row":
                    counts[line.value["table"]] += 1
                    yield from self._row(rows, line) if rows else ()
                    continue
                yield from _wrong(line.number, _validator(_schema(line.kind)), line.value)
                if line.kind == "head":
                    self.summary = {"format": reader.FORMAT, "schema": line.value["schema"]}
                    rows = self._rows_of(line.value["schema"])
                else:
                    self.summary |= {
                        "rows": dict(sorted(counts.items())),
                        "canonical_hash": line.value["canonical_hash"],
                    }
        except reader.Complaint as complaint:
            yield complaint
            return
        for (table, one), number in self._wanted.items():
            if (table, one) not in self._there:
                message = f"line {number} refers to a row of {table} that is not in the bundle: {_shown(one)}"
                yield reader.Complaint("reference", number, message)

    def _note(self, line: reader.Line) -> None:
        where = "line" if line.kind == "row" else line.kind
        self.unknown.update(f"{where}.{name}" for name in line.value.keys() - _KNOWN[line.kind])

    def _rows_of(self, schema: int) -> "_Rows | None":
        if schema not in published():
            self.unchecked = f"schema {schema} is not published here: rows were not compared with it; upgrade"
            return None
        files = (int(path.name[5:8]) for path in SCHEMAS.glob(_file("rows-*")))
        stands = max(one for one in files if one <= schema)  # one without a file says the same as the one before
        return _Rows(_schema(f"rows-{stands:03}"))

    def _row(self, rows: "_Rows", line: reader.Line) -> Iterator[reader.Complaint]:
        table, row = line.value["table"], line.value["row"]
        if table not in rows.columns:
            yield reader.Complaint("schema", line.number, f"line {line.number}: there is no table {_shown(table)}")
            return
        self.unknown.update(f"{table}.{name}" for name in row.keys() - rows.columns[table].keys())
        yield from _wrong(line.number, rows.validators[table], row)
        if isinstance(row.get("id"), str):
            self._there.add((table, row["id"]))
        for column, other in rows.links[table]:
            if isinstance(row.get(column), str):
                self._wanted.setdefault((other, row[column]), line.number)


def published() -> list[int]:
    """Return the numbers of the store's schemas whose rows are published, in order."""
    names = (line.split("/")[-1] for line in PUBLISHED.read_text(encoding="utf-8").splitlines())
    return sorted(int(name[5:8]) for name in names if name.startswith("rows-"))


class _Rows:
    """The published schema of a bundle's rows, by table."""

    def __init__(self, schema: dict[str, Any]) -> None:
        definitions = schema["$defs"]
        names = schema["properties"]["table"]["enum"]
        rows = {name: _spelled_out(definitions[name], definitions) for name in names}
        self.columns: dict[str, dict[str, Any]] = {name: row["properties"] for name, row in rows.items()}
        self.validators = {name: _validator(row) for name, row in rows.items()}
        self.links = {name: list(_links(columns)) for name, columns in self.columns.items()}


def _spelled_out(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return a schema with references replaced by their targets: following them takes most of the time."""
    if isinstance(schema, list):
        return [_spelled_out(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _spelled_out(value, definitions) for name, value in schema.items() if name != "$ref"}
    reference = schema.get("$ref")
    return found if reference is None else {**definitions[reference.removeprefix("#/$defs/")], **found}


def _links(columns: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for column, value in columns.items():
        for option in value.get("anyOf", [value]):
            if "x-refers-to" in option:
                yield column, option["x-refers-to"]


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / _file(name)).read_text(encoding="utf-8"))
    return found


def _file(name: str) -> str:
    return f"{name}.schema.json"


def _validator(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(Draft202012Validator, {"contentMediaType": _is_json})(schema)


def _is_json(validator: Any, media_type: str, text: Any, schema: dict[str, Any]) -> Iterator[Exception]:
    """Yield an error unless a text declared as JSON is JSON that fits its schema; Draft 2020-12 leaves that open."""
    from jsonschema import ValidationError

    if media_type != "application/json" or not isinstance(text, str):
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield ValidationError(f"{text!r} is no JSON")
    else:
        yield from validator.descend(value, schema.get("contentSchema", True))


def _wrong(number: int, validator: Any, value: reader.Row) -> Iterator[reader.Complaint]:
    for error in validator.iter_errors(value):
        where = ".".join(map(str, error.absolute_path)) or "it"
        yield reader.Complaint("schema", number, f"line {number}: {where}: {_shortened(error.message)}")


def _shown(text: str) -> str:
    return _shortened(json.dumps(text, ensure_ascii=False))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
