"""The embedding graph over made-up models: where weights lie, what is refused, what is computed."""

import json
import os
import random
import struct
from pathlib import Path

import pytest

from agentos.storage.embedding import locate as locating
from agentos.storage.embedding import onnx_format
from agentos.storage.embedding.architecture import UnsupportedModel, read_architecture
from agentos.storage.embedding.digest import weights_digest
from agentos.storage.embedding.graph import SENTENCE_OUTPUT, TOKENS_OUTPUT, build_graph
from agentos.storage.embedding.graph_cache import GRAPHS_MAX, graph_of
from agentos.storage.embedding.locate import EmbeddingUnavailable, locate
from agentos.storage.embedding.safetensors_header import read_header

HIDDEN, WIDE, WORDS, POSITIONS = 8, 16, 11, 12
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": WIDE,
    "vocab_size": WORDS,
    "max_position_embeddings": POSITIONS,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}
MODULES = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]
MEAN = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}


def tensor_shapes() -> dict[str, list[int]]:
    shapes = {
        "embeddings.word_embeddings.weight": [WORDS, HIDDEN],
        "embeddings.position_embeddings.weight": [POSITIONS, HIDDEN],
        "embeddings.token_type_embeddings.weight": [2, HIDDEN],
    }
    dense = {"intermediate.dense": [WIDE, HIDDEN], "output.dense": [HIDDEN, WIDE]}
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        dense[f"attention.{part}"] = [HIDDEN, HIDDEN]
    norms = ["embeddings.LayerNorm"]
    for layer in range(2):
        norms += [f"encoder.layer.{layer}.{part}LayerNorm" for part in ("attention.output.", "output.")]
        for name, shape in dense.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
    for name in norms:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = [HIDDEN]
    return shapes


