"""The seeded conversation: five facts, ten exchanges of work, ten questions about the facts that hint at nothing.

The texts are generated from `seed`: other facts, values, words and another order each time, so that no rule can
be tuned to one text. No value of a fact occurs in the work or in a question.
"""

import random
from dataclasses import dataclass

from .measures import holds

SEEDED, WORK, PROBES = 5, 10, 10


@dataclass(frozen=True)
class Fact:
    """A fact that is stated once: its `value` must be recalled."""

    statement: str
    value: str
    questions: tuple[str, str]


@dataclass(frozen=True)
class Exchange:
    """A user's turn and its answer; a question about a fact names it in `asks`."""

    user: str
    answer: str
    asks: Fact | None = None


@dataclass(frozen=True)
class Conversation:
    """25 exchanges: 1 to 5 state facts, 6 to 15 are work, 16 to 25 ask for each fact twice."""

    seed: int
    facts: tuple[Fact, ...]
    exchanges: tuple[Exchange, ...]


_VALUES: dict[str, list[str]] = {
    "pet": ["greyhound", "parrot", "tortoise", "Maine Coon", "dachshund", "ferret"],
    "name": "Biscuit Clementine Dumpling Figaro Marzipan Nutmeg Pickle Waffle".split(),
    "colour": "amber cobalt crimson indigo ochre saffron teal violet".split(),
    "animal": "heron lynx otter falcon badger ibis marten osprey puffin stoat".split(),
    "food": ["walnuts", "shellfish", "sesame", "lupin flour", "kiwi fruit", "celery root"],
    "month": "January March April June July September October November".split(),
    "day": [str(day) for day in range(2, 29)],
    "person": "Amara Bjarne Celeste Dragan Elodie Farouk Greta Hiroshi Ingrid Jomo Katya Lorenzo Mireille".split(),
    "surname": "Abernathy Castellan Drummond Eriksen Fontaine Grabowski Halloran Ishikawa Kaminski Lindqvist".split(),
    "port": [str(port) for port in range(2_003, 9_990, 7)],
    "town": "Trondheim Valparaiso Ghent Hobart Izmir Jaipur Kumasi Ljubljana Matsue Nantes Oaxaca Porto".split(),
    "tool": ["Helix", "Zed", "Kakoune", "Emacs", "Sublime Text", "Nova"],
    "weekday": "Monday Tuesday Wednesday Thursday Friday".split(),
    "hour": [f"{hour}:30" for hour in range(9, 17)],
    "dish": ["mushroom risotto", "pad thai", "lamb tagine", "okonomiyaki", "pierogi", "shakshuka"],
}
"""Values to fill into statements, by the name of the placeholder."""

_FACTS = (
    (
        ("Before we start: my {pet} is called {name}.", "By the way, I have a {pet} named {name}, so expect noise."),
        "{name}",
        ("What is my pet called?", "Do you remember the name of the animal I live with?"),
    ),
    (
        ("Our staging database is {colour}-{animal}.", "Staging data is in a database named {colour}-{animal}."),
        "{colour}-{animal}",
        ("Which database holds our staging data?", "What was the staging database called?"),
    ),
    (
        ("Please note that I am allergic to {food}.", "One thing about me: I cannot eat {food}, I am allergic."),
        "{food}",
        ("Is there anything that I must not eat?", "Which allergy did I mention?"),
    ),
    (
        ("The release is planned for {month} {day}.", "We want to ship the release on {month} {day}."),
        "{month} {day}",
        ("When is the release planned?", "On which date did we want to ship?"),
    ),
    (
        ("Who signs off on deployments is {person} {surname}.", "{person} {surname} alone approves deployments."),
        "{person} {surname}",
        ("Who approves deployments?", "Whose sign-off do we need to deploy?"),
    ),
    (
        ("Our gateway listens on port {port}.", "I set the gateway up so that it listens on port {port}."),
        "{port}",
        ("Which port does the gateway use?", "What was the port number of the gateway?"),
    ),
    (
        ("I live in {town} these days.", "My home is in {town} since last year."),
        "{town}",
        ("In which city do I live?", "Where is my home?"),
    ),
    (
        ("I do all my editing in {tool}.", "My editor of choice is {tool}, for everything."),
        "{tool}",
        ("Which editor do I use?", "What do I write code in?"),
    ),
    (
        ("The team holds its retrospective on {weekday}s at {hour}.", "Our retrospective is each {weekday} at {hour}."),
        "{weekday}",
        ("On which weekday is our retrospective?", "When does the team hold its retrospective?"),
    ),
    (
        ("My favourite dish is {dish}.", "If you ever cook for me: the dish I like most is {dish}."),
        "{dish}",
        ("What is my favourite dish?", "Which dish do I like most?"),
    ),
    (
        ("The customer in this project is {surname} Logistics.", "We are building all this for {surname} Logistics."),
        "{surname} Logistics",
        ("Which customer is this project for?", "Who are we building this for?"),
    ),
    (
        ("My cousin {person} is expecting a baby in {month}.", "My cousin {person} will have a baby in {month}."),
        "{person}",
        ("What is my cousin's name?", "Who in my family is expecting a baby?"),
    ),
)  # fmt: skip

