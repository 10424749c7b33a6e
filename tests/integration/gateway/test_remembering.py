"""What the gateway tells, keeps, and forbids."""

import asyncio
import json
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentos.features.gateway.block import BEGIN
from agentos.features.gateway.exchange import Exchange
from agentos.features.gateway.modes import Mode
from agentos.features.gateway.proxy import configuration, revocation
from agentos.features.gateway.proxy.learning import Learning
from agentos.features.gateway.token_counting import FileTokenCounters
from agentos.modules.context import lessons
from agentos.modules.errors import WrongSettings
from agentos.modules.memory.models import MemoryFilter, Status
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.store_request import StoreRequest
from tests.client_requests import talks
from tests.tables import every

PORT = "The staging database listens on port 5433."
ASKED = "Which port does the staging database listen on?"


def injected_block(gateway: Any) -> str:
    """What the provider was told last by memory, "" if nothing."""
    request = gateway.provider.requests[-1][2].decode()
    return request[request.index(BEGIN) :] if BEGIN in request else ""


async def remember(gateway: Any, text: str = PORT) -> str:
    stored = await gateway.agentos.memory.store("default", StoreRequest(text))
    return str(stored.memory.id)


async def rule(gateway: Any, text: str) -> str:
    """A rule that a person has confirmed."""
    memory = (await gateway.agentos.memory.store("default", StoreRequest(text, tags=[lessons.TAG]))).memory
    await gateway.agentos.lifecycle.vouch("default", memory)
    return str(memory.id)


async def test_facts_of_one_conversation_are_injected_into_the_next_and_counted_when_used(gateway: Any) -> None:
    await gateway.ask("Our staging database listens on port 5433.")
    assert "user: Our staging database listens on port 5433." in await gateway.turns()
    facts = await gateway.agentos.memory.page("default", MemoryFilter(statuses=(Status.CANDIDATE,)), 10)
    assert any("5433" in fact.content for fact in facts.memories), "facts are candidates until somebody confirms them"
    gateway.provider.reply = lambda body: "It listens on 5433."
    answer = await gateway.ask(ASKED)
    assert answer.headers["x-memory-gate-decision"] == "inject" and int(answer.headers["x-memory-injected-count"]) >= 1
    assert "5433" in injected_block(gateway)
    await gateway.learnt()
    counted = await gateway.agentos.usage.since(1)
    (usage,) = [one for key, one in counted.items() if key.tool == "gateway"]
    assert usage.used >= 1 and usage.hits >= usage.used
    facts = await gateway.agentos.memory.page("default", MemoryFilter(), 20)
    used = [one for one in facts.memories if one.source.startswith("extraction") and "5433" in one.content]
    assert used and all(one.status is Status.ACTIVE and one.confidence > 0.5 for one in used)


async def test_what_a_conversation_was_told_is_not_told_again_but_another_conversation_is(gateway: Any) -> None:
    await gateway.ask("Our staging database listens on port 5433.")
    await gateway.learnt()
    assert (await gateway.ask(ASKED)).headers["x-memory-gate-decision"] == "inject"
    again = await gateway.ask(ASKED, "On 5433.", ASKED)
    assert again.headers["x-memory-injected-count"] == "0" and again.headers["x-memory-reinserted-count"] != "0"
    assert again.headers["x-memory-gate-decision"] == "abstain; the conversation was told it before"
    other = await gateway.ask("Hello.", "Hello!", ASKED)
    assert other.headers["x-memory-gate-decision"] == "inject", "only its own blocks count"


async def test_a_probe_is_neither_given_memory_nor_kept(gateway: Any) -> None:
    await gateway.ask("Our staging database listens on port 5433.")
    before = await gateway.turns()
    probe = await gateway.ask(ASKED, max_tokens=1)
    assert probe.headers["x-memory-gate-decision"] == "abstain; a side request: probe"
    assert b"5433" not in gateway.provider.requests[-1][2] and await gateway.turns() == before
    assert (await gateway.ask(ASKED, max_tokens=1, tools=[{}])).headers["x-memory-gate-decision"] == "inject"


async def test_a_question_is_no_answer_to_itself_in_another_conversation(gateway: Any) -> None:
    recall, learn = gateway.agentos.gateway().service.recall, gateway.agentos.gateway().service.learn
    asked = "tell me which port the staging database listens on"
    await learn("default", "chat", Exchange("monday", "q1", asked))
    for question in (asked, f"Please {asked.upper()}, and be quick."):
        assert (await recall("default", question, 500, "tuesday")).block.text == ""
    await learn("default", "chat", Exchange("monday", "q2", "The staging database listens on port 5433."))
    assert "5433" in (await recall("default", asked, 500, "tuesday")).block.text


