"""Reading: which attribute of whom a sentence states, by the lexicon's sentences and by the forms that fit any attribute."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from .attributes import EVENTS, Property, belongs, canonical_attribute, property_of
from .lexicon import DATED, Attribute, Named, Pattern, attributes, by_name, by_noun, names_in
from .subjects import PROJECT, USER, canonical_subject, is_person, is_subject
from .values import clean, extended, is_capitalised, same_value, take
from .wording import NEVER_MIND, Clause, clauses, contractions_undone, is_unsure, plain, sentences


@dataclass(frozen=True)
class Reading:
    """What a sentence states, before its dates are resolved."""

    subject: str
    attribute: str
    value: str | None
    confidence: float
    clause: Clause
    polarity: bool = True
    kind: str = "fact"


def readings(sentence: str) -> Reading | None:
    """What a sentence states; None where it states nothing, several things, or where the rules are unsure."""
    if is_unsure(_told(sentence)):
        return None
    if (found := _read(plain(_joined(sentence)))) is not None:
        return found
    parts = list(clauses(_joined(sentence)))
    found_in = []
    first = ""
    for part in parts:
        clause = plain(part)
        if first:
            clause = replace(clause, full=_inherited(clause.full, first), bare=_inherited(clause.bare, first))
        if one := _read(clause):
            found_in.append(one)
        first = first or _first_subject(clause.bare)
    return _agreed(found_in)


def _agreed(found: list[Reading]) -> Reading | None:
    """The last positive one of readings that are of one attribute of one subject."""
    if not found or len({(one.subject, one.attribute) for one in found}) > 1:
        return None
    positive = [one for one in found if one.polarity and one.value is not None]
    if len({(one.value or "").lower() for one in positive}) > 1:
        return None
    return replace((positive or found)[-1], clause=replace((positive or found)[-1].clause, marks_change=any(one.clause.marks_change for one in found)))


_TOLD = (
    (r"^(?:[Aa]t|[Ii]n|[Dd]uring|[Aa]fter) the \w+,? (?P<s>[A-Z]\w+(?: [A-Z]\w+)?) said that (?P<v>[A-Z]\w+(?: [A-Z]\w+)?) is (?:the|his|her) (?P<n>boss|manager|supervisor)$", r"\g<s>'s \g<n> is \g<v>"),
    (r"^(?:I |[Ww]e )?[Mm]et (?P<s>[A-Z]\w+(?: [A-Z]\w+)?) [\w ]+, (?:who|and (?:he|she)) (?P<rest>(?:works|lives|is|reports) .+)$", r"\g<s> \g<rest>"),
    (r"^\w+ (?P<s>[A-Z]\w+), who (?P<rest>(?:works|lives) .+)$", r"\g<s> \g<rest>"),
)


def _told(sentence: str) -> str:
    return _joined(sentence)


@cache
def _re(expression: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(expression, flags)


_PRONOUN = r"(?:it|that|this|which|he|she|they|the new one|the new \w+|the \w+ one)"


def _joined(sentence: str) -> str:
    """A sentence in one clause where two say one thing: "We changed the API port, it is 9090 now"."""
    text = contractions_undone(" ".join(sentence.split()))
    for expression, replacement in NEVER_MIND:
        text = _re(expression).sub(replacement, text)
    for expression, replacement in _TOLD:
        text = _re(expression, 0).sub(replacement, text)
    for expression, replacement in (
        (rf"^(?:.+? )?(?:changed|moved|updated|switched|replaced|has|have|got|reset|rotated|renamed) (?P<np>(?:the|our|my|his|her|their|[A-Z]\w+'s) [\w' -]+?)[,;:.]? (?:-+ )?(?:and )?{_PRONOUN}(?:'s| is| are| will be) (?P<v>.+)$", r"\g<np> is \g<v>"),
        (rf"^(?P<np>.+?)(?: has| have|'s)?(?: been)?(?: just| recently)? (?:changed|moved|was changed|was updated|was moved)[,;:]? (?:-+ )?(?:and )?{_PRONOUN}(?:'s| is| are| will be) (?P<v>.+)$", r"\g<np> is \g<v>"),
        (r"^(?P<np>.+?) (?:is|are) (?:no longer|not) (?P<old>.+?)(?: any ?more| any longer)?(?:,| -+|;)?(?: but(?: rather)?| it(?: is|'s)| it is) (?:now )?(?P<v>.+)$", r"\g<np> is now \g<v>"),
        (r"^(?P<a>.+?) (?:does not|doesn't|no longer) .+?(?: any ?more| any longer)?(?:,|;| -+|:) ?(?:but |and )?(?P<p>(?:he|she|they|it|we|I)\b(?:'s)? .+)$", r"\g<a> and \g<p>"),
    ):
        text = _re(expression).sub(replacement, text)
    return text


def _inherited(text: str, subject: str) -> str:
    if _re(r"^(?:he|she|they|it|that)'s? ").match(text + " "):
        return _re(r"^(?:he|she|they|it|that)\b").sub(subject, text, count=1)
    if _re(rf"^(?:{_USES}|joined|took|became|eats?|drinks?|leads?|answers?|studies|wakes?|speaks|likes?)\b").match(text):
        return f"{subject} {text}"
    return text


_VERB = re.compile(
    r" (?:is|was|has|does|sold|left|quit|moved|bought|got|traded|gave|changed|works|lives|uses|joined|switched|started|stopped|broke|resigned|finished|"
    r"drives|eats|took|went|drinks|likes|married|dropped|lost|ditched|resigns|retired|packed|returned|no longer|used)\b"
)


def _first_subject(text: str) -> str:
    match = _VERB.search(f"{text} ")
    subject = text[: match.start()] if match else ""
    return subject if subject and is_subject(subject) else ""


def _read(clause: Clause) -> Reading | None:
    if not clause.bare or _vague_future(clause):
        return None
    found = [
        *_by_sentences(clause),
        *_by_names(clause),
        *_by_forms(clause),
    ]
    found = [one for one in found if one.subject not in _NOBODY]
    if not found:
        return None
    best = max(found, key=lambda one: one.confidence)
    if best.confidence < 0.5 or _clash(best, found):
        return None
    return _scoped(best)


_NOBODY = frozenset({"it", "he", "she", "they", "this", "that", "there", "who", "one", "someone", "you", "here", ""})


def _clash(best: Reading, found: list[Reading]) -> bool:
    return any(
        one.confidence == best.confidence
        and one.subject != best.subject
        and one.attribute == best.attribute
        and not same_value(one.value, best.value)
        for one in found
    )


def _vague_future(clause: Clause) -> bool:
    return False


def _scoped(reading: Reading) -> Reading:
    scope = reading.clause.scope
    if not scope or scope in reading.subject.split():
        return reading
    subject = scope if reading.subject == PROJECT else f"{reading.subject} {scope}"
    return replace(reading, subject=subject)


# 1. The lexicon's sentences


def _by_sentences(clause: Clause) -> Iterator[Reading]:
    for attribute in attributes():
        for pattern in attribute.says:
            match = pattern.expression.fullmatch(clause.full if pattern.type in DATED else clause.bare)
            if match is not None:
                reading = _matched(clause, attribute, pattern, match)
                if reading is not None:
                    yield reading


def _matched(
    clause: Clause, attribute: Attribute, pattern: Pattern, match: re.Match[str]
) -> Reading | None:
    groups = match.groupdict()
    type_, result, ends, lenient = pattern.type, pattern.result, pattern.ends, pattern.lenient
    first = bool(groups.get("v")) and match.start("v") == 0
    subject_text = groups.get("s") or ""
    if groups.get("x") and (own := re.match(r"^(?:his|her|its|their) (?P<n>.+)$", subject_text)):
        subject_text = f"{groups['x']}'s {own['n']}"
    if attribute.name == "employer" and " is at " in f" {match.group()} " and not clause.marks_change:
        return None
    if subject_text and not is_subject(subject_text):
        return None
    if "s" in groups and not subject_text and attribute.name != "on-call":
        return None
    raw = groups.get("v")
    value: str | None
    if raw is None and "{v}" in result:
        value, sure = None, 0.8
    elif raw is None:
        value, sure = result, 0.85
    else:
        taken = take(type_, raw, lenient=lenient) if type_ else (raw.strip(), 0.85)
        if taken is None or (first and len(taken[0]) < len(raw.strip(" ,")) - 4):
            return None
        value, sure = result.replace("{v}", taken[0]), taken[1]
    if clause.negated and not clause.ended and _CHANGES.search(match.group()):
        return None
    if attribute.prefix and value:
        value = f"{attribute.prefix} {value}"
    if (owner := _owner(attribute, subject_text)) is None:
        return None
    if value is not None and same_value(value, owner):
        return None
    if ends and not clause.negated:
        clause = replace(clause, negated=True, ended=True, marks_change=True)
    return _reading(clause, owner, attribute, attribute.name, value, sure)


_CHANGES = re.compile(r"\b(?:moved|switched|migrated|joined|bought|sold|left|quit|changed|became|married|took|started|got|hired|promoted|relocated)\b")


def _owner(attribute: Attribute, phrase: str) -> str | None:
    """The subject of an attribute that a sentence names; None where such a subject has no such attribute."""
    if not phrase:
        return USER if attribute.owner == USER else PROJECT
    if not belongs(attribute, phrase):
        return None
    if attribute.name == "location" and (is_person(phrase) and not phrase.lower().startswith(("the ", "our ", "my "))):
        return None
    if attribute.name == "name" and (("'s " not in phrase and is_person(phrase)) or ((part := property_of(phrase)) and part.known)):
        return None
    if attribute.name == "pets" and not is_person(phrase):
        return None
    subject = canonical_subject(phrase)
    if attribute.name in ("lead", "status", "deadline", "release date", "budget") and subject == USER:
        return None
    if subject == PROJECT and attribute.owner == USER:
        return USER
    named = property_of(phrase)
    if named is not None and named.explicit and (named.known is not None and named.known.name == attribute.name):
        return named.subject
    if named is not None and named.known is None and named.explicit and named.attribute in attribute.parts:
        return named.subject
    if named is not None and named.event and attribute.name in ("deadline", "release date", "location", "status"):
        return None
    if named is not None and named.known is not None and named.known.name != attribute.name and attribute.name != "name":
        tool = named.known.type == named.known.name
        relative = named.known.type == "name" and attribute.owner == USER
        alone = named.subject in (USER, PROJECT)
        if (named.owner or (alone and not tool)) and named.attribute not in attribute.parts and not relative:
            return None
    return subject


def _reading(clause: Clause, subject: str, known: Attribute | None, attribute: str, value: str | None, sure: float) -> Reading:
    kind = known.kind if known else "fact"
    return Reading(subject, attribute, value, round(sure, 3), clause, not clause.negated, kind)


# 2. Names that tell by themselves what a sentence is about

_USES = (
    r"(?:uses?|is using|runs?|is running|works?|is|was|has|keeps?|stores?|writes?|takes?|codes?|programs?|builds?|tests?|deploys?|manages?|tracks?|listens?|reads?|"
    r"relies|depends|sits|lives|lies|moved|switched|migrated|changed|ported|converted|transferred|gone|went|came|adopted|chose|chosen|picked|selected|started|settled|standardi[sz]ed|opted|"
    r"prefers?|favou?rs?|sticks?|sends?|gets?|pushes|publishes|consumes|persists?|reports?|monitors?|formats?|lints?|authenticates?|logs?|signs|requires?|accepts|processes|pays?|handles?|"
    r"hosts?|opened|opens?|browses?|surfs?|installs?|does|flies|fly|banks|trains|subscribes?|subscribed|watches|stays?|booked|books|drives?|types?|replaced|goes|go|run|rewrote|reimplemented|rebuilt|relicensed|released|"
    r"insured|buys?|bought|got|owns?|carries|plays|hears|collects|caches|serves?|queues|exposes|speaks|offers|draws|designs?|communicates?|chats?|talks?|meets|holds|boots|upgraded|became|swapped|traded|dropped|ditched|abandoned|left|moved|brought|put|took|rolled|shifted|bets|leans|turned|pulls?|fetches|receives|provisions|orchestrates|schedules|publish|keep|store|is|measures|counts|bills|invoices|charges|clears|settles|checks|ships|pipes|feeds|delivers|stream|streams|jots|organi[sz]es|plans|develops|edits|hacks|records|saves|syncs|backs|resolves|follows|indexes|searches|loves|likes|stuck|ended|landed|decided|works|works|calls|asks|queries|prompts|generates|renders|packages|bundles|compiles|formatted|proxies|connects|tunnels)"
)
_FUNCTION = frozenset(
    """to on in with by at over into onto from of for as the a an its his her their my our all is was be it up across out back down away everything through via using
    under and now than more only new own whole entire used run it's been moved switched migrated changed ported go gone going went being started use using user's user that because them themselves powered made done runs
    run running set uses based put inside off around everywhere entirely instead held working settled decided picked both every each work doing things stuff other any got out rather it: switched: gone: chosen selected adopted standardized standardised opted favour around about top""".split()
)
_TEMPORARY = re.compile(r"(?<![\w-])(?:support|supports|integration|integrates|compat\w+|client for|plugin|export|import|exports|imports|audit|archive|mirror|mirrored|copy|backup|backups|beta|bridge|clone|fork|alternative|talk about|course|book|article|conference|meetup|stickers?|license of|certified|certificate|customers?|hates?|dislikes?|mock|emulat\w+|sample|training)\b", re.IGNORECASE)


def _by_names(clause: Clause) -> Iterator[Reading]:
    text = clause.bare
    for verb, named, before, after in _named(text):
        yield from _tool(clause, verb, named, before, after)


def _named(text: str) -> Iterator[tuple[str, Named, str, str]]:
    found = names_in(text)
    for named in found:
        begin = named.begin
        before = text[:begin].rstrip(" \"'")
        if not before:
            yield "", named, "", text[named.end :]
            continue
        yield "", named, before, text[extended(text, named.end) :]


def _tool(clause: Clause, verb: str, named: Named, before: str, after: str) -> Iterator[Reading]:
    text = clause.bare
    value = text[named.begin : extended(text, named.end)]
    if re.search(r"\b(?:from|instead of|rather than|than|replaced|swapped|traded|dropped|ditched|abandoned|left|gave up|out of|away from|off)(?: the| our| my| his| her)?$", before) and re.search(r"\b(?:to|for|with|by|into|in favour of|in favor of|onto)\b", after):
        return
    yield from _addressed(clause, named, value, before, after)
    parted = _parted(before)
    if parted is None:
        yield from _tool_first(clause, named, value, before, after)
        return
    subject, middle = parted
    purpose = _re(r"^for (?P<p>[\w -]+?)(?:,? (?P<s>the user|we|our [\w ]+|(?-i:[A-Z])[\w-]+)|, (?P<t>.+))$").match(subject)
    if purpose:
        subject, after = purpose["s"] or purpose["t"], f" for {purpose['p']}{after}"
    if not is_subject(subject):
        return
    yield from _of_category(clause, named, value, subject, middle, after)


def _parted(before: str) -> tuple[str, str] | None:
    """Subject and verb phrase of the words before a name."""
    for match in re.finditer(rf" (?P<verb>{_USES})(?= |$)", before):
        subject = before[: match.start()]
        last = subject.split()[-1].lower()
        if last in ("the", "of", "a", "an", "our", "its", "to", "for", "and", "user's", "in", "new") or last.endswith("'s"):
            continue
        return subject, before[match.start() + 1 :]
    return None


def _addressed(clause: Clause, named: Named, value: str, before: str, after: str) -> Iterator[Reading]:
    """"File bugs against X in Trello", "you find the sources of X at GitHub": what the words around X speak of."""
    match = _re(
        r"^(?P<lead>(?:you |we |one |please |callers? |clients? |users? |customers? |everyone |they |people )?[\w' -]+?) "
        r"(?:of|for|against|to|in|into|from|on) (?P<s>(?!to |in |of |for |on )(?:the |our |Project )?[\w-]+(?: [\w-]+){0,3}?) (?:in|at|with|to|on|through|via|by|using|over to|under|is in|go to|goes to|run on|runs on)$"
    ).match(before)
    if match is None or not is_subject(match["s"]) or (after.strip(" ,.") and not _LIGHT_AFTER.match(after)):
        return
    lead = {word.lower() for word in match["lead"].split()}
    rated = sorted(
        ((len(lead & by_name()[name].hints), name) for name in named.lists if name in by_name() and by_name()[name].type == name),
        reverse=True,
    )
    if not rated or not rated[0][0] or (len(rated) > 1 and rated[1][0] == rated[0][0]):
        return
    attribute = by_name()[rated[0][1]]
    if _content(lead, attribute) - _ADDRESSING or _TEMPORARY.search(match["lead"]):
        return
    yield _reading(clause, canonical_subject(match["s"]), attribute, attribute.name, value, 0.7)


_ADDRESSING = frozenset("you find finds file send put report please callers clients users customers everyone they people we one open raise reach will can look see get".split())
_LIGHT_AFTER = re.compile(r"^(?:,? (?:please|too|as well|only|alone|instead))*$")


def _tool_first(clause: Clause, named: Named, value: str, before: str, after: str) -> Iterator[Reading]:
    """"Postgres is the database of X", "Postgres replaced MySQL in X"."""
    if before and not re.fullmatch(r"(?:the|our|we use|it is)", before, re.IGNORECASE):
        return
    if match := re.fullmatch(r" (?:is|became|was made) (?P<np>.+)", after):
        named_property = property_of(match["np"])
        if named_property and named_property.known and named_property.known.name in named.lists:
            yield _reading(clause, named_property.subject, named_property.known, named_property.attribute, value, 0.85)
    if match := re.fullmatch(r" (?:replaced|replaces|succeeded|took over from|supersedes|superseded|took the place of) (?P<old>.+?)(?: (?:in|for|as) (?P<np>.+))?", after):
        category = next((one for one in named.lists if one in by_name()), None)
        old = names_in(match["old"])
        if category and (not old or set(old[0].lists) & set(named.lists)):
            shared = next((one for one in named.lists if old and one in old[0].lists), category)
            known = by_name()[shared]
            where = match["np"] or ""
            named_property = property_of(where) if where else None
            subject = named_property.subject if named_property and named_property.known else canonical_subject(where) if where and is_subject(where) else USER if known.owner == USER else PROJECT
            yield _reading(clause, subject, known, known.name, value, 0.8)
    if match := re.fullmatch(r" (?:hosts|runs|serves|powers|builds|backs|handles|processes|monitors|insures|stores|holds|tracks|drives) (?P<s>.+)", after):
        subject = re.sub(r"'s? (?P<x>[\w ]+)$", "", match["s"])
        if is_subject(match["s"]):
            yield from _of_category(clause, named, value, match["s"], after.split()[0], "")
        del subject


def _of_category(clause: Clause, named: Named, value: str, subject: str, middle: str, after: str) -> Iterator[Reading]:
    owned = property_of(subject)
    middle = re.sub(r"\bfrom [\w .+#/-]+?(?= (?:to|into|over to|onto)$)", "", middle)
    words = {word.strip(",").lower() for word in middle.split()}
    whole = words | {word.lower() for word in re.findall(r"[\w/'-]+", after)} | {word.lower() for word in re.findall(r"[\w/'-]+", subject)}
    categories = [by_name()[name] for name in named.lists if name in by_name() and by_name()[name].type == name]
    if not categories:
        return
    rated = sorted(categories, key=lambda one: -_rating(one, owned, whole, subject))
    attribute = rated[0]
    if len(rated) > 1 and _rating(attribute, owned, whole, subject) == _rating(rated[1], owned, whole, subject) and attribute.owner == rated[1].owner and len(named.lists) > 2:
        return
    purpose, rest = _purpose(after)
    if purpose is not None and not _speaks_of(attribute, purpose):
        other = by_noun().get(purpose)
        if other is not None and other[1] in named.lists:
            attribute = by_name()[other[1]]
        else:
            holder = _holder(attribute, subject, owned)
            if holder is not None and not _TEMPORARY.search(f"{purpose} {rest}") and _content(words, attribute) <= set() and not rest:
                yield _reading(clause, holder, other[0] if other else None, canonical_attribute(purpose), value, 0.65)
            return
    if rest and (target := re.fullmatch(r" ?(?:in|for|at|of|on) (?P<s>.+)", rest)) and subject.lower() in ("we", "the team") and is_subject(target["s"]):
        subject, owned, rest = target["s"], property_of(target["s"]), ""
    if rest and not _harmless(rest, attribute):
        return
    if attribute.type in ("drink", "colour", "transport", "diet", "religion", "language", "place", "relationship", "theme", "indentation", "car") and attribute.name not in ("indentation", "theme"):
        return
    moved = _MOVED.fullmatch(middle)
    whose = moved["what"] if moved and is_subject(moved["what"]) and not _of_hints(moved["what"], attribute) and subject.lower() in ("we", "the user", "the team", "our team", "they") else ""
    if whose and whose.lower().split()[-1] in ("over", "back", "up", "out"):
        whose = ""
    if _content(words - {word.lower() for word in whose.split()}, attribute) or _TEMPORARY.search(f"{middle} {subject} {rest}"):
        return
    holder = _holder(attribute, subject, owned)
    if holder is None:
        return
    if whose:
        what = property_of(whose)
        if not (what and not what.explicit and (what.attribute in attribute.parts or what.attribute == attribute.name)):
            inner = _holder(attribute, whose, what)
            holder = inner if inner is not None and inner != PROJECT else holder
    yield _reading(clause, holder, attribute, attribute.name, value, 0.75 if _rating(attribute, owned, whole, subject) else 0.7)


_MOVED = re.compile(
    r"(?:moved|switched|migrated|changed|ported|converted|transferred|run|runs|host|hosts|deploys?|builds?|write|writes|wrote|rewrote|reimplemented|keep|keeps|store|stores|manage|manages|track|tracks|put|brought|took|shifted|uses?|develop|develops|relicensed|released|publish|publishes|rebuilt|tests?|monitors?|formats?|serves?|handles?|processes|pays?|built|does|do|got|has|have|moved|sends?) (?P<what>(?:the |our |[A-Z])?[\w' -]+?)(?: over| across| back| completely| out)?(?: from .+?)? (?:to|on|in|into|onto|with|by|at|using|through|via|under)(?: the| an?)?"
)


def _of_hints(phrase: str, attribute: Attribute) -> bool:
    return all(word in attribute.hints or word in _FUNCTION for word in phrase.lower().split())


def _rating(attribute: Attribute, owned: Property | None, words: set[str], subject: str) -> float:
    rating = float(len(words & attribute.hints))
    if owned is not None and (owned.attribute == attribute.name or owned.attribute in attribute.parts):
        rating += 3
    if attribute.owner == USER:
        rating += 0.5 if is_person(subject) and subject.lower() != "we" else -0.5
    return rating


def _content(words: set[str], attribute: Attribute) -> set[str]:
    """The words of a verb phrase that neither the attribute's hints nor function words account for."""
    verbs = re.compile(_USES)
    return {
        word
        for word in words
        if word not in attribute.hints and word not in _FUNCTION and not verbs.fullmatch(word) and not word.rstrip("s") in attribute.hints and len(word) > 1
        and word not in attribute.nouns and word not in attribute.parts
    }


