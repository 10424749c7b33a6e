"""Bundles: a store carried away whole and brought in again is the same, whatever was there."""

import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.conformance.reader import CanonicalHash
from agentos.features import registered
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.errors import Conflict, InvalidInput, StorageRefused
from agentos.modules.identifiers import EVERYWHERE
from agentos.modules.memory.service import MemoryChanges, content_hash
from agentos.modules.plugins.feature import with_parts
from agentos.modules.sessions.models import EventType, NewEvent, ToolCall
from agentos.modules.sessions.service import turn
from agentos.modules.sessions.tool_calls import as_json
from agentos.modules.store_request import StoreRequest
from agentos.storage.bundles.staged_tables import DERIVED, OF_THE_CHAIN, rows, tables
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.repositories.bundle_tables import TABLES
from agentos.storage.sqlite import text_functions
from agentos.storage.sqlite.store import SqliteStore
from tests.integration.conftest import Clock
from tests.places import RELEASED

SECRET = "ghp_" + "Zx9kQ2mV7bN4tR8wY1cL5pJ3sD6fH0gA2eU9"
"""Looks like a token of GitHub."""

Opened = Callable[..., Awaitable[AgentOS]]


@pytest.fixture
async def house(tmp_path: Path, open_home: Any) -> AsyncIterator[Opened]:
    """Opens stores, each in a home of its own by name, with other settings than the usual ones."""
    clock, stores = partial(Clock().advance, microseconds=1), []  # no two changes are of one moment

    async def opened(name: str, **others: bool) -> AgentOS:
        settings = config.load({}, home=tmp_path / name, **others)
        store = await open_home(settings.home, settings.database, clock)
        stores.append(store)
        agentos = AgentOS.over(store, NoEmbedder(), settings, clock)
        return with_parts(agentos, registered(), "wired", store.engine, settings)

    yield opened
    for store in stores:
        await store.close()


async def lived_in(agentos: AgentOS) -> None:
    """Something of everything."""
    first = await agentos.memory.store(
        "ann", StoreRequest("Dana works at Initech", "semantic", tags=["people", "work: new"])
    )
    await agentos.memory.update("ann", first.memory.id, MemoryChanges(content="Dana works at Initech since May"))
    await agentos.memory.store("ann", StoreRequest("Ann: shall we meet?", session="s", occurred_at="2026-01-02"))
    await agentos.memory.store("ann", StoreRequest("Bob: at noon", session="s", metadata={"mood": ["good", 1]}))
    await agentos.memory.store(
        "bob", StoreRequest("the deploy failed with E1234", "episodic", importance=0.9, source="ci")
    )
    goal = await agentos.goals.add("ann", "ship it", "soon", 0.9, 0.5, "2026-12-24", None, ("release",))
    await agentos.goals.add("ann", "write notes", "for the release", 0.5, 0.5, None, goal.id, ())
    await agentos.goals.update_progress("ann", goal.id, 0.25, "a quarter")
    for _ in range(4):
        await agentos.reflection.log("ann", "run tests", "timeout", False, None, goal.id, ())
    await agentos.reflection.analyze("ann")
    await agentos.sealed.store("bob", "c2VhbGVk", [0.6, 0.8])
    await agentos.approvals.ask_permission("ann", "prod", "deploy", RiskInputs(0.9, 0.9, 0.9), "it is due", "agent:ann")
    session, _ = await agentos.sessions.open("ann", "codex", "s1", "/w/app")
    call = as_json(ToolCall("shell", True, command="make", files_modified=("a.py",)))
    await agentos.sessions.record(session, turn("user", "Fix the parser", "k1"))
    await agentos.sessions.record(session, NewEvent(EventType.TOOL_CALL, "k2", structured=call))
    await agentos.sessions.end(session)
    await agentos.sessions.observe()
    await agentos.sessions.record(session, turn("user", "and the lexer", "k3"))
    await agentos.sessions.note_shown(session, ["mem_1"])


