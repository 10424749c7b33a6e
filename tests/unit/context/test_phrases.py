"""The phrases of briefings in each language."""

import string
from dataclasses import asdict

from agentos.modules.context.phrases import ENGLISH, LANGUAGES, phrases
from tests.tables import every


def parts(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@every("language", LANGUAGES)
def test_a_language_has_every_phrase_with_what_is_filled_in_and_the_names_of_tools(language: str) -> None:
    for name, text in asdict(phrases(language)).items():
        english = getattr(phrases(ENGLISH), name)
        assert text and "\n" not in text and parts(text) == parts(english), name
        assert all((tool in text) is (tool in english) for tool in ("memory_search", "memory_store", "memory_feedback"))
