"""No text makes a pattern work without end: each is pumped at the longest text that it meets."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tables import every

PROGRAM = Path(__file__).with_name("pattern_pumps.py")
PUMPS = runpy.run_path(str(PROGRAM))
ENDS_WITHIN_S = 300.0
"""A pattern that cannot even be cut off ends with the process; it takes a tenth of that on a machine of its own."""


def worst(pattern: str, longest: int) -> object:
    """What makes a pattern work too long, as the program finds it; None where nothing does."""
    return PUMPS["worst"](PUMPS["Found"](re.compile(pattern), "here", {"search"}, longest), PUMPS["bar"]())


def test_every_pattern_reads_its_longest_text_in_little_time() -> None:
    with subprocess.Popen(
        (sys.executable, PROGRAM),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as judged:
        try:
            output, judging = judged.communicate(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            judged.kill()
            pytest.fail(f"does not end: {judged.communicate()[1].splitlines()[-1]}")
    assert judged.returncode == 0, judging[-2_000:]
    *bad, summary = map(json.loads, output.splitlines())
    assert not bad, "\n".join(map(str, bad))
    assert summary["judged"] > 200, "the patterns were not found"


@every(
    ("pattern", "longest"),
    [
        (r"moved (?:over |from .+? )*to x", 200),
        (r"(?:a|aa)+$", 200),
        (r"\s*(?:,|;)", 65_536),
        (r"<.*>.*</", 65_536),
    ],
)
def test_a_pattern_that_explodes_is_found(pattern: str, longest: int) -> None:
    assert worst(pattern, longest) is not None


@every("pattern", [r"moved (?:over |from \w{1,20} ){0,2}to x", r"(?<!\s)\s*+(?:,|;)", r"<[^<>]*+>"])
def test_a_pattern_that_reads_on_is_not(pattern: str) -> None:
    assert worst(pattern, 65_536) is None
