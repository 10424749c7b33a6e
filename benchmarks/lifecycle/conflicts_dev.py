# ruff: noqa: E501
"""Contradictions that nothing settles, and paraphrases, in the wordings that rules may be written against."""

from .wording import ConflictPair, Paraphrase

CONFLICTS = (
    ConflictPair("polarity", "self", "editor", "I like {v} as an editor.", "I don't like {v} as an editor.", "Do I like {v}?"),
    ConflictPair("polarity", "person", "diet", "{s} is {v}.", "{s} is not {v}.", "Is {s} {v}?"),
    ConflictPair("polarity", "service", "database", "{s} uses {v} as its database.", "{s} does not use {v} as its database.", "Does {s} use {v}?"),
    ConflictPair("polarity", "person", "city", "{s} lives in {v}.", "{s} doesn't live in {v}.", "Does {s} live in {v}?"),
    ConflictPair("polarity", "person", "allergen", "{s} is allergic to {v}.", "{s} is not allergic to {v}.", "Is {s} allergic to {v}?"),
    ConflictPair("date", "person", "date", "{s} was born on {v} 1988.", "{s}'s date of birth is {w} 1988.", "When was {s} born?"),
    ConflictPair("date", "person", "date", "{s}'s birthday is {v}.", "{s} has a birthday on {w}.", "When is {s}'s birthday?"),
    ConflictPair("date", "company", "year", "{s} was founded in {v}.", "{s} was founded in {w}.", "When was {s} founded?"),
    ConflictPair("place", "person", "city", "{s} was born in {v}.", "{s}'s birthplace is {w}.", "Where was {s} born?"),
    ConflictPair("place", "person", "city", "{s} grew up in {v}.", "{s} grew up in {w}.", "Where did {s} grow up?"),
    ConflictPair("name", "person", "surname", "{s}'s maiden name is {v}.", "{s}'s maiden name is {w}.", "What is {s}'s maiden name?"),
    ConflictPair("name", "company", "person", "{s} was founded by {v}.", "The founder of {s} was {w}.", "Who founded {s}?"),
    ConflictPair("name", "project", "person", "{s} is led by {v}.", "{w} is the lead of {s}.", "Who leads {s}?", same_moment=True),
    ConflictPair("place", "person", "city", "{s} lives in {v}.", "{s}'s home is in {w}.", "Where does {s} live?", same_moment=True),
    ConflictPair("number", "service", "port", "{s} listens on port {v}.", "The port of {s} is {w}.", "Which port does {s} listen on?", same_moment=True),
    ConflictPair("number", "team", "people_count", "{s} has {v} members.", "There are {w} members in {s}.", "How many members does {s} have?", same_moment=True),
    ConflictPair("date", "project", "date", "The deadline for {s} is {v}.", "{s} is due on {w}.", "When is {s} due?", same_moment=True),
)  # fmt: skip

PARAPHRASES = (
    Paraphrase("person", "employer", "Since the merger {s} works at {v}.", "{s} works at {v} since the merger."),
    Paraphrase("service", "database", "{s} stores its data in {v}.", "{s} is storing its data in {v}."),
    Paraphrase("project", "weekday", "The report of {s} goes out every {v}.", "Every {v} the report of {s} goes out."),
    Paraphrase("self", "drink", "Before every meeting I drink a {v}.", "I drink a {v} before every meeting."),
    Paraphrase("team", "room", "{s} holds its retrospective in the {v}.", "In the {v}, {s} holds its retrospective."),
    Paraphrase(
        "service",
        "seconds",
        "After {v} seconds {s} drops the connection.",
        "{s} drops the connection after {v} seconds.",
    ),
    Paraphrase("person", "hobby", "On Sundays {s} teaches {v} to children.", "{s} teaches {v} to children on Sundays."),
    Paraphrase("device", "weekday", "On {v}s {s} must be cleaned.", "{s} must be cleaned on {v}s."),
)