_NOTED = ("Noted.", "Thanks, I will keep that in mind.", "Good to know.", "Understood.", "All right, thank you.")
_UNSURE = ("Let me look that up.", "One moment, please.", "I am checking.", "Give me a second to find it.")

_FILES = ("parser.py", "billing/invoice.py", "web/session.ts", "ingest/reader.rs", "api/routes.go", "ui/table.tsx")
_ERRORS = ("a KeyError", "a timeout", "a null pointer", "an off-by-one error", "an encoding error", "a deadlock")
_PARTS = ("the importer", "the invoice run", "the login page", "the report view", "the export", "the search box")
_FUNCTIONS = ("read_header", "total_of", "renew_token", "next_batch", "route_for", "sort_rows")

_BUGS = (
    "There is a bug: {part} crashes with {error} when the file is empty. Can you look at {file}?",
    "{part} is broken again. The test of {function} fails with {error} since this morning.",
    "I get {error} from {function} in {file} whenever two users are at it at once. Please fix it.",
)
_FIXES = (
    "I read {file} first. {function} assumed that there is always a first row, so I fixed the check and ran the tests; "
    "they pass. The change is four lines long, and I left a comment that says why an empty file is legal.",
    "I looked at {file} and found the cause: {function} shares its buffer between calls. I fixed it by giving each "
    "call a buffer of its own, added a test that fails without the change, and ran the tests again. They are green.",
    "The fault is in {function}, which swallowed {error} and went on with half of the data. I fixed it so that the "
    "caller hears of it, then ran the tests. Two of them had expected the old behaviour; I corrected those as well.",
)
_WISHES = (
    "Could you add a filter to {part}, so that people can narrow the list down by date?",
    "I would like {part} to remember the order that was chosen last. Please implement that.",
    "Please extend {function} with a limit, since the lists get long for some accounts.",
)
_BUILT = (
    "I implemented it in {file}: the choice is kept beside the other settings of the account, with a default for those "
    "who never chose. There is a test for the default, one for a stored choice, and one for a value that is no longer "
    "valid. The page loads as fast as before.",
    "Done. {function} takes a limit now and says when there is more. I implemented the paging in {file} and kept the "
    "old call as it was, so that nobody has to change anything today. The documentation has an example for both.",
)
_QUESTIONS = (
    "How does {part} decide what to show first? I never understood that.",
    "Why is {function} called twice in {file}? It looks like a mistake to me.",
)
_EXPLAINED = (
    "It sorts by the time of the last change and breaks ties by name. The order is computed in {file} whenever the "
    "list is drawn, which is cheap for a few hundred rows. For more than that it would be better to sort in the query.",
    "The first call measures and the second one draws. It is no mistake, though it is not pretty: {function} could "
    "return both, and then one call would do. I would leave it until somebody works on {file} anyway.",
)
_WORK = ((_BUGS, _FIXES), (_BUGS, _FIXES), (_WISHES, _BUILT), (_QUESTIONS, _EXPLAINED))


def conversation(seed: int) -> Conversation:
    """Return the conversation of a seed; the same seed gives the same one."""
    chance = random.Random(seed)
    pools = {name: chance.sample(values, len(values)) for name, values in _VALUES.items()}
    facts = [_fact(chance, pools, *kind) for kind in chance.sample(_FACTS, SEEDED)]
    seeded = [Exchange(fact.statement, chance.choice(_NOTED)) for fact in facts]
    work = [_work(chance, number) for number in range(WORK)]
    asked = [(fact, question) for round_ in (0, 1) for fact in facts for question in [fact.questions[round_]]]
    chance.shuffle(asked)
    probes = [Exchange(question, chance.choice(_UNSURE), fact) for fact, question in asked]
    talk = Conversation(seed, tuple(facts), (*seeded, *work, *probes))
    _check(talk)
    return talk


def _fact(
    chance: random.Random,
    pools: dict[str, list[str]],
    statements: tuple[str, str],
    value: str,
    questions: tuple[str, str],
) -> Fact:
    """Return a fact with values that no other fact of the conversation has: drawn values are removed."""
    statement = chance.choice(statements)
    words = {name: pools[name].pop() for name in _VALUES if f"{{{name}}}" in statement}
    return Fact(statement.format(**words), value.format(**words), questions)


def _work(chance: random.Random, number: int) -> Exchange:
    asks, answers = _WORK[number % len(_WORK)]
    words = {
        "file": chance.choice(_FILES),
        "error": chance.choice(_ERRORS),
        "part": chance.choice(_PARTS),
        "function": chance.choice(_FUNCTIONS),
    }
    user = chance.choice(asks).format(**words)
    return Exchange(user[0].upper() + user[1:], chance.choice(answers).format(**words))


def _check(talk: Conversation) -> None:
    """Assert that the value of a fact is in its statement, and nowhere else."""
    for fact in talk.facts:
        others = [one.statement for one in talk.facts if one is not fact]
        turns = [text for one in talk.exchanges[SEEDED:] for text in (one.user, one.answer)]
        assert holds(fact.statement, fact.value)
        leaks = [text for text in (*others, *turns) if holds(text, fact.value)]
        assert not leaks, f"seed {talk.seed}: {fact.value!r} is in {leaks[0]!r}"
