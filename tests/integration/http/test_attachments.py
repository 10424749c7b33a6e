"""Files of memories at the doors of a server: MCP with the official client, REST, and the dashboard."""

import base64
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from agentos.database import OpenedStore
from agentos.features.switches import with_attachments
from agentos.modules.agentos import AgentOS
from agentos.modules.attaching import MOST_SHOWN
from agentos.modules.principals.models import Right, Role
from tests.integration.conftest import Wire
from tests.tables import every

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
CALLED_TOKENS = 45
"""What is read of a picture beside itself."""


@pytest.fixture
def agentos(store: OpenedStore, wire: Wire) -> AgentOS:
    return with_attachments(wire(store), store.engine, 64 * 1024)


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
        assert "[file: Plan.png, image/png, 70 bytes]" in hit
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
