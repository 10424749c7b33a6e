"""Bad input: each refusal names its field and the remedy."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentos.modules import identifiers, inputs
from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import MemoryType
from tests.tables import every

NAN, INF = float("nan"), float("inf")

REFUSALS: list[tuple[str, Any]] = [
    ("empty text", lambda f: inputs.text(f, "")),
    ("blank text", lambda f: inputs.text(f, " \t\n\u2003")),
    ("NUL", lambda f: inputs.text(f, "a\x00b")),
    ("lone surrogate", lambda f: inputs.text(f, "a\ud800b")),
    ("too many bytes", lambda f: inputs.text(f, "é" * 51, 100)),
    ("NUL where empty is allowed", lambda f: inputs.text(f, "\x00", allow_empty=True)),
    ("below nought", lambda f: inputs.unit_interval(f, -0.001)),
    ("above one", lambda f: inputs.unit_interval(f, 1.001)),
    ("not a number", lambda f: inputs.unit_interval(f, NAN)),
    ("infinite", lambda f: inputs.unit_interval(f, -INF)),
    ("count too low", lambda f: inputs.count(f, 0, 1, 200)),
    ("count too high", lambda f: inputs.count(f, 201, 1, 200)),
    ("no date", lambda f: inputs.moment(f, "next friday")),
    ("impossible date", lambda f: inputs.moment(f, "2026-02-30")),
    ("empty date", lambda f: inputs.moment(f, "")),
    ("date before the first day in UTC", lambda f: inputs.moment(f, "0001-01-01T00:00:00+14:00")),
    ("date after the last day in UTC", lambda f: inputs.moment(f, "9999-12-31T23:59:59-14:00")),
    ("date with NUL", lambda f: inputs.moment(f, "2026-01-01\x00")),
    ("an end before the beginning", lambda f: inputs.span("since", "2026-03-02", f, "2026-03-01")),
    ("an end at the beginning", lambda f: inputs.span("since", "2026-03-02T10:00", f, "2026-03-02T10:00")),
    ("10,000 tags", lambda f: inputs.tags(f, [str(n) for n in range(10_000)])),
    ("empty tag", lambda f: inputs.tags(f, ["ok", " "])),
    ("long tag", lambda f: inputs.tags(f, ["t" * 101])),
    ("tag with NUL", lambda f: inputs.tags(f, ["\x00"])),
    ("NaN in metadata", lambda f: inputs.metadata(f, {"x": NAN})),
    ("NUL in metadata", lambda f: inputs.metadata(f, {"x": ["\x00"]})),
    ("NUL in a metadata key", lambda f: inputs.metadata(f, {"\x00": 1})),
    ("surrogate in metadata", lambda f: inputs.metadata(f, {"x": "\udfff"})),
    ("large metadata", lambda f: inputs.metadata(f, {"x": "y" * 20_000})),
    ("an object in metadata", lambda f: inputs.metadata(f, {"x": object()})),
    ("a bottomless list in metadata", lambda f: inputs.metadata(f, {"x": _nested(5_000)})),
    ("unknown choice", lambda f: inputs.choice(f, "episodical", MemoryType)),
    ("empty choice", lambda f: inputs.choice(f, "", MemoryType)),
    ("long namespace", lambda f: identifiers.namespace(f, "n" * 101)),
    ("namespace with a line end", lambda f: identifiers.namespace(f, "a\nb")),
    ("namespace with outer spaces", lambda f: identifiers.namespace(f, " a")),
    ("namespace with a direction mark", lambda f: identifiers.namespace(f, "a\u202eb")),
]


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


@every("name", [name for name, _ in REFUSALS])
def test_a_refusal_names_the_field_and_is_short(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        dict(REFUSALS)[name]("the_field")
    assert refused.value.field == "the_field"
    assert str(refused.value).startswith("the_field: ")
    assert len(str(refused.value)) < 300
    assert len(str(refused.value).splitlines()) <= 3


@given(st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=100))
def test_storable_text_is_never_changed(value: str) -> None:
    assert inputs.text("f", value, allow_empty=True) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=20,
    )
)
def test_metadata_is_kept_or_refused_but_never_changed(value: Any) -> None:
    try:
        stored = inputs.metadata("metadata", {"value": value})
    except InvalidInput:
        encoded = json.dumps(value, ensure_ascii=False)
        assert "\\u0000" in encoded or any("\ud800" <= c <= "\udfff" for c in encoded)
    else:
        assert stored == {"value": value}


def test_a_backslash_in_metadata_is_not_taken_for_a_nul() -> None:
    text = r"write \u0000 in JSON for NUL"
    assert inputs.metadata("metadata", {"hint": text}) == {"hint": text}


@every(
    ("written", "expected"),
    [
        ("2026-11-30T17:00:00+01:00", datetime(2026, 11, 30, 16, tzinfo=UTC)),
        ("2026-11-30T17:00:00Z", datetime(2026, 11, 30, 17, tzinfo=UTC)),
        ("2026-11-30 17:00", datetime(2026, 11, 30, 17, tzinfo=UTC)),
        (" 2026-11-30 ", datetime(2026, 11, 30, tzinfo=UTC)),
        ("2026-11-30T23:30:00-05:00", datetime(2026, 12, 1, 4, 30, tzinfo=UTC)),
    ],
)
def test_moments_are_brought_to_utc(written: str, expected: datetime) -> None:
    assert inputs.moment("f", written) == expected


@every("written", ["2026-11-30", " 2026-11-30 ", "20261130", "2026-W49-1"])
def test_a_bare_date_is_a_deadline_at_the_end_of_that_day(written: str) -> None:
    assert inputs.end_of_day_if_date_only("deadline", written) == datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)


def test_a_moment_stays_a_moment_as_a_deadline() -> None:
    assert inputs.end_of_day_if_date_only("deadline", "2026-11-30T00:00") == datetime(2026, 11, 30, tzinfo=UTC)
    assert inputs.end_of_day_if_date_only("deadline", None) is None


def test_tags_are_stripped_and_kept_once_in_order() -> None:
    assert inputs.tags("tags", [" b ", "a", "b", "B"]) == ("b", "a", "B")
    assert len(inputs.tags("tags", [str(n) for n in range(50)])) == 50


@given(st.sampled_from(["mem", "goal"]))
def test_ids_are_fresh_and_name_their_kind(prefix: str) -> None:
    first, second = identifiers.new_id(prefix), identifiers.new_id(prefix)
    assert first.startswith(f"{prefix}_")
    assert first != second


def test_what_is_earlier_than_a_day_includes_the_day() -> None:
    midnight = datetime(2026, 3, 11, tzinfo=UTC)
    assert inputs.end_of_span("until", "2026-03-10") == midnight
    assert inputs.end_of_span("until", " 2026-03-10 ") == midnight
    assert inputs.end_of_span("until", "2026-03-11T00:00:00Z") == midnight
    assert inputs.end_of_span("until", None) is None
    last = inputs.end_of_span("until", "9999-12-31")
    assert last is not None and last.year == 9999


SPANS: list[tuple[str | None, str | None]] = [
    (None, None),
    ("2026-03-02", None),
    (None, "2026-03-02"),
    ("2026-03-02", "2026-03-02"),
    ("2026-03-02T10:00", "2026-03-02"),
]


@every("since, until", SPANS)
def test_a_span_may_be_open_and_lasts_through_its_last_day(since: str | None, until: str | None) -> None:
    first, last = inputs.span("since", since, "until", until)
    assert first == inputs.moment("since", since)
    assert (last is None) is (until is None) and (first is None or last is None or first < last)
