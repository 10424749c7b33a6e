"""Who speaks: names at the beginning of a turn, and what only looks like one."""

from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory import dialogue
from tests.tables import every


@every(
    ("text", "speaker", "rest"),
    [
        ("Caroline: Hey Mel!", "Caroline", "Hey Mel!"),
        ("Ann Lee: yes", "Ann Lee", "yes"),
        ("María José O'Brien-Núñez: sí", "María José O'Brien-Núñez", "sí"),
        ("Dr. Watson: elementary: no", "Dr. Watson", "elementary: no"),
        ("  Bob:  two spaces", "Bob", "two spaces"),
        ("User: what is it?", "User", "what is it?"),
        ("ASSISTANT: it is this", "ASSISTANT", "it is this"),
        ("花子: おはよう", "花子", "おはよう"),
        ("Иван: да\nнет", "Иван", "да\nнет"),
    ],
)
def test_a_name_and_a_colon_begin_a_turn(text: str, speaker: str, rest: str) -> None:
    assert dialogue.split_speaker(text) == (speaker, rest)


@every(
    "text",
    [
        "Note: buy milk", "NOTE: buy milk", "TODO: later", "Error: none", "Warning: hot", "Decision: go",
        "Open Question: why?", "Action Items: none", "Step 1: begin", "Re: your mail",
        "https://example.org: down", "C:\\x: a path", "src/a.py: broken", "bob: small", "the team: yes",
        "Bob said: no", "One Two Three Four: too many", f"{'B' * 41}: too long", "Bob:no space", "Bob: ", "Bob:\nline",
        "12:30: lunch", "Room 5: free", "A_b: c", ": nobody", "", "Bob", "Bob (boss): hi", "`Bob`: hi", "**Bob**: hi",
    ],
)  # fmt: skip
def test_other_beginnings_are_no_speaker(text: str) -> None:
    assert dialogue.split_speaker(text) == (None, text)


@given(st.text(max_size=80))
def test_any_text_is_taken_apart_without_loss(text: str) -> None:
    speaker, rest = dialogue.split_speaker(text)
    assert text.endswith(rest)
    if speaker is not None:
        assert text.lstrip().startswith(f"{speaker}: ")
        assert len(speaker) <= dialogue.MAX_NAME_CHARS and len(speaker.split()) <= 3
        assert rest.strip()
