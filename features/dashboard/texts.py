"""The texts of the dashboard: each by its name in the catalogue of a language; numbers, times and units in it."""

import gettext
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from ...modules import package_files
from ...modules.records import dataclass
from ...modules.text.counting import in_unit
from ...modules.views.labels import parts_of

LANGUAGES = ("en", "de")
"""The languages of the pages, each a file of FOLDER; the first is that of a browser that asks for none of them."""
FOLDER = Path(__file__).parent / "languages"
_UNSEEN = [*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0x200B, 0x2060, 0xFEFF]
_TURNING = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
DIRECTION_MARKS = {mark: f"⟦U+{mark:04X}⟧" for mark in (*_UNSEEN, *_TURNING)}
"""What nobody sees, or what makes a text look like another one; it is shown as what it is."""
_AGO = '<time datetime="{}" title="{}">{}</time>'
_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (30, "day"), (12, "month"))


def shown(value: Any) -> Any:
    """Return a value as a page shows it: nothing for None, direction marks by their names."""
    if value is None:
        return ""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value  # most texts have no such mark: to look for each takes longer
    return value.translate(DIRECTION_MARKS)


@cache
def _catalogue(language: str) -> Mapping[str, Any]:
    return tomllib.loads(package_files.text(FOLDER / f"{language}.toml"))


