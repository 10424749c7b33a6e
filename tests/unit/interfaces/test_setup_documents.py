"""Setup's formats: what goes in comes out to the byte, nothing else is touched, what cannot be read is refused."""

import json
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from agentos.interfaces.cli.setup.documents import NO_FACTS, ConfigDocument, Unreadable
from agentos.interfaces.cli.setup.jsonc import JsonMember
from agentos.interfaces.cli.setup.marked_block import BEGIN, END, MarkedBlock
from agentos.interfaces.cli.setup.toml_table import TomlTable
from agentos.interfaces.cli.setup.yaml_member import YamlMember
from tests.tables import every

WANTED = {"command": "/opt/ä b/agentos-server", "args": ["--x", 'q"\\'], "env": {"AGENTOS_HOME": "/data"}}
JSON = JsonMember(("mcpServers", "agentos"))
TOML = TomlTable(("mcp_servers", "agentos"))
YAML = YamlMember(("mcp_servers", "agentos"))
BLOCK = MarkedBlock("---\nalwaysApply: true\n---\n\n")

names = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=6).filter(
    lambda name: name not in ("agentos", "mcpServers", "mcp_servers")
)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)
settings = st.dictionaries(names, values, max_size=4)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    """What people have in their files: any indentation, with or without servers, comments, trailing commas, CRLF."""
    data: dict[str, Any] = draw(settings)
    servers = draw(st.none() | settings)
    if servers is not None:
        data["mcpServers"] = servers
    data |= draw(settings)
    style = draw(st.sampled_from(["plain", "minified", "commented", "blank"]))
    if style == "blank":
        return draw(st.sampled_from(["", "\n", "  \n", "// nothing yet", "/* nothing */\n"]))
    if style == "minified":
        text = json.dumps(data, separators=(",", ":"))
    else:
        text = json.dumps(data, indent=draw(st.sampled_from([2, 4, "\t", None])), ensure_ascii=draw(st.booleans()))
    if style == "commented":
        lines = text.split("\n")
        for index in draw(st.lists(st.integers(0, len(lines) - 1), max_size=4, unique=True)):
            line = lines[index]
            if line.endswith(("}", "]")) and index + 1 < len(lines) and line.strip() in ("}", "]"):
                line += draw(st.sampled_from(["", ","]))
            lines[index] = line + draw(st.sampled_from([" // a, comment }", " /* { */", "\n  // own line", " "]))
        text = "\n".join(lines)
    text = draw(st.sampled_from(["", "// first\n", "/* first */ ", "\n"])) + text
    text += draw(st.sampled_from(["", "\n", "\n\n", "\n// last\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(json_texts())
def test_json_comes_out_as_it_was(text: str) -> None:
    try:
        entry = JSON.entry(text)
    except Unreadable:
        return  # a comma too much is for its owner to mend
    assert entry is None
    edit = JSON.put(text, WANTED)
    assert JSON.entry(edit.text) == WANTED
    assert JSON.put(edit.text, WANTED).text == edit.text
    assert JSON.remove(edit.text, edit.facts) == text
    characters = iter(edit.text)
    assert all(character in characters for character in text.strip()), "an insertion only inserts"


@given(json_texts(), st.sampled_from(["before", "after"]))
def test_json_of_others_that_came_later_stays(text: str, where: str) -> None:
    try:
        edit = JSON.put(text, WANTED)
    except Unreadable:
        return
    other = JsonMember(("mcpServers", "zzz"))
    later = other.put(edit.text, {"command": "z"}).text
    left = JSON.remove(later, edit.facts)
    assert other.entry(left) == {"command": "z"} and JSON.entry(left) is None


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Tables, comments, values of several lines, and brackets where none is meant."""
    parts = draw(
        st.lists(
            st.sampled_from(
                [
                    "# a comment [mcp_servers.agentos]\n",
                    "\n",
                    "[mcp_servers.docs{n}]\ncommand = 'x' # here\n",
                    "[mcp_servers.docs{n}.env]\nA = '''\n[mcp_servers.agentos]\n'''\n",
                    "[[rules{n}]]\na = [\n  1, # one\n  [2],\n]\n",
                    "[x{n}.'a.b']\nd = 2026-01-01\n",
                    "[mcp_servers.'quoted {n}']\nurl = \"u\"\n",
                ]
            ),
            max_size=6,
        )
    )
    text = draw(st.sampled_from(["", "model = 'm'\n", "a.b = 1\n"]))
    text += "".join(part.replace("{n}", str(index)) for index, part in enumerate(parts))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(toml_texts())
def test_toml_comes_out_as_it_was(text: str) -> None:
    edit = TOML.put(text, WANTED)
    assert edit.text.startswith(text)
    assert TOML.entry(edit.text) == WANTED
    assert TOML.put(edit.text, WANTED).text == edit.text
    assert TOML.remove(edit.text, edit.facts) == text
    later = edit.text + "\n[mcp_servers.zzz]\ncommand = 'z'\n"
    left = tomllib.loads(TOML.remove(later, edit.facts))["mcp_servers"]
    assert left.pop("zzz") == {"command": "z"} and left == tomllib.loads(text).get("mcp_servers", {})


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """What people have in their files: any indentation, blocks and flows, comments, texts of several lines, CRLF."""
    servers = draw(
        st.sampled_from(
            [
                "",
                "mcp_servers:\n",
                "mcp_servers: {} # none\n",
                "mcp_servers:   # none yet\n",
                "mcp_servers:\n  z: {command: z, args: [a]} # here\n",
                "mcp_servers:\n      z:\n          command: z\n          args:\n          - a\n\n\n# then\n",
                "'mcp_servers':\n  z:\n    note: |\n      mcp_servers:\n        agentos: 1\n",
                "mcp_servers:\n  z:\n    command: >-\n      a\n      b\n  # the last\n",
                "mcp_servers:\n  z: &z\n    command: z\n  y: *z\n",
            ]
        )
    )
    others = st.sampled_from(
        ["# a comment {n}\n", "\n", "a{n}: 'x' # here\n", "b{n}:\n- 1\n- {c: [2]}\n", "c{n}: |+\n  kept\n\n", "d{n}:\n"]
    )
    parts = [*draw(st.lists(others, max_size=4)), servers, *draw(st.lists(others, max_size=4))]
    text = "".join(part.replace("{n}", str(index)) for index, part in enumerate(parts))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    text = draw(st.sampled_from(["", "---\n", "# é😀\n"])) + text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings_of_hypothesis(deadline=None)  # the first text waits for the library
@given(yaml_texts())
def test_yaml_comes_out_as_it_was(text: str) -> None:
    assert YAML.entry(text) is None
    try:
        edit = YAML.put(text, WANTED)
    except Unreadable as refused:
        assert "by hand" in str(refused) and ("*z" in text or "|" in text)  # else the text before would be another
        return
    assert YAML.entry(edit.text) == WANTED
    assert YAML.put(edit.text, WANTED).text == edit.text
    assert YAML.remove(edit.text, edit.facts) == text
    changed = YAML.put(edit.text, {**WANTED, "args": ["--new\u2028\x7f"], "more": {"a": {"b": None}}})
    assert YAML.entry(changed.text)["args"] == ["--new\u2028\x7f"]
    later = YamlMember(("mcp_servers", "zzz")).put(edit.text, {"command": "zzz"}).text
    left = yaml.safe_load(YAML.remove(later, edit.facts))["mcp_servers"]
    assert left.pop("zzz") == {"command": "zzz"} and left == ((yaml.safe_load(text) or {}).get("mcp_servers") or {})


@given(st.text(st.sampled_from("ab #-\n"), max_size=30), st.sampled_from(["\n", "\r\n"]))
def test_a_block_comes_out_as_the_text_was(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    edit = BLOCK.put(text, "Remember.\n")
    assert BLOCK.entry(edit.text) == "Remember.\n"
    assert BLOCK.put(edit.text, "Remember.\n").text == edit.text
    assert BLOCK.remove(edit.text, edit.facts) == text
    renewed = BLOCK.put(edit.text, "Remember more.\n")
    assert BLOCK.entry(renewed.text) == "Remember more.\n"
    assert BLOCK.remove(renewed.text, edit.facts) == text


@every(
    ("document", "text", "problem"),
    [
        (JSON, '{"mcpServers": {"a": 1}', "line 1: expected a comma or }"),
        (JSON, '{"mcpServers": {}}\n}', "line 2: unexpected text after the end"),
        (JSON, '{"mcpServers": []}', "mcpServers is not an object"),
        (JSON, '{"mcpServers": null}', "mcpServers is not an object"),
        (JSON, '["mcpServers"]', "not an object"),
        (JSON, '{"mcpServers": {}, "mcpServers": {}}', "mcpServers is there twice"),
        (JSON, '{"a": 1 "b": 2}', "a comma or }"),
        (JSON, "{'a': 1}", "a name in quotes"),
        (JSON, '{"a": nope}', "expected a value"),
        (JSON, '{"a": ' + "[" * 100_000, "nested too deeply"),
        (JSON, "{ /* never closed", "a name in quotes"),
        (TOML, "a = ", "Invalid value"),
        (TOML, "a = " + "[" * 20_000 + "]" * 20_000, "nested too deeply"),
        (TOML, "a = " + "[" * 300 + "]" * 300, "nested too deeply"),
        (TOML, "mcp_servers = 1\n", "not a table"),
        (TOML, "mcp_servers = { docs = { command = 'x' } }\n", "by hand"),
        (YAML, "a: [", "line 1: "),
        (YAML, "a: 1\n--- \nb: 2\n", "another document"),
        (YAML, "a: " + "[" * 20_000, "nested too deeply"),
        (
            YAML,
            "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
            + "".join(
                f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
            ),
            "it is too large",
        ),
        (YAML, "a: !secret x\n", "could not determine a constructor"),
        (YAML, "- mcp_servers\n", "the file is not a mapping"),
        (YAML, "mcp_servers: [1]\n", "mcp_servers is not a mapping"),
        (YAML, "mcp_servers: {z: {command: z}}\n", "by hand"),
        (YAML, "mcp_servers: null\nmcp_servers: {}\n", "twice"),
        (YAML, "{mcp_servers: {agentos: {command: agentos-server}}}\n", "by hand"),
        (BLOCK, f"{BEGIN}\nno end\n", "missing or has moved"),
        (BLOCK, f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "twice"),
        (BLOCK, f"{BEGIN}\n{END} and more\n", "after"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(document: ConfigDocument, text: str, problem: str) -> None:
    with pytest.raises(Unreadable) as caught:
        document.put(text, WANTED if document is not BLOCK else "x\n")
    assert problem in str(caught.value)


def test_an_entry_that_someone_else_wrote_is_taken_out_too() -> None:
    text = '{\n  "mcpServers": {\n    "agentos": {"command": "agentos-server"},\n    "b": {}\n  }\n}\n'
    assert JSON.remove(text, NO_FACTS) == '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n'
    only = '{\n  "mcpServers": {\n    "agentos": {"command": "agentos-server"}\n  }\n}\n'
    assert JSON.remove(only, NO_FACTS) == '{\n  "mcpServers": {}\n}\n'
    table = 'a = 1\n\n[mcp_servers.agentos]\ncommand = "agentos-server"\n\n[b]\nc = 1\n'
    assert TOML.remove(table, NO_FACTS) == "a = 1\n\n[b]\nc = 1\n"
    member = "mcp_servers:\n  z: {}\n\n  agentos:\n    command: agentos-server # ours\n  # theirs\nb: 1\n"
    assert YAML.remove(member, NO_FACTS) == "mcp_servers:\n  z: {}\n\n  # theirs\nb: 1\n"
    assert YAML.remove("mcp_servers:\n  agentos: {a: 1}", NO_FACTS) == "mcp_servers: {}\n"
    for written_otherwise in (
        'mcp_servers.agentos.command = "x"\n',
        '[mcp_servers]\nagentos = { command = "x" }\n',
    ):
        with pytest.raises(Unreadable, match="by hand"):
            TOML.remove(written_otherwise, NO_FACTS)


@every(
    "text", ["mcp_servers: &all\n  x: 1\nothers: *all\n", "mcp_servers:\n  agentos: &one\n    command: a\nmine: *one\n"]
)
def test_yaml_that_something_else_refers_to_is_left_for_a_person(text: str) -> None:
    with pytest.raises(Unreadable, match="by hand"):
        YAML.put(text, WANTED)
