"""The lexicon: the properties that statements are about, their names and sentences, and the names that tell them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from ..memory.stems import stem
from .forms import FORMS

_WENT = (
    r"(?:(?:was |got )?(?:moved|switched|migrated|changed|transferred|shifted|converted|ported|gone|went|relocated|come"
    r"|turned|crossed|rewritten|reimplemented|rebuilt|upgraded|swapped|came|taken)(?: everything| all \w+)?"
    r"(?: over| back| across| away)?(?: from .+?)? (?:to|into|onto|in))"
)
_MACROS = {"<went>": _WENT, "<to>": r"(?:to|into|onto|over to)"}
_PLACEHOLDER = re.compile(r"\{(?P<name>[svx])(?::(?P<type>[\w ]+))?\}")
DATED = frozenset({"moment", "date", "time", "year", "duration"})
"""Types whose values are times: their sentences are read with the dates in them."""


@dataclass(frozen=True)
class Pattern:
    """A sentence that states an attribute, with groups `s` (the subject) and `v` (the value).

    `type` is the type of the value here, `result` what the value becomes ("no {v}"), `ends` that it ends the value,
    `lenient` that more may follow the value.
    """

    source: str
    type: str
    result: str = "{v}"
    ends: bool = False
    lenient: bool = False

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled sentence."""
        return re.compile(self.source, re.IGNORECASE)


@dataclass(frozen=True)
class Attribute:
    """A property: its canonical name, other names, what values look like and how many hold at a time.

    `holds`: one; many; soft (one where the text says that something changed); fixed (for ever). `cues` are words that
    speak of it in any order, `shape` the form of its values beside them where `type` has none, `stems` those of all
    words that speak of it. `not_with`: with what a sentence speaks of something else.
    """

    name: str
    nouns: tuple[str, ...]
    type: str
    holds: str = "one"
    owner: str = "project"
    kind: str = "fact"
    prefix: str = ""
    parts: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()
    own_nouns: frozenset[str] = frozenset()
    cues: frozenset[str] = frozenset()
    says: tuple[Pattern, ...] = ()
    asks: tuple[str, ...] = ()
    shape: str = ""
    stems: frozenset[str] = frozenset()
    not_with: str = ""


_AROUND = r"(?:(?:about|around|only|up to|at|the|an?|roughly|exactly|every|each) )*"


def _expression(template: str, type_: str = "") -> str:
    for macro, expression in _MACROS.items():
        template = template.replace(macro, expression)

    def group(match: re.Match[str]) -> str:
        if match["name"] == "v" and (form := FORMS.get(match["type"] or type_)):
            return rf"(?P<v>{_AROUND}(?:{form})(?![\w@]|\.\d).*)"
        return {"s": "(?P<s>.+?)", "v": "(?P<v>.+)", "x": "(?P<x>.+?)"}[match["name"]]

    return _PLACEHOLDER.sub(group, template)


def _pattern(template: str, type_: str, *, ends: bool = False) -> Pattern:
    template, _, result = template.partition(" => ")
    lenient = template.endswith("{v}(?: .*)?")
    template = template.removesuffix("(?: .*)?") if lenient else template
    typed = [match["type"] for match in _PLACEHOLDER.finditer(template) if match["name"] == "v" and match["type"]]
    parts = [match["type"] for match in _PLACEHOLDER.finditer(template) if match["name"] == "s" and match["type"]]
    of_type = typed[0] if typed else "" if "(?P<v>" in template else type_
    if "part" in parts:
        of_type = "name"
    return Pattern(_expression(template, type_), of_type, result or "{v}", ends, lenient)


def _attribute(row: Mapping[str, Any]) -> Attribute:
    nouns = tuple(row.get("nouns", ()))
    own = nouns if row.get("own_nouns") else row.get("own_qualifiers", ())
    type_ = row.get("type", "text")
    said = f"{type_}?" if row.get("open") else type_
    return Attribute(
        name=row["name"],
        nouns=nouns,
        type=type_,
        holds=row.get("holds", "one"),
        owner=row.get("owner", "project"),
        kind=row.get("kind", "fact"),
        prefix=row.get("prefix", ""),
        parts=frozenset(row.get("parts", ())),
        hints=frozenset(f"{row['hints']} {row.get('cues', '')}".split() if "hints" in row else ()),
        own_nouns=frozenset(own),
        cues=frozenset(row.get("cues", "").split()),
        says=(
            *(_pattern(template, said) for template in row.get("says", ())),
            *(_pattern(template, said, ends=True) for template in row.get("ends", ())),
        ),
        asks=tuple(_expression(template) for template in row.get("asks", ())),
        shape=row.get("shape", type_),
        stems=frozenset(
            stem(word)
            for word in f"{row.get('hints', '')} {row.get('cues', '')} {row.get('words', '')}".split()
            if word not in _SAID_OF_ALL
        ),
        not_with=row.get("not_with", ""),
    )


_SAID_OF_ALL = frozenset(
    "up on in out to and the a of for at by with off away go goes get gets getting all it is".split()
)