async def test_a_turn_is_stored_once_however_often_its_history_is_sent(gateway: Any) -> None:
    gateway.provider.reply = lambda body: f"answer {len(body['messages'])}"
    turns = ["I live in Ghent", "answer 1", "I work at Acme"]
    await gateway.ask(*turns[:1])
    await gateway.ask(*turns)
    await gateway.ask(*turns)  # a client asks again
    assert await gateway.turns() == [
        *("user: I live in Ghent", "assistant: answer 1", "user: I work at Acme", "assistant: answer 3"),
    ]


async def test_a_conversation_that_the_provider_keeps_is_one_session(gateway: Any) -> None:
    path, before = "/proxy/openai/v1/responses", None
    for prompt in ("I live in Ghent", "yes", "yes"):
        body = {"model": "m", "input": prompt, **({"previous_response_id": before} if before else {})}
        before = (await gateway.client.post(path, json=body)).json()["id"]
    await gateway.client.post(path, json={"model": "m", "input": "yes"})
    turns = await gateway.turns()
    assert len({one["session"] for one in gateway.daemon.asked if one["what"] == "learn"}) == 2
    assert [turn for turn in turns if turn.startswith("user")].count("user: yes") == 3


async def test_it_stays_one_session_when_the_gateway_is_started_anew(start: Any) -> None:
    path, before, said = "/proxy/openai/v1/responses", None, ("I live in Ghent", "And I work in Bruges")
    for prompt in said:
        gateway = await start()
        body = {"model": "m", "input": prompt, **({"previous_response_id": before} if before else {})}
        before = (await gateway.client.post(path, json=body)).json()["id"]
        await gateway.learnt()
    (session,) = {one["session"] for one in gateway.daemon.asked if one["what"] == "learn"}
    turns = await gateway.agentos.turns.turns("default", session)
    assert [one.text for one in turns if one.role == "user"] == [*said]


async def test_a_key_that_is_taken_from_the_file_is_refused_without_a_restart(start: Any, home: Path) -> None:
    keys = {name: f"of-{name}-0123456789abcdef" for name in ("ann", "bob")}
    entries = {name: f'[[keys]]\nname = "{name}"\nkey = "{key}"\nopenai_key = "sk-1"\n' for name, key in keys.items()}
    gateway = await start("".join(entries.values()))

    async def answered(name: str) -> int:
        headers = {"authorization": f"Bearer {keys[name]}"}
        body = {"model": "m", "input": "Hello."}
        return int((await gateway.client.post("/proxy/openai/v1/responses", json=body, headers=headers)).status_code)

    async def changed(text: str) -> dict[str, int]:
        (home / configuration.FILE).write_text(text, encoding="utf-8")
        async with asyncio.timeout(60):
            while await answered("ann") == 200:
                await asyncio.sleep(0.05)
        return {name: await answered(name) for name in keys}

    assert [await answered(name) for name in keys] == [200, 200]
    assert await changed(entries["bob"]) == {"ann": 401, "bob": 200}
    assert await changed("not [ toml") == {"ann": 401, "bob": 200}, "what cannot be read changes nothing"
    replaced = entries["ann"].replace(keys["ann"], "another-0123456789abcdef") + entries["bob"]
    assert await changed(replaced) == {"ann": 401, "bob": 200}
    (home / configuration.FILE).unlink()
    async with asyncio.timeout(60):
        while await answered("bob") == 200:
            await asyncio.sleep(0.05)


@every(
    ("fault", "mode"),
    [("", 0o644), ('[tokenizers]\nqwen3 = "nowhere.json"\n', 0o600), ("[sessions]\nidle_hour = 2\n", 0o600)],
)
async def test_a_key_is_taken_whatever_else_is_wrong_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, mode: int
) -> None:
    monkeypatch.setattr(revocation, "FRESH_S", 0.0)
    entries = [f'[[keys]]\nname = "{name}"\nkey = "of-{name}-0123456789abcdef"\n' for name in ("ann", "bob")]
    path = tmp_path / configuration.FILE
    path.write_text("".join(entries), encoding="utf-8")
    path.chmod(0o600)
    followed = revocation.Revocation(tmp_path, configuration.read(tmp_path))
    assert not await followed.has_taken("ann")
    path.write_text(entries[1] + fault, encoding="utf-8")
    path.chmod(mode)
    assert [await followed.has_taken(name) for name in ("ann", "bob")] == [True, False]


async def test_a_file_that_is_absent_for_a_moment_takes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revocation, "FRESH_S", 0.0)
    path, text = tmp_path / configuration.FILE, '[[keys]]\nname = "ann"\nkey = "of-ann-0123456789abcdef"\n'
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    followed = revocation.Revocation(tmp_path, configuration.read(tmp_path))
    for vanish in (path.unlink, lambda: path.write_text("")):
        vanish()
        assert not await followed.has_taken("ann")
        path.write_text(text, encoding="utf-8")
        assert not await followed.has_taken("ann")
    path.unlink()
    assert [await followed.has_taken("ann") for _ in range(2)] == [False, True]


