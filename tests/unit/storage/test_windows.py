"""Cutting a long text into windows: all of it, where it can be cut, of bounded size."""

import itertools
import random
import re

from agentos.storage.embedding.character_windows import WINDOW_CHARACTERS, CharacterWindows
from agentos.storage.embedding.windows import WINDOW_TOKENS, WINDOWS_MAX, windows
from tests.tables import every

MODEL_MAX = 254


def tokens_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def within(tokens: list[tuple[int, int]], begin: int, end: int) -> int:
    return sum(begin <= first and last <= end for first, last in tokens)


def prose(words: int, seed: int) -> str:
    chance = random.Random(seed)
    text = ""
    for _ in range(words):
        text += "word" + chance.choice([" "] * 12 + [". ", "? ", "\n"])
    return text


@every("text", ["", "short", " ", "a. b. c.", "x " * MODEL_MAX])
def test_what_the_model_takes_is_one_window(text: str) -> None:
    assert windows(text, tokens_of(text), MODEL_MAX) == [(0, len(text))]


@every("text", [prose(2_000, 1), prose(255, 2), "x " * 3_000, "x" * 10 + "!" * 5_000, "a\n" * 1_000])
def test_windows_cover_the_text_and_overlap_a_little(text: str) -> None:
    tokens = tokens_of(text)
    found = windows(text, tokens, MODEL_MAX)
    assert (found[0][0], found[-1][1]) == (0, len(text))
    for (begin, end), (next_begin, next_end) in zip(found, found[1:], strict=False):
        assert begin < next_begin <= end < next_end
        assert within(tokens, next_begin, end) <= 30
    assert all(0 < within(tokens, begin, end) <= WINDOW_TOKENS for begin, end in found)
    assert len(found) <= 1 + len(tokens) // 70


def test_a_window_ends_with_a_line_else_with_a_sentence_else_with_a_word() -> None:
    lines = prose(50, 3).replace("\n", " ") + "\n"
    sentence = "some words make a sentence. "
    for text, end in ((lines * 30, "\n"), (sentence * 200, ". "), ("word " * 1_000, "word ")):
        found = windows(text, tokens_of(text), MODEL_MAX)
        assert len(found) > 3
        assert all(text[:last].endswith(end) for _, last in found)
    starts = [
        text[begin:]
        for begin, _ in windows(sentence * 200, tokens_of(sentence * 200), MODEL_MAX)
        for text in [sentence * 200]
    ]
    assert all(start.startswith("some words") for start in starts), "also the overlap is whole sentences"


def test_the_number_of_windows_is_bounded() -> None:
    text = "x " * 200 * WINDOWS_MAX
    assert len(windows(text, tokens_of(text), MODEL_MAX)) == WINDOWS_MAX


@every("tokens_max", [1, 2, 3, 7])
def test_a_tiny_model_is_no_trouble(tokens_max: int) -> None:
    text = "one two three four five six seven eight nine ten"
    found = windows(text, tokens_of(text), tokens_max)
    assert (found[0][0], found[-1][1]) == (0, len(text))
    assert all(within(tokens_of(text), begin, end) <= tokens_max for begin, end in found)


@every("text", ["", "short", " ", "x" * WINDOW_CHARACTERS])
def test_what_a_server_surely_takes_is_one_window(text: str) -> None:
    assert CharacterWindows().windows(text) == [(0, len(text))]


@every(
    "text", [prose(2_000, 1), "x " * 3_000, "x" * 5_000, "!" * 5_000, " " * 5_000, "a\n" * 1_000, "这是一句话。" * 400]
)
def test_windows_by_characters_cover_the_text_and_overlap_a_little(text: str) -> None:
    found = CharacterWindows().windows(text)
    assert (found[0][0], found[-1][1]) == (0, len(text))
    assert all(end - begin <= WINDOW_CHARACTERS for begin, end in found)
    for (begin, end), (next_begin, next_end) in itertools.pairwise(found):
        assert begin < next_begin < end < next_end


def test_windows_by_characters_end_where_lines_or_sentences_end() -> None:
    prose = "One word after another makes a sentence. " * 60
    assert all(prose[:end].endswith((". ", ".")) for _, end in CharacterWindows().windows(prose))
    lines = "one word after another, and no end\n" * 60
    assert all(lines[:end].endswith("\n") for _, end in CharacterWindows().windows(lines))


def test_windows_by_characters_are_bounded_in_number() -> None:
    assert len(CharacterWindows().windows("x" * 1_000_000)) == WINDOWS_MAX