def write_weights(path: Path, shapes: dict[str, list[int]], dtype: str = "F32", prefix: str = "") -> None:
    chance, header, data = random.Random(7), {}, b""
    for name, shape in shapes.items():
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = struct.pack(f"<{size}f", *(chance.uniform(-1, 1) for _ in range(size)))
        header[prefix + name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(values)],
        }
        data += values
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete, tiny BERT model."""
    model = tmp_path / "tiny"
    write_json(model / "config.json", CONFIG)
    write_json(model / "modules.json", MODULES)
    write_json(model / "1_Pooling" / "config.json", MEAN)
    write_json(model / "sentence_bert_config.json", {"max_seq_length": 10, "do_lower_case": False})
    write_weights(model / "model.safetensors", tensor_shapes())
    return model


def graph_bytes(folder: Path) -> bytes:
    weights = folder / "model.safetensors"
    return build_graph(read_architecture(folder), read_header(weights), weights)


def test_the_graph_points_at_the_bytes_of_every_weight(folder: Path) -> None:
    import numpy as np
    import onnx
    from safetensors.numpy import load_file

    graph = onnx.load_from_string(graph_bytes(folder)).graph
    stored, raw = load_file(folder / "model.safetensors"), (folder / "model.safetensors").read_bytes()
    external = [item for item in graph.initializer if item.data_location == onnx.TensorProto.EXTERNAL]
    assert {item.name for item in external} == set(stored)
    for item in external:
        place = {entry.key: entry.value for entry in item.external_data}
        assert place["location"] == "model.safetensors"
        start = int(place["offset"])
        found = np.frombuffer(raw[start : start + int(place["length"])], "<f4").reshape(tuple(item.dims))
        assert np.array_equal(found, stored[item.name])


def test_the_graph_holds_no_weights_and_is_valid(folder: Path) -> None:
    import onnx

    data = graph_bytes(folder)
    assert len(data) < 20_000
    (folder / "graph.onnx").write_bytes(data)
    onnx.checker.check_model(str(folder / "graph.onnx"), full_check=True)


def test_numbers_of_every_size_and_sign_are_written_as_the_format_wants_them() -> None:
    import numpy as np
    import onnx
    from onnx import numpy_helper

    given = {"axis": -1, "start": 1 << 40, "perm": (0, -2, 127, 128), "epsilon": 1e-12}
    read = onnx.NodeProto.FromString(onnx_format.node("Slice", ["a", "ü"], ["b"], given))
    assert read.op_type == "Slice" and list(read.input) == ["a", "ü"] and list(read.output) == ["b"]
    found = {each.name: onnx.helper.get_attribute_value(each) for each in read.attribute}
    assert found == {**given, "perm": list(given["perm"]), "epsilon": pytest.approx(1e-12)}
    for values in (np.zeros((), np.int8), np.array([[-1, 2**62]]), np.array([0.1, -3e38], np.float32)):
        written = onnx.TensorProto.FromString(onnx_format.tensor("t", values))
        assert np.array_equal(numpy_helper.to_array(written), values) and written.name == "t"


def run(folder: Path, rows: list[list[int]]) -> tuple[object, object]:
    import numpy as np
    import onnxruntime

    (folder / "graph.onnx").write_bytes(graph_bytes(folder))
    session = onnxruntime.InferenceSession(folder / "graph.onnx", providers=["CPUExecutionProvider"])
    width = max(map(len, rows))
    ids = np.array([row + [0] * (width - len(row)) for row in rows], dtype=np.int64)
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], dtype=np.int64)
    return tuple(session.run([SENTENCE_OUTPUT, TOKENS_OUTPUT], {"ids": ids, "mask": mask}))


def test_vectors_have_length_one_and_do_not_depend_on_padding(folder: Path) -> None:
    import numpy as np

    together, tokens = run(folder, [[1, 2, 3], [4, 5, 6, 7, 8, 9, 10]])
    alone, _ = run(folder, [[1, 2, 3]])
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    assert np.allclose(together[0], alone[0], atol=1e-6)
    assert tokens.shape == (2, 7, HIDDEN)
    mean = tokens[0, :3].mean(axis=0)
    assert np.allclose(together[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_weights_named_with_the_prefix_of_a_larger_model_are_found(folder: Path) -> None:
    plain, _ = run(folder, [[1, 2, 3]])
    write_weights(folder / "model.safetensors", tensor_shapes(), prefix="bert.")
    prefixed, _ = run(folder, [[1, 2, 3]])
    assert plain.tobytes() == prefixed.tobytes()


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"model_type": "mpnet"}),
        ("config.json", {"hidden_act": "gelu_new"}),
        ("config.json", {"position_embedding_type": "relative_key"}),
        ("config.json", {"is_decoder": True}),
        ("config.json", {"hidden_size": None}),
        ("config.json", {"num_attention_heads": 3}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("1_Pooling/config.json", {"pooling_mode": "cls"}),
        ("sentence_bert_config.json", {"do_lower_case": True}),
        ("config_sentence_transformers.json", {"default_prompt_name": "query"}),
    ],
)
def test_a_model_that_the_graph_would_get_wrong_is_refused(folder: Path, file: str, change: dict[str, object]) -> None:
    path = folder / file
    write_json(path, {**(json.loads(path.read_text()) if path.exists() else {}), **change})
    with pytest.raises(UnsupportedModel):
        read_architecture(folder)


@pytest.mark.parametrize(
    "modules",
    [
        MODULES[:1],
        [*MODULES[:2], {"path": "2_Dense", "type": "x.Dense"}],
        {},
        [{**MODULES[0], "path": "0"}, *MODULES[1:]],
    ],
)
def test_other_pipelines_are_refused(folder: Path, modules: object) -> None:
    write_json(folder / "modules.json", modules)
    with pytest.raises(UnsupportedModel):
        read_architecture(folder)


def test_the_pooling_form_of_newer_versions_is_understood(folder: Path) -> None:
    write_json(folder / "1_Pooling" / "config.json", {"embedding_dimension": HIDDEN, "pooling_mode": "mean"})
    assert read_architecture(folder).tokens_max == 10


def test_the_window_falls_back_to_the_tokenizer_and_then_to_the_positions(folder: Path) -> None:
    (folder / "sentence_bert_config.json").unlink()
    assert read_architecture(folder).tokens_max == POSITIONS
    write_json(folder / "tokenizer_config.json", {"model_max_length": 6})
    assert read_architecture(folder).tokens_max == 6


def test_weights_of_another_type_shape_or_count_are_refused(folder: Path) -> None:
    weights = folder / "model.safetensors"
    write_weights(weights, tensor_shapes(), dtype="F16")
    with pytest.raises(UnsupportedModel, match="F16"):
        graph_bytes(folder)
    write_weights(weights, {**tensor_shapes(), "embeddings.LayerNorm.bias": [HIDDEN + 1]})
    with pytest.raises(UnsupportedModel, match=r"embeddings\.LayerNorm\.bias"):
        graph_bytes(folder)
    missing = tensor_shapes()
    del missing["encoder.layer.1.output.dense.weight"]
    write_weights(weights, missing)
    with pytest.raises(UnsupportedModel, match="no tensor"):
        graph_bytes(folder)


@pytest.mark.parametrize("keep", [0, 5, 200, -4])
def test_a_weights_file_that_is_cut_off_is_said_to_be_damaged(folder: Path, keep: int) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(EmbeddingUnavailable, match="not a usable safetensors file"):
        read_header(weights)


def test_a_graph_is_built_once_privately_and_again_when_damaged(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    architecture, weights, cache = read_architecture(folder), folder / "model.safetensors", tmp_path / "a" / "b"
    first = graph_of(architecture, weights, "0" * 64, cache)
    (path,) = cache.rglob("*.onnx")
    assert path.stat().st_mode & 0o777 == 0o600
    assert {parent.stat().st_mode & 0o777 for parent in (path.parent, cache, cache.parent)} == {0o700}
    with monkeypatch.context() as patch:
        patch.setattr("agentos.storage.embedding.graph_cache.build_graph", None)
        assert graph_of(architecture, weights, "0" * 64, cache) == first
    path.write_bytes(first[:100])
    assert graph_of(architecture, weights, "0" * 64, cache) == first
    assert path.read_bytes() == first
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def test_of_many_graphs_those_used_last_are_kept_and_the_new_one(folder: Path, tmp_path: Path) -> None:
    architecture, weights = read_architecture(folder), folder / "model.safetensors"
    graph_of(architecture, weights, "0" * 64, tmp_path)
    (used,) = tmp_path.rglob("*.onnx")
    for number in range(GRAPHS_MAX):
        other = used.with_name(f"graph-{number}.onnx")
        other.write_bytes(b"")
        os.utime(other, (2e9 + number, 2e9 + number))  # as after a clock that was wrong
    os.utime(used, (1e9, 1e9))
    graph_of(architecture, weights, "0" * 64, tmp_path)
    assert used.stat().st_mtime > 1e9  # its use is noted
    used.write_bytes(b"damaged")
    graph_of(architecture, weights, "0" * 64, tmp_path)
    left = {path.name for path in used.parent.glob("graph-*.onnx")}
    assert left == {used.name, *(f"graph-{number}.onnx" for number in range(1, GRAPHS_MAX))}


def test_weights_in_several_files_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match=r"model\.safetensors"):
        graph_of(read_architecture(folder), folder / "model-00001-of-00002.safetensors", "0" * 64, tmp_path)


def test_a_cache_that_cannot_be_written_costs_only_time(folder: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    found = locate(str(folder), True, blocked)
    assert graph_of(read_architecture(folder), folder / "model.safetensors", found.sha256, blocked)


def test_a_digest_is_remembered_until_the_file_changes(folder: Path, tmp_path: Path) -> None:
    weights, cache = folder / "model.safetensors", tmp_path / "cache"
    first = weights_digest([weights], cache)
    times = weights.stat()
    changed = weights.read_bytes()[:-1] + b"\0"
    weights.write_bytes(changed)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert weights_digest([weights], cache) == first  # same path, size and time: not hashed again
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert weights_digest([weights], cache) != first
    (cache / "weights.json").write_text("not json")
    assert weights_digest([weights], cache) != first


def test_a_local_folder_is_the_model_and_its_name(folder: Path, tmp_path: Path) -> None:
    found = locate(str(folder), True, tmp_path / "cache")
    assert (found.name, found.folder) == ("tiny", folder)
    assert found.fingerprint == f"tiny@{found.sha256[:12]}"


@pytest.mark.parametrize("model", ["/nowhere/at/all", "./nowhere", "~/nowhere-at-all", "a/b/c", "models/"])
def test_a_folder_that_does_not_exist_is_an_error_that_names_the_setting(model: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"AGENTOS_EMBEDDING_MODEL.*does not exist"):
        locate(model, False, tmp_path)


def test_a_folder_without_a_model_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"AGENTOS_EMBEDDING_MODEL.*no model"):
        locate(str(tmp_path), True, tmp_path / "cache")


def test_a_name_is_never_looked_up_in_the_working_directory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    monkeypatch.setattr(locating, "cached_model", lambda repository: None)
    with pytest.raises(EmbeddingUnavailable, match="not on this machine"):
        locate("tiny", True, tmp_path / "cache")


def test_the_hub_is_asked_for_the_full_name_and_only_online_for_a_download(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(locating, "cached_model", lambda repository: asked.append(repository))
    installed = lambda _, repository, __: (asked.append(repository), folder)[1]  # noqa: E731
    monkeypatch.setattr(locating, "install_hub_model", installed)
    with pytest.raises(EmbeddingUnavailable, match=r"run agentos model install tiny, or set AGENTOS_EMBEDDING_MODEL"):
        locate("tiny", True, tmp_path / "cache")
    assert asked == ["sentence-transformers/tiny"]
    assert locate("tiny", False, tmp_path / "cache").folder == folder
    assert asked == ["sentence-transformers/tiny"] * 3


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_the_default_model_is_installed_into_the_home_and_only_online(
    model: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(locating, "_installed_folder", lambda _: None)
    monkeypatch.setattr(locating, "cached_model", lambda _: None)
    monkeypatch.setattr(locating, "install_weights", lambda models, *_: (asked.append(models), folder)[1])
    with pytest.raises(EmbeddingUnavailable, match=r"run agentos model install, or set AGENTOS_EMBEDDING_MODEL"):
        locate(model, True, tmp_path)
    assert asked == []
    with pytest.raises(EmbeddingUnavailable, match="its sha256 is"):  # the tiny one is not what it should be
        locate(model, False, tmp_path)
    assert asked == [tmp_path]


def test_installed_weights_with_another_digest_are_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locating, "_installed_folder", lambda _: folder)
    with pytest.raises(EmbeddingUnavailable, match="its sha256 is"):
        locate("all-MiniLM-L6-v2", True, tmp_path / "cache")
