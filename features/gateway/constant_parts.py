"""Constant parts: what a client adds to its user's words, known by its form and by recurrence.

Such are reminders, blocks of the environment, repository maps and summaries that the client had made. Memory is not
asked for them, and they are no user's words. A person may repeat a sentence: where all is repetition, it stays theirs.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from ...modules import recent
from ...modules.records import dataclass
from .block import text_digest
from .requests import Request, RequestMessage

MOST_CLIENTS, MOST_PIECES = 500, 2_000
"""The clients of which pieces are known, and how many of each; the least recently used go first."""
LEAST_CHARS = 40
"""The shortest paragraph that is taken for a constant part: a short one may be said again."""
MOST_LOOKED_AT, MAX_CHARS = 200, 50_000
"""The paragraphs of a text that are looked at, and the longest text; a longer one is its user's."""
_TAG = re.compile(r"^<([^\W\d_A-Z]{1,40}(?:[_-][^\W\d_A-Z]{1,40}){0,6})>", re.MULTILINE)
_LABELLED = re.compile(r"[^\n:：=]{1,60}[:：=]\s*\S.*")
_THEIRS = re.compile(r"user|quer(?:y|ies)|question|request|prompt|feedback|task")
_TOOLS_OUTPUT = re.compile(r"\[[\w.-]{1,60}(?: for [^\n]{0,400})?\] Result:")
_FENCE = "```"
_SUMMARY = "a summary"


@dataclass(frozen=True)
class _Piece:
    """A paragraph, or a tag with its name; of one that holds the user's words, the words alone."""

    text: str
    tag: str = ""

    @property
    def is_a_block(self) -> bool:
        """Return whether it stands in a tag that names no words of the user."""
        return bool(self.tag) and not _THEIRS.search(self.tag)

    @property
    def inner(self) -> str:
        """Return what stands in the tag, where that is plain text."""
        inner = self.text[len(self.tag) + 2 : -len(self.tag) - 3] if self.is_a_block else "<"
        return self.text if "<" in inner else inner.strip()

    @property
    def is_labelled(self) -> bool:
        """Return whether it is a list of names with their values, as of an environment."""
        lines = [one for one in self.text.splitlines()[1:-1] if one.strip()]
        return sum(bool(_LABELLED.fullmatch(one.strip())) for one in lines) * 2 > len(lines)


@dataclass
class _Client:
    """The pieces of a client's messages, each with the message that had it first."""

    pieces: OrderedDict[str, str] = field(default_factory=OrderedDict)

    def first_in(self, piece: str, digest: str) -> str:
        """Return the message that had a piece first; note this one where none had."""
        first = self.pieces.setdefault(piece, digest)
        self.pieces.move_to_end(piece)
        if len(self.pieces) > MOST_PIECES:
            self.pieces.popitem(last=False)
        return first


class ConstantParts:
    """Knows what each client says again and again."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def without(self, client: str, request: Request) -> Request:
        """Return a request whose question is what its user says now."""
        known = self._known(client)
        group = request.asked
        if not group:
            return request
        said = {place: _words(request.messages[place], request, known) for place in group}
        fresh = [place for place in group if said[place] and not _recurs(request.messages[place], said[place], known)]
        turn = (fresh or [group[-1]])[-1]
        return replace(request, turn_at=turn, said=said[turn])

    def note_summary(self, client: str, replies: Sequence[str]) -> None:
        """Note what a client had made of a conversation: sent again, it is not its user's."""
        known = self._known(client)
        for text in replies:
            for one in _paragraphs(text[:MAX_CHARS]):
                if len(one) >= LEAST_CHARS:
                    known.first_in(text_digest(one), _SUMMARY)

    def _known(self, client: str) -> _Client:
        return recent.used(self._clients, client, _Client, MOST_CLIENTS)


