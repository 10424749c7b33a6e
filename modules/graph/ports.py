"""The ports of the graph: what it needs of storage, and of other modules."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ..vectors import Familiar
from .models import GraphStatistics, Node, NodeRelation, OtherName, Pair, Text, Together, Understood

CountTokens = Callable[[str], int]
"""Estimate a text's tokens, on the high side."""


class GraphSteps(Protocol):
    """Steps from names to nodes, and from nodes to others. Nodes go by number (`seq`)."""

    async def named(self, namespace: str, keys: Sequence[str]) -> dict[str, list[int]]:
        """Return, for each key, the numbers of the nodes with that label or alias."""

    async def aliases(self, namespace: str, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Return pairs (alias, canonical) of nodes where either is among `numbers`.

        Aliases are stated by a memory or an agent, or are a first name that only one person has.
        """

    async def nodes(self, namespace: str, numbers: Sequence[int], as_of: datetime | None, now: datetime) -> list[Node]:
        """Return nodes by number with their mentions (with `as_of`, those until then).

        Nodes that rules found and no visible memory names are left out.
        """

    async def together(
        self,
        namespace: str,
        groups: Mapping[int, int],
        newest: int,
        least: int,
        limit: int,
        as_of: datetime | None,
        now: datetime,
    ) -> list[Together]:
        """Return nodes named by the same memories as those of a group: `groups` maps a number to its group's number.

        The `newest` memories of each member are looked at; pairs with fewer than `least` memories are left out, and the
        `limit` pairs with the most are returned. With `as_of`, what held then counts, else what holds now.
        """

    async def named_in(self, namespace: str, projects: Sequence[str], limit: int, now: datetime) -> list[int]:
        """Return the nodes that visible memories of some projects, by id or name, name most often."""

    async def naming(self, namespace: str, numbers: Sequence[int], limit: int, now: datetime) -> list[str]:
        """Return the ids of the visible memories that name one of some nodes, the last stored first."""

    async def both(
        self, namespace: str, ones: Sequence[int], others: Sequence[int], as_of: datetime | None, now: datetime
    ) -> int:
        """Count the visible memories that name one of `ones` and one of `others`."""

    async def relations(
        self, namespace: str, numbers: Sequence[int], limit: int, types: Sequence[str] = ()
    ) -> list[NodeRelation]:
        """Return the edges from and to nodes, of all times, whose evidence is visible, the heaviest first.

        Edges of a type that holds one at a time come with the others of their source and type.
        """


class GraphNodes(Protocol):
    """Nodes and edges as agents see and change them; each change is one durable transaction."""

    async def get(self, namespace: str, node_id: str) -> Node | None:
        """Return a node by its id; None if there is none."""

    async def find(
        self, namespace: str, type_: str | None, key_part: str, limit: int, now: datetime
    ) -> tuple[list[Node], int]:
        """Find nodes whose key or alias contains a text, the most mentioned first; also return how many there are."""

    async def add_node(self, namespace: str, node: Node, now: datetime) -> tuple[Node, bool]:
        """Insert a node, or fill in what the one of the same type and key lacks; True if it is new."""

    async def add_alias(self, namespace: str, node: Node, label: str, now: datetime) -> None:
        """Give a node an alias; one that it already has is kept."""

    async def add_edge(self, namespace: str, relation: NodeRelation, now: datetime) -> tuple[NodeRelation, bool]:
        """Insert an edge without evidence, or raise the weight of the existing one; True if it is new."""

    async def delete_node(self, namespace: str, node_id: str, now: datetime) -> int | None:
        """Delete a node with its edges, mentions and aliases; return how many edges went, None if there is no node."""

    async def statistics(self, namespace: str, now: datetime) -> GraphStatistics:
        """Count nodes, edges and mentions."""

    async def is_memory(self, namespace: str, memory_id: str) -> bool:
        """Return whether there is such a memory."""


class GraphReading(Protocol):
    """The entities and relations that were read in texts; each change is one durable transaction."""

    async def unread(self, namespace: str, limit: int, *, changed: bool) -> list[Text]:
        """Return memories newer than the last one read, the oldest first.

        With `changed`, also those that were read at another version, which takes a look at each.
        """

    async def record(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Replace what was kept of these texts by what they name and state, in one transaction.

        Returns how many nodes and edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

    async def unasked(self, namespace: str, limit: int) -> list[Text]:
        """Return memories that rules have read and no language model at their version, the oldest first.

        Hidden memories and those of little trust are left out.
        """

    async def record_asked(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Add what a language model reads in texts to what rules read, which stays, in one transaction.

        Returns how many nodes and edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

    async def extend(
        self, namespace: str, memory_id: str | None, understood: Understood, source: str, now: datetime
    ) -> tuple[int, int]:
        """Add what a text names and states; return how many nodes and edges are new.

        A given memory is the evidence and mentions all of it.
        """


class GraphRepository(GraphSteps, GraphNodes, GraphReading, Protocol):
    """The whole of what a backend offers: all of these in one."""


class AliasRepository(Protocol):
    """Storage of pairs of alike names. A pair joined here is an alias everywhere."""

    async def uncompared(self, namespace: str, limit: int) -> list[Node]:
        """Return entities whose names were not compared with older ones yet, the oldest first."""

    async def alike(self, namespace: str, forms: Sequence[str], before: int, limit: int) -> list[Node]:
        """Return the newest entities, older than the number `before`, that have one of the given forms."""

    async def newest(self, namespace: str, types: Sequence[str], before: int, limit: int) -> list[Node]:
        """Return the newest entities of the given types that are older than the number `before`."""

    async def compared(
        self, namespace: str, forms: Mapping[int, Sequence[str]], pairs: Sequence[Pair], now: datetime
    ) -> int:
        """Store the forms and the pairs of compared entities in one transaction; return how many pairs are new.

        A pair that was decided about stays as it is.
        """

    async def other_names(self, namespace: str, limit: int, now: datetime) -> list[OtherName]:
        """Return pairs that were found, suggestions first, then the newest; none with a hidden name."""

    async def decide(self, namespace: str, pair_id: str, now: datetime, *, accept: bool) -> bool:
        """Join or part the names of a pair, for good; False if there is no such pair."""


class NameVectors(Protocol):
    """Embeddings of names."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Return a unit vector for each text. Raises AgentOSError without a model."""

    async def familiar(self, text: str) -> Familiar:
        """Return what brings cosines of texts in the language of this one to the scale of constants."""