def read_data(name: str) -> dict[str, Any]:
    """A file of data beside this module."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


@cache
def attributes() -> tuple[Attribute, ...]:
    """All attributes, in the order of the lexicon; their sentences are compiled at their first use (half a second)."""
    data, more, words = read_data("lexicon.toml"), read_data("cues.toml"), read_data("vocabulary.toml")
    rows = [
        *data["attribute"],
        *({"name": name, "type": name, "cues": row.get("hints", ""), **row} for name, row in data["tools"].items()),
        *({"name": name, **row} for name, row in more["attributes"].items()),
        *({"name": name, **row} for name, row in words["attributes"].items()),
    ]
    seen: set[str] = set()
    for row in rows:
        name = row["name"]
        if name not in seen and name in more["cues"]:
            row["cues"] = f"{row.get('cues', '')} {more['cues'][name]}"
        if name not in seen and name in more["shapes"]:
            row["shape"] = more["shapes"][name]
        if name not in seen and name in words["shapes"]:
            row["shape"] = words["shapes"][name]
        if name in more["not_with"]:
            row["not_with"] = more["not_with"][name]
        if name not in seen and name in words["words"]:
            row["words"] = f"{row.get('words', '')} {words['words'][name]}"
        seen.add(name)
    return tuple(_attribute(row) for row in rows)


@cache
def by_stem() -> Mapping[str, tuple[int, ...]]:
    """The places of the attributes of which a word speaks, by its stem."""
    found: dict[str, tuple[int, ...]] = {}
    for place, attribute in enumerate(attributes()):
        for one in attribute.stems:
            found[one] = (*found.get(one, ()), place)
    return found


@cache
def by_name() -> Mapping[str, Attribute]:
    """The attributes by canonical name; of several entries of one name, the first."""
    found: dict[str, Attribute] = {}
    for attribute in attributes():
        found.setdefault(attribute.name, attribute)
    return found


@cache
def by_noun() -> Mapping[str, tuple[Attribute, str]]:
    """Attribute and canonical name by each noun that names one, in lower case.

    The first entry wins; a noun that stands for itself ("own") gives way to an attribute that has it as a name.
    """
    found: dict[str, tuple[Attribute, str]] = {}
    for attribute in attributes():
        found.setdefault(attribute.name, (attribute, attribute.name))
    for own in (False, True):
        for attribute in attributes():
            for noun in attribute.nouns:
                if (noun in attribute.own_nouns) == own:
                    found.setdefault(noun, (attribute, noun if own else attribute.name))
    return found


@cache
def gazetteer() -> Mapping[str, tuple[str, ...]]:
    """The lists that a name stands in, by the name in lower case."""
    found: dict[str, tuple[str, ...]] = {}
    for category, names in (*_lists().items(), *read_data("vocabulary.toml")["names"].items()):
        for name in names:
            if category not in (lists := found.get(name.lower(), ())):
                found[name.lower()] = (*lists, category)
    return found


@cache
def _lists() -> Mapping[str, list[str]]:
    names: Mapping[str, list[str]] = read_data("gazetteer.toml")["names"]
    return names


@cache
def _common() -> frozenset[str]:
    return frozenset(
        name.lower() for name in (*read_data("gazetteer.toml")["common"], *read_data("vocabulary.toml")["common"])
    )


@cache
def _names() -> re.Pattern[str]:
    by_first: dict[str, list[str]] = {}
    for name in sorted(gazetteer(), key=len, reverse=True):
        by_first.setdefault(name[0], []).append(re.escape(name))
    # At each word only the names with its first letter are tried: a tenth of the time.
    some = "|".join(f"(?={re.escape(first)})(?:{'|'.join(names)})" for first, names in by_first.items())
    return re.compile(rf"(?<![\w@#./-])(?:{some})(?![\w@]|[-/.][\w])", re.IGNORECASE)


@dataclass(frozen=True)
class Named:
    """A name of the gazetteer in a text, from `begin` to `end`, with the lists that it stands in."""

    text: str
    begin: int
    end: int
    lists: tuple[str, ...]


@cache
def _capitalised() -> frozenset[str]:
    data = (*_lists().values(), *read_data("vocabulary.toml")["names"].values())
    return frozenset(name.lower() for names in data for name in names if name != name.lower())


def is_written_as_listed(name: str) -> bool:
    """Whether a name has its capital: "sprint" is no mobile carrier."""
    return not name.islower() or name not in _capitalised()


@cache
def _acronyms() -> frozenset[str]:
    data = (*_lists().values(), *read_data("vocabulary.toml")["names"].values())
    return frozenset(name.lower() for names in data for name in names if name.isupper() and len(name) <= 4)


def _as_listed(name: str) -> bool:
    """Whether an acronym is written as one: "ANA" is an airline, "Ana" is not."""
    return name.lower() not in _acronyms() or name.isupper() or (name.islower() and len(name) > 1)


@lru_cache(maxsize=64)
def names_in(text: str) -> tuple[Named, ...]:
    """The names of the gazetteer in a text; words that mean something else in lower case count with a capital
    only. Readers ask for the same text one after another: the last ones are kept."""
    found = []
    for match in _names().finditer(text):
        name = match.group()
        if name.islower() and name in _common() and name in _capitalised():
            continue
        lists = gazetteer().get(name.lower())
        if lists is None or not _as_listed(name):  # none: to an expression without case "ſ" is an "s"
            continue
        found.append(Named(name, match.start(), match.end(), lists))
    for match in _MODEL_ID.finditer(text):
        if not any(one.begin < match.end() and match.start() < one.end for one in found):
            found.append(Named(match.group(), match.start(), match.end(), ("model",)))
    return tuple(sorted(found, key=lambda one: one.begin))


_MODEL_ID = re.compile(
    r"(?<![\w@#./-])(?:claude|gpt|chatgpt|gemini|gemma|llama|mistral|mixtral|codestral|qwen|deepseek|grok|phi|o[134])"
    r"(?=[\w.-]*\d)[\w.]*(?:-[\w.]*\w)+(?![\w-])",
    re.IGNORECASE,
)
"""A model by its identifier: "claude-opus-4"."""
