"""Questions: which attribute of whom a query asks for."""

import re
from collections.abc import Sequence

from ..stop_words import STOP_WORDS
from .attributes import Property, belongs, property_of
from .lexicon import Attribute, attributes, by_name, by_noun
from .marks import regex, straightened
from .models import AskedSlot
from .question_cues import asked_by_cues
from .subjects import PROJECT, RELATIVES, USER, canonical_subject, is_subject
from .wording import contractions_undone

MAX_QUERY = 160


def asked_slot(query: str) -> AskedSlot | None:
    """The slot that a query asks for ("Where does Dana work?", "Dana's employer"); None where it is unclear."""
    text = _plain(query)
    if not text or len(text) > MAX_QUERY:
        return None
    found = _asked_slot(text)
    if found is not None and _OWN.match(text) and found.subject.split("'s ")[0] not in (USER, PROJECT):
        return None  # "Which AI model do I use?": whatever AI is, the question is about me
    return found


_OWN = re.compile(
    r"(?:which|what) (?:(?!\b(?:and|or|but)\b)[^,])*?\b(?:do|does|did|has|have|should|is|was) (?:the user|we)\b(?!'s)",
    re.IGNORECASE,
)


def _asked_slot(text: str) -> AskedSlot | None:
    if (match := _THING.fullmatch(text)) and (named := property_of(match["s"])) and not named.known:
        return AskedSlot(canonical_subject(match["s"]), "location", 0.8)
    for attribute in attributes():
        for expression in attribute.asks:
            if (
                attribute.name not in _LAST
                and (match := regex(expression).fullmatch(text))
                and (slot := _asked(attribute, match))
            ):
                return slot
    if (
        (match := regex(_FORMS[0]).fullmatch(text))
        and (named := property_of(match["np"]))
        and named.known
        and (slot := _named(match["np"], match["w"]))
    ):
        return slot
    if slot := asked_by_cues(text) or _by_hints(text):
        return slot
    for name in _LAST:
        for expression in by_name()[name].asks:
            if (match := regex(expression).fullmatch(text)) and (slot := _asked(by_name()[name], match)):
                return slot
    for form in _FORMS:
        if match := regex(form).fullmatch(text):
            groups = match.groupdict()
            phrase = groups.get("np") or (
                f"our {groups['n']}" if groups["s"].lower() == "we" else f"{groups['s']}'s {groups['n']}"
            )
            if slot := _named(phrase, groups.get("w") or ""):
                return slot
    return None


LONGEST_SUBJECT = 4
"""In words."""


def subjects_in(query: str) -> frozenset[str]:
    """Whom a query may ask about, in canonical form: every short run of its words that could be a subject.

    `user` and `project` where it speaks of these ("my", "our") and of no relative, or where it names nobody.
    """
    words = [match.group() for match in _WORD.finditer(_plain(query[:MAX_QUERY]))]
    found = set[str]()
    for begin, first in enumerate(words):
        if first.lower() in STOP_WORDS and first.lower() != "the":
            continue
        for end in range(begin + 1, min(begin + 1 + LONGEST_SUBJECT, len(words) + 1)):
            last = words[end - 1].removesuffix("'s")
            if last.lower() not in STOP_WORDS:
                found.add(canonical_subject(" ".join([*words[begin : end - 1], last])))
    if any(one.startswith("user's ") and one.split()[-1] in RELATIVES for one in found):
        return frozenset(found - {USER, PROJECT})
    if {word.lower() for word in words} & _WE or not (USER in found or PROJECT in found or _names_somebody(words)):
        found |= {USER, PROJECT}
    return frozenset(found)


def _names_somebody(words: Sequence[str]) -> bool:
    """Whether words name somebody or something of its own: a capital, a hyphen, an owner, "the billing service"."""
    own = [word for word in words[1:] if word.lower() not in ("the", "user", "user's", "i")]
    return any(word[0].isupper() or "-" in word or word.endswith("'s") or word.lower() in _THINGS for word in own)


