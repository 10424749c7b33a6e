"""History: acts on many memories, how far each is, the newest judgements of single ones, and the undoing of each."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ....modules.deeds.models import Deed
from ....modules.errors import AgentOSError, InvalidInput
from ....modules.memory.models import Change, Status
from ..visit import Redirect, Shown, Visit
from .approvals import title_of
from .listing import Listing
from .memories import WAIT_S, back_to

MOST = 50
"""The judgements that are shown."""
REVERTED = "reverted"
_ID = re.compile(r"\b(?:mem|goal|ses|apr|ins|task)_[0-9a-f]+\b")


class ActSubject(NamedTuple):
    """What an act was done to: its text, and its page, if it has one."""

    text: str
    path: str = ""


async def show(visit: Visit, path: str) -> Shown:
    """Show the newest acts, or one with what came of it. Raises NotFound."""
    act_id = path.partition("/")[2]
    acts = visit.agentos.acts
    found = [await acts.look(visit.namespace, act_id)] if act_id else await acts.recent(visit.namespace)
    deeds = [] if act_id else await _deeds(visit)
    judged = [] if act_id else await _judged(visit, deeds)
    named = await visit.agentos.browsing.named(visit.namespace, [one.memory_id for one in judged])
    values = {
        "deeds": deeds,
        "subjects": await _subjects(visit, deeds),
        "judged": judged,
        "texts": {one.id: one.content for one in named},
        "may_write": visit.may_write,
    }
    return Shown("acts.html", {"acts": found, "one": bool(act_id), "listing": Listing.of(visit), **values})


async def _deeds(visit: Visit) -> list[Deed]:
    """Return what the visitor did, without what only took something back: that is marked as undone."""
    deeds = await visit.agentos.deeds.of(visit.namespace, visit.caller.principal)
    return [one for one in deeds if one.done != REVERTED or one.undo is not None]


async def _judged(visit: Visit, deeds: Sequence[Deed]) -> list[Change]:
    """Return the newest judgements, but for those that the visitor's own acts tell of."""
    told = {one.undo.fields.get("change") for one in deeds if one.undo is not None}
    return [one for one in await visit.agentos.lifecycle.latest(visit.namespace, MOST) if one.id not in told]


async def _subjects(visit: Visit, deeds: Sequence[Deed]) -> Mapping[str, ActSubject]:
    """Return what each deed was done to, by the deed's id; nothing for what is gone."""
    ids = {one.id: found for one in deeds if (found := _subject_id(one))}
    memories = await visit.agentos.browsing.named(visit.namespace, [one for one in ids.values() if one[:4] == "mem_"])
    subjects = {
        one.id: ActSubject(one.content, "" if one.status is Status.FORGOTTEN else f"/memory/{one.id}")
        for one in memories
    }
    for one in dict.fromkeys(ids.values()):
        if one not in subjects:
            with suppress(AgentOSError):  # it is gone
                subjects[one] = await _subject(visit, one)
    return {deed: subjects[one] for deed, one in ids.items() if one in subjects}


def _subject_id(deed: Deed) -> str:
    """Return the id of what a deed was done to; "" where it names none."""
    undo = () if deed.undo is None else (deed.undo.fields.get("id", ""), deed.undo.path)
    return next((found[0] for place in (*undo, deed.path) if (found := _ID.search(place))), "")


async def _subject(visit: Visit, one: str) -> ActSubject:
    """Return what has an id, other than a memory. Raises AgentOSError."""
    agentos, namespace = visit.agentos, visit.namespace
    match one.partition("_")[0]:
        case "goal":
            return ActSubject((await agentos.goals.get(namespace, one)).title, f"/goals/{one}")
        case "ses":
            session = await agentos.sessions.get(namespace, one)
            return ActSubject(session.title or session.key, f"/sessions/{one}")
        case "apr":
            return ActSubject(await title_of(visit, await agentos.approvals.get(namespace, one)), f"/approvals/{one}")
        case "ins" | "task":
            return ActSubject((await agentos.insights.get(namespace, one)).text)
    raise InvalidInput("id", visit.text("errors.no_page"))


async def act(visit: Visit, path: str) -> Redirect:
    """Undo an act, or stop it. Raises AgentOSError."""
    visit.caller.writing(visit.namespace)
    act_id, what = path.partition("/")[2], visit.given("do")
    if what == "revert":
        await visit.agentos.lifecycle.revert(visit.namespace, visit.given("id"), visit.by)
        return Redirect("/acts", {"done": "reverted"})
    acts = visit.agentos.acts
    if what == "stop":
        await acts.stop(visit.namespace, act_id)
    elif what == "undo":
        await acts.undo(visit.namespace, act_id, visit.by)
    else:
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    await acts.settled(visit.namespace, act_id, WAIT_S)
    if visit.given("from") == "acts":
        return Redirect(f"/acts/{act_id}", {})
    return Redirect(back_to(visit), {**Listing.of(visit).given, "act": act_id})