def _words(message: RequestMessage, request: Request, known: _Client) -> str:
    """Return the user's words in a message: all of them where each was said before, none where a client says all."""
    if any(_TOOLS_OUTPUT.match(part) for part in message.parts):
        return "\n".join(text for part in message.parts for text in _unwrapped(part))
    read = [(part, [*_pieces(part[:MAX_CHARS])][: MOST_LOOKED_AT + 1]) for part in message.parts]
    bare = [one for _, pieces in read for one in pieces if not one.is_a_block]
    kept: list[str] = []
    repeated: list[str] = []
    for part, pieces in read:
        if len(part) > MAX_CHARS or len(pieces) > MOST_LOOKED_AT:
            kept.append(part)
            continue
        own = [one for one in pieces if not _is_clients(one, pieces, message, known, is_beside=bool(bare))]
        fresh = [one for one in own if not _is_constant(one, message, request, known)]
        summarised = sum(len(one.text) for one in own if known.pieces.get(text_digest(one.text)) == _SUMMARY)
        if summarised * 2 > len(part):
            continue
        is_unwrapped = any(one.tag and not one.text.startswith("<") for one in own)
        is_whole = len(own) == len(pieces) and len(fresh) in (0, len(own)) and not is_unwrapped
        text = part if is_whole else "\n\n".join(one.text for one in fresh or own)
        if not bare and len(own) == 1:
            text = own[0].inner
        (kept if fresh else repeated).append(text)
    return "\n".join(filter(None, kept or repeated)).strip()


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the paragraphs of a text, and what stands in its tags; those in code are code."""
    done = 0
    for name, begin, end in _tagged(text):
        yield from map(_Piece, _paragraphs(text[done:begin]))
        is_theirs = _THEIRS.search(name)
        yield _Piece(text[begin + len(name) + 2 : end - len(name) - 3].strip() if is_theirs else text[begin:end], name)
        done = end
    yield from map(_Piece, _paragraphs(text[done:]))


def _tagged(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the begin and the end of each tag that is closed, none within another or within code."""
    at = counted = fences = 0
    unclosed: set[str] = set()
    while (match := _TAG.search(text, at)) is not None:
        fences, counted = fences + text.count(_FENCE, counted, match.start()), match.start()
        name, at = match.group(1), match.end()
        if name in unclosed or fences % 2 or not (_is_compound(name) or text.startswith("\n", at)):
            continue
        close = f"</{name}>"
        if (end := text.find(close, at)) < 0:
            unclosed.add(name)
            continue
        at = end + len(close)
        yield name, match.start(), at


def _paragraphs(text: str) -> list[str]:
    return [stripped for one in re.split(r"\n[ \t]*\n", text) if (stripped := one.strip("\n"))]


def _unwrapped(text: str) -> Iterator[str]:
    """Yield what a user says within the output of a tool."""
    for one in _pieces(text[:MAX_CHARS]):
        if one.tag and _THEIRS.search(one.tag):
            yield one.text


def _is_clients(
    piece: _Piece, pieces: Sequence[_Piece], message: RequestMessage, known: _Client, *, is_beside: bool
) -> bool:
    """Return whether a piece stands in a client's tag, at an end of the text.

    A tag of one word may be the user's too: it is the client's beside the user's words, if it is a part of its own, if
    it lists an environment, or if other messages have it.
    """
    if not piece.is_a_block or piece not in (pieces[0], pieces[-1]):
        return False
    if _is_compound(piece.tag):
        return True
    recurs = known.first_in(f"<{piece.tag}>", message.digest) != message.digest
    return is_beside and (recurs or len(pieces) == 1 or piece.is_labelled)


def _is_compound(tag: str) -> bool:
    return "-" in tag or "_" in tag


def _is_constant(piece: _Piece, message: RequestMessage, request: Request, known: _Client) -> bool:
    """Return whether a piece was sent before: in another message, or beside this one by the client itself."""
    if len(piece.text) < LEAST_CHARS:
        return False
    if known.first_in(text_digest(piece.text), message.digest) != message.digest:
        return True
    return piece.text in request.envelope.system


def _recurs(message: RequestMessage, words: str, known: _Client) -> bool:
    """Return whether a whole message was another's already, so that it may be a client's."""
    return len(words) >= LEAST_CHARS and known.first_in(f"={text_digest(words)}", message.digest) != message.digest
