"""What a sentence states by a form that fits any attribute: "X's Y is Z", "Y of X was changed from A to B"."""

import re
from collections.abc import Iterator
from functools import cache

from .attributes import EVENTS, GENERAL, Property, property_of
from .comparison import same_value
from .lexicon import DATED, Attribute, Named, by_name, gazetteer, names_in
from .marks import regex
from .reading import Reading, reading_of
from .scopes import without_occasion, without_part
from .subjects import PROJECT, RELATIVES, USER
from .values import clean, is_capitalised, take
from .wording import Clause

_CHANGED = (
    r"(?:was |got |has been )?(?:changed|moved|switched|updated|raised|increased|lowered|cut|"
    r"reduced|bumped|set|reset|pushed|postponed|delayed|put off|put|brought|pulled|"
    r"rescheduled|shifted|extended|shortened|"
    r"upgraded|downgraded|migrated|renamed|relocated|transferred|reassigned|rotated|dropped|"
    r"doubled|halved|went|goes|rose|fell|grew|climbed|slipped|jumped|became|turned|sank|"
    r"decreased|adjusted|amended|corrected|fixed|altered|modified|lifted|tightened|relaxed|"
    r"expanded|revised|trimmed|hiked|capped|advanced|deferred|prolonged|swapped|replaced|is|"
    r"was|limited|swung|slid|swelled|shrank|soared|came)"
)
_WAY = r"(?: back| forward| up| down| over| out| off| ahead| again| by [\w ,.%$€£]{1,40}?){0,2}"


_SETTING = (
    r"(?P<n>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?: (?:is set|is|points) to | ?[=:] ?| is (?!(?:"
    r"(?!(?:en|dis)abled|unlimited|shared|mixed|embedded|signed|strict)[a-z]+ed|invalid|valid|broken|dangerous|"
    r"important|necessary|safe|unsafe|correct|incorrect|useful|useless|obsolete|stale|sensitive|public|new|old|fine|"
    r"ok|here|there|gone|ready|present|absent|available|unavailable|unknown|known|critical|risky|expensive|slow|"
    r"hidden|chosen|lost|leaking|failing|working|read|kept|written|overridden|unsafe|redundant)$))"
    r"(?P<v>(?!(?:not|un\w+|required|optional|missing|set|empty|wrong|secret|deprecated|documented|mandatory|used)\b)"
    r"[\w./:@#+,*?&%~-]+)"
)
"""A setting by its name, with no word about it: "NODE_ENV is production", "MAX_RETRIES=3", not "API_KEY is expired"."""


