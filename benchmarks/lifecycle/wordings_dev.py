# ruff: noqa: E501
"""Attributes in the wordings that rules may be written against. The figures that count come from the held-out ones.

No earlier statement shares a content word with a later one of the same attribute; the generator checks every pair.
"""

from .wording import Attribute

OLD_FRAMES = ("For the record: {text}", "Noted in passing: {text}", "{text} That came up in the weekly call.")
NEW_FRAMES = ("Update: {text}", "Heads-up: {text}", "{text} Please keep this in mind for planning.")

ATTRIBUTES = (
    # People.
    Attribute(
        "employer", "person", "employer",
        ("{s} works at {v}.", "{s} has been working for {v} for about six years.", "Met {s} at the fair, who works for {v}."),
        ("{s} is now employed by {v}.", "{s} joined {v} in {month}.", "{s}'s new employer is {v}."),
        ("Where does {s} work?", "Which company is {s} with?", "Who is {s}'s employer?"),
    ),
    Attribute(
        "job title", "person", "role",
        ("{s} is a {v}.", "By profession {s} is a {v}.", "{s}'s job title is {v}."),
        ("{s} has been promoted to {v}.", "{s} is now the {v} there.", "As of {month}, {s} serves as {v}."),
        ("What is {s}'s job title?", "What role does {s} have?", "What does {s} do for a living?"),
    ),
    Attribute(
        "home city", "person", "city",
        ("{s} lives in {v}.", "{s} has been living in {v} with two cats for years.", "{s} is living in {v} at the moment."),
        ("{s} moved to {v}.", "{s} has relocated to {v} this spring.", "{s} now resides in {v}."),
        ("Where does {s} live?", "What city is {s} in these days?", "In which city does {s} live now?"),
    ),
    Attribute(
        "manager", "person", "person",
        ("{s} reports to {v}.", "At the review {s} said that {v} is the boss.", "{s}'s line manager is {v}."),
        ("{v} took over as supervisor of {s}.", "{s} is supervised by {v} now.", "Since the reorganisation {s} answers to {v}."),
        ("Who is {s}'s manager?", "Who does {s} report to?", "Who is the boss of {s}?"),
    ),
    Attribute(
        "phone number", "person", "phone",
        ("{s}'s phone number is {v}.", "You can call {s} on {v}.", "Phone for {s}: {v}"),
        ("{s} changed mobile numbers and is at {v} now.", "New mobile of {s} is {v}.", "{s} can now be reached at {v}."),
        ("What is {s}'s phone number?", "Which number do I call {s} on?", "How do I reach {s} by phone?"),
    ),
    Attribute(
        "email address", "person", "email",
        ("{s}'s email address is {v}.", "Send the minutes to {s} at {v}.", "Email for {s}: {v}"),
        ("{s} switched to a different mailbox, {v}.", "{s} now uses {v} for mail.", "From {month} on, write to {s} under {v}."),
        ("What is {s}'s email address?", "Where should I email {s}?", "Which email does {s} use?"),
    ),
    Attribute(
        "diet", "person", "diet",
        ("{s} follows a {v} diet.", "{s}'s diet is {v}.", "{s} has been on a {v} diet for ages."),
        ("{s} eats {v} these days.", "{s} has switched to {v} food.", "{s} turned {v} in {month}."),
        ("What diet does {s} follow?", "What kind of food does {s} eat?", "Is {s} on a special diet?"),
    ),
    Attribute(
        "car", "person", "car",
        ("{s} drives a {v}.", "{s}'s car is a {v}.", "{s} usually drives to the office in a {v}."),
        ("{s} traded it in and owns a {v} now.", "{s} has bought a {v} as a replacement.", "{s} replaced the old vehicle with a {v}."),
        ("What car does {s} drive?", "Which car does {s} have?", "What does {s} drive?"),
    ),
    Attribute(
        "preferred channel", "person", "channel",
        ("{s} prefers to be contacted by {v}.", "The best way to contact {s} is {v}.", "{s}'s preferred contact method is {v}."),
        ("{s} would rather get a {v} these days.", "Reach out to {s} via {v} from now on.", "{s} only answers on {v} now."),
        ("How does {s} prefer to be contacted?", "What is the best way to reach {s}?", "How should I contact {s}?"),
    ),
    Attribute(
        "coffee order", "person", "drink",
        ("{s}'s usual order is a {v}.", "{s} always orders a {v}.", "When we go out {s} orders a {v}."),
        ("{s}'s favourite drink is {v} now.", "{s} drinks {v} these days.", "{s} has gone over to drinking {v}."),
        ("What does {s} usually drink?", "What is {s}'s usual order?", "Which drink should I get for {s}?"),
    ),
    Attribute(
        "bank", "person", "bank",
        ("{s} banks with {v}.", "{s}'s bank is {v}.", "{s} keeps a current account with {v} as main bank."),
        ("{s} moved all the money to {v}.", "{s} has switched to {v} for personal finances.", "{s} is a customer of {v} now."),
        ("Which bank does {s} use?", "Who does {s} bank with?", "What is {s}'s bank?"),
    ),
    Attribute(
        "field of study", "person", "subject_of_study",
        ("{s} is studying {v}.", "{s} studies {v} at the university.", "{s} is a {v} student."),
        ("{s} changed majors to {v}.", "{s}'s major is {v} now.", "{s} has transferred into the {v} programme."),
        ("What does {s} study?", "What is {s}'s major?", "Which subject is {s} studying?"),
    ),
    Attribute(
        "commute", "person", "transport",
        ("{s} commutes by {v}.", "{s}'s commute is by {v}.", "{s} has commuted by {v} ever since the opening."),
        ("{s} now gets to the office by {v}.", "{s} travels in by {v} nowadays.", "{s} takes the {v} to work now."),
        ("How does {s} commute?", "How does {s} get to work?", "What does {s} take to the office?"),
    ),
    Attribute(
        "current book", "person", "book",
        ("{s} is currently reading {v}.", "{s} has started to read {v}.", "At the moment {s} reads {v} on the train."),
        ("{s} finished that and picked up {v}.", "{s}'s current book is {v}.", "{s} is now halfway through {v}."),
        ("What is {s} reading?", "Which book is {s} reading at the moment?", "What is {s}'s current book?"),
    ),
    Attribute(
        "favourite restaurant", "person", "restaurant",
        ("{s}'s favourite restaurant is {v}.", "{s}'s favourite place to eat is {v}.", "Favourite restaurant of {s}: {v}"),
        ("Lately {s} likes {v} best of all for dinner.", "{s} prefers {v} for going out now.", "{s} now prefers dining at {v}."),
        ("What is {s}'s favourite restaurant?", "Where does {s} like to eat most?", "Which restaurant does {s} prefer?"),
    ),
    Attribute(
        "surname", "first name", "surname",
        ("{s}'s last name is {v}.", "{s}'s surname is {v}.", "Surname of {s}: {v}"),
        ("{s} got married and is called {v} now.", "{s} took the family name {v} after the wedding.", "{s} goes by {v} since marrying."),
        ("What is {s}'s last name?", "What is {s}'s surname?", "What is {s} called by last name?"),
    ),
    # The user, of themselves.
    Attribute(
        "editor", "self", "editor",
        ("I use {v} as my editor.", "My editor is {v}.", "The user writes all code in {v} as the main editor."),
        ("I've switched to {v} for coding.", "These days I code in {v}.", "The user has moved over to {v}, also for programming."),
        ("Which editor do I use?", "What is the user's editor?", "What editor does the user write code in?"),
    ),
    Attribute(
        "answer language", "self", "language",
        ("I want answers in {v}.", "Please answer me in {v}.", "The user likes answers in {v}."),
        ("From now on reply in {v}, please.", "The user now prefers replies in {v}.", "Talk to me in {v} from {month} on."),
        ("Which language should I answer the user in?", "What language does the user want replies in?", "In which language do I want answers?"),
    ),
    Attribute(
        "theme", "self", "theme",
        ("I use the {v} theme everywhere.", "The user's preferred theme is {v}.", "My IDE theme is {v}."),
        ("I've changed my mind: {v} mode from now on.", "The user switched the interface to {v} mode.", "I keep everything in {v} mode now."),
        ("Which theme do I use?", "What theme does the user prefer?", "Which colour theme does the user have?"),
    ),
    Attribute(
        "package manager", "self", "package_manager",
        ("I manage Python dependencies with {v}.", "The user's package manager for Python is {v}.", "My Python package manager is {v}."),
        ("I now install everything through {v}.", "I dropped the old tool and install with {v} these days.", "The user has migrated to {v} for installing libraries."),
        ("Which package manager do I use for Python?", "How does the user install Python packages?", "What is the user's package manager?"),
    ),
    Attribute(
        "browser", "self", "browser",
        ("I browse with {v}.", "My default browser is {v}.", "The user's browser is {v}."),
        ("I surf with {v} now.", "I've switched to {v} for the web.", "The user has been opening web pages in {v} since {month}."),
        ("Which browser do I use?", "What is the user's default browser?", "What browser is the user on?"),
    ),
    Attribute(
        "notes app", "self", "notes_app",
        ("I keep my notes in {v}.", "The user takes notes in {v}.", "All of my notes are in {v}."),
        ("I write everything down in {v} now.", "The user has migrated the whole knowledge base to {v}.", "My second brain moved to {v}."),
        ("Where do I keep my notes?", "Which app does the user take notes in?", "What is my notes app?"),
    ),
    Attribute(
        "wake-up time", "self", "early",
        ("I wake up at {v}.", "The user's alarm wakes them at {v}.", "My usual wake-up time is {v}."),
        ("I get out of bed at {v} these days.", "The user now rises at {v}.", "I've started getting up at {v}."),
        ("When do I get up?", "What time does the user wake up?", "At what time do I wake up?"),
    ),
    Attribute(
        "test framework", "self", "test_framework",
        ("I write tests with {v}.", "My test framework is {v}.", "The user runs tests with {v}."),
        ("The user has switched to {v} for checking code.", "I've gone over to {v} for all suites.", "I do all unit checks through {v} now."),
        ("Which test framework do I use?", "What does the user test with?", "Which framework should tests be written in for the user?"),
    ),
    Attribute(
        "reply style", "self", "tone",
        ("I like {v} answers.", "The user prefers answers to be {v}.", "Keep answers {v}, please."),
        ("From now on make replies {v}.", "The user now wants {v} replies.", "I'd rather have {v} responses these days."),
        ("What style of answers do I like?", "How should replies to the user be?", "What kind of answers does the user prefer?"),
    ),
    # Projects.
    Attribute(
        "deadline", "project", "date",
        ("The deadline for {s} is {v}.", "{s} is due on {v}.", "{s} has to be finished by {v}, which is the deadline."),
        ("{s} has been rescheduled to {v}.", "{s} will ship on {v} now.", "Delivery of {s} was moved to {v}."),
        ("When is the deadline for {s}?", "When is {s} due?", "What is the due date of {s}?"),
    ),
    Attribute(
        "project lead", "project", "person",
        ("{s} is led by {v}.", "The lead of {s} is {v}.", "{v} leads {s}."),
        ("{v} is in charge of {s} now.", "{v} has taken over {s}.", "{s} is now run by {v}."),
        ("Who leads {s}?", "Who is in charge of {s}?", "Who is the lead of {s}?"),
    ),
    Attribute(
        "budget", "project", "money",
        ("The budget of {s} is {v}.", "{s} has a budget of {v}.", "We budgeted {v} for {s}."),
        ("Funding for {s} was changed to {v}.", "{s} may now spend {v}.", "Management has approved {v} in total for {s} now."),
        ("What is the budget of {s}?", "How much money does {s} have?", "How large is {s}'s budget?"),
    ),
    Attribute(
        "repository host", "project", "forge",
        ("The code of {s} is hosted on {v}.", "{s} is hosted at {v}.", "{s}'s code lives on {v}."),
        ("The repository of {s} moved to {v}.", "{s} was migrated to {v} in {month}.", "You find the sources for {s} at {v} now."),
        ("Where is the code of {s} hosted?", "Where is the repository of {s}?", "On which platform is {s}'s code?"),
    ),
    Attribute(
        "implementation language", "project", "programming_language",
        ("{s} is written in {v}.", "{s} is a {v} project, all written by hand.", "We write {s} in {v}."),
        ("{s} was ported to {v}.", "The codebase of {s} is all {v} now.", "{s} has been reimplemented using {v}."),
        ("What language is {s} written in?", "Which programming language does {s} use?", "What is {s} implemented in?"),
    ),
    Attribute(
        "licence", "project", "licence",
        ("{s} is licensed under {v}.", "The licence of {s} is {v}.", "{s} has the {v} licence."),
        ("{s} is now released under {v}.", "From {month} on {s} is distributed under {v}.", "{s} switched over to {v} terms."),
        ("Which licence does {s} have?", "How is {s} licensed?", "Under which licence is {s} released?"),
    ),
    Attribute(
        "issue tracker", "project", "tracker",
        ("{s} tracks issues in {v}.", "The issue tracker of {s} is {v}.", "Issues of {s} are tracked in {v}."),
        ("Tickets for {s} go to {v} now.", "{s} has migrated its backlog to {v}.", "File bugs against {s} in {v} from now on."),
        ("Where are issues of {s} tracked?", "Which issue tracker does {s} use?", "Where do tickets for {s} go?"),
    ),
    # Services.
    Attribute(
        "database", "service", "database",
        ("{s} stores its data in {v}.", "{s} uses {v} as its database.", "The database behind {s} is {v}."),
        ("{s} was migrated to {v}.", "{s} runs on {v} now.", "{s} persists everything in {v} since {month}."),
        ("Which database does {s} use?", "What database is behind {s}?", "Where does {s} store its data?"),
    ),
    Attribute(
        "port", "service", "port",
        ("{s} listens on port {v}.", "The port of {s} is {v}.", "{s} is on port {v}."),
        ("{s} is now reachable at localhost:{v}.", "{s} was rebound to {v}.", "{s} answers at :{v} since the last release."),
        ("Which port does {s} listen on?", "What port is {s} on?", "What is the port of {s}?"),
    ),
    Attribute(
        "cloud", "service", "cloud",
        ("{s} is hosted on {v}.", "{s} is deployed on {v}.", "The hosting provider of {s} is {v}."),
        ("{s} moved to {v}.", "{s} runs in {v} now.", "In {month} we migrated {s} over to {v}."),
        ("Where is {s} hosted?", "Which cloud does {s} run on?", "What is the hosting provider of {s}?"),
    ),
    Attribute(
        "message queue", "service", "queue",
        ("{s} uses {v} as its message queue.", "{s} gets its messages from {v}.", "Message broker of {s}: {v}"),
        ("{s} consumes events through {v} now.", "{s} has been switched over to {v} for eventing.", "For async jobs, {s} was moved to {v}."),
        ("Which message queue does {s} use?", "Where does {s} get its messages from?", "What is the message broker of {s}?"),
    ),
    Attribute(
        "authentication", "service", "auth",
        ("{s} authenticates clients with {v}.", "Authentication in {s} is by {v}.", "{s} uses {v} for authentication."),
        ("Callers log in to {s} with {v} now.", "{s} switched its login to {v}.", "{s} now logs every caller in with {v}."),
        ("How does {s} authenticate clients?", "Which authentication does {s} use?", "How do callers authenticate to {s}?"),
    ),
    Attribute(
        "CI", "service", "ci",
        ("{s} is built by {v}.", "Builds of {s} run on {v}.", "{s}'s CI is {v}."),
        ("The pipeline of {s} was moved to {v}.", "{s} has its pipeline in {v} now.", "We switched {s}'s pipeline over to {v}."),
        ("Which CI does {s} use?", "Where does the pipeline of {s} run?", "What builds {s}?"),
    ),
    Attribute(
        "log retention", "service", "period",
        ("{s} keeps its logs for {v}.", "Logs of {s} are kept for {v}.", "The log retention of {s} is {v}."),
        ("{s} now purges its traces after {v}.", "History in {s} gets deleted after {v} from now on.", "Old records of {s} are now thrown away after {v}."),
        ("How long does {s} keep its logs?", "What is the log retention of {s}?", "After how long are logs of {s} deleted?"),
    ),
    Attribute(
        "replicas", "service", "count",
        ("{s} runs {v} replicas.", "{s} has {v} replicas in production.", "The replica count of {s} is {v}."),
        ("{s} was scaled to {v} instances.", "There are now {v} instances of {s}.", "{s} got rescaled to {v} pods."),
        ("How many replicas does {s} run?", "How many instances of {s} are there?", "What is the replica count of {s}?"),
    ),
    Attribute(
        "timeout", "service", "seconds",
        ("The timeout of {s} is {v} seconds.", "{s} times out after {v} seconds.", "{s} has a timeout of {v} seconds."),
        ("{s} now gives up after {v}s.", "We let {s} wait {v}s before giving up now.", "{s} aborts requests at {v}s since {month}."),
        ("What is the timeout of {s}?", "After how many seconds does {s} time out?", "How long does {s} wait before giving up?"),
    ),
    # Teams, companies, devices.
    Attribute(
        "stand-up time", "team", "morning",
        ("{s} has its standup at {v}.", "The daily standup of {s} is at {v}.", "{s}'s standup is at {v}."),
        ("The morning check-in of {s} was moved to {v}.", "{s} now meets every morning at {v}.", "{s} will gather at {v} each morning from now on."),
        ("When is the standup of {s}?", "What time does {s} meet daily?", "At what time is {s}'s standup?"),
    ),
    Attribute(
        "team lead", "team", "person",
        ("{s} is led by {v}.", "The lead of {s} is {v}.", "{v} leads {s}."),
        ("{v} took over {s}.", "{v} is the new head of {s}.", "{s} is now headed by {v}."),
        ("Who leads {s}?", "Who is the lead of {s}?", "Who is the head of {s}?"),
    ),
    Attribute(
        "team size", "team", "people_count",
        ("{s} has {v} members.", "There are {v} members in {s}.", "{s} consists of {v} members."),
        ("{s} is now {v} people.", "After the last round of changes, {s} is {v} people strong.", "Headcount in {s} now stands at {v}."),
        ("How many people are in {s}?", "How big is {s}?", "How many members does {s} have?"),
    ),
    Attribute(
        "chief executive", "company", "person",
        ("The CEO of {s} is {v}.", "{v} is the CEO of {s}.", "{s}'s CEO is {v}."),
        ("{v} has been appointed chief executive at {s}.", "{v} now heads {s}.", "{v} took over as head of {s}."),
        ("Who is the CEO of {s}?", "Who runs {s}?", "Who is the chief executive of {s}?"),
    ),
    Attribute(
        "headquarters", "company", "city",
        ("{s} is headquartered in {v}.", "The headquarters of {s} are in {v}.", "{s} has its headquarters in {v}."),
        ("{s} moved its head office to {v}.", "The main office of {s} is in {v} now.", "{s} has relocated its seat to {v}."),
        ("Where is {s} headquartered?", "Where are the headquarters of {s}?", "In which city is {s}'s head office?"),
    ),
    Attribute(
        "address on the network", "device", "ip",
        ("The IP address of {s} is {v}.", "{s} has the IP {v}.", "{s}'s IP address is {v}."),
        ("{s} was moved to {v} on the network.", "{s} is now reachable at {v}.", "{s} got {v} assigned after the rewiring."),
        ("What is the IP address of {s}?", "Which IP does {s} have?", "At what address is {s} on the network?"),
    ),
    Attribute(
        "location", "device", "room",
        ("{s} is in the {v}.", "{s} stands in the {v}.", "You find {s} in the {v}."),
        ("{s} was moved to the {v}.", "{s} has been relocated to the {v}.", "We have put {s} over in the {v} now."),
        ("Where is {s}?", "In which room is {s}?", "Where do I find {s}?"),
    ),
)  # fmt: skip
