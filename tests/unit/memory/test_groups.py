"""Groups of memories that are alike."""

from datetime import UTC, datetime

from agentos.modules.facts.models import Relation
from agentos.modules.memory.groups import grouped
from agentos.modules.memory.models import Memory, MemoryType
from tests.tables import every

AT = datetime(2026, 3, 2, tzinfo=UTC)


def memory(name: str, **fields: float) -> Memory:
    return Memory(
        name, "ada", MemoryType.SEMANTIC, name, name, (), fields.pop("importance", 0.5), {}, "", AT, AT, AT, AT, 0, 1,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


MEMORIES = {
    one.id: one for one in (memory("a"), memory("b", trust=0.9), memory("c", importance=0.9), *map(memory, "de"))
}


@every(
    "links, groups",
    [
        ([], []),
        ([("a", "b")], ["a b"]),
        ([("b", "a"), ("a", "c")], ["c a b"]),
        ([("a", "b"), ("d", "e"), ("b", "c")], ["c a b", "d e"]),
        ([("a", "gone"), ("d", "e"), ("e", "d")], ["d e"]),
    ],
)
def test_what_is_joined_is_one_group_and_the_best_founded_comes_first(
    links: list[tuple[str, str]], groups: list[str]
) -> None:
    found = grouped([Relation(one, other, "relates_to", 0.95) for one, other in links], MEMORIES)
    assert [" ".join([one.first.id, *(each.id for each, _ in one.others)]) for one in found] == groups
    assert all(share == 0.95 for one in found for _, share in one.others)
