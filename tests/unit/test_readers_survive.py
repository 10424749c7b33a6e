"""Whatever a text has become (cut, repeated, in odd letters), what reads it finds something or nothing, and raises not:
an error in a reader would fail a store or a search."""

from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentos.benchmarks.lifecycle.cases import near_pairs, updates
from agentos.modules.memory.second_opinion import together
from agentos.modules.truth import competing, succession
from agentos.modules.truth.competing import Told
from agentos.modules.truth.statements import read_statement

AT = datetime(2026, 1, 1, tzinfo=UTC)
CASES = [(case.question, case.old.text, case.new.text) for case in updates("all", 1, 300, 6)] + [
    (pair.question, pair.first.text, pair.second.text) for pair in near_pairs("all", 1, 300)
]
ODD = st.sampled_from(
    (
        *("", " ", "\n", "\t", "'", "’s", '"', "(", ")", ":", ";", ".", "?", "…", "-", "—", "/", "0", "€", "ß", "日本"),
        *(
            "\u0000",
            "\u200b",
            "\u0130",
            "\u017f",
            "\U0001f600",
            "no longer",
            " from ",
            " 31 February ",
            "9" * 40,
            "Mr. ",
        ),
    )
)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, ...]:
    """A question and its two statements, each with up to three stretches cut out, replaced by something odd, repeated,
    or in other letters."""
    case = list(draw(st.sampled_from(CASES)))
    for place, text in enumerate(case):
        for _ in range(draw(st.integers(0, 3))):
            begin = draw(st.integers(0, len(text)))
            end = draw(st.integers(begin, min(len(text), begin + 12)))
            part = draw(st.sampled_from([text[begin:end].swapcase(), text[begin:end] * 2, ""])) + draw(ODD)
            text = text[:begin] + part + text[end:]
        case[place] = text
    return tuple(case)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_no_reader_raises(case: tuple[str, str, str]) -> None:
    asked, older, newer = case
    question = competing.question(asked, None)
    told = [
        Told(text) if said is None else Told(text, said.subject, said.attribute)
        for text in (older, newer)
        for said in [read_statement(text, AT)]
    ]
    shown = competing.evidence(question, *told), succession.evidence(*told)
    assert all(found is None or all(0.0 <= value <= 1.0 for value in found.values()) for found in shown)
    assert competing.never_outdates(question, *told) in (True, False)
    assert succession.may_replace(newer) in (True, False)


@given(st.floats(0, 1), st.floats(0, 1) | st.none())
def test_two_likelihoods_are_one(chance: float, opinion: float | None) -> None:
    assert 0.0 <= together(chance, opinion) <= 1.0
