"""What doctor says of a store's vectors while a change of the model is under way."""

from agentos.modules.health.models import Severity
from agentos.storage.embedding.examination import judged


def test_doctor_says_how_far_re_embedding_is() -> None:
    found = judged({"old@1/p": (384, 1_200), "new@2/p": (768, 40)}, lambda name: name.startswith("new@"))
    assert found.severity is Severity.INFO
    assert found.message == "re-embedding: 40 memories have a vector of this model, 1,200 one of old@1/p"


def test_vectors_of_the_set_model_alone_are_all_well() -> None:
    for generations in ({}, {"new@2/p": (768, 40)}, {"old@1/p": (384, 0), "new@2/p": (768, 3)}):
        assert judged(generations, lambda name: name.startswith("new@")).severity is Severity.OK
