"""Values: what a piece of a sentence holds of a type, and when two values are the same."""

import re
from functools import cache

from ..memory.date_spans import MONTH, WEEKDAY, YEAR
from .forms import DAY, FORMS, NUMBER_WORDS
from .lexicon import by_name, gazetteer, names_in

_STATUSES = (
    "open closed blocked done finished complete completed cancelled canceled paused merged live down deprecated resolved reopened approved rejected stalled "
    "archived active inactive shipped abandoned frozen released pending retired offline online ready unblocked delivered launched obsolete"
).split() + ["in progress", "in review", "on hold", "under review", "on track", "at risk", "behind schedule", "up and running", "under way", "underway", "in development", "in beta", "in alpha", "in testing", "in qa", "won't fix", "to do", "in production", "on ice", "end of life", "decommissioned", "put on hold", "up", "back up", "green", "red", "in maintenance mode", "read-only"]
_PROFESSION_SUFFIX = re.compile(r"(?:er|or|ist|ian|eer|ant|ent|man|woman|ess|eur|smith|wright|yst|ary)$")
_PROFESSIONS = frozenset(
    """nurse chef cook lead head director cto ceo cfo coo vp analyst intern architect pilot surgeon paralegal judge actuary clerk
    specialist associate officer consultant principal dean priest vet medic partner researcher freelancer nanny au-pair model
    barista butcher coach guide guard sre devops dba ux scrum master trainee apprentice therapist postdoc midwife bookkeeper tailor
    author artist journalist pharmacist representative rep agent staff president secretary treasurer assistant""".split()
)
_NO_PROFESSION = frozenset(
    """student major undergraduate manager-in-waiting member customer mother father brother sister daughter vegetarian owner beginner smoker runner reader believer lover riser
    speaker father grandmother grandfather user newcomer stranger other winner loser danger answer matter number computer server computer
    printer router worker-node letter paper river summer winter teenager foreigner supporter follower admirer teetotaler teetotaller listener
    better bigger smaller faster slower older younger later sooner taller stronger happier different important excellent patient present
    absent independent brilliant confident pleasant vegetarian christian presbyterian lutheran parent resident
    citizen container cluster drummer swimmer climber gamer cyclist pianist guitarist violinist optimist pessimist feminist
    perfectionist commuter early-riser morning-person night-owl hamster monster sober eager clever proper super bitter tender""".split()
)
_MANNER = re.compile(
    r"^(?:(?:very|more|really|rather|quite|much) )?(?P<v>(?:short|concise|brief|terse|detailed|long|verbose|thorough|formal|informal|casual|friendly|playful|direct|technical|simple|plain|funny|humorous|serious|polite|blunt|elaborate|"
    r"extensive|in-depth|high-level|low-level|bullet-point|bulleted|structured|succinct|compact|warm|neutral|professional|relaxed|crisp|chatty|dry|precise|exhaustive|\w+-(?:sentence|length|word|line|paragraph|step)|medium|step-by-step|sarcastic|minimal|longer|shorter|lengthy|encouraging|laconic|snappy|comprehensive|witty|businesslike)(?:(?: and |, )\w+)?)\b"
)
_FLUFF = re.compile(r"^(?:(?:the|an?|his|her|their|my|our|its|the user's|some|version|new|about|around|exactly|called|named|only|own|brand-new|brand new|yet another|good old|plain|plain old) )+", re.IGNORECASE)
_CAPITALS = r"(?:[^\W\d_a-z][\w'’.&+-]*|[a-z]+[A-Z]\w*|\d+[A-Z]\w*)"
_NAME = re.compile(rf"^(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?{_CAPITALS}(?:(?: (?:of|the|de|da|do|dos|van|von|der|den|di|la|le|el|al|and|&))* (?:{_CAPITALS}|\d+))*")
_SCOPE = re.compile(r"^,? ?(?:in|on|at|for|under|during|when|if|only|as|of|from|to|until|or|and|via|by|against|between|about|than|except|but|or|that|who|which|while|near|'s|\"|with|whose|unless|because|after|before|without|behind|through|within)\b")
_LIGHT = re.compile(
    r"^,? ?(?:(?:in total|overall|altogether|at its disposal|so far|there|place|too|time|o'clock|each|flat|max|in all|in the \w+ version|at the earliest|at the latest|sharp|per (?:sprint|month|year|day|week)|a (?:month|year|week|day)|today|"
    r"with (?:his|her|their|the|a|two|three|some|my|our) [\w ]+|by the way|for (?:that|this|it|now|years|ages|good)|as (?:his|her|their|the user's|its|the|a|an|our|my|main|default|primary|standard|sole|only|new|daily)\b [\w -]+|as standard|as default|on (?:the )?(?:train|bus|side|road|go|way)|in (?:the )?(?:evenings?|end|process)|"
    r"following .+|after (?:the|a|his|her|their|that|this|years|much|some|long|\w+ing) .+|since (?:the|his|her|their|then|that|\w+ing) .+|because .+|thanks to .+|due to .+|together with .+|near .+|in the (?:city|town) cent(?:er|re)|in (?:Portugal|Germany|Spain|France|Italy|the US|the UK|the Netherlands)|"
    r"and (?:is|was) (?:very |quite )?(?:happy|pleased|glad|content)|and (?:cancelled|left|quit|dropped|gave up|sold|stopped) .+|subscription|account|license|licence|instance|cluster|database|server|servers|editor|themselves|itself|city|area|region|programme|terms|project|pipelines?|seat|too|everywhere|all by hand|all written by hand)\b ?,?)+",
    re.IGNORECASE,
)


