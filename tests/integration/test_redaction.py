"""No secret is written: not in a row, an index, a log, a backup; and what was stored earlier can be scrubbed."""

from pathlib import Path
from typing import Any

from agentos.benchmarks.redaction.corpus import Maker, planted_tokens, tokens
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.service import MemoryChanges

PASSWORD = "hunter" + "2moon"


def secrets() -> dict[str, str]:
    return tokens(Maker(11))


def files_with(home: Path, secret: str) -> list[str]:
    """The files of a home that hold a text, in any of the usual encodings."""
    forms = (secret.encode(), secret.lower().encode(), secret.encode("utf-16-le"))
    return [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


async def test_no_file_holds_a_secret_after_anything_was_kept(home: Path, agentos: AgentOS) -> None:
    known = secrets()
    key, token, other = known["aws-access-key"], known["github-pat"], known["slack-bot"]
    stored = await agentos.memory.store(
        "ada",
        f"Deploy with {key}; the password is {PASSWORD}.",
        tags=[f"key {token}", "deploy"],
        metadata={"env": {"api_key": other}, f"as {token}": ["x", f"Bearer {token}"], "port": 5432},
        source=f"mail with {key}",
        session=f"chat {token}",
    )
    await agentos.memory.update(
        "ada",
        stored.memory.id,
        MemoryChanges(content=f"Deploy with {other} now", tags=[token], metadata={"password": PASSWORD}),
    )
    goal = await agentos.goals.add("ada", f"Rotate {token}", f"password={PASSWORD}", priority=0.9, tags=[key])
    await agentos.goals.update_progress("ada", goal.id, 0.5, f"tried {other}")
    await agentos.goals.update_status("ada", goal.id, "completed", f"it was {key}")
    for _ in range(3):
        await agentos.reflection.log(
            "ada", f"push {token}", f"401 for {key}", False, f"password: {PASSWORD}", tags=[other]
        )
    await agentos.reflection.analyze("ada")
    assert await agentos.embedding.caught_up(30)
    await agentos.backups.make()
    for secret in (key, token, other, PASSWORD):
        assert files_with(home, secret) == []
    memory, history = await agentos.memory.get("ada", stored.memory.id)
    assert memory.content == "Deploy with [redacted:slack-token] now"
    assert history[0].content == "Deploy with [redacted:aws-access-key]; the password is [redacted:password]."
    assert history[0].metadata == {
        "env": {"api_key": "[redacted:slack-token]"},
        "as [redacted:github-token]": ["x", "Bearer [redacted:github-token]"],
        "port": 5432,
    }
    assert memory.metadata == {"password": "[redacted:password]"} and memory.tags == ("[redacted:github-token]",)


async def test_a_search_for_a_secret_leaves_nothing_behind(home: Path, agentos: AgentOS) -> None:
    await agentos.memory.store("ada", "The deploy runs on Fridays.")
    secret = secrets()["stripe-live"]
    await agentos.memory.search("ada", f"what is {secret} for?")
    assert files_with(home, secret) == []


async def test_the_same_text_with_another_secret_is_the_same_memory(agentos: AgentOS) -> None:
    first = await agentos.memory.store("ada", f"the token is {secrets()['npm']}")
    again = await agentos.memory.store("ada", f"the token is {tokens(Maker(12))['npm']}")
    assert again.duplicate and again.memory.id == first.memory.id


async def test_two_tags_may_become_one(agentos: AgentOS) -> None:
    one, two = secrets()["npm"], tokens(Maker(12))["npm"]
    stored = await agentos.memory.store("ada", "a text", tags=[one, two])
    assert stored.memory.tags == ("[redacted:npm-token]",)


async def test_a_text_as_long_as_may_be_is_kept_though_its_markers_are_longer(wire: Any, store: Any) -> None:
    agentos = wire(store, max_content_bytes=1024)
    text = "my PIN is 4921 " * 68
    stored = await agentos.memory.store("ada", text)
    assert "4921" not in stored.memory.content


async def test_a_sealed_text_is_kept_as_it_is(agentos: AgentOS) -> None:
    text = f"sealed {secrets()['npm']}"
    assert (await agentos.sealed.store("ada", text, [1.0, 0.0])).memory.content == text


async def test_switched_off_everything_is_kept_as_it_is(wire: Any, store: Any) -> None:
    text = f"the key is {secrets()['npm']}"
    stored = await wire(store, redact_secrets=False).memory.store("ada", text)
    assert stored.memory.content == text


async def test_every_kind_of_token_is_kept_out_of_the_store(home: Path, agentos: AgentOS) -> None:
    planted = list(planted_tokens(seed=21))[:80]
    for each in planted:
        await agentos.memory.store("ada", each.text)
    for each in planted:
        assert files_with(home, each.secret) == [], each.kind
