"""Judgement: what a new claim means for those that say something of the same attribute of the same subject."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ..memory.date_spans import MONTH, WEEKDAY
from .comparison import is_another_product, is_of_tools, same_value
from .lexicon import by_name, by_noun
from .marks import corrects, is_additional, is_for_now, is_for_once, is_one_of_several, marks_change, regex, says_also
from .models import Action, ApprovalRequest, Claim, Judgement, Relation, Standing
from .roles import differ_in_role, named_alike
from .scopes import at_or_for, cadence, is_half_of_a_day, occasion, organisation, owned_for, part, purpose

CLEAR = 0.5
"""A reading, a claim or a source below this never overwrites."""
GIVEN = 1.0
"""How sure a slot is that whoever stored the statement gave: its wording narrows nothing then."""
TRUST_GAP = 0.3
"""A source may be trusted so much less than the one it overwrites, and no more."""
CONFIRMED = 0.25
CONTRADICTED = 0.6
ACTIVE, CONTESTED, HIDDEN = "active", "contested", ("archived", "forgotten")
SUPERSEDES, CONTRADICTS, EVIDENCE_OF = "supersedes", "contradicts", "evidence_of"


def judge(new: Claim, rivals: Sequence[Claim]) -> Judgement:
    """Judge a new claim beside its rivals: those of its namespace, subject and attribute that are not forgotten.

    Nothing follows without a slot. Rivals that are archived or of another slot are left alone; superseded ones count
    for what held when. The first that applies decides:

    1. The same value again, or a denial again, confirms.
    2. What is dated before a known one begins is history: it ends where that begins.
    3. Attributes of several values add, and so does what the text calls additional.
    4. A correction takes the older one's place from its beginning; a clear later value supersedes it.
    5. What cannot be decided is contested: two values of what never changes or at one moment, a plain denial, a
       source of low trust, an unsure reading.
    """
    if new.slot is None:
        return _alone(new, "It states nothing of record.")
    rivals = [rival for rival in rivals if _meets(new, rival)]
    if not rivals:
        return _alone(new, "Nothing was known of it.")
    ordered = sorted(rivals, key=lambda rival: (_begin(rival), rival.id))
    standing = [rival for rival in ordered if rival.valid_to is None or rival.valid_to > _begin(new)]
    fixed = holds(new.slot.attribute) == "fixed"
    later = (
        []
        if fixed
        else [rival for rival in ordered if _begin(rival) > _begin(new) and rival.occurred_at > new.occurred_at]
    )
    if same := next((rival for rival in reversed(standing) if _same(new, rival)), None):
        others = [
            rival for rival in standing if rival is not same and _excludes(new, rival) and _begin(rival) < _begin(new)
        ]
        if not others:
            return _confirm(new, same)
        standing = others
    if not fixed:
        later += [rival for rival in standing if rival not in later and _planned(new, rival, standing)]
    if after := [rival for rival in later if _excludes(new, rival)]:
        return _history(new, after, [rival for rival in standing if rival not in later and _excludes(new, rival)])
    against = [rival for rival in standing if _excludes(new, rival) and rival not in later]
    if not against:
        return _alone(new, "It stands beside what was known.")
    return _decide(new, against)


def _meets(new: Claim, rival: Claim) -> bool:
    if rival.slot is None or new.slot is None or rival.id == new.id:
        return False
    if rival.status in HIDDEN:
        return False
    return (rival.slot.subject, rival.slot.attribute) == (new.slot.subject, new.slot.attribute)


def _planned(new: Claim, rival: Claim, standing: Sequence[Claim]) -> bool:
    """Whether a rival holds only from a moment after the new claim was made, which says what holds until then."""
    if _begin(rival) <= max(_begin(new), new.occurred_at):
        return False
    assert new.slot is not None
    return new.slot.polarity and not corrects(new.content) and not _doubt(new, standing)


def _begin(claim: Claim) -> datetime:
    return claim.valid_from or claim.occurred_at


def _equal(new: Claim, rival: Claim) -> bool:
    assert new.slot is not None and rival.slot is not None
    if new.slot.attribute == "job" and _differ(organisation(new.content), organisation(rival.content)):
        return False
    if new.slot.attribute in _SORTS and _differ(_sorts(new), _sorts(rival)):
        return False
    return same_value(new.slot.value, rival.slot.value, new.slot.attribute)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether both say something, and nothing that is the same."""
    return bool(one and other) and not one & other


