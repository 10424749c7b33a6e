"""Policy: rules that a person has made, applied to what is about to be done.

A rule speaks of a kind of action, of its object, and perhaps of a condition. It is asked for where somebody orders that
kind of action, of that object. What it says then is in its own words: "never delete production data" forbids, "ask
before deploying" wants a confirmation, "be careful with the release branch" warns. Memories alone decide nothing here:
the caller passes the rules that a person confirmed. English only, and a guard rail, not a wall: it stops what is said
plainly, and whoever wants to word an order around it can.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum

from ..records import dataclass
from ..text import lookalikes

MAX_REQUEST_CHARS = 400_000
"""What is looked at of a request, half of it at the beginning and half at the end."""
MAX_RULE_CHARS = 1_000
CLAUSE_GOES_ON_CHARS = 200
"""How far an order is read over the end of a line or part that is not the end of a sentence."""
PIECE_CHARS, OVERLAP_CHARS = 4_000, 500
"""What a tool is given is read in pieces: the object of a command stands near it."""


class RuleVerdict(StrEnum):
    """A rule's verdict on an action, the strongest last."""

    ALLOW = "allow"
    WARN = "warn"
    CONFIRM = "confirm"
    BLOCK = "block"


class ActionKind(StrEnum):
    """The kinds of action that rules are applied to."""

    DEPLOY = "deploy"
    DELETE = "delete"
    EXFILTRATE = "exfiltrate"
    OVERRIDE = "override"


@dataclass(frozen=True)
class Rule:
    """A rule by its id and its words."""

    id: str
    text: str


@dataclass(frozen=True)
class PolicyFinding:
    """A verdict, what was ordered, and the rule that says so; ALLOW has none."""

    verdict: RuleVerdict = RuleVerdict.ALLOW
    action: ActionKind | None = None
    rule: Rule | None = None
    rules: int = 0


_VERBS: Mapping[ActionKind, tuple[str, ...]] = {
    ActionKind.DEPLOY: ("deploy", "release", "roll out", "ship", "promote", "publish", "go live"),
    ActionKind.DELETE: ("delete", "remove", "drop", "wipe", "purge", "erase", "truncate", "destroy"),
    ActionKind.EXFILTRATE: ("export", "upload", "send", "share", "leak", "post", "email", "paste", "dump"),
    ActionKind.OVERRIDE: ("override", "bypass", "disable", "skip", "force push", "turn off", "ignore"),
}
_COMMANDS: Mapping[ActionKind, tuple[str, ...]] = {
    ActionKind.DEPLOY: (
        r"kubectl {1,4}(?:apply|rollout|set)\b",
        r"helm {1,4}(?:install|upgrade)\b",
        r"terraform {1,4}apply\b",
        r"(?:npm|yarn|cargo|poetry|uv) {1,4}publish\b",
        r"twine {1,4}upload\b",
        r"(?:vercel|netlify|fly|flyctl|gcloud app|make|npm run) {1,4}deploy\b",
        r"docker {1,4}push\b",
    ),
    ActionKind.DELETE: (
        r"rm {1,4}-\w{0,6}[rf]",
        r"git {1,4}(?:branch {1,4}-D|clean {1,4}-\w{0,4}f)",
        r"drop {1,4}(?:table|database|schema|collection)\b",
        r"truncate {1,4}table\b",
        r"delete {1,4}from\b",
        r"terraform {1,4}destroy\b",
        r"kubectl {1,4}delete\b",
        r"(?:aws s3|gsutil) {1,4}r[mb]\b",
    ),
    ActionKind.EXFILTRATE: (
        r"curl\b[^\n|;]{0,200} (?:-d|--data\S{0,10}|-F|-T|--upload-file) {0,4}\S{0,8}@",
        r"(?:scp|rsync)\b[^\n|;]{0,200} \S{1,80}:",
        r"pg_dump\b",
        r"mysqldump\b",
    ),
    ActionKind.OVERRIDE: (
        r"git {1,4}push\b[^\n|;]{0,100} (?:-f|--force)\b",
        r"--no-verify\b",
        r"chmod {1,4}(?:-R {1,4})?777\b",
    ),
}


def _inflected(verb: str) -> str:
    """Return a pattern of a verb's forms; of two words the first one changes, and `it` may stand between them."""
    word, _, rest = verb.partition(" ")
    forms = rf"{word[:-1]}(?:e|es|ed|ing)" if word.endswith("e") else rf"{word}(?:e?s|{word[-1]}?(?:ed|ing))?"
    return forms + (rf"[\s-]{{1,4}}(?:it\s{{1,4}})?{rest}" if rest else "")


