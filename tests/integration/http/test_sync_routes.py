"""What this server carries for sync: by a subset of WebDAV, within bounds, and never out of its folder."""

import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest

from agentos.features.sync import carried
from agentos.modules.principals.models import Right, Role

from .conftest import MakeKey, Served

Serve = Callable[..., Awaitable[Served]]
DEVICE = "0123456789abcdef01234567"
SEGMENT = f"agentos-sync/devices/{DEVICE}/0000000001.segment"
FOLDERS = ["agentos-sync", "agentos-sync/devices", f"agentos-sync/devices/{DEVICE}", "agentos-sync/keys"]


async def made(client: httpx2.AsyncClient, namespace: str = "default") -> None:
    for folder in FOLDERS:
        assert (await client.request("MKCOL", f"/sync/{namespace}/{folder}/")).status_code == 201


async def listed(client: httpx2.AsyncClient, path: str, depth: str = "1") -> list[str]:
    answer = await client.request("PROPFIND", path, headers={"depth": depth})
    assert answer.status_code == 207 and answer.headers["content-type"].startswith("application/xml"), answer.text
    return [one.text or "" for one in ElementTree.fromstring(answer.text).iter("{DAV:}href")]


def kept(home: Path) -> list[Path]:
    return [one for one in (home / "sync").rglob("*") if one.is_file()]


async def test_files_are_kept_listed_given_and_removed(serve: Serve, home: Path) -> None:
    served = await serve(http_sync_mib=1, http_base_path="/memory")
    client = served.client()
    assert (await client.put(f"/sync/default/{SEGMENT}", content=b"one")).status_code == 409, "its folder is missing"
    assert (await client.request("MKCOL", f"/sync/default/{FOLDERS[2]}")).status_code == 409
    assert await listed(client, "/sync/default") == ["/memory/sync/default/"]
    await made(client)
    assert (await client.request("MKCOL", "/sync/default/agentos-sync")).status_code == 405
    for text in (b"one", b"another"):
        assert (await client.put(f"/sync/default/{SEGMENT}", content=text)).status_code == 201
        assert (await client.get(f"/sync/default/{SEGMENT}")).content == text
    at = f"/memory/sync/default/agentos-sync/devices/{DEVICE}"
    assert await listed(client, f"/sync/default/{FOLDERS[2]}/") == [f"{at}/", f"{at}/0000000001.segment"]
    assert await listed(client, f"/memory/sync/default/{FOLDERS[2]}", "0") == [f"{at}/"]
    assert await listed(client, f"/sync/default/{SEGMENT}") == [f"{at}/0000000001.segment"]
    assert "1" in (await client.options("/sync/default/")).headers["dav"]
    for path in [home / "sync", *(home / "sync").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert (await client.delete(f"/sync/default/{SEGMENT}")).status_code == 200
    for method in ("GET", "DELETE", "PROPFIND"):
        gone = await client.request(method, f"/sync/default/{SEGMENT}", headers={"depth": "1"})
        assert gone.status_code == 404
    assert not kept(home) and not [*home.glob(".upload-*")]
    refused = await client.request("PROPFIND", "/sync/default/agentos-sync", headers={"depth": "infinity"})
    assert refused.status_code == 403


STRANGE = [
    *("notes.txt", "agentos-sync/notes.txt", "agentos-sync/keys/../../x", "agentos-sync/%2e%2e/%2e%2e/x"),
    *("..%2f..%2fagentos.db", "agentos-sync/devices/..", f"agentos-sync/devices/{DEVICE}/files/..%2fcard"),
    *(f"agentos-sync/devices/{DEVICE}/files/x", "agentos-sync//group.json", "agentos-sync/group.json/x"),
    *("AGENTOS-SYNC/group.json", f"agentos-sync/devices/{DEVICE.upper()}/card", "agentos-sync/keys/0000000000"),
    *("agentos-sync/devices/%00/card", "agentos-sync/.new-1", "agentos-sync\\group.json", "agentos-sync"),
]


async def test_no_name_leads_out_of_the_folder_or_to_another_file(serve: Serve, home: Path) -> None:
    client = (await serve(http_sync_mib=1)).client()
    await made(client)
    for path in STRANGE:
        for method in ("PUT", "GET", "DELETE"):
            answer = await client.request(method, f"/sync/default/{path}", content=b"x")
            assert answer.status_code in (400, 404), (method, path, answer.text)
    assert not kept(home)


async def test_links_are_not_followed(serve: Serve, home: Path, tmp_path: Path) -> None:
    client = (await serve(http_sync_mib=1)).client()
    await made(client)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "card").write_bytes(b"private")
    [device] = (home / "sync").rglob(DEVICE)
    device.rmdir()
    device.symlink_to(tmp_path / "elsewhere")
    for method in ("GET", "PUT", "DELETE", "PROPFIND"):
        answer = await client.request(method, f"/sync/default/{FOLDERS[2]}/card", headers={"depth": "1"}, content=b"x")
        assert answer.status_code == 503 and b"private" not in answer.content
    assert (tmp_path / "elsewhere" / "card").read_bytes() == b"private"


