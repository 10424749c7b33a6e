"""Files of memories as a person sees them: pictures inline, everything else to download."""

import struct
import zlib
from typing import Any

import pytest

from tests.browser.conftest import Tab
from tests.browser.test_dashboard import EVERY_LOOK, OVERFLOWS, RUN_AXE, SMALL

WIDTH, HEIGHT = 640, 20
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title='gone'</script></svg>"


def png() -> bytes:
    """A picture, grey all over."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    rows = (b"\x00" + b"\x80" * WIDTH) * HEIGHT
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def attach(tab: Tab, name: str, data: bytes, **fields: Any) -> None:
    headers = {"content-type": "application/octet-stream"}
    tab.site.api.post("/attachments", params={"name": name, **fields}, content=data, headers=headers).raise_for_status()


@pytest.mark.parametrize("tab", [EVERY_LOOK[0], EVERY_LOOK[2]], indirect=True, ids=lambda one: "-".join(map(str, one)))
def test_a_picture_is_seen_hidden_and_brought_back_and_an_active_file_is_only_downloaded(tab: Tab, axe: str) -> None:
    page = tab.page
    attach(tab, "kiln.png", png(), caption="The plan of the kiln")
    attach(tab, "kiln.svg", SVG, caption="A drawing of the kiln")
    tab.go("attachments")
    picture = page.get_by_role("img", name="The plan of the kiln")
    picture.wait_for()
    page.wait_for_function(f"[...document.images].some(one => one.naturalWidth === {WIDTH})")
    assert page.get_by_role("img").count() == 1, "what is no picture is not shown"
    with page.expect_download() as download:
        page.get_by_role("link", name="kiln.svg", exact=True).click()
    assert download.value.path().read_bytes() == SVG and page.title() != "gone"
    entry = page.locator("[data-entry]").filter(has=picture)
    entry.locator("p.row a").click()
    picture.wait_for()
    for path in ("", "attachments"):
        if path:
            tab.go(path)
        page.evaluate(axe)
        assert page.evaluate(RUN_AXE) == [] and page.evaluate(OVERFLOWS) == [] and page.evaluate(SMALL) == []
    entry.locator("button[value=forget]").click()
    page.get_by_role("status").first.wait_for()
    undo = page.get_by_role("status").first.get_by_role("button").first
    undo.wait_for()
    undo.click()
    page.get_by_role("status").first.wait_for()
    tab.go("attachments")
    picture.wait_for()
    assert tab.complaints == []
