"""Side requests: what a client asks for itself, such as a title; told from what a person says by its kind.

A person may ask for a title or a summary too. What a program asks shows it in several ways at once: a form or little
room for the answer, no tools where its conversations have them, a template, a conversation that it quotes.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .envelope import Envelope
from .requests import Request

PROBE, COMPLETION = "probe", "completion"
PROBE_TOKENS, SMALL_TOKENS, SHORT_TOKENS = 1, 16, 128
"""The longest answers: with no room to tell anything, with room for a word, and for a line."""
HEAD_CHARS, LONG_CHARS, SHORT_SYSTEM_CHARS = 400, 700, 6_000
MAX_READ_CHARS = 50_000
LEAST_RECURRING = 60
"""The shortest request whose recurrence shows that a program wrote it."""
LEAST_QUOTED, MOST_QUOTED = 12, 400
"""How many characters of what was said before are looked for in a request."""
MOST_CLIENTS, MOST_SAID = 500, 100

_VERB = (
    r"\b(?:generat|writ|creat|suggest|provid|extract|propos|produc|compos|summari[sz]|condens|analy[sz]|determin|"
    r"predict|classif|(?:reply|respond|come up) with)\w*\b"
)
_PRODUCTS = {
    "title": r"titles?|subject lines?|headlines?|emojis?",
    "topic": r"topics?|intents?",
    "tags": r"tags?|categor\w+",
    "suggestions": r"follow-?ups?|suggestions?|autocomplet\w+|(?:might|would|will) (?:\w+ )?(?:ask|type|say|write)",
    "queries": r"search quer(?:y|ies)|web search\w*",
    "summary": r"summar\w+|compact(?:ion|ed)?|recap",
    "commit message": r"commit messages?|branch names?",
}
_PRODUCT = "|".join(f"(?P<p{n}>{pattern})" for n, pattern in enumerate(_PRODUCTS.values()))
_ASKS = re.compile(rf"{_VERB}[^.!?\n]{{0,120}}?\b(?:{_PRODUCT})\b|\bsummari[sz]e\b|\bautocompletion\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:conversations?|chats?|dialogues?|exchange|discussion|session|history|transcript|messages?|diffs?)\b",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"^#{1,4} .*$|\bjson\b|\b(?:only|nothing else|no (?:additional|other|extra|explanations?|quotes|prefix|preamble|"
    r"punctuation))\b|\bpunctuation\b|\bquot(?:es|ation marks)\b|\bwords or (?:less|fewer)\b|</?[a-z]+(?:[_-][a-z]+)+>",
    re.IGNORECASE | re.MULTILINE,
)
_THIRD_PERSON = re.compile(
    r"\bthe user(?:'s|’s)? (?:\w+ )?(?:might|said|says|asked|asks|wants|wanted|typed?|requests?|messages?|question)",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"\b(?:not|never|without) (?:\w+ ){0,2}(?:call|use|using|calling)\w* (?:\w+ )?tools?\b", re.IGNORECASE
)
_SPEAKER = re.compile(
    r"^[ \t>|#*]{0,6}(user|human|assistant|ai|response|model|client|bot)\b[ \t*]{0,4}(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTING = re.compile(r"<(?:chat_?history|conversation|session|transcript|messages?|history)\b", re.IGNORECASE)
_TRIAL = re.compile(r"\b(?:tests?|testing|ping|quota|warm-?up|probe|health|check)\b", re.IGNORECASE)


@dataclass
class _Client:
    """What a client's own conversations are like, and what was said in them of late."""

    said: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_SAID))
    answered: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_SAID))
    heads: OrderedDict[str, str] = field(default_factory=OrderedDict)
    has_tools: bool = False
    streams: bool = False


