"""A real server with a week of memories, and a Chromium signed in to its dashboard."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import httpx2
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from agentos.features.dashboard.texts import FOLDER
from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from agentos.modules.clock import system_clock
from agentos.modules.principals.logins import LoginLinks
from agentos.storage.server_key import ServerKeyFile

DEADLINE_S = 60.0
Result = TypeVar("Result")
Theme = Literal["light", "dark"]
KEY = "a-key-of-the-owner-for-tests-only"
HOSTILE = "<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\"> \u202eevil\u202c"


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which .ci/run fetches: AXE_CORE names the file."""
    return Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")


def in_a_thread(work: Callable[[], Result]) -> Result:
    """Do what needs a loop of its own: Playwright's runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


class Site:
    """A server on a home of its own."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self.url = url
        self.api = httpx2.Client(
            base_url=f"{url}/api/v1", headers={"authorization": f"Bearer {KEY}"}, timeout=DEADLINE_S
        )

    def post(self, path: str, **fields: Any) -> dict[str, Any]:
        """Call the API, as an agent would."""
        response = self.api.post(path, json=fields)
        assert response.is_success, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def begun_again(self) -> "Site":
        """The same server after it has begun anew, at its new address."""
        give_up = time.monotonic() + DEADLINE_S
        while (url := (hello.ask_status(socket_path(self.home)) or {}).get("http")) in (None, self.url):
            assert time.monotonic() < give_up
            time.sleep(0.05)
        return Site(self.home, url)

    def link(self) -> str:
        """A link that a person made at a terminal."""
        links = LoginLinks(ServerKeyFile(self.home), system_clock)
        return in_a_thread(lambda: asyncio.run(links.make(is_person=True)))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose home has something for every page."""
    with serving(tmp_path_factory.mktemp("site") / "home") as served:
        furnish(served)
        yield served


PLANTED = """import sys
from pathlib import Path
from agentos.features.dashboard import texts
texts.FOLDER, texts.LANGUAGES = Path(sys.argv.pop(1)), ("ar",)
from agentos.daemon import main
main()"""
"""A server that speaks the language of another catalogue, as it will once a translation is in the package."""
ARABIC = dict(zip("abcdefghijklmnopqrstuvwxyz", "ابجدهوزحطيكلمنسعفصقرشتثخذض", strict=True))
ARABIC_PLURALS = "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"


def mirrored(folder: Path) -> Path:
    """Write a catalogue from right to left into a folder: each text a quarter longer, in Arabic letters."""

    def mirror(text: str) -> str:
        pieces = re.split(r"(\{\w+\}|`[^`]*`)", text)
        letters = [one if at % 2 else "".join(ARABIC.get(letter.lower(), letter) for letter in one)
                   for at, one in enumerate(pieces)]  # fmt: skip
        return "".join(letters) + "ـ" * (len(text) // 4)

    def mirror_entry(name: str, text: str | list[str]) -> str | list[str]:
        if isinstance(text, str):
            return mirror(text)
        return [mirror(one) for one in text] if name in ("months", "weekdays") else [mirror(text[-1])] * 6

    catalogue = tomllib.loads((FOLDER / "en.toml").read_text(encoding="utf-8"))
    lines = ['lang = "ar"', 'name = "عربي"', 'dir = "rtl"', f'plurals = "{ARABIC_PLURALS}"']
    parts = [(part, found) for part, found in catalogue.items() if isinstance(found, dict)]
    for part, found in parts:
        lines.append(f"[{part}]")
        parts += [(f"{part}.{name}", inner) for name, inner in found.items() if isinstance(inner, dict)]
        lines += [f'"{name}" = {json.dumps(mirror_entry(name, text), ensure_ascii=False)}'
                  for name, text in found.items() if not isinstance(text, dict)]  # fmt: skip
    folder.mkdir()
    (folder / "ar.toml").write_text("\n".join(lines), encoding="utf-8")
    return folder


@contextmanager
def serving(home: Path, catalogue: Path | None = None, **more: str) -> Iterator[Site]:
    """Serve a home until the end of the context, in another language if a catalogue is given, with more settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    settings = {"AGENTOS_HOME": str(home), "AGENTOS_HTTP": "127.0.0.1:0", "AGENTOS_HTTP_KEY": KEY}
    settings |= {f"AGENTOS_{name.upper()}": value for name, value in more.items()}
    command: tuple[str, ...] = (sys.executable, "-m", "agentos.daemon")
    if catalogue is not None:
        command = (sys.executable, "-c", PLANTED, str(catalogue))
    with subprocess.Popen(command, env={**own, **settings, "HF_HUB_OFFLINE": "1"}, stderr=subprocess.DEVNULL) as daemon:
        try:
            give_up = time.monotonic() + DEADLINE_S
            while not (url := (hello.ask_status(socket_path(home)) or {}).get("http")):
                assert time.monotonic() < give_up and daemon.poll() is None
                time.sleep(0.05)
            site = Site(home, url)
            with site.api:
                yield site
        finally:
            daemon.terminate()
            daemon.wait(DEADLINE_S)


