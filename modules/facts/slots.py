"""Slots: one name for the subject and the attribute of a statement, by normal form alone; no synonyms."""

import re
import unicodedata

GIVEN = 1.0
"""The confidence of a slot that whoever stored the statement gave."""
READ = 0.99
"""The confidence of a slot that a template has read."""
CERTAIN = 0.97
"""The least confidence of a slot that competes with others: any that an earlier release read from text has less."""
USER, PROJECT = "user", "project"

_APART = re.compile(r"[\s_/-]+")
_AROUND = " .,;:!?\"'`()[]{}“”„«»"
_ARTICLE = re.compile(r"(?:the|a|an) (?=.)")
_SELF = {"i": USER, "me": USER, "my": USER, "myself": USER, "we": PROJECT, "us": PROJECT, "our": PROJECT}
"""Whoever speaks is the user, and those who speak are the project: a convention of every tool here."""
_OWN = re.compile(r"(?P<who>my|our) (?=.)")


def canonical_slot(subject: str, attribute: str) -> tuple[str, str]:
    """Return the subject and the attribute in the form by which slots are compared.

    Case, accents' composition, spaces, `_`, `-`, `/`, articles and quotes do not count. "my car" is "user's car"; an
    attribute that names its subject again ("Maria's employer" of Maria) is the attribute alone. What would be left
    empty stays as it is written.
    """
    who = _subject(subject)
    what = _without_article(_normal(attribute))
    if match := _OWN.match(what):
        what = what[match.end() :]
    return who, what.removeprefix(f"{who}'s ") or what


def _subject(text: str) -> str:
    name = _without_article(_normal(text)).removesuffix("'s")
    if match := _OWN.match(name):
        return f"{_SELF[match['who']]}'s {name[match.end() :]}"
    return _SELF.get(name, name)


def _without_article(text: str) -> str:
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


def _normal(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _APART.sub(" ", plain).strip(_AROUND) or plain.strip()
