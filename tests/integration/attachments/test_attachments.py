"""Files as memories, at a store: found by caption and text, kept once, gone with the last memory that has them."""

import asyncio
import base64
import io
import json
import os
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docx import Document

from agentos.conformance.reader import CanonicalHash
from agentos.database import OpenedStore
from agentos.features.attachments.service import LOOKED_AT_CHARS, AttachmentService
from agentos.interfaces.cli.running import run
from agentos.modules.agentos import AgentOS
from agentos.modules.attaching import MOST_BYTES, MiB
from agentos.modules.errors import InvalidInput, NotFound, QuotaExceeded, StorageUnavailable
from agentos.modules.principals.models import Door, local_owner
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
AtHand = Callable[[], AbstractContextManager[Any]]
OpenStore = Callable[[], Awaitable[OpenedStore]]
Wire = Callable[..., AgentOS]


def docx(*paragraphs: str) -> bytes:
    file = io.BytesIO()
    document = Document()
    for one in paragraphs:
        document.add_paragraph(one)
    document.save(file)
    return file.getvalue()


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w>" + b"a" * (40 * MiB))
    return file.getvalue()


def parts(at_hand: AtHand) -> int:
    with at_hand() as database:
        return int(database.execute("SELECT count(*) FROM attachment_parts").fetchone()[0])


@pytest.fixture
def files(store: OpenedStore, agentos: AgentOS, clock: Any) -> AttachmentService:
    return AttachmentService.over(store.engine, agentos.memory, agentos.redactor, 64 * 1024, clock)


async def test_a_file_is_found_by_its_caption_its_name_and_its_text(agentos: AgentOS, files: AttachmentService) -> None:
    picture = await files.attach("ana", "C:\\shots\\login.png", PNG, caption="The broken sign-in page", tags=["ui"])
    assert (picture.attachment.name, picture.attachment.media_type) == ("login.png", "image/png")
    paper = await files.attach("ana", "terms.bin", docx("The notice period is six weeks."), caption="Contract")
    assert paper.attachment.media_type.endswith("wordprocessingml.document") and paper.text_chars > 20
    for query, wanted in (("sign-in page", picture), ("login.png", picture), ("notice period", paper)):
        [hit, *_] = (await agentos.memory.search("ana", query)).hits
        assert hit.memory.id == wanted.attachment.memory_id, query
    memory, _ = await agentos.memory.get("ana", picture.attachment.memory_id)
    assert memory.tags == ("attachment", "ui") and memory.trust == 1.0
    assert (await agentos.memory.get("ana", paper.attachment.memory_id))[0].trust < 0.5, "what a file says is no word"
    assert (await files.get("ana", picture.attachment.memory_id)) == (picture.attachment, PNG)
    again = await files.attach("ana", "login.png", PNG, caption="The broken sign-in page")
    assert not again.is_new and len(await files.all("ana", 10)) == 2


async def test_equal_bytes_are_kept_once_and_go_with_the_last_memory(
    agentos: AgentOS, files: AttachmentService, at_hand: AtHand
) -> None:
    data = bytes(range(256)) * 600
    first = await files.attach("ana", "a.bin", data, caption="one")
    second = await files.attach("ben", "b.bin", data, caption="two")
    assert parts(at_hand) == 3
    with pytest.raises(NotFound):
        await files.get("ben", first.attachment.memory_id)
    assert await files.all("ben", 10) == [second.attachment]
    await agentos.memory.delete("ana", first.attachment.memory_id)
    assert (await files.get("ben", second.attachment.memory_id))[1] == data
    await agentos.memory.delete("ben", second.attachment.memory_id)
    assert parts(at_hand) == 0 and not await agentos.erasure.files_left([first.attachment.content_hash])


async def test_processes_that_attach_and_erase_the_same_bytes_at_once_never_lose_them(
    open_store: OpenStore, wire: Wire, clock: Any, at_hand: AtHand
) -> None:
    data = bytes(range(256)) * 600

    async def churn(namespace: str) -> None:
        store = await open_store()
        agentos = wire(store)
        files = AttachmentService.over(store.engine, agentos.memory, agentos.redactor, 64 * 1024, clock)
        for number in range(3):
            kept = await files.attach(namespace, "a.bin", data, caption=f"{namespace} {number}")
            assert (await files.get(namespace, kept.attachment.memory_id))[1] == data
            await agentos.memory.delete(namespace, kept.attachment.memory_id)

    await asyncio.gather(churn("ana"), churn("ben"))
    assert parts(at_hand) == 0


async def test_erased_bytes_are_in_no_file_of_the_home(
    agentos: AgentOS, files: AttachmentService, home: Path, request: pytest.FixtureRequest
) -> None:
    mark = b"\x01MARK-OF-BYTES\x02"
    kept = await files.attach("ana", "a.bin", (mark + bytes(1000)) * 300)
    await agentos.memory.delete("ana", kept.attachment.memory_id)
    if request.node.get_closest_marker("postgres") is None:
        assert not [one for one in home.rglob("*") if one.is_file() and mark in one.read_bytes()]


def cases() -> Iterator[tuple[str, bytes, str]]:
    yield "", PNG, "name"
    yield "a\nb.png", PNG, "name"
    yield "empty.png", b"", "file"
    yield "large.bin", bytes(MOST_BYTES + 1), "file"
    yield "notes.txt", b"token = ghp_" + b"a1B2" * 9, "file"
    yield "long.txt", b"plain words, and " * 1_500 + b"token = ghp_" + b"a1B2" * 9, "file"  # beyond what is kept
    yield (
        "cut.txt",
        b"plain, ".ljust(LOOKED_AT_CHARS - 30, b".") + b" token = ghp_" + b"a1B2" * 9 + b"." * 9_000,
        "file",
    )
    yield "long.docx", docx(*["plain words, and " * 100] * 15, "token = ghp_" + "a1B2" * 9), "file"


