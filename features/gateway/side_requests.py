"""Side requests: what a client asks for itself, such as a title; told from what a person says by its kind.

A person may ask for a title or a summary too. What a program asks shows it in several ways at once: a form or little
room for the answer, no tools where its conversations have them, a template, a conversation that it quotes. The words
that it asks with are known in English alone; in any language it differs from the conversation that it goes on with,
quotes or repeats.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import field

from ...modules import recent
from ...modules.records import dataclass
from .block import text_digest
from .envelope import Envelope
from .requests import Request

PROBE, COMPLETION, QUOTATION, ASIDE, REPETITION, DIFF = (
    *("probe", "completion", "quotation", "aside", "repetition", "commit message"),
)
PROBE_TOKENS, SMALL_TOKENS, SHORT_TOKENS = 1, 16, 128
"""The longest answers: with no room to tell anything, with room for a word, and for a line."""
HEAD_CHARS, LONG_CHARS, SHORT_SYSTEM_CHARS = 400, 700, 6_000
MAX_READ_CHARS = 50_000
LEAST_RECURRING = 60
"""The bytes of the shortest request whose recurrence shows that a program wrote it."""
LEAST_QUOTED, MOST_QUOTED = 12, 400
"""How much of what was said before is looked for in a request: bytes at the least, characters at the most."""
MOST_CLIENTS, MOST_SAID, MOST_SHAPES = 500, 100, 2_000

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
_DIFF = re.compile(r"\A\s{0,20}(?:diff --git |Index: |--- \S[^\n]{0,400}\n\+\+\+ )")
_OF_PROGRAMS = frozenset({"form", "room", "unstreamed", "recurrence"})
"""The differences that a person's change of model or of mode does not make."""
_TRIAL = re.compile(r"\b(?:tests?|testing|ping|quota|warm-?up|probe|health|check)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Shape:
    """What the requests of a conversation have in common."""

    has_tools: bool
    streams: bool
    has_form: bool
    room: int | None
    system: str

    @classmethod
    def of(cls, request: Request) -> "_Shape":
        one = request.envelope
        return cls(one.has_tools, request.streams, one.fields is not None, one.room, one.system)

    def differences(self, other: "_Shape") -> Iterator[str]:
        """Yield in what another request is not like those of this conversation."""
        if self.has_tools and not other.has_tools:
            yield "toolless"
        if self.streams and not other.streams:
            yield "unstreamed"
        if other.has_form and not self.has_form:
            yield "form"
        if other.room is not None and other.room <= SHORT_TOKENS and (self.room is None or other.room < self.room):
            yield "room"
        if self.system[:HEAD_CHARS] != other.system[:HEAD_CHARS] and self.system[-HEAD_CHARS:] not in other.system:
            yield "instructions"


@dataclass
class _ClientTalk:
    """What a client's own conversations are like, and what was said in them of late.

    `said` has the shape of the conversation in which something was said last, `shapes` that of each message as it was
    sent, `pairs` what was answered to something that was said.
    """

    said: OrderedDict[str, _Shape] = field(default_factory=OrderedDict)
    pairs: OrderedDict[str, str] = field(default_factory=OrderedDict)
    answered: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_SAID))
    heads: OrderedDict[str, str] = field(default_factory=OrderedDict)
    shapes: OrderedDict[str, _Shape] = field(default_factory=OrderedDict)
    has_tools: bool = False
    streams: bool = False