async def test_a_client_continues_no_answer_of_another_clients_and_what_is_unknown_is_asked_once(start: Any) -> None:
    path = "/proxy/openai/v1/responses"
    keys = {name: f"of-{name}-0123456789abcdef" for name in ("ann", "bob")}
    toml = "".join(f'[[keys]]\nname = "{name}"\nkey = "{key}"\nopenai_key = "sk-1"\n' for name, key in keys.items())

    async def said(gateway: Any, name: str, prompt: str, before: str | None) -> str:
        body = {"model": "m", "input": prompt, **({"previous_response_id": before} if before else {})}
        headers = {"authorization": f"Bearer {keys[name]}"}
        answer = str((await gateway.client.post(path, json=body, headers=headers)).json()["id"])
        await gateway.learnt()
        return answer

    def sessions(gateway: Any) -> dict[str, str]:
        return {one["said"]: one["session"] for one in gateway.daemon.asked if one["what"] == "learn"}

    first = await start(toml)
    answer = await said(first, "ann", "The kiln is at 1,240 degrees.", None)
    following = await start(toml)
    for gateway in (first, following):  # also where the answer is known from the store alone
        await said(gateway, "bob", "How hot is it?", answer)
        await said(gateway, "bob", "And how hot is it now?", answer)
    await said(following, "ann", "It cools at noon.", answer)
    anns, bobs = sessions(first)["The kiln is at 1,240 degrees."], {**sessions(first), **sessions(following)}
    assert sessions(following)["It cools at noon."] == anns
    assert anns not in (bobs["How hot is it?"], bobs["And how hot is it now?"])
    asked = [one for one in following.daemon.asked if one["what"] == "continued"]
    assert [one["client"] for one in asked] == ["bob", "ann"], "what is not known is not asked again"


FORM = {"type": "json_schema", "json_schema": {"name": "berth", "schema": {"type": "object"}}}
HELD = (
    {"role": "system", "content": "You plan the berths of a harbour."},
    {"role": "user", "content": "The ferry Ylva lies at berth nine, password: gr4nd-Kelp-77."},
)


async def test_what_may_be_a_clients_own_is_held_in_the_store_and_learnt_before_what_follows(start: Any) -> None:
    first = await start()
    await first.client.post(
        "/proxy/openai/v1/chat/completions", json={"model": "m", "messages": HELD, "response_format": FORM}
    )
    engine = first.agentos.gateway().service._blocks._engine
    assert not await first.turns()
    (row,) = await engine.read("SELECT * FROM held_exchanges")
    assert "berth nine" in row["exchange"] and "gr4nd" not in row["exchange"]
    following = await start()  # the first was killed
    await following.client.post(
        "/proxy/openai/v1/chat/completions",
        json={"model": "m", "messages": [*HELD, {"role": "assistant", "content": "Yes."}, SECOND]},
    )
    texts = [one.partition(",")[0] for one in await following.turns()]
    assert [one for one in texts if one.startswith("user")] == [
        "user: The ferry Ylva lies at berth nine",
        f"user: {MOVES}",
    ]
    assert not await engine.read("SELECT * FROM held_exchanges")


MOVES = "She moves at six."
SECOND = {"role": "user", "content": MOVES}


async def test_what_shows_to_be_a_clients_own_is_withdrawn_before_what_follows_is_learnt() -> None:
    told: list[tuple[str, str]] = []

    class Told:
        problem = ""

        async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any]:
            told.append((fields["what"], fields["key"]))
            return {}

    learning, own = Learning(Told()), {"title"}
    for key in ("title", "said"):
        learning.put(partial(dict, what="learn", key=key), partial(own.__contains__, key))
    learning.put(partial(dict, what="learn", key="next"))
    running = asyncio.create_task(learning.run())
    await learning.emptied()
    running.cancel()
    assert told == [("hold", "title"), ("hold", "said"), ("withdraw", "title"), ("learn", "next"), ("learn", "said")]


async def test_what_is_erased_is_not_held_either(agentos: Any) -> None:
    await agentos.memory.store("default", StoreRequest("Zebulonia lies in the north"))
    for key, text in (("k1", "What does ZEBULONIA cost?"), ("k2", "The ferry Ylva lies at berth nine.")):
        await agentos.gateway().service.hold("default", "direct", Exchange("monday", key, text))
    owner = local_owner("default", None, Door.COMMAND_LINE)
    await agentos.erasure.erase(await agentos.erasure.look(owner, "default", "zebulonia"), "human")
    rows = await agentos.gateway().service._blocks._engine.read("SELECT key FROM held_exchanges")
    assert [row["key"] for row in rows] == ["k2"]


