"""A store of LangGraph: items, filters, queries, namespaces, and a graph that uses it."""

import asyncio
from typing import Any, TypedDict

from agentos_sdk import Client
from agentos_sdk.langgraph import AgentOSStore
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, PutOp

MARIA, OLA = ("users", "maria"), ("users", "ola")


def items_are_put_changed_and_deleted(store: BaseStore) -> None:
    value = {"likes": "fish", "city": "Maria's city is now Oslo", "deep": {"n": 1.5, "flags": [True, None]}}
    store.put(MARIA, "food", value)
    item = store.get(MARIA, "food")
    assert item is not None and (item.namespace, item.key, item.value) == (MARIA, "food", value)
    store.put(MARIA, "food", {"likes": "Maria's city is now Bergen"})
    changed = store.get(MARIA, "food")
    assert changed is not None and changed.value == {"likes": "Maria's city is now Bergen"}
    assert changed.created_at == item.created_at and changed.updated_at > item.updated_at
    assert store.get(OLA, "food") is None and store.get(("users",), "food") is None
    store.delete(MARIA, "food")
    assert store.get(MARIA, "food") is None
    store.delete(MARIA, "food")
    store.put(MARIA, "food", value)
    again = store.get(MARIA, "food")
    assert again is not None and again.value == value
    same = {"likes": "fish"}
    store.put(OLA, "a", same)
    store.put(OLA, "b", same)
    assert [one.key for one in store.search(OLA)] == ["b", "a"]


def items_are_searched(store: BaseStore) -> None:
    place = ("notes", "work")
    for number, text in enumerate(("Releases go out on Fridays", "The database is SQLite", "Ola keeps bees")):
        store.put(place, f"n{number}", {"text": text, "rank": number})
    store.put((*place, "old"), "hidden", {"text": "The database was MySQL", "rank": 9}, index=False)
    assert {one.key for one in store.search(("notes",))} == {"n0", "n1", "n2", "hidden"}
    assert {one.key for one in store.search(("notes",), filter={"rank": {"$gte": 1, "$lt": 9}})} == {"n1", "n2"}
    assert [one.key for one in store.search(("notes",), filter={"text": "Ola keeps bees"})] == ["n2"]
    assert store.search(("notes",), filter={"text": {"$gt": 1}}) == []
    keys = [one.key for one in store.search(place, limit=9)]
    assert [one.key for one in store.search(place, limit=2, offset=1)] == keys[1:3]
    found = store.search(place, query="database SQLite", limit=2)
    assert found[0].key == "n1" and found[0].score is not None and "hidden" not in {one.key for one in found}
    try:
        store.search(place, filter={"rank": {"$near": 1}})
    except ValueError as error:
        assert "$near" in str(error)
    else:
        raise AssertionError


def namespaces_are_listed(store: BaseStore) -> None:
    for name in (("a", "b", "c"), ("a", "x"), ("d", "c")):
        store.put(name, "k", {"v": 1})
    assert store.list_namespaces(prefix=("a",)) == [("a", "b", "c"), ("a", "x")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("d", "c")]
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c")]
    assert store.list_namespaces(prefix=("a",), max_depth=1) == [("a",)]
    assert store.list_namespaces(prefix=("a",), limit=1, offset=1) == [("a", "x")]


def a_batch_reads_what_was_there_before(store: BaseStore) -> None:
    results = store.batch([PutOp(("t",), "k", {"v": 1}), GetOp(("t",), "k"), PutOp(("t",), "k", {"v": 2})])
    assert results == [None, None, None]
    item = asyncio.run(store.aget(("t",), "k"))
    assert item is not None and item.value == {"v": 2}


class State(TypedDict):
    question: str
    answer: str


def a_graph_remembers_between_runs(store: BaseStore) -> None:
    def answer(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = store.search(("chat",), query=state["question"], limit=1)
        store.put(("chat",), state["question"], {"text": state["question"]})
        return {"answer": known[0].value["text"] if known else ""}

    graph = StateGraph(State)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    compiled = graph.compile(store=store)
    assert compiled.invoke({"question": "Maria deploys on Fridays", "answer": ""})["answer"] == ""
    assert "Fridays" in compiled.invoke({"question": "When does Maria deploy?", "answer": ""})["answer"]


with Client() as client:
    one = AgentOSStore(client)
    items_are_put_changed_and_deleted(one)
    items_are_searched(one)
    namespaces_are_listed(one)
    a_batch_reads_what_was_there_before(one)
    a_graph_remembers_between_runs(one)
    assert AgentOSStore(client, collection="other").search(()) == []
