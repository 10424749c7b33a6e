"""The graph of the dashboard: one thing is one node, whatever it is called."""

from agentos.features.dashboard.pages.graph import _plain
from agentos.modules.graph.models import USES, Edge, Node, Subgraph


def test_a_node_has_all_its_names_and_each_relation_once() -> None:
    ana, pump = Node(1, "n1", "person", "Ana", "ana"), Node(2, "n2", "product", "pump", "pump")
    edges = (Edge("n1", USES, "n2", 1.0), Edge("n1", USES, "n2", 0.5), Edge("n1", USES, "n9", 0.5))
    drawn, joined = _plain(Subgraph((ana, pump), edges, aliases={"n1": ["Ana Lopes", "Ana"]}))
    assert [(one["label"], one["also"]) for one in drawn] == [("Ana", ["Ana Lopes"]), ("pump", [])]
    assert joined == [{"source": "n1", "target": "n2", "type": USES}]
