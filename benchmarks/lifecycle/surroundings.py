# ruff: noqa: E501
"""Surroundings of the statements that count: other memories, and questions that no store can answer."""

import random

from .values import FIRST_NAMES, SUBJECTS, VALUES

_NOTES = (
    "{p} brought a lemon cake to the retrospective of {t} on {day}.",
    "Lunch with {p} was cancelled because of the storm.",
    "{p} asked for the slides of the talk about {word}.",
    "{p} found a typo in chapter {n} of the handbook.",
    "{p} lost an umbrella in the {room}; it turned up again on {day}.",
    "{p} suggested that the next offsite should have a workshop on {word}.",
    "{p} and {q} argued about tabs in the style guide for an hour.",
    "{p} introduced {q} to the people from {client}.",
    "{p} will water the plants in the {room} while {q} is away.",
    "{p} beat {q} at table football, {n} to 2.",
    "{p} cannot come on {day} because of a dentist appointment.",
    "{p} laughed a lot about the slide with the {word}.",
    "{p} gave a short demo of {r} to visitors from {client}.",
    "{p} spent the whole {day} debugging a flaky test in {c}.",
    "{p} wrote a nice blog post about how {c} survived the traffic of black {day}.",
    "{p} thinks that the onboarding of {o} was chaotic.",
    "{p} borrowed {n} chairs from the {room} for the party.",
    "{p} is looking for a second-hand {word}.",
    "{p} reminded everybody to lock the {room} in the evening.",
    "{p} recommends the museum in {city} to anybody who passes through.",
    "{p} got stuck in an airport for {n} hours on the way to a conference in {city}.",
    "{p} owes {q} {n} coffees after the bet about {r}.",
    "A visitor left a {word} at the reception; {p} has it now.",
    "{c} fell over at {n} in the night when a certificate expired; a restart of the proxy helped.",
    "{c} logged {n} warnings about a deprecated header last {day}.",
    "The flaky integration test of {c} was caused by a clock that jumped.",
    "If {c} hangs at start, delete the lock file that a crash leaves behind.",
    "A memory leak in {c} was traced to an unbounded list of listeners.",
    "The README of {c} has a wrong link in section {n}.",
    "Load test of {c} on {day}: the slowest request was the one with {n} attachments.",
    "{c} must be drained before the node is rebooted.",
    "The dashboard of {c} shows a dip each {day} because of the weekly import.",
    "Never restart {c} while the month-end closing is running.",
    "The incident of {day} in {c} began with a full disk and took {n} hours.",
    "Somebody has to write a runbook for {c}; {p} volunteered.",
    "{r} got a new logo with a {word} in it.",
    "The kickoff of {r} was fun; {p} baked {word} cookies.",
    "The risk list of {r} has {n} open entries.",
    "A journalist from {city} asked about {r}.",
    "{client} sent {n} questions about {r}, mostly on privacy.",
    "The steering committee of {r} liked the prototype with the {word}.",
    "In {r} the naming of columns follows the glossary, except in table {n}.",
    "The interviews for {r} showed that people skip the tutorial.",
    "{r} and {r2} share a glossary that nobody maintains.",
    "The demo video of {r} is {n} minutes long.",
    "{t} went bowling after the release; {p} won.",
    "{t} wants a bigger whiteboard.",
    "{t} found the survey about {word} useless.",
    "{t} spent {day} cleaning up labels.",
    "{t} thanked {p} for the help with the audit.",
    "A guest from {o} joined {t} for a day and talked about {word}.",
    "{t} wrote down {n} learnings after the outage.",
    "{o} sent a hamper with {word} jam at the end of the year.",
    "{o} had a stand with a {word} at the trade fair in {city}.",
    "The contract with {o} has {n} annexes, and annex 3 is missing a signature.",
    "A newspaper wrote that {o} will sponsor the marathon in {city}.",
    "{o} complained about the invoice of {day}.",
    "The webinar of {o} was about {word} and drew {n} people.",
    "To reset the alarm of the {room}, hold the green button for {n} seconds.",
    "The projector in the {room} needs the adapter with the {word} sticker.",
    "Fire drill on {day}: everybody was out within {n} minutes.",
    "The cleaning crew comes to the {room} before dawn.",
    "Booking the {room} needs {n} days' notice.",
    "The plants in the {room} died because nobody watered them.",
    "Train strikes around {city} are announced for {day}.",
    "The visit to {city} taught us to book hotels near the station.",
    "The bakery beside the office in {city} closes early on {day}.",
    "A regular expression with nested groups made the linter slow; {p} rewrote it.",
    "Date parsing broke on the {n}th because of a leap day.",
    "The spreadsheet for the raffle counts {word} tickets twice.",
    "Decision: commit messages mention the ticket, but code comments don't.",
    "The recipe for the {word} soup at the summer party came from {p}.",
    "The keyboard with the {word} keys is a present for {q}.",
    "Rule of thumb from {p}: a meeting without an agenda may be skipped.",
    "Reminder: the badge photos get taken on {day} at the entrance.",
)  # fmt: skip
_THINGS = """lantern walnut compass raspberry zeppelin cactus origami thunder marzipan telescope hedgehog accordion glacier
pumpkin labyrinth satellite cinnamon volcano harpsichord dolphin kaleidoscope juniper typewriter mosaic bicycle pretzel
avalanche chandelier ginger lighthouse meteor rhubarb tapestry windmill saffron trampoline""".split()

