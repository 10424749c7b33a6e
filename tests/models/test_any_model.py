"""Models of every kind of pooling, with layers and prompts, beside what sentence-transformers makes of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import external_data_helper

from agentos.storage.embedding.architecture import BertArchitecture
from agentos.storage.embedding.graph import build_graph
from agentos.storage.embedding.loader import load_encoder
from agentos.storage.embedding.onnx_encoder import OnnxEncoder
from agentos.storage.embedding.prompted import PromptedEncoder
from agentos.storage.embedding.safetensors_header import read_header
from tests.tables import every

WORDS = "the a of maria likes plums kayak red wood is in june trips she paints query passage find : on"
TEXTS = ["Maria likes plums", "the red kayak is of wood", "june", "she paints in June trips on the red wood " * 30]
SIZE = 384


def make_model(folder: Path, pooling: str, layer: int, *, prompts: dict[str, str], lower: bool) -> Path:
    """A small BERT with random weights as sentence-transformers saves it, and its graph as an exporter would."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    plain = folder / "plain"
    plain.mkdir(parents=True)
    vocabulary = plain / "vocab.txt"
    words = [*WORDS.split(), *(["Maria"] if lower else [])]
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    BertTokenizerFast(vocab=str(vocabulary), model_max_length=48, do_lower_case=not lower).save_pretrained(plain)
    torch.manual_seed(7)
    shape = BertConfig(
        vocab_size=5 + len(words),
        hidden_size=SIZE,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    BertModel(shape).save_pretrained(plain)
    body = Transformer(str(plain), max_seq_length=32, do_lower_case=lower)
    width = SIZE * len(pooling.split("+"))
    modes = tuple(pooling.split("+"))
    modules: list[Any] = [body, Pooling(SIZE, pooling_mode=modes if len(modes) > 1 else pooling)]
    if layer:
        modules.append(Dense(width, layer))
    SentenceTransformer(modules=[*modules, Normalize()], device="cpu", prompts=prompts).save(str(folder / "model"))
    made = folder / "model"
    architecture = BertArchitecture(SIZE, 2, 4, 64, 5 + len(words), 64, 2, 1e-12, 32, 0)
    weights = plain / "model.safetensors"
    (made / "onnx").mkdir()
    (made / "onnx" / "model.onnx").write_bytes(build_graph(architecture, read_header(weights), weights, None))
    graph = onnx.load(str(made / "onnx" / "model.onnx"), load_external_data=False)
    external_data_helper.load_external_data_for_model(graph, str(plain))
    names = {"ids": "input_ids", "mask": "attention_mask", "tokens": "last_hidden_state"}
    for node in graph.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in (*graph.graph.input, *graph.graph.output):
        value.name = names.get(value.name, value.name)
    del graph.graph.output[0]
    onnx.save(graph, str(made / "onnx" / "model.onnx"))
    own = made / "sentence_bert_config.json"  # the library keeps it in the tokenizer, older folders have it here
    own.write_text(json.dumps({**json.loads(own.read_text()), "do_lower_case": lower}))
    return made


@every(
    "pooling, layer, lower",
    [
        ("mean", 0, True),
        ("cls", 0, False),
        ("max", 0, False),
        ("weightedmean", 0, False),
        ("lasttoken", 768, False),
        ("mean_sqrt_len_tokens", 0, False),
        ("cls+mean", 1024, True),
    ],
)
def test_every_pooling_gives_the_vectors_of_sentence_transformers(
    pooling: str, layer: int, lower: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sentence_transformers import SentenceTransformer

    prompts = {"query": "find : ", "document": "passage : "} if layer else {}
    folder = make_model(tmp_path / pooling, pooling, layer, prompts=prompts, lower=lower)
    reference = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = reference.encode_document(TEXTS), reference.encode_query(TEXTS)
    (folder / "model.safetensors").unlink()
    with monkeypatch.context() as without_torch:
        without_torch.setitem(__import__("sys").modules, "sentence_transformers", None)
        encoder = load_encoder(str(folder), True, tmp_path)
    assert isinstance(encoder, PromptedEncoder if layer else OnnxEncoder)
    assert encoder.dimension == (layer or SIZE)
    found = np.array([np.frombuffer(one, dtype="<f4") for one in encoder.encode(TEXTS)])
    asked = np.array([np.frombuffer(encoder.encode_query(one).vector, dtype="<f4") for one in TEXTS])
    assert np.abs(found - expected[0]).max() < 1e-3
    assert np.abs(asked - expected[1]).max() < 1e-3
