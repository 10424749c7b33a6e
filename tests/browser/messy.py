"""Five hundred memories as agents leave them: good ones, repeats, noise, old news, wrong kinds, pairs at odds."""

import random
from typing import Any

PLACES = ("checkout", "billing", "search", "login", "mobile app", "invoice export", "admin page", "mail queue")
PEOPLE = ("Ann", "Bela", "Chen", "Dana", "Elif", "Femi", "Goran", "Hana", "Ines", "Jonas")
GOOD = (
    "{person} reviews every change to the {place}.",
    "The {place} is owned by the team of {person}.",
    "Errors of the {place} go to the channel #{slug}-alerts.",
    "The {place} keeps its settings in config/{slug}.toml.",
    "{person} prefers short pull requests for the {place}.",
)
REPEATS = ("Note: {text}", "{lower}", "Remember that {lower}", "{text} (said again)")
NOISE = (
    "Ran the tests of the {place}: {n} passed.",
    "Opened the file src/{slug}/part_{n}.py.",
    "The user said thanks, message {n}.",
    "Waiting for the build {n} of the {place}.",
    "Heartbeat {n}.",
)
OLD = (
    "This week {person} is away, so ask Jonas about the {place} (week {n}).",
    "Sprint {n} of the {place} ends on Friday.",
    "Currently debugging ticket {n} in the {place}.",
)
HOW_TO = (
    "To deploy the {place}, run make deploy-{slug} and watch the dashboard for {n} minutes.",
    "To reset the {place}: stop it, clear its cache, start it, and check the health page (way {n}).",
)


def messy(seed: int = 1) -> list[dict[str, Any]]:
    """Return what is stored, in the order in which it came: 500 requests of POST /memories."""
    chance = random.Random(seed)
    good = [one.format(person=person, place=place, slug=place.replace(" ", "-"))
            for one, place in ((one, place) for one in GOOD for place in PLACES)
            for person in [chance.choice(PEOPLE)]]  # fmt: skip
    made: list[dict[str, Any]] = [
        {"content": text, "importance": 0.7, "tags": ["team"], "source": "user"} for text in good
    ]
    for form, text in chance.sample([(form, text) for form in REPEATS for text in good], 120):
        content = form.format(text=text, lower=text[0].lower() + text[1:])
        made.append({"content": content, "importance": 0.5, "tags": ["Team"], "source": "codex"})

    def filled(patterns: tuple[str, ...], count: int, **fields: Any) -> None:
        for n in range(count):
            place = PLACES[n % len(PLACES)]
            content = patterns[n % len(patterns)].format(
                person=PEOPLE[n % len(PEOPLE)], place=place, slug=place.replace(" ", "-"), n=n
            )
            made.append({"content": content, **fields})

    filled(NOISE, 170, importance=0.1, memory_type="episodic", source="codex", tags=["log"])
    filled(OLD, 90, importance=0.4, memory_type="semantic", source="codex", tags=["sprint"])
    filled(HOW_TO, 50, importance=0.6, memory_type="episodic", source="user", tags=["howto"])
    for n in range(15):
        for value, source in (("Porto", "user"), ("Lisbon", "imported from a web page")):
            slot = {"subject": f"team {n}", "attribute": "meeting room", "value": f"room {value}"}
            made.append({"content": f"Team {n} meets in room {value}.", "importance": 0.5, "source": source, **slot})
    rest, pairs = made[:-30], made[-30:]
    chance.shuffle(rest)
    return [*rest, *pairs]
