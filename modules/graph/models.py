"""The domain types of the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from ..records import dataclass


class NodeType(StrEnum):
    """Types of a node that an agent adds."""

    MEMORY = "memory"
    GOAL = "goal"
    PROBLEM = "problem"
    SKILL = "skill"
    EPISODE = "episode"
    CONCEPT = "concept"
    TASK = "task"


class EntityType(StrEnum):
    """The type of an entity. A `name` is a proper name whose type is not known yet."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PLACE = "place"
    PRODUCT = "product"
    NAME = "name"
    IDENTIFIER = "identifier"
    PATH = "path"
    URL = "url"
    DATE = "date"
    ERROR = "error"


class EdgeType(StrEnum):
    """Types of an edge between two nodes of an agent, read from the source to the target."""

    CAUSES = "causes"
    BLOCKS = "blocks"
    REQUIRES = "requires"
    LEARNED_FROM = "learned_from"
    SOLVES = "solves"
    DEPENDS_ON = "depends_on"
    ENABLES = "enables"
    CONTRADICTS = "contradicts"
    RELATES_TO = "relates_to"


WORKS_AT, LIVES_AT, STUDIES_AT = "works_at", "lives_at", "studies_at"
USES, ALIAS_OF, CO_OCCURS = "uses", "alias_of", "co_occurs"
MAY_BE = "may_be"
"""Counterpart of `alias_of`: two names that may be one thing's. It joins nothing until somebody accepts it."""
WEIGHTS: Mapping[str, float] = {WORKS_AT: 0.85, LIVES_AT: 0.80, STUDIES_AT: 0.80, ALIAS_OF: 1.0}
"""Weights of relations that rules read; any other type has RULE_WEIGHT."""
RULE_WEIGHT = 0.7
RULES, LLM = "rules", "llm"
LLM_WEIGHT = 0.6
"""Weight of a relation that a language model read: less certain than one of the rules."""
ONE_AT_A_TIME = frozenset({WORKS_AT, LIVES_AT, STUDIES_AT})
"""Types of which an entity has one at a time: a newer relation ends an older one."""


@dataclass(frozen=True)
class Named:
    """An entity that a text names."""

    label: str
    type: EntityType | NodeType


@dataclass(frozen=True)
class StatedRelation:
    """A relation that a text states. Not `holds`: the text says that it does not hold, or no longer.

    `since` and `until` are the dates that the text itself gives.
    """

    subject: Named
    type: str
    object: Named
    weight: float = RULE_WEIGHT
    since: datetime | None = None
    until: datetime | None = None
    holds: bool = True


@dataclass(frozen=True)
class Understood:
    """Entities and relations that the rules read in one text; both ends of each relation are among the entities."""

    entities: tuple[Named, ...] = ()
    relations: tuple[StatedRelation, ...] = ()


@dataclass(frozen=True)
class Text:
    """A memory as the rules read it. `speaker` is who says it, `role` whose turn it is, where that is known.

    The slot (subject, attribute, value, polarity) comes from a template of `facts`, or from the memory's author.
    """

    seq: int
    memory_id: str
    version: int
    content: str
    occurred_at: datetime
    speaker: str | None = None
    role: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    polarity: bool = True


@dataclass(frozen=True)
class Node:
    """A node as it is stored. `source` is rules, manual or llm; `mentions` how many visible memories name it."""

    seq: int
    id: str
    type: str
    label: str
    key: str
    description: str = ""
    ref_id: str | None = None
    source: str = "manual"
    mentions: int = 0


@dataclass(frozen=True)
class NodeRelation:
    """An edge between two nodes, by their numbers. It holds from `start` (None: always) to `end` (None: still).

    `evidence` is the number of the memory that states it, None where it was added to the graph directly; a weight
    of 0 says that it does not hold. `order` is the order of arrival, `method` rules, llm or manual.
    """

    source: int
    type: str
    target: int
    weight: float
    start: datetime | None = None
    end: datetime | None = None
    evidence: int | None = None
    description: str = ""
    order: int = 0
    id: str = ""
    method: str = "manual"


@dataclass(frozen=True)
class Together:
    """The number of visible memories that name both of two nodes."""

    one: int
    other: int
    memories: int


@dataclass(frozen=True)
class Edge:
    """An edge between two nodes, by their ids. The weight of `co_occurs` is a number of memories, else 0..1.

    `method` says who read it: rules, llm, or manual where an agent said so.
    """

    source: str
    type: str
    target: str
    weight: float
    description: str = ""
    since: datetime | None = None
    until: datetime | None = None
    id: str = ""
    method: str = "manual"


@dataclass(frozen=True)
class Subgraph:
    """The nodes that a query names and those near them, each once, by number of mentions, and the edges between.

    `matched` are the ids of the nodes that the query names. `unread` says that some memories are not in the graph yet.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    matched: tuple[str, ...] = ()
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unread: bool = False


@dataclass(frozen=True)
class Neighbour:
    """A neighbouring node, and the edge to it."""

    node: Node
    edge: Edge


@dataclass(frozen=True)
class NodeSurroundings:
    """A node with its edges by direction, and the nodes named together with it."""

    node: Node
    outgoing: tuple[Neighbour, ...]
    incoming: tuple[Neighbour, ...]
    together: tuple[Neighbour, ...]


@dataclass(frozen=True)
class Reached:
    """A node reached by a walk: the number of hops, the nodes on the path, and the product of the weights on it."""

    node: Node
    hops: int
    weight: float
    path: tuple[str, ...]


@dataclass(frozen=True)
class Impact:
    """The nodes that a change of a node affects. `severity` is critical, medium or low."""

    source: Node
    affected: tuple[Reached, ...]
    severity: str


@dataclass(frozen=True)
class NodeRoute:
    """A path from one node to another; both fields are empty if there is none."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class GraphStatistics:
    """Counts over one namespace."""

    nodes: int
    edges: int
    mentions: int
    nodes_by_type: Mapping[str, int]
    edges_by_type: Mapping[str, int]


@dataclass(frozen=True)
class Extracted:
    """The nodes and edges that were added from a text."""

    nodes_added: int
    edges_added: int
    labels: tuple[str, ...]


class PairState(StrEnum):
    """The state of a pair of alike names."""

    ALIAS = "alias"
    SUGGESTED = "suggested"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Pair:
    """Two nodes, by number, whose names are alike: why, how much (0..1), and whether nothing else is likely."""

    alias: int
    canonical: int
    basis: str
    score: float
    is_sure: bool


@dataclass(frozen=True)
class OtherName:
    """An alias candidate found by rules or by meaning, and its state. `source` is manual once somebody decided."""

    id: str
    alias: Node
    canonical: Node
    basis: str
    score: float
    standing: PairState
    source: str


@dataclass(frozen=True)
class Relationship:
    """The relationship of two things, by the rules; `reverse` means from the second to the first."""

    type: str
    weight: float
    description: str
    reverse: bool = False
