"""The windows of models, from every list of a provider, and what memory takes of them over a long conversation."""

import json
from typing import Any

import pytest

from agentos.features.gateway import windows
from agentos.features.gateway.block import SHARE, BlockEntry, framed
from agentos.features.gateway.modes import Mode, Wish
from agentos.features.gateway.proxy.access import ClientAccess
from agentos.features.gateway.proxy.remembering import Remembering
from agentos.features.gateway.requests import Dialect
from agentos.features.gateway.windows import Windows
from agentos.modules.context.tokens import estimate
from tests import client_requests
from tests.tables import every

LISTS: list[tuple[str, Any, dict[str, int]]] = [
    ("vLLM", {"data": [{"id": "a", "max_model_len": 4096}, {"id": "b"}]}, {"a": 4096}),
    ("OpenRouter", {"data": [{"id": "x/a", "context_length": 131072, "top_provider": {"context_length": 65536}}]},
     {"x/a": 131072}),
    ("Groq", {"data": [{"id": "a", "context_window": 8000}]}, {"a": 8000}),
    ("Mistral", {"data": [{"id": "a", "max_context_length": 32768}]}, {"a": 32768}),
    ("Together", [{"id": "a", "context_length": 32768}], {"a": 32768}),
    ("LM Studio", {"data": [{"id": "a", "max_context_length": 32768, "loaded_context_length": 4096}]}, {"a": 4096}),
    ("llama.cpp", {"data": [{"id": "a", "meta": {"n_ctx_train": 131072, "n_ctx": 8192}}]}, {"a": 8192}),
    ("Anthropic", {"data": [{"type": "model", "id": "a", "max_input_tokens": 200000}]}, {"a": 200000}),
    ("Gemini", {"models": [{"name": "models/a", "inputTokenLimit": 1048576}]}, {"models/a": 1048576, "a": 1048576}),
    ("Ollama, what runs", {"models": [{"name": "a:8b", "model": "a:8b", "context_length": 4096}]}, {"a:8b": 4096}),
    ("LiteLLM", {"data": [{"model_name": "a", "model_info": {"max_input_tokens": 128000}}]}, {"a": 128000}),
    ("nonsense", {"data": [{"id": "a", "context_length": "big"}, 7, {"context_length": 9000}]}, {}),
    ("nothing", "no", {}),
]  # fmt: skip


@every("name, document, sizes", LISTS)
def test_a_window_is_read_in_each_providers_list(name: str, document: Any, sizes: dict[str, int]) -> None:
    assert windows.listed(document) == sizes


@every(
    "document, size",
    [
        ({"model_info": {"llama.context_length": 131072}, "parameters": "stop x\nnum_ctx    16384"}, 16384),
        ({"model_info": {"llama.context_length": 131072}}, 4096),
        ({"model_info": {"x.context_length": 2048}}, 2048),
        ({}, None),
        ([], None),
    ],
)
def test_what_ollama_shows_is_no_more_than_it_runs(document: Any, size: int | None) -> None:
    assert windows.shown(document) == size


def test_the_users_table_goes_before_what_is_heard_and_that_before_ours() -> None:
    known = Windows({"mine": 9_000})
    known.hear({"mine-2": 1_000, "gpt-4o-mini": 64_000, "qwen3": 32_000})
    found = [known.of(model) for model in ("mine-2", "gpt-4o-mini", "gpt-4o", "qwen3", "qwen3-other", "x/gpt-4o")]
    assert found == [9_000, 64_000, 128_000, 32_000, 8_192, 128_000]


class Generous:
    """A daemon that tells as much as it may."""

    problem = ""

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any] | None:
        if fields["what"] != "recall" or not fields["question"]:
            return {"accepted": True}
        n = len(fields["told_texts"])
        entries = [
            BlockEntry(f"mem_{n}_{k}", f"mem_{n}_{k}", f"the keeper of hall {n}.{k} is Ana, " * 10) for k in range(12)
        ]
        block = framed(entries, fields["max_tokens"], estimate)
        return {"accepted": True, "block": block.text, "ids": list(block.ids), "decision": "inject"}


DIALECTS = {
    Dialect.CHAT: client_requests.CHAT,
    Dialect.RESPONSES: client_requests.RESPONSES,
    Dialect.MESSAGES: client_requests.MESSAGES,
    Dialect.GEMINI: client_requests.GEMINI,
    Dialect.OLLAMA: client_requests.OLLAMA,
}


@pytest.mark.parametrize("window", [3_000, 8_192, 200_000])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_memory_adds_to_any_of_40_turns_stays_within_a_tenth_and_the_window(
    dialect: Dialect, window: int
) -> None:
    remembering = Remembering(Generous(), Windows({"m": window}))
    access, wish = ClientAccess("c", "default", Wish(Mode.FULL), client_control=False), Wish(Mode.FULL)
    messages: list[tuple[str, str]] = []
    added = []
    for turn in range(40):
        messages.append(("user", f"Who keeps hall {turn}, and since when, and why is that so?"))
        asked = client_requests.Asked((*messages,), room=100)
        body = json.dumps({**asked.body(DIALECTS[dialect]), "model": "m"}).encode()
        prepared = await remembering.prepared(dialect, body, "", access, wish, counts=False, model="m")
        assert prepared.request is not None and not prepared.side
        added.append(sum(map(estimate, prepared.inserted)))
        assert added[-1] <= window * SHARE
        if window < 200_000 or turn == 39:
            is_full = estimate(body.decode()) > window - 100
            assert not (is_full and added[-1]), "there is no room for it"
            assert not added[-1] or estimate(prepared.body.decode()) <= window, "with what memory adds it fits"
        messages.append(("assistant", "Ana does, as far as I know. " * 12))
    assert added[0] and (any(added[20:]) or window == 3_000)


async def test_a_model_that_nobody_knows_has_the_window_of_a_small_one() -> None:
    access, wish = ClientAccess("c", "default", Wish(Mode.FULL), client_control=False), Wish(Mode.FULL)
    body = json.dumps({"model": "?", "messages": [{"role": "user", "content": "Who keeps hall 7?"}]}).encode()
    prepared = await Remembering(Generous(), Windows()).prepared(Dialect.CHAT, body, "", access, wish, counts=False)
    assert 0 < sum(map(estimate, prepared.inserted)) <= 819