@cache
def _form(type_: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{FORMS[type_]})(?![\w@]|\.\d)", re.IGNORECASE)


def take(type_: str, text: str, *, lenient: bool = False) -> tuple[str, float] | None:
    """The value of a type at the beginning of a text and how sure that is (0..1), None where there is none.

    What follows the value must not narrow it ("email for invoices" is no contact channel) unless `lenient`.
    """
    text = text.strip(" ,\"'")
    if not text:
        return None
    if type_ in FORMS:
        return _taken_form(type_, text, lenient=lenient)
    taker = _TAKERS.get(type_)
    if taker is not None:
        return taker(text)
    return _taken_name_of(type_, text)


def _taken_form(type_: str, text: str, *, lenient: bool) -> tuple[str, float] | None:
    text = re.sub(r"^(?:about|around|roughly|exactly|approximately|only|just|up to|at) ", "", text)
    if type_ == "region" and not _form("region").match(text):
        found = _taken_place(text[:1].upper() + text[1:])
        return (text[: len(found[0])], 0.8) if found and found[1] > 0.8 else None
    match = _form(type_).match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    if not lenient and _narrows(rest, strict=type_ != "moment"):
        return None
    value = match.group().rsplit(":", 1)[-1].rsplit(" ", 1)[-1] if type_ == "port" else match.group()
    return value.strip(), 0.9


def _narrows(rest: str, *, strict: bool = False) -> bool:
    rest = rest.strip(" ,.\"'")
    while rest:
        shorter = _LIGHT.sub("", rest, count=1).strip(" ,")
        if shorter == rest:
            break
        rest = shorter
    return bool(rest) and (strict or _SCOPE.match(rest) is not None or len(rest.split()) > 4)


def _taken_name_of(type_: str, text: str) -> tuple[str, float] | None:
    open_, type_ = type_.endswith("?"), type_.removesuffix("?")
    stripped = _FLUFF.sub("", text)
    for named in names_in(stripped):
        if named.begin == 0 and type_ in named.lists:
            end = extended(stripped, named.end)
            if _narrows(stripped[end:]):
                return None
            return stripped[:end], 0.9
    if type_ == "drink" and (found := re.match(r"^(?:\w+ ){0,2}(?:tea|coffee|latte|espresso|cappuccino|americano|macchiato|juice|mocha|milk|chocolate|brew|white|black)\b", stripped)):
        return found.group(), 0.8
    if open_ and is_capitalised(stripped):
        return _taken_proper(stripped, 0.75)
    return None


def extended(text: str, end: int) -> int:
    """Where a name of the gazetteer that ends at `end` really ends: with its version or model ("Postgres 14")."""
    match = re.compile(r"(?: (?:v?\d+(?:\.\d+)*(?:\.x)?|Pro|Max|Plus|Ultra|Mini|Air|Lite|LTS|Enterprise|Community|Cloud|Actions|CI|Model \w|[A-Z]{1,3}\d+\w*|Corolla|Octavia|Zoe|Fiesta|Panda|Outback|Niro|Yaris|Civic|Golf|Polo|Clio|Leaf|Focus|Prius|[A-Z][a-z]+(?=$|,| now)))*").match(text, end)
    return match.end() if match else end


