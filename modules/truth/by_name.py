"""What a sentence states by a name in it that tells its attribute: "runs on Postgres"."""

import re
from collections.abc import Iterator

from .attributes import Property, canonical_attribute, is_of_another, property_of
from .lexicon import Attribute, Named, by_name, by_noun, names_in
from .marks import regex
from .reading import Reading, reading_of
from .scopes import without_occasion
from .subjects import PROJECT, USER, canonical_subject, is_person, is_subject
from .values import extended
from .wording import Clause

USES = (
    r"(?:uses?|is using|runs?|is running|works?|is|was|has|keeps?|stores?|writes?|takes?|"
    r"codes?|programs?|builds?|tests?|deploys?|manages?|tracks?|listens?|reads?|"
    r"relies?|depends?|sits|lives?|lies|moved|switched|migrated|changed|ported|converted|"
    r"transferred|gone|went|came|adopted|chose|chosen|picked|selected|started|settled|"
    r"standardi[sz]ed|opted|takes? place|take|happens?|occurs?|"
    r"prefers?|favou?rs?|sticks?|sends?|gets?|pushes?|publish(?:es)?|consumes?|persists?|"
    r"reports?|monitors?|formats?|lints?|authenticates?|logs?|signs?|requires?|accepts?|"
    r"process(?:es)?|pays?|comes?|handles?|"
    r"hosts?|opened|opens?|browses?|surfs?|installs?|does|flies?|fly|banks?|trains?|subscribes?|"
    r"subscribed|watches?|stays?|booked|books?|drives?|types?|replaced|goes|go|run|rewrote|"
    r"reimplemented|rebuilt|relicensed|released|"
    r"insured|buys?|bought|got|owns?|carries?|plays?|hears?|collects?|caches?|serves?|queues?|"
    r"exposes?|speaks?|offers?|draws?|designs?|communicates?|chats?|talks?|meets?|holds?|boots?|"
    r"upgraded|became|swapped|traded|dropped|ditched|abandoned|left|moved|brought|put|took|"
    r"rolled|shifted|bets|leans?|turned|pulls?|fetch(?:es)?|receives?|provisions?|orchestrates?|"
    r"schedules?|publish|keep|store|is|measures?|counts?|bills?|invoices?|charges?|clears?|settles?|"
    r"checks?|ships?|pipes?|feeds?|delivers?|stream|streams?|jots|organi[sz]es|plans?|develops?|edits?|"
    r"hacks?|records?|saves?|syncs?|backs?|resolves?|follows?|indexes?|searches?|loves?|likes?|stuck|"
    r"ended|landed|decided|works?|works?|calls?|asks|queries?|prompts?|generates?|renders?|packages?|"
    r"bundles?|compiles?|formatted|wants?|shows?|gives?|proxies?|connects?|tunnels?)"
)
_FUNCTION = frozenset(
    """written built based kept stored hosted managed handled deployed served processed tracked reinstalled
    to on in with by at over into onto from of for as the a an its his her their my our all is was be it up
    across out back down away everything through via using
    under and now than more only new own whole entire used run it's been moved switched migrated changed ported go
    gone going went being started use using user's user that because them themselves powered made done runs
    run running set uses based put inside off around everywhere entirely instead held working settled decided
    picked both every each work doing things stuff other any got out rather it: switched: gone: chosen selected
    adopted standardized standardised opted favour around about top""".split()
)
_TEMPORARY = re.compile(
    r"(?<![\w-])(?:support|supports|integration|integrates|compat\w+|client for|plugin|export|"
    r"import|exports|imports|audit|archive|mirror|mirrored|copy|backup|backups|beta|bridge|"
    r"clone|fork|alternative|talk about|course|book|article|conference|meetup|stickers?|"
    r"license of|certified|certificate|hates?|dislikes?|backs? up|backed up|restores?|mock|emulat\w+|sample|"
    r"training)\b",
    re.IGNORECASE,
)


def by_names(clause: Clause) -> Iterator[Reading]:
    text = clause.bare
    for verb, named, before, after in _named(text):
        yield from _tool(clause, verb, named, before, after)


def _named(text: str) -> Iterator[tuple[str, Named, str, str]]:
    found = names_in(text)
    for named in found:
        begin = named.begin
        before = text[:begin].rstrip(" \"'")
        if not before:
            yield "", named, "", text[named.end :]
            continue
        yield "", named, before, text[extended(text, named.end) :]