@dataclass(frozen=True)
class Texts:
    """The texts of one language. A text may hold {values}; `n` chooses among the plural forms of one that has some.

    Moments are told in a zone.
    """

    catalogue: Mapping[str, Any]
    zone: tzinfo = UTC

    @classmethod
    def read(cls, language: str = LANGUAGES[0]) -> "Texts":
        """Read the catalogue of a language. Blocks."""
        return cls(_catalogue(language))

    def __call__(self, name: str, /, **values: object) -> str:
        """Return a text as plain text, with values in it. Raises KeyError for a name that is not in the catalogue."""
        return self._text(name, values.get("n")).format_map({key: self._plain(value) for key, value in values.items()})

    def say(self, name: str, /, **values: object) -> Markup:
        """Return a text as HTML: each value is set apart from its surroundings, and what stands in `…` is code."""
        return self._marked(self._text(name, values.get("n")), values)

    def explained(self, action: str) -> Markup:
        """Return what a request of an action asks for, and which page of the documentation tells more, as HTML."""
        told: Any = self.catalogue["approvals"]["told"]
        return self._marked(str(told.get(action, told["other"])), {})

    def _marked(self, text: str, values: Mapping[str, object]) -> Markup:
        pieces = text.split("`")
        marked = (Markup("<code>{}</code>").format(Markup(escape(one))) if at % 2 else Markup(escape(one))
                  for at, one in enumerate(pieces))  # fmt: skip
        return Markup("").join(marked).format(**{key: self._isolated(value) for key, value in values.items()})

    @cached_property
    def _form(self) -> Callable[[int], int]:
        return gettext.c2py(self.catalogue["plurals"])

    def _text(self, name: str, n: object) -> str:
        found: Any = self.catalogue
        for part in name.split("."):
            found = found[part]
        return str(found[self._form(n if isinstance(n, int) else 0)] if isinstance(found, list) else found)

    def named(self, value: str) -> str:
        """Return the name of a status, kind or action in this language; what has none is its own name."""
        return str(self.catalogue["names"].get(value, value))

    def job(self, name: str) -> str:
        """Return what a job of AgentOS does; "" for any other."""
        return str(self.catalogue["jobs"].get(name, ""))

    def part(self, name: str) -> str:
        """Return what a part of a score is called in this language."""
        return str(self.catalogue["score"].get(name, name))

    def labelled(self, label: str) -> list[tuple[str, str]]:
        """Return the parts of a memory's label in this language, each with the id of the memory that it names, or "".

        Its status is left out: that is shown by itself.
        """
        told: Any = self.catalogue["labels"]
        return [
            (str(told.get(one.words, one.words)).replace("{value}", str(shown(one.value))), one.memory_id)
            for one in parts_of(label)
        ]

    def done(self, name: str, **values: object) -> str:
        """Return the notice of what was done; "" for what is not known."""
        return self(f"done.{name}", **values) if name in self.catalogue["done"] else ""

    def count(self, number: int, name: str) -> str:
        """Return a number with what it counts."""
        return self(f"count.{name}", n=number)

    def percent(self, value: float | None) -> str:
        """Return a share (0..1) as a percentage."""
        return self("unit.none") if value is None else self("unit.percent", n=f"{value * 100:.0f}")

    def duration(self, seconds: float) -> str:
        """Return a time in milliseconds below one second, else in seconds."""
        if seconds < 1:
            return self("unit.milliseconds", n=self._figures(f"{seconds * 1000:g}"))
        return self("unit.seconds", n=self._figures(f"{seconds:g}"))

    def size(self, count: int) -> str:
        """Return a number of bytes."""
        number, unit = in_unit(count)
        return self("unit.bytes", n=self._figures(f"{number:.{0 if unit == 'B' else 1}f}"), unit=unit)

    def day(self, value: date) -> str:
        """Return a day without its year."""
        months: Any = self.catalogue["time"]["months"]
        return self("time.day", day=str(value.day), month=months[value.month - 1])

    def month(self, value: date) -> str:
        """Return the name of a day's month."""
        return str(self.catalogue["time"]["months"][value.month - 1])

    def whole_day(self, value: date) -> str:
        """Return a day with its weekday and year."""
        months, weekdays = self.catalogue["time"]["months"], self.catalogue["time"]["weekdays"]
        return self(
            "time.whole_day",
            weekday=weekdays[value.weekday()],
            day=str(value.day),
            month=months[value.month - 1],
            year=str(value.year),
        )

    def number(self, value: int) -> str:
        """Return a number with its thousands set apart."""
        return self._figures(f"{value:,}")

    def midnight(self, value: date) -> datetime:
        """Return the moment at which a day begins in the zone of these texts."""
        return datetime.combine(value, time(), self.zone).astimezone(UTC)

    def day_of(self, value: datetime) -> date:
        """Return the day on which a moment falls in the zone of these texts."""
        return value.astimezone(self.zone).date()

    def moment(self, value: str | datetime | None) -> Markup:
        """Return a moment to the minute."""
        then = parsed(value)
        if then is None:
            return Markup(escape(self("unit.none")))
        return Markup('<time dir="ltr" datetime="{}">{}</time>').format(
            then.isoformat(timespec="seconds"), self._minute(then)
        )

    def clock(self, value: str | datetime) -> str:
        """Return the time of day of a moment."""
        then = parsed(value)
        return self("unit.none") if then is None else f"{then.astimezone(self.zone):%H:%M}"

    def ago(self, value: str | datetime | None, now: datetime) -> Markup:
        """Return how long ago a moment was, with the moment itself as a tooltip."""
        then = parsed(value)
        if then is None:
            return Markup(escape(self("unit.none")))
        left = abs((now - then).total_seconds())
        unit = "year"
        for size, name in _STEPS:
            if left < size:
                unit = name
                break
            left /= size
        way = "ago" if then <= now else "ahead"
        relative = self("time.now") if unit == "second" else self(f"time.{way}", time=self.count(int(left), unit))
        # Written at once: a page has as many as entries, and to format markup takes ten times as long.
        at = then.isoformat(timespec="seconds")
        return Markup(_AGO.format(at, escape(self._minute(then)), escape(relative)))

    def _minute(self, then: datetime) -> str:
        at = then.astimezone(self.zone)  # its parts as text at once: strftime takes several times as long
        return self(
            "time.minute",
            year=f"{at.year:04}",
            month=f"{at.month:02}",
            day=f"{at.day:02}",
            hour=f"{at.hour:02}",
            minute=f"{at.minute:02}",
            zone=at.tzname() or "",
        )

    def _figures(self, number: str) -> str:
        """Return a number with the signs of this language in place of English ones."""
        signs: Any = self.catalogue["unit"]
        return number.translate({ord(","): signs["thousands"], ord("."): signs["decimal"]})

    def _plain(self, value: object) -> object:
        return self.number(value) if isinstance(value, int) else shown(value)

    def _isolated(self, value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        text = str(self._plain(value))
        return Markup(escape(text)) if isinstance(value, int) else Markup("<bdi>{}</bdi>").format(text)


def parsed(value: str | datetime | None) -> datetime | None:
    """Return a moment given as text; in UTC if it names no zone."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)
