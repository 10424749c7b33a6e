# ruff: noqa: E501
"""Attributes in the wordings that the figures come from. Whoever writes rules never reads this file.

No earlier statement shares a content word with a later one of the same attribute; the generator checks every pair.
"""

from .wording import Attribute

OLD_FRAMES = ("From the onboarding notes: {text}", "Good to know: {text}", "{text} We talked about it over lunch.")
NEW_FRAMES = ("News: {text}", "Just heard: {text}", "{text} Remember that when preparing the next visit.")

ATTRIBUTES = (
    # People.
    Attribute(
        "employer", "person", "employer",
        ("{s} has a job at {v}.", "{s} is an employee of {v} and handles the northern accounts.", "{s} is employed at {v}, in the Berlin office."),
        ("{s} left for {v} in {month}.", "{s} started working for {v} this week.", "{s} has been hired by {v}, the first day was Monday.", "{s} isn't at the old firm any more but works for {v}."),
        ("Who does {s} work for?", "What company does {s} work at?", "Which firm is {s} employed by?"),
    ),
    Attribute(
        "job title", "person", "role",
        ("{s} works as a {v}.", "{s} earns a living as a {v}.", "On the org chart {s} is listed as {v}."),
        ("{s}'s new role is {v}.", "{s} was made {v} in {month}.", "{s} became {v} after the last round of promotions.", "{s}'s position has changed to {v}."),
        ("What is {s}'s role?", "What position does {s} hold?", "What is {s} working as?"),
    ),
    Attribute(
        "home city", "person", "city",
        ("{s} is based in {v}.", "{s}'s home is in {v}, close to the river.", "{s} has a flat in {v} and stays there all week."),
        ("{s} lives in {v} now.", "{s} has just moved over to {v} with the whole family.", "{s} packed up and settled in {v}.", "As of {month} {s} is living in {v}."),
        ("Where is {s} based?", "What city does {s} live in?", "Where is {s} living at present?"),
    ),
    Attribute(
        "manager", "person", "person",
        ("{s}'s boss is {v}.", "{v} manages {s}.", "{v} is {s}'s manager and signs off the holidays."),
        ("{s} reports to {v} now.", "{s} has a new supervisor, {v}.", "From {month} onwards {s} will be reporting to {v}."),
        ("Who manages {s}?", "Who is {s}'s boss?", "To whom does {s} report?"),
    ),
    Attribute(
        "phone number", "person", "phone",
        ("Reach {s} on {v}.", "If it's urgent, ring {s} at {v}.", "{s} can be called on {v}."),
        ("{s} has a new phone number: {v}.", "{s}'s phone number has changed to {v}.", "The number for {s} is {v} now, the old one is dead."),
        ("What's {s}'s number?", "On what number can I phone {s}?", "How can I call {s}?"),
    ),
    Attribute(
        "email address", "person", "email",
        ("{s} can be emailed at {v}.", "{s} reads email sent to {v}.", "The email for {s} is {v}."),
        ("{s} has a new address for messages: {v}.", "Please write to {s} at {v} from now on.", "{s}'s address changed to {v}."),
        ("What's {s}'s email?", "Which address do I write to {s} at?", "To which email address do I send {s} something?"),
    ),
    Attribute(
        "diet", "person", "diet",
        ("{s} is {v}.", "{s} sticks to {v} meals.", "For catering: {s} only has {v} dishes."),
        ("{s} went {v} in {month}.", "{s}'s diet is {v} now.", "{s} follows a {v} diet these days.", "{s} has become {v} on the doctor's advice."),
        ("What does {s} eat?", "What is {s}'s diet?", "Which diet is {s} on?"),
    ),
    Attribute(
        "car", "person", "car",
        ("{s} owns a {v}.", "{s} has a {v} parked in the garage.", "The vehicle that {s} has is a {v}."),
        ("{s} drives a {v} now.", "{s} bought a {v} and sold the previous one.", "{s}'s new car is a {v}."),
        ("Which car does {s} drive?", "What car has {s} got?", "What is {s}'s car?"),
    ),
    Attribute(
        "preferred channel", "person", "channel",
        ("{s} likes to be reached by {v}.", "{s} wants to hear from us by {v}.", "{v} is how {s} would like to be reached."),
        ("{s} now prefers {v} for contact.", "{s} asked us to make contact over {v} from now on.", "{s}'s preferred channel is {v} these days."),
        ("How does {s} want to be reached?", "What is {s}'s preferred contact channel?", "Which channel does {s} prefer?"),
    ),
    Attribute(
        "coffee order", "person", "drink",
        ("{s}'s favourite drink is a {v}.", "{s} drinks a {v} every morning.", "{s}'s go-to drink is a {v}."),
        ("{s}'s usual is a {v} now.", "{s} has switched to ordering {v}.", "{s} prefers a {v} these days."),
        ("What is {s}'s favourite drink?", "What does {s} like to drink?", "What should I order for {s} to drink?"),
    ),
    Attribute(
        "bank", "person", "bank",
        ("{s}'s account is with {v}.", "{s} has an account at {v} that the salary goes to.", "{s} uses {v} for banking."),
        ("{s} switched banks and is with {v} now.", "{s} has changed over to {v} as bank.", "{s}'s bank is now {v}."),
        ("What bank is {s} with?", "Who is {s}'s bank?", "Where does {s} bank?"),
    ),
    Attribute(
        "field of study", "person", "subject_of_study",
        ("{s} is majoring in {v}.", "{s}'s major is {v}.", "{s} is enrolled in {v}."),
        ("{s} now studies {v}.", "{s} switched to studying {v} in {month}.", "{s} dropped the earlier subject and studies {v}."),
        ("What is {s} studying?", "What does {s} major in?", "Which field does {s} study?"),
    ),
    Attribute(
        "commute", "person", "transport",
        ("{s} goes to work by {v}.", "{s} comes to the office by {v}.", "{s} takes the {v} to work."),
        ("{s} commutes by {v} now.", "{s} has changed to commuting by {v}.", "Since {month} {s} travels by {v} each day."),
        ("How does {s} come to work?", "What means of transport does {s} commute with?", "How does {s} get in every day?"),
    ),
    Attribute(
        "current book", "person", "book",
        ("{s} is halfway into the novel {v}.", "The book that {s} has on the nightstand is {v}.", "{s} is in the middle of the novel {v}."),
        ("{s} is reading {v} now.", "{s} has moved on to reading {v}.", "{s} finished that one and is now reading {v}."),
        ("What is {s} reading these days?", "Which novel is {s} in the middle of?", "What book is {s} on?"),
    ),
    Attribute(
        "favourite restaurant", "person", "restaurant",
        ("{s} likes to eat at {v} more than anywhere else.", "{s}'s top choice for dinner is {v}.", "The restaurant {s} loves best is {v}."),
        ("{s}'s new favourite place is {v}.", "{s}'s favourite is {v} now.", "These days {s}'s favourite spot is {v}."),
        ("Where does {s} like to have dinner?", "What restaurant does {s} like best?", "Which restaurant is {s}'s favourite?"),
    ),
    Attribute(
        "surname", "first name", "surname",
        ("{s}'s family name is {v}.", "{s} signs with the surname {v}.", "Family name of {s}: {v}"),
        ("{s} changed their last name to {v}.", "{s} is officially called {v} since the divorce.", "Since the wedding, {s}'s last name is {v}."),
        ("What's {s}'s surname?", "What is {s}'s family name?", "Which last name does {s} have?"),
    ),
    # The user, of themselves.
    Attribute(
        "editor", "self", "editor",
        ("{v} is my editor of choice.", "The user edits code in {v}.", "I edit everything in {v}, with the default key bindings."),
        ("The user's IDE is {v} now.", "I moved to {v} for development last week.", "I have replaced my old IDE with {v}."),
        ("What editor do I use?", "In which editor does the user write code?", "What is my preferred editor?"),
    ),
    Attribute(
        "answer language", "self", "language",
        ("The user wants replies in {v}.", "Reply to me in {v}.", "I prefer to get responses in {v}."),
        ("Please answer in {v} from now on.", "The user now wants answers in {v}.", "Switch to {v} when you answer me."),
        ("What language should replies be in?", "In what language does the user want to be answered?", "Which language do I want answers in?"),
    ),
    Attribute(
        "theme", "self", "theme",
        ("I like {v} mode.", "The user works in {v} mode.", "My screens are all in {v} mode."),
        ("The user's theme is {v} now.", "I've changed my theme to {v}.", "I prefer a {v} theme these days."),
        ("Which mode do I like my screens in?", "What theme do I like?", "Is the user's theme dark or something else?"),
    ),
    Attribute(
        "package manager", "self", "package_manager",
        ("For Python packages I use {v}.", "The user installs packages with {v}.", "{v} is my package manager for Python."),
        ("I handle dependencies with {v} now.", "The user has moved all dependencies to {v}.", "The user has been pulling in dependencies through {v} since {month}."),
        ("What do I install Python packages with?", "Which Python package manager does the user use?", "What does the user manage dependencies with?"),
    ),
    Attribute(
        "browser", "self", "browser",
        ("I use {v} for the web.", "The user's default for web pages is {v}.", "I open links in {v}."),
        ("My browser is {v} now.", "The user changed browsers to {v}.", "I've moved my browsing to {v}."),
        ("What's my browser?", "Which browser does the user use?", "In which browser do I open links?"),
    ),
    Attribute(
        "notes app", "self", "notes_app",
        ("{v} is where I write things down.", "The user jots everything down in {v}.", "I organise my thoughts in {v}."),
        ("I moved my notes to {v}.", "The user's notes are in {v} now.", "I've switched to {v} for taking notes."),
        ("Where are my notes?", "What app do I take notes with?", "Which notes app does the user use?"),
    ),
    Attribute(
        "wake-up time", "self", "early",
        ("I get up at {v}.", "The user gets up at {v} on weekdays and weekends alike.", "I rise at {v}."),
        ("My alarm rings at {v} now.", "I now wake up at {v}.", "The user has changed the alarm to {v}."),
        ("What time do I wake up?", "When does the user get up?", "When am I up in the morning?"),
    ),
    Attribute(
        "test framework", "self", "test_framework",
        ("{v} is what I test with.", "The user's test framework is {v}.", "I do my testing with {v}."),
        ("I changed over to {v} for unit suites.", "The user now does all unit suites with {v}.", "My suites run on {v} from now on."),
        ("What do I write tests with?", "Which testing framework does the user use?", "What is my test framework?"),
    ),
    Attribute(
        "reply style", "self", "tone",
        ("The user likes replies to be {v}.", "I want {v} replies.", "My preferred style for replies is {v}."),
        ("I prefer {v} answers now.", "Give me {v} answers from now on.", "The user asked for {v} answers instead."),
        ("What kind of answers do I prefer?", "Which style of replies does the user want?", "How should you answer me?"),
    ),
    # Projects.
    Attribute(
        "deadline", "project", "date",
        ("{s} needs to ship by {v}.", "{s} has to be delivered by {v}.", "We promised {s} for {v}."),
        ("The deadline for {s} was moved to {v}.", "{s}'s new due date is {v}.", "{s} is now due on {v}.", "The deadline of {s} slipped, it's {v} now."),
        ("What's the deadline of {s}?", "By when does {s} have to be finished?", "What is {s}'s due date?"),
    ),
    Attribute(
        "project lead", "project", "person",
        ("{v} runs {s}.", "{v} is in charge of {s}.", "{v} heads {s}, with two deputies."),
        ("{s} is led by {v} now.", "{v} became the lead of {s}.", "The lead of {s} has changed: it's {v}."),
        ("Who runs {s}?", "Who heads {s}?", "Who is leading {s}?"),
    ),
    Attribute(
        "budget", "project", "money",
        ("{s} may spend {v}.", "We have {v} available for {s}.", "{s} is funded with {v}."),
        ("The budget for {s} has been changed to {v}.", "{s} now has a budget of {v}.", "They set a new budget of {v} for {s}."),
        ("How big is the budget of {s}?", "What budget does {s} have?", "How much can {s} spend?"),
    ),
    Attribute(
        "repository host", "project", "forge",
        ("The repository of {s} is on {v}.", "{s} keeps its repository on {v}.", "You can clone {s} from {v}."),
        ("{s} has moved its code to {v}.", "The code for {s} is hosted on {v} now.", "{s} is now hosted at {v}."),
        ("Where is {s} hosted?", "Where does the code of {s} live?", "On which site is the repository of {s}?"),
    ),
    Attribute(
        "implementation language", "project", "programming_language",
        ("{s} is implemented in {v}.", "{s} is coded in {v}.", "{s}'s codebase is in {v}."),
        ("{s} was rewritten in {v}.", "We have rewritten {s} in {v}.", "{s} is now written in {v}."),
        ("What is {s} written in?", "In which programming language is {s} written?", "Which language is {s} implemented in?"),
    ),
    Attribute(
        "licence", "project", "licence",
        ("{s} is released under {v}.", "{s} ships under {v}.", "{s} is published under the terms of {v}."),
        ("{s}'s license was changed to {v}.", "{s} has been relicensed under {v}.", "{s} is now licensed under {v}."),
        ("What is the licence of {s}?", "Under what licence does {s} ship?", "What license does {s} use?"),
    ),
    Attribute(
        "issue tracker", "project", "tracker",
        ("Tickets of {s} are in {v}.", "Bugs in {s} are reported in {v}.", "{s} has its tickets in {v}."),
        ("{s} now tracks its issues in {v}.", "The issue tracker for {s} was changed to {v}.", "Issues of {s} moved to {v}."),
        ("What is the issue tracker of {s}?", "Where do I report a bug in {s}?", "Where are {s}'s tickets?"),
    ),
    # Services.
    Attribute(
        "database", "service", "database",
        ("{s} is backed by {v}.", "{s} persists to {v}.", "{s} reads from and writes to {v}."),
        ("{s} now uses {v} as its database.", "We moved {s}'s data to {v}.", "The database of {s} was replaced by {v}."),
        ("What database does {s} use?", "What is {s} backed by?", "Where is the data of {s} stored?"),
    ),
    Attribute(
        "port", "service", "port",
        ("{s} runs on port {v}.", "{s} is bound to port {v}.", "{s} serves on port {v}."),
        ("{s} listens on {v} now.", "{s} has been changed to listen on {v}.", "{s} was moved to {v} to avoid a clash."),
        ("On which port does {s} run?", "What port does {s} listen on?", "Which port is {s} on?"),
    ),
    Attribute(
        "cloud", "service", "cloud",
        ("{s} runs on {v}.", "{s} lives in {v}.", "We run {s} in {v}."),
        ("{s} has been migrated to {v}.", "{s} is hosted by {v} now.", "Hosting of {s} was moved to {v}."),
        ("Which cloud is {s} on?", "What cloud hosts {s}?", "Which provider is {s} hosted with?"),
    ),
    Attribute(
        "message queue", "service", "queue",
        ("{s} publishes its events to {v}.", "{s} talks to {v} for its events.", "The events of {s} go through {v}."),
        ("{s}'s message broker is now {v}.", "{s} was moved to {v} as its message queue.", "The message queue behind {s} was replaced by {v}."),
        ("What message queue does {s} use?", "Which broker does {s} publish events to?", "What is {s}'s message queue?"),
    ),
    Attribute(
        "authentication", "service", "auth",
        ("{s} requires {v} to log in.", "Clients log in to {s} with {v}.", "Login to {s} is by {v}."),
        ("{s} authenticates with {v} now.", "Authentication in {s} was changed to {v}.", "{s} now uses {v} for authentication."),
        ("How does one log in to {s}?", "What authentication does {s} use?", "How are clients of {s} authenticated?"),
    ),
    Attribute(
        "CI", "service", "ci",
        ("The pipeline of {s} runs on {v}.", "{s}'s pipeline is in {v}.", "The pipelines of {s} live in {v}."),
        ("{s} is now built with {v}.", "Builds of {s} were moved to {v}.", "CI for {s} has been switched to {v}."),
        ("What CI does {s} use?", "What is {s} built with?", "On which CI does {s}'s pipeline run?"),
    ),
    Attribute(
        "log retention", "service", "period",
        ("{s} deletes logs after {v}.", "{s} retains logs for {v}.", "We keep the logs of {s} for {v}."),
        ("Retention in {s} was changed to {v}.", "{s} now drops its records after {v}.", "{s} holds on to its records for {v} now."),
        ("How long are logs of {s} kept?", "For how long does {s} retain logs?", "What is {s}'s log retention?"),
    ),
    Attribute(
        "replicas", "service", "count",
        ("{s} has {v} instances.", "There are {v} instances of {s}.", "We run {v} instances of {s} behind the balancer."),
        ("{s} now runs with {v} replicas.", "{s} was changed to {v} replicas.", "The replica count of {s} is {v} now."),
        ("How many replicas does {s} have?", "How many instances does {s} run?", "What's {s}'s replica count?"),
    ),
    Attribute(
        "timeout", "service", "seconds",
        ("{s} gives up after {v} seconds.", "{s} waits {v} seconds for an answer before it gives up.", "{s} aborts a request after {v} seconds."),
        ("{s}'s timeout was changed to {v}s.", "{s} now has a timeout of {v}s.", "The timeout of {s} is {v}s now."),
        ("How long is the timeout of {s}?", "What timeout does {s} have?", "After how long does {s} give up?"),
    ),
    # Teams, companies, devices.
    Attribute(
        "stand-up time", "team", "morning",
        ("{s} has its daily at {v}.", "{s} does the daily meeting at {v}.", "Every day {s} meets at {v}."),
        ("{s}'s standup was moved to {v}.", "The standup of {s} is at {v} now.", "{s} now holds its standup at {v}."),
        ("What time is {s}'s standup?", "When does {s} have its standup?", "When is the daily of {s}?"),
    ),
    Attribute(
        "team lead", "team", "person",
        ("{v} heads {s}.", "{v} is the head of {s}.", "{v} is in charge of {s}."),
        ("{s} is led by {v} now.", "{v} became the lead of {s}.", "Since {month} {v} leads {s}."),
        ("Who heads {s}?", "Who is in charge of {s}?", "Who is {s}'s lead?"),
    ),
    Attribute(
        "team size", "team", "people_count",
        ("{s} is {v} people.", "{s} counts {v} people.", "There are {v} people in {s}."),
        ("{s} now has {v} members.", "{s} went to {v} members in {month}.", "The size of {s} has changed to {v}."),
        ("How large is {s}?", "How many people does {s} have?", "What is the size of {s}?"),
    ),
    Attribute(
        "chief executive", "company", "person",
        ("{v} runs {s}.", "{s} is run by {v}.", "{s}'s chief executive is {v}."),
        ("{v} is the new CEO of {s}.", "{s} has named {v} as CEO.", "{v} became CEO of {s} in {month}."),
        ("Who is {s}'s CEO?", "What is the name of {s}'s CEO?", "Who is chief executive of {s}?"),
    ),
    Attribute(
        "headquarters", "company", "city",
        ("{s} has its head office in {v}.", "The main office of {s} is in {v}.", "{s} is based in {v}."),
        ("{s} moved its headquarters to {v}.", "{s} is now headquartered in {v}.", "The headquarters of {s} have been moved to {v}."),
        ("What city is {s} headquartered in?", "Where is {s} based?", "Where is the head office of {s}?"),
    ),
    Attribute(
        "address on the network", "device", "ip",
        ("{s} can be reached at {v}.", "{s} is at {v} on the network.", "{s} is reachable under {v}."),
        ("{s}'s IP address was changed to {v}.", "{s} now has the IP {v}.", "{s} has a new IP address: {v}."),
        ("What IP does {s} have?", "What is {s}'s IP address?", "Under which IP is {s} reachable?"),
    ),
    Attribute(
        "location", "device", "room",
        ("{s} sits in the {v}.", "{s} is located in the {v}.", "{s} is kept in the {v}."),
        ("{s} is in the {v} now.", "{s} was carried over to the {v}.", "They moved {s} to the {v}."),
        ("Where can I find {s}?", "Where is {s} located?", "Which room is {s} in?"),
    ),
    # Attributes that the rules have never seen worded.
    Attribute(
        "working hours", "person", "early",
        ("{s}'s day at the office begins at {v}.", "{s} is at the desk from {v}.", "{s} comes in at {v}."),
        ("{s} now starts work at {v}.", "{s}'s start of work was moved to {v}.", "Since {month}, {s} starts work at {v}."),
        ("When does {s} start work?", "At what time does {s}'s working day begin?", "From what time is {s} at the desk?"),
    ),
    Attribute(
        "instrument", "person", "instrument",
        ("{s} is learning the {v}.", "{s} takes {v} lessons on Wednesdays.", "The instrument that {s} is learning is the {v}."),
        ("{s} now practises the {v} instead.", "{s} gave up everything else and practises the {v}.", "{s} has changed over to playing the {v}."),
        ("Which instrument is {s} learning?", "What instrument does {s} practise?", "What does {s} take music lessons in?"),
    ),
    Attribute(
        "mobile phone", "person", "phone_model",
        ("{s} carries a {v}.", "{s} uses a {v}.", "{s}'s handset is a {v}."),
        ("{s} upgraded the phone to a {v}.", "{s}'s new phone is a {v}.", "{s} bought a {v} because the phone had broken."),
        ("Which phone does {s} have?", "What phone does {s} use?", "What model is {s}'s mobile phone?"),
    ),
    Attribute(
        "main sport", "person", "sport",
        ("{s}'s main sport is {v}.", "{s} trains for {v} three times a week and does no other sport.", "The one sport that {s} does is {v}."),
        ("{s} only does {v} now.", "{s} has gone over to {v} entirely.", "{s} dropped everything else for {v}."),
        ("Which sport does {s} do?", "What sport does {s} train for?", "What is {s}'s main sport?"),
    ),
    Attribute(
        "postal address", "person", "street",
        ("{s}'s address is {v}.", "Parcels for {s} go to {v}.", "{s}'s postal address is {v}."),
        ("{s} moved house to {v}.", "{s} has moved to {v}.", "{s} lives at {v} now."),
        ("What is {s}'s address?", "Where do I send a parcel for {s}?", "At which address does {s} live?"),
    ),
    Attribute(
        "doctor", "person", "clinic",
        ("{s}'s doctor is {v}.", "{s} sees {v} as family doctor.", "{v} is the family doctor of {s}."),
        ("{s} changed to {v} for check-ups.", "{s} is a patient of {v} now.", "{s} goes to {v} for medical things now."),
        ("Who is {s}'s doctor?", "Which doctor does {s} go to?", "What is the name of {s}'s doctor?"),
    ),
    Attribute(
        "nickname", "person", "nickname",
        ("{s}'s nickname is {v}.", "{s} is nicknamed {v}.", "{s}'s nickname at the club is {v}."),
        ("Everyone calls {s} {v} now.", "{s} wants to be called {v} from now on.", "{s} is called {v} by everybody these days."),
        ("What is {s}'s nickname?", "What do people call {s}?", "Which nickname does {s} have?"),
    ),
    Attribute(
        "gym", "person", "gym",
        ("{s} works out at {v}.", "{s} has a membership at {v}.", "{s}'s gym is {v}."),
        ("{s} joined {v} instead.", "{s} changed over to {v} for training.", "{s} trains at {v} now."),
        ("Which gym does {s} go to?", "Where does {s} work out?", "What is {s}'s gym?"),
    ),
    Attribute(
        "shift", "person", "shift",
        ("{s} works the {v} shift.", "{s} is on the {v} shift.", "{s} has the {v} shift at the plant."),
        ("{s} was reassigned to the {v} crew.", "{s} has been put on {v} duty from {month}.", "{s} changed over to {v} duty."),
        ("Which shift does {s} work?", "What shift is {s} on?", "On which shift is {s}?"),
    ),
    Attribute(
        "time zone", "person", "timezone",
        ("{s}'s time zone is {v}.", "{s} is in the {v} time zone.", "{s} works in the {v} time zone."),
        ("{s}'s clock runs on {v} now.", "Plan calls with {s} in {v} from now on.", "{s} switched to {v} in {month}."),
        ("Which time zone is {s} in?", "What is {s}'s time zone?", "In what time zone does {s} work?"),
    ),
    Attribute(
        "operating system", "self", "os",
        ("My laptop runs {v}.", "The user's operating system is {v}.", "I have {v} as operating system."),
        ("I reinstalled the machine with {v}.", "I've migrated my machine to {v}.", "The user has moved the computer to {v}."),
        ("Which operating system do I use?", "What OS does the user have?", "What does my laptop run?"),
    ),
    Attribute(
        "airline", "self", "airline",
        ("I usually fly with {v}.", "My preferred airline is {v}.", "The user flies {v} whenever possible."),
        ("Book me on {v} from now on.", "The user now wants tickets from {v}.", "I've changed my frequent-traveller programme to {v}, so book that."),
        ("Which airline do I prefer?", "What airline does the user fly with?", "With which airline should I book the user?"),
    ),
    Attribute(
        "seat", "self", "seat",
        ("I like {v} seats on planes.", "The user wants a {v} seat when flying.", "For flights my seat preference is {v}."),
        ("Pick {v} places for me in aircraft from now on.", "I'd rather have {v} places now when I travel by air.", "The user has changed the air-travel profile to {v}."),
        ("Which seat do I like on planes?", "What seat does the user want on flights?", "What is my seat preference?"),
    ),
    Attribute(
        "currency", "self", "currency",
        ("Show amounts in {v}.", "I want prices shown in {v}.", "The user likes amounts displayed in {v}."),
        ("My currency is {v} now.", "The user switched the currency to {v}.", "Use {v} as currency from now on."),
        ("Which currency do I use?", "In which currency does the user want prices?", "What currency should amounts be in?"),
    ),
    Attribute(
        "code formatter", "self", "formatter",
        ("I format code with {v}.", "My formatter is {v}.", "The user formats everything using {v}."),
        ("I style all sources with {v} now.", "The user tidies sources with {v} now.", "I tidy my sources up using {v} from now on."),
        ("Which formatter do I use?", "What does the user format code with?", "What is my code formatter?"),
    ),
    Attribute(
        "music service", "self", "music",
        ("I listen to music on {v}.", "The user streams music with {v}.", "All my playlists are on {v}."),
        ("I cancelled the old subscription and pay for {v} now.", "I've changed my subscription to {v} for songs.", "The user's songs come from {v} now."),
        ("Which music service do I use?", "Where does the user listen to music?", "What do I stream music with?"),
    ),
    Attribute(
        "body weight", "self", "weight",
        ("I weigh {v}.", "The user weighs {v}.", "My weight is {v}."),
        ("I'm at {v} now.", "The scale shows {v} for me these days.", "As of {month} the user is at {v} on the scale."),
        ("How much do I weigh?", "What is the user's weight?", "What do I weigh?"),
    ),
    Attribute(
        "bedtime", "self", "late",
        ("I go to bed at {v}.", "The user's bedtime is {v}.", "My bedtime is {v}."),
        ("I turn in at {v} now.", "Lights out is at {v} for me these days.", "I hit the pillow at {v} now."),
        ("When do I go to bed?", "What is the user's bedtime?", "What time is my bedtime?"),
    ),
    Attribute(
        "shell", "self", "shell",
        ("My shell is {v}.", "I use {v} as my shell.", "The user's login shell is {v}."),
        ("I've moved my terminal over to {v}.", "My terminal starts {v} now.", "The user types commands into {v} these days."),
        ("Which shell do I use?", "What is the user's shell?", "What shell am I on?"),
    ),
    Attribute(
        "chat channel", "project", "chat_channel",
        ("{s} is discussed in {v}.", "Discussion of {s} happens in {v}.", "The channel for {s} is {v}."),
        ("Talk about {s} goes to {v} now.", "{s} has moved its chat to {v}.", "Chat on {s} takes place in {v} from now on."),
        ("In which channel is {s} discussed?", "What is the channel for {s}?", "Where is {s} discussed?"),
    ),
    Attribute(
        "client", "project", "client",
        ("{s} is for {v}.", "The client of {s} is {v}.", "We're building {s} for {v}."),
        ("{s} was sold on to {v}, who pays for it now.", "{v} is the customer behind {s} now.", "{s} has a new customer, {v}."),
        ("Who is the client of {s}?", "Who is {s} built for?", "Which client is {s} for?"),
    ),
    Attribute(
        "current version", "project", "version",
        ("The latest release of {s} is {v}.", "{s}'s latest release is {v}.", "{s} was last released as {v}."),
        ("{s} is at {v} now.", "The current version of {s} is {v}.", "{s} has been bumped to {v}."),
        ("What is the current version of {s}?", "Which version is {s} at?", "What is the latest release of {s}?"),
    ),
    Attribute(
        "cache", "service", "cache",
        ("{s} caches in {v}.", "The cache of {s} is {v}.", "{s} uses {v} as its cache."),
        ("{s} holds hot entries in {v} now.", "For hot lookups {s} was moved to {v}.", "{s} has been switched to {v} for hot entries."),
        ("Which cache does {s} use?", "What does {s} cache in?", "What is the cache of {s}?"),
    ),
    Attribute(
        "monitoring", "service", "monitoring",
        ("{s} is monitored with {v}.", "Monitoring of {s} is in {v}.", "We monitor {s} using {v}."),
        ("{s} now sends its metrics to {v}.", "Metrics of {s} go to {v} from now on.", "Dashboards for {s} were moved to {v}."),
        ("What is {s} monitored with?", "Which monitoring does {s} use?", "Where do I find the metrics of {s}?"),
    ),
    Attribute(
        "release day", "service", "weekday",
        ("{s} is deployed every {v}.", "{s} is deployed on {v}s.", "Deployments of {s} happen on {v}s."),
        ("The release day of {s} is {v} now.", "Releases of {s} were moved to {v}.", "{s} is released each {v} from now on."),
        ("On which day is {s} deployed?", "What is the release day of {s}?", "When is {s} released?"),
    ),
    Attribute(
        "on-call engineer", "service", "person",
        ("{v} is on call for {s}.", "The on-call engineer of {s} is {v}.", "{v} carries the pager for {s}."),
        ("{v} has taken over the alerts of {s}.", "Alerts of {s} go to {v} now.", "From {month} on, {v} handles alerts from {s}."),
        ("Who is on call for {s}?", "Who gets the alerts of {s}?", "Who carries the pager for {s}?"),
    ),
    Attribute(
        "rate limit", "service", "rate",
        ("{s} allows {v} requests per minute.", "The rate limit of {s} is {v} requests per minute.", "{s} accepts at most {v} requests per minute."),
        ("{s} now throttles callers at {v}.", "Throttling in {s} was set to {v}.", "{s} throttles at {v} calls now."),
        ("What is the rate limit of {s}?", "How many requests per minute does {s} allow?", "At how many requests does {s} throttle?"),
    ),
    Attribute(
        "sprint length", "team", "weeks",
        ("Sprints of {s} last {v}.", "The sprint length of {s} is {v}.", "{s} does sprints of {v}."),
        ("{s} has changed its iterations to {v}.", "An iteration takes {v} in {s} now.", "{s} now plans in iterations of {v}."),
        ("How long are sprints of {s}?", "What is the sprint length of {s}?", "How long does a sprint of {s} last?"),
    ),
    Attribute(
        "video tool", "team", "meeting_tool",
        ("{s} does its calls over {v}.", "{s} uses {v} for video calls.", "Video calls of {s} are on {v}."),
        ("{s} moved its meetings to {v}.", "{s} now meets on {v}.", "Meetings of {s} take place in {v} from now on."),
        ("What does {s} use for video calls?", "Which tool does {s} meet on?", "Where do meetings of {s} take place?"),
    ),
    Attribute(
        "plan price", "company", "price",
        ("{s} charges {v} a month.", "The monthly fee of {s} is {v}.", "{s}'s plan costs {v} a month."),
        ("{s} has changed its price to {v}.", "{s}'s price is {v} now.", "The subscription price at {s} went to {v}."),
        ("How much does {s} charge?", "What is the price of {s}?", "What does {s}'s plan cost a month?"),
    ),
    Attribute(
        "firmware", "device", "firmware",
        ("The firmware of {s} is {v}.", "{s} runs firmware {v}.", "{s} has firmware {v} installed."),
        ("{s} was updated to {v}.", "{s} was flashed with {v} in {month}.", "{s} is on {v} since the update."),
        ("Which firmware does {s} run?", "What firmware is on {s}?", "What is the firmware version of {s}?"),
    ),
)  # fmt: skip
