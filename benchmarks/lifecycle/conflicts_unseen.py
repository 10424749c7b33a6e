# ruff: noqa: E501
"""Contradictions that nothing settles, and paraphrases, of the fifth split: written as `wordings_unseen` was."""

from .wording import ConflictPair, Paraphrase

CONFLICTS = (
    ConflictPair("polarity", "person", "dish", "{s} likes {v}.", "{s} doesn't like {v}.", "Does {s} like {v}?"),
    ConflictPair("polarity", "person", "language", "{s} understands {v}.", "{s} doesn't understand {v}.", "Does {s} understand {v}?"),
    ConflictPair("polarity", "self", "sport", "I enjoy {v}.", "I don't enjoy {v}.", "Do I enjoy {v}?"),
    ConflictPair("polarity", "person", "allergen", "{s} reacts to {v}.", "{s} does not react to {v}.", "Does {s} react to {v}?"),
    ConflictPair("polarity", "service", "auth", "{s} lets you in with {v}.", "{s} does not let you in with {v}.", "Does {s} let you in with {v}?"),
    ConflictPair("polarity", "project", "client", "{v} pays for {s}.", "{v} does not pay for {s}.", "Does {v} pay for {s}?"),
    ConflictPair("polarity", "team", "room", "{s} has a key to the {v}.", "{s} has no key to the {v}.", "Does {s} have a key to the {v}?"),
    ConflictPair("polarity", "company", "city", "{s} has an office in {v}.", "{s} has no office in {v}.", "Does {s} have an office in {v}?"),
    ConflictPair("date", "person", "date", "{s} was born on {v}.", "{s} has a birthday on {w}.", "When was {s} born?"),
    ConflictPair("date", "person", "year", "{s} was born in {v}.", "Year of birth of {s}: {w}", "In which year was {s} born?"),
    ConflictPair("date", "company", "year", "{s} has existed since {v}.", "{s} was started in {w}.", "Since when has {s} existed?"),
    ConflictPair("date", "relation", "date", "{s}'s birthday is on {v}.", "{s} was born on {w}.", "When is {s}'s birthday?"),
    ConflictPair("place", "person", "city", "{s} was born in {v}.", "{s} came into the world in {w}.", "Where was {s} born?"),
    ConflictPair("place", "company", "city", "{s} was founded in {v}.", "{s} was founded in a garage in {w}.", "Where was {s} founded?"),
    ConflictPair("place", "person", "room", "{s} is sitting in the {v} right now.", "Right now {s} is in the {w}.", "Where is {s} right now?", same_moment=True),
    ConflictPair("place", "device", "room", "{s} has been put in the {v}.", "You find {s} in the {w}.", "Where is {s}?", same_moment=True),
    ConflictPair("name", "first name", "surname", "{s}'s birth name is {v}.", "{s} was born {s} {w}.", "What is {s}'s birth name?"),
    ConflictPair("name", "company", "person", "{v} founded {s}.", "{s} was founded by {w}.", "Who founded {s}?"),
    ConflictPair("name", "team", "person", "{v} is in charge of {s}.", "{s} is headed by {w}.", "Who is in charge of {s}?", same_moment=True),
    ConflictPair("name", "person", "employer", "{s} is employed by {v}.", "{s}'s employer is {w}.", "Who employs {s}?", same_moment=True),
    ConflictPair("name", "service", "cloud", "{s} is hosted on {v}.", "The hosting provider of {s} is {w}.", "Where is {s} hosted?", same_moment=True),
    ConflictPair("number", "service", "port", "{s} is reachable on port {v}.", "The port of {s} is {w}.", "Which port is {s} on?", same_moment=True),
    ConflictPair("number", "project", "money", "{s} has a total budget of {v}.", "The total budget of {s} is {w}.", "What is the total budget of {s}?", same_moment=True),
    ConflictPair("number", "person", "desk", "{s}'s desk is {v}.", "{s} has desk {w}.", "Which desk is {s}'s?", same_moment=True),
    ConflictPair("blood", "person", "blood_type", "{s} is {v}, says the donor card.", "{s}'s blood group is {w}.", "What blood group is {s}?"),
)  # fmt: skip

PARAPHRASES = (
    Paraphrase("person", "weekday", "{s} waters the plants every {v}.", "Every {v} {s} waters the plants."),
    Paraphrase("person", "drink", "After the gym {s} has a {v}.", "{s} has a {v} after the gym."),
    Paraphrase("service", "database", "{s} keeps all of its sessions in {v}.", "In {v}, {s} keeps all of its sessions."),
    Paraphrase("project", "date", "On {v} the first demo of {s} is shown to the board.", "The first demo of {s} is shown to the board on {v}."),
    Paraphrase("self", "room", "On quiet afternoons I read in the {v}.", "I read in the {v} on quiet afternoons."),
    Paraphrase("team", "restaurant", "When a release is out {s} celebrates at {v}.", "{s} celebrates at {v} when a release is out."),
    Paraphrase("company", "courier", "{s} sends its samples with {v} on Mondays.", "On Mondays {s} sends its samples with {v}."),
    Paraphrase("device", "person", "Only {v} may open {s} for repairs.", "For repairs only {v} may open {s}."),
)  # fmt: skip
