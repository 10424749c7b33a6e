"""The main statement of a text: its sentences, and what they agree on."""

import re
from dataclasses import replace

from ..memory.stems import stem
from .by_cue import LIGHT, by_cues, speaks_of_else
from .by_form import by_forms
from .by_gist import by_gist
from .by_name import USES, by_names
from .by_sentence import by_sentences
from .comparison import same_value
from .frames import is_chatter, unframed
from .lexicon import by_name, by_noun
from .marks import is_correction, is_lasting, is_unsure, marks_change, regex
from .mentions import mentions
from .reading import Reading
from .retold import retold, unfolded
from .subjects import PROJECT, USER, is_subject
from .wording import NEVER_MIND, WORDS_TO_MIND, Clause, clauses, contractions_undone, plain, sentences

MAX_SENTENCE = 160
"""A longer sentence states nothing: a pattern with several gaps costs the more the longer the sentence is."""


def readings(sentence: str, *, with_gist: bool) -> Reading | None:
    """What a sentence states; None where it states nothing, several things, or where the rules are unsure.

    `with_gist` also what nothing but its gist tells.
    """
    whole = contractions_undone(sentence)
    sentence = unframed(whole) or unframed(retold(whole))
    if not sentence:
        return None
    found = None
    if not is_unsure(joined := _joined(sentence)):
        found = _or_gist(_stated(sentence, joined), joined, may=with_gist)
    if found is None and (again := retold(sentence)) != sentence and not is_unsure(joined := _joined(again)):
        found = _or_gist(_stated(again, joined), joined, may=with_gist)
    if found is None or sentence == whole:
        return found
    return replace(
        found,
        clause=replace(
            found.clause,
            marks_change=found.clause.marks_change or marks_change(whole),
            is_correction=found.clause.is_correction or is_correction(whole),
        ),
    )


def _or_gist(found: Reading | None, sentence: str, *, may: bool) -> Reading | None:
    """What was read; if the gist `may` stand, that, where nothing else was read, or where what was took more for the
    subject, or is of no known attribute."""
    if not may or (found is not None and (not found.polarity or _is_plain(found, sentence))):
        return found
    gist = next((one for part in unfolded(sentence) if (one := by_gist(plain(part)))), None)
    if gist is None or (gist := _of_whom(gist, sentence)) is None:
        return found
    gist = _scoped(gist)
    if found is None:
        return replace(gist, by_gist=True)
    if not _is_known(found.attribute):
        return gist
    if found.subject != gist.subject:
        return gist if _is_part(gist.subject, found.subject) or _speaks_only(found) else found
    return gist if found.confidence <= _UNSURE else found


def _of_whom(gist: Reading, sentence: str) -> Reading | None:
    """What a clause without a subject states is of the only one that the sentence names."""
    names = {one.name for one in mentions(plain(sentence).full)}
    if gist.subject != USER or USER in names or not names:
        return gist
    return replace(gist, subject=names.pop()) if len(names) == 1 else None


_UNSURE = 0.6


def _is_known(attribute: str) -> bool:
    return attribute in by_name() or attribute in by_noun()


def _is_plain(found: Reading, sentence: str) -> bool:
    """Whether a reading is sure enough of a subject that the sentence names as such."""
    if found.confidence <= _UNSURE or not _is_known(found.attribute):
        return False
    return any(one.name == found.subject for one in mentions(plain(sentence).full))


def _speaks_only(reading: Reading) -> bool:
    """Whether what was taken for a subject only speaks of the attribute ("chores" of the to-do app)."""
    known = by_name().get(reading.attribute)
    words = re.findall(r"[\w-]+", reading.subject)
    return known is not None and all(stem(word) in known.stems or word in LIGHT for word in words)


def _is_part(name: str, phrase: str) -> bool:
    """Whether a subject is what another phrase is about: "project x" in "the contract for project x"."""
    return phrase == PROJECT or f" {name} " in f" {phrase.replace(chr(39) + 's', ' ')} " or phrase in _NOBODY_KNOWN


_NOBODY_KNOWN = frozenset("its lot agenda everything anything operators people everyone".split())


def _stated(sentence: str, joined: str) -> Reading | None:
    if (found := _read(plain(joined))) is not None:
        return found
    if (made_room := regex(_MADE_ROOM).match(joined)) is not None:
        replaced = plain(f"{made_room['s']} {made_room['r']}")
        if (found := _read(replace(replaced, marks_change=True))) is not None:
            return found
    parts = list(clauses(joined))
    found_in = []
    first = ""
    for part in parts:
        clause = plain(part)
        if first:
            clause = replace(clause, full=_inherited(clause.full, first), bare=_inherited(clause.bare, first))
        if one := _read(clause):
            found_in.append(one)
        first = first or _first_subject(clause.bare)
    if not found_in:
        return _of_head(sentence) or _after_circumstance(sentence)
    return _agreed(found_in)