def is_capitalised(text: str) -> bool:
    """Whether a text begins like a proper name."""
    return _NAME.match(text) is not None


def _taken_proper(text: str, sure: float) -> tuple[str, float] | None:
    text = re.sub(r"^(?:the|a|an) (?=[A-Z])", "", text)
    match = _NAME.match(text)
    if match is None or _narrows(text[match.end() :]):
        return None
    name = match.group().strip()
    if re.fullmatch(rf"{MONTH}|{WEEKDAY}|{YEAR}", name, re.IGNORECASE) or name in ("I", "The", "A", "We", "Our", "My", "His", "Her", "Their", "Its", "All", "No", "Every", "One", "Old", "New", "There", "These", "What", "Who", "It", "He", "She", "They", "This", "That"):
        return None
    return name.rstrip("."), sure


def _taken_person(text: str) -> tuple[str, float] | None:
    found = _taken_proper(text, 0.85)
    if found and any(set(named.lists) & {"place"} and named.text == found[0] for named in names_in(found[0])) and found[0] not in ("Florence", "Victoria", "Jordan", "Georgia", "Sydney", "Austin", "Charlotte", "Madison", "Brooklyn", "Orlando", "Chester", "Dallas", "Washington", "Lima", "Santiago", "Salvador", "Houston", "Virginia", "Adelaide", "Rosario", "Sofia"):
        return None
    return found


def _taken_org(text: str) -> tuple[str, float] | None:
    found = _taken_proper(re.sub(r"^(?:a|an|the) (?:company|firm|startup|start-up|bank|consultancy|agency) (?:called|named) ", "", text), 0.8)
    if found is None or _place(found[0]) or re.search(r"\bteam\b", text):
        return None
    if any(set(named.lists) & {"editor", "programming language"} and len(named.text) == len(found[0]) for named in names_in(found[0])):
        return found[0], 0.6
    return found


def _place(text: str) -> bool:
    return "place" in gazetteer().get(text.lower(), ())


def _taken_place(text: str) -> tuple[str, float] | None:
    stripped = re.sub(r"^(?:the (?:city|town|village|area|outskirts|centre|center|suburbs) of |central |downtown |north |south |east |west |nearby |sunny |beautiful |rainy )", "", text)
    for named in names_in(stripped):
        if named.begin == 0 and "place" in named.lists:
            rest = re.sub(r"^(?:, [A-Z][\w ]*|,? (?:a|the) \w+ (?:city|town).*)", "", stripped[named.end :])
            if re.match(r"^-|^ [A-Z]", rest) or _narrows(rest):
                return None
            return stripped[: named.end + len(stripped[named.end :]) - len(rest)], 0.9
    found = _taken_proper(stripped, 0.55)
    if found is None:
        return None
    lists = gazetteer().get(found[0].lower(), ())
    if lists or re.search(r"\b(?:Inc|Corp|Ltd|GmbH|LLC|AG|Labs?|University|Bank|School|College|Hospital|Street|Road|Avenue|Team)\b|\d", found[0]) or re.search(r"\bteam\b|\bdepartment\b", text):
        return None
    return found


def _taken_channel(text: str) -> tuple[str, float] | None:
    stripped = _FLUFF.sub("", text)
    match = re.match(r"^(?:e-?mails?|phone(?: calls?)?|text(?: messages?)?|texts|sms|calls?|telephone|letter|post|fax|video calls?|voice (?:message|mail)s?|chat|DMs?|direct messages?|in person|carrier pigeon|pager|mail)\b", stripped, re.IGNORECASE)
    if match:
        return None if _narrows(stripped[match.end() :]) else (match.group(), 0.9)
    return _taken_name_of("chat tool", text) or _taken_name_of("meeting tool", text)


def _taken_profession(text: str) -> tuple[str, float] | None:
    value = clean(text)
    value = _FLUFF.sub("", value)
    value = re.split(r" (?:at|in|for|with|by|on|and|who|from|there|here|under|responsible|instead|over|since)\b|,", value)[0].strip()
    words = value.lower().split()
    if not words or len(words) > 5 or not re.match(r"^[a-z]", value, re.IGNORECASE):
        return None
    head = words[0] if len(words) > 2 and words[1] == "of" else words[-1]
    if value.lower() in ("retired", "unemployed", "self-employed", "a freelancer", "between jobs", "out of work", "freelance"):
        return value, 0.85
    if head in _NO_PROFESSION or " ".join(words) in _NO_PROFESSION:
        return None
    if head in _PROFESSIONS or (len(head) > 4 and _PROFESSION_SUFFIX.search(head) and head not in _NO_PROFESSION):
        return value, 0.8
    return None


