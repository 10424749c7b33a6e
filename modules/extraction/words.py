"""The verbs and nouns by which first-person sentences are classified; English, all in lower case."""

PREFERENCES = frozenset("love like enjoy prefer hate dislike".split())
"""Verbs after "I" that state a preference."""
STATES = frozenset(
    """live work study have own use play teach run speak drive volunteer practise practice collect grow raise manage
    lead commute cycle sing paint cook bake sleep earn report drink eat smoke keep host deploy store write follow
    support avoid wear watch go""".split()
)
"""Verbs after "I" or "we" that state how things are."""
DECISIONS = frozenset(
    """decided chose agreed settled switched migrated adopted picked selected moved replaced renamed deprecated dropped
    upgraded""".split()
)
EVENTS = DECISIONS | frozenset(
    """bought sold joined left quit started finished began graduated married retired signed enrolled launched founded
    won lost broke became went visited attended met planted built published hired passed completed taught""".split()
)
"""Verbs of events worth remembering; what was done with a file or a command a moment ago is not."""
DONE = frozenset(
    """created added fixed updated changed removed deleted renamed moved wrote implemented configured installed deployed
    set scheduled booked ordered sent enabled disabled merged replaced upgraded migrated""".split()
)
"""Verbs by which the assistant says what it did."""
PEOPLE = frozenset(
    """wife husband partner girlfriend boyfriend mother father mom mum dad brother sister son daughter child kids
    children cousin uncle aunt nephew niece grandmother grandfather grandma grandpa parents friend boss manager
    colleague neighbour neighbor flatmate roommate landlord doctor dentist therapist teacher mentor team family dog cat
    pet""".split()
)
