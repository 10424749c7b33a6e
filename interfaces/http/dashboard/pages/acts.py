"""Acts on many memories: those of the last days, how far each is, and the undoing of one."""

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit
from .listing import Listing
from .memories import WAIT_S, back_to


async def show(visit: Visit, path: str) -> Shown:
    """Show the newest acts, or one with what came of it. Raises NotFound."""
    act_id = path.partition("/")[2]
    acts = visit.agentos.acts
    found = [await acts.look(visit.namespace, act_id)] if act_id else await acts.recent(visit.namespace)
    return Shown("acts.html", {"acts": found, "one": bool(act_id), "listing": Listing.of(visit)})


async def act(visit: Visit, path: str) -> Redirect:
    """Undo an act, or stop it. Raises AgentOSError."""
    visit.caller.writing(visit.namespace)
    act_id, what = path.partition("/")[2], visit.given("do")
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
