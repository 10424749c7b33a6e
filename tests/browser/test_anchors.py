"""Notes whose code changed, in a browser: what happened is read in both languages, then confirmed and dropped."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import DEADLINE_S, Site, serving, signed_in
from tests.browser.test_dashboard import OVERFLOWS, RUN_AXE

CODE = "".join(f"line {number} of the client\n" for number in range(20))
NOTES = ("src/net.py gives up after three tries.", "src/old.py is read by nobody.", "src/web.py is new.")


def agentos(site: Site, folder: Path, *words: str) -> None:
    command = (sys.executable, "-m", "agentos.interfaces.cli", *words, "--home", str(site.home))
    subprocess.run(command, cwd=folder, check=True, timeout=DEADLINE_S, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with a file for each note."""
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "go.mod").touch()
    for name in ("net", "old", "web"):
        (folder / f"src/{name}.py").write_text(CODE.replace("client", name), encoding="utf-8")
    return folder


def test_notes_whose_code_changed_are_confirmed_and_dropped(
    chromium: Browser, tmp_path: Path, shop: Path, axe: str
) -> None:
    with serving(tmp_path / "home", embedding_model="none") as site:
        for note in NOTES:
            agentos(site, shop, "remember", note)
        agentos(site, shop, "anchors", "follow")
        (shop / "src/net.py").rename(shop / "src/client.py")
        (shop / "src/old.py").unlink()
        agentos(site, shop, "anchors", "check")
        for theme, width, language, moved in (
            ("dark", 390, "de", "verschoben nach"),
            ("light", 1280, "en", "moved to"),
        ):
            with signed_in(chromium, site, theme, width, language) as tab:
                page = tab.page
                tab.go("contested?kind=code")
                page.evaluate(axe)
                assert page.evaluate(RUN_AXE) == [] and page.evaluate(OVERFLOWS) == []
                told = " ".join(page.locator("main").inner_text().split())
                assert f"src/net.py {moved} src/client.py" in told and NOTES[2] not in told
                assert page.locator("article").count() == 2 and tab.complaints == []
        with signed_in(chromium, site, "light", 1280) as tab:
            page = tab.page
            tab.go("contested?kind=code")
            page.locator("article", has_text=NOTES[0]).get_by_role("button", name="It is still true").click()
            assert page.get_by_role("status").first.inner_text().startswith("The memory was confirmed.")
            assert page.locator("article").count() == 1
            page.get_by_role("link", name="open", exact=True).click()
            page.locator("#code").get_by_role("button", name="Drop the anchor to src/old.py").click()
            assert "no longer follows" in page.get_by_role("status").first.inner_text()
            assert page.locator("#code").count() == 0
            tab.go("contested?kind=code")
            assert page.locator("article").count() == 0 and tab.complaints == []