def _taken_team(text: str) -> tuple[str, float] | None:
    match = re.match(r"^(?:the |our )?(?P<v>(?:[\w&/-]+ ){1,3}(?:team|squad|department|group|division|guild|chapter|crew|unit|tribe)|(?:team|squad|group|department) [\w-]+|(?-i:HR|IT|QA|R&D|SRE|DevOps|PR|UX)|marketing|sales|finance|engineering|design|legal|support|operations|platform|infrastructure|security|procurement|accounting|controlling|research|customer success|product|human resources|logistics|purchasing|quality assurance|customer support|product management|business development)\b", text, re.IGNORECASE)
    if match is None or _narrows(text[match.end() :]) or re.match(r"^ (?!team|squad|department)\w", text[match.end() :]):
        return None
    return re.sub(r" (?:team|squad|department|group|division|crew|unit)$", "", match["v"]), 0.85


def _taken_status(text: str) -> tuple[str, float] | None:
    for status in sorted(_STATUSES, key=len, reverse=True):
        if re.match(rf"^(?:the )?{re.escape(status)}(?: (?:state|phase|stage))?(?=$|,| (?:as|after|since|and (?:deployed|done|closed)|by|to production)\b)", text, re.IGNORECASE):
            return status, 0.85
    return None


def _taken_manner(text: str) -> tuple[str, float] | None:
    match = _MANNER.match(_FLUFF.sub("", text))
    return (match["v"], 0.85) if match else None


def _taken_title(text: str) -> tuple[str, float] | None:
    text = re.sub(r"^(?:the (?:book|novel|biography|memoir) |a (?:book|novel) (?:called|named) )", "", text).strip(" '\"")
    text = re.split(r" by (?=[A-Z])", text)[0]
    found = _taken_proper(text, 0.75) or (_taken_proper(text[4:], 0.75) if text.startswith("The ") else None)
    return (text[: text.index(found[0]) + len(found[0])], found[1]) if found else None


def _taken_room(text: str) -> tuple[str, float] | None:
    match = re.match(
        r"^(?:the |our |a )?(?P<v>(?:(?-i:[A-Z][\w'-]*|\d+[a-z]?)(?: (?-i:[A-Z][\w'-]*|\d+))*|(?:[\w'-]+ ){0,3}(?:room|kitchen|hall|hallway|basement|cellar|attic|garage|office|lobby|floor|closet|cupboard|rack|corner|shelf|drawer|storage|library|lab|studio|garden|shed|warehouse|loft|corridor|building|wing|entrance|cabinet|desk|canteen|cafeteria|lounge|foyer|reception|bathroom|bedroom|living room|workshop|bunker|greenhouse|boardroom|mezzanine|terrace|balcony|pantry)(?: \w?\d+\w?)?|room [\w.-]+|(?:rack|shelf|bay|row|slot|level|floor|building|hall) [\w.-]+))\b",
        text,
        re.IGNORECASE,
    )
    if match is None or _narrows(text[match.end() :]):
        return None
    value = match["v"]
    if re.fullmatch(r"\d+", value) or any(named.text == value and "place" not in named.lists for named in names_in(value)):
        return None
    return value, 0.75


def _taken_text(text: str) -> tuple[str, float] | None:
    value = clean(text)
    return (value, 0.6) if value and len(value.split()) <= 8 else None


def _taken_study(text: str) -> tuple[str, float] | None:
    value = re.sub(r" (?:at|in) (?:the )?(?:university|college|uni|school|[A-Z]).*$", "", clean(text)).strip()
    if not value or len(value.split()) > 4 or re.search(r"^(?:at|in|for|the |a |hard|how|every|with|abroad|to|on|full|part)", value) or re.fullmatch(r"\d.*", value):
        return None
    return value, 0.75


