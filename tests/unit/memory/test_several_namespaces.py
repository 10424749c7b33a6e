"""Results of several namespaces as one."""

from datetime import UTC, datetime

from agentos.modules.memory.models import GateDecision, Memory, MemoryType, Reading, SearchHit, SearchMode, SearchResult
from agentos.modules.memory.several_namespaces import merged

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
READING = Reading("default", (), (), (), False, (), False, False, 0)


def withheld(name: str, score: float, support: float) -> SearchResult:
    memory = Memory(name, "n", MemoryType.SEMANTIC, name, "", (), 0.5, {}, "test", NOW, NOW, NOW, NOW, 0, 1)
    gate = GateDecision(answered=False, support=support, threshold=0.3, withheld=1)
    return SearchResult((), SearchMode.LEXICAL, (), READING, gate=gate, misses=(SearchHit(memory, score, 1.0, None),))


def test_the_nearest_miss_is_of_the_namespace_that_comes_nearest_to_an_answer() -> None:
    result = merged([withheld("hopeless", 9.0, 0.0001), withheld("doubtful", 2.0, 0.2)], 5)
    assert [hit.memory.id for hit in result.misses] == ["doubtful", "hopeless"]
    assert [hit.memory.id for hit in result.doubted] == ["doubtful"]
