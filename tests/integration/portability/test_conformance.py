"""The conformance kit: what is published never changes, and the readers in Python and in JavaScript never disagree."""

import base64
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentos import config
from agentos.conformance import reader
from agentos.conformance.differences import Side, differences
from agentos.conformance.validation import Validation
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import AgentOSError
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock
from tests.places import ROOT
from tests.tables import every

KIT = ROOT / "conformance"
FIXTURES = KIT / "fixtures"
VALID = sorted((FIXTURES / "valid").glob("*.jsonl"))
INVALID = json.loads((FIXTURES / "invalid/expected.json").read_text(encoding="utf-8"))
UNFIT = json.loads((FIXTURES / "unfit/expected.json").read_text(encoding="utf-8"))
NODE = shutil.which("node")

ASKED = """
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
const reader = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { normal: [...reader.normal(reader.inLines(Buffer.from(line, "base64")))].join("") };
  } catch (error) {
    answer = error instanceof reader.Complaint ? { code: error.code, line: error.line } : { crashed: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
}
"""


class JavaScript:
    """The reference reader in Node, asked one bundle after the other."""

    def __init__(self) -> None:
        assert NODE is not None
        command = (NODE, "--input-type=module", "--eval", ASKED, (KIT / "reader.mjs").as_uri())
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, data: bytes) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(base64.b64encode(data) + b"\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    if NODE is None:
        pytest.skip("there is no Node: the reader in JavaScript was not tried")
    started = JavaScript()
    with started.process:
        yield started


def lines(data: bytes) -> list[bytes]:
    """The lines of a file, as `in_lines` gives them."""
    found = data.split(b"\n")
    return found[:-1] if found[-1] == b"" else found


def python(data: bytes) -> dict[str, Any]:
    """What the reader in Python makes of a bundle."""
    try:
        return {"normal": b"".join(reader.normal(lines(data))).decode()}
    except reader.Complaint as complaint:
        return {"code": complaint.code, "line": complaint.line}


@every("path", VALID)
def test_a_bundle_has_one_normal_form_in_both_languages(path: Path, javascript: JavaScript) -> None:
    normal = (FIXTURES / "normal" / path.name).read_bytes()
    assert python(path.read_bytes()) == javascript(path.read_bytes()) == {"normal": normal.decode()}
    assert python(normal) == javascript(normal) == {"normal": normal.decode()}, "twice is once"
    assert reader.verified(lines(normal)) == reader.verified(lines(path.read_bytes()))
    assert differences(Side.of(lines(normal)), Side.of(lines(path.read_bytes()))).none


@every("name", INVALID)
def test_what_is_no_bundle_gets_the_same_complaint_in_both_languages(name: str, javascript: JavaScript) -> None:
    data = (FIXTURES / "invalid" / name).read_bytes()
    assert python(data) == javascript(data) == INVALID[name]


def test_every_fixture_is_there_and_expected() -> None:
    assert {path.name for path in (FIXTURES / "invalid").glob("*.jsonl")} == set(INVALID)
    assert {path.name for path in (FIXTURES / "unfit").glob("*.jsonl")} == set(UNFIT)
    assert {path.name for path in (FIXTURES / "normal").glob("*.jsonl")} == {path.name for path in VALID}


def test_spelling_and_order_of_tables_mean_nothing() -> None:
    spelled, plain = ((FIXTURES / "normal" / name).read_bytes() for name in ("spellings.jsonl", "small.jsonl"))
    assert spelled == plain


@every("path", VALID)
def test_fixtures_are_as_published(path: Path) -> None:
    found = Validation()
    assert [one.message for one in found.complaints(lines(path.read_bytes()))] == []
    assert found.unchecked is None
    assert bool(found.unknown) == (path.stem == "unknown-fields")


@every("name", UNFIT)
def test_rows_that_are_not_as_published_are_named(name: str) -> None:
    data = lines((FIXTURES / "unfit" / name).read_bytes())
    [complaint] = Validation().complaints(data)
    assert {"code": complaint.code, "line": complaint.line} == UNFIT[name]
    assert list(reader.read(data)), "its lines are those of a bundle"


NewStore = Callable[[str], Awaitable[AgentOS]]


@pytest.fixture
async def new_store(tmp_path: Path, engine: Any, new_home: Path) -> AsyncIterator[NewStore]:
    """Opens stores without anything in them, each by a name of its own."""
    opened = []

    async def named(name: str) -> AgentOS:
        settings = config.load({}, home=shutil.copytree(new_home, tmp_path / name))
        opened.append(await engine(settings.home, settings.database, Clock()))
        return AgentOS.over(opened[-1], NoEmbedder(), settings, Clock())

    yield named
    for store in opened:
        await store.close()


@pytest.fixture
async def empty(new_store: NewStore) -> AgentOS:
    return await new_store("home")


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
async def test_what_is_valid_comes_in_and_goes_out_in_its_normal_form(
    path: Path, new_store: NewStore, tmp_path: Path
) -> None:
    normal = FIXTURES / "normal" / path.name
    summary = reader.verified(lines(path.read_bytes()))
    found = Validation()
    assert not list(found.complaints(lines(path.read_bytes())))
    first, second = await new_store("first"), await new_store("second")
    done = await first.portability.import_bundle(path)
    assert dict(sorted(done.new.items())) == summary["rows"] and not done.known and not done.left_out
    assert done.ignored == found.unknown
    made = await first.portability.export(tmp_path / "first.jsonl")
    assert made.rows == done.new
    again = await first.portability.import_bundle(normal)
    assert again.known == made.rows and not again.new and not again.left_out, "the normal form brings nothing else"
    await second.portability.import_bundle(normal)
    await second.portability.export(tmp_path / "second.jsonl")
    same = (tmp_path / name for name in ("first.jsonl", "second.jsonl"))
    assert len({one.read_bytes() for one in same}) == 1, "it brings in the same, in the same order"


@every("name", [*(f"invalid/{name}" for name in INVALID), *(f"unfit/{name}" for name in UNFIT)])
async def test_what_is_not_valid_is_refused_and_changes_nothing(name: str, empty: AgentOS) -> None:
    before = await empty.portability.canonical_hash()
    with pytest.raises(AgentOSError):
        await empty.portability.import_bundle(FIXTURES / name)
    assert await empty.portability.canonical_hash() == before


def test_rows_of_a_newer_schema_are_kept_and_said_to_be_unchecked() -> None:
    rows = [b'{"table":"dreams","row":{"id":"d1"}}']
    found = CanonicalEnd([("dreams", {"id": "d1"})])
    data = [b'{"agentos_bundle":1,"schema":999}', *rows, found.line]
    looked = Validation()
    assert not list(looked.complaints(data)) and looked.unchecked is not None and "999" in looked.unchecked


def test_published_schemas_never_change() -> None:
    listed = (KIT / "schemas/PUBLISHED").read_text(encoding="utf-8").splitlines()
    published = {name: digest for digest, name in (line.split("  ") for line in listed)}
    found = {
        path.relative_to(KIT / "schemas").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (KIT / "schemas").rglob("*.schema.json")
    }
    assert found.items() <= published.items(), "a published schema is never changed: add the next one"
    assert all("/rows-" in name for name in published.keys() - found.keys())
    for name in found:
        Draft202012Validator.check_schema(json.loads((KIT / "schemas" / name).read_text(encoding="utf-8")))


def test_every_schema_of_the_store_is_published() -> None:
    spec = importlib.util.spec_from_file_location("publish_schemas", ROOT / "packaging/publish_schemas.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    migrations = sorted((ROOT / "storage/sqlite/migrations").glob("*.sql"))
    published = (KIT / "schemas/PUBLISHED").read_text(encoding="utf-8").splitlines()
    before: dict[str, Any] = {}
    for version in range(1, len(migrations) + 1):
        name = f"format-1/rows-{version:03}.schema.json"
        document = script.schema(version)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        assert f"{hashlib.sha256(text.encode()).hexdigest()}  {name}" in published, (
            f"run packaging/publish_schemas.py for {name}; with --unreleased if its migration is in no release"
        )
        assert (KIT / "schemas" / name).exists() == (script.content(document) != before), name
        before = script.content(document)


class CanonicalEnd:
    """The last line of rows."""

    def __init__(self, rows: list[tuple[str, dict[str, Any]]], **more: Any) -> None:
        found = reader.CanonicalHash()
        for table, row in rows:
            found.add(table, row)
        self.line = reader.canonical({"end": len(rows), "canonical_hash": found.digest, **more})


texts = st.text(st.characters(codec="utf-8") | st.sampled_from('\x00\x1f\x7f\u2028\ufeff\uffff\U0001f600é\u0301\\"/'))
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
objects = st.dictionaries(texts, values, max_size=5)


@st.composite
def bundles(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A bundle, and the same with its names, tables and spelling in another order."""
    rows = draw(st.lists(st.tuples(st.sampled_from(["b", "a", "\U0001f600", "\uffff"]), objects), max_size=6))
    more = draw(objects)
    head = more | {"agentos_bundle": 1, "schema": draw(st.integers(1, 2**40))}
    beside = draw(objects.map(lambda found: {name: value for name, value in found.items() if name != "end"}))
    row_lines = [beside | {"table": table, "row": row} for table, row in rows]
    end = CanonicalEnd(rows, **{name: one for name, one in more.items() if name not in ("end", "canonical_hash")}).line
    plain = [*map(reader.canonical, [head, *row_lines]), end]
    tables = draw(st.permutations(sorted({table for table, _ in rows})))
    moved = sorted(row_lines, key=lambda line: tables.index(line["table"]))
    spelled = [spelling(line, draw(st.booleans())) for line in [head, *moved]]
    return b"\n".join(plain) + b"\n", b"\r\n".join([*spelled, end])


def spelling(value: dict[str, Any], ascii_only: bool) -> bytes:
    """A line as somebody else might write it."""
    turned = dict(reversed(list(value.items())))
    return json.dumps(turned, ensure_ascii=ascii_only, indent=1).replace("\n", "\t").encode()


@given(bundles())
def test_any_bundle_has_one_normal_form_whatever_its_spelling(
    javascript: JavaScript, both: tuple[bytes, bytes]
) -> None:
    first = python(both[0])
    assert "normal" in first
    assert python(both[1]) == javascript(both[0]) == javascript(both[1]) == first
    normal = first["normal"].encode()
    assert python(normal) == javascript(normal) == first


@given(bundles(), st.data())
def test_a_damaged_bundle_is_judged_the_same_in_both_languages(
    javascript: JavaScript, both: tuple[bytes, bytes], data: st.DataObject
) -> None:
    intact = both[0]
    at = data.draw(st.integers(0, len(intact) - 1))
    sign = data.draw(st.sampled_from(list(b'\x00\n\r\t "\\,:{}[]0159eE+-.tfnu\xc3\xed\xa0\x80\xff')))
    damaged = data.draw(
        st.sampled_from([intact[:at], intact[:at] + bytes([sign]) + intact[at + 1 :], intact + intact[at:]])
    )
    assert python(damaged) == javascript(damaged)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_spelled_the_same(javascript: JavaScript, number: float) -> None:
    row = {"x": number}
    data = b"\n".join([b'{"agentos_bundle":1,"schema":1}', reader.canonical({"table": "t", "row": row})])
    data += b"\n" + CanonicalEnd([("t", row)]).line
    assert javascript(data) == python(data) and "normal" in python(data)


@pytest.mark.parametrize("program", ["reader.py", "reader.mjs"])
def test_a_reader_is_one_file_that_works_alone(program: str, tmp_path: Path) -> None:
    if program.endswith(".mjs") and NODE is None:
        pytest.skip("there is no Node: the reader in JavaScript was not tried")
    starter = [sys.executable, "-I"] if program.endswith(".py") else [str(NODE)]
    copied = shutil.copy(KIT / program, tmp_path)

    def run(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([*starter, copied, *arguments], cwd=tmp_path, capture_output=True, check=False)

    good = FIXTURES / "valid/lived-in.jsonl"
    assert run("normalise", str(good)).stdout == (FIXTURES / "normal/lived-in.jsonl").read_bytes()
    verified = run("verify", str(good))
    assert json.loads(verified.stdout) == reader.verified(lines(good.read_bytes()))
    refused = run("verify", str(FIXTURES / "invalid/row-changed.jsonl"))
    assert refused.returncode == 1 and not refused.stdout
    complaint = json.loads(refused.stderr)
    assert {"code": complaint["code"], "line": complaint["line"]} == INVALID["row-changed.jsonl"]
    assert run("verify").returncode == 2 and run("verify", "no-such-file").returncode == 2
