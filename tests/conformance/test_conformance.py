"""The protocol's own conformance sets, whole, for both of its revisions.

Their scenarios ask a server for tools, prompts and resources by fixed names. Our own server has none of them, so it is
driven twice: as it is, with its resources, every scenario named that needs what it does not offer; and with its
endpoint replaced by one that has the fixtures, behind the same listener, guards, limits and authentication. That
endpoint keeps sessions and streams, which ours does not: some fixtures ask the client back.
"""

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from agentos.interfaces.http import app

from . import fixtures

pytestmark = pytest.mark.filterwarnings("ignore")  # fixtures use what the newer revision has deprecated
REVISIONS = ("2025-11-25", "2026-07-28")
WITHIN_S = 300
BY_FIXTURES = (
    *(f"tools-call-{one}" for one in ("simple-text", "image", "audio", "embedded-resource", "mixed-content", "error")),
    "tools-call-with-progress",
)
RESOURCES_OF_FIXTURES = tuple(f"resources-{one}" for one in ("read-text", "read-binary", "templates-read"))
NO_PROMPTS = (
    "prompts-list",
    *(f"prompts-get-{one}" for one in ("simple", "with-args", "embedded-resource", "with-image")),
)
NOT_OFFERED = {
    "2025-11-25": (
        *(*BY_FIXTURES, *RESOURCES_OF_FIXTURES, *NO_PROMPTS),
        *("resources-subscribe", "resources-unsubscribe", "logging-set-level", "completion-complete"),
        *("tools-call-with-logging", "tools-call-sampling", "tools-call-elicitation"),
        *("elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
        "server-sse-multiple-streams",  # a warning: there is no session, and with it no streams
    ),
    "2026-07-28": (
        *(*BY_FIXTURES, *RESOURCES_OF_FIXTURES, *NO_PROMPTS, "completion-complete"),
        *(f"input-required-result-{one}" for one in ("missing-input-response", "ignore-extra-params")),  # warnings
        "caching:sep-2549-prompts-list-caching-hints",
        *(
            f"server-stateless:sep-2575-{one}"
            for one in (
                *("server-rejects-undeclared-capability", "missing-capability-http-400"),
                *("http-server-no-independent-requests-on-stream", "server-no-log-without-loglevel"),
            )
        ),
        *(
            f"input-required-result-{one}"
            for one in (
                *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multi-round"),
                *("multiple-input-requests", "non-tool-request", "result-type", "tampered-state", "capability-check"),
            )
        ),
    ),
}
"""What needs fixtures, or what our server does not offer: it has tools and resources, and asks its clients nothing.

The suite fails where one of these passes, so that the list cannot outlive its reason.
"""


class FixtureEndpoint:
    """What stands in for our endpoint: the SDK's transport with its sessions and streams, over the fixtures."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._sessions = StreamableHTTPSessionManager(fixtures.server()._lowlevel_server)
        self.running = self._sessions.run

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["state"]["route"] = "/mcp"
        await self._sessions.handle_request(scope, receive, send)


async def run(url: str, revision: str, folder: Path, *options: str) -> tuple[int, str]:
    """Drive a server with the set of a revision: the verdict, and what was said."""
    assert shutil.which("conformance"), "the program of the sets is not on the PATH; .ci/run installs it"
    command = ("conformance", "server", "--url", f"{url}/mcp", "--requirements", revision, "-o", str(folder), *options)
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    async with asyncio.timeout(WITHIN_S):
        output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, re.sub(r"\x1b\[[0-9;]*m", "", output.decode())


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_server_with_the_fixtures_passes_all_that_a_revision_requires(
    revision: str, serve: Any, listen: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "McpEndpoint", FixtureEndpoint)
    served = await serve(http_requests_per_minute=100_000)
    status, output = await run(await listen(served.app), revision, tmp_path)
    assert status == 0, output[-6_000:]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_our_server_passes_all_but_what_it_does_not_offer(
    revision: str, serve: Any, listen: Any, tmp_path: Path
) -> None:
    served = await serve(http_requests_per_minute=100_000, http_resources=True)
    known = tmp_path / "known.yml"
    known.write_text("server:\n" + "".join(f"  - {one}\n" for one in NOT_OFFERED[revision]), encoding="utf-8")
    status, output = await run(await listen(served.app), revision, tmp_path, "--expected-failures", str(known))
    assert status == 0, output[-6_000:]