_THINGS = frozenset("service server app team project api pipeline cluster database printer gateway worker".split())
_WORD = re.compile(r"[\w@#](?:[\w@#./+&'-]*[\w+#])?")
_WE = frozenset({"we", "us", "our", "ours"})
_FORMS = (
    r"(?P<w>what|which|who|when|where|at what time|what time|how (?:long|high|large|big|much|"
    r"old|tall|many)) (?:is|was|will be) (?P<np>.+)",
    r"(?:tell the user|show the user|give the user|do you know|what about|remind the user of|look up|find) (?P<np>.+)",
    r"(?:which|what) (?P<n>[\w -]+?) (?:does|do|is|has|should) (?P<s>.+?) (?:use|have|prefer|"
    r"run|run on|on|in|write|work with|go to|like|want|using|belong to|take|keep|drive|read|"
    r"write code in|see|play|get)",
    r"(?:at what|when|what time) (?:does|do|is|will) (?P<np>.+?) (?:start|begin|take place|happen|end|held|be)",
    r"what (?:does|do) (?P<s>.+?) use (?:for|as) (?:its |his |her |their |the user's |the |a |an )?(?P<n>.+)",
    r"who is (?P<s>.+?)'s (?P<n>.+)",
    r"(?P<np>.+)",
)
_LAST = ("answer language", "location")
"""Attributes whose questions are so general that they are tried after those with words of their own."""
_SUBJECTS = (
    r"(?P<s>\bthe user\b)",
    r"(?P<s>(?:\bthe |\bour )?[\w-]+ (?:service|team|website|environment)\b|\bProject "
    r"[A-Z]\w+(?: [A-Z]\w+)?|\b[a-z]+\d*(?:-[a-z0-9]+)+\b)",
    r"\b(?:does|is|has) (?P<s>(?:the |our )?[\w-]+(?: [A-Z][\w-]*)*)(?= )",
    r"(?<=\s)(?P<s>[A-Z][\w-]*(?: [A-Z][\w-]*)*|we)\b",
)
_ASKING = frozenset(
    """what which where who how does do is in with on by to of for the a an its his her their user's our it at from
    use uses used should be has have through via gets
    under into as behind using stand run running done and go used manage app tool system platform provider service
    software""".split()
)


def _by_hints(text: str) -> AskedSlot | None:
    """What a question asks whose words speak of one list of names: "Where does X store its data?"."""
    if re.match(r"(?:who|whose|whom|in which room) ", text, re.IGNORECASE) or not re.match(
        r"(?:what|which|where|how|on|in|with|under|through|by|at|from) ", text, re.IGNORECASE
    ):
        return None
    match = next((found for expression in _SUBJECTS if (found := re.search(expression, text))), None)
    if match is None:
        return None
    rest = f"{text[: match.start()]} {text[match.end() :]}".lower()
    words = {word for word in re.findall(r"[\w/-]+", rest.replace("'s", " "))} - _ASKING
    if not words:
        return None
    forms_of = {word: _forms(word) for word in words}
    rated = []
    for attribute in attributes():
        if not attribute.hints:
            continue
        known = {word for word, forms in forms_of.items() if not forms.isdisjoint(attribute.hints)}
        named = any(noun in rest and regex(rf"\b{re.escape(noun)}\b", 0).search(rest) for noun in attribute.nouns)
        if known == words or named:
            rated.append(
                (
                    len(known) + 2 * named + (0.5 if (attribute.owner == USER) == (match["s"] == "the user") else 0),
                    attribute,
                )
            )
    rated.sort(key=lambda one: -one[0])
    if not rated:
        return None
    subject = canonical_subject(match["s"])
    return AskedSlot(USER if subject == PROJECT and rated[0][1].owner == USER else subject, rated[0][1].name, 0.7)


def _forms(word: str) -> frozenset[str]:
    """A word as hints may have it: singular, plural, past."""
    past = (f"{word}d", f"{word}ed", word.removesuffix("d"), word.removesuffix("ed"))
    return frozenset((word, f"{word}s", word.rstrip("s"), *past))


