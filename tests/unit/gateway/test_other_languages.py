"""Conversations in many languages leave each turn once, and nothing of what their clients add or ask beside them."""

import json
from typing import Any

from agentos.features.gateway.modes import Mode, Wish
from agentos.features.gateway.proxy.access import ClientAccess
from agentos.features.gateway.proxy.remembering import Remembering
from agentos.features.gateway.reply import ReplyParts
from agentos.features.gateway.requests import Dialect
from agentos.features.gateway.windows import Windows
from tests.foreign_conversations import TALKS, Side, Talk
from tests.tables import every

Messages = list[tuple[str, list[str]]]
ACCESS = ClientAccess("k", "default", Wish(Mode.FULL), client_control=False)
ASIDE = "what the client wanted for itself"


class NoMemory:
    """A daemon that knows nothing."""

    problem = ""

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any]:
        return {}


class Client:
    """Sends the requests of one dialect; what is kept of them is in `said` and `answered`."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.remembering = Remembering(NoMemory(), Windows({}))
        self.kept: list[tuple[dict[str, Any], Any]] = []

    async def send(
        self, system: str, messages: Messages, answer: str, *, streams: bool, tools: bool = False, side: Side | None
    ) -> None:
        body = _body(self.dialect, system, messages, streams=streams, tools=tools, side=side)
        prepared = await self.remembering.prepared(
            self.dialect, json.dumps(body).encode(), "", ACCESS, ACCESS.wish, counts=False, model="m", streams=streams
        )
        reply = ReplyParts({0: [answer]}, is_complete=True)
        exchange = self.remembering.exchange(prepared, ACCESS, ACCESS.wish, reply)
        if exchange is not None:
            self.kept.append((exchange, self.remembering.doubt(prepared, ACCESS)))

    def turns(self) -> list[tuple[str, str]]:
        """What is kept once nothing is in doubt."""
        return [(one["said"], one["replies"][0]) for one, doubt in self.kept if doubt is None or not doubt()]


@every("dialect", (Dialect.CHAT, Dialect.RESPONSES, Dialect.MESSAGES, Dialect.GEMINI, Dialect.OLLAMA))
async def test_each_turn_is_kept_once_and_nothing_of_the_clients(dialect: Dialect) -> None:
    client = Client(dialect)
    for talk in TALKS.values():
        await _held(talk, client)
    assert client.turns() == [turn for talk in TALKS.values() for turn in talk.turns]


async def test_words_that_nobody_repeats_are_kept_though_little_is_to_be_answered() -> None:
    client = Client(Dialect.CHAT)
    side = Side("lone", room=60)
    await client.send("Antworte knapp.", [("user", ["Wo steht der Drucker?"])], "Im Keller.", streams=False, side=side)
    assert client.turns() == [("Wo steht der Drucker?", "Im Keller.")]


async def test_a_person_may_go_on_without_tools_and_ask_the_same_elsewhere() -> None:
    client = Client(Dialect.CHAT)
    first = ("user", ["Der Kran im Hafen trägt acht Tonnen."])
    await client.send("Du bist ein Agent.", [first], "Gut.", streams=True, tools=True, side=None)
    messages: Messages = [first, ("assistant", ["Gut."]), ("user", ["Und wer prüft ihn?"])]
    await client.send("Du antwortest nur.", messages, "Der Prüfer.", streams=True, side=None)
    await client.send("Du bist ein Anderer.", [first], "Aha.", streams=True, side=None)
    assert [said for said, _ in client.turns()] == [first[1][0], "Und wer prüft ihn?", first[1][0]]


async def _held(talk: Talk, client: Client) -> None:
    before: Messages = [(role, [text]) for role, text in talk.examples]

    async def aside(count: int) -> None:
        for side in talk.sides.get(count, ()):
            words = talk.turns[side.turn][0] if side.kind == "words" else side.text
            messages: Messages = [("user", [words.replace("{history}", talk.quoted(count))])]
            behind = side.kind == "tail"
            system = talk.system if side.system is None and behind else side.system or ""
            await client.send(system, [*before, *messages] if behind else messages, ASIDE, streams=False, side=side)

    await aside(0)
    for number, (words, answer) in enumerate(talk.turns):
        said = ("user", [*talk.wrap(words, number)])
        system, messages = talk.system, [*before, said]
        if talk.reminder and client.dialect in (Dialect.CHAT, Dialect.RESPONSES, Dialect.OLLAMA):
            messages.append(("system", [talk.reminder]))
        elif talk.reminder:
            system = f"{system}\n\n{talk.reminder}"
            messages[-1] = ("user", [f"{words}\n\n{talk.reminder}"])
        await client.send(system, messages, answer, streams=talk.streams, tools=talk.tools, side=None)
        before += [said, ("assistant", [answer])]
        await aside(number + 1)


def _body(
    dialect: Dialect, system: str, messages: Messages, *, streams: bool, tools: bool, side: Side | None
) -> dict[str, Any]:
    room, form = (side.room, side.form) if side else (None, False)
    schema = {"type": "object"}
    offered: dict[str, Any] = {"tools": [{"type": "function", "function": {"name": "read"}}]} if tools else {}
    if dialect is Dialect.GEMINI:
        contents = [
            {"role": "model" if role == "assistant" else role, "parts": [{"text": one} for one in parts]}
            for role, parts in messages
        ]
        settings: dict[str, Any] = {"maxOutputTokens": room} if room else {}
        settings |= {"responseMimeType": "application/json", "responseJsonSchema": schema} if form else {}
        said = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
        declared = {"tools": [{"functionDeclarations": [{"name": "read"}]}]} if tools else {}
        return {"contents": contents, "generationConfig": settings, **said, **declared}
    body: dict[str, Any] = {"model": "m", "stream": streams, **offered}
    kind = "input_text" if dialect is Dialect.RESPONSES else "text"
    sent = [
        {"role": role, "content": parts[0] if len(parts) == 1 else [{"type": kind, "text": one} for one in parts]}
        for role, parts in messages
    ]
    if dialect is Dialect.OLLAMA:
        sent = [{"role": role, "content": "\n".join(parts)} for role, parts in messages]
    told = [{"role": "system", "content": system}] if system else []
    if dialect is Dialect.RESPONSES:
        more: dict[str, Any] = {"input": sent, "instructions": system or None}
        more |= {"max_output_tokens": room} if room else {}
        return {**body, **more, **({"text": {"format": {"type": "json_schema", "schema": schema}}} if form else {})}
    if dialect is Dialect.MESSAGES:
        more = {"messages": sent, "max_tokens": room or 8_000, **({"system": system} if system else {})}
        return {**body, **more, **({"output_config": {"format": {"type": "json_schema", **schema}}} if form else {})}
    more = {"messages": [*told, *sent]}
    if dialect is Dialect.OLLAMA:
        return {
            **body,
            **more,
            "options": {"num_predict": room} if room else {},
            **({"format": schema} if form else {}),
        }
    more |= {"max_tokens": room} if room else {}
    return {**body, **more, **({"response_format": {"type": "json_schema", "json_schema": {}}} if form else {})}
