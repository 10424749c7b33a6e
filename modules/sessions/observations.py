"""Observations: the events of a stretch of a session in, one observation out. Pure functions, no model.

A stretch begins with a user's turn and ends before the next one; MAX_TOOL_CALLS tool calls and the end of a turn end
it as well, and so does a commit that more tool calls follow.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..text.replies import is_mere_reply
from . import commits
from .models import CommandRun, Concept, Event, EventType, Observation, ObservationType, Signal, ToolCall
from .tool_calls import from_json

MAX_TOOL_CALLS = 40
MAX_TITLE_CHARS = 90
MAX_QUOTED_CHARS = 280
MAX_CLOSING_CHARS = 1_000
MAX_FACTS = 8
MAX_NEXT, MAX_NEXT_CHARS = 5, 160
MAX_FILES_LISTED = 8
SAME_CHARS = 80
"""Of an outcome, the beginning by which it is known to be told twice."""
MAX_ACTIONS = 8
WORTH_TELLING = 2
"""Files that were only read from which a stretch is worth an observation."""

_WORDS = {
    ObservationType.BUGFIX: r"fix(?:e[sd]|ing)?|bugs?|errors?|crash\w*|broken|regressions?|exceptions?|fail\w*",
    ObservationType.REFACTOR: r"refactor\w*|renam\w+|restructur\w+|simplif\w+|clean(?:s|ed|ing)? ?up|extract\w*",
    ObservationType.FEATURE: r"add(?:s|ed|ing)?|implement\w*|creat\w+|build|introduc\w+|support|new|write",
}
_DECIDED = re.compile(
    r"\b(?:(?:we|i)(?:'ll| will| have|'ve)? (?:decided?|chose|choose|go(?:ing)? with|settled? on)"
    r"|let's (?:use|go with|stick)|decision|from now on|instead of|rather than|we (?:must|should) (?:always|never))\b",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"[\s#>*_-]{0,8}(?:next(?: steps?| up)?|to ?do|remaining(?: \w{1,20})?|still (?:open|to do)|left to do"
    r"|open questions?|follow-?ups?|nächste[rs]? schritte?|als nächstes|noch offen|siguientes? pasos?|próximos? pasos?"
    r"|pendientes?|prochaines? étapes?|reste à faire|prossim[oi] pass[oi]|da fare)"
    r"[*_]{0,3}\s{0,3}(?::[*_]{0,3}(.*)|[*_]{0,3})$",
    re.IGNORECASE,
)
_STEP = re.compile(r"(?:the )?next step (?:is|will be)(?: to)? (.{1,400})", re.IGNORECASE)
_ITEM = re.compile(r"\s{0,12}(?:[-*+]|\d{1,3}[.)])\s{1,3}(?:\[.\]\s)?(.{1,400})")
_CONCLUDES = re.compile(
    r"\b(?:root cause|in conclusion|conclusion:|turns out|in short|to sum up|the (?:cause|reason) (?:is|was))\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:because|so that|the reason)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_CODE_BEFORE = re.compile(r"exit code -?\d{1,10}(?::|\s|$)", re.IGNORECASE)
_ONLY_A_CODE = re.compile(
    r"\b(?:error|exit (?:code|status)|exited with(?: code)?)[ :]{0,3}-?\d{1,10}\W{0,3}$", re.IGNORECASE
)
_RULED = re.compile(r"\s{0,8}([=*_#~-])\1{2,}")
"""A line that is ruled, as headings of reports are."""
_TELLS_WHY = re.compile(
    r"err(?:or|eur)|fehler|fail|exception|not found|denied|refused|rejected|undefined|missing|no such|unable"
    r"|could(?:n't| not)|can(?:'t|not)\b",
    re.IGNORECASE,
)
_NONE_FAILED = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed|failing)\b", re.IGNORECASE)
_ONLY_A_NAME = re.compile(r":\d{1,7}: \w{1,60}$")
"""A place and the name of an error, without its message."""
_COMMAND_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNMENT = re.compile(r"\w+=\S*")
_WRAPPERS = frozenset({"sudo", "time", "nice", "timeout", "env", "command", "exec", "nohup", "uv", "poetry", "pipenv"})
_MULTIPLE = frozenset(
    "cargo docker dotnet gh git go gradle just kubectl make mvn npm npx pip pnpm python python3 terraform yarn".split()
)
_ASIDE_IN_GIT = frozenset("add blame branch diff fetch grep log ls-files reflog remote rev-parse show status".split())
"""What only looks at a repository, or prepares a commit."""
LEAST_NAMING = 4
"""The letters of a command's argument that names it by itself: `rm` or `ci` does not."""
_ASIDE_IN_CONTAINERS = frozenset("describe get images inspect logs ps".split())
_LOOKING = frozenset(
    "awk cat cd date df du echo env export file find grep head jq less ls ps pwd rg sed sleep sort source stat tail"
    " test tree true uname uniq wc which whoami".split()
)


