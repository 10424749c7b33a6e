"""Sentences of a prompt by which its user states something for good: a name, a preference, a decision, a change.

Prompts are mostly orders, questions and remarks about this moment. Precision comes first: a sentence counts if it has
one of a few forms, of several languages, and is kept in the user's own words.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ..text.scripts import CHINESE, JAPANESE, script_of
from ..text.sentences import sentences
from ..text.wording import contractions_undone, straightened
from . import lasting_unspaced
from .models import About, ExtractedFact, FactType, SpokenTurn
from .sentences import ASIDE, CONFIDENCE, HYPOTHETICAL, facts_in

MAX_CHARS = 4_000
"""Characters of a prompt that are read, from its beginning."""
MAX_SENTENCES = 20
MIN_WORDS, MAX_WORDS = 2, 30
MOST = 3
"""The most statements of one prompt: a longer list is a document that was pasted."""

_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey)(?: \w{1,20})?[,!] |(?:by the way|btw|also|one more thing|fyi|for the record|note|update"
    r"|remember(?: that)?|übrigens|außerdem|por cierto|además|au fait|a proposito|inoltre)[,:]? "
    r"|please (?=call|always|never|do not|don't|use)"
    r"|in this (?:repo|repository|project|codebase),? (?=we|never|always))+",
    re.IGNORECASE,
)
"""What precedes a statement, and is none of it."""
_ORDER_AFTER = re.compile(
    r",? (?:by the way|btw|fyi|übrigens|por cierto|au fait)$"
    r"|, (?:so |and )?(?:please|keep|remember|note|plan|all|take|use) .{1,100}$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"[?？؟]|\b(?:I think|maybe|perhaps|probably|vielleicht|eventuell|womöglich|falls|noch nichts?|todavía no|aún no"
    r"|pas encore|encore rien|non ancora|quizás?|tal vez|peut-être|forse"
    r"|magari|angeblich|anscheinend|vermutlich|(?:sollt|könnt|müsst|dürft|würd)en?)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;] (?:(?:and|but|so) )?(?=(?:we|i|our|my|the|all) |[A-Z])", re.IGNORECASE)
"""Where a sentence goes on with another statement: each is judged by itself, and kept with the whole sentence."""
_PASSING = re.compile(
    r"\b(?:it|these|those|here|there|ones?|which|nothing|anything|prefer not|(?:right|for) now|at the moment"
    r"|(?<!from )today"
    r"|the (?:first|second|third|last|other|same|wrong) \w+|mauvais\w*|falsche?\w?"
    r"|fail(?:s|ing|ed|ures?)?|errors?|bugs?"
    r"|crash\w*|problems?|issues?|broken|slow|lines? \d+|40\d|50\d"
    r"|gerade|nichts|jetzt mal|ahora mismo|eso|esto|cela|diese[mnrs]?|est[ea]s?|cett?e|cet|quest[oa])\b"
    r"|^The team never \w+ed\b"
    r"|^The user (?:moved|changed|renamed|replaced|dropped|built|finished|started|began|broke)\b",
    re.IGNORECASE,
)
"""What is about this moment or about what stands elsewhere in the conversation."""
_DAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
_WHEN = (
    rf"(?i:{_DAY}s?"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm|o'clock)|noon|midnight)"
)
_THING = (
    r"(?:(?:The|Our|All|Der|Die|Das|Unser\w{0,2}|El|La|Los|Las|Nuestr[oa]s?|Le|Les|Notre|Nos|Il|Lo|Gli|I|Il nostro"
    r"|La nostra) |L')"
)
_OWN_THING = r"(?:The|Our) (?!(?:problem|cause|culprit|reason|answer|question|point|idea)\b)[\w -]{2,40}"
_VALUE = (
    r"(?:(?:the|am|um|auf|der|den|die|el|los|las|le|la|il|at|on|in|by|with) ){0,2}"
    r"(?:[^\W_a-zß-ÿ]|\d|\w{1,40}[./_\d-]\w)"
)
"""What is named: by a capital letter, a digit, or as programs name things, "registry.corp.example"."""
_NOW = r"(?:now|jetzt|nun|ab jetzt|ab sofort|ahora|maintenant|désormais|ora|adesso)"
_FROM_NOW = (
    r"(?:from (?:now|today) on|from today$|as of (?:this|next)|going forward"
    r"|starting (?:now|next \w+)"
    r"|(?:a partir|desde|de) (?:de )?ahora(?: en adelante)?|désormais|dorénavant"
    r"|à partir (?:de maintenant|d'aujourd'hui)|d[a']? ?ora in (?:poi|avanti))"
)

_COMMENTS = ("//", "/*", "#", "--")
"""What begins a line of code that is none."""
_EXCLAIMED = re.compile(rf"(?i:(?!{_FROM_NOW},)\w{{1,30}}, )")
"""One word before a comma: an exclamation, which what follows may mean the other way round, or an answer."""


_SUBJECT = (
    r"(?!(?:I|You|We|It|He|She|They|This|That|What|Who)\b)"
    r"(?:(?:The|Our|All|Every|Each|My) (?!.* (?:that|which|when)\b)[\w.' -]{1,50}|[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3})"
)
"""A thing with its article, or a name; other words before a verb may be an order."""
_SINCE = r"(?:now$|since \w|any ?more$)"


def _beginnings(*forms: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns that match at the beginning alone, so that none is tried at each place of a long text."""
    return tuple(re.compile(rf"\A(?:{form})") for form in forms)