def _participle(verb: str) -> str:
    """Return a pattern of what is done to an object."""
    word, _, rest = verb.partition(" ")
    form = {"send": "sent", "go": "gone"}.get(word, f"{word}d" if word.endswith("e") else f"{word}{word[-1]}?ed")
    return form + (rf"[\s-]{{1,4}}{rest}" if rest else "")


_SPOKEN = {
    action: re.compile(rf"\b(?:{'|'.join(map(_inflected, verbs))})\b", re.IGNORECASE)
    for action, verbs in _VERBS.items()
}
_ORDERED = {
    action: re.compile(
        rf"(?:{'|'.join(verb.replace(' ', r'[ -](?:it )?') for verb in verbs)})\b"
        r"(?!\s{1,4}(?:notes?|is|was|are|were|has|had|fail\w{0,5}|looks?)\b|-)",
        re.IGNORECASE,
    )
    for action, verbs in _VERBS.items()
}
"""Verbs as they are in an order; as what "release notes" and "the deploy failed" have, they are none."""
_DONE = {
    action: re.compile(rf"\b(?:{'|'.join(map(_participle, verbs))})\b", re.IGNORECASE)
    for action, verbs in _VERBS.items()
}
_TYPED = {action: re.compile("|".join(words), re.IGNORECASE) for action, words in _COMMANDS.items()}

_PART = "\x1e"
"""Stands between the parts of a request."""
_CLAUSE = re.compile(
    r"([.!?;:\n\x1e]+)\s{0,8}|,\s{1,4}(?:and\s{1,4}|then\s{1,4}|but\s{1,4})|\s(?:and\s{1,4}then|then|but)\s",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;:]")
_MARKER = (
    r"(?:(?:(?:step|task|item|point|todo)[\W_]{1,4})?"
    r"(?:\d{1,4}[\W_]{1,8}|[a-z]{1,5}[\W_]{0,2}[)\]}>|/\u2013\u2014][\W_]{0,8}))?+"
)
"""The mark of an entry of a list."""
_ORDER = re.compile(
    rf"[\W_]{{0,12}}+{_MARKER}"
    r"(?:(?:please|now|then|and|so|ok(?:ay)?|also|next|just|first|yes|hey|claude|go\s{1,4}ahead\s{1,4}and|go|let['’]?s|we\s{1,4}can\s{1,4}now|do"
    r"|(?:can|could|would|will)\s{1,4}(?:you|we)|(?:i|we)(?:['’]d|\s{1,4}would)?\s{1,4}(?:want|need|like)(?:\s{1,4}you)?\s{1,4}to"
    r"|you\s{1,4}(?:should|must|can|may)|it['’]?s\s{1,4}time\s{1,4}to|help\s{1,4}me(?:\s{1,4}to)?|try\s{1,4}to|(?:make|be)\s{1,4}sure\s{1,4}(?:you|to)"
    r"|be\s{1,4}so\s{1,4}kind\s{1,4}(?:as\s{1,4})?(?:to|and)|[a-z]{2,14}ly)[\s,*_]{1,8}){0,6}+",
    re.IGNORECASE,
)
_MIND = re.compile(r"mind\s{1,4}", re.IGNORECASE)
_WISHED = re.compile(
    r"(?:(?:i|we)(?:['’](?:d|ll)|\s{1,4}(?:would|will))?\s{1,4}(?:want|need|like|expect)\b(?!\s{1,4}(?:you\s{1,4})?to\b)|(?:have|get|see)\s)",
    re.IGNORECASE,
)
_TO_BE = re.compile(
    r"\b(?:must|should|(?:needs?|has|have|is|are)\s{1,4}to)\s{1,4}(?:\w{2,14}ly\s{1,4}|now\s{1,4})?be\s{1,4}\Z",
    re.IGNORECASE,
)
_WAS = re.compile(r"\b(?:was|were|been|got|is|are|being|be)\s{1,4}\Z", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:how|why|what|when|who|which|where|if|whether)\b", re.IGNORECASE)
_WISH_ENDS = re.compile(
    r"[\W_]{0,8}(?:\Z|(?:now|today|tonight|tomorrow|please|asap|immediately|before|by|from|at|on|in|for|to|first|and|right|\w{2,14}ly)\b)",
    re.IGNORECASE,
)
_HINT = re.compile(
    "|".join({verb.partition(" ")[0].rstrip("e") for verbs in _VERBS.values() for verb in verbs})
    + r"|sent|kubectl|helm|terraform|npm|yarn|cargo|poetry|uv|twine|vercel|netlify|fly|gcloud|make|docker|rm|git|aws"
    + r"|gsutil|curl|scp|rsync|pg_dump|mysqldump|--no-verify|chmod",
    re.IGNORECASE,
)
"""What a clause has somewhere that orders anything of ours."""
_AND = re.compile(r"\s{1,4}and\s{1,4}", re.IGNORECASE)

