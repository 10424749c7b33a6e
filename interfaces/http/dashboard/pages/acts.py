"""History: acts on many memories, how far each is, the newest judgements of single ones, and the undoing of each."""

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit
from .listing import Listing
from .memories import WAIT_S, back_to

MOST = 50
"""The judgements that are shown."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the newest acts, or one with what came of it. Raises NotFound."""
    act_id = path.partition("/")[2]
    acts = visit.agentos.acts
    found = [await acts.look(visit.namespace, act_id)] if act_id else await acts.recent(visit.namespace)
    judged = [] if act_id else await visit.agentos.lifecycle.latest(visit.namespace, MOST)
    named = await visit.agentos.browsing.named(visit.namespace, [one.memory_id for one in judged])
    deeds = [] if act_id else await visit.agentos.deeds.of(visit.namespace, visit.caller.principal)
    values = {
        "deeds": deeds,
        "judged": judged,
        "texts": {one.id: one.content for one in named},
        "may_write": visit.may_write,
    }
    return Shown("acts.html", {"acts": found, "one": bool(act_id), "listing": Listing.of(visit), **values})


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