_TAIL = re.compile(
    r",? and (?=(?:\w+s|sold|left|gave|put|took|got|the|his|her|its|their|that|is|was|has) )|, |,? that (?=the |"
    r"he |she |they |we |it )| with (?=the |his "
    r"|her |two |three |a |an |some |no )| parked | which | who (?!is )| whom | where | to (?=avoid|save|make|get|"
    r"reduce|free|"
    r"keep|be |see|help|have)| on (?:the \w+'s|\w+'s) (?:advice|orders|request|recommendation)| because | for (?=cost |"
    r"security |the sake )"
)
_NARROWING = re.compile(
    r"\b(?:when|if|unless|except|only|until|during|while|not|no longer|former|previous|but|sometimes|also|too|both|"
    r"another|and (?-i:[A-Z])\w+$)\b|^ ?(?:on|in) (?:summer|winter|weekends|\w+days)|[?\"]"
)
_LEFT_BEHIND = re.compile(r"\bthe (?:old|previous|former|other|last) (?:one|number|address|version|job|place)\b")


_MADE_ROOM = (
    r"^(?P<s>(?:(?!,|\band\b).)+?) (?:(?:has|have|had|finally|just|recently) )*(?:quit|left|closed|cancelled|canceled|"
    r"broke up|split up|split|separated|swapped|stopped|finished|dropped|sold|wiped|gave up|ditched|handed in|"
    r"packed up|"
    r"packed|traded in|traded|ended|resigned|retired|returned|got rid of|terminated|abandoned|scrapped|deleted|"
    r"uninstalled|threw out|gave away|lost|broke|got divorced|divorced|was fired|was laid off|outgrew|moved out|"
    r"gave (?:that|it) up|let (?:that|it) go|turned (?:that|it) in)"
    r"(?: (?:that|it|there|this|them|mine|everything|with (?:that|it)|(?:from )?(?:the|his|her|their|my|our|its|that|"
    r"this)(?: [\w-]+){1,3}?))?"
    r"(?:,? and|, then|;| -+|,) (?:then |now )?(?P<r>(?!(?:the|his|her|my|our|their|it|she|he|they|we|"
    r"I)\b)(?-i:[a-z])\w* .+)$"
)
"""What ended and what took its place, told of one: "Tom closed that and went to Monzo"."""


def _of_head(sentence: str) -> Reading | None:
    """What the head of a sentence states where its tail only adds to it ("…, with two deputies")."""
    joined = _joined(sentence)
    for cut in reversed([match.start() for match in _TAIL.finditer(joined)]):
        head, tail = joined[:cut], joined[cut:]
        if _NARROWING.search(_LEFT_BEHIND.sub("", tail)) or len(head.split()) < 3:
            return None
        if (found := _read(plain(head))) is not None:
            return replace(found, confidence=min(found.confidence, 0.7))
    return None


_CIRCUMSTANCE = (
    r"^(?:on (?:the )?(?:org|organi[sz]ation|organi[sz]ational) chart|on paper|in the (?:directory|phone book|"
    r"company directory|"
    r"address book|org chart)|according to plan|at the company|in the company|at work|at home),? "
)
"""Circumstances that narrow nothing; any other one may ("on the server my shell is …")."""


def _after_circumstance(sentence: str) -> Reading | None:
    """What a sentence states after where or for what it holds ("On the org chart Tamsin is …")."""
    text = regex(_CIRCUMSTANCE).sub("", sentence)
    if len(text) >= len(sentence):
        return None
    found = _read(plain(text))
    return replace(found, confidence=min(found.confidence, 0.7)) if found else None


def _agreed(found: list[Reading]) -> Reading | None:
    """The last positive one of readings that are of one attribute of one subject."""
    if not found or len({(one.subject, one.attribute) for one in found}) > 1:
        return None
    positive = [one for one in found if one.polarity and one.value is not None]
    known = by_name().get(found[0].attribute)
    if known is not None and known.holds == "many":
        positive = positive if len(positive) == len(found) else []
    if len({(one.value or "").lower() for one in positive}) > 1:
        return None
    return replace(
        (positive or found)[-1],
        clause=replace((positive or found)[-1].clause, marks_change=any(one.clause.marks_change for one in found)),
    )