def _speaks_of(attribute: Attribute, purpose: str) -> bool:
    words = [word for word in purpose.split() if word not in ("the", "a", "all", "my", "our", "its", "his", "her", "any", "everything", "of", "and", "every", "for", "main", "default", "only", "primary", "new", "daily", "also", "personal", "work", "own")]
    if canonical_attribute(purpose) == attribute.name:
        return True
    return all(word in attribute.hints or word in attribute.nouns or word.rstrip("s") in attribute.hints for word in words)


def _purpose(after: str) -> tuple[str | None, str]:
    """What a sentence says that something is used for, and what is left: " as its database", " for coding"."""
    match = re.match(r"^,? ?(?:also )?(?:as|for|to (?:manage|do|handle|track|write|store|run|host|build|test|edit|keep|send|process)|when it comes to) (?:the user's |its |his |her |their |my |our |the |a |an |all |any )*(?P<p>[\w/ -]+?)(?P<rest> (?:in|at|on|of|for) .+)?$", after.strip(" ."))
    if match is None:
        return None, after.strip(" ,.")
    return match["p"].strip().lower(), (match["rest"] or "").strip()


_HARMLESS = re.compile(r"^(?:(?:,|too|as well|themselves|itself|everywhere|there|instance|instances|server|servers|cluster|database|databases|db|editor|theme|pipelines?|actions|terms|licen[sc]e|license|project|account|accounts|app|application|on (?:the|its|his|her) (?:side|own)|by hand|in the end|and (?:is|are|was) (?:very |quite )?(?:happy|pleased|glad|content)[\w ]*|and (?:loves?|likes?) it|for good|plan|queue|queues|broker|browser|for (?:that|this|it|everything|all of (?:it|that)|all)|code|codebase|files|only|alone|in (?:the )?(?:\w+ )?(?:version|release)|every day|daily|each day|at (?:the )?(?:moment|university)|with (?:a|two|three|some|great|no) [\w ]+|branch|flights|customer|member|stack|backend|cloud|hosting|infrastructure|setup|tests|suite|shell|prompt|format|style|api|apis|model|layer|based|after .+|since .+|following .+|thanks to .+|because .+|due to .+|seat|house|implementation|programming language|language|engine)(?: |$|,))+", re.IGNORECASE)


