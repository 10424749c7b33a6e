"""Files as memories: every format, with heading and page; a changed file replaces its own passages only."""

import os
import zipfile
from pathlib import Path

import pytest
from docx import Document

from agentos.features.ingest import documents
from agentos.features.ingest.service import IngestionService
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import Memory
from agentos.modules.store_request import StoreRequest
from tests.tables import every

TEXT = "Parental leave is sixteen weeks."


def text(path: Path) -> None:
    path.write_text(f"Welcome.\n\n{TEXT}\n", encoding="utf-8")


def markdown(path: Path) -> None:
    path.write_text(f"# Handbook\nWelcome.\n\n## Leave\n{TEXT}\n\n```\n# no heading\n```\n", encoding="utf-8")


def html(path: Path) -> None:
    page = f"<title>Handbook</title><style>p {{}}</style><p>Welcome.</p><h2>Leave</h2><p>{TEXT}</p><script>x()</script>"
    path.write_text(page, encoding="utf-8")


def docx(path: Path) -> None:
    document = Document()
    document.add_paragraph("Welcome.")
    document.add_heading("Leave", level=1)
    document.add_paragraph(TEXT)
    document.save(str(path))


def pdf(path: Path) -> None:
    """Two pages, each with a line of text, as small as the format allows."""
    parts = [b"%PDF-1.4\n"]
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>"]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F 5 0 R>>>>/Contents %d 0 R>>"
    objects += [page % 6, page % 7, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for line in ("Welcome.", TEXT):
        stream = f"BT /F 12 Tf 20 200 Td ({line}) Tj ET".encode()
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    offsets = []
    for number, one in enumerate(objects, start=1):
        offsets.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj%s\nendobj\n" % (number, one))
    start = sum(map(len, parts))
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts += [b"%010d 00000 n \n" % offset for offset in offsets]
    parts.append(b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    path.write_bytes(b"".join(parts))


@pytest.fixture
def ingestion(agentos: AgentOS) -> IngestionService:
    return IngestionService(agentos.memory, agentos.redactor)


async def contents(agentos: AgentOS, agent: str = "ann") -> dict[str, Memory]:
    return {memory.content: memory for memory in (await agentos.memory.page(agent, limit=100)).memories}


FORMATS = {"a.txt": text, "a.md": markdown, "a.html": html, "a.docx": docx, "a.pdf": pdf}


@every("name", FORMATS)
async def test_a_file_becomes_passages_with_where_they_are(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path, name: str
) -> None:
    FORMATS[name](tmp_path / name)
    looked = await ingestion.ingest(name, tmp_path / name, dry_run=True)
    assert looked.new >= 1 and not looked.unread and await contents(agentos, name) == {}
    assert await ingestion.ingest(name, tmp_path / name) == looked
    [passage] = [memory for content, memory in (await contents(agentos, name)).items() if TEXT in content]
    assert passage.source.startswith(f"file: {name}")
    where = dict(passage.metadata)
    if name == "a.pdf":
        assert where["page"] == "2" and passage.source.endswith("page 2")
    elif name != "a.txt":
        assert where["heading"].endswith("Leave")
    again = await ingestion.ingest(name, tmp_path / name)
    assert (again.new, again.gone) == (0, 0)


async def test_a_changed_file_replaces_its_own_passages_only(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.md", tmp_path / "other.md"
    one.write_text("# A\nTea is at four.\n# B\nLunch is at noon.\n# C\nDinner is at eight.\n")
    other.write_text("# A\nThe gym closes at ten.\n")
    await agentos.memory.store("ann", StoreRequest(content="Ann likes tea."))
    await ingestion.ingest("ann", tmp_path)
    before = await contents(agentos)
    one.write_text("# A\nTea is at four.\n# B\nLunch is at one.\n")
    done = await ingestion.ingest("ann", tmp_path)
    assert (done.files, done.new, done.kept, done.gone) == (2, 1, 2, 2)
    after = await contents(agentos)
    assert set(before) - set(after) == {"Lunch is at noon.", "Dinner is at eight."}
    assert set(after) - set(before) == {"Lunch is at one."}
    assert all(before[content].id == after[content].id for content in set(before) & set(after))
    assert await ingestion.forget("ann", one) == 2
    assert set(await contents(agentos)) == {"The gym closes at ten.", "Ann likes tea."}


async def test_long_paragraphs_are_cut_and_secrets_are_not_kept(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("A sentence of some words. " * 400 + "\n\npassword = hunter2-is-not-one\n")
    await ingestion.ingest("ann", path)
    stored = await contents(agentos)
    assert all(len(content) <= 1_300 for content in stored) and len(stored) < 400
    assert not any("hunter2" in content for content in stored)
    assert (await ingestion.ingest("ann", path)).new == 0


async def test_a_cell_is_read_once_however_many_columns_it_says_it_spans(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    document = Document()
    cell = document.add_table(1, 2).cell(0, 0)
    cell.text = TEXT
    cell._tc.grid_span = 200_000_000
    document.save(str(tmp_path / "a.docx"))
    assert not (await ingestion.ingest("ann", tmp_path)).unread
    assert [content.count(TEXT) for content in await contents(agentos)] == [1]


@every(
    ("name", "content"),
    [
        ("a.md", b"one \0 two"),
        ("b.md", "Ключ висит на доске.".encode("cp1251")),
        ("a.pdf", b"no pdf"),
        ("a.docx", b"PK\x03\x04no"),
        ("a.txt", b"\0\0"),
        ("a.exe", b"MZ"),
        ("none.md", None),
    ],
)
async def test_what_cannot_be_read_is_named_and_changes_nothing(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path, name: str, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    if name in ("a.exe", "none.md"):
        with pytest.raises(InvalidInput):
            await ingestion.ingest("ann", tmp_path / name)
    else:
        done = await ingestion.ingest("ann", tmp_path / name)
        assert list(done.unread) == [str(tmp_path / name)]
    assert await contents(agentos) == {}


async def test_only_what_was_ingested_follows_a_file_and_shared_passages_stay_for_the_other(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    for file in (one, other):
        file.write_text("Tea is at four.")
    await ingestion.ingest("ann", tmp_path)
    [passage] = (await contents(agentos)).values()
    forged = (await agentos.memory.store("ann", StoreRequest(content="Ann's own note.", tags=passage.tags))).memory
    one.write_text("Tea is at five.")
    assert (await ingestion.ingest("ann", tmp_path)).gone == 1
    assert set(await contents(agentos)) == {"Tea is at four.", "Tea is at five.", forged.content}
    other.write_text("")
    await ingestion.ingest("ann", tmp_path)
    assert set(await contents(agentos)) == {"Tea is at five.", forged.content}


async def test_passages_of_files_that_are_gone_go_unless_they_are_to_be_kept_or_no_file_is_left(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    one, other, bad = tmp_path / "one.md", tmp_path / "other.md", tmp_path / "bad.md"
    one.write_text("Tea is at four.")
    other.write_bytes("Der Schlüssel hängt am Brett.".encode("cp1252"))
    await ingestion.ingest("ann", tmp_path)
    one.unlink()
    bad.write_bytes(b"\0")
    before = await contents(agentos)
    assert set(before) == {"Tea is at four.", "Der Schlüssel hängt am Brett."}
    looked = await ingestion.ingest("ann", tmp_path, dry_run=True)
    kept = await ingestion.ingest("ann", tmp_path, keep_missing=True)
    assert (looked.missing, looked.gone, kept.gone) == ([str(one)], 1, 0)
    assert list(kept.unread) == [str(bad)] and await contents(agentos) == before
    assert (await ingestion.ingest("ann", tmp_path)).gone == 1
    assert set(await contents(agentos)) == {"Der Schlüssel hängt am Brett."}
    for file in (other, bad):
        file.unlink()
    emptied = await ingestion.ingest("ann", tmp_path)
    assert (emptied.gone, emptied.missing) == (0, [str(other)]) and await contents(agentos)
    (tmp_path / "LOUD.MD").write_text("The bell is big.")
    assert (await ingestion.ingest("ann", tmp_path, keep_missing=True)).new == 1, "endings in capitals count too"


async def test_what_a_folder_has_and_nobody_can_read_is_named_and_the_rest_comes_in(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    for folder in (vault, outside):
        folder.mkdir()
        (folder / "good.md").write_text(f"What stands in {folder.name}.")
    links = {"dead.md": "nowhere", "a.md": "b.md", "b.md": "a.md", "out.md": "../outside/good.md"}
    links |= {"folder": "../outside", "gone": "../nowhere", "again": ".", "inner.md": "good.md", "picture.png": "x"}
    for name, target in links.items():
        (vault / name).symlink_to(target)
    os.mkfifo(vault / "pipe.md")
    done = await ingestion.ingest("ann", vault)
    named = {str(Path(one).relative_to(vault)) for one in done.unread}
    assert named == {"dead.md", "a.md", "b.md", "out.md", "folder", "gone", "pipe.md"}
    assert done.unread[str(vault / "dead.md")] == "it is a link that leads nowhere"
    assert set(await contents(agentos)) == {"What stands in vault."}


async def test_passages_follow_a_folder_that_is_renamed_and_go_with_the_last_file_that_has_them(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    old, new, twin = (tmp_path / name for name in ("old", "new", "twin"))
    for folder in (old, twin):
        folder.mkdir()
        (folder / "a.md").write_text("Tea is at four.")
        (folder / "b.md").write_text(f"This is of {folder.name}.")
        await ingestion.ingest("ann", folder)
    old.rename(new)
    moved = await ingestion.ingest("ann", new)
    assert (moved.new, moved.kept) == (0, 2)
    assert (await contents(agentos))["This is of old."].metadata["file"] == str(new / "b.md")
    (new / "a.md").unlink()
    assert (await ingestion.ingest("ann", new)).missing == [str(new / "a.md")]
    assert "Tea is at four." in await contents(agentos), "the twin has it still"
    assert await ingestion.forget("ann", twin, dry_run=True) == 2 and len(await contents(agentos)) == 3
    assert await ingestion.forget("ann", twin) == 2
    assert set(await contents(agentos)) == {"This is of old."}


async def test_a_note_brings_its_day_its_aliases_and_tags_and_code_keeps_its_lines(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path
) -> None:
    head = "---\ncreated: <% now %>\naliases: [Weir, The Dam]\ntags:\n  - river\n---\n"
    (tmp_path / "2025-06-01.md").write_text(
        f"{head}# Gate\nIt opens at noon.\n```py\nif x:\n    # no #tag\n\n    y()\n```\n"
    )
    await ingestion.ingest("ann", tmp_path)
    stored = await contents(agentos)
    [gate] = [one for content, one in stored.items() if "noon" in content]
    assert "if x:\n    # no #tag\n\n    y()\n" in gate.content and "---" not in " ".join(stored)
    assert (gate.occurred_at.date().isoformat(), gate.metadata["aliases"]) == ("2025-06-01", "Weir, The Dam")
    assert "river" in gate.tags and "tag" not in gate.tags
    assert any("The Dam" in content for content in stored), "and is found by them"


PAGES = {
    "xhtml": b'<?xml version="1.0" encoding="UTF-8"?><html><p>The b\xc3\xbcs.</p></html>',
    "cp1250": '<meta charset="windows-1250"><p>The büs.</p>Łódź'.encode("cp1250"),
    "one bad byte": b'<meta charset="utf-8"><p>The b\xc3\xbcs.</p>\xff',
    "empty": b"",
    "a tag of many attributes": b"<p "
    + b" ".join(b"a%d='>'" % number for number in range(300_000))
    + b">The b\xc3\xbcs. One.",
    "many bodies": b"".join(b"<body a%d>" % number for number in range(100_000)) + b"The b\xc3\xbcs. Two.",
    "code": b"<script>if (a<b) c='<p d=\"'</SCRIPT ><p title='a > b'>The b\xc3\xbcs. Three.",
    "utf-32": "<p>The büs.</p>".encode("utf-32"),
}


@every("name", PAGES)
async def test_a_page_is_read_in_the_encoding_that_it_names(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path, name: str
) -> None:
    (tmp_path / "a.html").write_bytes(PAGES[name])
    done = await ingestion.ingest("ann", tmp_path)
    assert (done.unread, done.new) == ({}, int(name != "empty"))
    assert all("The büs." in content for content in await contents(agentos))


@every("name", ["a.md", "a.html", "a.docx"])
async def test_hostile_documents_are_read_in_time_or_refused(
    agentos: AgentOS, ingestion: IngestionService, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    if name == "a.docx":
        docx(path)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/more.xml", b"<w:p/>" * 2_000_000)
    else:
        path.write_text(("# " + " " * 500 + "x" * 301 + "#" * 500 + "x\n") if name == "a.md" else "<a " * 40_000)
    done = await ingestion.ingest(name, path, dry_run=True)
    assert (name == "a.docx") is bool(done.unread)


def test_a_file_that_takes_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text(tmp_path / "a.txt")
    monkeypatch.setattr(documents, "READ_WITHIN_S", 0.0)
    with pytest.raises(InvalidInput, match="takes longer than 0 s to read"):
        documents.document(tmp_path / "a.txt")
