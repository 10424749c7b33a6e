"""`agentos model install --languages`: the model that reads the languages of a home's notes, and what it costs."""

from enum import StrEnum
from pathlib import Path

from .outcome import CommandFailure, ExitCode
from .setup import files
from .setup.documents import Unreadable
from .setup.marked_block import MarkedBlock

MULTILINGUAL = "intfloat/multilingual-e5-small"
"""The model for notes of any language: small, and with an ONNX graph."""
SETTING = "AGENTOS_EMBEDDING_MODEL"
ENGLISH_FOUND = (
    "English notes in other words are found less: .45 to .51 of them among the first five, with the default model .74 "
    "to .75; notes of other languages more: docs/features/languages.md"
)
_BEGIN = "# agentos:languages (agentos model install --languages writes this line; one below it counts instead)"
_END = "# end of agentos:languages"


class Languages(StrEnum):
    """The languages that most of a home's notes are written in."""

    ANY = "any"
    ENGLISH = "english"


def choose(home: Path, languages: Languages) -> None:
    """Set the model for languages in the env file of a home, or take that out again. Raises CommandFailure."""
    block, path = MarkedBlock("", _BEGIN, _END), home / ".env"
    try:
        file = files.read(path)
        if languages is Languages.ANY:
            text = block.put(file.text, f"{SETTING}={MULTILINGUAL}\n").text
        else:
            text = block.remove(file.text, {})
        if text != file.text:
            files.replace(file, file.encoded(text))
    except (OSError, Unreadable) as error:
        raise CommandFailure(
            f"{path} is not changed: {error}; set {SETTING} in it by hand", ExitCode.REFUSED
        ) from error