def _tool(clause: Clause, verb: str, named: Named, before: str, after: str) -> Iterator[Reading]:
    text = clause.bare
    value = text[named.begin : extended(text, named.end)]
    if "currency" in named.lists and re.search(r"\d[\d,.]*k?$|million$|thousand$", before):
        return
    if re.search(
        r"\b(?:from|instead of|rather than|than|replaced|swapped|traded|dropped|ditched|abandoned|"
        r"left|gave up|out of|away from|off)(?: the| our| my| his| her)?$",
        before,
    ) and re.search(r"\b(?:to|for|with|by|into|in favour of|in favor of|onto)\b", after):
        return
    if "shift" in named.lists and re.search(r"\b(?:every|each|all|this|in the|on)$", before):
        return
    yield from _addressed(clause, named, value, before, after)
    parted = _parted(before)
    if parted is None:
        yield from _tool_first(clause, named, value, before, after)
        return
    subject, middle = parted
    purpose = regex(r"^for (?P<p>[\w -]+?)(?:,? (?P<s>the user|we|our [\w ]+|(?-i:[A-Z])[\w-]+)|, (?P<t>.+))$").match(
        subject
    )
    if purpose:
        subject, after = purpose["s"] or purpose["t"], f" for {purpose['p']}{after}"
    if not is_subject(subject):
        return
    yield from _of_category(clause, named, value, subject, middle, after)


_VERB = rf" (?P<verb>{USES})(?= |$)"


def _parted(before: str) -> tuple[str, str] | None:
    """Subject and verb phrase of the words before a name."""
    for match in regex(_VERB, 0).finditer(before):
        subject = before[: match.start()]
        last = subject.split()[-1].lower()
        if last in ("the", "of", "a", "an", "our", "its", "to", "for", "and", "user's", "in", "new") or last.endswith(
            "'s"
        ):
            continue
        return subject, before[match.start() + 1 :]
    return None


def _addressed(clause: Clause, named: Named, value: str, before: str, after: str) -> Iterator[Reading]:
    """ "File bugs against X in Trello", "you find the sources of X at GitHub": what the words around X speak of."""
    match = regex(
        r"^(?P<lead>(?:you |we |one |please |callers? |clients? |users? |customers? |everyone |"
        r"they |people )?[\w' -]+?) "
        r"(?:of|for|against|to|in|into|from|on) (?P<s>(?!to |in |of |for |on )(?:the |our |"
        r"Project )?[\w-]+(?: [\w-]+){0,3}?) (?:in|at|with|to|on|through|via|by|using|over to|"
        r"under|is in|go to|goes to|run on|runs on)$"
    ).match(before)
    if match is None or not is_subject(match["s"]) or (after.strip(" ,.") and not _LIGHT_AFTER.match(after)):
        return
    lead = {word.lower() for word in match["lead"].split()}
    rated = sorted(
        (
            (len(lead & by_name()[name].hints), name)
            for name in named.lists
            if name in by_name() and by_name()[name].type == name
        ),
        reverse=True,
    )
    if not rated or not rated[0][0] or (len(rated) > 1 and rated[1][0] == rated[0][0]):
        return
    attribute = by_name()[rated[0][1]]
    if _content(lead, attribute) - _ADDRESSING or _TEMPORARY.search(match["lead"]):
        return
    yield reading_of(clause, canonical_subject(match["s"]), attribute, attribute.name, value, 0.7)


_ADDRESSING = frozenset(
    "you find finds file send put report please callers clients users customers everyone "
    "they people we one open raise reach will can look see get".split()
)
_LIGHT_AFTER = re.compile(r"^(?:,? (?:please|too|as well|only|alone|instead))*$")


def _tool_first(clause: Clause, named: Named, value: str, before: str, after: str) -> Iterator[Reading]:
    """ "Postgres is the database of X", "Postgres replaced MySQL in X"."""
    if before and not re.fullmatch(r"(?:the|our|we use|it is)", before, re.IGNORECASE):
        return
    if match := re.fullmatch(r" (?:is|became|was made) (?P<np>.+)", after):
        named_property = property_of(match["np"])
        if named_property and named_property.known and named_property.known.name in named.lists:
            yield reading_of(
                clause, named_property.subject, named_property.known, named_property.attribute, value, 0.85
            )
    if match := re.fullmatch(
        r" (?:replaced|replaces|succeeded|took over from|supersedes|superseded|took the place of) "
        r"(?P<old>.+?)(?: (?:in|for|as) (?P<np>.+))?",
        after,
    ):
        category = next((one for one in named.lists if one in by_name()), None)
        old = names_in(match["old"])
        if category and (not old or set(old[0].lists) & set(named.lists)):
            shared = next((one for one in named.lists if old and one in old[0].lists), category)
            known = by_name()[shared]
            where = match["np"] or ""
            named_property = property_of(where) if where else None
            subject = (
                named_property.subject
                if named_property and named_property.known
                else canonical_subject(where)
                if where and is_subject(where)
                else USER
                if known.owner == USER
                else PROJECT
            )
            yield reading_of(clause, subject, known, known.name, value, 0.8)
    if match := re.fullmatch(
        r" (?:hosts|runs|serves|powers|builds|backs|handles|processes|monitors|insures|stores|"
        r"holds|tracks|drives) (?P<s>.+)",
        after,
    ):
        subject = re.sub(r"'s? (?P<x>[\w ]+)$", "", match["s"])
        if is_subject(match["s"]):
            yield from _of_category(clause, named, value, match["s"], after.split()[0], "")
        del subject