def _harmless(rest: str, attribute: Attribute) -> bool:
    rest = rest.strip(" ,.")
    match = _HARMLESS.match(f"{rest}")
    if match and match.end() >= len(rest):
        return True
    words = {word.lower() for word in re.findall(r"[\w/'-]+", rest)}
    return words <= (attribute.hints | {"the", "for", "all", "our", "its", "my", "and", "as", "a", "of", "every", "each", "new", "user's", "his", "her", "their"}) and not re.search(r"\b(?:in|on|at)\b", rest)


def _holder(attribute: Attribute, phrase: str, owned: Property | None) -> str | None:
    """Whose attribute a sentence about `phrase` states: the owner of a part ("the pipeline of X"), else itself."""
    if owned is not None and (owned.attribute == attribute.name or owned.attribute in attribute.parts or owned.attribute in attribute.nouns or (owned.known is not None and owned.known.name in (attribute.name, "repository host", "branch") and owned.attribute in ("repository host", attribute.name))):
        if owned.explicit or owned.owner:
            subject = owned.subject
            return USER if subject == PROJECT and attribute.owner == USER else subject
        return USER if attribute.owner == USER else PROJECT
    first = re.match(r"^(?:all |all of |most of |old )?(?:the user's |our |the )?(?P<part>[\w -]+?) (?:of|for|from|against|in|behind) (?P<owner>.+)$", phrase, re.IGNORECASE)
    if first and first["part"].lower() in attribute.parts | set(attribute.nouns) and is_subject(first["owner"]):
        return canonical_subject(first["owner"])
    subject = canonical_subject(phrase)
    if subject.startswith("user's ") and (subject.removeprefix("user's ") in attribute.parts or any(subject.endswith(f" {part}") for part in attribute.parts)):
        return USER
    if subject == PROJECT and attribute.owner == USER:
        return USER
    if owned is not None and owned.known is not None and owned.attribute != attribute.name and owned.owner:
        return subject
    return subject


