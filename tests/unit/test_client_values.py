"""Arguments as clients send them: what is certain is read as meant, the rest stays as it was sent and is refused."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from agentos.modules.errors import InvalidInput
from agentos.tools import arguments
from agentos.tools.arguments import ADDED_BY_CLIENTS, MAX_ENTRIES, MAY_FILTER, as_asked, as_meant
from tests.tables import every


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    weight: float = 1.0


async def tool(
    *,
    query: str,
    limit: int = 5,
    share: float | None = None,
    sure: bool = False,
    names: list[str] | None = None,
    either: str | list[str] | None = None,
    more: dict[str, Any] | None = None,
    kind: Literal["one", "two"] | None = None,
    entries: list[Entry] | None = None,
    thing_id: str | None = None,
) -> None:
    """Take one argument of each kind."""


MODEL = arguments.model_of(tool)
SCHEMA = MODEL.model_json_schema()


def read(given: dict[str, Any]) -> dict[str, Any]:
    parsed = arguments.parse(MODEL, as_meant(SCHEMA, {"query": "x", **given}))
    return {name: TypeAdapter(Any).dump_python(value) for name, value in parsed.items()}


MEANT: list[tuple[str, Any, Any]] = [
    *((name, empty, None) for name in ("share", "names", "more", "kind", "either", "agent_id") for empty in (None, "")),
    ("limit", None, 5),
    ("limit", "", 5),
    ("limit", 7.0, 7),
    ("limit", "7", 7),
    ("limit", " 7.0 ", 7),
    ("limit", "-1", -1),
    ("share", "0.25", 0.25),
    ("share", 1, 1.0),
    ("share", "1e-3", 0.001),
    ("sure", "true", True),
    ("sure", "False", False),
    ("names", '["a", "b"]', ["a", "b"]),
    ("more", '{"a": {"b": null}}', {"a": {"b": None}}),
    ("more", {"a": None, "b": "", "c": "5"}, {"a": None, "b": "", "c": "5"}),
    ("either", '["a"]', '["a"]'),
    ("query", "5", "5"),
    ("query", "true", "true"),
    ("entries", '[{"text": "t", "weight": null}]', [{"text": "t", "weight": 1.0}]),
    ("entries", ['{"text": "t", "weight": "2"}'], [{"text": "t", "weight": 2.0}]),
]

REFUSED: list[tuple[str, Any]] = [
    ("query", None),
    ("query", 5),
    ("limit", "7 of them"),
    ("limit", 7.5),
    ("limit", "٧"),
    ("limit", True),
    ("limit", "9" * 5_000),
    ("share", "NaN"),
    ("share", "1e999"),
    ("sure", "yes"),
    ("sure", 1),
    ("names", "a, b"),
    ("names", '["a", 1]'),
    ("names", "[" * 100_000),
    ("names", '{"a": 1}'),
    ("more", "{a: 1}"),
    ("kind", "three"),
    ("colour", "red"),
    ("entries", [{"text": "t", "toolCallId": "call_1"}]),
]


@every(("name", "sent", "meant"), MEANT)
def test_what_a_client_sends_is_read_as_the_schema_means_it(name: str, sent: Any, meant: Any) -> None:
    assert read({name: sent})[name] == meant


@every(("name", "sent"), REFUSED)
def test_what_is_not_certain_is_refused_by_name(name: str, sent: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        read({name: sent})
    assert refused.value.field.startswith(name)


def test_arguments_that_clients_add_are_dropped_unless_the_tool_has_one_of_that_name() -> None:
    added = dict.fromkeys(ADDED_BY_CLIENTS, "call_1")
    assert as_meant(SCHEMA, {"query": "x", **added}) == {"query": "x"}
    own = {"properties": {"action": {"type": "string"}}, "required": ["action"]}
    assert as_meant(own, added) == {"action": "call_1"}


EMPTY: list[tuple[str, Any]] = [
    *((name, "") for name in ("names", "more", "kind", "thing_id", "agent_id", "limit", "either")),
    *(("names", empty) for empty in ([], "[]", " [] ")),
    ("more", {}),
    ("entries", "[]"),
]


@every(("name", "empty"), EMPTY)
def test_a_call_that_deletes_names_what_is_empty_instead_of_leaving_it_out(name: str, empty: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        as_asked(SCHEMA, {"query": "x", name: empty})
    assert refused.value.field == name


def test_a_call_that_deletes_is_read_as_others_are_but_keeps_what_the_tool_does_not_know() -> None:
    assert as_asked(SCHEMA, {"query": "x", "limit": "7", "names": '["a"]', "share": None}) == {
        "query": "x",
        "limit": 7,
        "names": ["a"],
    }
    for added in ADDED_BY_CLIENTS:
        asked = {"query": "x", added: "call_1"}
        if added in MAY_FILTER:
            with pytest.raises(InvalidInput, match=added):
                arguments.parse(MODEL, as_asked(SCHEMA, asked))
        else:
            assert as_asked(SCHEMA, asked) == {"query": "x"}


def test_an_empty_text_is_kept_for_what_is_written() -> None:
    given = {"query": "x", "thing_id": "", "kind": "", "share": None}
    assert as_meant(SCHEMA, given, written={"thing_id"}) == {"query": "x", "thing_id": ""}


@every("name", ["names", "more", "entries", "arguments"])
def test_what_is_longer_than_any_tool_takes_is_refused_unread(name: str) -> None:
    many = dict.fromkeys(map(str, range(MAX_ENTRIES + 1)), "t")
    long: Any = {"names": ["t"], "entries": [{}], "more": [5]}.get(name, [0]) * (MAX_ENTRIES + 1)
    with pytest.raises(InvalidInput, match=f"at most {MAX_ENTRIES}") as refused:
        as_meant(SCHEMA, many if name == "arguments" else {"query": "x", name: long})
    assert refused.value.field == name
