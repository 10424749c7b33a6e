"""What runs say of a lesson, whether a run followed it, and which runs count."""

import pytest

from agentos.features.lessons.following import failure_of, followed, is_failure_of, wanted
from agentos.features.lessons.judging import Tally, Verdict, rate, verdict, witnesses


@pytest.mark.parametrize(
    ("failed", "runs", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (0, 0, 0.0, 1.0)],
)
def test_a_rate_has_its_wilson_interval(failed: int, runs: int, low: float, high: float) -> None:
    """The third is the example of Newcombe (1998, table I)."""
    found = rate(failed, runs)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@pytest.mark.parametrize(
    ("untold", "told", "said"),
    [
        (Tally(30, 18), Tally(20, 1), Verdict.HELPS),
        (Tally(30, 18), Tally(20, 12), Verdict.USELESS),
        (Tally(30, 3), Tally(20, 12), Verdict.HARMS),
        (Tally(30, 3), Tally(20, 0, others=12), Verdict.HARMS),
        (Tally(30, 0), Tally(20, 0), Verdict.UNKNOWN),
        (Tally(9, 9), Tally(100, 0), Verdict.UNKNOWN),
        (Tally(100, 90), Tally(9, 9), Verdict.UNKNOWN),
        (Tally(30, 9), Tally(20, 5), Verdict.UNKNOWN),
        (Tally(80, 0), Tally(10, 1), Verdict.UNKNOWN),
        (Tally(80, 0), Tally(10, 4, others=0), Verdict.UNKNOWN),
        (Tally(80, 24), Tally(30, 16), Verdict.USELESS),
        (Tally(80, 24), Tally(30, 18), Verdict.HARMS),
    ],
)
def test_a_verdict_needs_evidence(untold: Tally, told: Tally, said: Verdict) -> None:
    assert verdict({"first": untold}, {"first": told}) is said


def test_runs_at_other_places_are_not_compared() -> None:
    first, later = {"first": Tally(40, 30)}, {"later": Tally(40, 2)}
    assert witnesses(first, later) == 0 and verdict(first, later) is Verdict.UNKNOWN
    both = {"first": Tally(40, 30), "later": Tally(40, 2)}
    assert verdict(both, later) is Verdict.UNKNOWN, "later runs fail as seldom without it"


@pytest.mark.parametrize(
    ("text", "command", "before", "is_followed"),
    [
        ("Use the option `--force-with-lease`.", "git push --force-with-lease", (), True),
        ("Pass `--force-with-lease`.", "git push", (), False),
        ("Never push without `--dry-run`.", "git push", (), None),
        ("Don't forget to pass `--dry-run`.", "git push", (), None),
        ("It fails with `exit 1`. Always use `-x`.", "pytest -x", (), True),
        ("Never use `--no-verify`.", "git commit --no-verify", (), False),
        ("Never use `--no-verify`.", "git commit -m x", (), True),
        ("Use `npm ci` instead of `npm install`.", "npm ci", (), None),
        ("Use `npm ci`; never `npm install`.", "npm ci", (), True),
        ("Run `make proto` before the tests.", "pytest -q", ("make proto", "ls"), True),
        ("Run `make proto` first.", "pytest -q", ("ls",), False),
        ("The proxy is slow on Mondays.", "curl x", (), None),
        ("`pytest` needs the database.", "pytest", (), None),
    ],
)
def test_only_what_one_reading_says_is_followed(
    text: str, command: str, before: tuple[str, ...], is_followed: bool | None
) -> None:
    assert followed(wanted({}, text), command, before) is is_followed


def test_what_metadata_say_goes_before_the_text() -> None:
    asked = wanted({"follow": {"with": "--ff-only", "first": ["git fetch"]}}, "Never use `x`.")
    assert followed(asked, "git merge --ff-only", ["git fetch origin"]) is True
    assert followed(asked, "git merge --ff-only", []) is False
    assert wanted({"follow": {"with": 7}}, "") == wanted({}, "")


def test_a_failure_is_known_by_its_words_whatever_its_numbers() -> None:
    parts = failure_of({"prevents": "port 8080 is in use"})
    assert is_failure_of(parts, "Error: Port 9123 is  in use\nsee the log")
    assert not is_failure_of(parts, "connection refused")
    assert failure_of({"lesson": {"failure": "no signing key…"}}) == ("no signing key",)
    assert failure_of({"prevents": {"a": 1}}) == failure_of({}) == ()
