"""Secrets by their kinds: nearly all of each go in both halves of the set, and what only looks like one stays."""

from collections import Counter

from agentos.modules.redaction.rules import redact
from tests.tables import every
from tests.unit.redaction.kinds import lookalikes, secrets


@every("half", [0, 1])
def test_of_each_kind_nearly_every_secret_goes(half: int) -> None:
    planted = list(secrets(half))
    of_kind = Counter(case.kind for case in planted)
    left = Counter(case.kind for case in planted if case.secret in redact(case.text).text)
    assert len(planted) >= 300
    assert all(left[kind] <= 0.03 * number for kind, number in of_kind.items()), left


def test_nearly_no_lookalike_loses_anything() -> None:
    texts = [case.text for half in (0, 1) for case in lookalikes(half)]
    wrong = [text for text in texts if redact(text).text != text]
    assert len(texts) >= 400
    assert len(wrong) <= 0.005 * len(texts), wrong
