"""Models that come with an ONNX graph of their own, as exporters write it."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import external_data_helper
from safetensors.numpy import save_file

from agentos.storage.embedding.encoder import Encoder
from agentos.storage.embedding.loader import load_encoder
from agentos.storage.embedding.locate import locate
from agentos.storage.embedding.processor import graph_names
from tests.tables import every

MODEL = "all-MiniLM-L6-v2"
PLAIN = [{"type": "st.Transformer", "path": ""}, {"type": "st.Pooling", "path": "1_Pooling"}]
TEXTS = ["The deployment runs on Tuesdays.", "Maria likes plums", "x"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def built(cache: Path) -> Encoder:
    return load_encoder(MODEL, True, cache)


@pytest.fixture
def exported(built: Encoder, cache: Path, tmp_path: Path) -> Path:
    """The default model as an exporter leaves it: another architecture by name, and a graph with the usual names."""
    files = locate(MODEL, True, cache)
    folder = tmp_path / "some-model"
    (folder / "onnx").mkdir(parents=True)
    for name in ("tokenizer.json", "config.json", "tokenizer_config.json"):
        if (files.folder / name).exists():
            shutil.copy(files.folder / name, folder / name)
    change(folder / "config.json", model_type="xlm-roberta")
    graph = next(cache.rglob("graph-*.onnx"))
    model = onnx.load(str(graph), load_external_data=False)
    external_data_helper.load_external_data_for_model(model, str((files.folder / "model.safetensors").resolve().parent))
    new = {"ids": "input_ids", "mask": "attention_mask", "tokens": "last_hidden_state"}
    for node in model.graph.node:
        node.input[:] = [new.get(name, name) for name in node.input]
        node.output[:] = [new.get(name, name) for name in node.output]
    for value in (*model.graph.input, *model.graph.output):
        value.name = new.get(value.name, value.name)
    del model.graph.output[0]  # exporters of plain models give the states alone
    onnx.save(model, str(folder / "onnx" / "model.onnx"))
    return folder


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def vectors(encoder: Encoder, texts: Sequence[str]) -> Any:
    return np.array([np.frombuffer(one, dtype="<f4") for one in encoder.encode(texts)])


def test_it_runs_without_torch_and_gives_the_vectors_of_its_weights(
    built: Encoder, exported: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    ready = load_encoder(str(exported), True, cache)
    assert ready.dimension == 384 and ready.fingerprint.startswith("some-model@")
    assert np.allclose(vectors(ready, TEXTS), vectors(built, TEXTS), atol=1e-5)
    assert ready.encode_with_signs(TEXTS)[0][1] == built.encode_with_signs(TEXTS)[0][1]
    asked = ready.encode_query(TEXTS[0])
    assert asked.words == built.encode_query(TEXTS[0]).words
    (exported / "1_Pooling").mkdir()
    (exported / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    first = vectors(load_encoder(str(exported), True, cache), TEXTS)
    assert not np.allclose(first, vectors(ready, TEXTS), atol=1e-2)
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)


def test_a_graph_in_bytes_goes_first_and_has_a_name_of_its_own(exported: Path, cache: Path) -> None:
    plain = load_encoder(str(exported), True, cache).fingerprint
    graph = exported / "onnx" / "model.onnx"
    model = onnx.load(str(graph))
    model.doc_string = "another"
    onnx.save(model, str(graph.with_name("model_quantized.onnx")))
    assert load_encoder(str(exported), True, cache).fingerprint != plain
    e5 = exported.with_name("multilingual-e5-small")
    shutil.copytree(exported, e5)
    assert "passage" in load_encoder(str(e5), True, cache).fingerprint


@every(
    "file, content, named",
    [
        ("1_Pooling/config.json", {"pooling_mode": "attention"}, "attention"),
        ("modules.json", [{"type": "st.Transformer"}, {"type": "st.LSTM"}], "LSTM"),
        ("modules.json", [*PLAIN, {"type": "st.Dense", "path": "../2_Dense"}], "outside its folder"),
        ("modules.json", [*PLAIN, {"type": "st.Dense", "path": "2_Dense"}], "no 2_Dense/model.safetensors"),
    ],
)
def test_what_cannot_be_run_so_says_why(
    exported: Path,
    cache: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    content: Any,
    named: str,
) -> None:
    path = exported / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with caplog.at_level("INFO"), pytest.raises(Exception, match="of another kind"):
        load_encoder(str(exported), True, cache)
    assert named in caplog.text


def test_a_layer_behind_the_pooling_makes_the_vectors_and_their_length(exported: Path, cache: Path) -> None:
    place = exported / "2_Dense"
    place.mkdir()
    (exported / "modules.json").write_text(json.dumps([*PLAIN, {"type": "st.Dense", "path": "2_Dense"}]))
    (place / "config.json").write_text('{"activation_function": "torch.nn.modules.activation.Tanh"}')
    weight = np.random.default_rng(7).normal(size=(1024, 384)).astype("<f4")
    save_file({"linear.weight": weight, "linear.bias": weight[:, 0]}, str(place / "model.safetensors"))
    plain = vectors(load_encoder(MODEL, True, cache), TEXTS)
    ready = load_encoder(str(exported), True, cache)
    assert ready.dimension == 1024
    states = [ready.encode_query(text) for text in TEXTS]
    assert all(len(state.vector) == 4 * 1024 for state in states)
    found = vectors(ready, TEXTS)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert not np.allclose(found @ found.T, plain @ plain.T, atol=1e-2)
    name = ready.fingerprint
    save_file({"linear.weight": -weight}, str(place / "model.safetensors"))
    assert load_encoder(str(exported), True, cache).fingerprint != name


def test_a_model_that_wants_lower_case_gets_it_and_the_words_stay_as_written(exported: Path, cache: Path) -> None:
    tokenizer = json.loads((exported / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (exported / "tokenizer.json").write_text(json.dumps(tokenizer))
    cased = vectors(load_encoder(str(exported), True, cache), ["Maria", "maria"])
    assert not np.allclose(cased[0], cased[1], atol=1e-2)
    (exported / "sentence_bert_config.json").write_text('{"do_lower_case": true, "max_seq_length": 16}')
    lowered = load_encoder(str(exported), True, cache)
    same = vectors(lowered, ["Maria", "maria"])
    assert np.allclose(same[0], same[1], atol=1e-6)
    assert len(lowered.windows("Maria likes plums. " * 20)) > 5


@every(
    "features, machine, first",
    [
        ({"AVX2", "AVX512F", "AVX512VNNI"}, "x86_64", "model_qint8_avx512_vnni.onnx"),
        ({"AVX2", "AVX512F"}, "AMD64", "model_qint8_avx512.onnx"),
        ({"AVX2"}, "x86_64", "model_quint8_avx2.onnx"),
        ({"NEON"}, "arm64", "model_qint8_arm64.onnx"),
        (set(), "riscv64", "model_quantized.onnx"),
    ],
)
def test_the_processor_chooses_the_graph(features: set[str], machine: str, first: str) -> None:
    names = graph_names(frozenset(features), machine)
    assert names[0] == first and names[-1] == "model.onnx"