def _taken_school(text: str) -> tuple[str, float] | None:
    found = _taken_proper(text, 0.75)
    if found and not _place(found[0]) and re.search(r"Uni|School|College|Academy|Institut|Polytech|MIT|ETH|TU|KTH|EPFL|Oxford|Cambridge|Harvard|Stanford|Yale|Princeton|Caltech|Gymnasium|Lyc|LMU|UCL|LSE|NYU|UCLA|Berkeley", text):
        return found
    match = re.match(r"^(?:the )?(?P<v>University of [A-Z][\w ]+|(?:Technical )?University [\w ]+)", text)
    return (match["v"], 0.85) if match else None


def _taken_pet(text: str) -> tuple[str, float] | None:
    match = re.match(r"^(?:an?|one|two|three|four|\d+) (?:\w+ )?(?:dogs?|cats?|beagle|parrot|tortoise|goldfish|hamster|rabbits?|horse|bird|budgie|poodle|labrador|snake|lizard|ferret|guinea pigs?|turtle|pupp(?:y|ies)|kittens?|terrier|retriever|dachshund|fish|canary|gecko|hens?|chickens?|pony|donkey|mouse|rat|chinchilla|corgi|spaniel|husky|bulldog|pug|collie)\b(?: (?:called|named) [A-Z]\w+)?", text)
    return (match.group(), 0.8) if match else None


def _taken_doctor(text: str) -> tuple[str, float] | None:
    return _taken_proper(text, 0.85) if re.match(r"^(?:Dr|Doctor)\b", text) else None


def _taken_hobby(text: str) -> tuple[str, float] | None:
    return _taken_text(text)


def _taken_theme(text: str) -> tuple[str, float] | None:
    match = re.match(r"^(?:the )?(?P<v>dark|light|high-contrast|solari[sz]ed|sepia|night|black|bright|monokai|dracula|nord|gruvbox|\w+)(?: (?:theme|mode|colours?))?$", text, re.IGNORECASE)
    return (match["v"], 0.8) if match else None


_TAKERS = {
    "name": _taken_person, "org": _taken_org, "place": _taken_place, "place?": _taken_place, "channel": _taken_channel, "profession": _taken_profession,
    "team": _taken_team, "status": _taken_status, "manner": _taken_manner, "title": _taken_title, "room": _taken_room,
    "text": _taken_text, "study": _taken_study, "school": _taken_school, "pet": _taken_pet, "doctor": _taken_doctor, "hobby": _taken_hobby,
    "theme": _taken_theme,
}  # fmt: skip


def clean(text: str) -> str:
    """A value without what only surrounds it: quotes, articles, subordinate clauses."""
    text = re.split(r",? (?:because|so that|although|though|which|who|where|while|since|but|instead|rather)\b|, (?!\d)(?=and |so |it |he |she )", text)[0]
    return _FLUFF.sub("", text.strip(" \"'.,;:!")).strip(" \"'.,;:!")


_SYNONYMS = {
    "postgresql": "postgres", "mongodb": "mongo", "k8s": "kubernetes", "vscode": "vs code", "visual studio code": "vs code", "golang": "go", "gcp": "google cloud", "google cloud platform": "google cloud",
    "amazon web services": "aws", "js": "javascript", "ts": "typescript", "nyc": "new york", "new york city": "new york", "bike": "bicycle", "cycles": "bicycle", "e-mail": "email", "mail": "email", "subway": "metro", "underground": "metro", "tube": "metro",
    "meat eater": "omnivore", "omnivorous": "omnivore", "no meat": "vegetarian", "mit license": "mit", "mit licence": "mit", "postgre sql": "postgres", "gpl-3.0": "gplv3", "apache-2.0": "apache 2.0", "apache license 2.0": "apache 2.0",
    "microsoft teams": "teams", "phone calls": "phone", "phone call": "phone", "telephone": "phone", "call": "phone", "text": "text message", "sms": "text message", "texts": "text message", "osx": "macos", "os x": "macos", "color": "colour", "grey": "gray", "ms teams": "teams", "dark mode": "dark", "light mode": "light",
    "completed": "done", "complete": "done", "finished": "done", "canceled": "cancelled", "software developer": "software engineer", "munchen": "munich", "fortnight": "2 week", "gluten free": "gluten-free", "four-space indentation": "4 space", "two-space indentation": "2 space",
}  # fmt: skip
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


