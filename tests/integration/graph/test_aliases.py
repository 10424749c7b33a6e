"""Other names in a real store: what is sure is joined and can be undone, what may be is only suggested."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.daemon_pkg.jobs import graph_reader
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.graph.models import OtherName, Subgraph
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import OpenStore, Wire, WordEmbedder

NS = "default"


async def remember(agentos: AgentOS, *contents: str) -> list[str]:
    """Memories in order, read and compared as the daemon does; their ids."""
    ids = [(await agentos.memory.store(NS, StoreRequest(content, "semantic"))).memory.id for content in contents]
    await graph_reader.JOB.run(agentos, NS)
    return ids


def matched(found: Subgraph) -> list[str]:
    return [node.label for node in found.nodes if node.id in found.matched]


async def pair(agentos: AgentOS, alias: str, canonical: str) -> OtherName:
    [one] = [
        each
        for each in await agentos.aliases.listed(NS)
        if (each.alias.label, each.canonical.label) == (alias, canonical)
    ]
    return one


async def test_a_city_in_two_languages_is_one_node_until_that_is_undone(agentos: AgentOS) -> None:
    await remember(agentos, "Today Tom moved to München", "Then Tom left Munich", "So Tom likes Munich")
    found = await agentos.graph.subgraph(NS, "Munich")
    assert matched(found) == ["München"]
    [node] = [node for node in found.nodes if node.id in found.matched]
    assert node.mentions == 3 and list(found.aliases[node.id]) == ["Munich"]
    joined = await pair(agentos, "Munich", "München")
    assert (joined.standing, joined.basis, joined.source) == ("alias", "translation", "rules")

    await agentos.aliases.decide(NS, joined.id, accept=False)
    assert matched(await agentos.graph.subgraph(NS, "Munich")) == ["Munich"]
    await remember(agentos, "Yesterday Tom called from Munich and from München")
    assert await agentos.aliases.compare(NS) == 0
    assert (await pair(agentos, "Munich", "München")).standing == "rejected", "it is not made again"
    await agentos.aliases.decide(NS, joined.id, accept=True)
    assert matched(await agentos.graph.subgraph(NS, "Munich")) == ["München"]


async def test_a_query_in_another_language_finds_what_no_memory_calls_so(agentos: AgentOS) -> None:
    await remember(agentos, "Today Tom moved to München", "Then Ana met Łukasz in Zürich")
    for query in ("Who lives in Munich?", "Мюнхен", "muenchen"):
        assert matched(await agentos.graph.subgraph(NS, query)) == ["München"]
    nodes, total = await agentos.graph.find(NS, label_contains="Munich")
    assert [node.label for node in nodes] == ["München"] and total == 1
    assert await agentos.aliases.listed(NS) == []


async def test_a_suggestion_changes_nothing_until_it_is_accepted(agentos: AgentOS) -> None:
    await remember(agentos, "Today Robert Klein met Ana", "Then Bob Klein met Ana", "So Bob Klein called Ana")
    suggested = await pair(agentos, "Bob Klein", "Robert Klein")
    assert (suggested.standing, suggested.basis) == ("suggested", "short form of a given name")
    found = await agentos.graph.subgraph(NS, "Bob Klein")
    assert matched(found) == ["Bob Klein"] and "may_be" not in {edge.type for edge in found.edges}
    assert "may_be" not in (await agentos.graph.statistics(NS)).edges_by_type
    await agentos.aliases.decide(NS, suggested.id, accept=True)
    assert matched(await agentos.graph.subgraph(NS, "Bob Klein")) == ["Robert Klein"]
    assert (await pair(agentos, "Bob Klein", "Robert Klein")).standing == "alias"
    await agentos.aliases.decide(NS, suggested.id, accept=False)
    assert matched(await agentos.graph.subgraph(NS, "Bob Klein")) == ["Bob Klein"]


@pytest.mark.parametrize("others", [("Acme Inc", "Acme GmbH", "Acme"), ("Acme Inc", "Acme", "Acme GmbH")])
async def test_two_firms_are_not_joined_by_the_name_that_both_are_called(
    agentos: AgentOS, others: tuple[str, ...]
) -> None:
    await remember(agentos, *(f"Tom works at {name} with Ana {number}" for number, name in enumerate(others)))
    found = [each for each in await agentos.aliases.listed(NS) if each.standing == "alias"]
    assert not [each for each in found if "Acme GmbH" in (each.alias.label, each.canonical.label)]
    assert matched(await agentos.graph.subgraph(NS, "Acme GmbH")) == ["Acme GmbH"]
    assert [each for each in await agentos.aliases.listed(NS) if each.standing == "suggested"], "somebody may say"


async def test_a_pair_that_was_joined_elsewhere_as_well_is_decided_about_once(
    agentos: AgentOS, home: Path, at_hand: Any
) -> None:
    await remember(agentos, "Today Robert Klein met Ana", "Then Bob Klein met Ana")
    suggested = await pair(agentos, "Bob Klein", "Robert Klein")
    await agentos.memory.settled()

    def join() -> None:
        with at_hand() as database:  # as earlier imports did
            database.execute(
                "INSERT INTO entity_relations (id, namespace, from_entity, to_entity, type, weight, description, "
                "source, created_at) SELECT 'edge_x', namespace, from_entity, to_entity, 'alias_of', 1, '', 'manual', "
                "created_at FROM entity_relations WHERE id = ?",
                (suggested.id,),
            )

    await asyncio.to_thread(join)
    await agentos.aliases.decide(NS, suggested.id, accept=False)
    assert matched(await agentos.graph.subgraph(NS, "Bob Klein")) == ["Bob Klein"]
    assert [each.standing for each in await agentos.aliases.listed(NS)] == ["rejected"]


async def test_near_things_stay_two(agentos: AgentOS) -> None:
    await remember(agentos, "Atlas uses Java and JavaScript", "Today Anna met Anne", "Now Siemens sold Siemens Energy")
    assert not [each for each in await agentos.aliases.listed(NS) if each.standing == "alias"]
    assert matched(await agentos.graph.subgraph(NS, "JavaScript")) == ["JavaScript"]


async def test_names_near_in_meaning_are_suggested_and_never_joined(
    store: OpenedStore, wire: Wire, another_embedder: Callable[..., WordEmbedder]
) -> None:
    class Translator(WordEmbedder):
        """Takes German Railways for what it means in German."""

        def vector(self, text: str) -> bytes:
            return super().vector(text.replace("German Railways", "Deutsche Bahn"))

    agentos = wire(store, Translator())
    await remember(agentos, "Tom works for Deutsche Bahn", "Ana wrote to German Railways", "Ana wrote to Deutsche Bank")
    near = await pair(agentos, "German Railways", "Deutsche Bahn")
    assert (near.standing, near.basis, near.score) == ("suggested", "near in meaning", 1.0)
    assert matched(await agentos.graph.subgraph(NS, "German Railways")) == ["German Railways"]
    assert len(await agentos.aliases.listed(NS)) == 1


async def test_without_a_model_names_are_compared_by_their_form(lexical: AgentOS) -> None:
    await remember(lexical, "Today Tom moved to München", "Then Tom left Munich for Deutsche Bahn and German Railways")
    assert [each.basis for each in await lexical.aliases.listed(NS)] == ["translation"]


async def test_several_who_compare_find_each_pair_once(open_store: OpenStore, wire: Wire, agentos: AgentOS) -> None:
    for text in ("Today Tom moved to München", "Then Tom left Munich", "So Siemens AG is called Siemens by Tom"):
        await agentos.memory.store(NS, StoreRequest(text, "semantic"))
    await agentos.graph.read(NS)
    other = wire(await open_store())
    await asyncio.gather(agentos.aliases.compare(NS), other.aliases.compare(NS))
    pairs = [(each.alias.label, each.canonical.label) for each in await agentos.aliases.listed(NS)]
    assert len(pairs) == len(set(pairs)) and ("Munich", "München") in pairs


async def test_a_pair_goes_with_the_memories_of_a_name(agentos: AgentOS, home: Path, at_hand: Any) -> None:
    _, gone = await remember(agentos, "Today Tom moved to München", "Then Ana left Munich")
    suggested = await pair(agentos, "Munich", "München")
    await agentos.aliases.decide(NS, suggested.id, accept=False)
    await agentos.memory.delete(NS, gone)
    assert await agentos.aliases.listed(NS) == []
    with at_hand() as database:
        assert "munich" not in str(database.execute("SELECT label FROM entities").fetchall()).lower()
        forms = "SELECT count(*) FROM entity_forms WHERE form LIKE '%munich%'"
        assert database.execute(forms).fetchall() == [(0,)], "nor in the forms that it was compared by"


async def test_hidden_names_are_not_listed_and_wrong_ids_are_refused(agentos: AgentOS) -> None:
    _, hidden = await remember(agentos, "Today Tom moved to München", "Then Ana left Munich")
    found = await pair(agentos, "Munich", "München")
    await agentos.lifecycle.archive(NS, hidden)
    assert await agentos.aliases.listed(NS) == []
    with pytest.raises(NotFound):
        await agentos.aliases.decide("eve", found.id, accept=True)
    with pytest.raises(InvalidInput):
        await agentos.aliases.listed(NS, 0)


async def test_what_is_taken_out_of_a_name_is_taken_out_of_its_forms(
    agentos: AgentOS, home: Path, at_hand: Any
) -> None:
    await remember(agentos, "Then Ana left Munich")
    with at_hand() as database:  # as a scrub does where a name held a secret
        database.execute("UPDATE entities SET label = '[redacted]', key = '[redacted]' WHERE label = 'Munich'")
        forms = [form for (form,) in database.execute("SELECT form FROM entity_forms")]
    assert forms and not [form for form in forms if "munich" in form]


async def test_one_person_is_one_node_of_the_picture_whatever_called_and_added_by(agentos: AgentOS) -> None:
    await remember(agentos, "Boris Petrov leads the team at Vestas.", "Ask Boris about Vestas.", "Boris uses Vim.")
    await agentos.graph.add_node(NS, "concept", "Boris", "the lead")
    drawn = await agentos.graph.picture(NS, 50)
    [boris] = [node for node in drawn.nodes if "Boris" in (node.label, *drawn.aliases.get(node.id, ()))]
    assert {boris.label, *drawn.aliases[boris.id]} == {"Boris", "Boris Petrov"}
    ends = {end for edge in drawn.edges for end in (edge.source, edge.target)}
    assert ends <= {node.id for node in drawn.nodes} and not [one for one in drawn.edges if one.source == one.target]
    [found] = (await agentos.graph.subgraph(NS, "Boris", hops=0)).nodes
    assert found.mentions == 3
