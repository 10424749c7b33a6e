"""The domain types of the statement reader."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Statement:
    """What a text states: that `attribute` of `subject` is `value` (or is not, with `polarity` False).

    Subject and attribute are canonical and in lower case; `value` is as it is written, None where a text only ends
    something ("Tom quit his job"). `kind` is fact, preference or attribute (of a person's profile); `confidence` how
    sure the reading is (0..1). `since` and `until` are the dates that the text itself gives. What is not
    `changeable` (a birthplace) has one value for ever.
    """

    subject: str
    attribute: str
    value: str | None
    polarity: bool = True
    kind: str = "fact"
    confidence: float = 0.8
    marks_change: bool = False
    is_correction: bool = False
    since: datetime | None = None
    until: datetime | None = None
    changeable: bool = True
