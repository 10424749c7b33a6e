"""E-mail addresses, which are redacted only if the settings ask for it."""

from collections.abc import Iterator

from .spans import SecretSpan, compiled

_ADDRESS = (
    r"(?<![\w.%+/:-])(?!git@)[\w.%+-]{1,64}+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}"
    r"(?![\w-]|:[\w./~]|\.\w)"
)


def find(text: str) -> Iterator[SecretSpan]:
    """Yield the e-mail addresses of a text; not those of repositories or in URLs."""
    if "@" in text:
        for match in compiled(_ADDRESS).finditer(text):
            yield SecretSpan(match.start(), match.end(), "email")
