"""Conversations as clients of models hold them: what their users say, and what the clients ask for beside it.

The prompts are worded here, in the shapes that the clients of that name send.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

CHAT, RESPONSES, MESSAGES, GEMINI, OLLAMA = "chat", "responses", "messages", "gemini", "ollama"
ANSWER = "That is noted, and I will keep to it from here on."

TOOLS: dict[str, Any] = {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {}}}}


@dataclass(frozen=True)
class Asked:
    """A request before it has the form of a dialect: messages as pairs of role and words."""

    messages: tuple[tuple[str, str], ...]
    system: str = ""
    tools: bool = False
    streams: bool = True
    room: int | None = None
    fields: tuple[str, ...] = ()
    forces_tool: bool = False

    def body(self, dialect: str) -> dict[str, Any]:
        """The request in a dialect."""
        return _FORMS[dialect](self)


@dataclass(frozen=True)
class Talk:
    """A conversation: what is asked in order, each with whether a person asks it."""

    client: str
    name: str
    asked: tuple[tuple[Asked, bool], ...] = field(default_factory=tuple)


SAID = (
    ("The tram depot in Bergen moved to Minde in spring.", "Who signs off the new timetable?"),
    ("My sister's violin has a crack beside the bridge.", "Ok, title it Sonata for Two."),
    ("We settled on Postgres 17 for the ledger service.", "Summarize that in one line."),
    ("The greenhouse fan starts at 27 degrees.", "Suggest a name for the controller."),
    ("Our support line closes at 18:00 on Fridays.", "Tag it as urgent, please."),
    ("The linter must ignore generated protobuf files.", "Write the commit message for that."),
    ("I prefer metric units in every recipe.", "Only the amounts, no explanation."),
    ("The invoice importer chokes on semicolons.", "What is the topic of the failing test?"),
    ("Kestrel is the code name of the second prototype.", "Give me a headline for the press note."),
    ("The ferry to Hven leaves from pier four.", "Yes."),
)


def talks() -> Iterator[Talk]:
    """Ten conversations, whose clients take turns."""
    for number, (first, second) in enumerate(SAID):
        name, side_requests, extra = _CLIENTS[number % len(_CLIENTS)]
        said = [("user", first)]
        later = [*said, ("assistant", ANSWER), ("user", second)]
        before, after = side_requests(first, second)
        asked = [*((one, False) for one in before), (Asked(tuple(said), **extra), True)]
        asked += [*((one, False) for one in after), (Asked(tuple(later), **extra), True)]
        yield Talk(name, f"{name}-{number}", tuple(asked))


def _one(text: str, **more: Any) -> Asked:
    return Asked((("user", text),), **more)


def _claude_code(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    topic = (
        "Decide if this message begins a new topic of conversation. If so, extract a title of two or three words for "
        "it. Format the response as a JSON object with the fields isNewTopic and title, and no other text."
    )
    title = (
        "Write a short title in sentence case (3-7 words) for this coding session. Return JSON with the field title."
    )
    compaction = (
        "CRITICAL: respond with text only. Do not call any tools.\n\nYour task is to write a detailed summary of the "
        "conversation so far, with close attention to what the user explicitly asked and to what you did before.\n"
        "Wrap your thoughts in <analysis> tags first. The summary has these sections:\n\n"
        + "\n".join(f"{n}. Section {n}: name each file, each error and each of the user's messages." for n in range(9))
        + "\n\nHere is an example:\n<example_summary>\n1. The request: ...\n</example_summary>\n"
        + "Be thorough. " * 20
    )
    suggestion = (
        "[SUGGESTION MODE: suggest what the user might naturally type next in this session.]\n\nLook at the messages "
        "first. Ask yourself: would they just type that?\n"
        + "A good one is short and theirs. " * 20
        + "\nReply with ONLY the suggestion, without quotes. Do not use any tools.\nNever answer in JSON."
    )
    history = (("user", first), ("assistant", ANSWER))
    return (
        [
            _one("quota", room=1),
            _one(first, system=topic, room=512),
            _one(f"<session>{first}</session>", system=title, fields=("title",)),
        ],
        [
            Asked((*history, ("user", suggestion)), "You are a coding agent. " * 300, tools=True),
            Asked((*history, ("user", compaction)), "You are a coding agent. " * 300, tools=True),
        ],
    )


def _web_ui(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    def task(words: str, form: str) -> Asked:
        text = (
            f"### Task:\n{words}\n### Guidelines:\n- Use the language of the chat.\n- Be accurate.\n"
            f"### Output:\nJSON format: {form}\n### Chat History:\n<chat_history>\nUSER: {first}\nASSISTANT: {ANSWER}\n"
            "</chat_history>"
        )
        return _one(text, streams=False, room=1000)

    return [task("Analyze the chat history to determine whether search queries are needed.", '{"queries": ["..."]}')], [
        task("Generate a title of three to five words, with an emoji, for the chat history.", '{"title": "..."}'),
        task("Generate one to three broad tags that categorize the themes of the chat history.", '{"tags": ["..."]}'),
        task("Suggest three follow-up questions that the user might ask next in this chat.", '{"follow_ups": ["..."]}'),
    ]


def _libre(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    words = (
        "Read this conversation and provide a title for it in its language, of at most five words, no punctuation.\n\n"
        f"User: {first}\nAI: {ANSWER}"
    )
    formed = _one(words, streams=False, fields=("language", "title"), forces_tool=True)
    quoted = f'||>User:\n"{first}"\n||>Response:\n"{ANSWER}"'
    plain = f"Please generate a title of at most five words for the conversation.\n\n{quoted}"
    return [], [formed, _one(f"{plain}\n\nOnly the title, nothing else.", streams=False, room=75)]


def _cursor(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    diff = "diff --git a/api.py b/api.py\n@@ -1 +1 @@\n-old\n+new"
    commit = Asked(
        (("user", diff),), "Generate a git commit message for the diff. Reply with the message only.", room=60
    )
    named = Asked((("user", first),), "Provide a short title for this chat. Respond only with the title.", room=20)
    return [_one("Test prompt for the model", room=10)], [named, commit]


def _aider(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    quoted = f"# USER\n{first}\n# ASSISTANT\n{ANSWER}\n# USER\n{second}\n"
    summary = "Briefly *summarize* this partial conversation about programming.\nSay less of what is older. " * 3
    commit = (
        "You are an expert engineer who writes one-line Git commit messages, based on the diffs that you are given."
    )
    return [], [
        Asked((("user", quoted),), summary, streams=False),
        Asked((("user", "diff --git a/x b/x\n-a\n+b"),), commit, streams=False),
    ]


def _continued(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    title = (
        "Given the following, please reply with a title for the chat of three to four words, no additional text or "
        f"explanation, no punctuation at its end:\n\n{ANSWER}"
    )
    quoted = f"<conversation>\nuser: {first}\nassistant: {ANSWER}\n</conversation>"
    edit = f"Summarize the conversation for the next session. The messages:\n{quoted}"
    return [], [_one(title, streams=False, room=16), _one(edit, streams=False, room=500)]


def _next_chat(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    title = (
        "Please generate a title of four or five words that summarizes our conversation, without any lead-in, "
        "punctuation or quotation marks."
    )
    history = (("user", first), ("assistant", ANSWER))
    compaction = ("system", "Summarize the discussion in 200 words or less, as a prompt for later context.")
    return [], [Asked((*history, ("user", title)), streams=False), Asked((*history, compaction))]


def _chinese(first: str, second: str) -> tuple[list[Asked], list[Asked]]:
    system = "你擅长会话。请把用户的会话总结成不超过十个字的标题。"
    return [], [_one(f"user: {first}\nassistant: {ANSWER}", system=system)]


_CODING = {"system": "You are a coding agent; read a file before you change it. " * 60, "tools": True}
_CLIENTS: tuple[tuple[str, Callable[[str, str], tuple[list[Asked], list[Asked]]], dict[str, Any]], ...] = (
    ("claude code", _claude_code, _CODING),
    ("open webui", _web_ui, {}),
    ("librechat", _libre, {"system": "You are helpful."}),
    ("cursor", _cursor, _CODING),
    ("aider", _aider, {"system": "Act as an expert developer. " * 80}),
    ("continue", _continued, {"tools": True}),
    ("nextchat", _next_chat, {"system": "You are helpful."}),
    ("lobe", _chinese, {}),
)

PERSONS = (
    *(_one(text) for text in (
        "ok, title it X", "Title: The Long Way Home", "title", "summary?", "tags: billing", "Next topic, please.",
        "Suggest a title for this chat, only the title please.", "Summarize our conversation so far in five bullets.",
        "Can you write a commit message for these changes?", "Generate three follow-up questions for the interview.",
        "What would the user ask next? I mean our pilot customer.", "test", "ping", "Is the quota check done?",
        "Return the summary of the messages as JSON only.", "Write a title for my talk about chat history.",
        "Suggest a title for our conversation in five words or less, without punctuation.",
        "user: what does this line of the log mean?\nassistant: nothing to do", "总结一下我们的会话。",
        "The topic of the conversation with Ana was the lease; remember that.", "Please recap this session.",
    )),
    _one(
        "We build a chat product, and this is what I want of you today.\n### Requirements\nThe sidebar lists "
        "conversations by name. Generate a title for each conversation after its second message, and return JSON with "
        "the field title only.\n### Tests\n" + "Each case names its input and what must come out. " * 16,
        **_CODING,
    ),
    _one("ok, title it X", fields=("answer",), room=100),
    _one("Which port has the database?", room=9),
    _one("Draft the summary of the meeting: the lease ends in May, and Ana signs.", room=200),
)  # fmt: skip
"""What people say, though it speaks of titles and summaries."""


def _chat(asked: Asked) -> dict[str, Any]:
    system = [{"role": "system", "content": asked.system}] if asked.system else []
    body: dict[str, Any] = {"model": "gpt-4o", "stream": asked.streams}
    body["messages"] = [*system, *({"role": role, "content": text} for role, text in asked.messages)]
    if asked.tools:
        body["tools"] = [{"type": "function", "function": TOOLS}] * 3
    if asked.room:
        body["max_tokens"] = asked.room
    if asked.forces_tool:
        body["tools"] = [{"type": "function", "function": {"name": "answer", "parameters": _schema(asked)}}]
        body["tool_choice"] = {"type": "function", "function": {"name": "answer"}}
    elif asked.fields:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": _schema(asked)}}
    return body


def _responses(asked: Asked) -> dict[str, Any]:
    body: dict[str, Any] = {"model": "gpt-4o", "stream": asked.streams, "instructions": asked.system or None}
    body["input"] = [{"role": role, "content": text} for role, text in asked.messages]
    if asked.tools:
        body["tools"] = [{"type": "function", **TOOLS}] * 3
    if asked.room:
        body["max_output_tokens"] = asked.room
    if asked.fields:
        body["text"] = {"format": {"type": "json_schema", "name": "x", "schema": _schema(asked)}}
    return body


def _messages(asked: Asked) -> dict[str, Any]:
    body: dict[str, Any] = {"model": "claude-x", "stream": asked.streams, "max_tokens": asked.room or 32_000}
    body["messages"] = [
        {"role": role, "content": [{"type": "text", "text": text}] if role == "user" else text}
        for role, text in asked.messages
    ]
    if asked.system:
        body["system"] = [
            {"type": "text", "text": "You are a client of Claude."},
            {"type": "text", "text": asked.system},
        ]
    if asked.tools:
        body["tools"] = [{"name": TOOLS["name"], "input_schema": TOOLS["parameters"]}] * 3
    if asked.fields:
        body["output_config"] = {"format": {"type": "json_schema", "schema": _schema(asked)}}
    return body


def _gemini(asked: Asked) -> dict[str, Any]:
    body: dict[str, Any] = {"generationConfig": {"maxOutputTokens": asked.room} if asked.room else {}}
    body["contents"] = [
        {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]} for role, text in asked.messages
    ]
    if asked.system:
        body["systemInstruction"] = {"parts": [{"text": asked.system}]}
    if asked.tools:
        body["tools"] = [{"functionDeclarations": [TOOLS] * 3}]
    if asked.fields:
        body["generationConfig"] |= {"responseMimeType": "application/json", "responseSchema": _schema(asked)}
    return body


def _ollama(asked: Asked) -> dict[str, Any]:
    body = {**_chat(asked), "options": {"num_predict": asked.room} if asked.room else {}}
    for name in ("max_tokens", "response_format", "tool_choice", *(() if asked.tools else ("tools",))):
        body.pop(name, None)
    return {**body, **({"format": _schema(asked)} if asked.fields else {})}


def _schema(asked: Asked) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in asked.fields}}


_FORMS: dict[str, Callable[[Asked], dict[str, Any]]] = {
    CHAT: _chat,
    RESPONSES: _responses,
    MESSAGES: _messages,
    GEMINI: _gemini,
    OLLAMA: _ollama,
}