async def test_what_nobody_goes_on_with_is_learnt_as_of_its_time_after_some_minutes(agentos: Any, clock: Any) -> None:
    gateway, said_at = agentos.gateway().service, clock()
    await gateway.hold("default", "direct", Exchange("monday", "k1", "The ferry Ylva lies at berth nine."))
    await gateway.hold("default", "direct", Exchange("monday", "k2", "Write a title for this chat."))
    await gateway.withdraw("default", "monday", "k2")
    await gateway.tidy_up()
    assert not await agentos.turns.turns("default", "monday"), "whose it is may yet be told"
    clock.advance(minutes=3)
    for _ in range(2):
        await gateway.tidy_up()
        (turn,) = await agentos.turns.turns("default", "monday")
        assert turn.text == "The ferry Ylva lies at berth nine." and turn.occurred_at == said_at


async def test_a_project_is_stored_with_a_turn_and_filters_recall(start: Any) -> None:
    gateway = await start(control=True)
    await gateway.ask("Our staging database listens on port 5433.", headers={"x-memory-project": "atlas"})
    await gateway.learnt()
    facts = await gateway.agentos.memory.page(
        "default", MemoryFilter(statuses=(Status.CANDIDATE,), projects=("atlas",)), 10
    )
    assert any(one.source.startswith("extraction") for one in facts.memories)
    for project, known in (("atlas", True), ("other", False)):
        await gateway.ask(ASKED, headers={"x-memory-project": project})
        assert bool(injected_block(gateway)) is known


async def test_each_role_choice_and_tool_call_is_stored(gateway: Any) -> None:
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    gateway.provider.choices = 2
    messages = [{"role": "user", "content": "Look at it"}, {"role": "assistant", "content": "", "tool_calls": call}]
    messages.append({"role": "tool", "tool_call_id": "c", "content": "secret of the tool"})
    body = {"model": "m", "messages": messages, "stream": True}
    await gateway.client.post("/proxy/openai/v1/chat/completions", json=body)
    assert await gateway.turns() == ["assistant: Naturally — schön, 東京 🎉."] * 2


async def test_no_secret_of_a_conversation_is_stored(gateway: Any) -> None:
    secrets = ["ghp_" + "a1B2" * 9, "AKIA" + "ABCDEFGH23456789", "sk-ant-api03-" + "x9Y8" * 12, "hunter2hunter2"]
    gateway.provider.reply = lambda body: f"Noted: {secrets[0]} and password = {secrets[3]}"
    for secret in secrets:
        await gateway.ask(f"I log in with password: {secret}")
    stored = json.dumps(await gateway.turns())
    assert not any(secret in stored for secret in secrets) and stored.count("user: I log in") == 4


MODES = [
    (Mode.FULL, {}, True, True, True),
    (Mode.READONLY, {}, True, True, False),
    (Mode.OFF, {}, True, False, False),
    (Mode.FULL, {"x-memory-mode": "off"}, True, False, False),
    (Mode.FULL, {"x-memory-mode": "readonly"}, True, True, False),
    (Mode.OFF, {"x-memory-mode": "full"}, True, True, True),
    (Mode.FULL, {"x-memory-mode": "after", "x-memory-after": "2026-03-01"}, True, True, True),
    (Mode.FULL, {"x-memory-mode": "after", "x-memory-after": "2027-01-01"}, True, False, True),
    (Mode.FULL, {"x-memory-mode": "off"}, False, True, True),
    (Mode.OFF, {"x-memory-mode": "full"}, False, False, False),
    (Mode.FULL, {"x-memory-mode": "after", "x-memory-after": "2027-01-01"}, False, True, True),
]


async def test_a_mode_decides_what_is_injected_and_what_is_stored(start: Any) -> None:
    for number, (mode, headers, control, recalls, stores) in enumerate(MODES):
        gateway = await start(mode=mode, control=control)
        if not number:
            await remember(gateway)
        answer = await gateway.ask(f"{ASKED} {number}", headers=headers)
        assert bool(injected_block(gateway)) is recalls, MODES[number]
        await gateway.learnt()
        assert bool([one for one in gateway.daemon.asked if one["what"] == "learn"]) is stores, MODES[number]
        assert answer.headers["x-memory-mode"] == (headers.get("x-memory-mode", mode) if control else mode)
    assert (await gateway.ask("x", headers={"x-memory-mode": "of"})).status_code == 200
    gateway = await start(control=True)
    assert (await gateway.ask("x", headers={"x-memory-mode": "of"})).status_code == 400