# 3. Forms that state any attribute

_CHANGED = (
    r"(?:was |got |has been )?(?:changed|moved|switched|updated|raised|increased|lowered|cut|reduced|bumped|set|reset|pushed|postponed|delayed|put off|put|brought|pulled|rescheduled|shifted|extended|shortened|"
    r"upgraded|downgraded|migrated|renamed|relocated|transferred|reassigned|rotated|dropped|doubled|halved|went|goes|rose|fell|grew|climbed|slipped|jumped|became|turned|sank|decreased|adjusted|amended|corrected|fixed|altered|modified|lifted|tightened|relaxed|expanded|revised|trimmed|hiked|capped|advanced|deferred|prolonged|swapped|replaced|is|was|limited|swung|slid|swelled|shrank|soared|came)"
)
_WAY = r"(?: back| forward| up| down| over| out| off| ahead| again| by [\w ,.%$€£]+?)*"


def _by_forms(clause: Clause) -> Iterator[Reading]:
    for text in dict.fromkeys((clause.bare, clause.full)):
        dated = text != clause.bare
        for phrase, value, sure in _forms(text):
            found = stated(clause, phrase, value, sure, dated=dated or clause.full == clause.bare)
            if found is not None:
                yield found
        yield from _reversed(clause, text)


def _forms(text: str) -> Iterator[tuple[str, str, float]]:
    """Noun phrases, and the values that a sentence gives them."""
    for expression, sure in (
        (r"(?P<np>.+?) (?:is|became|remains|stays|stands at|amounts to|equals|will be|means|reads|comes to|lies at|runs at|starts at|begins at|takes place (?:at|on|in)|happens (?:at|on|in)|is held (?:at|on|in)|was fixed at|was set at|is set (?:at|to|for)|is (?:scheduled|planned|set|fixed|slated|booked|arranged|due|called|named|at|on|in|for|under|around|about)(?: for| on| at| to be| to| in)?|has its place (?:on|at|in)|falls on|starts|begins|kicks off(?: at)?|was set to|is kept (?:at|in)|is down to|is up to|sits at|gathers? (?:at|in|on)|meets? (?:at|on|in|every)) (?P<v>.+)", 0.85),
        (rf"(?P<np>.+?) (?!is |was [a-z]+$){_CHANGED}{_WAY}(?: from .+?)?{_WAY} (?:to|until|till|at|into|onto|by|as|with|for|on) (?P<v>.+)", 0.85),
        (rf"(?!.*\bwas\b)(?P<x>[\w' -]+?) (?:changed|moved|switched|updated|raised|increased|lowered|cut|reduced|bumped|set|reset|pushed|postponed|delayed|put|brought|pulled|rescheduled|shifted|extended|shortened|upgraded|downgraded|migrated|renamed|relocated|transferred|rotated|dropped|adjusted|amended|corrected|altered|modified|lifted|fixed|swapped|revised|trimmed|hiked|capped|deferred|prolonged|replaced|doubled|limited){_WAY} (?P<np>(?:the|our|his|her|their|[A-Z][\w-]+'s|its|the user's|all) [\w' /-]+?){_WAY}(?: from .+?)? (?:to|until|till|at|into|by|with|for) (?P<v>.+)", 0.8),
        (r"(?P<np>[^:=]{2,60}?)(?: ?:| ?=| ?->| is:) +(?P<v>[^:=]+)", 0.8),
        (r"(?P<s>.+?) (?:has|got|uses|chose|picked|took|set|received|was given|gets|needs|is on|was assigned|is using) (?:a|an|the|its|his|her|their|another)? ?(?:new |different |fixed |total |standard |default )?(?P<n>[\w' /-]+?)(?: of|,|:|, namely|, which is|, it is|, called|, named| called| named|: it is| is| set to| at) (?P<v>.+)", 0.75),
        (r"(?P<s>.+?) (?:has|uses|chose|picked|takes|took|got|keeps|prefers|adopted|selected|settled on|went with|went for|opted for|decided on|relies on|switched to|gone over to|moved to|changed to|goes with|decided for|works with|runs|wants|wears|went over to|migrated to|stands by|hired|appointed|named|made|elected|has chosen|brought in) (?P<v>.+?) (?:as|for) (?:(?:the|his|her|its|their|an?|our|the user's) )*(?P<n>[\w' /-]+)", 0.7),
        (r"(?P<s>.+?)'s (?P<n>[\w /-]+?) changed hands to (?P<v>.+)", 0.7),
        (r"there is (?:a |an )?new (?P<n>[\w -]+?) (?:for|of|at|in) (?P<s>.+?)(?:,|:| -)? (?:it is |namely |called |named )?(?P<v>.+)", 0.6),
        (r"(?:use|please use|always use) (?P<v>.+?) (?:as|for) (?P<np>.+)", 0.0),
        (r"(?P<np>.+?) (?:is|was) (?:replaced|superseded|succeeded) (?:by|with) (?P<v>.+)", 0.75),
        (r"instead of .+?,? (?P<np>.+?) is (?P<v>.+)", 0.8),
    ):
        if not sure:
            continue
        match = _re(expression).fullmatch(text)
        if match is None:
            continue
        groups = match.groupdict()
        if groups.get("np"):
            phrase = groups["np"]
            if groups.get("x") and (own := re.match(r"^(?:its|his|her|their) (?P<n>.+)$", phrase)):
                phrase = f"{groups['x']}'s {own['n']}"
            yield phrase, groups["v"], sure
        else:
            yield f"{groups['s']}'s {groups['n']}" if groups["s"].lower() not in ("we", "they") else f"our {groups['n']}", groups["v"], sure