class SideRequests:
    """Recognises the side requests of clients, also by what each client's conversations are like."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _ClientTalk] = OrderedDict()

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
        known = self._clients.get(client) or _ClientTalk()
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
        if envelope.has_tools:
            return ""
        if {"transcript", "user", "answer"} <= {*marks} and len(marks) > 3:
            return QUOTATION
        return _by_shape(request, question, known, is_quoting="answer" in marks)

    def is_doubtful(self, client: str, request: Request) -> bool:
        """Return whether a request may be a client's, which shows when a person's words come after it."""
        envelope = request.envelope
        if envelope.has_tools or not envelope.system or len(request.messages) - _instructions(request) > 1:
            return False
        known = self._clients.get(client) or _ClientTalk()
        has_room = envelope.room is None or envelope.room > SHORT_TOKENS
        return envelope.fields is not None or not has_room or (known.streams and not request.streams)

    def is_repeated(self, client: str, request: Request) -> bool:
        """Return whether a person said the words of a doubtful request where they are no client's."""
        known = self._clients.get(client) or _ClientTalk()
        shape = known.said.get(_part(request.question))
        return shape is not None and _is_programs({*shape.differences(_Shape.of(request))})

    def hear(self, client: str, request: Request) -> None:
        """Note what a person says, and how the conversation is in which they do."""
        known = self._known(client)
        known.has_tools, known.streams = request.envelope.has_tools, request.streams
        shape = _Shape.of(request)
        recent.put(known.shapes, text_digest(request.turn.words), shape, MOST_SHAPES)
        if _bytes(request.question) >= LEAST_QUOTED:
            recent.put(known.said, _part(request.question), shape, MOST_SAID)

    def note_doubtful(self, client: str, request: Request, replies: Sequence[str]) -> None:
        """Note what was said and answered in a request that may be a client's."""
        known = self._known(client)
        if _bytes(request.question) >= LEAST_QUOTED and _part(request.question) not in known.said:
            recent.put(known.said, _part(request.question), _Shape.of(request), MOST_SAID)
        _note_answers(known, request, replies)

    def note(self, client: str, request: Request, replies: Sequence[str], *, is_side: bool) -> None:
        """Note how a request was, and what was said in it and answered."""
        known = self._known(client)
        known.heads.setdefault(_head(request.question), request.turn.digest)
        if len(known.heads) > MOST_SAID:
            known.heads.popitem(last=False)
        if is_side:
            return
        self.hear(client, request)
        _note_answers(known, request, replies)

    def _known(self, client: str) -> _ClientTalk:
        return recent.used(self._clients, client, _ClientTalk, MOST_CLIENTS)


def asked_for(text: str) -> str:
    """Return what a text asks for of a conversation, at its beginning or at its end; "" if nothing."""
    for part in (text[:HEAD_CHARS], text[-HEAD_CHARS:] if len(text) > HEAD_CHARS else ""):
        for match in _ASKS.finditer(part):
            around = part[max(0, match.start() - 60) : match.end() + 140]
            if _ABOUT.search(around):
                return next((name for n, name in enumerate(_PRODUCTS) if match.group(f"p{n}")), "summary")
    return ""


def _note_answers(known: _ClientTalk, request: Request, replies: Sequence[str]) -> None:
    for text in filter(None, map(_part, replies[:1])):
        if _bytes(request.question) >= LEAST_QUOTED:
            recent.put(known.pairs, _part(request.question), text, MOST_SAID)
        if _bytes(text) >= LEAST_QUOTED and text not in known.answered:
            known.answered.append(text)


def _by_shape(request: Request, question: str, known: _ClientTalk, *, is_quoting: bool) -> str:
    """Return what a request is that differs from the conversation that it goes on with, quotes or repeats."""
    if _DIFF.match(question):
        return DIFF
    users = [text_digest(one.words) for one in request.messages if one.role == "user"][-MOST_SAID:]
    before = next((known.shapes[one] for one in reversed(users[:-1]) if one in known.shapes), None)
    shape = _Shape.of(request)
    if before is not None and any(one.is_the_models for one in request.messages):
        differences = {*before.differences(shape)}
        if _recurs(question, request, known):
            differences.add("recurrence")
        return ASIDE if "form" in differences or _is_programs(differences) else ""
    if len(users) > 1:
        return ""
    said = known.said.get(_part(question))
    if said is not None:
        is_told = "instructions" in (differences := {*said.differences(shape)}) and bool(shape.system)
        return REPETITION if is_told and _is_programs(differences) else ""
    for text, one in known.said.items():
        if (at := question.find(text)) >= 0 and [*one.differences(shape)]:
            end = at + len(text)
            answer = known.pairs.get(text)
            if is_quoting or (answer and question.find(answer, end, end + HEAD_CHARS // 4 + len(answer)) >= 0):
                return QUOTATION
    return ""


def _is_programs(differences: set[str]) -> bool:
    return len(differences) > 1 and not _OF_PROGRAMS.isdisjoint(differences)


def _instructions(request: Request) -> int:
    return sum(one.role in ("system", "developer") for one in request.messages)


def _recurs(question: str, request: Request, known: _ClientTalk) -> bool:
    is_long = _bytes(question) >= LEAST_RECURRING
    return is_long and known.heads.get(_head(question), request.turn.digest) != request.turn.digest


def _part(text: str) -> str:
    return text[:MOST_QUOTED].strip()


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _marks(request: Request, question: str, known: _ClientTalk) -> Iterator[str]:
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
    if _recurs(question, request, known):
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
