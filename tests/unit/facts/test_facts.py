"""Facts: slots by normal form, values by what they say, templates that are certain, and what follows from a claim."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from agentos.modules.facts.conflicts import judge
from agentos.modules.facts.models import Effect, Judgement
from agentos.modules.facts.slots import canonical_slot
from agentos.modules.facts.sources import LOW, OWN, trust_of
from agentos.modules.facts.templates import TextReading, doubts_itself, read
from agentos.modules.facts.values import same_value
from agentos.modules.memory.models import Slot
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@every(
    ("subject", "attribute", "slot"),
    [
        ("The User", "board_game", ("user", "board game")),
        ("me", "my editor", ("user", "editor")),
        ("my brother", "Home Town", ("user's brother", "home town")),
        ("Maria’s", "Maria's employer", ("maria", "employer")),
        ("billing-api", "Session/Timeout", ("billing api", "session timeout")),
        ("  the   API ", '"port"', ("api", "port")),
        ("our", "stand-up", ("project", "stand up")),
        ("---", "?", ("---", "?")),
    ],
)
def test_names_of_one_slot_meet_by_their_form(subject: str, attribute: str, slot: tuple[str, str]) -> None:
    assert canonical_slot(subject, attribute) == slot


@every(
    ("one", "other", "is_same"),
    [
        ("2:00", "02:00", True),
        ("1,000", "1000", True),
        ("12,500,000 euros", "12500000 euros", True),
        ("Vim.", "vim", True),
        ('"blue"', "blue", True),
        ("50 %", "50%", True),
        ("Room A", "Room B", False),
        ("gate A", "gate B", False),
        ("building A", "a building", False),
        ("1,5", "15", False),
        ("12:00", "2:00", False),
        ("10", "100", False),
        ("dock 7", "dock 9", False),
        ("enabled", "disabled", False),
        (None, None, False),
    ],
)
def test_formatting_alone_is_no_difference(one: str | None, other: str | None, is_same: bool) -> None:
    assert same_value(one, other) is is_same


@every(
    ("text", "reading"),
    [
        ("Maria's employer is Acme.", TextReading("maria", "employer", "Acme")),
        ("The port of the billing-api is 8080.", TextReading("billing api", "port", "8080")),
        ("The review's room is Room B", TextReading("review", "room", "Room B")),
        ("The API's port is now 9090", TextReading("api", "port", "9090")),
        ("Maria's car is now a red Volvo.", TextReading("maria", "car", "a red Volvo")),
        ("The port of the API changed from 8080 to 9090.", TextReading("api", "port", "9090")),
        ("Maria's title has changed to staff engineer", TextReading("maria", "title", "staff engineer")),
        ("My editor is no longer Vim.", TextReading("user", "editor", "Vim", polarity=False)),
        ("Nadia's doctor is Dr. Holm.", TextReading("nadia", "doctor", "Dr. Holm")),
        ("Correction: Tom's birthday is 3 June.", TextReading("tom", "birthday", "3 June")),
        ("Unverified: Tom's birthday is 3 June.", TextReading("tom", "birthday", "3 June")),
        ("Plan: Tom's birthday is 3 June.", None),
        ("The draft of the report is now 3", TextReading("report", "draft", "3")),
        ("The tentative date of the launch is now 2026-05-01", TextReading("launch", "tentative date", "2026-05-01")),
        ("As of 2025-01-10, the price of the plan is 60", TextReading("plan", "price", "60")),
        ("Maria's car is red.", None),
        ("Maria's car is a Volvo.", None),
        ("Maria's brother is a doctor", None),
        ("One of my friends is Tom.", None),
        ("The API's port is 8080 in staging.", None),
        ("The API's port is 8080, and its host is db-1.", None),
        ("The API's port is 8080. It never changes.", None),
        ("MAX_POOL_SIZE is read at startup.", None),
        ("Is Maria's employer Acme?", None),
        ("Maria works at Acme.", None),
        ("Das Büro ist in Bergen.", None),
        ("Maria's employer is Acme" + " indeed" * 60, None),
    ],
)
def test_only_what_is_certain_by_its_form_is_read(text: str, reading: TextReading | None) -> None:
    assert read(text) == reading


@every("text", ["a's " * 70, "The " + "a of " * 60, "A b's c is " + "d " * 90, "'s is now " * 28])
def test_no_text_keeps_the_templates_busy(text: str) -> None:
    assert read(text[:300]) is None


@every(
    ("text", "doubts"),
    [
        ("Unverified: the manager is Karl.", True),
        ("There is a rumour that the office moves.", True),
        ("Draft budget: 50,000", True),
        ("The office might move.", True),
        ("The office is in Oslo.", False),
        ("The army marches in May.", False),
    ],
)
def test_a_text_may_doubt_itself(text: str, doubts: bool) -> None:
    assert doubts_itself(text) is doubts


def test_trust_comes_from_the_name_of_the_source() -> None:
    assert {trust_of(name) for name in ("", "claude-code", "me")} == {OWN}
    assert {trust_of(name) for name in ("web", "https://example.org", "email/inbox", "tool_output")} == {LOW}


@dataclass(frozen=True)
class StatedClaim:
    """A claim as a memory makes it."""

    id: str
    value: str | None
    occurred_at: datetime
    content: str = "It is so."
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0
    polarity: bool = True
    sure: float = 1.0

    @property
    def slot(self) -> Slot:
        return Slot("plan", "price", self.value, self.sure, self.polarity)


OLD = StatedClaim("old", "80", NOW)


def action(new: StatedClaim, *rivals: StatedClaim) -> tuple[Effect, Judgement]:
    judged = judge(new, rivals or (OLD,))
    return judged.action, judged


@every(
    ("new", "expected"),
    [
        (StatedClaim("new", "80", NOW + DAY), Effect.CONFIRM),
        (StatedClaim("new", "60", NOW + DAY), Effect.SUPERSEDE),
        (StatedClaim("new", "60", NOW - DAY), Effect.HISTORY),
        (StatedClaim("new", "60", NOW + DAY, "Correction: it is 60"), Effect.CORRECT),
        (StatedClaim("new", "80", NOW + DAY, polarity=False), Effect.CLOSE),
        (StatedClaim("new", "60", NOW + DAY, polarity=False), Effect.ADD),
        (StatedClaim("new", "60", NOW + DAY, "It is also 60"), Effect.ADD),
        (StatedClaim("new", "60", NOW + DAY, valid_to=NOW + 9 * DAY), Effect.ADD),
        (StatedClaim("new", "60", NOW), Effect.CONTEST),
        (StatedClaim("new", "60", NOW + DAY, trust=0.3), Effect.CONTEST),
        (StatedClaim("new", "60", NOW + DAY, confidence=0.4), Effect.CONTEST),
        (StatedClaim("new", "60", NOW + DAY, "Rumour: it is 60"), Effect.CONTEST),
        (StatedClaim("new", "60", NOW + DAY, sure=0.5), Effect.ADD),
    ],
)
def test_what_a_new_claim_means_beside_an_older_one(new: StatedClaim, expected: Effect) -> None:
    assert action(new)[0] is expected


def test_a_doubtful_newcomer_alone_is_contested() -> None:
    _, judged = action(StatedClaim("new", "60", NOW + DAY, "Unverified: it is 60"))
    assert judged.standing.status == "contested" and not judged.revised
    assert judged.approval is not None and judged.approval.old == ("old",)


def test_when_it_holds_decides_not_when_it_was_stated() -> None:
    known = StatedClaim("old", "80", NOW, "As of 2026-03-01 it is 80", valid_from=NOW - DAY)
    past = StatedClaim("new", "60", NOW + DAY, "As of 2025-01-10 it is 60", valid_from=NOW - 400 * DAY)
    found, judged = action(past, known)
    assert found is Effect.HISTORY and judged.standing.valid_to == known.valid_from and not judged.revised
    undated = replace(known, valid_from=None)
    assert action(past, undated)[0] is Effect.HISTORY
    since = replace(past, content="Since 2025-01-10 it is 60")
    assert action(since, undated)[0] is Effect.SUPERSEDE, "it still is"


def test_a_plan_ends_what_holds_when_it_begins_and_gives_way_to_a_later_plan() -> None:
    plan = StatedClaim("plan", "90", NOW, valid_from=NOW + 30 * DAY)
    now = StatedClaim("now", "70", NOW + DAY)
    found, judged = action(now, plan)
    assert found is Effect.HISTORY and judged.standing.valid_to == plan.valid_from
    other = StatedClaim("other", "95", NOW + 2 * DAY, valid_from=plan.valid_from)
    found, judged = action(other, plan)
    assert found is Effect.SUPERSEDE and judged.revised["plan"].valid_to == other.occurred_at


def test_who_goes_back_to_an_earlier_value_is_believed() -> None:
    first = replace(OLD, id="first", valid_to=NOW + DAY)
    second = StatedClaim("second", "60", NOW + DAY)
    found, judged = action(StatedClaim("new", "80", NOW + 2 * DAY), first, second)
    assert found is Effect.SUPERSEDE and set(judged.revised) == {"second"}


def test_a_contested_newcomer_is_no_fact_to_confirm() -> None:
    rumour = StatedClaim("rumour", "60", NOW + DAY, trust=0.3, status="contested")
    found, judged = action(StatedClaim("new", "60", NOW + 2 * DAY), OLD, rumour)
    assert found is Effect.SUPERSEDE and set(judged.revised) == {"old"}