_TOLD = (
    (
        r"^(?:[Aa]t|[Ii]n|[Dd]uring|[Aa]fter) the \w+,? (?P<s>[A-Z]\w+(?: [A-Z]\w+)?) said that "
        r"(?P<v>[A-Z]\w+(?: [A-Z]\w+)?) is (?:the|his|her) (?P<n>boss|manager|supervisor)$",
        r"\g<s>'s \g<n> is \g<v>",
    ),
    (
        r"^(?:I |[Ww]e )?[Mm]et (?P<s>[A-Z]\w+(?: [A-Z]\w+)?) [\w ]+, (?:who|and (?:he|she)) "
        r"(?P<rest>(?:works|lives|is|reports) .+)$",
        r"\g<s> \g<rest>",
    ),
    (r"^\w+ (?P<s>[A-Z]\w+), who (?P<rest>(?:works|lives) .+)$", r"\g<s> \g<rest>"),
)


_PRONOUN = r"(?:it|that|this|which|he|she|they|the new one|the new \w+|the \w+ one)"


_NOT = "does not|doesn't|do not|don't|no longer"
_THE_SAME = (("(?:i|we|the user)", "(?:i|we|the user)"), ("(?!(?:i|we|the user) )[^,;:]+?", "(?:he|she|they|it)"))
"""Who is spoken of, and by which words again."""


_TWO_IN_ONE = (
    (
        r"^(?P<s>(?:(?!\b(?:is|does|has)\b).)+) (?:is|does|has) (?:no longer|not) .+? (?:but|"
        r"and) (?P<r>(?:now )?(?:works|"
        r"lives|uses|drives|reports|plays|runs|eats|drinks|studies|banks|trains|sits|commutes|speaks|prefers|"
        r"goes|is) .+)$",
        r"\g<s> \g<r>",
    ),
    (
        rf"^(?:.+? )?(?:changed|moved|updated|switched|replaced|has|have|got|reset|rotated|"
        rf"renamed) (?P<np>(?:the|our|my|his|her|their|[A-Z]\w+'s) [\w' -]+?)[,;:.]? (?:-+ "
        rf")?(?:and )?{_PRONOUN}(?:'s| is| are| will be) (?P<v>.+)$",
        r"\g<np> is \g<v>",
    ),
    (
        rf"^(?P<np>.+?)(?: has| have|'s)?(?: been)?(?: just| recently)? (?:changed|moved|was "
        rf"changed|was updated|was moved)[,;:]? (?:-+ )?(?:and )?{_PRONOUN}(?:'s| is| are| will "
        rf"be) (?P<v>.+)$",
        r"\g<np> is \g<v>",
    ),
    (
        r"^(?P<np>.+?) (?:is|are) (?:no longer|not) (?P<old>.+?)(?: any ?more| any longer)?(?:,| "
        r"-+|;)?(?: but(?: rather)?| (?:it|he|she|they) is) (?:now )?(?P<v>.+)$",
        r"\g<np> is now \g<v>",
    ),
    *(
        (
            rf"^(?P<a>{who}) (?:{_NOT}) (?P<v>live|work)s? (?:in|at|for) [^,;:]+?"
            rf"(?:(?:,|;| -+|:)? (?:but|and)|,|;| -+|:) (?:now )?(?:{again} (?:is |are |am )?)?"
            r"(?:now )?(?P<r>(?:in|at|for) .+)$",
            r"\g<a> \g<v>s \g<r>",
        )
        for who, again in _THE_SAME
    ),
    *(
        (
            rf"^(?P<a>{who}) (?:{_NOT}) (?P<v>\w+?)s? .+?(?:,|;| -+|:) ?(?:but |and )?{again} (?:now )?"
            r"(?P<r>(?P=v)s? .+)$",
            r"\g<a> \g<r>",
        )
        for who, again in _THE_SAME
    ),
    (
        r"^(?P<a>.+?) (?:does not|doesn't|no longer) .+?(?: any ?more| any longer)?(?:,|;| -+|:) "
        r"?(?:but |and )?(?P<p>(?:he|she|they|it|we|I)\b(?:'s)? .+)$",
        r"\g<a> and \g<p>",
    ),
)
_ASKED_FOR = (
    (r"\bshould be (?=\w)", "is "),
    (r"\bshould (?=\w)", ""),
    (r"^(?:please )?assume (?=\w)", "use "),
    (r"(?<=, )(?:please )?assume (?=\w)", "use "),
)
"""What is to be so from now on is so."""
_OF_TWO = rf"\b(?:not|no longer|doesn't|don't)\b|{_PRONOUN}(?:'s| is| are| will be) "
"""What one of these two clauses has: a first look that spares the rest."""


def _joined(sentence: str) -> str:
    """A sentence in one clause where two say one thing: "We changed the API port, it is 9090 now"."""
    text = contractions_undone(" ".join(sentence.split()))
    if is_lasting(text):
        for expression, replacement in _ASKED_FOR:
            text = regex(expression).sub(replacement, text)
    if regex(WORDS_TO_MIND).search(text):
        for expression, replacement in NEVER_MIND:
            text = regex(expression).sub(replacement, text)
    if regex(r"\bwho\b|\bsaid that\b|\bmet\b").search(text):
        for expression, replacement in _TOLD:
            text = regex(expression, 0).sub(replacement, text)
    if regex(_OF_TWO).search(text):
        for expression, replacement in _TWO_IN_ONE:
            text = regex(expression).sub(replacement, text)
    return text


