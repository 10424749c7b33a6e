"""Erasure: the memories of a subject are in no file afterwards, and a certificate says so that others can check."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.conformance import erasure, reader
from agentos.daemon_pkg.jobs.usage import write_usage
from agentos.features.gateway.exchange import Exchange
from agentos.features.gateway.wiring import service_of
from agentos.interfaces.cli.running import run
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.erasure.models import NamedMemory, copies
from agentos.modules.memory.models import Memory, MemoryType
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.store_request import StoreRequest
from tests.tables import every


@every(
    "ids, root",
    [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ([""], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ],
)
def test_the_root_is_that_of_rfc_6962(ids: list[str], root: str) -> None:
    assert erasure.merkle_root(ids) == root


def test_a_root_changes_with_every_id_and_with_their_order() -> None:
    ids = [f"mem_{number}" for number in range(7)]
    others = [ids[:-1], ids[::-1], [*ids[:3], "mem_x", *ids[4:]], [*ids, ids[-1]]]
    assert len({erasure.merkle_root(one) for one in [ids, *others]}) == 5


def test_what_names_a_subject_is_in_no_file_afterwards_and_the_certificate_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, at_a_terminal: None
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    home, file = tmp_path / "home", tmp_path / "erased.json"
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("AGENTOS_MIRROR", str(mirror))
    mirror.mkdir()
    (mirror / "note.md").write_text("Quorrland is where ZEBULONIA lives", encoding="utf-8")
    at = ["--home", str(home), "--agent", "ann"]
    for text in ("Zebulonia moved to Quorrland", "The deploy runs on Tuesdays"):
        assert run(["remember", text, *at]) == 0
    asked = ["erase", "--subject", "zebulonia", "--certificate", str(file), "--yes", *at]
    assert run(asked) == 1  # no key: nothing is erased that cannot be certified
    assert run(["trust-keys", "new", "--author", "ann", "--home", str(home)]) == 0
    assert run([str(tmp_path / "none/erased.json") if one == str(file) else one for one in asked]) == 4  # nor here
    capsys.readouterr()
    assert run([*asked, "--json"]) == 1, "a person's file in the mirror is named, and is theirs to take away"
    certificate = json.loads(capsys.readouterr().out)
    assert {where: left for where, left in certificate["remains"].items() if left} == {"files": [f"{mirror}/note.md"]}
    for path in (one for one in home.rglob("*") if one.is_file()):
        text = path.read_bytes().lower()
        assert b"zebulonia" not in text, path
        assert b"quorrland" not in text, path
    assert run(["verify", str(file), "--home", str(home)]) == 0
    document = reader.parse(file.read_bytes())
    assert (len(document["ids"]), document["erased_by"]) == (1, "ann")
    file.write_bytes(reader.canonical(document | {"ids": []}))
    assert run(["verify", str(file), "--home", str(home)]) == 1
    assert run(["recall", "deploy", *at]) == 0
    assert run(["access", str(tmp_path / "kept.jsonl"), *at]) == 0
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"memories", "audit", "usage", "namespace_policies", "governance"} <= {row["table"] for row in rows}
    assert all(row["row"].get("namespace", "ann") == "ann" for row in rows if row["table"] != "namespaces")


def test_copies_in_branches_forks_and_merged_namespaces_go_too_and_what_others_have_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, at_a_terminal: None
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", "none")
    home = tmp_path / "home"
    at = ["--home", str(home)]

    def done(*words: str, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        assert run([*words, *at, "--json"]) == code, words
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    def holding() -> set[str]:
        return {path.name for path in home.rglob("*") if path.is_file() and b"zebulonia" in path.read_bytes().lower()}

    done("trust-keys", "new", "--author", "ann")
    done("remember", "Zebulonia moved to Quorrland", "--type", "semantic", "--agent", "ann")
    done("branch", "create", "ann", "ann-b")
    done("branch", "create", "ann-b", "ann-c")
    done("remember", "Zebulonia sings", "--agent", "ann-c")
    assert done("fork", "ann", "bea")["memories"] == 1
    done("history", "replay", str(_history(done, tmp_path)), "--into", "cleo")
    changed = done("list", "--agent", "cleo")["results"][0]["id"]
    done("edit", changed, "--content", "Zebulonia moved to Zanzibar", "--agent", "cleo")
    done("remember", "Zebulonia owes Bob a beer", "--agent", "bob")
    (home / "models/any").mkdir(parents=True)
    (home / "models/any/tokenizer.json").write_text('{"zebulonia": 7}', encoding="utf-8")
    asked = ("erase", "--subject", "zebulonia", "--yes", "--certificate")
    certificate = done(*asked, str(tmp_path / "one.json"), "--agent", "ann", code=1)
    assert (len(certificate["ids"]), certificate["remains"]["namespaces"]) == (6, ["bob: 1 of others"])
    assert certificate["remains"]["tables"] == [] and any("exports" in one for one in certificate["not_searched"])
    assert [one["content"] for one in done("list", "--agent", "bob")["results"]] == ["Zebulonia owes Bob a beer"]
    assert not any("sync" in one for one in certificate["not_searched"])
    monkeypatch.setenv("AGENTOS_FEATURES", "none")
    certificate = done(*asked, str(tmp_path / "two.json"), "--agent", "bob")
    assert any("sync" in one for one in certificate["not_searched"])
    assert not any(certificate["remains"].values()) and holding() == {"tokenizer.json"}
    assert run(["verify", str(tmp_path / "one.json"), *at]) == 0


async def test_what_the_gateway_holds_is_erased_also_where_it_is_off(tmp_path: Path) -> None:
    on = config.load(home=tmp_path / "home", embedding_model="none")
    async with database.opened(on, system_clock) as (agentos, _):
        await agentos.memory.store("ann", StoreRequest("Zebulonia lies in the north"))
        for key, text in (("k1", "What does ZEBULONIA cost?"), ("k2", "The ferry lies at berth nine.")):
            await service_of(agentos).hold("ann", "direct", Exchange("monday", key, text))
    async with database.opened(on.model_copy(update={"features": ()}), system_clock) as (agentos, _):
        assert not agentos.gateway().price_list().prices
        owner = local_owner("ann", None, Door.COMMAND_LINE)
        await agentos.erasure.erase(await agentos.erasure.look(owner, "ann", "zebulonia"), "human")
    async with database.opened(on, lambda: system_clock() + timedelta(minutes=3)) as (agentos, _):
        await agentos.gateway().tidy_up()
        assert [turn.text for turn in await agentos.turns.turns("ann", "monday")] == ["The ferry lies at berth nine."]


@every("hours, learnt", [(23, 1), (25, 0)])
async def test_what_the_gateway_kept_goes_when_its_time_is_over_also_where_it_is_off(
    hours: int, learnt: int, tmp_path: Path
) -> None:
    on = config.load(home=tmp_path / str(hours), embedding_model="none")
    async with database.opened(on, system_clock) as (agentos, _):
        await service_of(agentos).hold("ann", "direct", Exchange("monday", "k1", "The ferry lies at berth nine."))
    off = on.model_copy(update={"features": ()})
    async with database.opened(off, lambda: system_clock() + timedelta(hours=hours)) as (agentos, _):
        await write_usage(agentos)
    async with database.opened(on, lambda: system_clock() + timedelta(minutes=3)) as (agentos, _):
        await agentos.gateway().tidy_up()
        assert len(await agentos.turns.turns("ann", "monday")) == learnt


async def test_no_memory_is_taken_for_a_copy_by_what_it_says_of_itself(agentos: AgentOS) -> None:
    owner = local_owner("ann", None, Door.COMMAND_LINE)

    async def remember(where: str, text: str, **metadata: Any) -> str:
        return (await agentos.memory.store(where, StoreRequest(text, "semantic", metadata=metadata))).memory.id

    beer = await remember("bob", "Zebulonia owes Bob a beer")
    moved = await remember("ann", "Zebulonia moved to Quorrland", merged_from={"agent": "bob", "id": beer})
    await remember("cleo", "Zebulonia sings", forked_from={"agent": "ann", "id": moved})
    assert await agentos.branches.teach(owner, "ann", "bea") == 1
    [learnt] = [one async for one in agentos.memory.walk("bea")]
    await agentos.memory.update("bea", learnt.id, MemoryChanges(content="Zebulonia left Quorrland", metadata={}))
    found = await agentos.erasure.look(owner, "ann", "zebulonia")
    assert ([one.id for one in found.own], [one.id for one in found.copies]) == ([moved], [learnt.id])
    assert found.elsewhere == {"bob": 1, "cleo": 1}


def _history(done: Any, folder: Path) -> Path:
    file = folder / "history.jsonl"
    done("history", "export", done("list", "--agent", "ann")["results"][0]["id"], str(file), "--agent", "ann")
    return file


class Held:
    """Memories as an erasure sees them, by id: namespace, text, and what they were made of."""

    def __init__(self, **held: tuple[str, str, str]) -> None:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        self.named = [
            NamedMemory(
                Memory(
                    id=name,
                    namespace=namespace,
                    memory_type=MemoryType.SEMANTIC,
                    content=text,
                    summary=text,
                    tags=(),
                    importance=0.5,
                    metadata={},
                    source="",
                    session=None,
                    created_at=at,
                    updated_at=at,
                    occurred_at=at,
                    accessed_at=at,
                    access_count=0,
                    version=1,
                ),
                frozenset([text]),
                made_of or None,
            )
            for name, (namespace, text, made_of) in held.items()
        ]


def test_a_copy_of_a_copy_is_one_in_whichever_direction_it_was_made() -> None:
    own = Held(one=("ann", "A moved", "root")).named
    others = Held(
        root=("platform", "A moved away", ""),
        sibling=("bea", "A moved far", "root"),
        same=("cleo", "A moved far", ""),
        branch=("ann-b", "A sings", ""),
        of_branch=("dana", "A sang", "branch"),
        stranger=("bob", "A owes a beer", ""),
    ).named
    found = {one.memory.id for one in copies(own, others, frozenset({"ann-b"}))}
    assert found == {"root", "sibling", "same", "branch", "of_branch"}