def stated(clause: Clause, phrase: str, raw: str, sure: float, *, dated: bool) -> Reading | None:
    """What a sentence states that gives `raw` as the value of what `phrase` names."""
    phrase = re.sub(r"^(?:the new|the current|our new|new) ", lambda match: match.group().replace("new ", "").replace("current ", ""), phrase.strip(), flags=re.IGNORECASE)
    if raw.lower().startswith(("not ", "no longer ")):
        return None
    named = property_of(phrase)
    if named is None:
        return None
    if not named.event and (bare := _re(r"^(?:by|via|on|at|in|with|under|around|about|through) (?!hand)").sub("", raw)) != raw:
        return stated(clause, phrase, bare, sure, dated=dated)
    if named.event:
        return _of_event(clause, named, raw, sure)
    if named.known is not None or (known := by_name().get(named.attribute)) is not None:
        attribute = named.known or known
        assert attribute is not None
        return _of_known(clause, named, attribute, raw, sure, dated=dated)
    if any(word in EVENTS for word in named.attribute.split()[:-1]) and named.attribute.split()[-1] in ("time", "date", "place", "length"):
        return _of_aspect(clause, named, raw, sure)
    qualified = _qualified(named.attribute)
    if qualified is not None:
        taken = take(qualified.type, raw)
        if taken is None or named.subject == "":
            return None
        return _reading(clause, named.subject, qualified, named.attribute, taken[0], min(sure, taken[1]))
    return _open(clause, named, raw, sure)