def by_forms(clause: Clause) -> Iterator[Reading]:
    if (setting := regex(_SETTING, 0).fullmatch(clause.full)) is not None:
        yield reading_of(clause, PROJECT, None, setting["n"].lower(), setting["v"], 0.95)
        return
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
        (
            r"(?P<np>.+?) (?:is (?:scheduled|planned|set|fixed|slated|booked|arranged|due|called|"
            r"named|held|expected)(?: for| on| at| to be| to| in)?|is|became|remains|stays|stands at|"
            r"amounts to|equals|will be|means|reads|comes to|lies at|runs at|starts at|begins at|"
            r"takes place (?:at|on|in)|happens (?:at|on|in)|was fixed at|was set at|has its place "
            r"(?:on|at|in)|falls on|starts|begins|kicks off(?: at)?|was set to|is kept (?:at|in)|is "
            r"down to|is up to|sits at|gathers? (?:at|in|on)|meets? (?:at|on|in|every)) (?P<v>.+)",
            0.85,
        ),
        (
            rf"(?P<np>.+?) (?!is |was [a-z]+$){_CHANGED}{_WAY}(?: from .+?)?{_WAY} (?:to|until|till|at|"
            rf"into|onto|by|as|with|for|on) (?P<v>.+)",
            0.85,
        ),
        (
            rf"(?!.*\bwas\b)(?P<x>[\w' -]+?) (?:changed|moved|switched|updated|raised|increased|"
            rf"lowered|cut|reduced|bumped|set|reset|pushed|postponed|delayed|put|brought|pulled|"
            rf"rescheduled|shifted|extended|shortened|upgraded|downgraded|migrated|renamed|relocated|"
            rf"transferred|rotated|dropped|adjusted|amended|corrected|altered|modified|lifted|fixed|"
            rf"swapped|revised|trimmed|hiked|capped|deferred|prolonged|replaced|doubled|limited){_WAY} "
            rf"(?P<np>(?:the|our|his|her|their|[A-Z][\w-]+'s|its|the user's|all) [\w' /-]+?){_WAY}(?: "
            rf"from .+?)? (?:to|until|till|at|into|by|with|for) (?P<v>.+)",
            0.8,
        ),
        (r"(?P<np>[^:=]{2,60}?)(?: ?:| ?=| ?->| is:) +(?P<v>[^:=]+)", 0.8),
        (
            r"(?P<s>.+?) (?:has|got|uses|chose|picked|took|set|received|was given|gets|needs|is on|"
            r"was assigned|is using) (?:a|an|the|its|his|her|their|another)? ?(?:new |different |"
            r"fixed |total |standard |default )?(?P<n>[\w' /-]+?)(?: of|,|:|, namely|, which is|, it "
            r"is|, called|, named| called| named|: it is| is| set to| at) (?P<v>.+)",
            0.75,
        ),
        (
            r"(?P<s>.+?) (?:has|uses|chose|picked|takes|took|got|keeps|prefers|adopted|selected|"
            r"settled on|went with|went for|opted for|decided on|relies on|switched to|gone over to|"
            r"moved to|changed to|goes with|decided for|works with|runs|wants|wears|went over to|"
            r"migrated to|stands by|hired|appointed|named|made|elected|has chosen|brought in) "
            r"(?P<v>.+?) (?:as|for) (?:(?:the|his|her|its|their|an?|our|the user's) )*(?P<n>[\w' /-]+)",
            0.7,
        ),
        (r"(?P<s>.+?)'s (?P<n>[\w /-]+?) changed hands to (?P<v>.+)", 0.7),
        (
            r"there is (?:a |an )?new (?P<n>[\w -]+?) (?:for|of|at|in) (?P<s>.+?)(?:,|:| -)? (?:it is "
            r"|namely |called |named )?(?P<v>.+)",
            0.6,
        ),
        (r"(?:use|please use|always use) (?P<v>.+?) (?:as|for) (?P<np>.+)", 0.0),
        (r"(?P<np>.+?) (?:is|was) (?:replaced|superseded|succeeded) (?:by|with) (?P<v>.+)", 0.75),
        (r"instead of .+?,? (?P<np>.+?) is (?P<v>.+)", 0.8),
    ):
        if not sure:
            continue
        match = regex(expression).fullmatch(text)
        if match is None:
            continue
        groups = match.groupdict()
        if groups.get("np"):
            phrase = groups["np"]
            if groups.get("x") and (own := re.match(r"^(?:its|his|her|their) (?P<n>.+)$", phrase)):
                phrase = f"{groups['x']}'s {own['n']}"
            yield phrase, groups["v"], sure
        else:
            yield (
                f"{groups['s']}'s {groups['n']}" if groups["s"].lower() not in ("we", "they") else f"our {groups['n']}",
                groups["v"],
                sure,
            )


