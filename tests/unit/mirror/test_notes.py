"""Notes and their names: what is written is read as it was, others' properties stay, and damage is named."""

from hypothesis import given
from hypothesis import strategies as st

from agentos.features.mirror import notes
from agentos.features.mirror.merging import merged
from agentos.features.mirror.models import Damaged, Fields, NoteFile, canonical
from agentos.features.mirror.names import file_name
from agentos.modules.memory.service import MemoryChanges
from tests.tables import every

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
FIELDS = Fields("text", "semantic", 0.5, ("a",))


@given(TEXTS, TEXTS, st.lists(TEXTS.filter(lambda tag: bool(tag.strip())), max_size=4))
def test_what_is_written_is_read_as_it_was(body: str, value: str, tags: list[str]) -> None:
    known = {"id": "mem_1", "tags": tuple(tags), "value": value}
    note = NoteFile(canonical(body), {name: one for name, one in known.items() if one}, ("aliases:", "  - x"), True)
    assert notes.parsed(notes.rendered(note)) == note


@every(
    "text, known, others",
    [
        ("---\nid: mem_1\ntags:\n  - a\n  - 'b c'\n---\nx", {"id": "mem_1", "tags": ("a", "b c")}, ()),
        ("---\r\ntags: [a, \"b, c\", 'd']  # mine\r\n---\r\nx", {"tags": ("a", "b, c", "d")}, ()),
        ("---\nplace:\n  lat: 1\n# a remark\nid: mem_1\n---\nx", {"id": "mem_1"}, ("place:", "  lat: 1", "# a remark")),
        ("---\ntype: null\n---\n\nx\n", {"type": ""}, ()),
        ("x", {}, ()),
    ],
)
def test_front_matter_is_read_however_editors_write_it(text: str, known: object, others: object) -> None:
    note = notes.parsed(text)
    assert (note.body, note.known, note.others) == ("x", known, others)


@every(
    "text, why",
    [
        ("---\nid: mem_1\nx", "no closing ---"),
        ("---\nid: mem_1\nid: mem_2\n---\nx", "twice"),
        ('---\nvalue: "open\n---\nx', "unclosed"),
        ("---\ntags: [a, b\n---\nx", "closing ]"),
        ("---\ntags: [a, {b: c}]\n---\nx", "entries that are not strings"),
        ("---\nid: {a: b}\n---\nx", "neither a string nor a list"),
        ("---\nvalue:\n  inner: 1\n---\nx", "neither a string nor a list"),
        ("---\nhas an invalid line\n---\nx", "has an invalid line"),
        ("---\n" + "a: b\n" * 400 + "---\nx", "more than 300 lines"),
        ("---\nid: mem_1\nimportance: high\n---\nx", "importance: must be a number"),
        ("---\nid: mem_1\ntype: [a]\n---\nx", "type must be one string"),
    ],
)
def test_damage_is_named(text: str, why: str) -> None:
    try:
        notes.fields_in(notes.parsed(text), FIELDS)
    except Damaged as damaged:
        assert why in str(damaged)
    else:
        raise AssertionError("it was read")


@every(
    "content, begins",
    [
        ("Dana prefers TEA, not coffee.\nMore", "dana-prefers-tea-not-coffee-"),
        ("../../etc/passwd", "etc-passwd-"),
        ("CON", "con-"),
        ("***", "memory-"),
        ("日本語のメモ", "日本語のメモ-"),
        ("e\u0301tude", "étude-"),
    ],
)
def test_a_file_name_is_readable_and_allowed_everywhere(content: str, begins: str) -> None:
    name = file_name("mem_0123456789abcdef0123", content, set())
    assert name == f"{begins}01234567.md"
    assert file_name("mem_0123456789abcdef0123", content, {name}) == f"{begins}012345678.md"
    assert len(file_name("mem_0123456789abcdef0123", "字" * 500, set()).encode()) < 130


@every(
    "file, stored, changes, contested",
    [
        ({"content": "new"}, {}, {"content": "new"}, False),
        ({}, {"content": "new"}, {}, False),
        ({"content": "new"}, {"content": "new"}, {}, False),
        ({"content": "mine"}, {"content": "theirs"}, {}, True),
        ({"tags": ("b",)}, {"content": "theirs"}, {"tags": ["b"]}, False),
        ({"tags": ("a", "b")}, {"tags": ("a", "c")}, {"tags": ["a", "c", "b"]}, False),
        ({"importance": 0.9, "memory_type": "episodic"}, {}, {"importance": 0.9, "memory_type": "episodic"}, False),
    ],
)
def test_what_one_side_changed_is_taken_and_what_both_did_is_contested(
    file: dict[str, object], stored: dict[str, object], changes: dict[str, object], contested: bool
) -> None:
    from dataclasses import replace

    found = merged(replace(FIELDS, **file), replace(FIELDS, **stored), FIELDS.agreed)  # type: ignore[arg-type]
    assert (found.changes, found.is_contested) == (MemoryChanges(**changes), contested)  # type: ignore[arg-type]


def test_without_a_common_state_other_texts_are_contested() -> None:
    assert merged(FIELDS, Fields("other", "semantic", 0.5, ("a",)), None).is_contested