async def test_export_wipe_import_gives_the_same_memory(house: Opened, tmp_path: Path) -> None:
    before = await house("before")
    await lived_in(before)
    made = await before.portability.export(tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600
    assert made.canonical_hash == await before.portability.canonical_hash()
    after = await house("after")
    done = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert done.new == made.rows and not done.known and not done.left_out
    assert await after.portability.canonical_hash() == made.canonical_hash
    again = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert again.known == made.rows and not again.new
    assert await after.portability.canonical_hash() == made.canonical_hash


async def test_what_came_in_is_found_and_has_its_history(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    await after.portability.import_bundle(tmp_path / "all.jsonl")
    [found, *_] = (await after.memory.search("ann", "who works at Initech?")).hits
    _, [version] = await after.memory.get("ann", found.memory.id)
    assert version.content == "Dana works at Initech"
    assert [hit.memory.source for hit in (await after.memory.search("bob", "E1234")).hits] == ["ci"]
    tagged = await after.memory.page("ann", limit=5)
    assert {memory.tags for memory in tagged.memories} >= {("people", "work: new"), ()}


async def test_a_bundle_of_one_engine_is_the_same_on_another(house: Opened, tmp_path: Path) -> None:
    there, clock = await house("there"), partial(Clock().advance, microseconds=1)
    home = tmp_path / "here"
    store = await SqliteStore.open(home, home / "agentos.db", clock)
    here = AgentOS.over(store, NoEmbedder(), config.load({}, home=home), clock)
    await lived_in(there)
    await there.memory.settled()
    await there.portability.export(tmp_path / "there.jsonl")
    await here.portability.import_bundle(tmp_path / "there.jsonl")
    await here.portability.export(tmp_path / "here.jsonl")
    await store.close()
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


async def test_a_dry_run_changes_nothing_and_says_what_would_come(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    empty = await after.portability.canonical_hash()
    looked = await after.portability.import_bundle(tmp_path / "all.jsonl", dry_run=True)
    assert await after.portability.canonical_hash() == empty
    assert looked == await after.portability.import_bundle(tmp_path / "all.jsonl")


async def unredacted(house: Opened, name: str) -> AgentOS:
    """A store that keeps secrets, with some everywhere."""
    loose = await house(name, redact_secrets=False)
    await lived_in(loose)
    first = await loose.memory.store("ann", StoreRequest(f"the key of the shop is {SECRET}", tags=["keys"]))
    await loose.memory.update("ann", first.memory.id, MemoryChanges(content=f"the key of the shop was {SECRET}"))
    await loose.memory.store("ann", StoreRequest(f"Ann: use {SECRET}", session="s"))
    await loose.goals.add("ann", f"replace {SECRET}", "", 0.5, 0.5, None, None, ())
    session, _ = await loose.sessions.open("ann", "codex", "s2", "/w/app")
    await loose.sessions.record(session, turn("user", f"log in with {SECRET}", "k9"))
    return loose


async def test_secrets_of_a_bundle_do_not_come_in_and_are_counted(house: Opened, tmp_path: Path) -> None:
    before, after = await unredacted(house, "before"), await house("after")
    made = await before.portability.export(tmp_path / "all.jsonl")
    assert SECRET in (tmp_path / "all.jsonl").read_text()
    looked = await after.portability.import_bundle(tmp_path / "all.jsonl", dry_run=True)
    done = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert looked == done and done.new == made.rows, "each row came in"
    assert done.redacted == {"memories": 2, "memory_versions": 1, "goals": 1, "events": 1, "sessions": 1}
    await after.portability.export(tmp_path / "clean.jsonl")
    assert SECRET not in (tmp_path / "clean.jsonl").read_text()
    assert not any(SECRET.encode() in path.read_bytes() for path in (tmp_path / "after").rglob("*") if path.is_file())
    [found, *_] = (await after.memory.search("ann", "the key of the shop")).hits
    assert "[redacted:github-token]" in found.memory.content and found.memory.tags == ("keys",)
    await after.memory.settled()
    first = await after.portability.canonical_hash()
    again = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert not again.new and await after.portability.canonical_hash() == first, "twice is once"


@pytest.mark.sqlite("it tampers with its file")
async def test_a_secret_anywhere_in_a_forged_bundle_does_not_come_in(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.memory.settled()
    places = {
        "memories": ("summary", SECRET),
        "audit": ("detail", json.dumps({"note": SECRET})),
        "changes": ("reason", SECRET),
        "projects": ("remote", f"https://ann:{SECRET}@example.org/app"),
        "events": ("idempotency_key", SECRET),
        "sessions": ("key", SECRET),
        "approvals": ("requested_by", SECRET),
    }
    with closing(sqlite3.connect(tmp_path / "before/agentos.db")) as database, database:
        text_functions.add_to(database)
        for table, (column, value) in places.items():
            row = f"seq = (SELECT max(seq) FROM {table})"
            database.execute(f"DROP TRIGGER IF EXISTS {table}_stay_as_decided")
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {row}", (value,))
    made = await before.portability.export(tmp_path / "all.jsonl")
    assert SECRET in (tmp_path / "all.jsonl").read_text()
    done = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert set(done.redacted) >= set(places) & set(made.rows) and done.new == made.rows
    await after.portability.export(tmp_path / "clean.jsonl")
    assert SECRET not in (tmp_path / "clean.jsonl").read_text()
    assert not any(SECRET.encode() in path.read_bytes() for path in (tmp_path / "after").rglob("*") if path.is_file())


async def test_a_lived_in_store_holds_nothing_that_is_taken_for_a_secret(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    assert not (await after.portability.import_bundle(tmp_path / "all.jsonl")).redacted


async def test_two_stores_that_compared_the_same_names_are_one_whose_word_stands(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    for agentos, texts in (
        (before, ("Today Robert Klein met Ana", "Then Bob Klein met Ana")),
        (after, ("Then Bob Klein met Ana today", "Today Robert Klein met Ana there")),
    ):
        for text in texts:
            await agentos.memory.store("ann", StoreRequest(text))
        await agentos.graph.read("ann")
        await agentos.aliases.compare("ann")
    [here] = await after.aliases.listed("ann")
    await after.aliases.decide("ann", here.id, accept=False)
    await before.portability.export(tmp_path / "all.jsonl")
    await after.portability.import_bundle(tmp_path / "all.jsonl")
    [stands] = await after.aliases.listed("ann")
    assert (stands.id, stands.standing) == (here.id, "rejected")


async def test_a_store_that_keeps_secrets_takes_a_bundle_as_it_is(house: Opened, tmp_path: Path) -> None:
    before, loose = await unredacted(house, "before"), await house("after", redact_secrets=False)
    made = await before.portability.export(tmp_path / "all.jsonl")
    assert not (await loose.portability.import_bundle(tmp_path / "all.jsonl")).redacted
    assert await loose.portability.canonical_hash() == made.canonical_hash


async def test_one_agent_is_carried_away_alone(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    made = await before.portability.export(tmp_path / "bob.jsonl", ["bob"])
    assert made.rows["memories"] == 1 and "goals" not in made.rows
    await after.portability.import_bundle(tmp_path / "bob.jsonl")
    assert (await after.memory.page("ann")).total == 0
    assert await after.portability.canonical_hash() == await before.portability.canonical_hash(["bob"])


async def test_what_is_there_stays_and_a_taken_place_moves(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await after.memory.store("ann", StoreRequest("Cleo: hello", session="s"))
    same = await after.memory.store("ann", StoreRequest("Dana works at Initech since May", "episodic"))
    await before.portability.export(tmp_path / "all.jsonl")
    done = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert done.known["memories"] == 1 and done.left_out["memory_versions"] == 1
    timeline = await after.memory.timeline("ann", (await after.memory.search("ann", "hello")).hits[0].memory.id, 0, 9)
    assert [memory.content for memory in timeline.after] == ["Bob: at noon", "Ann: shall we meet?"] or len(
        timeline.after
    ) == 2
    current, _ = await after.memory.get("ann", same.memory.id)
    assert current.memory_type == "episodic"


async def test_what_contradicts_what_is_known_here_waits_for_a_human(house: Opened, tmp_path: Path) -> None:
    def where(city: str) -> StoreRequest:
        return StoreRequest(f"The depot is in {city}", subject="depot", attribute="city", value=city)

    there, here = await house("there"), await house("here")
    newer = (await there.memory.store("ann", where("Turin"))).memory.id
    await there.memory.store("bob", where("Turin"))
    older = (await here.memory.store("ann", where("Genoa"))).memory.id
    await there.portability.export(tmp_path / "all.jsonl")
    looked = await here.portability.import_bundle(tmp_path / "all.jsonl", dry_run=True)
    assert looked.contested == (newer,)
    assert (await here.memory.page("ann")).total == 1, "a preview changes nothing"
    assert await here.portability.import_bundle(tmp_path / "all.jsonl") == looked
    stands = {one.id: one.status for one in (await here.memory.page("ann")).memories}
    assert stands == {older: "active", newer: "contested"}
    [asked] = (await here.approvals.inbox("ann")).approvals
    assert asked.subject == f"memory:{newer}"
    assert [one.status for one in (await here.memory.page("bob")).memories] == ["active"]
    assert not (await here.portability.import_bundle(tmp_path / "all.jsonl")).contested


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda lines: lines[:-1], "last line is missing"),
        (lambda lines: [*lines[:2], *lines[3:]], "changed or cut"),
        (lambda lines: [lines[0], "{}", *lines[1:]], "line 2 is not a row"),
        (lambda lines: ["[]", *lines], "line 1 is no JSON object"),
        (lambda lines: ["nonsense", *lines], "not a JSON Lines"),
        (lambda lines: lines[1:], "not an AgentOS bundle"),
    ],
)
async def test_a_spoiled_bundle_changes_nothing(
    house: Opened, tmp_path: Path, spoil: Callable[[list[str]], list[str]], says: str
) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    empty = await after.portability.canonical_hash()
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join(spoil(lines)) + "\n")
    with pytest.raises(InvalidInput, match=says):
        await after.portability.import_bundle(tmp_path / "bad.jsonl")
    assert await after.portability.canonical_hash() == empty
    assert not list((tmp_path / "after").glob("import-*"))


async def test_a_newer_bundle_is_refused_and_a_file_is_never_overwritten(house: Opened, tmp_path: Path) -> None:
    store = await house("one")
    await lived_in(store)
    made = tmp_path / "all.jsonl"
    await store.portability.export(made)
    with pytest.raises(Conflict):
        await store.portability.export(made)
    head, *rest = made.read_text().splitlines()
    made.write_text("\n".join([json.dumps({**json.loads(head), "schema": 999}), *rest]))
    with pytest.raises(StorageRefused, match="upgrade"):
        await store.portability.import_bundle(made)


@pytest.mark.parametrize("released", sorted(RELEASED.glob("*.sql")), ids=lambda path: path.stem)
async def test_a_bundle_of_an_older_schema_comes_in(house: Opened, tmp_path: Path, released: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(released.read_text(encoding="utf-8"))
        [schema] = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
        written = [(table.name, row) for table in tables(connection) for row in rows(connection, table, None)]
    found = CanonicalHash()
    for name, row in written:
        found.add(name, row)
    lines = [{"agentos_bundle": 1, "schema": schema}, *({"table": name, "row": row} for name, row in written)]
    lines.append({"end": len(written), "canonical_hash": found.digest})
    (tmp_path / "old.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = await (await house("new")).portability.import_bundle(tmp_path / "old.jsonl")
    assert done.new == dict(Counter(name for name, _ in written)) and not done.left_out


@pytest.mark.sqlite("it reads its catalogue")
async def test_every_table_is_either_carried_or_known_to_be_derived(house: Opened, tmp_path: Path) -> None:
    await house("one")
    with closing(sqlite3.connect(tmp_path / "one" / "agentos.db")) as connection:
        found = {table.name: replace(table, truths=frozenset()) for table in tables(connection)}
        assert {table.name: replace(table, truths=frozenset()) for table in TABLES} == found
        carried = set(found)
        every = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    rest = {name for name in every - carried if not name.startswith(("sqlite_", "memory_text_"))}
    assert rest == DERIVED


async def test_each_engine_has_the_columns_that_are_declared(store: Any) -> None:
    for table in TABLES:
        held = await store.engine.columns(table.name)
        own = {"seq"} if table.numbered else set()
        beside = OF_THE_CHAIN if table.name == "audit" else set()
        assert held.keys() - {"aside"} == {*table.columns, *own, *beside}, table.name


def forged(path: Path, table: str, **changes: object) -> None:
    """Change values in every row of a table of a bundle, which stays as sound as it was."""
    head, *lines = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    found = CanonicalHash()
    for line in lines:
        line["row"] |= changes if line["table"] == table else {}
        found.add(line["table"], line["row"])
    end = {"end": len(lines), "canonical_hash": found.digest}
    path.write_text("\n".join(map(json.dumps, [head, *lines, end])) + "\n")


@pytest.mark.parametrize(
    ("table", "column", "value", "says"),
    [
        ("memories", "created_at", 10**30, "out of range"),
        ("memories", "occurred_at", -(2**62), "out of range"),
        ("goals", "deadline", 2**62, "out of range"),
        ("memories", "tags", "5", "not a list of strings"),
        ("goals", "tags", "[1]", "not a list of strings"),
        ("memories", "metadata", "[]", "not an object"),
        ("memories", "metadata", r'{"a": "\ud800"}', "surrogates"),
        ("memories", "content", "a\x00b", "NUL"),
        ("memories", "content", {"base64": "AAAA"}, "cannot store BLOB"),
        ("memories", "content", ["a"], "holds a list"),
        ("sessions", "id", "\x1b[31m", "printable"),
        ("goals", "title", {"a": 1}, "not bytes"),
        ("memories", "memory_type", "x'; DROP TABLE goals; --", "memory_type is none that there is"),
        ("memories", "kind", "x'; DROP TABLE goals; --", "CHECK"),
    ],
)
async def test_a_value_that_could_not_be_read_again_is_refused(
    house: Opened, tmp_path: Path, table: str, column: str, value: object, says: str
) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    empty = await after.portability.canonical_hash()
    await before.portability.export(tmp_path / "all.jsonl")
    forged(tmp_path / "all.jsonl", table, **{column: value})
    with pytest.raises(InvalidInput, match=rf"line \d+: .*{says}"):
        await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert await after.portability.canonical_hash() == empty


async def test_json_that_is_nested_too_deep_to_be_looked_into_is_refused(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    forged(tmp_path / "all.jsonl", "memories", metadata='{"a": ' + "[" * 900 + "]" * 900 + "}")
    with pytest.raises(InvalidInput, match="nested too deep"):
        await after.portability.import_bundle(tmp_path / "all.jsonl")


async def test_a_forged_hash_keeps_no_later_memory_out(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await before.memory.store("ann", StoreRequest("nothing of note"))
    await before.portability.export(tmp_path / "all.jsonl")
    forged(tmp_path / "all.jsonl", "memories", content_hash=content_hash("the alarm code is changed on Monday"))
    await after.portability.import_bundle(tmp_path / "all.jsonl")
    for is_known in (False, True):
        stored = await after.memory.store("ann", StoreRequest("the alarm code is changed on Monday"))
        assert stored.duplicate == is_known and stored.memory.content == "the alarm code is changed on Monday"


@pytest.mark.parametrize("line", ['{"a":' * 50_000, '{"agentos_bundle": ' + "9" * 5_000 + "}"])
async def test_lines_that_no_export_writes_are_refused(house: Opened, tmp_path: Path, line: str) -> None:
    (tmp_path / "all.jsonl").write_text(line)
    with pytest.raises(InvalidInput):
        await (await house("after")).portability.import_bundle(tmp_path / "all.jsonl")


@pytest.mark.parametrize("table", ["daemon_state", "schema_migrations", "memory_text", "goals; DROP TABLE goals", 5])
async def test_a_bundle_reaches_no_other_table(house: Opened, tmp_path: Path, table: object) -> None:
    before, after = await house("before"), await house("after")
    await before.portability.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    (tmp_path / "all.jsonl").write_text("\n".join([lines[0], json.dumps({"table": table, "row": {}}), lines[-1]]))
    with pytest.raises(InvalidInput, match="line 2 is not a row"):
        await after.portability.import_bundle(tmp_path / "all.jsonl")


@pytest.mark.parametrize("status", ["approved", "executing"])
async def test_a_file_decides_nothing(house: Opened, tmp_path: Path, status: str) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    await before.portability.export(tmp_path / "all.jsonl")
    decided = {"status": status, "automatic": 1, "decided_at": 1, "decided_by": "human:ada"}
    forged(tmp_path / "all.jsonl", "approvals", **decided)
    await after.portability.import_bundle(tmp_path / "all.jsonl")
    await after.approvals.executor.run_due()
    [waiting] = (await after.approvals.inbox(EVERYWHERE)).approvals
    assert waiting.status is ApprovalStatus.PENDING and waiting.decided_by is None
    assert not await after.approvals.history(EVERYWHERE, 20)


async def test_a_page_to_read_says_what_holds_what_held_and_what_is_wanted(house: Opened, tmp_path: Path) -> None:
    agentos = await house("home")
    await agentos.memory.store(
        "bob",
        StoreRequest(
            "Dana's employer is Acme.", "semantic", tags=["people"], source="claude", occurred_at="2026-03-01"
        ),
    )
    await agentos.memory.store("bob", StoreRequest("Dana's employer is now Initech.", occurred_at="2026-04-01"))
    await agentos.memory.store("bob", StoreRequest("<b>Deploy</b>\n# of the website", "procedural"))
    forgotten = await agentos.memory.store("bob", StoreRequest("The meeting was dull."))
    await agentos.lifecycle.forget("bob", forgotten.memory.id)
    await agentos.goals.add("bob", "Ship it", "before\nthe fair", 0.5, 0.5, "2026-06-01")
    made = await agentos.portability.view(tmp_path / "bob.md", ["bob"])
    text = (tmp_path / "bob.md").read_text(encoding="utf-8")
    assert (made.memories, made.goals) == (3, 1)
    assert "- ~~Dana's employer is Acme.~~\n  *2026-03-01 · " in text
    assert "valid until 2026-04-01 · #people · from claude*" in text
    assert "- &lt;b&gt;Deploy&lt;/b&gt;\n  # of the website" in text, "what was stored is no markup of the page"
    assert "- [ ] **Ship it**\n  before\n  the fair\n  *active · 0% · " in text
    assert "dull" not in text
    assert (tmp_path / "bob.md").stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict):
        await agentos.portability.view(tmp_path / "bob.md", ["bob"])


async def test_what_was_taken_out_of_the_graph_stays_out_of_its_copy(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await before.memory.store("ann", StoreRequest("Dana Fontaine met Priya Halloran in Lisbon"))
    assert await before.graph.read("ann")
    for node in (await before.graph.find("ann", None, "Priya"))[0]:
        await before.graph.delete("ann", node.id)
    await before.portability.export(tmp_path / "all.jsonl")
    await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert not await after.graph.read("ann"), "nothing is read a second time"
    assert not (await after.graph.find("ann", None, "Priya"))[0]
    assert await after.graph.statistics("ann") == await before.graph.statistics("ann")


async def test_what_nobody_has_read_is_read_after_an_import(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await before.memory.store("ann", StoreRequest("Dana Fontaine met Priya Halloran in Lisbon"))
    await before.graph.read("ann")
    await before.portability.export(tmp_path / "all.jsonl")
    await after.memory.store("ann", StoreRequest("Celeste Drummond works with Ingrid Kaminski"))
    done = await after.portability.import_bundle(tmp_path / "all.jsonl")
    assert (await after.portability.export(tmp_path / "both.jsonl")).rows["readings"] == done.new["readings"]
    assert await after.graph.read("ann") == 1
    for name in ("Celeste", "Priya"):
        assert (await after.graph.find("ann", None, name))[0]


async def test_rows_that_refer_to_later_ones_come_in_and_to_none_are_refused(house: Opened, tmp_path: Path) -> None:
    before, after = await house("before"), await house("after")
    await lived_in(before)
    made = await before.portability.export(tmp_path / "all.jsonl")
    head, *lines, end = (tmp_path / "all.jsonl").read_text().splitlines()
    end = json.dumps({name: value for name, value in json.loads(end).items() if name != "seal"})  # of another order
    (tmp_path / "turned.jsonl").write_text("\n".join([head, *reversed(lines), end]))
    done = await after.portability.import_bundle(tmp_path / "turned.jsonl")
    assert done.new == made.rows and await after.portability.canonical_hash() == made.canonical_hash
    forged(tmp_path / "all.jsonl", "memory_versions", memory_seq="mem_of_nobody")
    with pytest.raises(InvalidInput, match=r"line \d+ refers to a row that is not in the bundle"):
        await after.portability.import_bundle(tmp_path / "all.jsonl")
