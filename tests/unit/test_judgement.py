"""What follows from a claim that meets others of its slot."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agentos.modules.truth.judgement import holds, judge
from agentos.modules.truth.marks import corrects
from agentos.modules.truth.models import Action
from tests.tables import every

MARCH, APRIL, MAY, JUNE = (datetime(2026, month, 10, tzinfo=UTC) for month in (3, 4, 5, 6))


@dataclass(frozen=True)
class Slot:
    """A slot as storage keeps it."""

    subject: str
    attribute: str
    value: str | None
    confidence: float = 0.8
    polarity: bool = True


@dataclass(frozen=True)
class Claim:
    """A memory, as judgement sees it."""

    id: str
    content: str
    occurred_at: datetime
    slot: Slot | None
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0


def home(name: str, value: str, at: datetime, content: str = "", **rest: object) -> Claim:
    claim = Claim(name, content or f"Maria lives in {value}", at, Slot("maria", "home", value))
    return replace(claim, **rest)  # type: ignore[arg-type]


OLD = home("old", "Lisbon", MARCH)


def test_a_later_value_supersedes() -> None:
    found = judge(home("new", "Porto", MAY), [OLD])
    assert found.action is Action.SUPERSEDE
    assert found.revised["old"].valid_to == MAY
    assert found.revised["old"].status == "active"
    assert [(one.from_id, one.to_id, one.type) for one in found.relations] == [("new", "old", "supersedes")]
    assert found.standing.valid_to is None and found.approval is None


def test_what_holds_since_a_date_ends_the_older_there() -> None:
    found = judge(home("new", "Porto", MAY, valid_from=APRIL), [OLD])
    assert found.revised["old"].valid_to == APRIL


def test_a_beginning_before_the_older_one_leaves_the_older_one_its_time() -> None:
    found = judge(home("new", "Porto", MAY, valid_from=datetime(2026, 1, 1, tzinfo=UTC)), [OLD])
    assert found.action is Action.SUPERSEDE and found.revised["old"].valid_to == MAY


def test_what_is_dated_before_the_older_one_is_history() -> None:
    found = judge(home("new", "Paris", MARCH), [home("old", "Lisbon", MAY)])
    assert found.action is Action.HISTORY
    assert found.standing.valid_to == MAY and not found.revised


def test_history_ends_where_the_next_one_begins() -> None:
    then = home("then", "Faro", APRIL, valid_to=JUNE)
    found = judge(home("new", "Paris", MARCH), [then, home("now", "Lisbon", JUNE)])
    assert found.standing.valid_to == APRIL


def test_what_falls_between_two_ends_the_first_where_it_begins() -> None:
    first = home("first", "Faro", MARCH, valid_to=JUNE)
    found = judge(home("new", "Paris", APRIL), [first, home("now", "Lisbon", JUNE)])
    assert found.action is Action.HISTORY and found.standing.valid_to == JUNE
    assert found.revised["first"].valid_to == APRIL


def test_a_correction_takes_the_place_from_the_beginning() -> None:
    found = judge(home("new", "Porto", MAY, "Correction: Maria lives in Porto"), [OLD])
    assert found.action is Action.CORRECT
    assert found.standing.valid_from == MARCH
    assert found.revised["old"].valid_to == MARCH


@every(
    "text",
    [
        "Correction: Maria relocated to Porto",
        "Quick correction: Maria switched from Lisbon to Porto",
        "Correction: Maria lives in Porto from November on",
    ],
)
def test_what_a_correction_says_to_have_come_about_was_not_so_before(text: str) -> None:
    found = judge(home("new", "Porto", MAY, text), [OLD])
    assert found.action is Action.SUPERSEDE
    assert found.revised["old"].valid_to == MAY


@every(
    "text",
    [
        "Correction: Ana lives in Porto and works from Braga on Mondays.",
        "Correction: Helios runs on port 8081. I had swapped the two.",
        "Correction: the API key is left in the vault.",
        "Correction: the port of the migrated service is 8081.",
        "Actually, the class inherited from Base is Loader, not Parser.",
    ],
)
def test_a_correction_that_only_mentions_a_change_says_what_was_never_so(text: str) -> None:
    assert corrects(text)


def test_the_same_value_confirms() -> None:
    found = judge(home("new", "lisbon", MAY, "Maria resides in Lisbon"), [OLD])
    assert found.action is Action.CONFIRM
    assert found.revised["old"].confirmations == 1
    assert 0.7 < found.revised["old"].confidence <= 1
    assert found.relations[0].type == "evidence_of"


def test_a_source_of_low_trust_never_overwrites() -> None:
    found = judge(home("new", "Porto", MAY, trust=0.3), [OLD])
    assert found.action is Action.CONTEST
    assert found.standing.status == found.revised["old"].status == "contested"
    assert found.revised["old"].valid_to is None
    assert found.approval is not None and found.approval.old == ("old",)


@every("trust", [0.5, 0.6])
def test_a_source_much_less_trusted_does_not_overwrite(trust: float) -> None:
    assert judge(home("new", "Porto", MAY, trust=trust), [OLD]).action is Action.CONTEST


def test_equals_among_low_trust_may_not_overwrite_either() -> None:
    low = replace(OLD, trust=0.3)
    assert judge(home("new", "Porto", MAY, trust=0.3), [low]).action is Action.CONTEST


def test_a_trusted_source_overwrites_one_of_low_trust() -> None:
    assert judge(home("new", "Porto", MAY), [replace(OLD, trust=0.3)]).action is Action.SUPERSEDE


def test_a_confirmation_of_low_trust_raises_nothing() -> None:
    found = judge(home("new", "Lisbon", MAY, trust=0.3), [OLD])
    assert found.action is Action.CONFIRM and not found.revised


def test_what_is_unsure_does_not_overwrite() -> None:
    assert judge(home("new", "Porto", MAY, confidence=0.4), [OLD]).action is Action.CONTEST
    vague = replace(home("new", "Porto", MAY), slot=Slot("maria", "home", "Porto", confidence=0.4))
    assert judge(vague, [OLD]).action is Action.CONTEST


def test_two_values_of_one_moment_are_contested() -> None:
    assert judge(home("new", "Porto", MARCH), [OLD]).action is Action.CONTEST


def test_two_values_of_what_never_changes_are_contested() -> None:
    old = Claim("old", "Tom was born in Paris", MARCH, Slot("tom", "birthplace", "Paris"))
    new = Claim("new", "Tom was born in Lyon", MAY, Slot("tom", "birthplace", "Lyon"))
    assert judge(new, [old]).action is Action.CONTEST
    earlier = replace(new, occurred_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert judge(earlier, [old]).action is Action.CONTEST


def test_a_denial_without_a_mark_of_change_is_contested() -> None:
    new = replace(
        home("new", "Lisbon", MAY, "Maria does not live in Lisbon"),
        slot=Slot("maria", "home", "Lisbon", polarity=False),
    )
    assert judge(new, [OLD]).action is Action.CONTEST


def test_a_denial_with_a_mark_of_change_closes() -> None:
    new = replace(
        home("new", "Lisbon", MAY, "Maria no longer lives in Lisbon"),
        slot=Slot("maria", "home", "Lisbon", polarity=False),
    )
    found = judge(new, [OLD])
    assert found.action is Action.CLOSE and found.revised["old"].valid_to == MAY


def test_a_denial_of_another_value_changes_nothing() -> None:
    new = replace(
        home("new", "Faro", MAY, "Maria does not live in Faro"), slot=Slot("maria", "home", "Faro", polarity=False)
    )
    found = judge(new, [OLD])
    assert found.action is Action.ADD and not found.revised


def test_attributes_of_many_values_add() -> None:
    old = Claim("old", "Tom likes jazz", MARCH, Slot("tom", "likes", "jazz"))
    new = Claim("new", "Tom likes rock", MAY, Slot("tom", "likes", "rock"))
    assert judge(new, [old]).action is Action.ADD
    gone = Claim("new", "Tom no longer likes jazz", MAY, Slot("tom", "likes", "jazz", polarity=False))
    assert judge(gone, [old]).action is Action.CLOSE


def test_tools_that_stand_side_by_side_are_replaced_only_when_the_text_says_so() -> None:
    old = Claim("old", "We use Python", MARCH, Slot("project", "programming language", "Python"))
    beside = Claim("new", "We use Rust", MAY, Slot("project", "programming language", "Rust"))
    assert judge(beside, [old]).action is Action.ADD
    moved = replace(beside, content="We moved from Python to Rust")
    assert judge(moved, [old]).action is Action.SUPERSEDE


def test_what_is_said_to_be_additional_adds() -> None:
    assert judge(home("new", "Porto", MAY, "Maria also lives in Porto"), [OLD]).action is Action.ADD


def test_what_holds_for_a_time_leaves_the_older_one() -> None:
    found = judge(home("new", "Porto", MAY, "Maria lives in Porto until June", valid_to=JUNE), [OLD])
    assert found.action is Action.ADD and found.standing.valid_to == JUNE


def test_going_back_to_an_earlier_value_supersedes_the_later() -> None:
    first = replace(OLD, valid_to=APRIL)
    second = home("second", "Porto", APRIL)
    found = judge(home("new", "Lisbon", MAY, "Maria moved back to Lisbon"), [first, second])
    assert found.action is Action.SUPERSEDE and set(found.revised) == {"second"}


def test_what_is_contested_is_settled_by_a_later_clear_value() -> None:
    sides = [replace(OLD, status="contested"), home("other", "Faro", APRIL, status="contested")]
    found = judge(home("new", "Porto", MAY, "Maria has moved to Porto"), sides)
    assert found.action is Action.SUPERSEDE and set(found.revised) == {"old", "other"}


def test_archived_and_other_slots_are_left_alone() -> None:
    other = Claim("other", "x", MARCH, Slot("tom", "home", "Lisbon"))
    found = judge(home("new", "Porto", MAY), [replace(OLD, status="archived"), other])
    assert found.action is Action.ADD and not found.revised


def test_nothing_follows_without_a_slot() -> None:
    assert judge(Claim("new", "hello", MAY, None), [OLD]).action is Action.ADD


@every(
    ("attribute", "number"),
    [
        ("home", "one"),
        ("likes", "many"),
        ("birthplace", "fixed"),
        ("browser", "soft"),
        ("door code", "one"),
        ("boss", "one"),
    ],
)
def test_how_many_values_hold_at_a_time(attribute: str, number: str) -> None:
    assert holds(attribute) == number