_NEGATED = re.compile(
    r"\b(?:never|do\s{1,4}not|don['’]t|must\s{1,4}not|mustn['’]t|may\s{1,4}not|cannot|can['’]t|no(?:body|\s{1,4}one)?|not\s{1,4}allowed\s{1,4}to|should\s{1,4}not|shouldn['’]t"
    r"|forbidden\s{1,4}to|prohibited\s{1,4}to|avoid)\b(?!\s{1,4}forget)",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:is|are)\s{1,4}(?:strictly\s{1,4})?(?:forbidden|prohibited|not\s{1,4}allowed|banned)\b", re.IGNORECASE
)
_ASKS = re.compile(
    r"\b(?:ask|confirm|check)\b[^.\n]{0,40}\b(?:before|first)\b|\bbefore\b[^.\n]{0,60}\b(?:ask|confirm|check\s{1,4}with)\b"
    r"|\b(?:needs?|requires?|must\s{1,4}have|only\s{1,4}(?:with|after))\b[^.\n]{0,40}\b(?:approval|confirmation|permission|consent|sign-?off|review)\b"
    r"|\bmust\s{1,4}be\s{1,4}(?:approved|confirmed|reviewed)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:without|before|unless|until|after|on|when|whenever|if|during|while|outside|except|first|only|needs?|requires?|must|is|are"
    r"|on\s{1,4}(?:a\s{1,4})?(?:mon|tues|wednes|thurs|fri|satur|sun|week|holi)\w{0,6})\b",
    re.IGNORECASE,
)
_NOMINAL = re.compile(r"\s{0,4}(?:needs?|requires?|must|is|are|only)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_.-]{2,40}")
_IDLE = frozenset(
    """
    the a an any all every our your my its their this that these those some of to in for with from at by it them us me
    we you i and or be anything something everything stuff ever please now directly straight out up off again new old
    user users ask before
    """.split()
)


def judged(request: str | Sequence[str], rules: Sequence[Rule]) -> PolicyFinding:
    """Return the strongest verdict of the rules on what a person's words order; ALLOW where they order nothing.

    Of a request in parts an order may begin in one and end in the next.
    """
    text = _bounded(request if isinstance(request, str) else _PART.join(request))
    return _strongest(_orders(_read(text)), rules)


def judged_tool(given: str, rules: Sequence[Rule]) -> PolicyFinding:
    """Return the strongest verdict of the rules on the commands in what a tool is given."""
    text = _bounded(given)
    step = PIECE_CHARS - OVERLAP_CHARS
    pieces = [text[at : at + PIECE_CHARS] for at in range(0, max(1, len(text) - OVERLAP_CHARS), step)]
    typed = ((action, one) for one in pieces for action, pattern in _TYPED.items() if pattern.search(one))
    return _strongest(typed, rules)


def may_refuse(rules: Iterable[Rule]) -> bool:
    """Return whether one of the rules forbids anything, or wants it confirmed."""
    strong = (RuleVerdict.CONFIRM, RuleVerdict.BLOCK)
    return any(_meaning(rule.text[:MAX_RULE_CHARS], action)[0] in strong for rule in rules for action in ActionKind)


def _bounded(text: str) -> str:
    half = MAX_REQUEST_CHARS // 2
    return text if len(text) <= MAX_REQUEST_CHARS else f"{text[:half]}\n{text[-half:]}"


def _read(text: str) -> str:
    return lookalikes.in_latin(lookalikes.seen(text))