@cache
def canonical_value(value: str) -> str:
    """A value for comparison: case, articles, number words, units, dates and times in one form."""
    text = " ".join(value.lower().replace("’", "'").strip(" \t\"'.,;:!").split())
    text = _SYNONYMS.get(text, text)
    if re.fullmatch(r"\+?[\d ()./-]{6,}", text) and not re.fullmatch(r"\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d+(?:\.\d+)+", text):
        return re.sub(r"\D", "", text)
    text = re.sub(r"(?<=\d)[,' ](?=\d{3}\b)", "", text)
    text = re.sub(r"[$€£](?= ?\d)", lambda match: f"{ {'$': 'dollar', '€': 'euro', '£': 'pound'}[match.group()] } ", text)
    text = re.sub(r"(?<=\d)\s?(?:k|thousand|grand)\b", "000", text)
    text = re.sub(r"\b(?:eur|euros)\b|€", "euro", text)
    text = re.sub(r"\b(?:usd|dollars|bucks)\b|\$", "dollar", text)
    text = re.sub(r"\b(?:gbp|pounds|quid)\b|£", "pound", text)
    text = re.sub(r"\b(?:a|per|each|every|/) ?(?=(?:month|year|week|day|hour)\b)|/(?=(?:month|year|week|day|hour)\b)", "per ", text)
    text = re.sub(rf"\b(?P<d>{DAY})(?: of)? (?P<m>{MONTH})\b\.?|\b(?P<m2>{MONTH})\.? (?:the )?(?P<d2>{DAY})\b", _day_month, text)
    text = re.sub(r"\b(\d{4})-(\d\d)-(\d\d)\b", lambda m: f"{int(m[3])} {_MONTHS[int(m[2]) - 1]} {m[1]}" if 0 < int(m[2]) < 13 else m.group(), text)
    text = re.sub(r"\b(\d{1,2})(?:[:.](\d\d))?\s?(am|pm|a\.m\.|p\.m\.)(?!\w)", _clock, text)
    text = re.sub(r"\b(\d{1,2}):00\b", r"\1:00", text)
    text = re.sub(r"\b(\d{1,2}) ?(?:o'clock|h)\b", r"\1:00", text)
    text = re.sub(r"\bnoon\b", "12:00", text)
    words = []
    for word in re.findall(r"[\w#+@&:/\\-]+(?:\.[\w#+@-]+)*", text):
        if word in ("the", "a", "an", "of", "in", "at", "on", "at", "with", "about", "around", "roughly", "exactly", "version", "currently", "now", "my", "his", "her", "their", "years", "year", "old", "to", "dr", "port") and word not in (text,):
            continue
        word = NUMBER_WORDS.get(word, word)
        word = re.sub(r"^v(?=\d)", "", word)
        word = re.sub(r"(?<=\d)(?:s|secs?|seconds?)$", "", word)
        word = {"seconds": "", "second": "", "secs": "", "kilos": "kg", "kilograms": "kg", "gray": "grey"}.get(word, word)
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os", "'s")):
            word = word[:-1]
        if word:
            words.append(word)
    joined = " ".join(words)
    if currency := [word for word in words if word in ("euro", "dollar", "pound")]:
        joined = " ".join([*(word for word in words if word not in currency), currency[0]])
    return _SYNONYMS.get(joined, joined) or text


def _day_month(match: re.Match[str]) -> str:
    day, month = match["d"] or match["d2"], match["m"] or match["m2"]
    return f"{int(re.sub(r'[^0-9]', '', day))} {month[:3].lower()}"


def _clock(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3].startswith("p") else 0)
    return f"{hour}:{match[2] or '00'}"


def same_value(one: str | None, other: str | None, attribute: str = "") -> bool:
    """Whether two values are the same in other words, or one names the other more closely ("Postgres", "Postgres 14").

    Numbers, dates and times must be equal; a name may be the beginning of the longer one.
    """
    if one is None or other is None:
        return one is other
    first, second = canonical_value(one), canonical_value(other)
    if first == second:
        return True
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    shorter, longer = sorted((first.split(), second.split()), key=len)
    if not shorter or len(shorter) == len(longer) or longer[: len(shorter)] != shorter:
        return False
    kind = by_name()[attribute].type if attribute in by_name() else ""
    if kind in ("profession", "count", "number", "money", "version", "port", "duration", "text", "drink"):
        return False
    return not all(re.fullmatch(r"[\d.:,]+", word) for word in shorter)


