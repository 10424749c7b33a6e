"""Subjects: who or what a statement is about, in canonical form."""

import re
from collections.abc import Iterable
from functools import cache

from ..memory.date_spans import MONTH, WEEKDAY

USER = "user"
PROJECT = "project"
_USER = frozenset(
    {"i", "me", "my", "mine", "myself", "user", "the user", "this user", "human", "the human", "themselves"}
)
_PROJECT = frozenset(
    (
        "we|us|our|ours|the team|our team|team|the project|this project|our project|project|the repo|this repo|"
        "the repository|this repository|our repo|the codebase|this codebase|our codebase|it all|the company|"
        "our company|ourselves"
    ).split("|")
)
_DETERMINER = re.compile(r"^(?:the|our|this|that|a|an|these|those|its|all|all of|all the)\s+")
_GENERIC_TAIL = re.compile(r"\s+(?:project|environment|env|service|microservice|system)$")
_NOT_A_SUBJECT = re.compile(
    r"""\b(?:is|was|were|are|has|had|have|does|did|do|will|would|can|could|should|might|may|must|not|never|no|none|nobody
    |if|when|whenever|while|because|that|which|who|whom|whose|what|where|how|why|whether|than|then|but|or|although
    |he|she|it|they|him|them|his|her|their|its|you|your|someone|somebody|everyone|everybody|anyone|anybody|some|many|most
    |few    |several|every|each|any|both|either|neither|there|here|such|another|other|others|old|older
    |former|previous|ex
    |us|makes|takes|gets|(?<=\w\ )got|gives|keeps|first|second(?!\ brain)|potential|possible|planned
    |said|says|thinks|wants|likes|moved|lives|works|uses|joined|bought|sold|left|let|please|also|only|even|maybe|used|and
    |from|into|onto|over|after|before|since|until|by|as|like|about|without|between|during|against|competitor|rival)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_TIME = re.compile(rf"{MONTH}|{WEEKDAY}", re.IGNORECASE)
_NAME = re.compile(
    r"^[^\W\d_a-z][\w'’.-]*(?: (?:(?:de|da|do|dos|van|von|der|den|di|la|le|el|al|bin|ten|ter) "
    r")*[^\W\d_a-z][\w'’.-]*){0,3}$"
)
_THING = re.compile(
    r"\b(?:project|team|service|server|api|app|application|website|site|database|company|system|pipeline|repo|library|"
    r"department|worker|gateway|engine|cluster|office|printer|router|platform|product|sprint|module|tool|code|plan)\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"(?:install|write|run|use|clone|push|call|dial|ask|tell|send|bring|open|look|find|put|give|show|indent|format|add|"
    r"do|set|join|contact|assume) (?!team\b|service\b|server\b|cent)",
    re.IGNORECASE,
)
RELATIVES = frozenset(
    """brother sister mother father mum mom dad wife husband son daughter child partner boyfriend girlfriend spouse
    friend
    uncle aunt cousin nephew niece grandmother grandfather grandma grandpa parents boss manager colleague neighbour
    neighbor
    roommate flatmate fiancé fiancée assistant twin stepfather stepmother stepson in-laws mother-in-law father-in-law
    brother-in-law sister-in-law godmother godfather mentor landlord ex kids children sons daughters brothers sisters
    team-mate teammate coworker co-worker doctor client baby grandson granddaughter grandparents family""".split()
)


def canonical_subject(text: str) -> str:
    """A subject in canonical form, in lower case.

    "I", "my" and "the user" are `user`; "we", "our" and "the project" are `project`. Articles and general nouns at
    the end go ("the billing service", "Project Atlas" are `billing`, `atlas`); names stay whole: "Maria Silva" is
    not "Maria".
    """
    subject = " ".join(text.replace("’", "'").strip(" \t\n\"'.,:;!?").lower().split())
    if subject in _USER:
        return USER
    if subject in _PROJECT or not subject:
        return PROJECT
    subject = re.sub(r"^(?:my own|my|the user's|user's|mine) ", "user's ", subject)
    of = re.fullmatch(r"(?:the |a |an )?(?P<what>[\w -]+?) of (?P<owner>.+)", subject)
    if of and not _DETERMINER.match(of["what"]):
        owner = canonical_subject(of["owner"])
        if owner == PROJECT:
            return of["what"]
        return f"{owner}'s {of['what']}"
    while (shorter := _DETERMINER.sub("", subject)) != subject:
        subject = shorter
    if subject in _USER:
        return USER
    if subject in _PROJECT:
        return PROJECT
    subject = re.sub(
        r"^(?:project|service|team) (?=[\w-]+(?: \w+)?$)", lambda match: "team " if match[0] == "team " else "", subject
    )
    shorter = _GENERIC_TAIL.sub("", subject)
    return shorter or subject


def resolve_subject(subject: str, known: Iterable[str]) -> str:
    """The only full name among `known` that a first name stands for, else the subject itself.

    "maria" is "maria silva" where no other Maria is known; a full name is never taken for a shorter one.
    """
    if " " in subject or not subject.isalpha() or subject in (USER, PROJECT):
        return subject
    others = {
        name
        for name in known
        if name == subject or (name.startswith(f"{subject} ") and name.replace(" ", "").isalpha())
    }
    return others.pop() if len(others) == 1 else subject


def is_subject(text: str) -> bool:
    """Whether words may name one subject: a short noun phrase, no clause."""
    text = text.strip()
    if not text or len(text.split()) > 7 or not re.match(r"^[\w#@\"']", text) or re.search(r"[,;:!?()=]", text):
        return False
    lowered = text.lower()
    if lowered in _USER or lowered in ("we", "us"):
        return True
    if re.match(
        r"^(?:whoever|whatever|in|on|at|for|with|of|to|by|under|during|all|two|three|four|five|more|less|\d)\b", lowered
    ) or lowered in (
        "the",
        "a",
        "an",
        "our",
        "my",
        "new",
        "up",
        "back",
        "down",
        "away",
    ):
        return False
    if _INSTRUCTION.match(text):
        return False
    if re.fullmatch(r"\d[\d.,:]*", text) or _TIME.fullmatch(text):
        return False
    return _NOT_A_SUBJECT.search(text) is None


@cache
def is_person(text: str) -> bool:
    """Whether words may name a person: the user, a capitalised name, or someone's relative."""
    text = text.strip()
    lowered = text.lower()
    if lowered in _USER or lowered == "we":
        return True
    if lowered.rsplit(" ", 1)[-1] in RELATIVES:
        return True
    return _NAME.match(text) is not None and not _THING.search(text) and not lowered.startswith(("the ", "our "))