def furnish(site: Site) -> None:
    """Live a little in a home: every page has something to show, and every text is hostile once."""
    for number in range(12):
        site.post("/memories", content=f"Release {number} went out on day {number}.", tags=["release"])
    site.post("/memories", content="The team meets in room Lisbon.", importance=0.9, source="user")
    site.post("/memories", content=HOSTILE, tags=["odd"], source="user")
    for value in ("Oslo", "Bergen"):
        site.post("/memories", content=f"Ann lives in {value}.", subject="Ann", attribute="home", value=value)
    site.post("/memories", content=f"What is stated of {HOSTILE}", subject=HOSTILE[:60], attribute=HOSTILE[:60],
              value=HOSTILE, metadata={HOSTILE: HOSTILE})  # fmt: skip
    parent = site.post("/goals", title="Ship version 3", description="With a dashboard.", deadline="2030-01-31")
    site.post("/goals", title="Write the guide", description=HOSTILE, parent_goal_id=parent["id"])
    for success in (True, False, False, False):
        site.post("/reflections", action=f"run the tests {HOSTILE}", outcome=HOSTILE, success=success)
    odd = site.post("/goals", title=HOSTILE, description=HOSTILE, deadline="2020-01-31", tags=[HOSTILE[:30]])["id"]
    site.api.put(f"/goals/{odd}/progress", json={"progress": 0.2, "notes": HOSTILE}).raise_for_status()
    site.post("/memories", content=f"Perhaps {HOSTILE}", confidence=0.3, tags=[HOSTILE[:30]], source=HOSTILE)
    site.post(
        "/keys", name=HOSTILE.partition(" \u202e")[0], role="reader", namespaces={"default": "read"}, principal="ada"
    )
    site.post("/keys", name="grace", role="reader", namespaces={"grace": "admin"}, principal="grace")
    site.post("/grants", principal="ada", namespace="default", right="read", tag=HOSTILE[:30])
    site.post("/approvals", action="deploy_production", subject="the shop", reason=HOSTILE[:200],
              impact=1, reversibility=1, sensitivity=1)  # fmt: skip
    site.post("/approvals", action="memory.bulk_delete", subject=HOSTILE[:60], reason=HOSTILE,
              payload={"memory_ids": [HOSTILE]}, impact=0.5, reversibility=0.5, sensitivity=0.5)  # fmt: skip
    site.post("/sessions", name="s1", folder="/src/shop", title="Fix the cart")
    site.post("/sessions", name="s2", folder="/src/<script>alert(1)</script>", title=HOSTILE)
    source = site.post("/graph/nodes", node_type="concept", label="cart")["id"]
    target = site.post("/graph/nodes", node_type="problem", label=HOSTILE[:60])["id"]
    site.post("/graph/edges", source_node_id=source, target_node_id=target, edge_type="causes")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@contextmanager
def launched() -> Iterator[Browser]:
    """Open a Chromium until the end of the context."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "Debian's package chromium is needed"
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


class Tab:
    """A page of the browser, signed in; what its console complained of is kept."""

    def __init__(self, page: Page, site: Site, language: str) -> None:
        self.page = page
        self.language = language
        self.site = site
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def enter(self) -> None:
        """Sign in by a link."""
        self.go(f"enter#{self.site.link()}")
        self.page.wait_for_url("**/dashboard/")

    def go(self, path: str) -> None:
        """Open a page of the dashboard."""
        self.page.goto(f"{self.site.url}/dashboard/{path}")


@pytest.fixture
def tab(chromium: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A tab; parametrised by theme and width, and by language."""
    look: tuple[Any, ...] = getattr(request, "param", ("light", 1280))
    theme, width, *language = look
    with signed_in(chromium, site, theme, width, *language) as opened:
        yield opened


@contextmanager
def signed_in(
    chromium: Browser, site: Site, theme: Theme, width: int, language: str = "en", zone: str = "UTC"
) -> Iterator[Tab]:
    """Open a tab that is signed in by a link."""
    context = chromium.new_context(
        color_scheme=theme, viewport={"width": width, "height": 844}, locale=language, timezone_id=zone
    )
    context.set_default_timeout(DEADLINE_S * 1000)
    page = context.new_page()
    tab = Tab(page, site, language)
    tab.enter()
    yield tab
    context.close()
