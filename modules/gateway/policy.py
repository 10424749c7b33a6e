"""Policy: rules that a person has made, applied to what is about to be done.

A rule speaks of a kind of action, of its object, and perhaps of a condition. It is asked for where somebody orders that
kind of action, of that object. What it says then is in its own words: "never delete production data" forbids, "ask
before deploying" wants a confirmation, "be careful with the release branch" warns. Memories alone decide nothing here:
the caller passes the rules that a person confirmed. English only.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_REQUEST_CHARS = 4_000
"""What is looked at of a request: orders stand at its beginning or at its end."""

MAX_RULE_CHARS = 1_000


class Verdict(StrEnum):
    """What a rule says of an action, the strongest last."""

    ALLOW = "allow"
    WARN = "warn"
    CONFIRM = "confirm"
    BLOCK = "block"


class Action(StrEnum):
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
class Finding:
    """A verdict, what was ordered, and the rule that says so; ALLOW has none."""

    verdict: Verdict = Verdict.ALLOW
    action: Action | None = None
    rule: Rule | None = None
    rules: int = 0


_VERBS: Mapping[Action, tuple[str, ...]] = {
    Action.DEPLOY: ("deploy", "release", "roll out", "ship", "promote", "publish", "go live"),
    Action.DELETE: ("delete", "remove", "drop", "wipe", "purge", "erase", "truncate", "destroy"),
    Action.EXFILTRATE: ("export", "upload", "send", "share", "leak", "post", "email", "paste", "dump"),
    Action.OVERRIDE: ("override", "bypass", "disable", "skip", "force push", "turn off", "ignore"),
}
_COMMANDS: Mapping[Action, tuple[str, ...]] = {
    Action.DEPLOY: (
        r"kubectl {1,4}(?:apply|rollout|set)\b",
        r"helm {1,4}(?:install|upgrade)\b",
        r"terraform {1,4}apply\b",
        r"(?:npm|yarn|cargo|poetry|uv) {1,4}publish\b",
        r"twine {1,4}upload\b",
        r"(?:vercel|netlify|fly|flyctl|gcloud app|make|npm run) {1,4}deploy\b",
        r"docker {1,4}push\b",
    ),
    Action.DELETE: (
        r"rm {1,4}-\w{0,6}[rf]",
        r"git {1,4}(?:branch {1,4}-D|clean {1,4}-\w{0,4}f)",
        r"drop {1,4}(?:table|database|schema|collection)\b",
        r"truncate {1,4}table\b",
        r"delete {1,4}from\b",
        r"terraform {1,4}destroy\b",
        r"kubectl {1,4}delete\b",
        r"(?:aws s3|gsutil) {1,4}r[mb]\b",
    ),
    Action.EXFILTRATE: (
        r"curl\b[^\n|;]{0,200} (?:-d|--data\S{0,10}|-F|-T|--upload-file) {0,4}\S{0,8}@",
        r"(?:scp|rsync)\b[^\n|;]{0,200} \S{1,80}:",
        r"pg_dump\b",
        r"mysqldump\b",
    ),
    Action.OVERRIDE: (
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
_TYPED = {action: re.compile("|".join(words), re.IGNORECASE) for action, words in _COMMANDS.items()}

_CLAUSE = re.compile(
    r"[.!?;:\n]+\s{0,8}|,\s{1,4}(?:and\s{1,4}|then\s{1,4}|but\s{1,4})|\s(?:and\s{1,4}then|then|but)\s", re.IGNORECASE
)
_ORDER = re.compile(
    r"[\W_]{0,8}(?:(?:please|now|then|and|so|ok(?:ay)?|also|next|just|finally|first|yes|hey|claude|go\s{1,4}ahead\s{1,4}and|go|let['’]?s|we\s{1,4}can\s{1,4}now"
    r"|(?:can|could|would|will)\s{1,4}(?:you|we)|(?:i|we)(?:['’]d|\s{1,4}would)?\s{1,4}(?:want|need|like)(?:\s{1,4}you)?\s{1,4}to"
    r"|you\s{1,4}(?:should|must|can|may)|it['’]?s\s{1,4}time\s{1,4}to|help\s{1,4}me(?:\s{1,4}to)?|try\s{1,4}to|immediately|quickly|safely)[\s,]{1,8}){0,6}+",
    re.IGNORECASE,
)
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


def judged(request: str, rules: Sequence[Rule]) -> Finding:
    """Return the strongest verdict of the rules on what a person's words order; ALLOW where they order nothing."""
    text = (
        request
        if len(request) <= MAX_REQUEST_CHARS
        else f"{request[: MAX_REQUEST_CHARS // 2]}\n{request[-MAX_REQUEST_CHARS // 2 :]}"
    )
    return _strongest(list(_orders(text)), rules)


def judged_tool(given: str, rules: Sequence[Rule]) -> Finding:
    """Return the strongest verdict of the rules on the commands in what a tool is given."""
    text = given[:MAX_REQUEST_CHARS]
    typed = [(action, text) for action, pattern in _TYPED.items() if pattern.search(text)]
    return _strongest(typed, rules)


def confirmation(finding: Finding, request: str) -> str:
    """Return what confirms this order, and no other, under this rule."""
    rule = finding.rule.id if finding.rule else ""
    return hashlib.sha256(f"{rule}\n{request}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _strongest(orders: Sequence[tuple[Action, str]], rules: Sequence[Rule]) -> Finding:
    found = [
        Finding(verdict, action, rule)
        for action, ordered in orders
        for rule in rules
        if (verdict := _says(rule.text, action, ordered)) is not Verdict.ALLOW
    ]
    if not found:
        return Finding()
    strength = list(Verdict)
    best = max(found, key=lambda one: strength.index(one.verdict))
    return Finding(best.verdict, best.action, best.rule, len({one.rule.id for one in found if one.rule}))


def _orders(text: str) -> Iterator[tuple[Action, str]]:
    """Yield the actions that a text orders, each with its clause; what it asks about, or forbids, is no order."""
    for clause in _CLAUSE.split(text):
        for part in _AND.split(clause):
            start = _ORDER.match(part)
            begin = start.end() if start else 0
            for action, pattern in _ORDERED.items():
                if pattern.match(part, begin):
                    yield action, clause
        yield from ((action, clause) for action, pattern in _TYPED.items() if pattern.search(clause))


def _says(rule: str, action: Action, ordered: str) -> Verdict:
    """Return what a rule says of an order."""
    rule = rule[:MAX_RULE_CHARS]
    spoken = _SPOKEN[action].search(rule)
    if spoken is None:
        return Verdict.ALLOW
    objects = _objects(rule, spoken)
    if objects and not objects & _stems(ordered):
        return Verdict.ALLOW
    before = rule[: spoken.start()]
    negated = _NEGATED.search(before) or _FORBIDDEN.search(rule, spoken.end())
    condition = _CONDITION.search(rule, spoken.end())
    if _ASKS.search(rule):
        return Verdict.CONFIRM
    if negated:
        conditional = condition is not None and not _FORBIDDEN.match(rule, condition.start())
        return Verdict.CONFIRM if conditional else Verdict.BLOCK
    return Verdict.WARN


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
