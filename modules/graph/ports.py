"""What the graph needs of storage, and of other subjects."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import GraphStatistics, Node, OtherName, Pair, Relation, Text, Together, Understood

CountTokens = Callable[[str], int]
"""An estimate of a text's tokens, on the high side."""


class GraphRepository(Protocol):
    """Nodes, edges and mentions; every change is one durable transaction. Nodes are named by their number (`seq`)."""

    async def get(self, namespace: str, node_id: str) -> Node | None:
        """One node by its id."""

    async def nodes(self, namespace: str, numbers: Sequence[int], as_of: datetime | None, now: datetime) -> list[Node]:
        """Nodes by number with their mentions, with `as_of` those until then; what rules found and no visible memory
        speaks of is left out."""

    async def find(
        self, namespace: str, type_: str | None, key_part: str, limit: int, now: datetime
    ) -> tuple[list[Node], int]:
        """Nodes whose key, or an alias of them, contains some text, the most mentioned first; and how many there
        are."""

    async def named(self, namespace: str, keys: Sequence[str]) -> dict[str, list[int]]:
        """The numbers of the nodes that keys name, by label or by alias."""

    async def aliases(self, namespace: str, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of a node and the one that it is another name of, where either is among `numbers`: by a memory's
        word, by an agent's, or because it is the first name of one person alone."""

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
        """Nodes that are named by the same memories as those of a group: `groups` gives each number its group's.

        Of each member the `newest` memories are looked at; pairs with fewer than `least` memories are left out, and of
        the others the `limit` with the most are given. With `as_of` what held then counts, else what holds now.
        """

    async def both(
        self, namespace: str, ones: Sequence[int], others: Sequence[int], as_of: datetime | None, now: datetime
    ) -> int:
        """How many visible memories name one of `ones` and one of `others`."""

    async def relations(
        self, namespace: str, numbers: Sequence[int], limit: int, types: Sequence[str] = ()
    ) -> list[Relation]:
        """The edges from and to nodes, of all times, whose evidence is visible, the heaviest first.

        With an edge of a type that holds one at a time come the others of its source and type.
        """

    async def add_node(self, namespace: str, node: Node, now: datetime) -> tuple[Node, bool]:
        """Insert a node, or find the one of the same type and key and give it what it lacks; True when it is new."""

    async def add_alias(self, namespace: str, node: Node, label: str, now: datetime) -> None:
        """Give a node another name; one that it has is kept."""

    async def add_edge(self, namespace: str, relation: Relation, now: datetime) -> tuple[Relation, bool]:
        """Insert an edge without evidence, or raise the weight of the one that is there; True when it is new."""

    async def delete_node(self, namespace: str, node_id: str, now: datetime) -> int | None:
        """Delete a node with its edges, mentions and aliases; how many edges went, None where there is no node."""

    async def statistics(self, namespace: str, now: datetime) -> GraphStatistics:
        """Counts."""

    async def unread(self, namespace: str, limit: int, *, changed: bool) -> list[Text]:
        """Memories that came after the last that was read, the oldest first; with `changed` also those that were read
        at another version, which takes a look at each."""

    async def record(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Keep what texts name and tell in the place of what was kept of them, in one transaction; how many nodes and
        edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

    async def unasked(self, namespace: str, limit: int) -> list[Text]:
        """Memories that rules have read, and no language model was asked about at their version, the oldest first. No
        hidden ones, and none of little trust.
        """

    async def record_asked(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Add what a language model makes of texts to what rules made of them, which stays, in one transaction; how
        many nodes and edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

    async def extend(
        self, namespace: str, memory_id: str | None, understood: Understood, source: str, now: datetime
    ) -> tuple[int, int]:
        """Add what a text names and tells; with a memory it is the evidence, and mentions all of it. How many nodes
        and edges are new."""

    async def is_memory(self, namespace: str, memory_id: str) -> bool:
        """Whether there is such a memory."""


class AliasRepository(Protocol):
    """Names that were found to be alike. What is joined here is an alias everywhere."""

    async def uncompared(self, namespace: str, limit: int) -> list[Node]:
        """Entities whose names were not compared with older ones yet, the oldest first."""

    async def alike(self, namespace: str, forms: Sequence[str], before: int, limit: int) -> list[Node]:
        """The newest entities, older than the number `before`, that have one of some forms."""

    async def newest(self, namespace: str, types: Sequence[str], before: int, limit: int) -> list[Node]:
        """The newest entities of some types that are older than the number `before`."""

    async def compared(
        self, namespace: str, forms: Mapping[int, Sequence[str]], pairs: Sequence[Pair], now: datetime
    ) -> int:
        """Note the forms of entities that were compared, and what they are like, in one transaction; how many pairs
        are new. A pair that was decided about stays as it is.
        """

    async def other_names(self, namespace: str, limit: int, now: datetime) -> list[OtherName]:
        """Pairs that were found, suggestions first, then the newest; none of which a name is hidden."""

    async def decide(self, namespace: str, pair_id: str, now: datetime, *, accept: bool) -> bool:
        """Join or part the names of a pair, for good; False where there is no such pair."""


class NameVectors(Protocol):
    """Vectors of names."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """A unit vector for each text. Raises AgentOSError without a model."""