def _qualified(name: str) -> Attribute | None:
    """The attribute that the end of a longer name names: "work phone number"."""
    words = name.split()
    for begin in range(1, len(words)):
        if known := by_name().get(" ".join(words[begin:])):
            return known
    return None


def _of_known(clause: Clause, named: Property, attribute: Attribute, raw: str, sure: float, *, dated: bool) -> Reading | None:
    if attribute.type in DATED and not dated:
        return None
    taken = take(attribute.type, raw)
    if taken is None and attribute.type in ("place", "org", "name", "text", "profession"):
        taken = _plain_value(raw, attribute)
    if taken is None and attribute.name in ("release date", "deadline") or taken is None and attribute.type == "text":
        return None
    name = named.attribute
    if taken is None:
        return _of_other_type(clause, named, attribute, raw, sure)
    value = f"{attribute.prefix} {taken[0]}" if attribute.prefix else taken[0]
    if same_value(value, name):
        return None
    return _reading(clause, named.subject, attribute, name, value, min(sure, max(taken[1], 0.75)))


def _plain_value(raw: str, attribute: Attribute) -> tuple[str, float] | None:
    value = clean(raw)
    if not value or len(value.split()) > 6 or not _valuelike(value, attribute.type):
        return None
    return value, 0.65


def _of_other_type(clause: Clause, named: Property, attribute: Attribute, raw: str, sure: float) -> Reading | None:
    """A phone that is a Pixel is no phone number; a port that is a name is nothing."""
    if attribute.name == "phone number" and (taken := take("phone model", raw)):
        return _reading(clause, named.subject, by_name()["phone model"], "phone model", taken[0], 0.75)
    if attribute.name == "car" and (taken := take("colour", raw)):
        return _reading(clause, f"{named.subject}'s car", None, "colour", taken[0], 0.7)
    if attribute.name == "address" and (taken := take("email", raw) or take("ip", raw)):
        name = "email address" if "@" in taken[0] else "ip address"
        return _reading(clause, named.subject, by_name()[name], name, taken[0], 0.8)
    tools = [one for one in names_in(raw) if one.begin <= 4 and attribute.name not in one.lists]
    if tools and attribute.type == attribute.name and not any(one in by_name() for one in tools[0].lists):
        return None
    if tools and attribute.type == attribute.name:
        other = next((one for one in tools[0].lists if one in by_name() and attribute.name in by_name()[one].parts | set(by_name()[one].nouns)), None)
        if other:
            return _reading(clause, named.subject, by_name()[other], other, tools[0].text, 0.7)
        return None
    if attribute.type == attribute.name and is_capitalised(raw) and len(raw.split()) <= 4 and not clause.scope:
        value = clean(raw)
        return _reading(clause, named.subject, attribute, named.attribute, value, min(sure, 0.65)) if value else None
    return None


