"""What a question repeats is no answer to it; what it asks about may be."""

from agentos.modules.memory.asking import is_repeated
from tests.tables import every


@every(
    "statement, question, repeated",
    [
        ("Where is the key?", "where is the key", True),
        ("Where is the key?", "And where is the key, please?", True),
        ("Where is the key?", "Where are the keys?", False),
        ("Tea.", "Do I like tea or coffee?", False),
    ],
)
def test_only_what_was_said_at_length_is_repeated(statement: str, question: str, repeated: bool) -> None:
    assert is_repeated(statement, question) is repeated
