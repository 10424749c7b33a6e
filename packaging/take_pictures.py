"""Take the pictures of the dashboard in docs/images: eight pages of a month's home, light and dark.

python packaging/take_pictures.py [FOLDER]

It needs the extra `browser` and a Chromium, named by CHROMIUM or on the PATH.
"""

import asyncio
import base64
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser import demo  # noqa: E402 - found from the root
from tests.browser.conftest import Site, Theme, in_a_thread, launched, serving, signed_in  # noqa: E402

PICTURES = {
    "home": ("", 760),
    "memories": ("memories?q=how+is+billing+done&explain=1", 700),
    "timeline": ("timeline", 640),
    "contested": ("contested", 560),
    "approvals": ("approvals", 640),
    "goals": ("goals", 520),
    "sessions": ("sessions", 620),
    "graph": ("graph", 700),
}
"""The pages by the names of their pictures, and how high these are."""
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDTH = 1100
QUALITY = 20
"""Of WebP: letters stay sharp, and all pictures together take less than 400 kB."""
NOT_READY, MOST_TRIES = ("still loading", "not reranked"), 30
"""What a search says until its models answer."""


def take(browser: Browser, site: Site, folder: Path) -> None:
    """Take all pictures of a home that is served."""
    for theme in THEMES:
        with signed_in(browser, site, theme, WIDTH) as tab:
            for name, (path, height) in PICTURES.items():
                tab.page.set_viewport_size({"width": WIDTH, "height": height})
                tab.go(path)
                for _ in range(MOST_TRIES):
                    if not any(one in tab.page.locator("main").inner_text() for one in NOT_READY):
                        break
                    tab.go(path)
                if name == "sessions":
                    tab.page.locator("[data-entry] a").first.click()
                if name == "graph":
                    tab.page.wait_for_selector("#graph[data-settled]")
                tab.page.wait_for_selector("[data-state=live]")
                (folder / f"{name}-{theme}.webp").write_bytes(_picture(tab.page))


def _picture(page: Page) -> bytes:
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(taken["data"])


def main() -> int:
    """Live a month in a temporary home and take its pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        in_a_thread(lambda: asyncio.run(demo.live(home, demo.now())))
        with launched() as browser, serving(home) as site:
            take(browser, site, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
