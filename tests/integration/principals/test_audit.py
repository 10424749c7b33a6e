"""The audit log: who, by which door, in which request; and what was tampered with is named."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import PermissionDenied
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import text_functions

OWNER = local_owner("ada", None, Door.COMMAND_LINE)
ADA = Caller("ada-laptop", Role.WRITER, {"ada": Right.WRITE}, "ada", Door.HTTP, "req_1")


async def five_entries(agentos: AgentOS) -> None:
    with acting(ADA):
        for number in range(5):
            await agentos.memory.store("ada", StoreRequest(f"the build number is {number} for job {number}"))


async def test_an_entry_names_principal_door_and_request(agentos: AgentOS) -> None:
    await five_entries(agentos)
    await agentos.memory.store("bob", StoreRequest("nobody asked for this"))
    newest, *_, oldest = await agentos.audit.show(OWNER)
    assert (oldest.principal, oldest.door, oldest.request_id) == ("ada-laptop", "http", "req_1")
    assert (oldest.namespace, oldest.action) == ("ada", "memory.store")
    assert (newest.principal, newest.door, newest.namespace) == ("daemon", "daemon", "bob")
    operator = Caller("op", Role.OPERATOR, {"bob": Right.READ}, "bob", Door.HTTP)
    assert {one.namespace for one in await agentos.audit.show(operator)} == {"bob"}
    for refused in (
        agentos.audit.show(operator, "ada"),
        agentos.audit.show(ADA),
        agentos.audit.verify(ADA),
        agentos.audit.verify(operator),
    ):
        with pytest.raises(PermissionDenied):
            await refused
    assert not (await agentos.audit.verify(OWNER)).faults


FORGED = (
    "UPDATE audit SET principal = 'eve', hash = sha256_of(json_array((SELECT hash FROM audit WHERE seq = 2), seq, at, "
    "'eve', door, request_id, namespace, action, subject, detail)) WHERE seq = 3"
)


TAMPERED = [
    ("UPDATE audit SET subject = 'x' WHERE seq = 3", "entry 3 was changed"),
    ("UPDATE audit SET principal = 'eve' WHERE seq = 1", "entry 1 was changed"),
    ("UPDATE audit SET at = at + 1 WHERE seq = 5", "entry 5 was changed"),
    (FORGED, "entry 4 was changed or moved, or does not follow entry 3"),
    ("DELETE FROM audit WHERE seq = 3", "entry 3 is gone"),
    ("DELETE FROM audit WHERE seq <= 2", "entry 1 to 2 is gone"),
    ("DELETE FROM audit WHERE seq > 3", "what came after entry 3 is gone: the log ended with entry 5"),
    ("DELETE FROM audit", "what came after entry 0 is gone"),
    ("DELETE FROM audit_head", "is kept apart, is gone"),
    ("UPDATE audit SET seq = CASE seq WHEN 2 THEN 93 ELSE seq END", "entry 2 is gone"),
    (
        "UPDATE audit SET (subject, hash) = (SELECT b.subject, b.hash FROM audit b WHERE b.seq = 5 - audit.seq) "
        "WHERE seq IN (2, 3)",
        "entry 2 was changed",
    ),
    ("INSERT INTO audit (at, namespace, action, subject, detail, hash) VALUES (0, '', '', '', '{}', 'x')", "entry 6"),
    *(
        (
            "INSERT INTO audit (seq, at, namespace, action, subject, detail, hash) "
            f"VALUES ({seq}, 0, '', '', '', '{{}}', '')",
            f"entry {seq} was put in",
        )
        for seq in (0, -7, -(2**63))
    ),
]


@pytest.mark.sqlite("it tampers with its file")
async def test_what_was_tampered_with_is_named(lexical: AgentOS, home: Path) -> None:
    await five_entries(lexical)
    head = (await lexical.audit.verify(OWNER)).head
    assert head.entries == 5
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None)) as file:
        text_functions.add_to(file)
        file.execute("CREATE TEMP TABLE kept AS SELECT * FROM audit")
        file.execute("CREATE TEMP TABLE kept_head AS SELECT * FROM audit_head")
        for change, named in TAMPERED:
            file.execute(change)
            found = (await lexical.audit.verify(OWNER, (head.number, head.hash))).faults
            assert any(named in fault for fault in found), (change, found)
            for table, copy in (("audit", "kept"), ("audit_head", "kept_head")):
                file.execute(f"DELETE FROM {table}")
                file.execute(f"INSERT INTO {table} SELECT * FROM {copy}")
            assert not (await lexical.audit.verify(OWNER)).faults, change


async def test_a_log_that_was_cut_and_whose_end_was_forged_shows_by_an_end_that_was_noted(
    lexical: AgentOS, at_hand: Any
) -> None:
    await five_entries(lexical)
    head = (await lexical.audit.verify(OWNER)).head
    noted = (head.number, head.hash)
    with at_hand() as file:
        file.execute("DELETE FROM audit WHERE seq > 3")
        file.execute("UPDATE audit_head SET seq = 3, entries = 3, hash = (SELECT hash FROM audit WHERE seq = 3)")
    assert not (await lexical.audit.verify(OWNER)).faults
    assert (await lexical.audit.verify(OWNER, noted)).faults == ("entry 5 has not the hash that was noted",)