def stated(clause: Clause, phrase: str, raw: str, sure: float, *, dated: bool) -> Reading | None:
    """What a sentence states that gives `raw` as the value of what `phrase` names."""
    phrase = re.sub(
        r"^(?:the new|the current|our new|new) ",
        lambda match: match.group().replace("new ", "").replace("current ", ""),
        phrase.strip(),
        flags=re.IGNORECASE,
    )
    if raw.lower().startswith(("not ", "no longer ")):
        return None
    named = property_of(phrase)
    if named is None or (not named.event and _is_kept(named.known) and regex(_BESIDE_WHAT).match(raw)):
        return None
    if (
        not named.event
        and not (named.known is not None and _is_no_place(named.known) and regex(r"(?:in|at|on|around) ").match(raw))
        and not (named.known is None and raw.startswith("in ") and raw[3:].lower() in _languages())
        and (bare := regex(r"^(?:by|via|on|at|in|with|under|around|about|through) (?!hand)").sub("", raw)) != raw
    ):
        return stated(clause, phrase, bare, sure, dated=dated)
    if named.event:
        return _of_event(clause, named, raw, sure)
    if _CARRIES_OR_PLAYS.intersection(gazetteer().get(named.attribute, ())):
        if regex(r"\d{1,2}[:.]\d\d(?: ?[ap]m)?").fullmatch(raw):
            return reading_of(clause, named.subject, None, f"{named.attribute} time", raw, min(sure, 0.7))
        if regex(_SOMEWHERE).search(clause.full):
            return None
    if named.owner and named.attribute in _VEHICLES and (colour := take("colour", raw)) and len(raw.split()) < 3:
        return reading_of(clause, f"{named.subject}'s {named.attribute}", None, "colour", colour[0], 0.7)
    if named.known is not None or (known := by_name().get(named.attribute)) is not None:
        attribute = named.known or known
        assert attribute is not None
        return _of_known(clause, named, attribute, raw, sure, dated=dated)
    if any(word in EVENTS for word in named.attribute.split()[:-1]) and named.attribute.split()[-1] in (
        "time",
        "date",
        "place",
        "length",
    ):
        return _of_aspect(clause, named, raw, sure)
    qualified = _qualified(named.attribute)
    if qualified is not None:
        taken = take(qualified.type, raw)
        if taken is None or named.subject == "":
            return None
        return reading_of(clause, named.subject, qualified, named.attribute, taken[0], min(sure, taken[1]))
    return _open(clause, named, raw, sure)


@cache
def _languages() -> frozenset[str]:
    """In what something is written, which is not what it is: "My thesis is in English"."""
    return frozenset(name for name, lists in gazetteer().items() if "language" in lists)


def _is_kept(known: Attribute | None) -> bool:
    """Whether it may be a thing that lies somewhere."""
    return (
        known is None
        or known.type == "text"
        or (known.kind == "attribute" and known.type not in ("place", "room", "org", "bank"))
    )


_BESIDE_WHAT = r"(?:in|on|at|under|behind) (?:the user's|his|her|their|my|our) "
"""Where something lies, which is not what it is: "in my bag"."""


def _qualified(name: str) -> Attribute | None:
    """The attribute that the end of a longer name names: "work phone number"."""
    words = name.split()
    for begin in range(1, len(words)):
        if (known := by_name().get(" ".join(words[begin:]))) and known.name not in GENERAL:
            return known
    return None


def _of_known(
    clause: Clause, named: Property, attribute: Attribute, raw: str, sure: float, *, dated: bool
) -> Reading | None:
    if attribute.type in DATED and not dated:
        return None
    if named.attribute.split()[-1] in _THINGS and (_OF_A_THING.match(raw) or regex(r"(?:in|on|at|around) ").match(raw)):
        return None
    if (
        attribute.type == "name"
        and attribute.owner == USER
        and any(
            one.begin == 0 and len(one.lists) == 1 and one.lists[0] in ("model", "database", "editor")
            for one in names_in(raw)
        )
    ):
        return None
    if attribute.type in ("text", "count", "number") and not _is_title(named.attribute):
        raw = without_part(raw)
    if named.attribute in RELATIVES and regex(r"\b(?:goes|went) to\b").search(clause.full):
        return None  # where a child goes is no name
    taken = take(attribute.type, raw)
    if taken is None and attribute.type == attribute.name:
        raw = without_occasion(raw)
        taken = take(attribute.type, raw)
    if taken is None and attribute.type in ("place", "org", "name", "text", "profession"):
        taken = _plain_value(raw, attribute)
    if (taken is None and attribute.name in ("release date", "deadline")) or (
        taken is None and attribute.type == "text"
    ):
        return None
    name = named.attribute
    if taken is None:
        return _of_other_type(clause, named, attribute, raw, sure)
    value = f"{attribute.prefix} {taken[0]}" if attribute.prefix else taken[0]
    if same_value(value, name):
        return None
    return reading_of(clause, named.subject, attribute, name, value, min(sure, max(taken[1], 0.75)))