def _of_event(clause: Clause, named: Property, raw: str, sure: float) -> Reading | None:
    """An event's date, time, place or length, by what the value is."""
    for type_, aspect in (("date", "date"), ("weekday", "date"), ("time", "time"), ("duration", "length"), ("moment", "date")):
        taken = take(type_, re.sub(r"^(?:on|at|for|every|each|in) (?!the \w+ room)", lambda match: match.group() if match.group().strip() in ("every", "each") else "", raw))
        if taken:
            if aspect == "date" and re.fullmatch(r"\d[\d.,]*", taken[0]):
                continue
            return _reading(clause, named.subject, None, f"{named.attribute} {aspect}", taken[0], min(sure, 0.8))
    moment = take("moment", raw)
    if moment:
        return _reading(clause, named.subject, None, f"{named.attribute} date", moment[0], min(sure, 0.75))
    taken = take("room", re.sub(r"^(?:in|at) ", "", raw)) or (take("place", re.sub(r"^(?:in|at) ", "", raw)) if re.match(r"^(?:in|at) ", raw) or not re.match(r"^[a-z]", raw) else None)
    if taken:
        return _reading(clause, named.subject, None, f"{named.attribute} place", taken[0], min(sure, 0.7))
    return None


def _of_aspect(clause: Clause, named: Property, raw: str, sure: float) -> Reading | None:
    aspect = named.attribute.split()[-1]
    types = {"time": ("time", "moment"), "date": ("date", "weekday", "moment"), "place": ("room", "place"), "length": ("duration",)}[aspect]
    for type_ in types:
        if taken := take(type_, re.sub(r"^(?:on|at|in) ", "", raw)):
            return _reading(clause, named.subject, None, named.attribute, taken[0], sure)
    return None