def _same(new: Claim, rival: Claim) -> bool:
    assert new.slot is not None and rival.slot is not None
    if new.slot.polarity != rival.slot.polarity or not _equal(new, rival):
        return False
    if _are_given(new, rival):
        return True
    if new.slot.attribute == "job" and _differ(at_or_for(new.content), at_or_for(rival.content)):
        return False
    return not _differ(*(occasion(claim.content) | _parts(claim) for claim in (new, rival)))


def holds(attribute: str) -> str:
    """How many values an attribute has at a time: one, many, soft or fixed; what the lexicon does not know has
    one."""
    known = by_name().get(attribute)
    if known is None and (noun := by_noun().get(attribute)):
        known = noun[0]
    return known.holds if known else "one"


def _excludes(new: Claim, rival: Claim) -> bool:
    """Whether two claims cannot both hold."""
    assert new.slot is not None and rival.slot is not None
    is_given = _are_given(new, rival)
    is_of_other = is_for_now(new.content) if is_given else _is_about_other(new, rival)
    if is_of_other:
        return False
    if new.slot.polarity != rival.slot.polarity:
        denial, claim = (new, rival) if not new.slot.polarity else (rival, new)
        assert denial.slot is not None
        return denial.slot.value is None or _equal(denial, claim)
    if not new.slot.polarity or _equal(new, rival) or (not is_given and _says_more(new, rival)):
        return False
    many = holds(new.slot.attribute)
    if many == "many" or (says_also if is_given else is_additional)(new.content):
        return False
    if is_given:
        return True
    if not marks_change(new.content) and not corrects(new.content) and _is_beside(new, rival):
        return False
    if many == "soft":
        return marks_change(new.content) or _definite(new) or _product(new) == _product(rival)
    return True


def _says_more(new: Claim, rival: Claim) -> bool:
    """Whether a claim says the other one again, and more: "Paul is married to Nina." after "Paul is married.".

    Not where what is added takes it back, tells of a change or goes on with a number: "I use Vim no more".
    """
    said = rival.content.rstrip(".! ")
    if not new.content.startswith(f"{said} ") or said[-1:].isdigit():
        return False
    return regex(r"\b(?:no|not|now|any)\b").search(new.content[len(said) :].lower()) is None


def _are_given(new: Claim, rival: Claim) -> bool:
    """Whether both slots were given by whoever stored the statements."""
    assert new.slot is not None and rival.slot is not None
    return new.slot.confidence == rival.slot.confidence == GIVEN


def _is_about_other(new: Claim, rival: Claim) -> bool:
    """Whether the texts narrow what the slots have in common: to an occasion, or to another one of its kind."""
    if not corrects(new.content) and _is_narrower(new, rival):
        return True
    if marks_change(new.content) or corrects(new.content):
        return False
    return _differ(_cadence(new), _cadence(rival))


def _cadence(claim: Claim) -> frozenset[str]:
    """Which of several that come again a claim is about, where that is not what it states."""
    assert claim.slot is not None
    return frozenset(one for one in cadence(claim.content) if one not in (claim.slot.value or "").lower())


def _is_narrower(new: Claim, rival: Claim) -> bool:
    """Whether a claim says how it is for once, or at times, where and for what the other one is not about."""
    if is_for_once(new.content):
        return not is_for_once(rival.content)
    assert new.slot is not None
    says_change = new.slot.polarity and marks_change(new.content)
    if says_change:
        return is_of_tools(new.slot.attribute) and bool(occasion(new.content) - occasion(rival.content))
    return bool(_occasions(new) - _occasions(rival)) or (new.slot.polarity and _is_elsewhere(new, rival))


def _is_elsewhere(new: Claim, rival: Claim) -> bool:
    """Whether a claim is about how it is in general, and the other one about some times or places alone."""
    assert rival.slot is not None
    value = (rival.slot.value or "").lower()
    own = occasion(rival.content) - occasion(new.content)
    if regex(r"(?:time|commute)$").search(rival.slot.attribute):
        own = frozenset(one for one in own if not is_half_of_a_day(one))
    return any(one.split()[-1] not in value for one in own) or bool(_parts(rival) - _parts(new))


def _occasions(claim: Claim) -> frozenset[str]:
    """When, where and for what alone a claim holds, where that is not what it states."""
    assert claim.slot is not None
    value = (claim.slot.value or "").lower()
    found = occasion(claim.content) | owned_for(claim.content) | purpose(claim.content)
    days = regex(r"(?<=\w )on (?:\w+ )?\w+days?$").search(value)
    own = frozenset(one for one in found if one.split()[-1] not in value)
    return own | _parts(claim) | ({days.group()} if days else set())