def split(events: Sequence[Event], *, closed: bool) -> Iterator[list[Event]]:
    """Yield the finished stretches of events in order; the last one counts if the session is at rest (`closed`)."""
    stretch: list[Event] = []
    calls, is_committed = 0, False
    for event in events:
        is_asked = event.type is EventType.TURN and event.role == "user"
        if stretch and (is_asked or (is_committed and event.type is EventType.TOOL_CALL)):
            yield stretch
            stretch, calls, is_committed = [], 0, False
        stretch.append(event)
        calls += event.type is EventType.TOOL_CALL
        is_committed = is_committed or _commits(event)
        if _ends(event) or calls == MAX_TOOL_CALLS:
            yield stretch
            stretch, calls, is_committed = [], 0, False
    if stretch and closed:
        yield stretch


def _ends(event: Event) -> bool:
    return event.type is EventType.SIGNAL and event.text in (Signal.TURN_ENDED, Signal.SESSION_ENDED)


def _commits(event: Event) -> bool:
    if event.type is not EventType.TOOL_CALL:
        return False
    call = from_json(event.structured)
    return call.success is not False and commits.is_commit(call.command)


def has_work(events: Sequence[Event]) -> bool:
    """Return whether files were changed or commands run since the last of a user's turns."""
    for event in reversed(events):
        if event.type is EventType.TURN and event.role == "user":
            return False
        if event.type is EventType.TOOL_CALL:
            call = from_json(event.structured)
            if action_name(call.command) or (call.files_modified and call.success is not False):
                return True
    return False


def derive(events: Sequence[Event], asked_before: Sequence[str] = ()) -> Observation | None:
    """Derive the observation of a stretch; None if nothing in it is worth keeping.

    `asked_before` are the user's last turns before it, the last one first: a stretch that follows a commit, or a mere
    "yes, go on", still belongs to what was asked there.
    """
    calls = [from_json(event.structured) for event in events if event.type is EventType.TOOL_CALL]
    turns = [e.text for e in events if e.type is EventType.TURN and e.role == "user"][:1]
    asked = next((text for text in (*turns, *asked_before) if not is_mere_reply(text)), "")
    reply = next((e.text for e in reversed(events) if e.type is EventType.TURN and e.role == "assistant"), "")
    modified = _distinct(path for call in calls for path in call.files_modified if call.success is not False)
    read = tuple(p for p in _distinct(path for call in calls for path in call.files_read) if p not in modified)
    message = next(
        (m for call in reversed(calls) if call.success is not False and (m := commits.message(call.command))), ""
    )
    actions = _actions(calls, reply)
    decided = bool(turns) and _DECIDED.search(turns[0]) is not None  # an earlier turn's decision is kept already
    to_do = _next(reply)
    concludes = not turns or bool(to_do) or _CONCLUDES.search(reply) is not None  # without a turn, it closes work
    is_conclusive = bool(asked.strip() and reply.strip()) and concludes
    told = _found_by_agents(calls)
    if not (modified or message or actions or decided or told or is_conclusive or len(read) >= WORTH_TELLING):
        return None
    kind = _kind(asked, message, actions, decided=decided, changed=bool(modified or message))
    failures = _failures(calls)
    return Observation(
        type=kind,
        title=_title(asked, message, modified, read, actions),
        narrative=_narrative(asked, reply, modified, read, actions, message),
        facts=_facts(message, [*told, *failures], asked if decided else ""),
        concepts=_concepts(
            kind,
            explained="\n" in message or _BECAUSE.search(reply) is not None,
            recovered=bool(failures) and any(action.success for action in actions),
        ),
        files_read=read,
        files_modified=modified,
        occurred_at=events[-1].occurred_at,
        actions=actions,
        subtitle=_line(_SENTENCE_END.split(reply.strip(), 1)[0], MAX_TITLE_CHARS),
        next=to_do,
        tool=max(calls, key=lambda call: (bool(call.files_modified), sum(c.tool == call.tool for c in calls))).tool
        if calls
        else "",
    )


def _found_by_agents(calls: Sequence[ToolCall]) -> list[str]:
    """Return what subagents found, each under its name and once, though a client may tell it twice."""
    found = {
        (call.agent, call.outcome[:SAME_CHARS]): f"{call.agent} found: {_line(call.outcome, MAX_QUOTED_CHARS)}"
        for call in calls
        if call.agent and call.outcome
    }
    return list(found.values())