OFF_TOPIC = (
    "how to get ink stains out of linen", "who won the 1998 football world cup", "what is the boiling point of ethanol",
    "best fertiliser for tomato seedlings", "how many moons does Jupiter have", "why do cats purr when they are stroked",
    "lyrics of the second verse of Greensleeves", "convert furlongs to kilometres", "how to fold a fitted bed sheet",
    "symptoms of vitamin D deficiency", "when was the Treaty of Westphalia signed", "who painted The Night Watch",
    "how do I prune an apple tree in winter", "what does a quartermaster do in the navy", "rules of backgammon doubling cube",
    "how deep is the Mariana trench", "why is the sky blue at noon", "how to whistle with two fingers",
    "what is the plot of Hamlet", "capital of Burkina Faso", "how to remove candle wax from a tablecloth",
    "difference between alligators and crocodiles", "how long do elephants live", "recipe for sourdough starter with rye flour",
    "what causes northern lights", "how to tie a bowline knot", "who discovered penicillin's crystal structure",
    "what is the GDP of Luxembourg", "how to get rid of fruit flies", "which planets have rings",
    "what happened at the battle of Hastings", "how do noise-cancelling headphones work", "what is a sestina in poetry",
    "how to season a cast-iron pan", "average rainfall in the Atacama desert", "how do vaccines train the immune system",
    "who composed the Brandenburg concertos", "what is the offside rule in ice hockey", "how to knit a heel flap",
    "when do swallows migrate south", "what is the half-life of carbon-14", "how to build a dry stone wall",
    "which wood is best for a longbow", "how do I calm a crying baby at night", "what is the highest peak in the Andes",
    "how does a lock and dam work on a canal", "who wrote The Master and Margarita", "how to sharpen a Japanese chisel",
    "what is the tallest species of bamboo", "how many bones has the human foot", "why do onions make you cry",
    "what does the Rosetta stone say", "how to breed guppies", "when did the Ming dynasty end",
    "what is a tardigrade", "how to brew kombucha at home", "rules for castling when in check",
    "who was the first woman in space", "why does ice float on ponds", "how to read a nautical chart",
    "what is the melting point of tungsten", "how do honeybees find their way", "history of the Ottoman postal system",
    "how to replace a bicycle inner tube by the roadside", "what are the movements of Vivaldi's Four Seasons called",
    "which spider builds orb webs", "how tall was Napoleon really", "what is umami made of",
    "how do tides depend on the phase of the moon", "how to grow oyster mushrooms on straw",
    "when is the next transit of Venus", "what is the difference between jam and marmalade",
    "who invented the zipper", "how do I unclog a bathtub drain", "what does the appendix do in the body",
    "which gemstone is hardest after diamond", "how to make paper from old newspapers", "what language do they speak in Andorra",
    "how do glaciers carve valleys", "who were the Merovingian kings", "what is a cumulonimbus cloud",
    "how to polish brass candlesticks", "why did the Maya cities collapse", "what is the lifespan of a mayfly",
    "how to catch trout with a dry fly", "which muscles does a deadlift use", "how does a bassoon produce sound",
    "what are the ingredients of haggis", "how was Stonehenge built", "why do leaves turn red in October",
    "who directed Seven Samurai", "how to lay ceramic tiles in a wet room", "what is the Fibonacci sequence in pine cones",
    "how do you play a hurdy-gurdy", "which volcano buried Pompeii", "what do koalas eat besides eucalyptus",
    "how are pearls formed in oysters", "what is dark matter made of", "how to train a puppy not to bite",
    "which Roman emperor built the wall across Britain", "how do I make a sundial for my latitude",
    "what is the chemical formula of rust", "how do salmon find their home river", "when was the printing press invented",
    "which chess opening starts with the queen's pawn", "how to identify poisonous berries", "why do joints crack",
    "what is the longest river in Asia", "how to dye wool with onion skins", "what is a black swan in finance theory",
    "who sang at the first Eurovision", "how do solar sails work", "what is the maximum depth for recreational diving",
    "how to plant a hedge of hawthorn", "what did the Vikings eat in winter", "how do geckos stick to glass",
)  # fmt: skip
"""Questions of general knowledge, on which none of the notes says anything."""

