"""`agentos trust`: how often each author of memories proved right, and whom they trust."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from . import shown
from .opened import with_caller
from .options import Agent, AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller
    from ...modules.trust.models import AgentTrust, Beta

_Found = tuple[Mapping[str, "Beta"], Sequence["AgentTrust"]]


def trust(agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show each principal's reputation, and how far principals trust each other.

    Verdicts on one's own memories do not count. 0.5 is neutral.
    """

    async def found(agentos: "AgentOS", caller: "Caller") -> _Found:
        namespace = caller.reading(agent)
        return await agentos.trust.reputations(namespace), await agentos.trust.between(namespace)

    reputations, between = with_caller(home, found)
    scores = {
        name: {"trust": round(one.mean, 4), "good": one.good - 1, "bad": one.bad - 1}
        for name, one in reputations.items()
    }
    if as_json:
        say_json({"reputations": scores, "between": [asdict(one) for one in between]})
        return
    if not scores:
        say("No principal has judged another's memories yet, so every source is neutral.")
        return
    say(
        shown.rows(
            ("principal", "trust", "good", "bad"),
            [
                [name, f"{one['trust']:.2f}", f"{one['good']:g}", f"{one['bad']:g}"]
                for name, one in sorted(scores.items())
            ],
        )
    )
    say(
        shown.rows(
            ("who", "trusts", "score", "judgements", "through"),
            [[one.judge, one.author, f"{one.score:.2f}", str(one.judgements), one.through] for one in between],
        )
    )
