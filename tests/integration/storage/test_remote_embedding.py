"""Vectors from a server: a stub of the OpenAI-compatible HTTP API on the loopback, which also fails in every way."""

import itertools
import json
import logging
import math
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.modules.clock import system_clock
from agentos.modules.health.models import Severity
from agentos.modules.health.service import examine
from agentos.modules.memory.models import SearchMode
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.endpoint import Endpoint
from agentos.storage.embedding.lazy import LazyEmbedder, NoEmbedder
from agentos.storage.embedding.locate import EmbeddingUnavailable
from agentos.storage.embedding.remote import ASK_AGAIN_S, RemoteEmbedder

DIMENSION = 8


def vector(text: str) -> list[float]:
    """Each word counts in one of eight places, by its first letter."""
    values = [0.0] * DIMENSION
    for word in text.lower().split() or ["-"]:
        values[ord(word[0]) % DIMENSION] += 2.0
    return values


class Stub:
    """`requests` are the bodies that came, `headers` those of the last one.

    `answers` are taken first: a status, or a body for 200, or a function of the request; then come true vectors.
    `silent` lets a request wait until `release` is set.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: dict[str, str] = {}
        self.answers: list[Any] = []
        self.silent = False
        self.release = threading.Event()
        self.url = ""

    def answer(self, request: dict[str, Any]) -> tuple[int, Any]:
        answer = self.answers.pop(0) if self.answers else right
        if callable(answer):
            answer = answer(request)
        return (answer, {"error": {"message": "SECRET-IN-ANSWER"}}) if isinstance(answer, int) else (200, answer)


def right(request: dict[str, Any]) -> dict[str, Any]:
    """The true answer, in another order than that of the texts."""
    data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(request["input"])]
    return {"object": "list", "data": data[::-1], "model": request["model"]}


@contextmanager
def serving() -> Iterator[Stub]:
    """A stub that listens until the end of the block."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append(request)
            stub.paths.append(self.path)
            stub.headers = dict(self.headers)
            if stub.silent:
                stub.release.wait(60)
            status, content = stub.answer(request)
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", f"{stub.url}/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *arguments: object) -> None:
            """A client that hangs up is as it should be."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.release.set()
        server.shutdown()
        server.server_close()
        thread.join(60)


KEY = "sk-never-to-be-seen"
NS = "ada"


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving() as running:
        yield running


class Timer:
    """A monotonic clock that stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


Make = Callable[..., RemoteEmbedder]


@pytest.fixture
async def remote(stub: Stub) -> AsyncIterator[Make]:
    made: list[RemoteEmbedder] = []

    def make(offline: bool = True, url: str = "", timeout_s: float = 30, monotonic: Any = None) -> RemoteEmbedder:
        endpoint = Endpoint(url or stub.url, "small", KEY)
        made.append(
            RemoteEmbedder(
                endpoint, offline=offline, timeout_s=timeout_s, pauses_s=(0, 0), monotonic=monotonic or Timer()
            )
        )
        return made[-1]

    yield make
    for embedder in made:
        await embedder.aclose()


def floats(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def unit(text: str) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector(text)))
    return [value / length for value in vector(text)]


async def test_the_server_receives_the_batch_and_its_vectors_become_unit_vectors(stub: Stub, remote: Make) -> None:
    embedder = remote()
    found = await embedder.encode(["apples and bees", "cats", "dogs"])
    assert stub.requests[-1] == {"model": "small", "input": ["apples and bees", "cats", "dogs"]}
    assert stub.paths[-1] == "/v1/embeddings"
    assert stub.headers["Authorization"] == f"Bearer {KEY}"
    for [passage], text in zip(found, ["apples and bees", "cats", "dogs"], strict=True):
        assert floats(passage.vector) == pytest.approx(unit(text), abs=1e-6)
        assert (passage.begin, passage.end, passage.signs) == (0, len(text), b"")


async def test_many_texts_go_in_several_batches(stub: Stub, remote: Make) -> None:
    embedder = remote()
    texts = [f"text {number}" for number in range(150)]
    found = await embedder.encode(texts)
    assert [len(request["input"]) for request in stub.requests] == [1, 64, 64, 22]
    assert [floats(passage.vector) for [passage] in found] == [pytest.approx(unit(text), abs=1e-6) for text in texts]