def _plain_value(raw: str, attribute: Attribute) -> tuple[str, float] | None:
    value = clean(raw)
    if not value or len(value.split()) > 6 or not _valuelike(value, attribute.type):
        return None
    return value, 0.65


def _of_other_type(clause: Clause, named: Property, attribute: Attribute, raw: str, sure: float) -> Reading | None:
    """A phone that is a Pixel is no phone number; a port that is a name is nothing."""
    if attribute.name == "phone number" and (taken := take("phone model", raw)):
        return reading_of(clause, named.subject, by_name()["phone model"], "phone model", taken[0], 0.75)
    if attribute.name == "car" and (taken := take("colour", raw)):
        return reading_of(clause, f"{named.subject}'s car", None, "colour", taken[0], 0.7)
    if attribute.name == "address" and (taken := take("email", raw) or take("ip", raw)):
        name = "email address" if "@" in taken[0] else "ip address"
        return reading_of(clause, named.subject, by_name()[name], name, taken[0], 0.8)
    tools = [one for one in names_in(raw) if one.begin <= 4 and attribute.name not in one.lists]
    if tools and attribute.type == attribute.name and not any(one in by_name() for one in tools[0].lists):
        return None
    if tools and attribute.type == attribute.name:
        other = next(
            (
                one
                for one in tools[0].lists
                if one in by_name() and attribute.name in by_name()[one].parts | set(by_name()[one].nouns)
            ),
            None,
        )
        if other:
            return reading_of(clause, named.subject, by_name()[other], other, tools[0].text, 0.7)
        return None
    if (
        attribute.type == attribute.name
        and named.owner
        and is_capitalised(raw)
        and len(raw.split()) <= 4
        and not clause.scope
    ):
        value = clean(raw)
        return reading_of(clause, named.subject, attribute, named.attribute, value, min(sure, 0.65)) if value else None
    return None


def _of_event(clause: Clause, named: Property, raw: str, sure: float) -> Reading | None:
    """An event's date, time, place or length, by what the value is."""
    for type_, aspect in (
        ("date", "date"),
        ("weekday", "date"),
        ("time", "time"),
        ("duration", "length"),
        ("moment", "date"),
    ):
        taken = take(
            type_,
            re.sub(
                r"^(?:on|at|for|every|each|in) (?!the \w+ room)",
                lambda match: match.group() if match.group().strip() in ("every", "each") else "",
                raw,
            ),
        )
        if taken:
            if aspect == "date" and re.fullmatch(r"\d[\d.,]*", taken[0]):
                continue
            return reading_of(clause, named.subject, None, f"{named.attribute} {aspect}", taken[0], min(sure, 0.8))
    moment = take("moment", raw)
    if moment:
        return reading_of(clause, named.subject, None, f"{named.attribute} date", moment[0], min(sure, 0.75))
    taken = take("room", re.sub(r"^(?:in|at) ", "", raw)) or (
        take("place", re.sub(r"^(?:in|at) ", "", raw))
        if re.match(r"^(?:in|at) ", raw) or not re.match(r"^[a-z]", raw)
        else None
    )
    if taken:
        return reading_of(clause, named.subject, None, f"{named.attribute} place", taken[0], min(sure, 0.7))
    return None


def _of_aspect(clause: Clause, named: Property, raw: str, sure: float) -> Reading | None:
    aspect = named.attribute.split()[-1]
    types = {
        "time": ("time", "moment"),
        "date": ("date", "weekday", "moment"),
        "place": ("room", "place"),
        "length": ("duration",),
    }[aspect]
    for type_ in types:
        if taken := take(type_, re.sub(r"^(?:on|at|in) ", "", raw)):
            return reading_of(clause, named.subject, None, named.attribute, taken[0], sure)
    return None


