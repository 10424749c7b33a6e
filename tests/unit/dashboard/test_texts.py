"""The dashboard's catalogue: no page and no file says anything that is not in it, and nothing in it is idle."""

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from jinja2 import nodes

from agentos.daemon_pkg.jobs.schedule import jobs_of
from agentos.features.dashboard import html
from agentos.features.dashboard.texts import FOLDER as CATALOGUES
from agentos.features.dashboard.texts import LANGUAGES, Texts
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.goals.models import GoalStatus
from agentos.modules.graph.models import EdgeType, EntityType, NodeType
from agentos.modules.health.models import Severity as FindingSeverity
from agentos.modules.insights.models import InsightSeverity
from agentos.modules.memory.models import MemoryType, Status
from agentos.modules.memory.ports import IndexPhase
from agentos.modules.principals.models import Right, Role
from agentos.modules.reflection.models import PatternType
from agentos.modules.sessions.models import ObservationType, SessionState
from tests.places import ROOT
from tests.tables import every

FOLDER = ROOT / "features/dashboard"
TEMPLATES = sorted([*(FOLDER / "templates").glob("*.html"), *(ROOT / "features").glob("*/page.html")])
NO_PAGES = {FOLDER / "commands.py", FOLDER / "mounting.py"}
"""What speaks in a terminal, and to programs before it is known whose pages are asked for."""
FILES = sorted({*FOLDER.rglob("*.py"), *(ROOT / "features").glob("*/page.py")} - NO_PAGES)
TEXTS = Texts.read()
PARTS = TEXTS.catalogue.keys()
ENVIRONMENT = html.environment()
CHOSEN_AT_RUN_TIME = ("pages", "done", "names", "score", "labels", "jobs", "count", "time", "unit")
"""The parts of the catalogue whose names are put together from values."""
_LETTERS, _SENTENCE = re.compile(r"[^\W\d_]{2}"), re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_SPOKEN = {"aria-label", "title", "alt", "placeholder"}
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class _VisibleText(HTMLParser):
    """Collects what a page says by itself: texts outside of code, and the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in ("code", "kbd", "pre")
        self.found += [value for name, value in attrs if name in _SPOKEN and value and _LETTERS.search(value)]

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "kbd", "pre")

    def handle_data(self, data: str) -> None:
        if not self._code and _LETTERS.search(data.replace("AgentOS", "")):
            self.found.append(data.strip())


@every("path", TEMPLATES)
def test_a_template_says_nothing_by_itself(path: Any) -> None:
    source = path.read_text(encoding="utf-8")
    parser = _VisibleText()
    parser.feed("".join(text for _, kind, text in ENVIRONMENT.lex(source) if kind == "data"))
    found = [one for one in parser.found if one not in ("mem_…", "UTC")]
    found += [node.value for node in ENVIRONMENT.parse(source).find_all(nodes.Const)
              if isinstance(node.value, str) and _SENTENCE.search(node.value)]  # fmt: skip
    assert found == []


@every("path", FILES)
def test_a_file_says_nothing_by_itself(path: Any) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    logged = {id(one) for node in ast.walk(tree) if isinstance(node, ast.Assert) for one in ast.walk(node)}
    literals = [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes | logged
            and _SENTENCE.search(re.sub("<[^>]*>", "", node.value))]  # fmt: skip
    assert literals == []


def test_scripts_and_styles_are_small_and_say_nothing_by_themselves() -> None:
    loaded = [path.read_text(encoding="utf-8") for path in (FOLDER / "static").iterdir()]
    assert sum(map(len, loaded)) < 150_000
    assert [found for text in loaded for found in re.findall(r"textContent = [\"'`]\w.*", text)] == []


def _asked() -> Iterator[tuple[str, set[str]]]:
    """Yield the texts that templates and files ask for by name, each with the values that it is given."""
    for path in TEMPLATES:
        for call in ENVIRONMENT.parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            named = isinstance(call.node, nodes.Name) and call.node.name in ("t", "say")
            if named and isinstance(call.args[0], nodes.Const):
                yield str(call.args[0].value), {one.key for one in call.kwargs}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.args[0].value
                if (
                    isinstance(name, str)
                    and re.fullmatch(r"[a-z_]+\.[a-z_]+", name)
                    and name.partition(".")[0] in PARTS
                    and not name.endswith(".html")
                ):
                    yield name, {one.arg or "" for one in node.keywords}


def _text(name: str) -> Any:
    found: Any = TEXTS.catalogue
    for part in name.split("."):
        found = found[part]
    return found


def test_every_text_that_is_asked_for_is_there_with_its_values() -> None:
    for name, given in _asked():
        forms = _text(name)
        for form in forms if isinstance(forms, list) else [forms]:
            needed = {value for _, value, _, _ in string.Formatter().parse(form) if value}
            assert needed <= given, f"{name} needs {needed - given}"
        assert not isinstance(forms, list) or "n" in given, f"{name} has plural forms: it needs n"


def test_no_text_is_idle() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (*TEMPLATES, *FILES))
    asked = {name for name, _ in _asked()}
    idle = [
        f"{part}.{name}"
        for part, found in TEXTS.catalogue.items()
        if isinstance(found, dict) and part not in CHOSEN_AT_RUN_TIME
        for name, text in found.items()
        if not isinstance(text, dict)  # chosen at run time too
        and f"{part}.{name}" not in asked
        and f'"{part}.{name}"' not in source
        and f"'{part}.{name}'" not in source
    ]
    assert idle == []


def test_a_language_has_as_many_plural_forms_as_it_needs() -> None:
    arabic = Texts(
        {
            "plurals": "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5",
            "unit": {"thousands": ",", "decimal": "."},
            "count": {"days": ["none", "one", "two", "{n} few", "{n} many", "{n} other"]},
        }
    )
    forms = [arabic.count(number, "days") for number in (0, 1, 2, 3, 11, 1100)]
    assert forms == ["none", "one", "two", "3 few", "11 many", "1,100 other"]


def _forms(found: Any, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of a part of a catalogue by their names, each with its forms."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from _forms(value, f"{name}{key}.")
        else:
            yield f"{name}{key}", value if isinstance(value, list) else [value]


@every("language", LANGUAGES)
def test_a_language_has_all_texts_with_their_values(language: str) -> None:
    texts = Texts.read(language)
    ours, theirs = dict(_forms(TEXTS.catalogue)), dict(_forms(texts.catalogue))
    assert list(theirs) == list(ours), "the same names in the same order"
    plurals = len({texts("count.goals", n=number).lstrip("0123456789.") for number in range(200)})
    for name, forms in theirs.items():
        needed, given = (
            {value for form in one for _, value, _, _ in string.Formatter().parse(form) if value}
            for one in (ours[name], forms)
        )
        assert needed == given and all(forms), name
        assert len(forms) == (plurals if "count" in name and len(ours[name]) > 1 else len(ours[name])), name
    assert texts.catalogue["lang"] == language
    pages = {page for forms in theirs.values() for page in re.findall(r"`(docs/[^`]*)`", " ".join(forms))}
    assert len(pages) == 3 and all((ROOT / page).is_file() for page in pages)


def test_every_language_is_a_file() -> None:
    assert sorted(path.stem for path in CATALOGUES.glob("*.toml")) == sorted(LANGUAGES)


def test_german_has_its_own_numbers_and_dates() -> None:
    german = Texts.read("de")
    told = [german.number(1234567), german.duration(0.0021), german.size(2_500_000), german.whole_day(NOW.date())]
    assert told == ["1.234.567", "2,1 ms", "2,4 MiB", "Montag, 2. März 2026"]
    assert ">vor 2 Stunden<" in german.ago(NOW - timedelta(hours=2), NOW)
    assert ">02.03.2026 12:00 UTC<" in german.moment(NOW) and german.count(1, "memories") == "1 Erinnerung"


def test_moments_and_days_are_those_of_the_zone() -> None:
    kathmandu = replace(TEXTS, zone=ZoneInfo("Asia/Kathmandu"))
    assert kathmandu.clock(NOW) == "17:45" and ">2026-03-02 17:45 +0545<" in kathmandu.moment(NOW)
    berlin = replace(TEXTS, zone=ZoneInfo("Europe/Berlin"))
    days = [berlin.midnight(date(2026, 3, day)) for day in (29, 30)]
    assert [day.isoformat() for day in days] == ["2026-03-28T23:00:00+00:00", "2026-03-29T22:00:00+00:00"]


def test_values_are_set_apart_and_never_become_html() -> None:
    rendered = TEXTS.say("operations.restored", name="<b>", when="now", who="\u202ea{n}", result="`x`")
    assert "<bdi>&lt;b&gt;</bdi>" in rendered and "⟦U+202E⟧a{n}" in rendered and "<code>" not in rendered
    assert TEXTS.say("errors.no_decider").count("<code>agentos open</code>") == 1
    assert TEXTS("entry.choose", text="{n} <i>") == "Select {n} <i>"
    with pytest.raises(KeyError):
        TEXTS("entry.nothing")


@every(
    ("away", "expected"),
    [
        (timedelta(0), "just now"), (timedelta(seconds=59), "just now"), (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=-3, minutes=-1), "in 3 hours"), (timedelta(days=45), "1 month ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)  # fmt: skip
def test_a_moment_is_shown_by_its_distance(away: timedelta, expected: str) -> None:
    assert f">{expected}<" in TEXTS.ago(NOW - away, NOW)


def test_numbers_have_their_units() -> None:
    texts = [
        TEXTS.duration(0.0021),
        TEXTS.duration(1.5),
        TEXTS.size(2_500_000),
        TEXTS.percent(0.5),
        TEXTS.percent(None),
    ]
    assert texts == ["2.1 ms", "1.5 s", "2.4 MiB", "50 %", "–"]
    assert (TEXTS.day(NOW.date()), TEXTS.whole_day(NOW.date())) == ("2 Mar", "Monday, 2 Mar 2026")


@every(
    "kinds",
    [ApprovalStatus, EdgeType, EntityType, FindingSeverity, GoalStatus, IndexPhase, MemoryType, NodeType, PatternType,
     ObservationType, Right, Role, SessionState, InsightSeverity, Status],
)  # fmt: skip
def test_every_kind_and_status_has_a_name(kinds: Any) -> None:
    values = [one.word if isinstance(one, Right) else one.value for one in kinds]
    assert [value for value in values if value not in TEXTS.catalogue["names"]] == []


def test_a_label_is_told_in_parts_that_lead_to_the_memories_they_name() -> None:
    label = "suspicious, stale, from 2026-11-29, superseded by mem_1, maybe outdated, see mem_2, also said once, {one}"
    assert TEXTS.labelled(f'{label}, now "a, b"') == TEXTS.labelled(label)
    assert TEXTS.labelled(label) == [
        ("suspicious", ""),
        ("from 2026-11-29", ""),
        ("replaced: see by what", "mem_1"),
        ("maybe outdated: see the newer one", "mem_2"),
        ("also said 1×", ""),
        ("{one}", ""),
    ]


def test_it_is_told_what_each_job_does() -> None:
    assert [job.name for job in jobs_of(None) if not TEXTS.job(job.name)] == [] and TEXTS.job("task_1") == ""