class SideRequests:
    """Recognises the side requests of clients, also by what each client's conversations are like."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def kind(self, client: str, request: Request) -> str:
        """Return what a client asks for itself; "" for what a person says."""
        envelope = request.envelope
        if envelope.room is not None and envelope.room <= PROBE_TOKENS and not envelope.has_tools:
            return PROBE
        if envelope.is_raw:
            return COMPLETION
        question = request.question[:MAX_READ_CHARS]
        if not question:
            return ""
        known = self._clients.get(client) or _Client()
        if _is_trial(envelope, question, request):
            return PROBE
        marks = [*_marks(request, question, known)]
        if not envelope.has_tools and len(envelope.system) <= SHORT_SYSTEM_CHARS:
            if (asked := asked_for(envelope.system)) and (marks or _TEMPLATE.search(envelope.system)):
                return asked
            named = _fields_ask(envelope)
            if named and len(marks) > 1:
                return named
        if (asked := asked_for(question)) and len(marks) >= (3 if envelope.has_tools else 2):
            return asked
        both = {"transcript", "user", "answer"} <= {*marks}
        return "quotation" if both and not envelope.has_tools and len(marks) > 3 else ""

    def note(self, client: str, request: Request, replies: Sequence[str], *, is_side: bool) -> None:
        """Note how a request was, and what was said in it and answered."""
        known = self._clients.setdefault(client, _Client())
        self._clients.move_to_end(client)
        if len(self._clients) > MOST_CLIENTS:
            self._clients.popitem(last=False)
        known.heads.setdefault(_head(request.question), request.turn.digest)
        if len(known.heads) > MOST_SAID:
            known.heads.popitem(last=False)
        if is_side:
            return
        known.has_tools, known.streams = request.envelope.has_tools, request.streams
        for text, kept in ((request.question, known.said), *((one, known.answered) for one in replies[:1])):
            if len(text) >= LEAST_QUOTED and (part := text[:MOST_QUOTED].strip()) not in kept:
                kept.append(part)


def asked_for(text: str) -> str:
    """Return what a text asks for of a conversation, at its beginning or at its end; "" if nothing."""
    for part in (text[:HEAD_CHARS], text[-HEAD_CHARS:] if len(text) > HEAD_CHARS else ""):
        for match in _ASKS.finditer(part):
            around = part[max(0, match.start() - 60) : match.end() + 140]
            if _ABOUT.search(around):
                return next((name for n, name in enumerate(_PRODUCTS) if match.group(f"p{n}")), "summary")
    return ""


def _marks(request: Request, question: str, known: _Client) -> Iterator[str]:
    """Yield what shows that a program wrote a request."""
    envelope = request.envelope
    if envelope.fields is not None:
        yield "form"
        if _fields_ask(envelope):
            yield "fields"
    if envelope.room is not None and envelope.room <= SHORT_TOKENS:
        yield "room"
    if len(_TEMPLATE.findall(question)) > 1:
        yield "template"
    if len(question) >= LONG_CHARS:
        yield "long"
    if len({one.lower() for one in _SPEAKER.findall(question)}) > 1 or _QUOTING.search(question):
        yield "transcript"
        if _SPEAKER.match(question) or _QUOTING.match(question):
            yield "nothing else"
    if _THIRD_PERSON.search(question):
        yield "third person"
    if _NO_TOOLS.search(question):
        yield "no tools"
    if known.has_tools and not envelope.has_tools:
        yield "toolless"
    if known.streams and not request.streams:
        yield "unstreamed"
    if (
        len(question) >= LEAST_RECURRING
        and known.heads.get(_head(question), request.turn.digest) != request.turn.digest
    ):
        yield "recurrence"
    if sum(one.role == "user" for one in request.messages) > 1:
        return
    for name, texts in (("user", known.said), ("answer", known.answered)):
        if any(text in question and len(text) < len(question) for text in texts):
            yield name


def _head(text: str) -> str:
    return text[: HEAD_CHARS // 4]


def _fields_ask(envelope: Envelope) -> str:
    """Return what the fields of an answer are for, "" if that is no side request's."""
    names = " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", one) for one in envelope.fields or ())
    match = re.search(rf"\b(?:{_PRODUCT})\b", names, re.IGNORECASE)
    return next((name for n, name in enumerate(_PRODUCTS) if match and match.group(f"p{n}")), "")


def _is_trial(envelope: Envelope, question: str, request: Request) -> bool:
    """Return whether a request only tries whether a model answers."""
    is_small = envelope.room is not None and envelope.room <= SMALL_TOKENS and not envelope.has_tools
    return is_small and len(request.messages) == 1 and len(question.split()) <= 6 and bool(_TRIAL.search(question))
