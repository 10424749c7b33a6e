"""The fast encoder beside its reference: the same weights in sentence-transformers."""

from pathlib import Path

import numpy as np

from agentos.storage.embedding.loader import load_encoder
from agentos.storage.embedding.locate import locate
from agentos.storage.embedding.reference import SentenceTransformerEncoder
from tests.integration.storage.test_embedding import MODEL, similarity, varied_texts
from tests.places import TESTS, needs_weights


@needs_weights
def test_vectors_equal_those_of_sentence_transformers(tmp_path: Path) -> None:
    reference = SentenceTransformerEncoder(locate(MODEL, True, tmp_path))
    texts = varied_texts(500)
    expected = reference.encode(texts)
    encoder = load_encoder(MODEL, True, tmp_path)
    found = encoder.encode(texts)
    assert min(similarity(a, b) for a, b in zip(found, expected, strict=True)) >= 0.9999
    assert (reference.fingerprint, reference.dimension) == (encoder.fingerprint, encoder.dimension)
    assert reference.encode([]) == []
    saved = np.load(TESTS / "integration" / "storage" / "reference_vectors.npy")
    vectors = np.array([np.frombuffer(vector, "<f4") for vector in reference.encode(varied_texts(len(saved)))])
    assert np.abs(vectors - saved).max() < 0.001, "save them anew, as float16"