def _parts(claim: Claim) -> frozenset[str]:
    """For which part of the software, or in which application, a claim holds; not what its attribute is about anyway:
    React is always for the frontend."""
    assert claim.slot is not None
    value = (claim.slot.value or "").lower()
    known = by_name().get(claim.slot.attribute)
    about = {claim.slot.attribute, *(known.parts | known.hints | {*known.nouns} if known else ())}
    return frozenset(one for one in part(claim.content) if not value.endswith(one) and one not in about)


def _is_beside(new: Claim, rival: Claim) -> bool:
    """Whether both hold: one of several, or values that answer two questions, as a day and how often."""
    assert new.slot is not None and rival.slot is not None
    values = [(new.slot.value or "").lower(), (rival.slot.value or "").lower()]
    one, other = values
    told = (new.content, one), (rival.content, other)
    if differ_in_role(new.slot.attribute, one, other) and not named_alike(new.slot.attribute, *told):
        return True
    if is_another_product(one, other, new.slot.attribute):
        return True
    rates = [{*regex(_RATE).findall(value)} for value in values]
    if is_one_of_several(new.content) or (all(rates) and rates[0] != rates[1]):
        return True
    if new.slot.attribute in _PETS:
        kinds = [
            regex(rf"\ban? (?:\w+ )?{re.escape(value)}\b").search(claim.content) is not None
            for claim, value in zip((new, rival), values, strict=True)
        ]
        return kinds[0] != kinds[1]
    if new.slot.attribute in _SORTS:
        return _differ(*(_sorts(each) for each in (new, rival)))
    if new.slot.attribute in _OF_ATTRIBUTES:
        sorts = [regex(_OF_ATTRIBUTES[new.slot.attribute]).search(value) is not None for value in values]
        return sorts[0] != sorts[1]
    return any(
        regex(first).search(one) and regex(second).search(other)
        for pair in _APART
        for first, second in (pair, pair[::-1])
    )


_PETS = frozenset("dog cat horse rabbit hamster fish bird parrot pony puppy kitten pet".split())
"""Of what one says both its kind and its name: "Tom's dog is a poodle", "Tom's dog is Rex"."""
_SORTS = {
    "mobile carrier": (
        r"\b(?:internet|broadband|wi-?fi|fib(?:re|er)|dsl|router|landline)\b",
        r"\b(?:phone|mobile|cell|sim)\b",
    ),
    "branch": (
        r"\b(?:prs?|(?:pull|merge) requests?)\b",
        r"\b(?:current|working|checked out|feature) ?(?:branch)?\b",
        r"\b(?:deploys?|deployed|production|releases?|released)\b",
        r"\b(?:default|main|base|trunk) branch|\btrunk\b",
    ),
    "replicas": (
        r"\b(?:replicas?|instances?|copies|pods?)\b",
        r"\bnodes?\b",
        r"\bworkers?\b",
        r"\bcontainers?\b",
    ),
    "size": (r"\b(?:developers?|engineers?|devs?|designers?)\b", r"\b(?:members?|people|employees?|persons?|staff)\b"),
    "version": (r"\blatest\b", r"\b(?:production|deployed|installed|running)\b"),
    "salary": (r"\b(?:net|after tax(?:es)?|takes? home)\b", r"\b(?:gross|before tax(?:es)?)\b"),
    "commute": (r"\b(?:work|office)\b", r"\b(?:school|university|uni|college|campus|gym)\b"),
}
"""What a text may speak of that has a value each: the internet and the phone, the nodes and the pods of a cluster."""


def _sorts(claim: Claim) -> frozenset[str]:
    assert claim.slot is not None
    return frozenset(one for one in _SORTS[claim.slot.attribute] if regex(one).search(claim.content))


