"""What the rules read in statements, and what a later one makes of an earlier one."""

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agentos.modules.truth.judgement import judge
from agentos.modules.truth.lexicon import attributes
from agentos.modules.truth.models import Action, Judgement, Statement
from agentos.modules.truth.needed_words import ByNeededWords, needed_words
from agentos.modules.truth.statements import read_gist, read_statement
from agentos.modules.truth.wording import plain
from tests.tables import every

EARLIER = datetime(2026, 3, 10, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 20, 12, tzinfo=UTC)
Read = Callable[[str, datetime], Statement | None]
PAIRS = runpy.run_path(str(Path(__file__).with_name("statement_pairs.py")))


@dataclass(frozen=True)
class Claim:
    """A memory, as judgement sees it."""

    id: str
    content: str
    occurred_at: datetime
    slot: Statement | None
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0


def claim(name: str, text: str, at: datetime, read: Read = read_gist) -> Claim:
    said = read(text, at)
    return Claim(name, text, at, said, valid_from=said.since if said else None, valid_to=said.until if said else None)


def judged(earlier: str, later: str, read: Read = read_gist) -> Judgement | None:
    """What becomes of two statements; None where they do not meet."""
    old, new = claim("old", earlier, EARLIER, read), claim("new", later, LATER, read)
    if old.slot is None or new.slot is None:
        return None
    if (old.slot.subject, old.slot.attribute) != (new.slot.subject, new.slot.attribute):
        return None
    return judge(new, [old])


@every(("earlier", "later"), PAIRS["EVERYDAY_ENDED"])
def test_a_later_statement_ends_an_earlier_one(earlier: str, later: str) -> None:
    found = judged(earlier, later, read_statement)
    assert found is not None and found.action in (Action.SUPERSEDE, Action.CLOSE, Action.CORRECT)


@every(("earlier", "later"), PAIRS["EVERYDAY_LEFT_ALONE"])
def test_what_is_true_beside_it_leaves_an_earlier_one_alone(earlier: str, later: str) -> None:
    found = judged(earlier, later, read_statement)
    assert found is None or found.action is Action.ADD


@every(("earlier", "later"), PAIRS["EVERYDAY_SAID_AGAIN"])
def test_the_same_in_another_form_confirms(earlier: str, later: str) -> None:
    found = judged(earlier, later, read_statement)
    assert found is not None and found.action is Action.CONFIRM


@every(("earlier", "later"), PAIRS["EVERYDAY_ENDED_LATER"])
def test_what_is_announced_ends_an_earlier_one_on_its_day(earlier: str, later: str) -> None:
    found = judged(earlier, later, read_statement)
    assert found is not None and found.action is Action.SUPERSEDE
    assert found.revised["old"].valid_to == datetime(2026, 7, 1, tzinfo=UTC)