_FOR_A_THING = (
    r" for (?P<s>(?:the |our )[\w-]+ (?:service|app|application|team|website|project|api|server|system|pipeline|"
    r"platform)|"
    r"Project [A-Z]\w+|[a-z]+\d*(?:-[a-z0-9]+)+)"
)
"""What "we" use something for, where that is a thing of its own: "we use Postgres for the billing service"."""


_FOR_A_PART = (
    r" for (?:the |our |all )?(?P<s>front[- ]?end|back[- ]?end|(?:unit |integration |e2e |end-to-end )?tests|testing)"
)
"""What a part of the software is done with, of whatever sort that is: "we use SQLite for tests"."""


def _of_category(clause: Clause, named: Named, value: str, subject: str, middle: str, after: str) -> Iterator[Reading]:
    if regex(r" \d+ in$").search(middle):
        return  # "is 2 in JavaScript" tells the 2
    owned = property_of(subject)
    middle = re.sub(r"\bfrom [\w .+#/-]+?(?= (?:to|into|over to|onto)$)", "", middle)
    middle = re.sub(
        r"\b(replaced|swapped|traded|dropped|ditched|exchanged|abandoned|left|gave up) [\w "
        r".+#/-]+? (?=(?:with|for|by|in favour of|in favor of)$)",
        r"\1 ",
        middle,
    )
    words = {word.strip(",").lower() for word in middle.split()}
    whole = (
        words
        | {word.lower() for word in re.findall(r"[\w/'-]+", after)}
        | {word.lower() for word in re.findall(r"[\w/'-]+", subject)}
    )
    categories = [by_name()[name] for name in named.lists if name in by_name() and by_name()[name].type == name]
    if not categories:
        return
    rated = sorted(categories, key=lambda one: -_rating(one, owned, whole, subject))
    attribute = rated[0]
    if (
        len(rated) > 1
        and _rating(attribute, owned, whole, subject) == _rating(rated[1], owned, whole, subject)
        and attribute.owner == rated[1].owner
        and len(named.lists) > 2
    ):
        return
    if (for_what := regex(_FOR_A_THING, 0).fullmatch(after)) and subject.lower() in ("we", "the team", "our team"):
        subject, owned, after = for_what["s"], property_of(for_what["s"]), ""
    if (
        (part := regex(_FOR_A_PART).fullmatch(after))
        and subject.lower() in ("we", "the team", "our team", "the project", "this project", "our project")
        and not _speaks_of(attribute, part["s"])
    ):
        subject, owned, after = part["s"], property_of(part["s"]), ""
    if is_of_another(attribute, f"{subject} {middle}"):
        return
    purpose, rest = _purpose(without_occasion(after))
    if purpose is not None and not _speaks_of(attribute, purpose):
        other = by_noun().get(purpose)
        if other is not None and other[1] in named.lists:
            attribute = by_name()[other[1]]
        else:
            holder = _holder(attribute, subject, owned)
            if (
                holder is not None
                and not _TEMPORARY.search(f"{purpose} {rest}")
                and _content(words, attribute) <= set()
                and not rest
            ):
                yield reading_of(clause, holder, other[0] if other else None, canonical_attribute(purpose), value, 0.65)
            return
    if (
        rest
        and (target := re.fullmatch(r" ?(?:in|for|at|of|on) (?P<s>.+)", rest))
        and subject.lower() in ("we", "the team")
        and is_subject(target["s"])
    ):
        subject, owned, rest = target["s"], property_of(target["s"]), ""
    if rest and not _harmless(rest, attribute):
        return
    if attribute.type in (
        "drink",
        "instrument",
        "sport",
        "colour",
        "transport",
        "diet",
        "religion",
        "language",
        "place",
        "relationship",
        "theme",
        "indentation",
        "car",
    ) and attribute.name not in ("indentation", "theme"):
        return
    moved = _MOVED.fullmatch(middle)
    whose = (
        moved["what"]
        if moved
        and is_subject(moved["what"])
        and not _of_hints(moved["what"], attribute)
        and subject.lower() in ("we", "the user", "the team", "our team", "they")
        else ""
    )
    if whose and whose.lower().split()[-1] in ("over", "back", "up", "out"):
        whose = ""
    if _content(words - {word.lower() for word in whose.split()}, attribute) or _TEMPORARY.search(
        f"{middle} {subject} {rest}"
    ):
        return
    holder = _holder(attribute, subject, owned)
    if holder is None:
        return
    if whose:
        what = property_of(whose)
        if not (what and not what.explicit and (what.attribute in attribute.parts or what.attribute == attribute.name)):
            inner = _holder(attribute, whose, what)
            holder = inner if inner is not None and inner != PROJECT else holder
    yield reading_of(
        clause, holder, attribute, attribute.name, value, 0.75 if _rating(attribute, owned, whole, subject) else 0.7
    )


