"""What sets a sentence apart: it tells of somebody else, of the past, a plan, an occasion, or of one thing more."""

import re
from collections.abc import Sequence

from ..memory.stems import stem
from .by_cue import REPORT, TOLD_OF_THE_PAST
from .lexicon import Attribute
from .marks import regex
from .mentions import Mention, masked
from .wording import ENVIRONMENTS, Clause

_FORBIDS = (
    r"(?<![\w-])(?:was (?:a|an|the) (?!\w+ed\b)|very first|until|before(?! (?:the body|it |the functions?))|back then|"
    r"decades|nineties|eighties|originally|started out|"
    r"once|ago|in those days|as a (?:child|kid|student|boy|girl)|had to|used to|never|without|nothing to do|"
    r"means to|meant to|tempted|metrics|may well|hoping|hopes?|hope for|rfc|quote|offer|offered|"
    r"vote[ds]?|decision|proposal|idea|"
    r"test-?drove|test-?drives?|talks? about|thinking|planned to|plans|eyeing|keen|curious|fancies|"
    r"also|too|as well|another|further|additional|additionally|on top|besides|second|third|both|"
    r"(?:some|any)(?:body|one|thing|where) else|extra|"
    r"sometimes|often|now and then|occasionally|"
    r"tomorrow only|today only|just this|only this|this once|for once|one-off|when it|"
    r"interview|talk at|gave a talk|conference at|shares in|"
    r"cannot|can not|nobody|none|nothing of|if|unless|except|"
    r"present for|gift for|got stuck|phase|milestone|edition|quarter|keynote|retreat|"
    r"sample|example|tutorial|manual|blog|article|post opens|slide|novel says|joke|"
    r"complaint|exam|holiday in|visit|trip to|flies to|flew|"
    r"neighbou?rs?|ex|intern|deputy|rival|competitor|predecessor|successor|supplier|partners?|friend|colleagues?|"
    r"assistant|accountant|daughter|son|kids?|child|children|husband|wife|brother|sister|mother|father|parents?|"
    r"cousin|uncle|aunt|nephew|niece|twins?|baby|lodger's|tenant|client's|customer's|"
    r"sidecar|backup of the|spare|shipper|plugin|module|endpoint|mirror|subsidiary|branch in|wish|wished|"
    r"dream)(?![\w-])|"
    r"[\"?]"
)
_NOT_OF_RECORD = re.compile(
    r"(?<![\w-])(?:would|could|should|might|supports|support for|export\w*|import from|integrat\w+|compat\w+|mirror\w*|"
    r"beta|can(?! be\b)|plugin|till|hate[sd]?|dislikes?|learn(?:s|ed|t|ing)? to)(?![\w-])",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(
    rf"\b(?:{'|'.join(sorted(ENVIRONMENTS - {'live', 'test', 'testing', 'local', 'integration'}))})\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:the user|[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|[Tt]he [\w-]+(?: [\w-]+)?|[a-z]+-[a-z-]+) (?:\w+ly )?(?:\w+ed|"
    r"sent|met|saw|"
    r"ate|wrote|drank|said|told|found|ran|spent|flew|drove|slept|spoke|sang|swam|rode|won|lost|broke|fell|felt|"
    r"heard|held|"
    r"knew|thought|taught|caught|fought|sold|stood|understood|woke|wore|had|did|came|beat|got stuck|built)\b(?! (?:by|"
    r"to|in|as|"
    r"with|on|at) )"
)
"""What was done once: "Erik sent a postcard from Bergen" says nothing that lasts."""
_DONE = re.compile(r"[A-Za-z][a-z]+ed\b")
_STATE_OF_OLD = re.compile(
    r"(?:the user|[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|[Tt]he [\w-]+(?: [\w-]+)?|[a-z]+-[a-z-]+) (?:"
    r"lived|worked|used|drove|"
    r"owned|studied|played|banked|resided|reported|liked|preferred|ran|stayed|sat|belonged|listened|served|"
    r"spoke|trained|cost|"
    r"charged|weighed|stored|kept|earned|listed)\b"
)


def is_of_once(clause: Clause) -> bool:
    """Whether a sentence tells what was done or was so once, or of another environment, and marks no change."""
    text = clause.full
    if _ENVIRONMENT.search(text):
        return True
    told = REPORT.match(text) or _DONE.match(text) or _EVENT.match(text) or _STATE_OF_OLD.match(text)
    return told is not None and not clause.marks_change


def says_otherwise(text: str, mentioned: Sequence[Mention]) -> bool:
    """Whether words outside the names in a text make another thing of it than a plain statement."""
    text = masked(text, mentioned)
    return any(found.search(text) for found in (regex(_FORBIDS), _NOT_OF_RECORD, TOLD_OF_THE_PAST))


_OCCASION = re.compile(
    r"(?:in|on|for|at|during|within|inside|when|while|whenever|locally|after|with)\b(?P<np>[^,]*?)(?:,| $)",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:morning|evening|afternoon|night|noon|summer|winter|spring|autumn|\w+days|weekends?|weekdays?|"
    r"christmas|easter|"
    r"holidays?|vacations?|work|laptop|desktop|server|phone|tablet|cluster|rain\w*|dry|dinner|breakfast|lunch)\b",
    re.IGNORECASE,
)


_DETERMINERS = frozenset("the a an our my his her their its that this all any".split())


def is_of_an_occasion(attribute: Attribute, text: str, begin: int) -> bool:
    """Whether what stands before the subject says for what alone the statement holds ("On the server my …")."""
    if (led := _OCCASION.match(text[:begin] if begin else text)) is None:
        return False
    words = led["np"].split()
    if _TIMES.search(led["np"]):
        return True
    return not all(stem(word.lower()) in attribute.stems or word.lower() in _DETERMINERS for word in words)