@every(("earlier", "later"), PAIRS["UPDATES"])
def test_a_later_statement_replaces_an_earlier_one_in_other_words(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action in (Action.SUPERSEDE, Action.CLOSE, Action.CORRECT)
    assert found.revised["old"].valid_to is not None


@every(("first", "second"), PAIRS["NEAR"])
def test_what_only_looks_alike_is_left_alone(first: str, second: str) -> None:
    for found in (judged(first, second),):
        assert found is None or (found.action is Action.ADD and not found.revised)


@every(("earlier", "later"), PAIRS["SAME"])
def test_the_same_in_other_words_confirms(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action is Action.CONFIRM


@every(("earlier", "later"), PAIRS["CONTESTED"])
def test_contradictions_that_nothing_settles_are_contested(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action is Action.CONTEST
    assert found.standing.status == found.revised["old"].status == "contested"
    assert found.approval is not None and found.approval.payload == {
        "new": "new", "old": ["old"], "resolution": "supersede",
    }  # fmt: skip


@every(
    "text",
    [
        "", "   ", "ok", "Does Maria live in Porto?", "Where do you live?", "Maria might move to Porto.",
        "Maria is thinking about moving to Porto.", "If Maria moves to Porto, we will visit her.",
        'Bob wrote: "I live in Porto now."', "Bob said that Maria lives in Porto.", "Bob met Ann in Oslo.",
        "Move the meeting to 3pm.", "Use tabs.", "The meeting was long.", "Tom's idea is great.",
        "Somebody suggested moving to Azure.", "In the novel, Anna lives in Moscow.", "Maria never lived in Porto.",
        "Tom and Ana live in Porto and Lisbon.", "He lives there.", "It is raining.", "Thanks, that worked!",
        "Let's meet in Porto.", "Everybody should use Vim.", "Maria nearly moved to Porto.",
        "In summer Tom commutes by bike.", "They say that the API uses Postgres.",
        "Maria lives in Lisbon. Tom works at Initech. The API listens on port 8080. Rent is 900 a month.",
        "Maria lives in Lisbon. Tom lives in Porto.",
        "I've switched to a new therapist, her name is Rebecca Stone.", "Svenja handles payroll.",
        "At the bank, Ms. Adeyemi takes care of us now.", "I joined the History Society as well.",
        "I'm insured with Direct Line for the car as of this month.", "Leo moved up to the attic room.",
    ],
)  # fmt: skip
def test_what_states_nothing_of_record_gets_no_slot(text: str) -> None:
    assert read_statement(text, LATER) is None


@every(
    ("text", "subject"),
    [
        ("I live in Porto.", "user"), ("My home is in Porto.", "user"), ("The user lives in Porto.", "user"),
        ("User lives in Porto.", "user"), ("We use Jira for tickets.", "project"),
        ("Our issue tracker is Jira.", "project"), ("The issue tracker is Jira.", "project"),
        ("My sister lives in Porto.", "user's sister"), ("Maria Silva lives in Porto.", "maria silva"),
        ("The billing service listens on port 8080.", "billing"), ("Staging runs Postgres 14.", "staging"),
        ("In staging, checkout-api listens on port 8080.", "checkout-api staging"),
        ("In production, checkout-api listens on port 8080.", "checkout-api"),
        ("Project Atlas is due on 5 May.", "atlas"),
    ],
)  # fmt: skip
def test_subjects_have_one_name(text: str, subject: str) -> None:
    said = read_statement(text, LATER)
    assert said is not None and said.subject == subject


def test_dates_in_a_statement_bound_it() -> None:
    moved = read_statement("As of 1 March 2026 I live in Vienna.", LATER)
    assert moved is not None and moved.since == datetime(2026, 3, 1, tzinfo=UTC)
    ahead = read_statement("From 1 July the office is at 12 Elm Street.", LATER)
    assert ahead is None or ahead.since == datetime(2026, 7, 1, tzinfo=UTC)
    said = read_statement("Maria moved to Porto in May.", LATER)
    assert said is not None and said.since is None  # within the month in which it is said


def test_a_deadline_is_a_value_and_no_bound() -> None:
    said = read_statement("The deadline for Apollo is 3 June.", LATER)
    assert said is not None and (said.value, said.since, said.until) == ("3 June", None, None)


def test_marks_are_told() -> None:
    moved = read_statement("Maria has moved to Porto.", LATER)
    assert moved is not None and moved.marks_change and not moved.is_correction
    corrected = read_statement("Correction: the meeting is on 5 June.", LATER)
    assert corrected is not None and corrected.is_correction
    born = read_statement("Tom was born in Paris.", LATER)
    assert born is not None and not born.changeable


def test_a_denial_says_so() -> None:
    said = read_statement("Ian no longer works at Google.", LATER)
    assert said is not None and (said.value, said.polarity, said.marks_change) == ("Google", False, True)


def test_a_long_note_gets_no_slot() -> None:
    assert read_statement("Maria lives in Lisbon. " + "The weather was fine and we talked a lot. " * 20, LATER) is None


@every(
    ("text", "slot"),
    [
        ("My favourite colour is green now", ("user", "favourite colour", "green")),
        ("We use PostgreSQL for the billing service", ("billing", "database", "PostgreSQL")),
        ("Tom quit his job", ("tom", "employer", None)),
        ("It's Karl who is on call for billing-api.", ("billing-api", "on-call", "Karl")),
        ("My primary hobby is pottery.", ("user", "main hobby", "pottery")),
        ("The name of Nadia's only godparent is Emil.", ("nadia", "godparent", "Emil")),
        ("The phone of my flatmate is a Pixel 9.", ("user's flatmate", "phone model", "Pixel 9")),
        ("If there are alerts of billing-api, call Karl.", ("billing-api", "on-call", "Karl")),
        ("Leo started at St Mark's School after the holidays.", ("leo", "school", "St Mark's School")),
        ("Nadia started at Hamilton Academy as a teacher.", ("nadia", "employer", "Hamilton Academy")),
        ("Tom joined Khan Academy as an engineer.", ("tom", "employer", "Khan Academy")),
        ("I started at Western Union in May.", ("user", "employer", "Western Union")),
        ("Maria runs payroll at Siemens.", ("maria", "employer", "Siemens")),
        ("Acme is one of our clients.", ("project", "client", "Acme")),
        ("The write-up is due on Friday.", ("write-up", "deadline", "Friday")),
        ("Launch of GA was pushed back to November 3.", ("ga", "release date", "November 3")),
    ],
)
def test_a_statement_is_of_one_slot(text: str, slot: tuple[str, str, str | None]) -> None:
    said = read_statement(text, LATER)
    assert said is not None and (said.subject, said.attribute, said.value) == slot


def test_every_sentence_of_the_lexicon_that_matches_is_tried() -> None:
    texts = {text for name in ("UPDATES", "NEAR", "SAME", "CONTESTED") for pair in PAIRS[name] for text in pair}
    bare = [plain(text).bare for text in sorted(texts)]
    patterns = [pattern for attribute in attributes() for pattern in attribute.says]
    by_words = ByNeededWords((pattern.source, pattern) for pattern in patterns)
    for text in bare:
        tried = by_words.that_may_match(text)
        assert len(tried) < len(patterns) / 2
        assert not [one.source for one in patterns if one not in tried and one.expression.fullmatch(text)]


@every(
    ("source", "words"),
    [
        ("(?P<s>.+?) (?:lives?|is living) in (?P<v>.+)", {"live", "living"}),
        ("(?:please )?keep (?P<v>.+)", {"keep"}),
        ("(?P<s>.+?) is (?P<v>.+)", {"is"}),
        ("(?P<s>.+?) (?:a|.+) (?P<v>.+)", None),
    ],
)
def test_what_an_expression_needs_is_told(source: str, words: set[str] | None) -> None:
    assert needed_words(source) == words


NOTES = """
I am preparing the dinner
I am preparing the dinner for the whole team
I am writing the report for tomorrow
I am fixing the login bug
Room 1 is free
The meeting room is free after lunch
met the team, round 3
saw the team of five
met 4 people from the team
fixed the port, 8080 was taken
ran the tests on 3 machines
installed three dependencies
The second half of the talk was about Rust
Tom drew an arc on the whiteboard
We signal the worker with SIGTERM
zoom in before you take the screenshot
Use the slack in the schedule for tests
There are things to do in the garden
The teams discussed the budget for an hour
The edge of the table is broken
swift reply from the support
Go to the shop and buy milk
She likes the opera
uv is not installed
pip install foo cannot be run
read chapter 4 of the handbook
the flight from Oslo took 3 hours
a visitor from Berlin asked for the wifi
had lunch with Karl in Porto
Karl called from Lisbon about the invoice
backup finished in 40 minutes
two of the five shards were slow
the retry helped after 3 attempts
Dana found a bug in the Postgres driver
wrote a test for the MySQL exporter
the demo on Friday went well
Maria wants to talk about the budget on Monday
we talked about vim and emacs
the build broke when node 18 was installed
deleted 300 rows from staging
the PR of Ines was merged at 5pm
lost 2 hours to a wrong port in the config
cleaned up the cache, 4 GB freed
Dana had a call with Initech
spoke with the bank about the loan, 3 percent
the cat is asleep on the printer
printer out of paper again
tried the vegan place near the office
ordered a vegetarian pizza for Tom
Ines asked whether Tom likes sushi
Vera beat Tom at table tennis, 21 to 3.
The keyboard with the silver keys is a present for Tom.
Tom got stuck at the station for 3 hours on the way to a wedding in Porto.
The platform team spent Wednesday cleaning the office.
The spreadsheet for the fair counts bicycle tickets twice.
"""


@every("note", NOTES.strip().splitlines())
def test_ordinary_notes_state_nothing(note: str) -> None:
    """What happened once, or is so just now: read as a fact, the next such note would replace it."""
    assert read_statement(note, LATER) is None


@every(
    "text",
    [
        "Vera reads the Irish Times over breakfast.",
        "After the strike Acme signed with FedEx for its parcels.",
        "I switched every monospace font setting to Iosevka.",
    ],
)
def test_what_is_read_by_its_gist_alone_is_no_statement_that_could_end_another(text: str) -> None:
    assert read_statement(text, LATER) is None
    assert read_gist(text, LATER) is not None


@every(
    "text",
    [
        "\u017f", "\ufb01 ligature \u017f \u1e9e \u0130 \u0131", "In \u017ftaging the refunds service uses SQLite.",
        "Ana drives a \u017fkoda \u212aodiaq.", "P\u0131erre lives in \u0130stanbul, on \u017ftag\u0131ng.",
    ],
)  # fmt: skip
def test_letters_that_are_others_regardless_of_case_break_nothing(text: str) -> None:
    read_statement(text, LATER), read_gist(text, LATER)
    judged("Ana lives in Oslo.", text)


@every("said", [datetime(2026, 3, 1, tzinfo=UTC), datetime(2027, 12, 10, tzinfo=UTC)])
def test_a_29th_of_february_is_that_of_the_next_leap_year(said: datetime) -> None:
    found = read_statement("Ana takes over Atlas on 29 February.", said)
    assert found is not None and found.since == datetime(2028, 2, 29, tzinfo=UTC)