_FILLERS = re.compile(
    r"\b(?:now|currently|right now|these days|nowadays|at the moment|at present|today|still|"
    r"lately|usually|actually|again|exactly|please|presently|normally)\b"
)


def _plain(query: str) -> str:
    text = contractions_undone(straightened(query)).strip(" ?.!")
    text = re.sub(
        r"^(?:so|and|hey|please|ok|okay|hi|can you tell me|could you tell me|do you know|tell me|"
        r"i want to know|remind me|i wonder|do you remember|remember)[, ]+(?=\w)",
        "",
        text,
        flags=re.IGNORECASE,
    )
    text = _FILLERS.sub("", text)
    for expression, plainer in (
        (r"\b(?:am|are)\b", "is"),
        (r"\bwere\b", "was"),
        (r"\bI is\b|\bis I\b", "is the user"),
        (r"\bmy\b", "the user's"),
        (r"(?<!\w)(?-i:I)(?!\w)", "the user"),
        (r"\bme\b", "the user"),
        (r"\bthe the\b", "the"),
        (r"\bthe name of (?=.)", ""),
    ):
        text = re.sub(expression, plainer, text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b(should|do|can|may|how) the user (?=(?:contact|reach|call|email|mail|get|order|bring|"
        r"message|ring|phone|write to|find)\b)",
        r"\1 i ",
        text,
    )
    return " ".join(text.split())


_THING = re.compile(
    r"where (?:is|can i find|do i find) (?P<s>(?:the|our) [a-z][\w -]+?)(?: located| kept| stored| standing)?"
)
_UNFINISHED = re.compile(r"\w .*\b(?!\w+ed \w)(?:start|begin|work|stand|live|reachable|like|run|\w+ed)$")


def _asked(attribute: Attribute, match: re.Match[str]) -> AskedSlot | None:
    phrase = match.groupdict().get("s")
    if phrase and phrase[0].isupper() and (more := re.match(r"(?: [A-Z][\w-]*)+", match.string[match.end("s") :])):
        phrase += more.group()
    if phrase and "'s" not in phrase and _UNFINISHED.search(phrase):
        return None
    if phrase is None:
        return AskedSlot(USER if attribute.owner == USER else PROJECT, attribute.name, 0.6)
    if not is_subject(phrase) or not (belongs(attribute, phrase) or belongs(attribute, _as_name(phrase))):
        return None
    subject = canonical_subject(phrase)
    return AskedSlot(USER if subject == PROJECT and attribute.owner == USER else subject, attribute.name, 0.85)


def _as_name(phrase: str) -> str:
    """A phrase in lower case as the name that it may be: questions are often typed without capitals."""
    return phrase.title() if regex(r"[a-z]{2,}(?: [a-z]{2,})?", 0).fullmatch(phrase) else phrase


def _named(phrase: str, word: str) -> AskedSlot | None:
    named = property_of(phrase)
    if named is None or ("'s" not in phrase and _UNFINISHED.search(phrase)):
        return None
    if named.event:
        when = "time" if named.attribute in ("standup", "lunch", "breakfast", "dinner", "backup", "1:1") else "date"
        aspect = {
            "when": when,
            "where": "place",
            "how long": "length",
            "at what time": "time",
            "what time": "time",
        }.get(word.lower(), "")
        return AskedSlot(named.subject, f"{named.attribute} {aspect}", 0.6) if aspect else None
    if _is_known(named):
        return AskedSlot(named.subject, named.attribute, 0.8)
    return AskedSlot(named.subject, named.attribute, 0.5) if named.explicit and len(phrase.split()) <= 6 else None


def _is_known(named: Property) -> bool:
    if named.known is not None or named.attribute in by_name():
        return True
    return any(" ".join(named.attribute.split()[begin:]) in by_noun() for begin in range(len(named.attribute.split())))
