"""The connector `browser`: sites that are read often, and bookmarks, from Chromium's and Firefox's files."""

import html.parser
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ....storage.imports import sqlite_files
from ..models import Connector, Signal
from .texts import address, day, moment, reference, times, title

MOST_BYTES = 64 * foreign_files.MiB
MOST_ROWS = 50_000
OFTEN = 5
"""How many visits of a site say something about its reader."""
MOST_TITLES = 3
MOST_DEPTH = 50
SINCE_1601_S = 11_644_473_600
"""Seconds from 1601, where Chromium's clock begins, to 1970."""
MICRO = 1_000_000
_HISTORIES = {
    ("urls", "visits"): (
        "SELECT url, title, visit_count AS visits, last_visit_time AS at FROM urls ORDER BY last_visit_time DESC",
        SINCE_1601_S,
    ),
    ("moz_places",): (
        "SELECT url, title, visit_count AS visits, last_visit_date AS at FROM moz_places "
        "WHERE visit_count > 0 ORDER BY last_visit_date DESC",
        0,
    ),
}
"""By the tables that tell a history: the query for its rows, and the second at which its clock begins."""


def _places() -> Sequence[Path]:
    settings = Path(platformdirs.user_config_dir())
    profiles = [settings / name / "Default" for name in ("chromium", "google-chrome", "BraveSoftware/Brave-Browser")]
    firefox = sorted((Path.home() / ".mozilla/firefox").glob("*/places.sqlite"))
    of_chromium = [profile / name for profile in profiles for name in ("History", "Bookmarks")]
    return [one for one in (*of_chromium, *firefox) if one.is_file()]


def _read(path: Path, now: datetime) -> Iterable[Signal]:
    for tables, (query, epoch) in _HISTORIES.items():
        if sqlite_files.has_tables(path, *tables):
            yield from _history(path, query, epoch)
            return
    data = foreign_files.read(path, MOST_BYTES)
    if data.lstrip()[:1] == b"{":
        yield from _bookmarks(_of_json(data))
    elif b"NETSCAPE-Bookmark-file" in data[:500]:
        yield from _bookmarks(_of_html(foreign_files.decoded(data)))
    else:
        raise InvalidInput("file", "is neither a browser's history nor its bookmarks")


def _history(path: Path, query: str, epoch: int) -> Iterator[Signal]:
    """Yield the sites of a history that are read often, the most visited first."""
    visits: dict[str, int] = {}
    last: dict[str, datetime] = {}
    titles: dict[str, dict[str, None]] = {}
    with sqlite_files.opened(path) as connection:
        for row in connection.execute(f"{query} LIMIT {MOST_ROWS}"):
            site = urlsplit(address(row["url"])).hostname
            number, at = row["visits"], _moment(row["at"], epoch)
            if not site or at is None or not isinstance(number, int):  # a column of SQLite may hold anything
                continue
            visits[site] = visits.get(site, 0) + number
            last[site] = max(at, last.get(site, at))
            titles.setdefault(site, {}).setdefault(title(row["title"]))
    for site in sorted(visits, key=lambda one: -visits[one]):
        if visits[site] >= OFTEN:
            pages = " | ".join(list(filter(None, titles[site]))[:MOST_TITLES])
            seen = f"Browser: the user visited {site} {times(visits[site])}, last on {day(last[site])}"
            yield Signal(reference("site", site), f"{seen}: {pages}" if pages else f"{seen}.", last[site])


def _moment(value: object, epoch: int) -> datetime | None:
    return moment(value / MICRO - epoch) if isinstance(value, int | float) else None


def _bookmarks(found: Iterable[tuple[str, str, str, datetime | None]]) -> Iterator[Signal]:
    for url, name, folder, at in found:
        if (where := address(url)) and at is not None:
            kept = f" in “{title(folder)}”" if folder else ""
            yield Signal(
                reference("bookmark", where), f"Browser: the user bookmarked “{title(name)}”{kept}: {where}", at
            )


def _of_json(data: bytes) -> Iterator[tuple[str, str, str, datetime | None]]:
    """Yield Chromium's bookmarks, with the folder of each."""
    try:
        roots = json.loads(data)["roots"].values()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput("file", "is JSON, but not a browser's bookmarks") from error
    waiting: list[tuple[Any, str, int]] = [(root, "", 0) for root in roots]
    while waiting:
        node, folder, depth = waiting.pop()
        if not isinstance(node, dict):
            continue
        stamp = str(node.get("date_added", ""))
        if node.get("type") == "url":
            at = moment(int(stamp) / MICRO - SINCE_1601_S) if stamp.isdecimal() and len(stamp) < 20 else None
            yield str(node.get("url", "")), str(node.get("name", "")), folder, at
        elif depth < MOST_DEPTH and isinstance(children := node.get("children"), list):
            name = str(node.get("name", "")) if depth else ""
            waiting += [(child, name, depth + 1) for child in reversed(children)]


class _Links(html.parser.HTMLParser):
    """The links of a file of bookmarks, as browsers export them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str, datetime | None]] = []
        self._open: tuple[str, datetime | None] | None = None
        self._words = ""
        self._folder = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            stamp = given.get("add_date") or ""
            self._open = (
                given.get("href") or "",
                moment(int(stamp)) if stamp.isdecimal() and len(stamp) < 13 else None,
            )
        self._words = ""

    def handle_data(self, data: str) -> None:
        self._words += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "h3":
            self._folder = self._words
        elif tag == "a" and self._open is not None:
            self.found.append((self._open[0], self._words, self._folder, self._open[1]))
            self._open = None


def _of_html(text: str) -> Iterable[tuple[str, str, str, datetime | None]]:
    links = _Links()
    links.feed(text)
    links.close()
    return links.found


BROWSER = Connector(
    "browser", "histories and bookmarks of Chromium and Firefox, and exported bookmarks in HTML", _places, _read
)