_FORMS = {
    FactType.IDENTITY: _beginnings(
        r"(?i:(?:my name|ich heiße|mein name ist|me llamo|mi nombre es|je m'appelle|mon nom est|mi chiamo|il mio nome è"
        r"|call me|nenn mich(?: bitte)?|llámame|appelle-moi|chiamami)(?: is)?) [^\W\d_a-zß-ÿ]\w+(?: [A-Z]\w+)?"
        r"(?:,|$| (?:and|und|y|et|e) )",
        r"I am [A-Z][a-z]+(?:,|$| from | and I )",
        r"I am (?:(?:a )?(?:vegan|vegetarian|pescatarian)|allergic to)\b",
        r"(?i:ich (?:wohne in|lebe in(?! de[rm] ))|ich arbeite (?:in(?! de[rm] )|bei|als(?! \w{1,20}es ))|vivo en"
        r"|trabajo (?:en|como)|j'habite|je travaille (?:chez|comme|pour)|abito|lavoro (?:come|per)) (?!\S*[._/]\w)",
        r"(?:Je (?:vis|travaille) (?:à|en|au)|Lavoro (?:a|in)) (?:une? |una? )?[^\W\d_a-zß-ÿ]|Lavoro in una? \w",
    ),
    FactType.PREFERENCE: _beginnings(
        r"(?i:i (?:(?:strongly|much|generally|usually) )?prefer|i (?:always|never) (?:want|use|like|need)|i do not like"
        r"|ich bevorzuge|ich mag (?:lieber|keine|nur)|ich möchte (?:immer|nie|grundsätzlich)|prefiero(?! \w+[aei]r)"
        r"|no me gustan"
        r"|siempre (?:quiero|uso)|nunca (?:quiero|uso)|je (?:préfère(?! \w+(?:er|ir|re)\b)|n'aime pas les|veux toujours"
        r"|ne veux jamais)"
        r"|preferisco|non mi piac(?:e|ciono)|voglio sempre|non voglio mai)\w? ",
        r"(?i:mir (?:ist|sind|wäre|wären) .{2,80} lieber$)",
    ),
    FactType.EVENT: _beginnings(
        r"(?i:we (?:have )?(?:decided|agreed|settled|chosen|chose|opted|standardi[sz]ed|went with|only (?:support|use))"
        r"|we are going with|wir (?:entschieden|beschlossen)|hemos (?:decidido|elegido|acordado)|decidimos|elegimos"
        r"|acordamos|(?:nous avons|on a) (?:décidé|choisi|convenu|retenu)|abbiamo (?:deciso|scelto|concordato)) ",
        r"(?i:wir haben (?!.{0,20}\b(?:nie(?:mals)?|nicht|fast|beinahe|dagegen)\b)"
        r".{2,80} (?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt)\b)",
        r"(?i:wir haben (?:entschieden|beschlossen|vereinbart|festgelegt)\b)",
    ),
    FactType.STATE: _beginnings(
        rf"(?i:.{{0,80}}\b{_FROM_NOW}\b)",
        rf".{{3,80}} (?:on|at|every) .{{0,20}}{_WHEN} now$",
        rf"[A-Z]\w+[^su\W]s (?:are|go|run|happen|start|end) .{{0,20}}(?:on {_DAY}s|every (?:\w+ )?{_DAY})$",
        rf"{_OWN_THING} (?:is|are|starts?|ends?|begins?|happens?|takes? place) (?:every|on|at) .{{0,20}}{_WHEN}",
        rf"{_SUBJECT} (?:is|are|runs?|lives?) (?:\w+ )?(?:on|in|at|by|with|from|called|named) {_VALUE}"
        rf".{{0,40}} {_SINCE}",
        r"(?:The|Our) [\w -]{2,40} (?:belongs? to|(?:is|are) (?:owned|maintained|handled) by) (?:the )?"
        r"(?:team \w|[\w-]+ team\b|[A-Z][a-z]+(?: [A-Z][a-z]+)?(?: now)?$)",
        rf"{_SUBJECT} (?:left|joined|is leaving|is joining) (?:the|our) (?:project|team|company)\b",
        rf"{_SUBJECT} must (?:always|never) \w",
        rf"{_OWN_THING} is [A-Z][a-z]+(?: [A-Z][a-z]+)?(?: now)?$",
        r"(?i:(?:always|never|do not ever) (?!mind\b)[a-z]+(?<!ing) .{5,})",
        r"(?i:(?:immer(?! noch| wieder| wenn)|niemals|siempre|nunca|toujours|sempre) .{4,60}"
        r" (?:commit|push|merge|deploy|main)\w*)",
        r"(?i:we no longer \w+|we (?:have )?(?:switched|moved|migrated|changed) (?:over )?(?:from|to) )",
        rf"We (?:have )?(?:switched|moved|migrated|renamed) (?:the|our) [\w -]{{2,40}} (?:from .{{1,40}} )?to {_VALUE}",
        r"(?i:wir (?:nutzen|verwenden|unterstützen|haben) .{2,60} nicht mehr|ya no (?:usamos|tenemos)"
        r"|(?:nous n'|on n')(?:utilisons|utilise|avons|a) plus(?! de)|non (?:usiamo|abbiamo) più)",
        r"(?i:wir (?:ver)?(?:wenden|nutzen) (?:jetzt|immer|nur)|ahora usamos|usamos (?:ahora|siempre|solo)"
        r"|nous utilisons (?:maintenant|toujours)|(?:adesso|ora) usiamo|usiamo (?:ora|adesso|sempre)) ",
        r"(?:(?:The|Our|All) )?(?!(?:I|You|We|It|He|She|They|This|That)\b)[A-Z][\w-]*"
        r"(?: (?!(?:that|we|you|I)\b)[\w-]+){0,4} "
        rf"(?:(?:have|has) )?(?:now )?(?:moved|switched|changed|migrated) (?:from .{{1,40}} )?to {_VALUE}",
        rf"{_THING}[\w -]{{2,40}} (?:is|are|runs?|lives?) {_NOW} (?:called \w|named \w|(?:hosted |owned )?{_VALUE})",
        rf"{_THING}[\w' -]{{2,40}} (?:(?:ist|sind|est|sont|es|son|è|sono) {_NOW} (?!\d+$)(?:um \w+ Uhr|{_VALUE})"
        rf"|heißt {_NOW} (?!anders\b)\w|{_NOW} se llama \w|s'appelle {_NOW} \w|{_NOW} si chiama \w)",
    ),
}
_OF_ONE = re.compile(r"The user(?:'s)? (?!said\b|and others\b)")


