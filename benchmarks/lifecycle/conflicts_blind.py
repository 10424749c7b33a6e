# ruff: noqa: E501
"""Contradictions that nothing settles, and paraphrases, written by somebody who had not seen the rules."""

from .wording import ConflictPair, Paraphrase

CONFLICTS = (
    ConflictPair("polarity", "self", "drink", "I enjoy a good {v}.", "I don't enjoy a {v}, however good.", "Do I enjoy a {v}?"),
    ConflictPair("polarity", "self", "pet", "I keep {v}.", "I don't keep {v}.", "Do I keep {v}?", same_moment=True),
    ConflictPair("polarity", "person", "hobby", "{s} is into {v}.", "{s} isn't into {v} at all.", "Is {s} into {v}?", same_moment=True),
    ConflictPair("polarity", "person", "language", "{s} speaks {v} well.", "{s} doesn't speak a word of {v}.", "Does {s} speak {v}?"),
    ConflictPair("polarity", "person", "allergen", "{s} has a {v} allergy.", "{s} has no {v} allergy.", "Does {s} have a {v} allergy?"),
    ConflictPair("polarity", "service", "auth", "{s} supports {v}.", "{s} does not support {v}.", "Does {s} support {v}?", same_moment=True),
    ConflictPair("polarity", "project", "programming_language", "There is {v} code in {s}.", "There is no {v} code in {s}.", "Is there {v} code in {s}?", same_moment=True),
    ConflictPair("polarity", "company", "client", "{v} is a customer of {s}.", "{v} is not a customer of {s}.", "Is {v} a customer of {s}?", same_moment=True),
    ConflictPair("date", "person", "date", "{s} came into the world on {v} 1979.", "{s} first saw daylight on {w} 1979.", "On which date was {s} born?"),
    ConflictPair("date", "company", "year", "{s} was set up in {v}.", "The year in which {s} was set up is {w}.", "In what year was {s} set up?"),
    ConflictPair("date", "person", "year", "{s} finished secondary school in {v}.", "{s} left secondary school with the diploma in {w}.", "When did {s} finish secondary school?"),
    ConflictPair("place", "person", "city", "{s} was delivered in a hospital in {v}.", "{s}'s birth took place in {w}.", "In which city was {s} born?"),
    ConflictPair("place", "person", "city", "{s} spent the entire childhood in {v}.", "{s}'s childhood, all of it, was in {w}.", "Where did {s} spend childhood?"),
    ConflictPair("place", "company", "city", "{s} was founded in {v}.", "The city where {s} was founded is {w}.", "Where was {s} founded?"),
    ConflictPair("name", "person", "surname", "Before marrying, {s}'s mother was called {v}.", "The maiden name of {s}'s mother was {w}.", "What was {s}'s mother called before marrying?"),
    ConflictPair("name", "company", "person", "{v} set up {s} alone.", "{s} was set up by {w}, single-handed.", "Who set up {s}?"),
    ConflictPair("name", "project", "person", "{v} thought up the name of {s}.", "It was {w} who came up with the name of {s}.", "Who came up with the name of {s}?"),
    ConflictPair("blood", "person", "blood_type", "{s}'s blood group is {v}.", "{s} is {w} by blood type.", "What's {s}'s blood type?"),
    ConflictPair("name", "team", "person", "{v} is the one who chairs {s}.", "The chair of {s} is {w}.", "Who chairs {s}?", same_moment=True),
    ConflictPair("number", "person", "count", "{s} has {v} brothers in all.", "{s}'s brothers number {w}.", "How many brothers does {s} have?", same_moment=True),
    ConflictPair("number", "service", "port", "{s} takes calls on port {v}.", "{s} is to be found at port {w}.", "On which port does {s} take calls?", same_moment=True),
    ConflictPair("number", "project", "money", "{s} may spend {v} in total.", "The whole budget of {s} is {w}.", "How much may {s} spend in total?", same_moment=True),
    ConflictPair("number", "device", "firmware", "{s} is on firmware {v}.", "The firmware of {s} is {w}.", "Which firmware is {s} on?", same_moment=True),
    ConflictPair("place", "team", "room", "{s} is housed in the {v}.", "The {w} is where {s} is housed.", "Where is {s} housed?", same_moment=True),
    ConflictPair("date", "team", "weekday", "{s} holds its weekly on {v}.", "The weekly of {s} falls on {w}.", "On which day does {s} hold its weekly?", same_moment=True),
)  # fmt: skip

PARAPHRASES = (
    Paraphrase("person", "shift", "Whenever Kurt is ill {s} does the {v} shift.", "{s} does the {v} shift whenever Kurt is ill."),
    Paraphrase("person", "dish", "On birthdays {s} cooks {v} for everyone.", "{s} cooks {v} for everyone on birthdays."),
    Paraphrase("service", "error_tracker", "Since the audit {s} sends its errors to {v}.", "{s} has been sending its errors to {v} since the audit."),
    Paraphrase("project", "chat_channel", "For questions about {s} there is {v}.", "There is {v} for questions about {s}."),
    Paraphrase("self", "early", "At {v} I feed the hens.", "I feed the hens at {v}."),
    Paraphrase("team", "weekday", "{s} has cake every {v}.", "Every {v} {s} has cake."),
    Paraphrase("device", "person", "Only {v} may open {s}.", "{s} may be opened by {v} only."),
    Paraphrase("company", "auditor", "The books of {s} are checked by {v} every spring.", "Every spring the books of {s} are checked by {v}."),
)  # fmt: skip