def confirmation(finding: PolicyFinding, request: str | Sequence[str]) -> str:
    """Return what confirms this order, all of it and no other, under this rule."""
    request = request if isinstance(request, str) else _PART.join(request)
    rule = finding.rule.id if finding.rule else ""
    return hashlib.sha256(f"{rule}\n{request}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _strongest(orders: Iterable[tuple[ActionKind, str]], rules: Sequence[Rule]) -> PolicyFinding:
    if not rules:
        return PolicyFinding()
    ordered: dict[ActionKind, set[str]] = {}
    for action, clause in orders:
        ordered.setdefault(action, set()).update(_stems(clause))
    found = [
        PolicyFinding(verdict, action, rule)
        for action, stems in ordered.items()
        for rule in rules
        if (verdict := _says(rule.text, action, stems)) is not RuleVerdict.ALLOW
    ]
    if not found:
        return PolicyFinding()
    strength = list(RuleVerdict)
    best = max(found, key=lambda one: strength.index(one.verdict))
    return PolicyFinding(best.verdict, best.action, best.rule, len({one.rule.id for one in found if one.rule}))


def _orders(text: str) -> Iterator[tuple[ActionKind, str]]:
    """Yield the actions that a text orders, each with its clause; what it asks about, or forbids, is no order."""
    begin = 0
    for end in [*_CLAUSE.finditer(text), None]:
        clause = text[begin : end.start() if end else len(text)]
        if end and end.group(1) and not _SENTENCE_END.search(end.group(1)):
            clause += _going_on(text, end)
        if _HINT.search(clause):
            for part in _AND.split(clause):
                yield from ((action, clause) for action in _ordered(part))
            yield from ((action, clause) for action, pattern in _TYPED.items() if pattern.search(clause))
        begin = end.end() if end else len(text)


def _going_on(text: str, end: re.Match[str]) -> str:
    """Return how a clause goes on where a part ends, or a line that is only wrapped: the next begins in lower case."""
    behind = text[end.end() : end.end() + CLAUSE_GOES_ON_CHARS]
    if _PART not in end.group() and not behind[:1].islower():
        return ""
    stop = _CLAUSE.search(behind)
    return f" {behind[: stop.start()] if stop else behind}"


def _ordered(part: str) -> Iterator[ActionKind]:
    """Yield the actions that a part of a clause orders: with a verb at its beginning, or as what is to be done."""
    start = _ORDER.match(part)
    begin = start.end() if start else 0
    asks = _MIND.match(part, begin)
    for action, pattern in _ORDERED.items():
        if pattern.match(part, begin) or (asks and _SPOKEN[action].match(part, asks.end())):
            yield action
    wishes = _WISHED.match(part, begin)
    for action, pattern in _DONE.items():
        for done in pattern.finditer(part, begin):
            before = part[max(0, done.start() - 60) : done.start()]
            is_wished = wishes and not _WAS.search(before) and _WISH_ENDS.match(part, done.end())
            if (is_wished or _TO_BE.search(before)) and not _ASKED.search(part[: done.start()]):
                yield action
                break


def _says(rule: str, action: ActionKind, ordered: Set[str]) -> RuleVerdict:
    """Return what a rule says of an order, by the words in that."""
    verdict, objects = _meaning(rule[:MAX_RULE_CHARS], action)
    return RuleVerdict.ALLOW if objects and not objects & ordered else verdict


def _meaning(rule: str, action: ActionKind) -> tuple[RuleVerdict, frozenset[str]]:
    """Return what a rule says of a kind of action, and of which objects."""
    rule = _read(rule)
    spoken = _SPOKEN[action].search(rule)
    if spoken is None:
        return RuleVerdict.ALLOW, frozenset()
    return _verdict(rule, spoken), _objects(rule, spoken)


def _verdict(rule: str, spoken: re.Match[str]) -> RuleVerdict:
    before = rule[: spoken.start()]
    negated = _NEGATED.search(before) or _FORBIDDEN.search(rule, spoken.end())
    condition = _CONDITION.search(rule, spoken.end())
    if _ASKS.search(rule):
        return RuleVerdict.CONFIRM
    if negated:
        conditional = condition is not None and not _FORBIDDEN.match(rule, condition.start())
        return RuleVerdict.CONFIRM if conditional else RuleVerdict.BLOCK
    return RuleVerdict.WARN


def _objects(rule: str, spoken: re.Match[str]) -> frozenset[str]:
    """Return what a rule's action is done to: the words behind it up to a condition; of a noun, those before it."""
    if _NOMINAL.match(rule, spoken.end()):  # "production deploys need approval"
        return _stems(" ".join(rule[: spoken.start()].split()[-2:]))
    condition = _CONDITION.search(rule, spoken.end())
    behind = rule[spoken.end() : condition.start() if condition else len(rule)]
    return _stems(re.split(r"[.;:,\n]", behind, maxsplit=1)[0])


def _stems(text: str) -> frozenset[str]:
    words = (word.lower().strip("._-") for word in _WORD.findall(text))
    return frozenset(word.removesuffix("s") for word in words if word not in _IDLE)