async def test_what_is_refused_changes_nothing(
    agentos: AgentOS, files: AttachmentService, store: OpenedStore, at_hand: AtHand
) -> None:
    for name, data, field in cases():
        with pytest.raises(InvalidInput) as refused:
            await files.attach("ana", name, data)
        assert refused.value.field == field, name
    owner = local_owner("ana", None, Door.COMMAND_LINE)
    await agentos.principals.set_policy(owner, "ana", limits={"max_bytes": 5_000})
    with pytest.raises(QuotaExceeded):
        await files.attach("ana", "a.bin", bytes(6_000))
    assert not (await agentos.memory.page("ana")).total and parts(at_hand) == 0


async def test_what_a_file_is_its_bytes_tell_and_what_cannot_be_read_is_kept_without_text(
    files: AttachmentService,
) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for name, data, kind, reads in (
        ("page.png", b"<html><script>alert(1)</script>", "text/plain", True),
        ("drawing.png", svg, "text/plain", True),
        ("paper.pdf", b"%PDF-1.7 no more", "application/pdf", False),
        ("bomb.docx", bomb(), "vnd.openxmlformats", False),
        ("some.txt", bytes([0, 255] * 50), "application/octet-stream", False),
    ):
        kept = await files.attach("ana", name, data)
        assert kind in kept.attachment.media_type and bool(kept.text_chars) == reads, name
        assert bool(kept.problem) == (not reads and "octet" not in kind), name


async def test_a_bundle_takes_files_along_and_none_whose_bytes_are_others(
    agentos: AgentOS, files: AttachmentService, tmp_path: Path, at_hand: AtHand
) -> None:
    kept = await files.attach("ana", "shot.png", PNG + bytes(100_000), caption="A shot")
    await files.attach("ben", "other.bin", b"\x00other")
    bundle = tmp_path / "ana.jsonl"
    exported = await agentos.portability.export(bundle, ["ana"])
    assert (exported.rows["attachments"], exported.rows["attachment_parts"]) == (1, 2)
    await agentos.memory.delete("ana", kept.attachment.memory_id)
    assert (await agentos.portability.import_bundle(bundle, dry_run=True)).new["attachment_parts"] == 2
    await agentos.portability.import_bundle(bundle)
    assert (await files.get("ana", kept.attachment.memory_id))[1] == PNG + bytes(100_000)
    forged, whole = tmp_path / "forged.jsonl", CanonicalHash()
    lines = [json.loads(line) for line in bundle.read_text(encoding="utf-8").splitlines()]
    for line in lines[1:-1]:
        if line["table"] == "attachment_parts" and line["row"]["part"] == 1:
            line["row"]["data"]["base64"] = base64.b64encode(b"others").decode()
        whole.add(line["table"], line["row"])
    lines[-1] = {"end": lines[-1]["end"], "canonical_hash": whole.digest}
    forged.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    with pytest.raises(InvalidInput, match="not those of its hash"):
        await agentos.portability.import_bundle(forged)
    with at_hand() as database:
        database.execute("DELETE FROM attachment_parts WHERE part = 1")
    with pytest.raises(StorageUnavailable):
        await files.get("ana", kept.attachment.memory_id)


@pytest.mark.sqlite("commands open the home of a person")
def test_commands_attach_give_back_erase_and_certify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, at_a_terminal: None
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    monkeypatch.chdir(tmp_path)
    home = ["--home", str(tmp_path / "home")]
    (tmp_path / "shot.png").write_bytes(PNG)
    os.mkfifo(tmp_path / "pipe")

    def answer(*words: str) -> Any:
        assert run([*words, *home, "--json"]) in (0, 1), words
        return json.loads(capsys.readouterr().out)

    for wrong in ("pipe", "none.png", "home"):
        assert run(["attach", wrong, *home]) == 2
    capsys.readouterr()
    one = answer("attach", "shot.png", "--caption", "Zebulonia at the sea")
    two = answer("attach", "shot.png", "--caption", "Harbour", "--agent", "ben")
    assert one["content_hash"] == two["content_hash"] and one["media_type"] == "image/png"
    assert [row["name"] for row in answer("attachments")["attachments"]] == ["shot.png"]
    got = Path(answer("attachments", "get", one["memory_id"][:12], "--to", "got.png")["path"])
    assert got.read_bytes() == PNG and got.stat().st_mode & 0o777 == 0o600
    assert run(["attachments", "get", one["memory_id"], "--to", "got.png", *home]) == 3, "nothing is written over"
    assert run(["trust-keys", "new", "--author", "ann", *home]) == 0
    capsys.readouterr()
    first = answer("erase", "--subject", "Zebulonia", "--certificate", "first.json", "--yes")
    assert first["remains"]["attachments"] == [one["content_hash"]] and "files" not in first
    assert answer("attachments", "remove", two["memory_id"], "--agent", "ben", "--yes")["erased"]
    answer("attach", "shot.png", "--caption", "Zebulonia again")
    assert answer("erase", "--subject", "Zebulonia", "--certificate", "second.json", "--yes")["files"] == [
        one["content_hash"]
    ]


async def test_where_the_feature_is_off_its_tools_say_so(agentos: AgentOS) -> None:
    async def off() -> AgentOS:
        return replace(agentos, features=agentos.features - {"attachments"})

    tools = [one for one in all_tools(None) if one.feature == "attachments"]
    for tool, given in zip(bind(tools), ({"memory_id": "mem_1"}, {}), strict=True):
        with pytest.raises(NotFound, match="AGENTOS_FEATURES"):
            await tool.run(off, local_owner("ana", None, Door.STDIO), "test", given)
