"""What is put before queries and passages for models that want it, and that their vectors have a name of their own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentos.modules.memory.models import QueryEncoding
from agentos.storage.embedding.prompted import PROMPTS_FILE, PromptedEncoder, Prompts, prompts_of
from tests.tables import every


class Echo:
    """An encoder whose vectors are the texts that it was given."""

    fingerprint, dimension = "model@1", 1

    def windows(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]

    def knows(self, text: str) -> bool:
        return True

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        return [text.encode() for text in texts]

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        return [(text.encode(), b"") for text in texts]

    def encode_query(self, text: str) -> QueryEncoding:
        return QueryEncoding(text.encode())


@every(
    "name, written, query, passage",
    [
        ("multilingual-e5-small", None, "query: ", "passage: "),
        ("intfloat/e5-base-v2", {"prompts": {}}, "query: ", "passage: "),
        ("all-MiniLM-L6-v2", {"prompts": {"query": "", "document": ""}}, "", ""),
        ("nomic", {"prompts": {"search_query": "Q: ", "search_document": "D: "}}, "Q: ", "D: "),
        ("arctic", {"prompts": {"query": "Find: "}}, "Find: ", ""),
        ("always", {"prompts": {"text": "T: ", "query": "Q: "}, "default_prompt_name": "text"}, "Q: ", "T: "),
        ("be5t", None, "", ""),
        ("broken", ["prompts"], "", ""),
        ("endless", {"prompts": {"query": "x" * 1_000}}, "", ""),
    ],
)
def test_a_model_says_what_it_wants_before_a_text(
    name: str, written: Any, query: str, passage: str, tmp_path: Path
) -> None:
    (tmp_path / PROMPTS_FILE).unlink(missing_ok=True)
    if written is not None:
        (tmp_path / PROMPTS_FILE).write_text(json.dumps(written), encoding="utf-8")
    assert prompts_of(tmp_path, name) == Prompts(query, passage)


def test_queries_and_passages_are_told_apart_under_a_name_of_their_own() -> None:
    encoder = PromptedEncoder(Echo(), Prompts("query: ", "passage: "))
    assert encoder.encode(["a"]) == [b"passage: a"]
    assert encoder.encode_with_signs(["a"]) == [(b"passage: a", b"")]
    assert encoder.encode_query("a").vector == b"query: a"
    assert encoder.windows("abc") == [(0, 3)] and encoder.knows("a") and encoder.dimension == 1
    assert encoder.fingerprint != Echo.fingerprint != PromptedEncoder(Echo(), Prompts("q", "")).fingerprint