_RATE = r"\b(?:per|a|an) (?:second|minute|hour|day|week|month|year)\b"
_DAY = rf"\b(?:{WEEKDAY}s?|{MONTH})\b"
_APART = (
    (r"^(?:at )?(?:noon|midnight|\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d)$", _DAY),
    (
        r"^(?:(?:bi-?|tri-?)?(?:daily|weekly|fortnightly|monthly|quarterly|yearly)|(?:once|twice) an? \w+|"
        r"every (?:other |\d+ |two |three |four )?(?:day|week|month|quarter|year)s?)$",
        _DAY,
    ),
    (
        r"^(?:short|concise|brief|terse|detailed|long|verbose|thorough|exhaustive|succinct|extensive|crisp|compact)$",
        r"^(?:friendly|formal|informal|casual|polite|playful|professional|warm|neutral|funny|humorous|serious|structured)$",
    ),
    (r"^(?:gluten|dairy|lactose|nut|sugar)-free$", r"^(?:vegan|vegetarian|pescatarian|omnivorous|keto|low-\w+)$"),
    (r"^\d[\d.,]* ?(?:pages?|words|chapters|inch(?:es)?|cm|mm|kg|GB|TB|megapixels)\b", r"^[^\d]+$"),
    (r"\bfloor\b", r"^(?!.*\b(?:floor|room|desk|building)\b)[a-z]+$"),
)
"""Two sorts of values each that answer two questions."""
_OF_ATTRIBUTES = {
    "birth date": r"^\d{4}$",
    "job": r"\b(?:freelancer|contractor|remote worker|co-founder|founder)$",
    "config file": r"^[~/]",
    "place of origin": (
        r"^(?:the )?(?:germany|austria|switzerland|france|spain|italy|portugal|poland|england|scotland|ireland|wales|"
        r"uk|netherlands|belgium|denmark|sweden|norway|finland|greece|turkey|russia|ukraine|india|china|japan|brazil|mexico|"
        r"canada|australia|nigeria|kenya|ghana|egypt|usa?|united states|bavaria|europe|asia|africa)$"
    ),
}
"""A sort of values of an attribute that holds beside the others: a year of birth, a form of employment, a country."""


def _definite(claim: Claim) -> bool:
    """Whether a text names the attribute itself: "my editor is", "as its database"."""
    assert claim.slot is not None
    known = by_name().get(claim.slot.attribute)
    nouns = (claim.slot.attribute, *(known.nouns if known else ()))
    text = claim.content.lower()
    return (
        any(noun in text and regex(rf"\b{re.escape(noun)}\b", 0).search(text) for noun in nouns if len(noun) > 3)
        or (known is not None and _is_for(known.parts, text))
        or re.search(
            r"\b(?:written|rewritten|built|developed|implemented|based|hosted|run|licensed|is all) "
            r"(?:in|with|on|by|using|under)\b|\blanguage(?::| is\b)|"
            r"\bis an? [\w.#+ -]+ (?:project|app|application|service|codebase)\b",
            text,
        )
        is not None
    )


def _is_for(parts: frozenset[str], text: str) -> bool:
    """Whether a text says what for something is used: "for email", "reads mail in"."""
    names = "|".join(re.escape(one.rstrip("s")) for one in sorted(parts, key=len, reverse=True))
    whose = r"(?:(?:my|the|our|all|the user's) )?"
    return bool(names) and (
        regex(rf"\b(?:for {whose}|(?:reads?|checks?|writes?|keeps?|does) {whose})(?:e-?)?(?:{names})s?\b").search(text)
        is not None
    )


def _product(claim: Claim) -> str:
    assert claim.slot is not None
    return re.sub(r"[\d. ]+$", "", (claim.slot.value or claim.id).lower())


def _standing(claim: Claim) -> Standing:
    return Standing(
        claim.status, claim.confidence, claim.valid_from, claim.valid_to, claim.confirmations, claim.rejections
    )


def _alone(new: Claim, reason: str) -> Judgement:
    return Judgement(Action.ADD, _standing(new), reason)


def _confirm(new: Claim, old: Claim) -> Judgement:
    """A claim that says the same ends where the one that it says again has ended."""
    relation = Relation(new.id, old.id, EVIDENCE_OF, 1.0, "same value")
    own = _standing(new)
    if old.valid_to is not None:
        own = replace(own, valid_to=old.valid_to if own.valid_to is None else min(own.valid_to, old.valid_to))
    if new.trust < CLEAR or new.trust < old.trust - TRUST_GAP:
        return Judgement(Action.CONFIRM, own, "The same from a source of low trust.", {}, (relation,))
    before = _standing(old)
    after = replace(
        before,
        confidence=min(1.0, before.confidence + CONFIRMED * (1 - before.confidence)),
        confirmations=before.confirmations + 1,
    )
    return Judgement(Action.CONFIRM, own, "It says the same again.", {old.id: after}, (relation,))


def _history(new: Claim, later: Sequence[Claim], before: Sequence[Claim]) -> Judgement:
    """A claim that ends where the next later one begins; a clear one also ends the one before it."""
    first = min(later, key=_begin)
    end = _begin(first)
    if new.valid_to is not None and new.valid_to < end:
        end = new.valid_to
    if new.slot is not None and new.slot.polarity and before:
        together = any(_begin(one) == _begin(new) for one in before)
        if reason := _doubt(new, before) or ("Both are told of the same moment." if together else ""):
            contested = _contest(new, before, reason)
            return replace(contested, standing=replace(contested.standing, valid_to=end))
    standing = replace(_standing(new), valid_to=end)
    relations = [Relation(first.id, new.id, SUPERSEDES, 1.0, "dated before it")]
    revised = {}
    if new.slot is not None and new.slot.polarity:
        revised = {one.id: replace(_standing(one), valid_to=_begin(new)) for one in before if _begin(one) < _begin(new)}
        relations += [Relation(new.id, one, SUPERSEDES, 1.0, "dated after it") for one in revised]
    return Judgement(Action.HISTORY, standing, "It tells what held before.", revised, tuple(relations))


