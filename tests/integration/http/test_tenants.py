"""Two tenants with the same words and the same questions: what one has changes nothing of what the other is told."""

from typing import Any

import pytest

from agentos.features.compat.paths.table import SYSTEMS, table
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import MOST_OF_A_ROLE, Role
from agentos.modules.store_request import StoreRequest

from .test_compatibility_routes import ALL, request_of
from .test_rights import MAY, STREAMS, Call

ADA, BOB = "ada", "bob"
TEXTS = ("Maria deploys the harbour crane on Tuesdays", "The crane needs a permit of the harbour master")
QUESTIONS = ("Who deploys the harbour crane?", "permit", "Maria Tuesdays")
ASKING = {
    "/api/v1/search": {"detail": "full", "explain": True, "limit": 10},
    "/api/v1/context": {},
    "/api/v1/tiers/recall": {},
    "/api/v1/memories/forget": {},
}


async def filled(agentos: AgentOS, namespace: str, times: int = 1) -> dict[str, str]:
    """Store one of each kind, `times` over, all with the same words; return ids as arguments name them."""
    for number in range(times):
        for text in TEXTS:
            content = text if number == 0 else f"{text} (dock {number})"
            memory = (await agentos.memory.store(namespace, StoreRequest(content, tags=["harbour"]))).memory
            await agentos.turns.add(namespace, "harbour", "user", content)
        goal = await agentos.goals.add(namespace, f"Paint the crane {number}", "before winter", tags=["harbour"])
        await agentos.reflection.log(namespace, "ring the harbour master", "no answer", False)
        sealed = (await agentos.sealed.store(namespace, f"SEALED{number}", [1.0, 0.0])).memory
    await agentos.sessions.open(namespace, "agent-memory", "harbour", "/home/harbour")
    assert await agentos.memory.embedded(60)
    await agentos.memory.settled()
    ids = dict.fromkeys(("memory_id", "id", "segment", "node_id"), memory.id)
    return {
        **ids,
        **dict.fromkeys(("goal_id", "insight_id", "approval_id"), goal.id),
        "sealed": sealed.id,
        "session_id": "harbour",
    }


async def answers_for(client: Any, ids: dict[str, str]) -> dict[str, Any]:
    """What a tenant is told by every route that reads, ours and those of other systems."""
    document = (await client.get("/openapi.json")).json()
    answers: dict[str, Any] = {}
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            call = Call(method, path, described, ids)
            if call.name in STREAMS or not (method == "get" or path in ASKING) or Role.READER not in MAY[call.needs]:
                continue
            questions = QUESTIONS if "query" in (call.body or call.query) else ("",)
            for question in questions:
                if question:
                    (call.query if call.body is None else call.body)["query"] = question
                if call.body is not None:
                    call.body |= ASKING[path]
                answers[f"{method} {path} {question}"] = (await call.send(client)).json()
    for route, operation in table(SYSTEMS):
        if operation.needs == "read" and route.path != "/v1/auth/token":
            path, carried, given = request_of(route, operation, ids)
            given |= {"query": QUESTIONS[0]} if "query" in given else {}
            answers[f"{route.method} {route.path}"] = (
                await client.request(route.method, path, **{carried: given})
            ).json()
    return {name: _lasting(answer) for name, answer in answers.items()}


def _lasting(answer: Any) -> Any:
    """An answer without what each asking changes: how often a memory was read, its trust by that, a failed one's id."""
    if isinstance(answer, list):
        return [_lasting(one) for one in answer]
    if isinstance(answer, dict):
        passing = (
            "access_count",
            "trust",
            "trust_interval",
            "trust_parts",
            "request_id",
            "trigger_count",
            "calls",
            "characters",
            "hits",
            "used",
            "failures",
            "unanswered",
            "helpful",
        )
        return {name: _lasting(one) for name, one in answer.items() if name not in passing}
    return answer


@pytest.mark.sqlite("answers are compared whole, with scores that the two engines make differently")
async def test_what_one_tenant_has_changes_no_answer_to_another(serve: Any, make_key: Any, agentos: AgentOS) -> None:
    served = await serve(http_compat=ALL, http_requests_per_minute=100_000)
    ada = served.client(await make_key(ADA, Role.OPERATOR, {ADA: MOST_OF_A_ROLE[Role.OPERATOR]}))
    ids = await filled(agentos, ADA)
    await answers_for(ada, ids)  # what is made on the way, as a graph of names, is there after this
    alone = await answers_for(ada, ids)
    found = alone[f"post /api/v1/search {QUESTIONS[0]}"]
    assert len(alone) > 50 and found["results"][0]["score"] > 0 and alone["GET /history/{session_id:path}"]["turns"]
    others = await filled(agentos, BOB, times=40)
    bob = served.client(await make_key(BOB, Role.OPERATOR, {BOB: MOST_OF_A_ROLE[Role.OPERATOR]}))
    await answers_for(bob, others)
    beside = await answers_for(ada, ids)
    differing = {name: (alone[name], beside[name]) for name in alone if alone[name] != beside[name]}
    assert not differing, str({name: differing[name] for name in list(differing)[:2]})[:4_000]
    assert BOB not in str(beside)
