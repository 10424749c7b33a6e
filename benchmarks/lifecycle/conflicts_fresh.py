# ruff: noqa: E501
"""Contradictions that nothing settles, and paraphrases, in wordings that no rule was tried against."""

from .wording import ConflictPair, Paraphrase

CONFLICTS = (
    ConflictPair("polarity", "self", "shell", "I like working in {v}.", "I do not like working in {v}.", "Do I like working in {v}?"),
    ConflictPair("polarity", "self", "dish", "I love {v}.", "I don't love {v}.", "Do I love {v}?"),
    ConflictPair("polarity", "person", "car", "{s} owns a {v}.", "{s} doesn't own a {v}.", "Does {s} own a {v}?"),
    ConflictPair("polarity", "person", "employer", "{s} has a contract with {v}.", "{s} has no contract with {v}.", "Does {s} have a contract with {v}?"),
    ConflictPair("polarity", "person", "language", "{s} speaks {v}.", "{s} does not speak {v}.", "Does {s} speak {v}?"),
    ConflictPair("polarity", "service", "cache", "{s} caches in {v}.", "{s} does not cache in {v}.", "Does {s} cache in {v}?"),
    ConflictPair("polarity", "project", "frontend", "{s} depends on {v}.", "{s} doesn't depend on {v}.", "Does {s} depend on {v}?"),
    ConflictPair("date", "person", "date", "{s} was born on {v}.", "{s}'s birthday is on {w}.", "When is {s}'s birthday?"),
    ConflictPair("date", "person", "year", "{s}'s year of birth is {v}.", "{s} was born in {w}.", "In which year was {s} born?"),
    ConflictPair("date", "company", "year", "{s} has existed since {v}, when it was founded.", "{s} was founded in {w}.", "When was {s} founded?"),
    ConflictPair("place", "person", "city", "{s} comes from {v}, born and bred there.", "{s} was born in {w}.", "Where was {s} born?"),
    ConflictPair("place", "person", "country", "{s} was born in {v}.", "{s}'s country of birth is {w}.", "In which country was {s} born?"),
    ConflictPair("name", "person", "person", "{s}'s only godparent is called {v}.", "The name of {s}'s only godparent is {w}.", "What is {s}'s godparent called?"),
    ConflictPair("name", "company", "person", "{v} founded {s} alone.", "{s} was founded by {w}.", "Who founded {s}?"),
    ConflictPair("body", "person", "blood_type", "{s}'s blood type is {v}.", "{s} has blood type {w}.", "What is {s}'s blood type?"),
    ConflictPair("place", "person", "city", "{s} is based in {v}.", "{s} lives in {w}.", "Where does {s} live?", same_moment=True),
    ConflictPair("number", "person", "phone", "{s}'s phone number is {v}.", "You can call {s} on {w}, the only number there is.", "What is {s}'s phone number?", same_moment=True),
    ConflictPair("name", "service", "squad", "{v} owns {s}.", "The owner of {s} is {w}.", "Who owns {s}?", same_moment=True),
    ConflictPair("number", "service", "memory", "The memory limit of {s} is {v}.", "{s} has a memory limit of {w}.", "What is the memory limit of {s}?", same_moment=True),
    ConflictPair("number", "project", "money", "{s} has a budget of {v}.", "The budget for {s} is {w}.", "What is the budget for {s}?", same_moment=True),
    ConflictPair("number", "company", "price", "{s} costs {v} a month.", "The monthly price of {s} is {w}.", "What does {s} cost a month?", same_moment=True),
    ConflictPair("name", "team", "person", "{v} leads {s}.", "{s} is led by {w}.", "Who leads {s}?", same_moment=True),
    ConflictPair("place", "device", "room", "{s} is in the {v}.", "{s} stands in the {w}.", "Where is {s}?", same_moment=True),
    ConflictPair("date", "project", "date", "{s} is due {v}.", "The deadline for {s} is {w}.", "When is {s} due?", same_moment=True),
)  # fmt: skip

PARAPHRASES = (
    Paraphrase("person", "dish", "On birthdays {s} brings {v} for everyone.", "{s} brings {v} for everyone on birthdays."),
    Paraphrase("person", "city", "Every August {s} visits family in {v}.", "{s} visits family in {v} every August."),
    Paraphrase("self", "noon", "At {v} I walk the dog.", "I walk the dog at {v}."),
    Paraphrase("service", "weekday", "Each {v} night {s} rotates its keys.", "{s} rotates its keys each {v} night."),
    Paraphrase("service", "region", "When {v} is down, {s} serves a static page.", "{s} serves a static page when {v} is down."),
    Paraphrase("project", "client", "For {v}, {s} prints a monthly summary.", "{s} prints a monthly summary for {v}."),
    Paraphrase("team", "weekday", "By noon on {v} {s} hands in its hours.", "{s} hands in its hours by noon on {v}."),
    Paraphrase("company", "people_count", "Last summer {s} hired {v} trainees.", "{s} hired {v} trainees last summer."),
)  # fmt: skip