_MOVED = re.compile(
    r"(?:moved|switched|migrated|changed|ported|converted|transferred|run|runs|host|hosts|"
    r"deploys?|builds?|write|writes|wrote|rewrote|reimplemented|keep|keeps|store|stores|"
    r"manage|manages|track|tracks|put|brought|took|shifted|uses?|develop|develops|relicensed|"
    r"released|publish|publishes|rebuilt|tests?|monitors?|formats?|serves?|handles?|"
    r"process(?:es)?|pays?|comes?|built|does|do|got|has|have|moved|sends?) (?P<what>(?:the |"
    r"our |[A-Z])?[\w' -]+?)(?: over| across| back| completely| out)?(?: from .+?)? (?:to|on|"
    r"in|into|onto|with|by|at|using|through|via|under)(?: the| an?)?"
)


def _of_hints(phrase: str, attribute: Attribute) -> bool:
    return all(word in attribute.hints or word in _FUNCTION for word in phrase.lower().split())


def _rating(attribute: Attribute, owned: Property | None, words: set[str], subject: str) -> float:
    rating = float(len(words & attribute.hints))
    if owned is not None and (owned.attribute == attribute.name or owned.attribute in attribute.parts):
        rating += 3
    if attribute.owner == USER:
        rating += 0.5 if is_person(subject) and subject.lower() != "we" else -0.5
    return rating


def _content(words: set[str], attribute: Attribute) -> set[str]:
    """The words of a verb phrase that neither the attribute's hints nor function words account for."""
    verbs = regex(USES, 0)
    return {
        word
        for word in words
        if word not in attribute.hints
        and word not in _FUNCTION
        and not verbs.fullmatch(word)
        and word.rstrip("s") not in attribute.hints
        and len(word) > 1
        and word not in attribute.nouns
        and word not in attribute.parts
    }


def _speaks_of(attribute: Attribute, purpose: str) -> bool:
    words = [
        word
        for word in purpose.split()
        if word
        not in (
            "the",
            "a",
            "all",
            "my",
            "our",
            "its",
            "his",
            "her",
            "any",
            "everything",
            "of",
            "and",
            "every",
            "for",
            "main",
            "default",
            "only",
            "primary",
            "new",
            "daily",
            "also",
            "personal",
            "work",
            "own",
        )
    ]
    if canonical_attribute(purpose) == attribute.name:
        return True
    return all(
        word in attribute.hints or word in attribute.nouns or word.rstrip("s") in attribute.hints for word in words
    )


def _purpose(after: str) -> tuple[str | None, str]:
    """What a sentence says that something is used for, and what is left: " as its database", " for coding"."""
    match = re.match(
        r"^,? ?(?:also )?(?:as|for|to (?:manage|do|handle|track|write|store|run|host|build|test|"
        r"edit|keep|send|process)|when it comes to) (?:the user's |its |his |her |their |my |our |"
        r"the |a |an |all |any )*(?P<p>[\w/ -]+?)(?P<rest> (?:in|at|on|of|for) .+)?$",
        after.strip(" ."),
    )
    if match is None:
        return None, after.strip(" ,.")
    return match["p"].strip().lower(), (match["rest"] or "").strip()


