"""Exact terms: what is written like code, a path, a version or an error is one; plain English is not."""

from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory.exact_terms import MAX_EXACT_TERMS, ExactTerm, exact_terms
from agentos.modules.memory.words import tokens
from tests.tables import every

STRONG = {
    "What is the default of MAX_POOL_SIZE?": ["MAX_POOL_SIZE"],
    "export DATABASE_URL=postgres first": ["DATABASE_URL"],
    "is ${HOME} or $PATH set": ["HOME", "PATH"],
    "where does get_user_name() live": ["get_user_name"],
    "who calls main()": ["main"],
    "what does __init__ do in _private": ["__init__", "_private"],
    "rename getUserName and TokenBucket": ["getUserName", "TokenBucket"],
    "the HTTPServer was OOMKilled": ["HTTPServer", "OOMKilled"],
    "TypeError: not a list": ["TypeError"],
    "use std::vector here": ["std::vector"],
    "call numpy.linalg.norm and config.pool": ["numpy.linalg.norm", "config.pool"],
    "see src/app/main.py:120 and ./run.sh": ["src/app/main.py", "./run.sh"],
    "look into ~/.ssh/config, /etc/hosts or .env": ["~/.ssh/config", "/etc/hosts", ".env"],
    r"in C:\Users\x": [r"C:\Users\x"],
    "GET https://api.example.com/v1/users?page=2.": ["https://api.example.com/v1/users?page=2"],
    "upgrade to v2.3.1 from 2.2.0 or 1.0.0rc1": ["v2.3.1", "2.2.0", "1.0.0rc1"],
    "image python:3.12-slim": ["python:3.12-slim"],
    "E1234, ERR_FOO and ORA-00942": ["E1234", "ERR_FOO", "ORA-00942"],
    "got HTTP 503": ["HTTP 503", "503"],
    "exit code 137 on port 5432, incident 311": ["137", "5432", "311"],
    "0x80070005 on Windows": ["0x80070005"],
    "ECONNREFUSED, then SIGKILL": ["ECONNREFUSED", "SIGKILL"],
    "build with --no-cache and -Xmx2g": ["--no-cache", "-Xmx2g"],
    "commit 9f8e7d6c broke it": ["9f8e7d6c"],
    "issue #123 and acme/shop#77": ["123", "#123", "acme/shop#77"],
    "10.0.0.1:8080 or localhost:8080": ["10.0.0.1:8080", "localhost:8080"],
    "mail ops@example.com": ["ops@example.com"],
    "in us-east-1, PROJ-12, my-cool-service": ["us-east-1", "PROJ-12", "my-cool-service"],
    'who read "Becoming Nicole"?': ["Becoming Nicole"],
    "the error 'connection reset by peer'": ["connection reset by peer"],
    "run `make lint`": ["make lint"],
    "CVE-2024-3094 and 550e8400-e29b-41d4-a716-446655440000": [
        "CVE-2024-3094",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
}

PLAIN = (
    """
a well-known fact|New York|my iPhone and eBay|e.g. this, i.e. that|this and/or that|an I/O error
an up-to-date list|state-of-the-art|her mother-in-law|a 3-year-old kid|a 9-5 job, 24/7
he/she/they|the TCP/IP stack|CI/CD
the U.S.A. and a Ph.D.
at 5pm or 12:30|on 2023-05-08 and 5/8/2023
8.5.2023|It worked.Then it broke|McDonald, MacDonald, LeBron
for $500, 3.5 miles
mid-2020
I'm "so" there|the kids' toys and the dogs' beds|don't|well -and then|1,000 pieces|our #1 fan|R&B, rock 'n' roll
the LGBTQ group|self-esteem|a 5k race|note: this|_really_ good|DVDs and PCs
50% off|wait...what
one-on-one|AC/DC|it's 3.14
When did Melanie's family go to the Grand Canyon?|Dr. Seuss|WOW, NO WAY!|twenty-one-year-old|a five-star-hotel
""".strip()
    .replace("\n", "|")
    .split("|")
)


@every(("text", "expected"), STRONG.items())
def test_what_is_written_like_code_is_found(text: str, expected: list[str]) -> None:
    assert [term.text for term in exact_terms(text) if term.strong] == expected


@every("text", [text for text in PLAIN if " " in text])
def test_plain_english_has_none(text: str) -> None:
    assert exact_terms(text) == ()


@every("text", PLAIN)
def test_plain_english_alone_is_never_a_strong_one(text: str) -> None:
    assert not any(term.strong for term in exact_terms(text))


def test_names_that_people_use_like_words_are_weak() -> None:
    assert exact_terms("is k8s or GitHub on Python 3.12 with C++") == tuple(
        ExactTerm(text, strong=False) for text in ("3.12", "k8s", "GitHub", "C++")
    )


def test_a_single_token_of_several_pieces_is_looked_up_as_it_stands() -> None:
    assert exact_terms("billing-worker") == (ExactTerm("billing-worker", strong=False),)
    assert exact_terms("acme/shop?") == (ExactTerm("acme/shop", strong=False),)
    assert exact_terms("GOFLAGS") == (ExactTerm("GOFLAGS", strong=False),)
    assert exact_terms("the billing-worker has GOFLAGS") == ()


@every("text", ["“C_1”", "C_1.", "(C_1)", "C_1's", "[C_1],", "C_1 C_1", "see C_1!", "{C_1: 2}", "*C_1*"])
def test_punctuation_around_a_term_does_not_belong_to_it(text: str) -> None:
    assert [term.text for term in exact_terms(text)] == ["C_1"]


@given(st.text(max_size=400) | st.text(alphabet="aB1_./-:#@'\"`$%() \\", max_size=400))
def test_any_text_gives_few_terms_that_are_in_it(text: str) -> None:
    found = exact_terms(text)
    assert len(found) <= MAX_EXACT_TERMS
    assert len({term.text for term in found}) == len(found)
    for term in found:
        assert term.text in text
        assert tokens(term.text)
