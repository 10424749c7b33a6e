"""Cues: words between two things that tell how they are related."""

import re
from functools import cache

from .models import LIVES_AT, STUDIES_AT, USES, WORKS_AT, EdgeType

_DID = (
    r"(?:is |are |was |were |has been |have been |had |has |have |will |may |can |could |would |might |must |should )?"
)
_ADVERB = r"(?:also |still |now |only |directly |mainly |often |currently |really |always |usually |partly )?"
_NEWLY = r"(?:(?:has|have|is|am|was|['’]s|['’]ve) )?(?:just |recently |already |now |finally )?"
_NOT_ANY_MORE = r"(?:is |am )?no longer|do not|does not|don['’]t|doesn['’]t|isn['’]t|is not|am not"
_JOB = r"(?:an? |the |his |her |their |my )?(?:new )?(?:job|role|position|post)"
_CUES: tuple[tuple[str, str, str], ...] = (
    (
        EdgeType.DEPENDS_ON,
        r"depend(?:s|ed|ing)? (?:up)?on|rel(?:y|ies|ied|ying) (?:up)?on|builds? (?:up)?on|built (?:up)?on",
        r"(?:is )?depended on by",
    ),
    (
        EdgeType.REQUIRES,
        r"require(?:s|d)?|requiring|need(?:s|ed)?|needing|presupposes?",
        r"(?:required|needed) (?:by|for)|(?:a )?(?:prerequisite|precondition) (?:of|for)",
    ),
    (
        EdgeType.BLOCKS,
        r"block(?:s|ed|ing)?|prevent(?:s|ed|ing)?|hold(?:s|ing)? up|held up|stop(?:s|ped|ping)|hinder(?:s|ed|ing)?",
        r"(?:blocked|prevented|held up|stopped|stuck|hindered) (?:by|on)|wait(?:s|ing) (?:for|on)",
    ),
    (
        EdgeType.CAUSES,
        r"cause(?:s|d)?|causing|lead(?:s|ing)? to|led to|trigger(?:s|ed|ing)?|result(?:s|ed|ing)? in|produce[sd]?"
        r"|breaks|broke",
        r"(?:caused|triggered|broken) by|results? from|comes? from",
    ),
    (
        EdgeType.SOLVES,
        r"solve[sd]?|solving|fix(?:es|ed|ing)?|resolve[sd]?|resolving|cure[sd]?|address(?:es|ed)",
        r"(?:solved|fixed|resolved|cured|addressed) (?:by|with)",
    ),
    (
        EdgeType.ENABLES,
        r"enable[sd]?|enabling|allow(?:s|ed|ing)?|unlock(?:s|ed|ing)?|make[s]? possible|support(?:s|ed|ing)?",
        r"(?:enabled|unlocked|made possible|supported) by",
    ),
    (
        EdgeType.CONTRADICTS,
        r"contradict(?:s|ed|ing)?|conflict(?:s|ed|ing)? with|(?:in conflict|incompatible|at odds) with|disproves?",
        r"contradicted by",
    ),
    (
        EdgeType.LEARNED_FROM,
        r"learn(?:s|ed|t)? from|learned in|derived from",
        r"taught|teaches",
    ),
    (
        USES,
        r"use[sd]?|using|run(?:s|ning)? on|powered by|backed by|talk(?:s|ing)? to|call(?:s|ing)",
        r"used (?:by|in|for)",
    ),
    (
        EdgeType.RELATES_TO,
        r"relate[sd]? to|concern(?:s|ed)|associated with|connected (?:to|with)|linked (?:to|with)|belongs? to|part of",
        r"(?!)",
    ),
)
_OF_A_PERSON = tuple(
    (
        type_,
        re.compile(
            rf",?(?: who)? (?:{_ADVERB}(?:{verbs})|{_NEWLY}(?:{begins})"
            rf"|(?P<ended>(?:{_NOT_ANY_MORE}) (?:{verbs})"
            rf"|{_NEWLY}(?:{ends}))) (?:the )?",
            re.IGNORECASE,
        ),
    )
    for type_, verbs, begins, ends in (
        (
            WORKS_AT,
            r"works? (?:at|for)|(?:is |am )?(?:now )?working (?:at|for)|(?:is |am )?employed (?:at|by)",
            r"joined|started (?:working )?(?:at|for)|hired by"
            rf"|(?:got|found|took|accepted|started) {_JOB} (?:at|with)",
            rf"left(?: {_JOB} at)?|leaving|quit(?: {_JOB} at)?|resigned from|stopped working (?:at|for)|retired from"
            r"|(?:laid off|fired) (?:by|from)|no longer (?:at|with|employed (?:at|by))",
        ),
        (
            LIVES_AT,
            r"lives? (?:in|at)|(?:is |am )?living (?:in|at)|(?:is |am )?based in|resides? in",
            r"(?:moved|relocated) (?:back )?to",
            r"moved (?:away from|out of)|stopped living in|no longer (?:in|based in)",
        ),
        (
            STUDIES_AT,
            r"stud(?:y|ies) at|(?:is |am )?studying at|attends?",
            r"(?:enrolled|matriculated) at",
            r"graduated from|dropped out of|finished at|stopped studying at",
        ),
    )
)
"""Relations of a person to one thing at a time: nothing but an adverb may stand between."""
_DENIAL = re.compile(
    r" (?:(?:has |have )?(?:now )?(?:no longer|stopped)|(?:do|does|is|are) not|(?:do|does|is|are)n['’]t) ",
    re.IGNORECASE,
)
_MAY_BE_OF_A_DAY = re.compile(r"\b(?:left|leaving|joined|moved)\b", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(
    r"\s*(?:$|[.,;:!?()]| \d)| for (?-i:[A-Z])"
    r"| (?:last|this|in|on|after|since|and|but|because|when|who|where|with|as|to|from|by|again)\b",
    re.IGNORECASE,
)
"""What may follow the name of an employer or a place that somebody has left or come to; a noun may not."""
_CHANGES = tuple(
    (re.compile(rf" {_NEWLY}(?:{one}) (?:the )?", re.IGNORECASE), re.compile(rf" (?:{other}) (?:the )?", re.IGNORECASE))
    for one, other in (
        ("(?:moved|switched|changed|migrated|transferred|relocated) from", "(?:over )?to"),
        ("(?:left|leaving|quit)", "for|to join"),
        ("replaced", "with|by"),
    )
)
_NEGATION = re.compile(r"\b(?:not|never|no longer|cannot|without|nothing|hardly|neither|nor)\b|n['’]t\b", re.IGNORECASE)


@cache
def _compiled(*, full_match: bool) -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    def compiled(verbs: str) -> re.Pattern[str]:
        cue = rf"{_DID}{_ADVERB}(?:{verbs})"
        if full_match:  # the words between two names are the cue, and what belongs to either
            cue = rf"(?:['’]s)?(?: [\w-]+){{0,2}}? {cue} (?:(?:the|a|an|our|its|their|his|her|on|to)\s+)?(?:[\w-]+ )?"
            return re.compile(cue, re.IGNORECASE)
        return re.compile(rf"(?<= ){cue}(?= )", re.IGNORECASE)

    # Backward cues come first: "is required by" has "required" in it.
    pairs = [(type_, backward, True) for type_, _, backward in _CUES if backward != r"(?!)"]
    pairs += [(type_, forward, False) for type_, forward, _ in _CUES]
    return tuple((str(type_), compiled(verbs), backward) for type_, verbs, backward in pairs)


def between(words: str) -> tuple[str, bool] | None:
    """Return the edge type that words between two things express, and whether it goes from the second to the first.

    None if the words express no relation, or negate it.
    """
    if _NEGATION.search(words) or len(words) > 60:
        return None
    for type_, cue, backward in _compiled(full_match=True):
        if cue.fullmatch(words):
            return type_, backward
    return None


def denied(words: str) -> tuple[str, bool] | None:
    """Return the edge type that words between two things say no longer holds, or does not, and whether it is backward.

    "no longer uses", "does not depend on", "stopped using" do.
    """
    denial = _DENIAL.match(words)
    return None if denial is None else between(words[denial.end() - 1 :])


def of_a_person(words: str, after: str) -> tuple[str, bool] | None:
    """Return the type (works, lives or studies at) that words after a person express, and whether it still holds.

    `after` is what follows the thing: "left Acme early" and "joined the Globex webinar" tell of no change.
    """
    if _MAY_BE_OF_A_DAY.search(words) and not _CLAUSE_ENDS.match(after):
        return None
    for type_, cue in _OF_A_PERSON:
        if match := cue.fullmatch(words):
            return type_, match["ended"] is None
    return None


def of_a_change(words: str, following: str) -> bool:
    """Return whether words between three things tell of a change from the second to the third: "moved from A to B"."""
    return any(one.fullmatch(words) and other.fullmatch(following) for one, other in _CHANGES)


def first_cue(sentence: str) -> tuple[str, bool, int, int] | None:
    """Find the first cue of a sentence: (edge type, whether it is backward, begin, end) with offsets in characters."""
    if _NEGATION.search(sentence):
        return None
    found = []
    for place, (type_, cue, backward) in enumerate(_compiled(full_match=False)):
        match = cue.search(sentence)
        if match is not None:
            found.append((match.start(), -(match.end() - match.start()), place, type_, backward, match.end()))
    if not found:
        return None
    begin, _, _, type_, backward, end = min(found)
    return type_, backward, begin, end