def statements(turn: SpokenTurn) -> list[ExtractedFact]:
    """Return what a prompt states for good, each once, at most MOST. Loads dateparser: call it in a thread."""
    found: dict[str, ExtractedFact] = {}
    text = straightened(ASIDE.sub(" ", turn.text[:MAX_CHARS]))
    for sentence in sentences(text)[:MAX_SENTENCES]:
        for fact in _stated(sentence, turn):
            found.setdefault(fact.text, fact)
    return list(found.values()) if len(found) <= MOST else []


def is_about_the_person(fact: ExtractedFact) -> bool:
    """Return whether what a prompt states holds of its user wherever they work, not of one project."""
    return fact.type in (FactType.IDENTITY, FactType.PREFERENCE) or _OF_ONE.match(fact.text) is not None


def _stated(sentence: str, turn: SpokenTurn) -> Iterator[ExtractedFact]:
    script = script_of(sentence)
    if script in (CHINESE, JAPANESE):
        said = sentence.rstrip(" .!;。！；")
        if (kind := lasting_unspaced.kind_of(said, japanese=script == JAPANESE)) is not None:
            yield _as_said(kind, said, "。", turn)
        return
    said = _ORDER_AFTER.sub("", _LEAD.sub("", sentence.rstrip(" .!;")))
    if sentence.startswith(_COMMENTS) or _UNSURE.search(sentence) or not MIN_WORDS <= len(said.split()) <= MAX_WORDS:
        return
    said = said[:1].upper() + said[1:]
    for clause in _clauses(said):
        known = [] if _PASSING.search(said) else facts_in(replace(turn, text=f"{clause}."))
        known = [fact for fact in known if not _PASSING.search(fact.text)]
        if known:
            yield from known
            return
        if (kind := _kind(clause)) is not None:
            yield _as_said(kind, said, ".", turn)
            return


def _as_said(kind: FactType, said: str, end: str, turn: SpokenTurn) -> ExtractedFact:
    """Return a statement in the user's own words."""
    return ExtractedFact(
        type=kind,
        about=About.USER,
        text=f'The user said: "{said}{end}"',
        occurred_at=turn.occurred_at,
        mentioned_at=turn.occurred_at,
        evidence=(turn.memory_id,),
        confidence=CONFIDENCE,
    )


def _clauses(said: str) -> list[str]:
    """Return the statements that a sentence is made of, without those about this moment; none of a condition or an
    exclamation.
    """
    if HYPOTHETICAL.search(said) or _EXCLAIMED.match(said):
        return []
    clauses = [clause[:1].upper() + clause[1:] for clause in _CLAUSE_END.split(said)]
    return [clause for clause in clauses if len(clause.split()) >= MIN_WORDS and not _PASSING.search(clause)]


def _kind(said: str) -> FactType | None:
    """Return what a sentence states by its form; None if it has none of them."""
    plain = re.sub(r"\b(My name)'s\b", r"\1 is", contractions_undone(said))
    return next((kind for kind, forms in _FORMS.items() if any(form.match(plain) for form in forms)), None)
