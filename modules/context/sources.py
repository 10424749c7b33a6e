"""The sources of the parts of a context: the other services, each as the compiler wants it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ..graph.models import CO_OCCURS, Edge
from ..graph.service import GraphService
from ..text.counting import counted
from ..turns.models import Turn
from ..turns.service import MAX_LIMIT, WINDOW, TurnService
from .ports import About, Chains, Inherited, Material, Window

CHAINS = 6
INHERITED = 20
"""The number of inherited turns that a branch is given, beside those that are in its window."""


def window_of(turns: TurnService) -> Window:
    """Return the working window of a session, which borrows from the session it branched off while it is short."""
    return turns.window


def inherited_of(turns: TurnService) -> Inherited:
    """Return a source of the turns that a branch inherited and no longer has in its window, the most missed first."""

    async def inherited(namespace: str, session: str) -> Sequence[Material]:
        before = (await turns.lineage(namespace, session))[1:]
        if not before:
            return []
        shown = {turn.memory_id for turn in await turns.window(namespace, session, WINDOW)}
        found: list[Turn] = []
        for stretch in before:
            after = -1 if stretch.until is None else max(-1, stretch.until - MAX_LIMIT)
            page = await turns.turns(namespace, stretch.session, after, MAX_LIMIT)
            found += [turn for turn in page if stretch.until is None or turn.place <= stretch.until]
        waiting = [turn for turn in found if turn.memory_id not in shown]
        best = sorted(waiting, key=_missed, reverse=True)[:INHERITED]
        return [Material(turn.text, f"{turn.occurred_at:%Y-%m-%d} {turn.role}", turn.memory_id) for turn in best]

    return inherited


def _missed(turn: Turn) -> tuple[float, datetime, int]:
    """Return how much a turn would be missed: its salience, .5 where that is not known; then the newest."""
    return (0.5 if turn.salience is None else turn.salience, turn.occurred_at, turn.place)


def chains_of(turns: TurnService) -> Chains:
    """Return what a conversation went on with, each by one sentence of it."""

    async def chains(namespace: str, session: str) -> Sequence[Material]:
        return [
            Material(chain.gist, f"{chain.occurred_at:%Y-%m-%d} {_pages(chain.pages)}")
            for chain in await turns.chains(namespace, session, CHAINS)
        ]

    return chains


def graph_of(graph: GraphService) -> About:
    """Return how what a query names is related: relations that texts tell, then what is named together."""

    async def related(namespace: str, query: str, limit: int) -> Sequence[Material]:
        found = await graph.subgraph(namespace, query)
        labels = {node.id: node.label for node in found.nodes}
        typed_pairs = {frozenset((edge.source, edge.target)) for edge in found.edges if edge.type != CO_OCCURS}
        news = [e for e in found.edges if e.type != CO_OCCURS or frozenset((e.source, e.target)) not in typed_pairs]
        edges = sorted(news, key=lambda edge: (edge.type == CO_OCCURS, -edge.weight))
        return [_relation(edge, labels) for edge in edges[:limit]]

    return related


def _relation(edge: Edge, labels: Mapping[str, str]) -> Material:
    one, other = labels[edge.source], labels[edge.target]
    if edge.type == CO_OCCURS:
        return Material(f"{one} and {other}", f"named together {edge.weight:.0f} times")
    since = f"since {edge.since:%Y-%m-%d}, " if edge.since else ""
    return Material(f"{one} {edge.type} {other}", f"{since}by {edge.method}")


def _pages(pages: tuple[int, ...]) -> str:
    return f"{counted(len(pages), 'page')} from {pages[0]} on"