async def test_the_answer_to_a_tool_call_repeats_the_block_of_its_question(gateway: Any) -> None:
    await remember(gateway)
    await gateway.ask(ASKED)
    first = injected_block(gateway)
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": None, "tool_calls": call}]
    messages.append({"role": "tool", "tool_call_id": "c", "content": "42"})
    body = {"model": "m", "messages": messages}
    answer = await gateway.client.post("/proxy/openai/v1/chat/completions", json=body)
    assert answer.headers["x-memory-reinserted-count"] == "1" and answer.headers["x-memory-injected-count"] == "0"
    assert first[: first.index("</memory")] in injected_block(gateway)


@every("state", ["refused", "hung"])
async def test_without_memory_a_request_is_answered_and_says_so(gateway: Any, state: str) -> None:
    gateway.daemon.state = state
    answer = await gateway.ask("My port is 5433")
    assert answer.status_code == 200 and not injected_block(gateway)
    assert answer.headers["x-memory-gate-decision"] == f"unavailable; it is {state}"
    gateway.daemon.state = "up"
    assert "user: My port is 5433" in await gateway.turns(), "it is kept when memory is there again"


async def test_rules_of_a_person_forbid_and_ask_in_every_mode_and_without_memory(start: Any) -> None:
    gateway = await start(control=True)
    await remember(gateway, "Never deploy anything to production, says a web page")  # a memory alone decides nothing
    forbidden = await rule(gateway, "Never delete the customers table")
    asks = await rule(gateway, "Ask before deploying to production")
    for headers in ({}, {"x-memory-mode": "off"}, {"x-memory-mode": "readonly"}):
        blocked = await gateway.ask("Please drop the customers table", headers=headers)
        assert blocked.status_code == 403 and blocked.json()["error"]["type"] == "policy_blocked"
        assert blocked.headers["x-memory-policy-decision"] == f"block; delete {forbidden}"
    gateway.daemon.state = "refused"
    waits = await gateway.ask("Deploy to production")
    assert waits.status_code == 428 and asks in waits.headers["x-memory-policy-decision"]
    assert gateway.provider.requests == []
    token = waits.json()["error"]["confirm"]
    other = await gateway.ask("Deploy all to production", headers={"x-memory-policy-confirm": token})
    assert other.status_code == 428, "a confirmation is for one order"
    confirmed = await gateway.ask("Deploy to production", headers={"x-memory-policy-confirm": token})
    assert confirmed.status_code == 200 and confirmed.headers["x-memory-policy-decision"] == f"confirmed; {asks}"
    gateway.daemon.state = "up"
    assert not any("customers" in turn for turn in await gateway.turns()), "what was refused is not kept"
    strict = await start()
    again = await strict.ask("Deploy to production", headers={"x-memory-policy-confirm": token})
    assert again.status_code == 428, "clients may not control this one"


WRITTEN = ("%63hat/completions", "chat%2Fcompletions", "chat//completions", "CHAT/completions", "chat;a/completions/")


@every("path, arrives", [*((one, "chat/completions") for one in WRITTEN), ("completions", "completions")])
async def test_rules_hold_however_a_path_is_written(gateway: Any, path: str, arrives: str) -> None:
    if not gateway.daemon.asked:
        await rule(gateway, "Never delete the customers table")
    for prompt, status in (("Drop the customers table", 403), ("Hello", 200)):
        body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "prompt": ["Hi", prompt]}
        assert (await gateway.client.post(f"/proxy/openai/v1/{path}", json=body)).status_code == status
    assert gateway.provider.requests[-1][0] == f"/v1/{arrives}"


async def test_rules_see_all_messages_and_a_confirmation_is_for_all_of_them(start: Any) -> None:
    gateway = await start(control=True)
    await rule(gateway, "Never delete the customers table")
    await rule(gateway, "Ask before deploying to production")
    log = "12:00:00 INFO a request was handled\n" * 300
    assert (await gateway.ask(f"{log}Delete the customers table")).status_code == 403
    messages = [{"role": "user", "content": one} for one in ("Delete the customers table", "Go.")]
    body = {"model": "m", "messages": messages}
    assert (await gateway.client.post("/proxy/openai/v1/chat/completions", json=body)).status_code == 403
    headers = {"x-memory-policy-confirm": (await gateway.ask(f"{log}Deploy to production")).json()["error"]["confirm"]}
    assert (await gateway.ask(f"{log}Deploy to production twice", headers=headers)).status_code == 428
    assert (await gateway.ask(f"{log}Deploy to production", headers=headers)).status_code == 200


KEYS = """
[[keys]]
name = "one"
key = "a-proxy-key-number-one"
openai_key = "sk-first"
anthropic_key = "sk-ant-first"

[[keys]]
name = "two"
key = "a-proxy-key-number-two"
openai_key = "sk-second"
namespace = "elsewhere"
mode = "readonly"
"""