_NO_VALUE = re.compile(
    r"^(?:half|almost|nearly|mostly|partly|done\b|finished\b|submitted\b|very|too|so|quite|really|rather|great|good|bad|nice|fine|ok|okay|better|worse|best|"
    r"worst|well|long|short|big|small|large|huge|fast|slow|easy|hard|difficult|important|"
    r"interesting|useful|useless|boring|fun|funny|new|old|"
    r"ready|wrong|right|true|false|correct|late|early|here|there|gone|broken|possible|"
    r"impossible|necessary|sad|happy|angry|tired|sick|ill|busy|free|nearby|expensive|cheap|"
    r"beautiful|ugly|hot|cold|warm|loud|quiet|dirty|clean|empty|full|lost|safe|dangerous|"
    r"to |that |what |why |how |when |where |because |like |as |about |over |under |up |down |"
    r"just |only |all |more |less |most |much |many |no |not |nothing |something |everything |"
    r"his |her |their |its |my |your |our |one of |a lot|a bit|a mess|a disaster|a joke|a "
    r"problem|an issue|a good|a bad|a great|a nice|the best|the worst|the same|the reason|the "
    r"problem|the only|the first|the last|it |he |she |they |we |you |I |this |these |those |"
    r"some |any |from |with |without |for |by |of |being |going |doing |getting |making |"
    r"having |currently |in |on |at |\w+ed (?:on|in|at|by|to|with|under|for|from)\b|reachable "
    r"|kept |built |written |run |led |due |held )",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(r"^(?:\w+(?:ful|ous|ive|able|ible|less|ing|ed|ish|al|ic|y|ly|some|ant|ent))$", re.IGNORECASE)


def _valuelike(value: str, type_: str = "text") -> bool:
    words = value.split()
    if (
        not words
        or _NO_VALUE.match(f"{value} ")
        or re.search(
            r"\b(?:is|was|are|were|has|have|had|will|would|can|does|did|that|which|who|because|if|when|while)\b",
            value.lower(),
        )
    ):
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
    is_title = _is_title(named.attribute)
    value = clean(raw if is_title else without_part(raw))
    is_just = named.attribute.endswith("command") and value.startswith("just ")  # a tool of that name
    if not value or not (is_just or _valuelike(value)) or len(named.attribute) < 2:
        return None
    plainly = (
        is_capitalised(value) or re.match(r"^[\d$€£#\"'+/~-]", value) is not None or re.search(r"\d", value) is not None
    )
    named_value = any(one.begin == 0 for one in names_in(value))
    if named_value and not named.owner:
        return None
    if named.attribute.split()[-1] in _THINGS and _OF_A_THING.match(value):
        return None
    if not (plainly or named_value):
        words = value.split()
        if (
            len(words) > (6 if is_title else 3)
            or _ADJECTIVE.match(words[-1])
            or not (named.explicit or named.owner)
            or not re.match(r"^[\w-]+$", words[0])
        ):
            return None
        sure = min(sure, 0.6)
    names = [one for one in names_in(named.attribute) if one.begin == 0 and one.end == len(named.attribute)]
    if any(_is_software(one) for one in names) or (names and not (plainly or named_value)):
        return None  # "I use Vim at work", "My guitar is out of tune"
    if named.attribute.split()[-1] in _NO_ATTRIBUTE or not re.match(r"^[a-zäöüéß]", named.attribute):
        return None
    if not named.explicit and not named.owner:
        if len(named.attribute.split()) < 2 or not plainly or len(value.split()) > (6 if is_title else 2):
            return None
        sure = min(sure, 0.6)
    for type_ in ("email", "phone", "money", "ip", "duration", "version", "count"):
        if type_ != "count" and (taken := take(type_, raw)):
            value = taken[0]
            break
    return reading_of(clause, named.subject, None, named.attribute, value, min(sure, 0.7))


def _is_title(attribute: str) -> bool:
    """Whether its values are titles and topics, of which every word is part."""
    return attribute.split()[-1] in _TITLES


_TITLES = frozenset(
    "title subtitle topic slogan thesis name motto subject headline theme dissertation essay paper talk tagline quote "
    "song book hobby specialty speciality skill".split()
)


def _is_software(listed: Named) -> bool:
    """Whether a name is one of tools: a car, a guitar or a country is what somebody may say more of."""
    return not _OTHER_LISTS.issuperset(listed.lists)


_OTHER_LISTS = frozenset(
    "transport car bike instrument genre drink dish food place language colour sport season diet religion animal "
    "profession relationship room".split()
)


def _is_no_place(known: Attribute) -> bool:
    """Whether where something of this attribute is says not which one it is: a manager, a bank, a bike."""
    return known.type == "name" or known.name in ("bank", "hotel", "school", "bike", "bicycle", "camera", "citizenship")


_CARRIES_OR_PLAYS = frozenset({"transport", "instrument"})
_SOMEWHERE = r"\b(?:is|are) (?:in|at|on|under|behind|around|with) "
"""Where a thing is, which is not what it is: "My bike is in the garage"."""
_VEHICLES = frozenset("car van bike bicycle boat motorcycle scooter".split())
"""What has a colour that is told: "My car is red"."""
_THINGS = frozenset(
    """dog cat horse rabbit hamster fish bird parrot pony puppy kitten pet car van bike bicycle boat house flat
    apartment garden coat jacket camera phone laptop computer watch sofa desk chair branch stack""".split()
)
_OF_A_THING = re.compile(
    r"(?:(?:about |almost |nearly )?\d+(?: (?:years?|months?|weeks?)(?: old)?)?|size .*|afraid of .*|(?:very )?(?:"
    r"black|white|brown|red|blue|green|yellow|grey|gray|pink|purple|orange|beige|golden|broken|afraid|scared|sick|ill|"
    r"tired|hungry|asleep|dead|gone|lost|missing|old|young|big|small|dirty|clean|full|empty|expensive|cheap|ready|late|here|"
    r"there|away|fine|ok|okay|protected|deleted))$",
    re.IGNORECASE,
)
"""How a thing or an animal is, not which one: "My dog is black", "My cat is 4 years old"."""


_NO_ATTRIBUTE = frozenset(
    "idea thing question problem issue opinion point reason way answer fact truth part day "
    "weekend life mood story news advice goal plan dream fear hope wish feedback comment "
    "suggestion thought feeling team project work result reaction response report message "
    "note service server printer client customer machine box host app application website up down in out off".split()
)


def _reversed(clause: Clause, text: str) -> Iterator[Reading]:
    """ "Ines is Priya's new manager", "9090 is the API's port", "Ines took over as manager of Priya"."""
    for expression in (
        r"(?P<v>.+?) (?:is|became|was made|was named|was appointed|was elected|was chosen as|was "
        r"picked as|serves as|acts as|is acting as|was confirmed as|was installed as|took over as|"
        r"takes over as|stepped in as|stepped up as|is taking over as|is serving as) (?:as "
        r")?(?P<np>(?:the |a |our |its )?.+)",
        r"(?P<v>.+?) (?:replaced|replaces|succeeded|succeeds|took over from|takes over from|"
        r"follows|followed) .+? as (?P<np>.+)",
        r"(?:we|they|the company|the board|management) (?:appointed|named|made|elected|hired|"
        r"chose|picked|promoted) (?P<v>.+?) (?:as |to be )?(?P<np>(?:the |our )?new .+|the .+ of "
        r".+)",
    ):
        match = regex(expression).fullmatch(text)
        if match is None:
            continue
        if regex(r"(?:an? )?(?:head|lead|director|chief|vice president|vp) of ").match(match["np"]):
            continue  # a job: "head of sales"
        if regex(r"an? (?!new )").match(match["np"]):
            continue  # one of several: "a customer of Acme"
        phrase = re.sub(r"\bnew ", "", match["np"])
        named = property_of(phrase)
        if named is None or named.event:
            continue
        known = named.known or by_name().get(named.attribute) or _qualified(named.attribute)
        if known is None and named.attribute.startswith("favourite ") and named.owner and len(match["v"].split()) <= 4:
            yield reading_of(clause, named.subject, None, named.attribute, clean(match["v"]), 0.7)
        if (
            known is None
            or known.name in ("children", "job", "employer")
            or not (named.owner or known.type == known.name or known.name in ("port", "branch"))
            or False
        ):
            continue
        taken = take(known.type, match["v"])
        if taken is None or (taken[0] != match["v"].strip() and len(match["v"].split()) > len(taken[0].split()) + 1):
            continue
        value = f"{known.prefix} {taken[0]}" if known.prefix else taken[0]
        yield reading_of(clause, named.subject, known, named.attribute, value, 0.85)