_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SYLLABLES = "bla zor quim fep dru lix mog pum tarn vesh gliff snor wub krin yalt jop".split()


def distractors(chance: random.Random, count: int, *, apart: bool = False) -> list[str]:
    """Return `count` different memories that say nothing of any attribute of the benchmark.

    `apart`: at most 75, no two of which are one sentence with other values, since the later one would be an update.
    """
    found: dict[str, None] = {}
    sentences = chance.sample(_NOTES, count) if apart else ()
    while len(found) < count:
        people = chance.sample(FIRST_NAMES, 2)
        projects = chance.sample(SUBJECTS["project"], 2)
        sentence = sentences[len(found)] if apart else chance.choice(_NOTES)
        text = sentence.format(
            p=people[0],
            q=people[1],
            r=projects[0],
            r2=projects[1],
            c=chance.choice(SUBJECTS["service"]),
            t=chance.choice(SUBJECTS["team"]),
            o=chance.choice(SUBJECTS["company"]),
            client=chance.choice(VALUES["client"]),
            city=chance.choice(VALUES["city"]),
            day=chance.choice(VALUES["weekday"]),
            room=chance.choice(VALUES["room"]),
            word=chance.choice(_THINGS),
            n=chance.randint(3, 29),
        )
        found[text[:1].upper() + text[1:] if text.startswith("the ") else text] = None
    return list(found)


def off_topic(chance: random.Random, count: int) -> list[tuple[str, str]]:
    """Return `count` unanswerable queries with their kinds: half general knowledge, half gibberish."""
    foreign = [("off topic", text) for text in chance.sample(OFF_TOPIC, min(len(OFF_TOPIC), count // 2))]
    makers = (_consonants, _mashed, _pseudo_words, _symbols)
    nonsense = [("gibberish", makers[place % len(makers)](chance)) for place in range(count - len(foreign))]
    return [*foreign, *nonsense]


def _consonants(chance: random.Random) -> str:
    return " ".join("".join(chance.choices(_CONSONANTS, k=chance.randint(4, 9))) for _ in range(chance.randint(1, 6)))


def _mashed(chance: random.Random) -> str:
    """Return letters as of a hand that falls onto one row of a keyboard."""
    return "".join(chance.choices(chance.choice(_ROWS), k=chance.randint(6, 18)))


def _pseudo_words(chance: random.Random) -> str:
    """Return a question in the rhythm of English, of words that do not exist."""
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))) for _ in range(3)]
    return chance.choice(("what {} the {} {}", "{} {} {}", "how {} does {} {}", "who {} {} to {}")).format(*words)


def _symbols(chance: random.Random) -> str:
    return "".join(chance.choices("#%&*()[]{}<>/\\|~^+=0123456789xqz ", k=chance.randint(8, 24))).strip() or "%%%"