_PREDICATE = rf"^(?:{USES}|joined|took|became|eats?|drinks?|leads?|answers?|studies|wakes?|speaks|likes?)\b"


def _inherited(text: str, subject: str) -> str:
    if regex(r"^(?:he|she|they|it|that)'s? ").match(text + " "):
        return regex(r"^(?:he|she|they|it|that)\b").sub(subject, text, count=1)
    if regex(_PREDICATE).match(text):
        return f"{subject} {text}"
    return text


_VERB = re.compile(
    r" (?:is|was|has|does|sold|left|quit|moved|bought|got|traded|gave|changed|works|lives|"
    r"uses|joined|switched|started|stopped|broke|resigned|finished|"
    r"drives|eats|took|went|drinks|likes|married|dropped|lost|ditched|resigns|retired|packed|returned|no longer|used)\b"
)


def _first_subject(text: str) -> str:
    match = _VERB.search(f"{text} ")
    subject = text[: match.start()] if match else ""
    return subject if subject and is_subject(subject) else ""


def _read(clause: Clause) -> Reading | None:
    if not clause.bare or len(clause.full) > MAX_SENTENCE:
        return None
    found = [
        *by_sentences(clause),
        *by_names(clause),
        *by_forms(clause),
        *by_cues(clause),
    ]
    found = [one for one in found if one.subject not in _NOBODY and not _is_of_else(one)]
    found = [one for one in found if not (one.attribute == "lead" and _is_tool(one, found))]
    if not found:
        return None
    best = max(found, key=lambda one: one.confidence)
    # Of "my wife's phone" and "my" the former is meant.
    best = next((one for one in found if _is_nearer(one, best)), best)
    if best.confidence < 0.5 or _clash(best, found):
        return None
    return _scoped(best)


def _is_of_else(one: Reading) -> bool:
    known = by_name().get(one.attribute)
    return known is not None and speaks_of_else(known, one.clause.full)


def _is_tool(one: Reading, found: list[Reading]) -> bool:
    """Whether another reading takes its value for a tool: "Payments are handled by Stripe"."""
    return any(
        other.value == one.value and other.attribute in by_name() and by_name()[other.attribute].type == other.attribute
        for other in found
    )


def _is_nearer(one: Reading, best: Reading) -> bool:
    same = (one.attribute, one.value, one.polarity) == (best.attribute, best.value, best.polarity)
    return same and one.confidence >= best.confidence and one.subject.startswith(f"{best.subject}'s ")


_NOBODY = frozenset({"it", "he", "she", "they", "this", "that", "there", "who", "one", "someone", "you", "here", ""})


def _clash(best: Reading, found: list[Reading]) -> bool:
    return any(
        one.confidence == best.confidence
        and one.subject != best.subject
        and one.attribute == best.attribute
        and not same_value(one.value, best.value)
        for one in found
    )


def _scoped(reading: Reading) -> Reading:
    scope = reading.clause.scope
    if not scope or scope in reading.subject.split():
        return reading
    subject = scope if reading.subject == PROJECT else f"{reading.subject} {scope}"
    return replace(reading, subject=subject)


_RUN_ON = (
    r"(?<=[\w)\"']) (?=(?:We (?:talked|discussed|spoke)|Remember (?:that|this)|That (?:came|was)|This (?:came|was)|"
    r"Please (?:keep|note|remember|bear|update))\b)"
)
"""Where a remark follows a headline without a full stop."""


def main_reading(text: str, *, with_gist: bool) -> Reading | None:
    """What a text states in its clear main sentence: of several statements that differ, none.

    `with_gist` also what is told by the gist alone, where nothing else is; a millisecond more.
    """
    parts = sentences(regex(_RUN_ON, 0).sub(". ", text))
    found = []
    chatter = 0
    first = ""
    for part in parts:
        if len(part) > MAX_SENTENCE or (len(parts) > 1 and is_chatter(part)):
            chatter += len(part)
            continue
        if first and regex(r"^(?:he|she|they|it)\b").match(part):
            part = regex(r"^(?:he|she|they|it)(?='s\b|\b)").sub(first, part, count=1)
        one = readings(part, with_gist=with_gist)
        if one is not None:
            found.append(one)
        else:
            chatter += len(part)
        if len(parts) > 1:
            first = first or _first_subject(plain(part).bare)
    found = [one for one in found if not one.by_gist] or found
    if not found or (len(parts) > 3 and len(found) > 1):
        return None
    if len(text) > 300 and (len(parts) > 2 or chatter > 300):
        return None
    return _agreed(found)