async def test_the_keys_of_two_clients_are_nobodys_and_none_of_them_goes_on(start: Any) -> None:
    gateway = await start(KEYS)
    one, two = ("authorization", "Bearer a-proxy-key-number-one"), ("authorization", "Bearer a-proxy-key-number-two")
    for headers in ([one, two], [one, ("x-api-key", "a-proxy-key-number-two")]):
        assert (await gateway.ask(ASKED, headers=headers)).status_code == 401
    assert not gateway.provider.requests
    path = "/proxy/openai/v1/chat/completions?a=1&key=a-proxy-key-number-tw%6F&b=2"
    body = {"model": "gpt", "messages": [{"role": "user", "content": "hi"}]}
    beside = ("x-trace", "sent with a-proxy-key-number-two")
    for headers, status in (([one, one, beside], 200), ([], 401)):
        assert (await gateway.client.post(path, json=body, headers=headers)).status_code == status
    [(path, given, _)] = gateway.provider.requests
    assert path == "/v1/chat/completions?a=1&b=2" and "a-proxy-key" not in str(given)


async def test_each_key_has_its_own_provider_key_namespace_and_mode(start: Any) -> None:
    gateway = await start(KEYS)
    await remember(gateway)
    for number, key, sent in ((1, "one", "sk-first"), (2, "two", "sk-second")):
        answer = await gateway.ask(ASKED, headers={"authorization": f"Bearer a-proxy-key-number-{key}"})
        assert gateway.provider.requests[-1][1]["authorization"] == f"Bearer {sent}"
        assert bool(injected_block(gateway)) is (number == 1)
        assert answer.headers["x-memory-mode"] == ("full" if number == 1 else "readonly")
    body = {"model": "claude", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    for key, status in (("one", 200), ("two", 401), ("three", 401)):
        headers = {"x-api-key": f"a-proxy-key-number-{key}"}
        answer = await gateway.client.post("/proxy/anthropic/v1/messages", json=body, headers=headers)
        assert answer.status_code == status
    assert gateway.provider.requests[-1][1]["x-api-key"] == "sk-ant-first"
    assert not any("proxy-key" in json.dumps(headers) for _, headers, _ in gateway.provider.requests)
    for headers in ({}, {"authorization": "Bearer sk-real"}):
        assert (await gateway.ask("hi", headers=headers)).status_code == 401


async def test_a_token_of_oauth_passes_and_is_nowhere_else(gateway: Any) -> None:
    token = "sk-ant-oat01-" + "q7" * 20
    body = {"model": "claude", "max_tokens": 5, "messages": [{"role": "user", "content": "I live in Ghent"}]}
    headers = {"authorization": f"Bearer {token}", "anthropic-beta": "oauth-2025-04-20"}
    await gateway.client.post("/proxy/anthropic/v1/messages", json=body, headers=headers)
    assert gateway.provider.requests[-1][1]["authorization"] == f"Bearer {token}"
    await gateway.learnt()
    assert token not in json.dumps(gateway.daemon.asked)


async def test_every_call_is_counted_with_its_tokens(start: Any) -> None:
    gateway = await start(mode=Mode.OFF)
    await gateway.ask("hi there")
    await gateway.ask("hi there", stream=True, stream_options={"include_usage": True})
    await gateway.ask("hi there", stream=True)  # this one tells nothing
    await gateway.learnt()
    (spent,) = (await gateway.agentos.usage.spending(1)).values()
    (length, _), (again, cached), _ = gateway.provider.cached
    assert (spent.calls, spent.estimated) == (3, 1)
    assert spent.tokens.cached == cached and spent.tokens.uncached > length + again - cached
    assert not [one for one in gateway.daemon.asked if one["what"] == "learn"]
    usage = gateway.agentos.usage
    written = await usage._repository.spending_between_everywhere(*usage._last(1, UTC), UTC)
    assert written == await usage.spending(1), "it is written"
    assert (spent.told, spent.replay) == (0, spent.tokens.asked), "all of it is the client's own"


BUDGETS = """
[costs]
currency = "EUR"

[prices.gpt-4o]
input = 1000
output = 1000

[[keys]]
name = "one"
key = "a-proxy-key-number-one"
openai_key = "sk-first"
budget = 0.0001
over_budget = "stop"
budget_period = "day"

[[keys]]
name = "two"
key = "a-proxy-key-number-two"
openai_key = "sk-second"
budget = 0.0001
"""


async def test_a_key_whose_budget_is_spent_is_stopped_or_warned_and_no_other(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentos.features.gateway.proxy.budgets.FRESH_S", 0.0)
    gateway = await start(BUDGETS)
    for number, status in ((1, 402), (2, 200)):
        headers = {"authorization": f"Bearer a-proxy-key-number-{('one', 'two')[number - 1]}"}
        first = await gateway.ask("Hello there", headers=headers)
        assert first.status_code == 200 and first.headers["x-memory-budget"] == "within; 0.00 of 0.00 EUR"
        await gateway.learnt()
        sent = len(gateway.provider.requests)
        again = await gateway.ask("And again", headers=headers)
        assert again.status_code == status and again.headers["x-memory-budget"].startswith("over; 0.")
        assert len(gateway.provider.requests) - sent == (status == 200)
        if status == 402:
            assert again.json()["error"]["type"] == "budget_spent"
            models = await gateway.client.get("/proxy/openai/v1/models", headers=headers)
            assert models.status_code == 200, "what costs nothing goes on"


async def test_counting_tokens_counts_earlier_blocks(gateway: Any) -> None:
    await remember(gateway)
    body = {"model": "claude", "max_tokens": 5, "messages": [{"role": "user", "content": ASKED}]}
    await gateway.client.post("/proxy/anthropic/v1/messages", json=body)
    injected_before = injected_block(gateway)
    await gateway.client.post("/proxy/anthropic/v1/messages/count_tokens", json=body)
    assert injected_block(gateway).startswith(injected_before[: injected_before.index("</memory")])


@every(
    "text, named",
    [
        ("[[keys]]\nname = 'x'\nkey = 'short'", "keys.0.key"),
        ("[openai]\nretries = 99", "openai.retries"),
        ("[nonsense]\nx = 1", "nonsense"),
        ("[[keys", "gateway.toml"),
        ("[windows]\nx = 1", "windows.x"),
        ("[openai]\nfallback_url = 'ftp://x'", "openai.fallback_url"),
    ],
)
def test_a_wrong_file_is_refused_by_the_name_of_what_is_wrong(tmp_path: Any, text: str, named: str) -> None:
    (tmp_path / configuration.FILE).write_text(text)
    (tmp_path / configuration.FILE).chmod(0o600)
    with pytest.raises(WrongSettings, match=named):
        configuration.read(tmp_path)


def test_a_file_with_keys_is_its_owners_alone(tmp_path: Any) -> None:
    (tmp_path / configuration.FILE).write_text("")
    (tmp_path / configuration.FILE).chmod(0o644)
    with pytest.raises(WrongSettings, match="chmod 600"):
        configuration.read(tmp_path)


async def test_a_budget_is_counted_by_the_models_own_tokenizer_where_there_is_one(start: Any, home: Any) -> None:
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split

    each = Tokenizer(WordLevel({"x": 0}, unk_token="x"))
    each.pre_tokenizer = Split(Regex("."), "isolated")  # a token for each character
    each.save(str(home / "characters.json"))
    gateway = await start('[windows]\nchars = 4000\nmine = 4000\n[tokenizers]\nchars = "characters.json"\n')
    for number in range(8):
        await remember(
            gateway, f"The staging database listens on port {5433 + number}, says note {number} of the team."
        )
    gateway.agentos.gateway().service._counters = FileTokenCounters()
    sizes = {}
    for model in ("mine-1", "chars-1", "chars-1"):  # which is loaded after the first question
        await gateway.ask(ASKED, model=model)
        async with asyncio.timeout(60):
            while not all(task.done() for task in gateway.agentos.gateway().service._counters._loading.values()):
                await asyncio.sleep(0.01)
        sizes[model] = len(injected_block(gateway).partition("</memory_context>")[0])
    assert sizes["mine-1"] > 400 and 0 <= sizes["chars-1"] < 400


async def test_side_requests_are_neither_given_memory_nor_kept_and_counted_apart(gateway: Any) -> None:
    await remember(gateway, "The tram depot in Bergen is run by Vy Buss.")
    asked = [one for talk in [*talks()][:2] for one in talk.asked]
    for one, is_a_persons in asked:
        answer = await gateway.client.post("/proxy/anthropic/v1/messages", json=one.body("messages"))
        decision = answer.headers["x-memory-gate-decision"]
        assert decision.startswith("abstain; a side request") is not is_a_persons, (decision, one)
    said = [turn.removeprefix("user: ") for turn in await gateway.turns() if turn.startswith("user")]
    assert said == [one.messages[-1][1] for one, is_a_persons in asked if is_a_persons]
    counted = await gateway.agentos.usage.since(1)
    (calls,) = [one.calls for key, one in counted.items() if key.tool == "side requests"]
    assert calls == sum(not is_a_persons for _, is_a_persons in asked)


async def test_the_next_gateway_neither_mixes_conversations_that_begin_alike_nor_doubles_a_turn(start: Any) -> None:
    talks: dict[str, list[str]] = {"The north gate opens at six.": [], "The south gate opens at nine.": []}
    for number in range(3):
        gateway = await start()  # as after a restart
        for fact, said in talks.items():
            said += [("Hello.", fact, "And who has the key?")[number]]
            await gateway.ask(*said)
            said += ["Naturally — schön, 東京 🎉."]
            await gateway.ask(*said[:-1])
            await gateway.learnt()
    sql = "SELECT m.session, m.content FROM turns t JOIN memories m ON m.seq = t.memory_seq WHERE t.role = 'user'"
    kept: dict[str, list[str]] = {}
    for row in await gateway.agentos.gateway().service._blocks._engine.read(f"{sql} ORDER BY m.place"):
        kept.setdefault(row["session"], []).append(row["content"])
    one, two = (said[::2] for said in talks.values())
    assert sorted(kept.values()) == sorted([one, two[1:]]), "their openings are the same as long as nothing follows"


GEMINI, OLLAMA = "/proxy/gemini/v1beta/models/Gemini-2:", "/proxy/ollama/api"
ASKS = [
    (f"{GEMINI}generateContent", lambda text: {"contents": [{"role": "user", "parts": [{"text": text}]}]}),
    (f"{GEMINI}streamGenerateContent?alt=sse", lambda text: {"contents": [{"parts": [{"text": text}]}]}),
    (f"{GEMINI}streamGenerateContent", lambda text: {"contents": [{"parts": [{"text": text}]}]}),
    (f"{OLLAMA}/chat", lambda text: {"model": "qwen3", "messages": [{"role": "user", "content": text}]}),
    (f"{OLLAMA}/generate", lambda text: {"model": "qwen3", "prompt": text, "stream": False}),
]


async def test_geminis_and_ollamas_requests_get_and_leave_memory_and_count_their_tokens(gateway: Any) -> None:
    await remember(gateway)
    for number, (path, body) in enumerate(ASKS):
        answer = await gateway.client.post(path, json=body(f"Hall {number} is swept at {number}:15."))
        assert answer.content == gateway.provider.answered[-1]
        assert gateway.provider.requests[-1][0] == path.replace("/proxy/gemini", "").replace("/proxy/ollama", "")
        answer = await gateway.client.post(path, json=body(f"{ASKED} ({number})"))
        assert answer.headers["x-memory-gate-decision"] == "inject" and "5433" in injected_block(gateway)
    turns = await gateway.turns()
    for number in range(len(ASKS)):
        assert f"user: Hall {number} is swept at {number}:15." in turns
    assert sum(turn == "assistant: Naturally — schön, 東京 🎉." for turn in turns) == 2 * len(ASKS)
    spent = await gateway.agentos.usage.spending(1)
    assert {key.model: (one.calls, one.estimated) for key, one in spent.items()} == {
        "Gemini-2": (6, 0), "qwen3": (4, 0)}  # fmt: skip


async def test_a_key_of_the_gateways_stands_for_geminis_wherever_it_is_sent(start: Any) -> None:
    gateway = await start(KEYS.replace('anthropic_key = "sk-ant-first"', 'gemini_key = "g-first"'))
    path, body = ASKS[0][0], ASKS[0][1]("hi")
    for query, headers, status in (
        ("?key=a-proxy-key-number-one&x=1", {}, 200),
        ("", {"x-goog-api-key": "a-proxy-key-number-one"}, 200),
        ("?key=wrong", {}, 401),
        ("", {"x-goog-api-key": "a-proxy-key-number-two"}, 401),
    ):
        assert (await gateway.client.post(path + query, json=body, headers=headers)).status_code == status
    first, second = gateway.provider.requests
    assert first[1]["x-goog-api-key"] == second[1]["x-goog-api-key"] == "g-first" and first[0].endswith("?x=1")
    refused = await gateway.client.post("/proxy/ollama/api/chat", json=body)
    assert refused.status_code == 401 and "keys" in refused.json()["error"]


async def test_an_editors_line_to_complete_is_no_conversation(gateway: Any) -> None:
    await remember(gateway)
    body = {"model": "qwen3", "prompt": ASKED, "suffix": "}", "stream": False}
    answer = await gateway.client.post("/proxy/ollama/api/generate", json=body)
    assert answer.headers["x-memory-gate-decision"] == "abstain; a side request: completion"
    assert not await gateway.turns()


async def test_a_header_names_a_conversation_where_a_client_or_its_key_says_so(start: Any) -> None:
    gateway = await start()
    for chat in ("one", "two"):
        await gateway.ask("Hello.", headers={"x-openwebui-chat-id": chat})
        await gateway.ask("Hello.", headers={"x-session-id": chat})
    await gateway.learnt()
    sessions = [one["session"] for one in gateway.daemon.asked if one["what"] == "learn"]
    assert len({*sessions}) == 3 and sessions[1] == sessions[3], "what any client may send with all it asks names none"
