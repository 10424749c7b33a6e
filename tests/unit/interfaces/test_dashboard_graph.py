"""The graph of the dashboard: one thing is one node, whatever it is called."""

from types import SimpleNamespace as Of

from agentos.interfaces.http.dashboard.pages.graph import _plain
from agentos.modules.graph.models import ALIAS_OF, USES


def test_names_of_one_person_are_one_node_with_all_its_relations() -> None:
    nodes = [Of(id=f"n{at}", label=label, type="person", mentions=9 - at)
             for at, label in enumerate(("Ana", "Ana Lopes", "pump", "A. Lopes"))]  # fmt: skip
    edges = [Of(source="n1", target="n0", type=ALIAS_OF), Of(source="n3", target="n1", type=ALIAS_OF),
             Of(source="n3", target="n2", type=USES), Of(source="n0", target="n2", type=USES)]  # fmt: skip
    drawn, joined = _plain(nodes, edges)
    assert [(one["label"], one["also"]) for one in drawn] == [("Ana", ["Ana Lopes", "A. Lopes"]), ("pump", [])]
    assert joined == [{"source": "n0", "target": "n2", "type": USES}]