def render(observation: Observation) -> str:
    """Render an observation as text for search and display. Its first line never looks like a speaker's."""
    lines = [f"[{observation.type}] {observation.title}", observation.narrative]
    lines += [f"- {fact}" for fact in observation.facts]
    lines += [f"Next: {'; '.join(observation.next)}"] if observation.next else []
    if observation.files_modified:
        lines.append(f"Files changed: {', '.join(observation.files_modified)}")
    if observation.files_read:
        lines.append(f"Files read: {', '.join(observation.files_read)}")
    return "\n".join(filter(None, lines))


def action_name(command: str) -> str:
    """Return the name of a shell command, the same for each run of it; "" if it only looks around."""
    for part in _COMMAND_SEPARATOR.split(command):
        words = [word for word in part.split() if not _ASSIGNMENT.fullmatch(word)]
        while words and (words[0] in _WRAPPERS or words[0].lstrip("-").isdigit() or words[0] in ("-n", "run")):
            words = words[1:]
        if not words or words[0].startswith(("#", "-", "(")):
            continue
        program = PurePosixPath(words[0]).name
        if program in _LOOKING and not _is_own(words[0]):
            continue
        rest = [word for word in words[1:] if not word.startswith("-")]
        if program == "agentos" or (program in ("docker", "kubectl") and rest and rest[0] in _ASIDE_IN_CONTAINERS):
            continue
        if program == "git" and (not rest or rest[0] in _ASIDE_IN_GIT):
            continue
        if program.startswith("python") and "-m" in words[:-1]:
            return words[words.index("-m") + 1][:60]
        return f"{program} {rest[0]}"[:60] if program in _MULTIPLE and rest else program[:60]
    return ""


def _is_own(program: str) -> bool:
    """Return whether a program is a file of the project: `./export` is not the shell's `export`."""
    return "/" in program and not program.startswith("/")


def failures_in_a_row(events: Sequence[Event], tool: str, command: str) -> tuple[int, str]:
    """Return how often a tool's run has failed in a row by the last of these events, and why it failed last."""
    wanted = _run_name(ToolCall(tool, None, command))
    failures, reason = 0, ""
    for event in events:
        if event.type is not EventType.TOOL_CALL or (call := from_json(event.structured)).success is None:
            continue
        if wanted and _run_name(call) == wanted:
            failures, reason = (0, "") if call.success else (failures + 1, _reason(call.error))
    return failures, reason


def _run_name(call: ToolCall) -> str:
    return action_name(call.command) if call.command else call.tool


def _actions(calls: Sequence[ToolCall], reply: str) -> tuple[CommandRun, ...]:
    """Return the commands of a stretch, each with the outcome of its last run."""
    last: dict[str, CommandRun] = {}
    for call in calls:
        if name := action_name(call.command):
            outcome = {True: _said_of(name, reply) or "ok", False: _reason(call.error), None: ""}[call.success]
            last[name] = CommandRun(name, call.success, outcome)
    return tuple(last.values())[:MAX_ACTIONS]


def _said_of(action: str, reply: str) -> str:
    """Return what the agent says of a command, in the first sentence that names it: perhaps what made it work."""
    if " " not in action and action in _MULTIPLE:  # "go" and "make" alone are ordinary words
        return ""
    argument = PurePosixPath(action.partition(" ")[2]).stem
    names = [action, *([argument] if len(argument) >= LEAST_NAMING else [])]
    named = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, names))})(?![\w/-])", re.IGNORECASE)
    sentences = _SENTENCE_END.split(reply[:MAX_CLOSING_CHARS])
    return next((_line(one, MAX_NEXT_CHARS) for one in sentences if named.search(one)), "")


def _kind(asked: str, message: str, actions: Sequence[CommandRun], *, decided: bool, changed: bool) -> ObservationType:
    if changed and (stated := commits.kind(message)) is not None:
        return stated
    if not changed:
        return ObservationType.DECISION if decided else ObservationType.DISCOVERY
    for text in (message.partition("\n")[0], asked):
        places = {
            kind: found.start()
            for kind, words in _WORDS.items()
            if (found := re.search(rf"\b(?:{words})\b", text, re.IGNORECASE))
        }
        if places:  # the first word is the verb: "add a test for the crash" adds
            return min(places, key=lambda kind: places[kind])
    return ObservationType.CHANGE


def _title(
    asked: str, message: str, modified: Sequence[str], read: Sequence[str], actions: Sequence[CommandRun]
) -> str:
    if message:
        return _line(message.partition("\n")[0], MAX_TITLE_CHARS)
    if sentence := _SENTENCE_END.split(asked.strip(), 1)[0]:
        return _line(sentence, MAX_TITLE_CHARS)
    names = [PurePosixPath(path).name for path in modified or read]
    if names:
        what = f"{', '.join(names[:3])}{' and more' if len(names) > 3 else ''}"
        return _line(f"{'Changed' if modified else 'Looked at'} {what}", MAX_TITLE_CHARS)
    return _line(f"Ran {', '.join(action.name for action in actions[:3])}", MAX_TITLE_CHARS)


