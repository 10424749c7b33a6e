# ruff: noqa: E501
"""Contradictions that nothing settles, and paraphrases, in the wordings that the figures come from.

Whoever writes rules never reads this file.
"""

from .wording import ConflictPair, Paraphrase

CONFLICTS = (
    ConflictPair("polarity", "self", "drink", "I like {v}.", "I do not like {v}.", "Do I like {v}?"),
    ConflictPair("polarity", "person", "employer", "{s} is employed at {v}.", "{s} is not employed at {v}.", "Is {s} employed at {v}?"),
    ConflictPair("polarity", "person", "language", "{s} speaks {v}.", "{s} doesn't speak {v}.", "Does {s} speak {v}?"),
    ConflictPair("polarity", "service", "cache", "{s} uses {v} as its cache.", "{s} doesn't use {v} as its cache.", "Does {s} use {v}?"),
    ConflictPair("polarity", "self", "editor", "I prefer {v}.", "I don't prefer {v}.", "Do I prefer {v}?"),
    ConflictPair("polarity", "person", "drink", "{s} likes {v}.", "{s} dislikes {v}.", "Does {s} like {v}?"),
    ConflictPair("polarity", "project", "cloud", "{s} is hosted on {v}.", "{s} isn't hosted on {v}.", "Is {s} hosted on {v}?"),
    ConflictPair("date", "person", "date", "{s}'s date of birth is {v} 1991.", "{s} was born on {w} 1991.", "What is {s}'s date of birth?"),
    ConflictPair("date", "person", "year", "{s} was born in {v}.", "{s}'s year of birth is {w}.", "In which year was {s} born?"),
    ConflictPair("date", "company", "year", "{s} was established in {v}.", "{s} has existed since its founding in {w}.", "When was {s} founded?"),
    ConflictPair("place", "person", "city", "{s}'s place of birth is {v}.", "{s} was born in {w}.", "Where was {s} born?"),
    ConflictPair("place", "person", "country", "{s}'s country of birth is {v}.", "{s}'s country of birth is {w}.", "What is {s}'s country of birth?"),
    ConflictPair("name", "person", "surname", "{s}'s name at birth was {v}.", "{s}'s birth name is {w}.", "What is {s}'s birth name?"),
    ConflictPair("name", "company", "person", "{v} founded {s}.", "{s}'s founder is {w}.", "Who founded {s}?"),
    ConflictPair("name", "person", "language", "{s}'s mother tongue is {v}.", "{s}'s native language is {w}.", "What is {s}'s mother tongue?"),
    ConflictPair("name", "service", "database", "{s} is backed by {v}.", "The database behind {s} is {w}.", "What is {s} backed by?", same_moment=True),
    ConflictPair("name", "person", "person", "{v} is {s}'s manager.", "{s} reports to {w}.", "Who is {s}'s manager?", same_moment=True),
    ConflictPair("number", "person", "phone", "{s}'s phone number is {v}.", "The phone number of {s} is {w}.", "What is {s}'s phone number?", same_moment=True),
    ConflictPair("number", "project", "money", "The budget of {s} is {v}.", "{s}'s budget amounts to {w}.", "What is the budget of {s}?", same_moment=True),
    ConflictPair("number", "service", "count", "{s} has {v} replicas.", "The replica count of {s} is {w}.", "How many replicas does {s} have?", same_moment=True),
    ConflictPair("place", "company", "city", "{s} is headquartered in {v}.", "{s}'s headquarters are in {w}.", "Where is {s} headquartered?", same_moment=True),
    ConflictPair("place", "device", "room", "{s} is in the {v}.", "{s} is located in the {w}.", "Where is {s}?", same_moment=True),
    ConflictPair("date", "project", "date", "{s}'s deadline is {v}.", "The due date of {s} is {w}.", "What is the deadline of {s}?", same_moment=True),
)  # fmt: skip

PARAPHRASES = (
    Paraphrase(
        "person", "city", "When in {v}, {s} always stays with an aunt.", "{s} always stays with an aunt when in {v}."
    ),
    Paraphrase(
        "service", "weekday", "Every {v} {s} is restarted by a cron job.", "{s} is restarted by a cron job every {v}."
    ),
    Paraphrase(
        "project", "person", "For {s}, {v} writes the weekly summary.", "{v} writes the weekly summary for {s}."
    ),
    Paraphrase("self", "weekday", "On {v}s I don't take any calls.", "I don't take any calls on {v}s."),
    Paraphrase("team", "weekday", "{s} will demo its work on {v}.", "On {v}, {s} will demo its work."),
    Paraphrase(
        "company", "city", "Since last year {s} has a warehouse in {v}.", "{s} has a warehouse in {v} since last year."
    ),
    Paraphrase("person", "person", "{s} was introduced to us by {v}.", "It was {v} by whom {s} was introduced to us."),
    Paraphrase(
        "device", "person", "Nobody but {v} has the password of {s}.", "Nobody has the password of {s} but {v}."
    ),
    Paraphrase("service", "region", "In {v} {s} runs behind a proxy.", "{s} runs behind a proxy in {v}."),
    Paraphrase("self", "drink", "After lunch the user has a {v}.", "The user has a {v} after lunch."),
)