_HARMLESS = re.compile(
    r"^(?:(?:,|too|as well|themselves|itself|everywhere|there|instance|instances|server|"
    r"servers|cluster|database|databases|db|editor|theme|pipelines?|actions|terms|licen[sc]e|"
    r"license|project|account|accounts|app|application|on (?:the|its|his|her) (?:side|own)|by "
    r"hand|in the end|and (?:is|are|was) (?:very |quite )?(?:happy|pleased|glad|content)[\w "
    r"]*|and (?:loves?|likes?) it|for good|plan|queue|queues|broker|browser|for (?:that|this|"
    r"it|everything|all of (?:it|that)|all)|code|codebase|files|only|alone|in (?:the )?(?:\w+ "
    r")?(?:version|release)|every day|daily|each day|at (?:the )?(?:moment|university)|with "
    r"(?:a|two|three|some|great|no) [\w ]+|branch|flights|customer|member|stack|backend|cloud|"
    r"hosting|infrastructure|setup|tests|suite|shell|prompt|format|style|api|apis|model|layer|"
    r"based|after .+|since .+|following .+|thanks to .+|because .+|due to .+|seat|house|"
    r"implementation|programming language|language|engine)(?: |$|,))+",
    re.IGNORECASE,
)


def _harmless(rest: str, attribute: Attribute) -> bool:
    rest = rest.strip(" ,.")
    match = _HARMLESS.match(f"{rest}")
    if match and match.end() >= len(rest):
        return True
    words = {word.lower() for word in re.findall(r"[\w/'-]+", rest)}
    return words <= (
        attribute.hints
        | {
            "the",
            "for",
            "all",
            "our",
            "its",
            "my",
            "and",
            "as",
            "a",
            "of",
            "every",
            "each",
            "new",
            "user's",
            "his",
            "her",
            "their",
        }
    ) and not re.search(r"\b(?:in|on|at)\b", rest)


def _is_all_about(phrase: str, attribute: Attribute) -> bool:
    """Whether every word of a phrase speaks of an attribute ("the user's default for web pages")."""
    words = phrase.lower().split()
    return any(word in attribute.cues for word in words) and all(
        word in attribute.cues or word in _FUNCTION or word in ("default", "main", "usual", "people", "folks", "staff")
        for word in words
    )


def _holder(attribute: Attribute, phrase: str, owned: Property | None) -> str | None:
    """Whose attribute a sentence about `phrase` states: the owner of a part ("the pipeline of X"), else itself."""
    if re.sub(r"^(?:the|our|all) ", "", phrase.lower()) in attribute.parts:
        return USER if attribute.owner == USER else PROJECT
    if (own := re.match(r"^(?P<owner>[^']+)'s (?:new |current |old )?(?P<part>[\w -]+)$", phrase)) and is_subject(
        own["owner"]
    ):
        words = own["part"].lower().split()
        if own["part"].lower() in attribute.parts | set(attribute.nouns) or all(
            word in attribute.hints for word in words
        ):
            return canonical_subject(own["owner"])
    if owned is not None and (
        owned.attribute == attribute.name
        or owned.attribute in attribute.parts
        or owned.attribute in attribute.nouns
        or (
            owned.known is not None
            and owned.known.name in (attribute.name, "repository host", "branch")
            and owned.attribute in ("repository host", attribute.name)
        )
    ):
        if owned.explicit or owned.owner:
            subject = owned.subject
            return USER if subject == PROJECT and attribute.owner == USER else subject
        return USER if attribute.owner == USER else PROJECT
    first = re.match(
        r"^(?:all |all of |most of |old )?(?:the user's |our |the )?(?P<part>[\w -]+?) (?:of|for|"
        r"from|against|in|behind|to|on|at) (?P<owner>.+)$",
        phrase,
        re.IGNORECASE,
    )
    if (
        first
        and (first["part"].lower() in attribute.parts | set(attribute.nouns) or _is_all_about(first["part"], attribute))
        and is_subject(first["owner"])
    ):
        return canonical_subject(first["owner"])
    if _is_all_about(phrase, attribute) and attribute.owner == USER:
        return USER
    part = re.fullmatch(r"(?:the |our )?(?P<owner>Project [A-Z]\w+|[a-z]+(?:-[a-z0-9]+)+) (?P<part>[a-z]+)", phrase)
    if part and part["part"] in attribute.parts | attribute.cues:
        return canonical_subject(part["owner"])
    subject = canonical_subject(phrase)
    if subject.startswith("user's ") and (
        subject.removeprefix("user's ") in attribute.parts
        or _is_all_about(subject.removeprefix("user's "), attribute)
        or any(subject.endswith(f" {part}") for part in attribute.parts)
    ):
        return USER
    if subject == PROJECT and attribute.owner == USER:
        return USER
    if owned is not None and owned.known is not None and owned.attribute != attribute.name and owned.owner:
        return subject
    return subject