async def test_a_key_that_may_write_to_a_namespace_opens_that_alone(serve: Serve, make_key: MakeKey) -> None:
    served = await serve(http_sync_mib=1)
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    password = base64.b64encode(f"anybody:{key}".encode()).decode()
    ada = served.client(None, authorization=f"Basic {password}")
    await made(ada, "ada")
    assert (await ada.put(f"/sync/ada/{SEGMENT}", content=b"ada's")).status_code == 201
    bob = served.client(await make_key("bob", Role.WRITER, {"bob": Right.WRITE}))
    await made(bob, "bob")
    assert (await bob.get(f"/sync/bob/{SEGMENT}")).status_code == 404
    reader = served.client(await make_key("reader", Role.READER, {"ada": Right.READ}))
    for other in (bob, reader):
        for method in ("GET", "PUT", "DELETE", "MKCOL", "PROPFIND", "OPTIONS"):
            answer = await other.request(method, f"/sync/ada/{SEGMENT}", headers={"depth": "1"}, content=b"x")
            assert answer.status_code == 403, method
    nobody = await served.client(None).get(f"/sync/ada/{SEGMENT}")
    assert nobody.status_code == 401 and nobody.headers["www-authenticate"].startswith("Basic ")
    elsewhere = await ada.get("/api/v1/memories")
    assert elsewhere.status_code == 401 and elsewhere.headers["www-authenticate"].startswith("Bearer ")
    for wrong in ("Basic", "Basic !", "Basic " + base64.b64encode(b"no colon").decode(), "Basic //8="):
        refused = await served.client(None, authorization=wrong).get(f"/sync/ada/{SEGMENT}")
        assert refused.status_code == 401, wrong
    assert (await ada.get(f"/sync/ada/{SEGMENT}")).content == b"ada's"


async def test_what_is_carried_has_bounds(serve: Serve, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = (await serve(http_sync_mib=1)).client()
    await made(client)
    assert (await client.put("/sync/default/agentos-sync/group.json", content=b"x" * 1_048_577)).status_code == 413
    assert (await client.put(f"/sync/default/{SEGMENT}", content=b"x" * 1_000_000)).status_code == 201
    second = SEGMENT.replace("01.", "02.")
    full = await client.put(f"/sync/default/{second}", content=b"x" * 100_000)
    assert full.status_code == 507 and "AGENTOS_HTTP_SYNC_MIB" in full.text
    assert (await client.put(f"/sync/default/{SEGMENT}", content=b"x" * 1_010_000)).status_code == 201, "in its place"
    assert (await client.delete(f"/sync/default/{SEGMENT}")).status_code == 200
    assert (await client.put(f"/sync/default/{second}", content=b"x" * 100_000)).status_code == 201
    monkeypatch.setattr(carried, "MOST_FILES", 1)
    assert (await client.put(f"/sync/default/{SEGMENT}", content=b"x")).status_code == 507
    assert (await client.put(f"/sync/default/{second}", content=b"y")).status_code == 201
    assert len(kept(home)) == 1 and not [*home.glob(".upload-*")]
    monkeypatch.setattr(carried, "MOST_DEVICES", 1)
    other = f"/sync/default/{FOLDERS[2].replace('0', 'f')}"
    assert (await client.request("MKCOL", other)).status_code == 507
    assert (await client.request("MKCOL", f"/sync/default/{FOLDERS[2]}")).status_code == 405


@pytest.mark.parametrize("settings", [{"http_sync_mib": 0}, {"http_sync_mib": 1, "features": ()}])
async def test_nothing_is_carried_where_that_is_off(serve: Serve, home: Path, settings: dict[str, Any]) -> None:
    client = (await serve(**settings)).client()
    for method in ("GET", "PUT", "MKCOL", "PROPFIND", "OPTIONS"):
        assert (await client.request(method, "/sync/default/agentos-sync/", content=b"x")).status_code == 404
    assert not (home / "sync").exists()