_NO_VALUE = re.compile(
    r"^(?:very|too|so|quite|really|rather|great|good|bad|nice|fine|ok|okay|better|worse|best|worst|well|long|short|big|small|large|huge|fast|slow|easy|hard|difficult|important|interesting|useful|useless|boring|fun|funny|new|old|"
    r"ready|wrong|right|true|false|correct|late|early|here|there|gone|broken|possible|impossible|necessary|sad|happy|angry|tired|sick|ill|busy|free|nearby|expensive|cheap|beautiful|ugly|hot|cold|warm|loud|quiet|dirty|clean|empty|full|lost|safe|dangerous|"
    r"to |that |what |why |how |when |where |because |like |as |about |over |under |up |down |just |only |all |more |less |most |much |many |no |not |nothing |something |everything |his |her |their |its |my |your |our |one of |a lot|a bit|a mess|a disaster|a joke|a problem|an issue|a good|a bad|a great|a nice|the best|the worst|the same|the reason|the problem|the only|the first|the last|it |he |she |they |we |you |I |this |these |those |some |any |from |with |without |for |by |of |being |going |doing |getting |making |having |currently |in |on |at |\w+ed (?:on|in|at|by|to|with|under|for|from)\b|reachable |kept |built |written |run |led |due |held )",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(r"^(?:\w+(?:ful|ous|ive|able|ible|less|ing|ed|ish|al|ic|y|ly|some|ant|ent))$", re.IGNORECASE)


def _valuelike(value: str, type_: str = "text") -> bool:
    words = value.split()
    if not words or _NO_VALUE.match(f"{value} ") or re.search(r"\b(?:is|was|are|were|has|have|had|will|would|can|does|did|that|which|who|because|if|when|while)\b", value.lower()):
        return False
    if re.search(r"[,;]", value) and type_ != "address":
        return False
    if type_ in ("org", "name", "place"):
        return is_capitalised(value) and len(words) <= 5
    if type_ == "profession":
        return len(words) <= 4 and not _ADJECTIVE.match(words[-1])
    return len(words) <= 6


def _open(clause: Clause, named: Property, raw: str, sure: float) -> Reading | None:
    """An attribute that the lexicon does not know: only for clear values, and where the text says whose it is."""
    value = clean(raw)
    if not value or not _valuelike(value) or len(named.attribute) < 2:
        return None
    plainly = is_capitalised(value) or re.match(r"^[\d$€£#\"'+/~-]", value) is not None or re.search(r"\d", value) is not None
    named_value = any(one.begin == 0 for one in names_in(value))
    if named_value and not named.owner:
        return None
    if not (plainly or named_value):
        words = value.split()
        if len(words) > 3 or _ADJECTIVE.match(words[-1]) or not (named.explicit or named.owner) or not re.match(r"^[\w-]+$", words[0]):
            return None
        sure = min(sure, 0.6)
    if named.attribute.split()[-1] in _NO_ATTRIBUTE or not re.match(r"^[a-zäöüéß]", named.attribute):
        return None
    if not named.explicit and not named.owner:
        if len(named.attribute.split()) < 2 or not plainly:
            return None
        sure = min(sure, 0.6)
    for type_ in ("email", "phone", "money", "ip", "duration", "version", "count"):
        if type_ != "count" and (taken := take(type_, raw)):
            value = taken[0]
            break
    return _reading(clause, named.subject, None, named.attribute, value, min(sure, 0.7))


_NO_ATTRIBUTE = frozenset(
    "idea thing question problem issue opinion point reason way answer fact truth part day weekend life mood story news advice goal plan dream fear hope wish feedback comment suggestion thought feeling team project work result reaction response report message note".split()
)


def _reversed(clause: Clause, text: str) -> Iterator[Reading]:
    """"Ines is Priya's new manager", "9090 is the API's port", "Ines took over as manager of Priya"."""
    for expression in (
        r"(?P<v>.+?) (?:is|became|was made|was named|was appointed|was elected|was chosen as|was picked as|serves as|acts as|is acting as|was confirmed as|was installed as|took over as|takes over as|stepped in as|stepped up as|is taking over as|is serving as) (?:as )?(?P<np>(?:the |a |our |its )?.+)",
        r"(?P<v>.+?) (?:replaced|replaces|succeeded|succeeds|took over from|takes over from|follows|followed) .+? as (?P<np>.+)",
        r"(?:we|they|the company|the board|management) (?:appointed|named|made|elected|hired|chose|picked|promoted) (?P<v>.+?) (?:as |to be )?(?P<np>(?:the |our )?new .+|the .+ of .+)",
    ):
        match = _re(expression).fullmatch(text)
        if match is None:
            continue
        phrase = re.sub(r"\bnew ", "", match["np"])
        named = property_of(phrase)
        if named is None or named.event:
            continue
        known = named.known or by_name().get(named.attribute) or _qualified(named.attribute)
        if known is None and named.attribute.startswith("favourite ") and named.owner and len(match["v"].split()) <= 4:
            yield _reading(clause, named.subject, None, named.attribute, clean(match["v"]), 0.7)
        if known is None or known.name in ("children", "job", "employer") or not (named.owner or known.type == known.name or known.name in ("port", "branch")) or False:
            continue
        taken = take(known.type, match["v"])
        if taken is None or taken[0] != match["v"].strip() and len(match["v"].split()) > len(taken[0].split()) + 1:
            continue
        value = f"{known.prefix} {taken[0]}" if known.prefix else taken[0]
        yield _reading(clause, named.subject, known, named.attribute, value, 0.85)


def main_reading(text: str) -> Reading | None:
    """What a text states in its clear main sentence: of several statements that differ, none."""
    parts = sentences(text)
    found = []
    chatter = 0
    first = ""
    for part in parts:
        if first and _re(r"^(?:he|she|they|it)\b").match(part):
            part = _re(r"^(?:he|she|they|it)(?='s\b|\b)").sub(first, part, count=1)
        one = readings(part)
        if one is not None:
            found.append(one)
        else:
            chatter += len(part)
        first = first or _first_subject(plain(part).bare)
    if not found or (len(parts) > 3 and len(found) > 1):
        return None
    if len(text) > 300 and (len(parts) > 2 or chatter > 300):
        return None
    return _agreed(found)
