"""Files of memories at the doors of a server: MCP with the official client, REST, and the dashboard."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from agentos.features.attachments.page import PAGE
from agentos.modules.agentos import AgentOS
from agentos.modules.attaching import MOST_BYTES, MOST_SHOWN, MiB
from agentos.modules.principals.models import Door, Right, Role, local_owner
from tests.tables import every

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
CALLED_TOKENS = 45
"""What is read of a picture beside itself."""


@every("mode", ["legacy", "auto"])
async def test_a_client_is_shown_a_picture_and_reads_a_file_by_its_address(
    serve: Any, agentos: AgentOS, make_key: Any, mode: str
) -> None:
    files = agentos.attachments()
    picture = (await files.attach("ada", "Plan.png", PNG, caption="Plan of the kiln")).attachment
    drawing = (await files.attach("ada", "plan.svg", SVG)).attachment
    theirs = (await files.attach("bob", "bob.png", PNG + b"\x00", caption="Of Bob")).attachment
    large = (await files.attach("ada", "l.png", PNG + bytes(MOST_SHOWN), caption="Large")).attachment
    served = await serve()
    key = await make_key("ada", Role.READER, {"ada": Right.READ})
    at = "http://127.0.0.1/mcp?resources=true&toolsets=attachments"
    async with Client(streamable_http_client(at, http_client=served.client(key)), mode=mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed["attachment_get"].output_schema is None, "a client would hand on the structure for the picture"
        hit = (await client.call_tool("memory_search", {"query": "plan of the kiln"})).content[0].text
        assert "[file: Plan.png, image/png, 70 B]" in hit
        found = await client.call_tool("attachment_list", {})
        assert {one["name"] for one in found.structured_content["files"]} == {"Plan.png", "plan.svg", "l.png"}
        shown = await client.call_tool("attachment_get", {"memory_id": picture.memory_id[:12]})
        text, image = shown.content
        assert (image.type, image.mime_type, base64.b64decode(image.data)) == ("image", "image/png", PNG)
        assert shown.structured_content is None and len(text.text) < 4 * CALLED_TOKENS, text.text
        [told] = (await client.call_tool("attachment_get", {"memory_id": drawing.memory_id})).content
        address = next(word for word in told.text.split() if word.startswith("agentos://"))
        for uri, media_type, data in (
            (f"agentos://attachments/{picture.memory_id}", "image/png", PNG),
            (address, "text/plain", SVG),
        ):
            [read] = (await client.read_resource(uri)).contents
            assert (read.mime_type, base64.b64decode(read.blob)) == (media_type, data), uri
        for wrong in (
            {"memory_id": theirs.memory_id},
            {"memory_id": theirs.memory_id, "agent_id": "bob"},
            {"memory_id": large.memory_id},
            {"memory_id": picture.memory_id, "file": "0000"},
        ):
            refused = await client.call_tool("attachment_get", wrong)
            assert refused.is_error and len(refused.content) == 1, wrong
            place = "/".join(filter(None, (wrong["memory_id"], wrong.get("file"))))
            with pytest.raises(MCPError):
                await client.read_resource(f"agentos://attachments/{place}?namespace={wrong.get('agent_id', 'ada')}")


async def test_a_program_sends_a_file_in_parts_and_fetches_lists_and_erases_it(
    serve: Any, agentos: AgentOS, make_key: Any
) -> None:
    served = await serve()
    ada = served.client(await make_key("ada", Role.WRITER, {"ada": Right.WRITE}))
    bob = served.client(await make_key("bob", Role.READER, {"bob": Right.WRITE}))
    at, kind = "/api/v1/attachments", {"content-type": "application/octet-stream"}
    data = PNG + bytes(3 * MiB)  # more than the body of other routes may have

    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, len(data), 100_000):
            yield data[start : start + 100_000]

    given = {"name": 'Plan "ü".png', "caption": "Plan of the kiln", "tags": ["kiln", "plan"]}
    kept = await ada.post(at, params=given, content=parts(), headers=kind)
    assert kept.status_code == 201 and kept.json()["is_new"], kept.text
    one = kept.json()["attachment"]
    assert not (await ada.post(at, params=given, content=data, headers=kind)).json()["is_new"]
    drawing = (await ada.post(at, params={"name": "kiln.svg"}, content=SVG, headers=kind)).json()["attachment"]
    assert {row["name"] for row in (await ada.get(at)).json()["results"]} == {"kiln.svg", 'Plan "ü".png'}
    fetched = await ada.get(f"{at}/{one['memory_id']}", params={"file": one["content_hash"][:8]})
    assert fetched.content == data and fetched.headers["content-type"] == "image/png"
    assert fetched.headers["content-disposition"] == "inline; filename*=UTF-8''Plan%20%22%C3%BC%22.png"
    active = await ada.get(f"{at}/{drawing['memory_id']}")
    assert active.content == SVG and active.headers["content-type"] == "application/octet-stream"
    assert active.headers["content-disposition"].startswith("attachment; ")
    assert active.headers["x-content-type-options"] == "nosniff"
    secret = b"token = ghp_" + b"a1B2" * 9
    for name, content, headers, status, code in (
        ("a.png", b"", kind, 400, "invalid_input"),
        ("a\nb.png", PNG, kind, 400, "invalid_input"),
        ("a.txt", secret, kind, 400, "invalid_input"),
        ("a.png", PNG, {"content-type": "image/png"}, 415, "unsupported_media_type"),
        ("a.png", bytes(MOST_BYTES + 1), kind, 413, "too_large"),
    ):
        wrong = await ada.post(at, params={"name": name}, content=content, headers=headers)
        assert (wrong.status_code, wrong.json()["code"]) == (status, code), (name, wrong.text)
    for client, method, path, status in (
        (bob, "GET", f"{at}/{one['memory_id']}", 404),
        (bob, "GET", f"{at}/{one['memory_id']}?namespace=ada", 403),
        (bob, "POST", f"{at}?name=a.png", 403),
        (bob, "DELETE", f"{at}/{one['memory_id']}", 403),
        (served.client(None), "GET", at, 401),
    ):
        assert (await client.request(method, path, headers=kind)).status_code == status, (method, path)
    owner = local_owner("ada", None, Door.COMMAND_LINE)
    await agentos.principals.set_policy(owner, "ada", limits={"max_bytes": 5_000})
    full = await ada.post(at, params={"name": "b.bin"}, content=bytes(6_000), headers=kind)
    assert (full.status_code, full.json()["code"]) == (422, "quota_exceeded")
    assert (await ada.delete(f"{at}/{one['memory_id']}")).json() == {"deleted": 1}
    assert (await ada.get(f"{at}/{one['memory_id']}")).status_code == 404
    assert len((await ada.get(at)).json()["results"]) == 1


async def test_the_dashboard_shows_pictures_and_hands_on_other_files(sign_in: Any, agentos: AgentOS) -> None:
    files = agentos.attachments()
    picture = (await files.attach("default", "a<b>.png", PNG, caption="Plan <i>of</i> the kiln")).attachment
    drawing = (await files.attach("default", "kiln.svg", SVG)).attachment
    browser = await sign_in()
    for path in ("attachments", f"memory/{picture.memory_id}"):
        page = (await browser.get(path)).text
        assert f'src="/dashboard/file/{picture.memory_id}/{picture.content_hash}"' in page, path
        assert "Plan &lt;i&gt;of" in page and "a&lt;b&gt;.png" in page and drawing.content_hash + '" alt' not in page
    shown = await browser.get(f"file/{picture.memory_id}/{picture.content_hash}")
    assert (shown.content, shown.headers["content-type"]) == (PNG, "image/png")
    handed = await browser.get(f"file/{drawing.memory_id}/{drawing.content_hash}")
    assert handed.content == SVG and handed.headers["content-type"] == "application/octet-stream"
    assert handed.headers["content-disposition"].startswith("attachment; ")
    for one in (shown, handed):
        assert "sandbox" in one.headers["content-security-policy"]
        assert one.headers["x-content-type-options"] == "nosniff"
    for wrong in (f"file/{picture.memory_id}", "file/mem_of_nobody/00"):
        assert (await browser.get(wrong)).status_code == 404, wrong
    for number in range(PAGE):
        await files.attach("default", f"{number}.bin", bytes([1, number]))
    for number, entries, beside in (
        ("-1", PAGE, {"next"}),
        ("1", PAGE, {"next"}),
        ("2", 2, {"prev"}),
        ("999999", 0, {"prev"}),
    ):
        page = (await browser.get("attachments", page=number)).text
        assert page.count("data-entry") == entries, number
        assert {one for one in ("prev", "next") if f'rel="{one}"' in page} == beside, number
    assert (await browser.get("attachments", page="x")).status_code == 400
    after = await browser.act(f"memory/{picture.memory_id}", do="forget")
    assert after.status_code == 200 and picture.content_hash not in (await browser.get("attachments")).text
    browser.client.cookies.clear()
    assert (await browser.get(f"file/{drawing.memory_id}/{drawing.content_hash}")).status_code == 303