async def test_a_long_text_is_embedded_by_passages_that_cover_it(stub: Stub, remote: Make) -> None:
    content = "Ann: " + " ".join(f"Sentence {number} is about gardens." for number in range(120))
    [passages] = await remote().encode([content])
    assert len(passages) > 3
    assert stub.requests[-1]["input"] == [content[p.begin : p.end] for p in passages]
    assert (passages[0].begin, passages[-1].end) == (len("Ann: "), len(content))
    for one, other in itertools.pairwise(passages):
        assert one.begin < other.begin < one.end
        assert content[one.begin : one.end].endswith(". ")
        assert content[other.begin :].startswith("Sentence")


async def test_a_query_has_a_vector_no_tokens_and_is_asked_for_once(stub: Stub, remote: Make) -> None:
    embedder = remote()
    first = await embedder.encode_query("where are the cats")
    assert floats(first.vector) == pytest.approx(unit("where are the cats"), abs=1e-6)
    assert (first.tokens, first.words) == (b"", ())
    assert await embedder.encode_query("where are the cats") == first
    assert len(stub.requests) == 2  # the first one learned the dimension


async def test_the_fingerprint_names_server_model_and_dimension_but_not_the_key(stub: Stub, remote: Make) -> None:
    embedder = remote()
    with pytest.raises(EmbeddingUnavailable):
        _ = embedder.fingerprint
    assert await embedder.ready(60)
    assert embedder.dimension == DIMENSION
    assert embedder.fingerprint.startswith("small@") and f":{DIMENSION}/" in embedder.fingerprint
    assert KEY not in embedder.fingerprint
    other_key = RemoteEmbedder(Endpoint(stub.url, "small", "another"), offline=True)
    other_model = RemoteEmbedder(Endpoint(stub.url, "large", KEY), offline=True)
    assert await other_key.ready(60) and await other_model.ready(60)
    assert other_key.fingerprint == embedder.fingerprint != other_model.fingerprint
    await other_key.aclose()
    await other_model.aclose()


async def test_a_batch_is_tried_again_when_the_server_fails_for_a_moment(stub: Stub, remote: Make) -> None:
    embedder = remote()
    assert await embedder.ready(60)
    stub.answers = [500, 429]
    assert len(await embedder.encode(["cats"])) == 1
    assert len(stub.requests) == 4
    assert embedder.problem is None


async def test_tries_are_bounded_and_the_server_is_left_alone_for_a_while(stub: Stub, remote: Make) -> None:
    timer = Timer()
    embedder = remote(monotonic=timer)
    assert await embedder.ready(60)
    stub.answers = [500] * 3
    with pytest.raises(EmbeddingUnavailable, match="500"):
        await embedder.encode(["cats"])
    assert len(stub.requests) == 4
    assert embedder.problem is not None and "500" in embedder.problem
    with pytest.raises(EmbeddingUnavailable, match="500"):
        await embedder.encode_query("cats")
    assert not await embedder.ready(60)
    assert len(stub.requests) == 4
    timer.now += ASK_AGAIN_S
    assert await embedder.ready(60)
    assert embedder.problem is None
    assert len(await embedder.encode(["cats"])) == 1


async def test_a_query_is_tried_once(stub: Stub, remote: Make) -> None:
    embedder = remote()
    assert await embedder.ready(60)
    stub.answers = [503]
    with pytest.raises(EmbeddingUnavailable, match="503"):
        await embedder.encode_query("cats")
    assert len(stub.requests) == 2


async def test_a_server_that_says_nothing_is_given_up(stub: Stub, remote: Make) -> None:
    stub.silent = True
    embedder = remote(timeout_s=0.05)
    assert not await embedder.ready(60)
    assert embedder.problem is not None and "no answer in 0.05 s" in embedder.problem


async def test_waiting_for_a_server_is_bounded(stub: Stub, remote: Make) -> None:
    stub.silent = True
    embedder = remote()
    assert not await embedder.ready(0.01)
    assert embedder.problem is None
    stub.release.set()
    assert await embedder.ready(60)


