# ruff: noqa: E501
"""Attributes in wordings that no rule was tried against: notes as many different people and agents would keep them.

They were written without a look at the rules. Whoever changes a rule after reading a miss of this split has made it
a second `dev`, and the next figures need new wordings.
"""

from .wording import Attribute
from .wordings_fresh_work import WORK

OLD_FRAMES = ("FYI: {text}", "From the onboarding notes: {text}", "{text} (picked up over lunch)")
NEW_FRAMES = ("News: {text}", "Just learned this: {text}", "{text} Thought you should know.")

PEOPLE = (
    # People.
    Attribute(
        "home city", "person", "city",
        ("{s} lives over in {v} with the family.", "{s} is {v}-based.", "{s} has a flat in {v}, right by the water."),
        ("{s} has upped sticks and moved to {v}.", "{s} relocated to {v} in {month}.", "{s} packed up everything and now calls {v} home."),
        ("Where does {s} live?", "What city is {s} in these days?", "where is {s} based"),
    ),
    Attribute(
        "employer", "person", "employer",
        ("{s} works for {v}.", "{s} earns a living at {v}.", "Works at {v}: {s}."),
        ("{s} just started at {v}.", "{s} left and is with {v} now.", "{s} signed on with {v} in {month}."),
        ("Where does {s} work?", "Who is {s}'s employer?", "Which company is {s} at now?"),
    ),
    Attribute(
        "job title", "person", "role",
        ("{s} works as a {v} these days, says LinkedIn.", "{s} is a {v} by profession.", "Job title of {s}: {v}"),
        ("{s} got promoted to {v}.", "{s} is now a {v}.", "{s} has become a {v}."),
        ("What does {s} do for a living?", "What is {s}'s job title?", "What is {s}'s position?"),
    ),
    Attribute(
        "manager", "person", "person",
        ("{s} reports directly to {v}.", "The boss of {s} is {v}.", "{v} is the line manager of {s}."),
        ("{v} supervises {s} now.", "After the reorg {s} answers to {v}.", "{s} was put under {v} in {month}."),
        ("Who does {s} report to?", "Who is {s}'s boss?", "Who manages {s}?"),
    ),
    Attribute(
        "phone number", "person", "phone",
        ("Phone for {s} is {v}.", "{s} answers calls on {v}.", "{s}: tel. {v}"),
        ("{s} has a new number: {v}.", "{s} changed numbers, it's {v} now.", "Dial {v} to get {s} from now on."),
        ("What's {s}'s phone number?", "How do I reach {s} by phone?", "What number do I dial for {s}?"),
    ),
    Attribute(
        "email address", "person", "email",
        ("{s}'s email is {v}.", "{s} reads mail sent to {v}.", "You can write to {s} at {v}."),
        ("{s}'s inbox was switched to {v}.", "{s} has a new address, {v}.", "Please send everything for {s} to {v} from now on."),
        ("What is {s}'s email?", "What email address do I use for {s}?", "Which address do I write to for {s}?"),
    ),
    Attribute(
        "diet", "person", "diet",
        ("Careful when ordering pizza: {s} is {v}.", "{s} eats {v}.", "{s} keeps to a {v} diet."),
        ("Since {month} {s} has been living {v}.", "{s} has turned {v}.", "When you cook for {s}, go {v} from now on."),
        ("What diet does {s} follow?", "What kind of food does {s} eat?", "What should I keep in mind when cooking for {s}?"),
    ),
    Attribute(
        "car", "person", "car",
        ("{s} drives a {v} to work and back.", "In the car park, {s}'s is the {v}.", "{s} gets around in a {v}."),
        ("{s} traded it in for a {v}.", "{s} bought a {v} and sold the old one.", "{s} has replaced the family vehicle with a {v}."),
        ("What does {s} drive?", "What car does {s} have?", "Which car is {s}'s?"),
    ),
    Attribute(
        "preferred channel", "person", "channel",
        ("{s} likes to be contacted via {v}.", "The best way to get hold of {s} is {v}.", "Contact {s} by {v}."),
        ("{s} would rather be reached through {v} now.", "{s} asks that everybody switch over to {v}.", "Please ping {s} over {v} from now on."),
        ("How does {s} want to be contacted?", "What's the best way to reach {s}?", "Which channel does {s} prefer?"),
    ),
    Attribute(
        "bank", "person", "bank",
        ("{s} does all banking with {v}.", "{s} has an account at {v}.", "{s} has a card from {v}, that is the bank for everything."),
        ("{s} switched all money over to {v}.", "{s} closed that and went to {v}.", "{s}'s salary and savings are with {v} now."),
        ("Which bank is {s} with?", "Where does {s} have a bank account?", "Who does {s} bank with?"),
    ),
    Attribute(
        "commute", "person", "transport",
        ("{s} usually goes in by {v}.", "{s} has been commuting by {v} for ages.", "For the way to the office, {s} relies on the {v}."),
        ("{s} takes the {v} every morning now.", "{s} gave that up and gets in by {v}.", "{s} switched to travelling in by {v}."),
        ("How does {s} get to work?", "How does {s} commute?", "What does {s} take to the office?"),
    ),
    Attribute(
        "current book", "person", "book",
        ("{s} is reading {v}.", "{s} is halfway through {v}.", "On {s}'s bedside table: {v}"),
        ("{s} finished that one and has begun {v}.", "{s} moved on to {v} after the last page.", "{s} started {v} last weekend."),
        ("What is {s} reading?", "Which book is {s} on right now?", "What is {s}'s current book?"),
    ),
    Attribute(
        "favourite restaurant", "person", "restaurant",
        ("Favourite restaurant, according to {s}: {v}", "{s} loves eating at {v} more than anywhere else.", "If {s} chooses where we eat, it is always {v}."),
        ("{s} has a new number one for dinner: {v}.", "These days {s} swears by {v} as the top place in town.", "{s} now thinks nothing beats {v}."),
        ("What is {s}'s favourite restaurant?", "Which restaurant does {s} like best?", "Where would {s} like to go for dinner?"),
    ),
    Attribute(
        "gym", "person", "gym",
        ("{s} goes to {v} to work out.", "{s} trains at {v}.", "{s} is at the gym, {v}, three times a week."),
        ("{s} cancelled there and joined {v}.", "{s} has had a membership with {v} since {month}.", "{s} switched to {v} for exercise."),
        ("Which gym does {s} go to?", "Where does {s} work out?", "Where does {s} train?"),
    ),
    Attribute(
        "doctor", "person", "clinic",
        ("{s} sees {v} as a GP.", "{s}'s family doctor is {v}.", "{s} is a patient of {v}."),
        ("{v} has taken {s} on, after the former physician retired.", "{s} switched to {v} as general practitioner.", "{s} now goes to {v} when ill."),
        ("Who is {s}'s doctor?", "Which doctor does {s} see?", "Who is {s}'s GP?"),
    ),
    Attribute(
        "dentist", "person", "clinic",
        ("{s}'s dentist is {v}.", "{s} goes to {v} for dental work.", "Dentist for {s}: {v}"),
        ("{s} now gets both teeth and gums looked after by {v}.", "{s} has switched over to {v} for tooth trouble.", "{v} fixes {s}'s teeth now."),
        ("Who is {s}'s dentist?", "Which dentist does {s} go to?", "Who looks after {s}'s teeth?"),
    ),
    Attribute(
        "marital status", "person", "marital_status",
        ("HR has {s} down as {v}.", "{s}'s marital status: {v}", "{s} ticked '{v}' on the form."),
        ("{s} is now {v}.", "{s} has been {v} since {month}.", "It's official: {s} is {v} now."),
        ("Is {s} married?", "What is {s}'s marital status?", "Is {s} engaged, married or divorced?"),
    ),
    Attribute(
        "partner", "person", "person",
        ("{s} is dating {v}.", "{s}'s partner is {v}.", "{s} and {v} are a couple."),
        ("{s} broke up and is together with {v} now.", "{s} is seeing {v} these days.", "{s} has a new love, {v}."),
        ("Who is {s} dating?", "Who is {s}'s partner?", "Who is {s} together with?"),
    ),
    Attribute(
        "laptop", "person", "laptop",
        ("{s} has a {v} as laptop.", "{s}'s laptop is a {v}.", "{s} works on a {v}."),
        ("{s} got issued a {v} in {month}.", "IT replaced {s}'s machine with a {v}.", "{s} upgraded to a {v}."),
        ("What laptop does {s} have?", "Which machine does {s} work on?", "Which laptop is {s} using?"),
    ),
    Attribute(
        "health insurance", "person", "insurer",
        ("{s} is insured with {v}.", "{s}'s health insurance is with {v}.", "{s} has medical cover from {v}."),
        ("{s} switched to {v} for the sickness fund.", "{s} quit that policy and signed up to {v}.", "{s} sends doctors' bills to {v} since {month}."),
        ("Who is {s} insured with?", "Which health insurer does {s} have?", "What is {s}'s health insurance?"),
    ),
    Attribute(
        "favourite food", "person", "dish",
        ("{s}'s favourite food is {v}.", "{s} loves {v} above all other dishes.", "Nothing makes {s} happier than {v} for dinner."),
        ("{s} could eat {v} every day now, it has become the number one meal.", "{s} now likes {v} best.", "Ask {s} what to eat and the answer these days is {v}."),
        ("What is {s}'s favourite food?", "Which dish does {s} like best?", "What should I cook to please {s}?"),
    ),
    Attribute(
        "favourite colour", "person", "colour",
        ("{s}'s favourite colour is {v}.", "{s} loves {v} more than any other colour.", "If it comes in {v}, {s} will want it, it's the favourite colour."),
        ("{s} prefers {v} to all other shades now.", "{s}'s number one shade is {v} now.", "Best shade for {s} now: {v}"),
        ("What is {s}'s favourite colour?", "Which colour does {s} like best?", "What colour should a present for {s} be?"),
    ),
    Attribute(
        "rent", "person", "rent",
        ("{s} pays {v} rent.", "{s}'s rent is {v} a month.", "The flat costs {s} {v} monthly."),
        ("The landlord raised it, {s} is at {v} now.", "{s} now transfers {v} to the landlord for the apartment.", "{s}'s lease went to {v} in {month}."),
        ("How much rent does {s} pay?", "What is {s}'s rent?", "What does {s} pay for the flat?"),
    ),
    Attribute(
        "mobile carrier", "person", "isp",
        ("{s} has a phone contract with {v}.", "{s}'s mobile provider is {v}.", "{s} is a {v} customer for mobile."),
        ("{s} took the old number along to {v}.", "{s} switched carriers, it's {v} now.", "{s}'s SIM is from {v} now."),
        ("Which mobile provider does {s} have?", "Who is {s}'s carrier?", "Who is {s}'s phone contract with?"),
    ),
    Attribute(
        "day off", "person", "weekday",
        ("{s} is off on {v}s.", "{s} does not work on {v}s.", "{s}'s day off is {v}."),
        ("{s} now has {v}s free.", "{s} swapped and is free on {v}s now.", "Don't expect {s} on {v}s from now on."),
        ("Which day is {s} off?", "On which day does {s} not work?", "What is {s}'s day off?"),
    ),
    Attribute(
        "blood pressure medicine", "person", "medicine",
        ("{s} takes {v} for blood pressure.", "{s} is on {v}, for hypertension.", "{s}'s blood pressure pills are {v}."),
        ("The doctor switched {s} over to {v}.", "{s} was put onto {v} instead.", "{s} stopped that drug and swallows {v} every morning now."),
        ("What does {s} take for blood pressure?", "Which blood pressure medicine is {s} on?", "What medicine does {s} take?"),
    ),
    Attribute(
        "children's school", "person", "school",
        ("{s}'s kids go to {v}.", "{s}'s children attend {v}.", "{s} picks the kids up from {v} at three."),
        ("{s} has enrolled the little ones at {v} instead.", "{s}'s family changed over to {v} in {month}.", "Since {month} {s} drops the little ones at {v}."),
        ("Which school do {s}'s kids go to?", "Where do {s}'s children go to school?", "What school does {s} drop the kids at?"),
    ),
    Attribute(
        "postal address", "person", "street",
        ("{s} can be visited at {v}, that's the home address.", "{s} lives at {v}.", "Birthday cards for {s} go to {v}."),
        ("{s} has a new flat, at {v}.", "Please send {s}'s mail to {v} from now on.", "{s} got the keys for {v} and is already in."),
        ("What is {s}'s address?", "Where do parcels for {s} go?", "At which address does {s} live?"),
    ),
    Attribute(
        "mobile phone", "person", "phone_model",
        ("{s} has a {v} as phone.", "{s}'s phone is a {v}.", "{s} makes all calls on a {v}."),
        ("{s} upgraded to a {v}.", "{s} got a {v}, the previous handset broke.", "{s} carries a {v} now."),
        ("What phone does {s} have?", "Which phone is {s}'s?", "What model is {s}'s phone?"),
    ),
    Attribute(
        "coffee order", "person", "drink",
        ("{s} will want a {v}, as always.", "{s}'s usual is a {v}.", "If you are getting drinks, {s} takes a {v}."),
        ("{s} has switched to {v}.", "Bring {s} a {v} from now on.", "{s} went over to {v} in {month}."),
        ("What does {s} drink?", "What is {s}'s usual order?", "What should I get {s} from the café?"),
    ),
    Attribute(
        "time zone", "person", "timezone",
        ("{s} is on {v}.", "{s} is working in the {v} time zone.", "{s} works {v} hours."),
        ("{s}'s clock follows {v} now.", "Please plan calls with {s} in {v} from now on.", "Since the move {s} keeps to {v}."),
        ("Which time zone is {s} in?", "What is {s}'s time zone?", "What timezone do I use for calls with {s}?"),
    ),
    Attribute(
        "desk", "person", "desk",
        ("{s} sits at desk {v}.", "{s}'s desk is {v}.", "{s} has desk {v}."),
        ("{s} was reseated to {v}.", "{s} moved over to {v} in {month}.", "You will find {s} at {v} from now on."),
        ("Where does {s} sit?", "What is {s}'s desk?", "At which desk do I find {s}?"),
    ),
    # Someone of the user's own: named by what they are to the user.
    Attribute(
        "home city", "relation", "city",
        ("{s} lives up in {v}.", "{s} has a place in {v}.", "I always visit {s} at home in {v}."),
        ("{s} moved away to {v}.", "{s} has settled down in {v} now.", "{s} relocated to {v} in {month}."),
        ("Where does {s} live?", "Which city is {s} in?", "What town would I visit {s} in?"),
    ),
    Attribute(
        "employer", "relation", "employer",
        ("{s} works full time at {v}.", "{s} has a job with {v}.", "{s} is employed at {v}."),
        ("{s} quit and joined {v}.", "{s} just started over at {v}.", "{s} was hired by {v} in {month}."),
        ("Where does {s} work?", "Which company does {s} work for?", "Who is the employer of {s}?"),
    ),
    Attribute(
        "phone number", "relation", "phone",
        ("You can call {s} at {v}.", "Phone of {s}: {v}", "{s} can be phoned on {v}."),
        ("{s} got a new number, {v}.", "Use {v} for {s} from now on.", "{s} is now on {v}."),
        ("What's the phone number of {s}?", "How can I call {s}?", "On which number is {s} reachable?"),
    ),
    Attribute(
        "car", "relation", "car",
        ("{s} drives around in a {v}.", "{s} owns a {v}, a nice car.", "The car of {s} is a {v}."),
        ("{s} swapped it for a {v}.", "{s} got rid of the old one and bought a {v}.", "{s} has been behind the wheel of a {v} since {month}."),
        ("What car does {s} drive?", "What does {s} drive?", "Which car does {s} own?"),
    ),
    Attribute(
        "diet", "relation", "diet",
        ("{s} is strictly {v}.", "{s} only eats {v}.", "{s} has been on a {v} diet for years."),
        ("{s} has gone {v}.", "In {month}, {s} decided to go {v}.", "{s} became {v} recently."),
        ("What does {s} eat?", "What diet is {s} on?", "What should I cook when {s} visits?"),
    ),
    # The user: preferences, tools, habits, money.
    Attribute(
        "home city", "self", "city",
        ("I live in the middle of {v}.", "User is based in {v}.", "My home is in {v}."),
        ("I've moved to {v}.", "The user relocated to {v}.", "We packed our boxes and settled in {v}."),
        ("Where do I live?", "What city am I based in?", "Where does the user live?"),
    ),
    Attribute(
        "employer", "self", "employer",
        ("I work at {v} as my day job.", "The user works for {v}.", "My job is with {v}."),
        ("I've just started at {v}.", "The user joined {v} in {month}.", "I handed in my notice and am with {v} now."),
        ("Where do I work?", "Who is the user's employer?", "Which company am I at?"),
    ),
    Attribute(
        "car", "self", "car",
        ("I drive a {v}, nothing fancy.", "My car is a {v}.", "The user owns a {v}."),
        ("I traded mine in for a {v}.", "The user bought a {v} to replace the old one.", "We've swapped ours for a {v}."),
        ("What do I drive?", "Which car do I have?", "What car does the user own?"),
    ),
    Attribute(
        "editor", "self", "editor",
        ("My go-to editor is {v}.", "I write all my code in {v}.", "User's IDE: {v}"),
        ("I've switched to {v} for programming.", "The user moved over to {v}.", "From now on, assume {v} when you open files for me."),
        ("Which editor do I use?", "What do I write code in?", "What is the user's IDE?"),
    ),
    Attribute(
        "browser", "self", "browser",
        ("My browser is {v}.", "I do my browsing in {v}.", "Open links in {v}, that is my default."),
        ("I have switched to {v} for the web.", "The user surfs with {v} now.", "Please use {v} for pages from now on."),
        ("Which browser do I use?", "What is my default browser?", "In what should links be opened for the user?"),
    ),
    Attribute(
        "shell", "self", "shell",
        ("I work in a {v} shell.", "I use {v} in the terminal.", "Write shell snippets for {v}."),
        ("I changed my login prompt over to {v}.", "The user is on {v} now for the command line.", "Commands should be given in {v} syntax from now on."),
        ("Which shell do I use?", "What shell is the user on?", "For which shell should snippets be written?"),
    ),
    Attribute(
        "package manager", "self", "package_manager",
        ("Install Python packages with {v}.", "I use {v} for dependencies.", "The user manages packages with {v}."),
        ("We've moved to {v} now, so never call the previous tool.", "The user switched over to {v}.", "From now on, {v} is what we set up environments with."),
        ("Which package manager do I use?", "How should Python packages be installed?", "What does the user manage dependencies with?"),
    ),
    Attribute(
        "operating system", "self", "os",
        ("There's {v} on my laptop.", "I'm on {v}.", "User's system: {v}, take that into account for paths."),
        ("I wiped it and installed {v}.", "The user switched to {v}.", "I replaced my OS with {v}."),
        ("Which operating system do I use?", "What OS is on my laptop?", "What does the user's machine run?"),
    ),
    Attribute(
        "indentation", "self", "indentation",
        ("Indent my code with {v}.", "I indent with {v}.", "The user likes {v} for indentation."),
        ("We've changed our style guide, so format using {v} from now on.", "The user wants {v} at the start of nested lines now.", "I have come round to {v} when nesting blocks."),
        ("What do I indent with?", "How should my code be indented?", "Tabs or spaces for the user?"),
    ),
    Attribute(
        "linter", "self", "linter",
        ("I lint with {v}.", "My linter is {v}.", "Run {v} as linter before you commit."),
        ("I've replaced it with {v} for static checks.", "The user now checks style through {v}.", "Static analysis is done by {v} in all my repos now."),
        ("Which linter do I use?", "What should I lint with?", "What does the user check code style with?"),
    ),
    Attribute(
        "assistant model", "self", "model",
        ("My default model is {v}.", "Use {v} for my prompts.", "The user's preferred LLM is {v}."),
        ("I've switched over to {v} for all agents.", "From now on, every task should go to {v}.", "The user has moved to {v}."),
        ("Which model do I use by default?", "What LLM does the user prefer?", "Which model should my prompts go to?"),
    ),
    Attribute(
        "commit style", "self", "commit_style",
        ("I write commit messages as {v}.", "Commit messages: {v}, please.", "The user's commits follow {v}."),
        ("From now on it's {v} for git.", "The user changed to {v} for git log entries in {month}.", "We've agreed to do {v} in the history now."),
        ("How do I write commit messages?", "What style should commit messages have?", "Which commit style does the user follow?"),
    ),
    Attribute(
        "theme", "self", "theme",
        ("I like the {v} theme.", "My colour scheme is {v}.", "Set every app to {v}, that's my theme."),
        ("I have switched to {v} mode.", "The user wants {v} now in all windows.", "My eyes are happier with {v}, so use it from now on."),
        ("Which theme do I like?", "What colour scheme do I use?", "Which theme should the user's apps have?"),
    ),
    Attribute(
        "reply style", "self", "tone",
        ("Give me {v} answers.", "I prefer {v} answers.", "The user likes answers {v}."),
        ("I've changed my mind: make replies {v} from now on.", "The user now wants {v} responses.", "Please be {v} when you reply to me from now on."),
        ("How long should answers be for me?", "What kind of answers do I like?", "What style of replies does the user want?"),
    ),
    Attribute(
        "answer language", "self", "language",
        ("Talk to me in {v}.", "I'd like my answers in {v}.", "The user prefers {v} in conversation."),
        ("Please switch to {v} when you reply from now on.", "The user has asked for {v} instead.", "From now on write everything to me in {v}."),
        ("In which language should I be answered?", "What language does the user want answers in?", "Which language do you talk to me in?"),
    ),
    Attribute(
        "wake-up time", "self", "early",
        ("I usually get up at about {v}.", "My alarm is set for {v}.", "The user wakes at {v} on workdays."),
        ("I now start my mornings at {v}.", "The user rises at {v} since {month}.", "I changed it, I'm out of bed by {v} now."),
        ("When do I get up?", "When am I up in the morning?", "When does the user wake up?"),
    ),
    Attribute(
        "bedtime", "self", "late",
        ("I normally go to bed at {v}.", "{v} is my bedtime.", "The user is in bed by {v}."),
        ("I've been turning in at {v} since {month}.", "Lights are out at {v} these days for me.", "The user calls it a night at {v} now."),
        ("When do I go to bed?", "What is my bedtime?", "At what time does the user go to sleep?"),
    ),
    Attribute(
        "password manager", "self", "password_manager",
        ("My passwords are in {v}.", "I keep passwords in {v}.", "The user's password manager is {v}."),
        ("I've migrated all logins to {v}.", "The user switched over to {v} for credentials.", "Since {month} I store my logins with {v}."),
        ("Where do I keep my passwords?", "Which password manager do I use?", "What is the user's password manager?"),
    ),
    Attribute(
        "internet provider", "self", "isp",
        ("My internet is from {v}.", "I have broadband with {v}.", "The user's internet provider is {v}."),
        ("We cancelled that and got fibre by {v}.", "The user switched to {v} for the line at home.", "I changed to {v}, the router came yesterday."),
        ("Who is my internet provider?", "Who do I have broadband with?", "Which company is the user's internet from?"),
    ),
    Attribute(
        "electricity supplier", "self", "energy",
        ("I get my electricity from {v}.", "My power supplier is {v}.", "The user's energy contract is with {v}."),
        ("I switched to {v}, the old utility got too expensive.", "The user signed up with {v} as utility in {month}.", "We've changed over, it's {v} who bills us for kilowatts now."),
        ("Who is my electricity supplier?", "Where do I get my electricity from?", "Who is the user's energy contract with?"),
    ),
    Attribute(
        "emergency contact", "self", "person",
        ("My emergency contact is {v}.", "In an emergency, call {v}.", "The user's ICE contact: {v}"),
        ("If something happens to me, {v} is who should be told from now on.", "Should I get hurt, please ring {v} now, nobody else.", "The user now names {v} as the one to notify after an accident."),
        ("Who is my emergency contact?", "Who should be called in an emergency?", "Who is the user's emergency contact?"),
    ),
    Attribute(
        "music service", "self", "music",
        ("For music I have {v}.", "My playlists are on {v}.", "The user has a {v} subscription for music."),
        ("I cancelled it and stream with {v} now.", "The user switched to {v} for songs.", "All my albums moved to {v}."),
        ("Where do I listen to music?", "Which music service do I use?", "What does the user stream music with?"),
    ),
    Attribute(
        "home airport", "self", "airport",
        ("I usually fly from {v}.", "My home airport is {v}.", "Book flights for the user out of {v}."),
        ("From now on I depart from {v}.", "The user's trips now begin at {v}.", "It's {v} I want to leave from these days."),
        ("Which airport do I fly from?", "What is my home airport?", "From where should the user's flights be booked?"),
    ),
    Attribute(
        "search engine", "self", "search_engine",
        ("My search engine is {v}.", "I search with {v}.", "User's default for web search: {v}"),
        ("I look everything up on {v} now.", "The user queries {v} instead now.", "Lookups go through {v} from now on."),
        ("Which search engine do I use?", "What do I search with?", "Where should things be looked up for the user?"),
    ),
    Attribute(
        "lunch time", "self", "noon",
        ("I have lunch at {v}.", "{v} is when I have my lunch.", "No meetings at {v}, the user eats lunch then."),
        ("I moved my midday break to {v}.", "The user now takes the midday pause at {v}.", "I go out for food at {v} these days."),
        ("When do I have lunch?", "What time is my lunch break?", "When does the user eat at noon?"),
    ),
    Attribute(
        "daily step goal", "self", "steps",
        ("My goal is {v} steps a day.", "I aim for {v} steps daily.", "The user's step goal: {v}"),
        ("I changed my walking target, it's {v} now.", "The user changed the pedometer to {v}.", "I want to walk {v} paces every 24 hours from now on."),
        ("How many steps do I want to walk a day?", "What is my step goal?", "What is the user's daily step goal?"),
    ),
)  # fmt: skip

ATTRIBUTES = (*PEOPLE, *WORK)