def _decide(new: Claim, against: Sequence[Claim]) -> Judgement:
    assert new.slot is not None
    if reason := _doubt(new, against):
        return _contest(new, against, reason)
    if corrects(new.content):
        return _correct(new, against)
    if not new.slot.polarity and not marks_change(new.content):
        return _contest(new, against, "It denies what was known, and does not say that it changed.")
    if (
        new.slot.polarity
        and any(rival.slot is not None and not rival.slot.polarity for rival in against)
        and not marks_change(new.content)
    ):
        denials = [rival for rival in against if rival.slot is not None and not rival.slot.polarity]
        if not any(marks_change(rival.content) for rival in denials):
            return _contest(new, against, "What was known denies it, and nothing says that it changed.")
    if holds(new.slot.attribute) == "fixed":
        return _contest(new, against, "It has one value for ever, and two are told.")
    if any(_begin(rival) == _begin(new) == new.occurred_at for rival in against):
        return _contest(new, against, "Both are told of the same moment.")
    if new.valid_to is not None and new.valid_to > _begin(new):
        return _alone(new, "It holds for a time; what was known stays.")
    return _supersede(new, against)


def _doubt(new: Claim, against: Sequence[Claim]) -> str:
    """Why a claim may not overwrite, empty where it may."""
    assert new.slot is not None
    if new.trust < CLEAR or any(new.trust < rival.trust - TRUST_GAP for rival in against):
        return "Its source is not trusted enough to overwrite what was known."
    if new.slot.confidence < CLEAR or new.confidence < CLEAR:
        return "It is not sure enough to overwrite what was known."
    return ""


def _supersede(new: Claim, against: Sequence[Claim]) -> Judgement:
    assert new.slot is not None
    begin = _begin(new)
    standing = _standing(new)
    if begin <= new.occurred_at and any(begin <= _begin(rival) for rival in against):
        begin = max(new.occurred_at, begin)  # what it says of its beginning would leave no time to the older one
        standing = replace(standing, valid_from=new.occurred_at if new.valid_from else None)
    revised = {
        rival.id: replace(
            _standing(rival),
            # What was yet to begin never held, and is not shown until then.
            valid_to=_ended(rival, begin) if _begin(rival) < begin else min(begin, new.occurred_at),
            status=_settled(rival),
        )
        for rival in against
    }
    relations = tuple(Relation(new.id, rival.id, SUPERSEDES, 1.0, "later value") for rival in against)
    if new.slot.polarity:
        return Judgement(Action.SUPERSEDE, standing, "It says what holds from now on.", revised, relations)
    return Judgement(Action.CLOSE, standing, "It says that this holds no more.", revised, relations)


def _ended(rival: Claim, moment: datetime) -> datetime:
    """Where a claim ends that another one replaces: never later than it ended before."""
    return moment if rival.valid_to is None else min(rival.valid_to, moment)


def _settled(rival: Claim) -> str:
    return ACTIVE if rival.status == CONTESTED else rival.status


def _correct(new: Claim, against: Sequence[Claim]) -> Judgement:
    begin = min(_begin(rival) for rival in against)
    # What was yet to begin would be shown until then: it ends now.
    revised = {
        rival.id: replace(_standing(rival), valid_to=min(_begin(rival), new.occurred_at), status=_settled(rival))
        for rival in against
    }
    relations = tuple(Relation(new.id, rival.id, SUPERSEDES, 1.0, "correction") for rival in against)
    standing = replace(_standing(new), valid_from=begin)
    return Judgement(Action.CORRECT, standing, "It corrects what was known.", revised, relations)


def _contest(new: Claim, against: Sequence[Claim], reason: str) -> Judgement:
    standing = replace(_standing(new), status=CONTESTED, confidence=new.confidence * CONTRADICTED)
    revised = {
        rival.id: replace(_standing(rival), status=CONTESTED, confidence=rival.confidence * CONTRADICTED)
        for rival in against
    }
    relations = tuple(Relation(new.id, rival.id, CONTRADICTS, 1.0, reason) for rival in against)
    request = ApprovalRequest(new.id, tuple(rival.id for rival in against), reason)
    return Judgement(Action.CONTEST, standing, reason, revised, relations, request)