def _narrative(
    asked: str,
    reply: str,
    modified: Sequence[str],
    read: Sequence[str],
    actions: Sequence[CommandRun],
    message: str,
) -> str:
    parts = [f"Asked: {_line(asked, MAX_QUOTED_CHARS)}"] if asked.strip() else []
    if modified:
        parts.append(f"Changed {_files(modified)}.")
    elif read:
        parts.append(f"Read {_files(read)}.")
    parts += [f"{action.name} {_ending(action)}." for action in actions]
    if "\n" in message:
        parts.append(f"Why: {_line(message.partition(chr(10))[2], MAX_QUOTED_CHARS)}")
    if reply.strip():
        parts.append(f"Concluded: {_both_ends(reply, MAX_CLOSING_CHARS)}")
    return " ".join(parts)


def _facts(message: str, others: Sequence[str], decision: str) -> tuple[str, ...]:
    facts = [f"Committed: {_line(message.partition(chr(10))[0], MAX_QUOTED_CHARS)}"] if message else []
    if decision:
        sentences = _SENTENCE_END.split(decision)
        facts += [f"Decided: {_line(text, MAX_QUOTED_CHARS)}" for text in sentences if _DECIDED.search(text)][:2]
    return tuple([*facts, *others][:MAX_FACTS])


def _failures(calls: Sequence[ToolCall]) -> list[str]:
    """Return each failure once, with its message."""
    lines: dict[str, None] = {}
    for call in calls:
        if call.success is False:
            what = action_name(call.command) or call.tool
            lines.setdefault(f"{what} failed: {_reason(call.error)}")
    return list(lines)


def _next(reply: str) -> tuple[str, ...]:
    """Return what the agent says is still to be done: the rest of such a line, or the items below it."""
    found: list[str] = []
    is_below = False
    for line in reply.splitlines():
        item = _ITEM.match(line)
        if heading := _TO_DO.match(line):
            is_below = True
            found += [heading[1]] if (heading[1] or "").strip() else []
        elif is_below and item:
            found.append(item[1])
        elif line.strip():
            is_below = False
            found += _said_within(line)
    return tuple(_line(one, MAX_NEXT_CHARS) for one in found[:MAX_NEXT])


def _said_within(line: str) -> list[str]:
    """Return what a line says is next among other sentences: "Fixed the rounding. Next: the tax report."."""
    begins = [0, *(place.end() for place in list(_SENTENCE_END.finditer(line))[:MAX_FACTS])]
    for begin in begins:
        heading = _STEP.match(line, begin) or (_TO_DO.match(line, begin) if begin else None)
        if heading and (heading[1] or "").strip():
            return [heading[1]]
    return []


def _ending(action: CommandRun) -> str:
    if action.success is None:
        return "ran, its result is unknown"
    return "passed" if action.success else f"failed: {action.outcome}"


def _both_ends(text: str, limit: int) -> str:
    """A text's beginning and its end: what somebody comes to stands at the end."""
    line = " ".join(text.split())
    half = limit // 2
    return line if len(line) <= limit else f"{line[:half].rstrip()} … {line[-half:].lstrip()}"


def _concepts(kind: ObservationType, *, explained: bool, recovered: bool) -> tuple[Concept, ...]:
    of_kind = {
        ObservationType.BUGFIX: Concept.PROBLEM_SOLUTION,
        ObservationType.DISCOVERY: Concept.HOW_IT_WORKS,
        ObservationType.DECISION: Concept.TRADE_OFF,
    }
    why = (Concept.WHY_IT_EXISTS,) if explained else ()
    return (of_kind.get(kind, Concept.WHAT_CHANGED), *why, *((Concept.GOTCHA,) if recovered else ()))


def _files(paths: Sequence[str]) -> str:
    more = len(paths) - MAX_FILES_LISTED
    return ", ".join(paths[:MAX_FILES_LISTED]) + (f" and {more} more" if more > 0 else "")


def _reason(error: str) -> str:
    """Return the line of an error that says why; one that only gives a code where there is no other."""
    lines = [line for line in _CODE_BEFORE.sub("", error.strip(), 1).splitlines() if line.strip()]
    saying = [line for line in lines if not _ONLY_A_CODE.search(line.rstrip()[-80:]) and not _RULED.match(line)]
    telling = [line for line in saying if _TELLS_WHY.search(line) and not _NONE_FAILED.search(line)]
    whole = [line for line in telling if not _ONLY_A_NAME.search(line.rstrip()[-80:])]
    return _line((whole or telling or saying[-1:] or lines or [error])[0], 160)


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _distinct(paths: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