async def test_a_server_that_is_not_there_is_a_problem(stub: Stub, remote: Make) -> None:
    embedder = remote(url="http://127.0.0.1:9/v1")
    assert not await embedder.ready(60)
    assert embedder.problem is not None and "cannot be reached" in embedder.problem


def answered(*rows: Any) -> dict[str, Any]:
    return {"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]}


ONES = [1.0] * DIMENSION
BAD_ANSWERS = {
    "another dimension": (answered([1.0] * 5, [1.0] * 5), "5 values instead of 8"),
    "two dimensions": (answered(ONES, [1.0] * 9), "9 values instead of 8"),
    "words": (answered(ONES, ["1.0"] * DIMENSION), "not lists of numbers"),
    "truth": (answered(ONES, [True] * DIMENSION), "not lists of numbers"),
    "base64": (answered(ONES, "AACAPw=="), "not lists of numbers"),
    "not finite": (b'{"data": [{"embedding": [NaN,1,1,1,1,1,1,1]}, {"embedding": [1,1,1,1,1,1,1,1]}]}', "not finite"),
    "overflow": (answered(ONES, [1e200] * DIMENSION), "zero vectors"),
    "a huge integer": (answered(ONES, [10**400] * DIMENSION), "does not speak"),
    "zeros": (answered(ONES, [0.0] * DIMENSION), "zero vectors"),
    "too few": (answered(ONES), "1 vectors for 2 texts"),
    "too many": (answered(ONES, ONES, ONES), "3 vectors for 2 texts"),
    "one twice": ({"data": [{"index": 0, "embedding": ONES}] * 2}, "2 vectors for 2 texts"),
    "no data": ({"embeddings": [ONES, ONES]}, "does not speak"),
    "a list": ([ONES, ONES], "does not speak"),
    "no JSON": (b"<html>hello</html>", "does not speak"),
    "nothing": (b"", "does not speak"),
    "deep": (b"[" * 100_000, "does not speak"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
async def test_an_answer_that_is_not_the_vectors_asked_for_is_refused(stub: Stub, remote: Make, name: str) -> None:
    embedder = remote()
    assert await embedder.ready(60)
    answer, problem = BAD_ANSWERS[name]
    stub.answers = [answer]
    with pytest.raises(EmbeddingUnavailable, match=problem):
        await embedder.encode(["cats", "dogs"])
    assert len(stub.requests) == 2, "what a second try does not mend is not tried again"
    assert embedder.dimension == DIMENSION


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "API_KEY"), (403, "API_KEY"), (404, "EMBEDDING_URL"), (302, "302")]
)
async def test_a_server_that_does_not_serve_us_is_a_problem_with_a_remedy(
    stub: Stub, remote: Make, status: int, remedy: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stub.answers = [status]
    embedder = remote()
    assert not await embedder.ready(60)
    assert embedder.problem is not None and remedy in embedder.problem
    assert stub.paths == ["/v1/embeddings"], "redirects are not followed"
    output = f"{embedder.problem} {caplog.text} {embedder!r} {Endpoint(stub.url, 'small', KEY)!r}"
    assert KEY not in output and "SECRET-IN-ANSWER" not in output


async def test_one_text_that_the_server_refuses_does_not_stop_the_others(
    stub: Stub, store: OpenedStore, wire: Any, remote: Make
) -> None:
    agentos = wire(store, remote())

    def picky(request: dict[str, Any]) -> Any:
        stub.answers.append(picky)
        return 400 if any("poison" in text for text in request["input"]) else right(request)

    assert await agentos.embedding.ready(60)
    stub.answers = [picky]
    for content in ("cats sleep", "poison ivy", "dogs bark"):
        await agentos.memory.store(NS, StoreRequest(content))
    assert await agentos.memory.embedded(60)
    result = await agentos.memory.search(NS, "dogs bark")
    assert result.mode is SearchMode.HYBRID
    by_text = {hit.memory.content: hit.similarity for hit in result.hits}
    assert by_text["dogs bark"] == pytest.approx(1.0, abs=1e-4)
    assert by_text.get("poison ivy") is None


async def test_memories_are_found_by_the_servers_vectors(
    stub: Stub, store: OpenedStore, wire: Any, remote: Make
) -> None:
    agentos = wire(store, remote())
    await agentos.memory.store(NS, StoreRequest("zebras graze"))
    await agentos.memory.store(NS, StoreRequest("we had lunch"))
    result = await agentos.memory.search(NS, "zoo gate")  # the same first letters: near for the stub
    assert result.mode is SearchMode.HYBRID and not result.notes
    assert result.hits[0].memory.content == "zebras graze"
    assert result.hits[0].similarity == pytest.approx(1.0, abs=1e-4)


async def test_when_the_server_goes_words_are_searched_and_when_it_comes_back_what_is_owed_is_made_up(
    stub: Stub, store: OpenedStore, wire: Any, remote: Make
) -> None:
    timer = Timer()
    agentos = wire(store, remote(monotonic=timer))
    await agentos.memory.store(NS, StoreRequest("zebras graze"))
    assert await agentos.memory.embedded(60)
    stub.answers = [500] * 20
    await agentos.memory.store(NS, StoreRequest("yaks graze"))
    assert not await agentos.memory.embedded(60)
    result = await agentos.memory.search(NS, "yaks")
    assert result.mode is SearchMode.LEXICAL and "500" in result.notes[0]
    assert [hit.memory.content for hit in result.hits] == ["yaks graze"]
    stub.answers = []
    timer.now += ASK_AGAIN_S
    assert await agentos.embedding.ready(60)
    assert await agentos.memory.embedded(60)
    result = await agentos.memory.search(NS, "yaks")
    assert result.mode is SearchMode.HYBRID and result.hits[0].similarity is not None


async def test_another_machine_is_asked_only_when_agentos_is_not_offline(home: Path) -> None:
    for host in ("embeddings.example", "192.0.2.7", "127.0.0.1.example", "localhost.example", "0.0.0.0"):
        embedder = RemoteEmbedder(Endpoint(f"http://{host}/v1", "small"), offline=True)
        assert not await embedder.ready(60)
        assert embedder.problem is not None and "AGENTOS_OFFLINE=false" in embedder.problem
        assert RemoteEmbedder(Endpoint(f"http://{host}/v1", "small"), offline=False).problem is None
    for host in ("localhost", "127.0.0.1", "127.8.9.1", "[::1]"):
        assert RemoteEmbedder(Endpoint(f"http://{host}:1/v1", "small"), offline=True).problem is None


def test_without_an_url_nothing_is_asked_and_none_switches_it_off(home: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    assert isinstance(database.open_embedder(config.load({}, home=home)), LazyEmbedder)
    assert isinstance(database.open_embedder(config.load({}, home=home, embedding_url=url)), RemoteEmbedder)
    off = config.load({}, home=home, embedding_url=url, embedding_model="none")
    assert isinstance(database.open_embedder(off), NoEmbedder)


async def test_it_can_be_closed_while_it_is_asked(stub: Stub, remote: Make) -> None:
    stub.silent = True
    embedder = remote()
    assert not await embedder.ready(0.01)
    embedder.close()
    assert not await embedder.ready(60)
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await embedder.encode(["cats"])


def results(stub: Stub, home: Path, *, deep: bool, **settings: Any) -> dict[str, Any]:
    home.mkdir(mode=0o700, exist_ok=True)
    chosen = config.load({}, home=home, embedding_model="small", **{"embedding_url": stub.url, **settings})
    with database.health_checks(chosen, system_clock, deep=deep) as checks:
        report = examine([check for check in checks if check.id.startswith("model.")], repair=False)
    return {result.id: result for result in report.results}


def test_the_doctor_asks_the_server_only_in_depth(stub: Stub, home: Path) -> None:
    assert results(stub, home, deep=False)["model.found"].severity is Severity.OK
    assert stub.requests == []
    found = results(stub, home, deep=True, embedding_api_key=KEY)
    assert found["model.loads"].severity is Severity.OK and "8 values" in found["model.loads"].message
    stub.answers = [401]
    found = results(stub, home, deep=True, embedding_api_key=KEY)
    assert found["model.loads"].severity is Severity.WARNING and "API_KEY" in found["model.loads"].message
    assert KEY not in str(found)
    found = results(stub, home, deep=True, embedding_url="https://embeddings.example/v1")
    assert found["model.found"].severity is Severity.WARNING and found["model.found"].remedy is not None
    assert "AGENTOS_OFFLINE=false" in found["model.found"].remedy
