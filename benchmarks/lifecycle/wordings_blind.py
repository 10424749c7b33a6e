# ruff: noqa: E501
"""Attributes of people, relatives and the user, written by somebody who had seen neither the rules nor what was asked.

No earlier statement shares a content word with a later one of the same attribute; the tests check every pair.
"""

from .wording import Attribute
from .wordings_blind_work import WORK

OLD_FRAMES = (
    "Scribbled on a sticky pad: {text}",
    "Out of my pocket diary: {text}",
    "{text} Just so it is written down.",
)
NEW_FRAMES = ("Quick correction: {text}", "Just in: {text}", "{text} Spread the word.")

_PEOPLE = (
    Attribute(
        "home city", "person", "city",
        ("{s} rents a place in {v}, not far from the river.", "If you are ever in {v}, drop in on {s}, who lives round the corner from the cathedral.", "{s} is a local in {v}, fifth floor without a lift."),
        ("{s} packed up and settled in {v} in {month}.", "Boxes everywhere at {s}'s, but {v} is home as of {month}.", "The removal van has been and gone, {s} sleeps in {v} these days."),
        ("Whereabouts does {s} live?", "Which city would I travel to if I visited {s} at home?", "What city is {s} living in?"),
    ),
    Attribute(
        "employer", "person", "employer",
        ("{s} is on the payroll at {v}.", "Day job of {s}: something at {v}.", "{s} earns a living at {v}, fourth year running."),
        ("{s} handed in the notice and has been employed by {v} since {month}.", "{s} got poached, and the business card says {v}.", "Ran into {s}, who left there and signed with {v}."),
        ("Who employs {s}?", "Which firm is {s} working for?", "What company does {s} work for?"),
    ),
    Attribute(
        "job title", "person", "role",
        ("By day {s} is a {v}.", "The org chart lists {s} as {v}.", "{s}'s door sign reads {v}."),
        ("{s} changed careers; think {v}, hard as it is to picture.", "We toasted {s} yesterday on getting the post of {v}.", "The signature under {s}'s mails has said {v} since {month}."),
        ("What's {s}'s position at work?", "What does {s} work as?", "What's {s}'s current job title?"),
    ),
    Attribute(
        "manager", "person", "person",
        ("{v} approves {s}'s holidays as the immediate superior.", "{s} has the weekly one-on-one with {v}, the line manager.", "One rung above {s} in the hierarchy: {v}."),
        ("Since the reshuffle {s}'s boss has been {v}.", "{s} got handed over to {v}, who does the appraisals now.", "{v} has had {s} among the direct reports since {month}."),
        ("Who's {s}'s boss?", "Who manages {s}?", "To whom does {s} report?"),
    ),
    Attribute(
        "phone number", "person", "phone",
        ("{s}'s mobile: {v}.", "Ring {s} at {v}.", "Got {s}'s number off the flyer for you, it's {v}."),
        ("{s} lost the SIM, please dial {v} instead.", "{s} has switched carriers; text or call {v} from today.", "Save this for {s} over the former contact: {v}."),
        ("What do I dial for {s}?", "How can I ring {s}?", "What's {s}'s mobile number?"),
    ),
    Attribute(
        "email address", "person", "email",
        ("Inbox for {s} is {v}.", "cc {s} ({v}) on everything.", "You'll catch {s} at {v}, checked every morning."),
        ("{s} gave up that account in {month}; the address is {v}.", "Messages for {s} bounce unless you send them to {v}.", "{s}'s new email: {v}."),
        ("What's {s}'s email?", "Where do I send an email for {s}?", "Which email address has {s} got?"),
    ),
    Attribute(
        "diet", "person", "diet",
        ("At table {s} is {v} through and through.", "Caterer, please note that {s} is {v}.", "Whoever cooks for {s}: {v}, no exceptions."),
        ("{s} took up a {v} diet in {month}, to everyone's surprise.", "Doctor's orders have turned {s} {v}.", "No more of the former regime: {s} sticks to {v} meals."),
        ("How does {s} eat?", "What diet is {s} on?", "What should a cook know about {s}'s diet?"),
    ),
    Attribute(
        "car", "person", "car",
        ("The {v} out front belongs to {s}.", "{s} gets about in a {v}.", "Parking permit for {s}: {v}."),
        ("{s} scrapped the last one and drives a {v} these days.", "{s} part-exchanged; a {v} is what {s} has been driving since {month}.", "{s}'s lease ran out and the dealer swapped it for a {v}."),
        ("What car is {s} driving?", "What kind of car has {s} got?", "Which car is {s}'s?"),
    ),
    Attribute(
        "preferred channel", "person", "channel",
        ("{s} is best reached by {v}.", "{s}'s channel of choice: {v}.", "Anything for {s} goes out by {v}."),
        ("{s} quit checking that; contact only by {v} please.", "Effective {month}, {s} wants everything sent by {v}.", "{s} asked us to get in touch by {v} rather than the usual way."),
        ("What's the best way to get hold of {s}?", "How does {s} like to be contacted?", "How should I get in touch with {s}?"),
    ),
    Attribute(
        "hot drink", "person", "drink",
        ("A {v} for {s}, as ever.", "{s} can't start a meeting without a {v}.", "I'm doing the café run, so that's a {v} for {s}."),
        ("Get {s} a {v} from now on, the other stuff is out.", "{s}'s go-to drink has been a {v} since {month}.", "The barista knows that {s} asks for a {v} these days."),
        ("What should I bring {s} from the café?", "What does {s} drink?", "What hot drink does {s} want?"),
    ),
    Attribute(
        "bank", "person", "bank",
        ("{s}'s salary goes into {v}.", "Wire it to {s}, account at {v}.", "{s} has saved with {v} since the first pocket money."),
        ("Sick of the fees, {s} walked out of there and became a customer of {v}.", "Refund {s} through {v}, the former bank is history.", "Every cent {s} owns has been with {v} since {month}."),
        ("Which bank is {s} with?", "Where does {s} bank?", "At which bank does {s} keep money?"),
    ),
    Attribute(
        "degree", "person", "subject_of_study",
        ("{s} is in the second year of {v}.", "What keeps {s} at the library all night is a degree in {v}.", "{s} matriculated in {v} and likes it."),
        ("{s} dropped out of that and is reading {v}.", "The faculty let {s} switch to {v} in {month}.", "{s} is a {v} student these days, the first course wasn't the right thing."),
        ("What is {s} studying?", "Which degree is {s} doing?", "What does {s} study at uni?"),
    ),
    Attribute(
        "commute", "person", "transport",
        ("{s} rides in by {v} every morning.", "Door to desk, {s} goes by {v}, forty minutes.", "{s} counts on the {v} to get to the office."),
        ("Starting {month}, the {v} is how {s} travels to work.", "Having had enough of that, {s} reaches work by {v}.", "Since the roadworks {s} has been commuting by {v}."),
        ("How does {s} get in to work?", "How does {s} commute these days?", "By what means of transport does {s} come in?"),
    ),
    Attribute(
        "current book", "person", "book",
        ("The bookmark {s} lost belongs in {v}, about page ninety.", "{s} is deep into {v}.", "{s} can't stop quoting the book on the bedside table, {v}."),
        ("{s} put that aside and opened {v} last night.", "{s} is on to {v}, the previous novel is done.", "{v} is what {s} has had on the go since early {month}."),
        ("What's {s} reading right now?", "Which novel has {s} got on the go?", "What book is {s} in the middle of?"),
    ),
    Attribute(
        "instrument", "person", "instrument",
        ("{s} practises the {v} every evening.", "In the band {s} is on {v}.", "Thursday lesson of {s}: {v}, with the strict teacher."),
        ("{s} hung that up in {month} and took to the {v}.", "These days it's the {v} {s} performs with, nothing else.", "{s} sold the former thing and is learning the {v} as a replacement."),
        ("Which instrument does {s} play?", "What does {s} play, musically?", "What is {s}'s instrument?"),
    ),
    Attribute(
        "health insurer", "person", "insurer",
        ("{s}'s health cover is through {v}.", "Should {s} ever land in hospital, {v} covers it.", "Claims for {s} go to {v}."),
        ("{s} took out a policy with {v} and cancelled the other.", "{v} pays {s}'s medical bills from {month} on.", "{s} has been sent a membership card by {v}, the former fund is dropped."),
        ("Who insures {s}?", "Which health insurer is {s} with?", "What's {s}'s insurance company?"),
    ),
    Attribute(
        "family doctor", "person", "clinic",
        ("{s} sees {v} for checkups.", "Family physician of {s}: {v}.", "{s} has been on {v}'s patient list for ages."),
        ("With the old practice shut, {v} looks after {s} medically.", "{s} re-registered with {v} as GP in {month}.", "If {s} falls ill, ring {v} from now on."),
        ("Who is {s}'s doctor?", "Which GP does {s} go to?", "Which physician treats {s}?"),
    ),
    Attribute(
        "gym", "person", "gym",
        ("{s} lifts weights at {v}.", "{s} pays monthly dues at {v} for the weights room.", "Find {s} at {v} three evenings a week, on the treadmill."),
        ("{s} quit there and signed up at {v} in {month}.", "Because of the sauna {s} has defected to {v} as a gym.", "Guess who works out at {v} these days? {s}, the previous contract has ended."),
        ("Where does {s} train?", "Which gym does {s} go to?", "Which fitness club is {s} a member of?"),
    ),
    Attribute(
        "sport", "person", "sport",
        ("For exercise {s} does {v}.", "Sport-wise {s} is all about {v}.", "{s} knows just one sport, {v}."),
        ("{s} retired from that and trains in {v} instead.", "With the knee gone, {s} has swapped over to {v}.", "In {month} {v} replaced what {s} used to sweat at."),
        ("What sport does {s} do?", "Which sport is {s} into these days?", "Which sport does {s} keep fit with?"),
    ),
    Attribute(
        "football position", "person", "position",
        ("{s} lines up as {v} on Sundays.", "Team sheet: {s}, {v}.", "Shirt number settled, {s} is our {v}."),
        ("The coach has made {s} the {v}.", "{s} plays {v} from {month} on, somebody else has the former spot.", "{s} got converted to {v} after the injury."),
        ("What position does {s} play?", "Where on the pitch does {s} play?", "What is {s}'s position in the football team?"),
    ),
    Attribute(
        "choir voice", "person", "voice",
        ("{s} sings {v}.", "In the choir {s} stands with the other {v} singers.", "Choir rehearsal: {s} goes left, with the {v} group."),
        ("The conductor moved {s} to {v}.", "{s} has been down as {v} on the chorus list since {month}.", "{s}'s part is {v} these days, that range suits better."),
        ("Which part does {s} sing?", "What voice is {s} in the choir?", "In which section of the choir is {s}?"),
    ),
    Attribute(
        "hair colour", "person", "hair",
        ("{s} has {v} hair.", "You'll spot {s} by the {v} curls.", "At the station look for {s}, {v} ponytail."),
        ("{s} came back from the salon {v}.", "I hardly knew {s}, who dyed everything on top {v} in {month}.", "Don't be startled, {s} went {v} at the stylist's."),
        ("What colour is {s}'s hair?", "By what hair colour do I recognise {s}?", "Which hair colour does {s} have?"),
    ),
    Attribute(
        "phone model", "person", "phone_model",
        ("The {v} on the charger is {s}'s phone.", "Handset on {s}'s contract: {v}.", "{s} takes all those pictures with the {v}, best mobile ever apparently."),
        ("{s} upgraded to the {v} in {month}.", "After the lake incident {s} got the {v} as a replacement device.", "Gone is the cracked screen: {s} has unpacked the {v}."),
        ("Which phone does {s} have?", "What model is {s}'s mobile?", "What smartphone does {s} use?"),
    ),
    Attribute(
        "laptop", "person", "laptop",
        ("IT issued {s} a {v}.", "{s} types on a {v}.", "Asset list: {s} has a {v}."),
        ("{s}'s machine broke, it's been a {v} since {month}.", "Swap done, {s} has been given a {v}.", "{s} turned in the last computer for a {v}."),
        ("What laptop does {s} have?", "Which computer does {s} work on?", "What machine is {s} using?"),
    ),
    Attribute(
        "plane seat", "person", "seat",
        ("Book {s} a {v} seat.", "{s} only ever flies in a {v} seat.", "Seating wish of {s}: {v}."),
        ("{s} altered the flight preference to {v}.", "On planes {s} wants {v} now, not what was said earlier.", "Travel desk, from {month} on give {s} a {v} place on board."),
        ("Which seat does {s} want on a plane?", "Where does {s} like to sit when flying?", "What seat should I reserve for {s}?"),
    ),
    Attribute(
        "airline", "person", "airline",
        ("{s} collects miles with {v}.", "Loyalty programme {s} is in: {v}.", "Book {s} on {v} whenever there's a choice."),
        ("{s} let the points expire and is a frequent flyer of {v} now.", "Plane tickets for {s} should say {v} from {month} on.", "{s} swears by {v} these days, the rest is out for air travel."),
        ("Which airline does {s} prefer?", "Who does {s} like to fly with?", "With which airline should I book {s}?"),
    ),
    Attribute(
        "hotel", "person", "hotel",
        ("On trips {s} sleeps at the {v}.", "Hotel of choice for {s}: the {v}.", "{s} always books the {v} for travel."),
        ("{s} has taken to {v} places, the others are off the list.", "Kindly put {s} up at the {v} from {month} on.", "Rooms for {s}: {v} only, as {s} is done with the former chain."),
        ("Which hotel chain does {s} prefer?", "Where should I reserve a room for {s}?", "Where does {s} stay on business trips?"),
    ),
    Attribute(
        "flatmate", "person", "person",
        ("{s} shares the flat with {v}.", "{s}'s roommate is {v}.", "Second name on {s}'s doorbell: {v}, who splits the rent."),
        ("{v} moved in with {s} after the other one left.", "The previous lodger has gone, and {v} is who {s} lives with.", "In {month} {v} took the only other bedroom at {s}'s, which had just been vacated."),
        ("Who does {s} live with?", "Who is {s}'s flatmate?", "With whom does {s} share the apartment?"),
    ),
    Attribute(
        "race", "person", "race",
        ("{s} is training for a {v}.", "Wish {s} luck, there is a {v} to get through in the autumn.", "{s}'s programme leads up to a {v}."),
        ("{s} changed the start number and rebooked for the {v}.", "{s} will line up for the {v} after all, one start is enough.", "The coach talked {s} into the {v} instead in {month}."),
        ("What race is {s} training for?", "Which event is {s} preparing for?", "Which race has {s} signed up for?"),
    ),
    Attribute(
        "judo belt", "person", "belt",
        ("{s} wears a {v} belt at the dojo.", "Judo club files: {s}, {v} belt.", "Grade of {s} in judo: {v}."),
        ("Bow lower, {s} has been promoted to {v} by the sensei.", "{s} ranks {v} since the last martial-arts exam.", "The sensei tied a {v} one round {s}'s waist after the test in {month}."),
        ("What belt does {s} have?", "Which judo grade is {s}?", "What colour is {s}'s judo belt?"),
    ),
    Attribute(
        "level of Spanish", "person", "level",
        ("I'd say {s}'s Spanish is at {v}.", "A placement test put {s} in the {v} Spanish class.", "{s}, Spanish, level {v}."),
        ("{s} passed the Instituto Cervantes exam for {v} in {month}.", "{s} now holds a {v} diploma from the Instituto Cervantes.", "By the sound of it {s} has climbed to {v} in Castilian."),
        ("What level is {s}'s Spanish?", "How good is {s}'s Spanish?", "Which CEFR level does {s} have in Spanish?"),
    ),
    Attribute(
        "shift", "person", "shift",
        ("{s} is rostered on the {v} shift.", "{s} works {v}s.", "{s} is hard to reach because of the {v} shift."),
        ("{s} has been put on {v} duty since {month}.", "{s} now does {v} hours at the ward.", "Traded with a colleague for good, so {s} covers {v} slots."),
        ("Which shift does {s} work?", "When is {s} on duty?", "What shift is {s} on?"),
    ),
    Attribute(
        "desk", "person", "desk",
        ("{s} sits at {v}.", "Seat plan says {s} at {v}.", "Parcels for {s} to desk {v}."),
        ("Facilities moved {s} to {v}.", "{s} packed the boxes and set up at {v} in {month}.", "You'll find {s} over at {v} since the office shuffle."),
        ("Which desk is {s}'s?", "What's {s}'s desk number?", "At which desk in the office is {s}?"),
    ),
    Attribute(
        "day at home", "person", "weekday",
        ("{s} stays home with the laptop on {v}s.", "Don't look for {s} in the building on {v}s, that's the remote day.", "On {v}s {s} works from the kitchen table."),
        ("{s}'s WFH slot has been swapped to {v}.", "{s} telecommutes every {v} from {month} on, as the former slot clashed with the board.", "It's {v} now when {s} dials in from the sofa."),
        ("Which day does {s} work from home?", "On what day of the week is {s} not in the office?", "When is {s}'s work-from-home day?"),
    ),
    Attribute(
        "child's school", "person", "school",
        ("{s}'s only child attends {v}.", "School run: {s} drops the child off at {v}, then drives on.", "{s}'s little one is a pupil at {v}."),
        ("{s}'s kid transferred to {v} in {month}.", "{s} has the youngster in class at {v} now, away from the last place.", "New lunchbox, new gate: {s}'s offspring has been going to {v} since the holidays."),
        ("Which school does {s}'s child go to?", "Where does {s}'s kid go to school?", "What school is {s}'s child at?"),
    ),
    Attribute(
        "charity", "person", "charity",
        ("{s} volunteers for {v} on weekends.", "{s}'s unpaid evenings belong to {v}.", "Helper roster of {v}: {s} is on it."),
        ("{s} stopped there and gives spare time to {v} now.", "{v} is the cause {s} has donated hours to since {month}, the former one being over.", "{s} has changed charities and pitches in at {v}."),
        ("Who does {s} volunteer for?", "Which charity does {s} help?", "Where does {s} do volunteer work?"),
    ),
)  # fmt: skip

_RELATIVES = (
    Attribute(
        "relative's medicine", "relation", "medicine",
        ("{s} takes {v} for the blood pressure.", "Please collect the heart pills for {s} at the chemist's: {v}.", "{s} swallows {v} every morning."),
        ("The cardiologist changed {s} over to {v}.", "{s} has been on {v} since the switch in {month}.", "{s} was told to stop with that one and was prescribed {v}."),
        ("Which blood pressure medicine does {s} take?", "What medication is {s} on?", "Which drug was prescribed for {s}?"),
    ),
    Attribute(
        "relative's home", "relation", "city",
        ("{s} is at home in {v}.", "Postcards to {s} go to {v}.", "Down in {v} is where {s} lives, with a view of the station."),
        ("{s} sold up and relocated to {v}.", "Since {month} {s} has been a resident of {v}.", "Helped {s} carry boxes: the new flat is in {v}."),
        ("Where does {s} live?", "Which city is {s} living in?", "In what town do I find {s}?"),
    ),
    Attribute(
        "relative's occupation", "relation", "role",
        ("{s} makes a living as a {v}.", "Profession of {s}: {v}.", "You know {s}, a {v} and always busy."),
        ("Retraining has paid off, {s} got hired as a {v}.", "{s} was hired for the post of {v}.", "Career change for {s}, who turned {v} in {month}."),
        ("What does {s} do for work?", "What's the job of {s}?", "What does {s} work as?"),
    ),
    Attribute(
        "relative's call", "relation", "weekday",
        ("I ring {s} every {v}.", "{v}s are for the weekly chat with {s}.", "Standing phone date with {s}: {v}."),
        ("{s} and I shifted our call to {v}.", "Agreed with {s} that we talk on a {v} from now on.", "{s} and I have caught up on {v}s since {month}."),
        ("On which day do I call {s}?", "When's my weekly call with {s}?", "What day of the week do I talk to {s}?"),
    ),
    Attribute(
        "relative's holiday", "relation", "country",
        ("Holidays with {s} always mean {v}.", "{s} never goes anywhere but {v} for a holiday.", "Vacation spot of {s}: {v}, without fail."),
        ("{s} got bored there and has sworn by {v} for getting away since {month}.", "From this season on {s} travels to {v} for the time off, the former place is over and done with.", "{s} got tired of that and has picked {v} for the yearly break."),
        ("Where does {s} go on holiday every year?", "Which country does {s} holiday in?", "Where does {s} spend the yearly holiday?"),
    ),
)  # fmt: skip

_USER = (
    Attribute(
        "editor", "self", "editor",
        ("I do all my programming in {v}.", "{v} is open on my screen from nine to five, it's where I hack.", "IDE of the user: {v}."),
        ("Threw that out, {v} is my editor now.", "The user has edited files in {v} since {month}.", "Finally made the jump to {v} for text editing; muscle memory will catch up."),
        ("What do I write code in?", "Which editor is the user on?", "What's my editor?"),
    ),
    Attribute(
        "answer language", "self", "language",
        ("Write to me in {v}.", "The user's language for replies: {v}.", "Speak {v} with me."),
        ("Could we switch to {v} for our chats? Makes life easier.", "The user asked to be answered in {v} from {month} onwards.", "Forget the former tongue: give all output in {v}."),
        ("In which language should I write to the user?", "What language do I want to be answered in?", "Which language does the user want to chat in?"),
    ),
    Attribute(
        "shell", "self", "shell",
        ("My login shell is {v}.", "I live in {v} at the prompt.", "The user's dotfiles are for {v}."),
        ("chsh done, {v} it is.", "The user runs commands in {v} now.", "I type everything into {v} these days, the previous interpreter is uninstalled."),
        ("Which shell do I use?", "What's the user's shell?", "Which shell should commands be written for?"),
    ),
    Attribute(
        "terminal", "self", "terminal",
        ("My terminal is {v}.", "I launch {v} for anything on the command line.", "The user's terminal emulator: {v}."),
        ("Swapped my console over to {v}.", "Since an update broke everything, the user has opened sessions in {v}.", "In {month} I put {v} in the place of what I had for console windows."),
        ("Which terminal do I use?", "What terminal emulator is the user on?", "What's my terminal?"),
    ),
    Attribute(
        "browser", "self", "browser",
        ("{v} opens whenever I click a link.", "I read the web in {v}.", "The user is on {v} for surfing."),
        ("Made {v} the default browser yesterday.", "The user looks at pages in {v} these days.", "All my tabs have been imported into {v}, the former program is deleted."),
        ("Which browser do I use?", "What browser is the user on?", "In which browser do I read web pages?"),
    ),
    Attribute(
        "search engine", "self", "search_engine",
        ("I look things up on {v}.", "The user's search engine: {v}.", "Whatever I put in the address bar goes to {v}."),
        ("Set {v} as default for finding stuff online.", "When I want to know something I ask {v} nowadays, the former site is out.", "The user now types questions into {v} rather than the former one."),
        ("Which search engine do I use?", "Where does the user search the web?", "What do I search with?"),
    ),
    Attribute(
        "password manager", "self", "password_manager",
        ("All of my passwords sit in {v}, behind one long one.", "The user's logins are stored in {v}.", "I unlock everything through {v}."),
        ("Exported the credentials and pulled them into {v}.", "The user was breached and has trusted {v} with secrets ever since.", "My vault has been with {v} since {month}, the subscription to the other one is cancelled."),
        ("Where are my passwords?", "Which password manager does the user have?", "What do I manage passwords with?"),
    ),
    Attribute(
        "notes app", "self", "notes_app",
        ("I jot things down in {v}.", "The user's notes are in {v}.", "Everything I learn ends up in {v}."),
        ("Moved my whole notebook collection over to {v}.", "The user writes in {v} nowadays, the former vault is archived.", "{v} is where my memos have gone since {month}."),
        ("Where are my notes?", "Which app does the user make notes in?", "What do I write notes in?"),
    ),
    Attribute(
        "to-do list", "self", "todo_app",
        ("My list of chores sits in {v}.", "The user ticks off errands in {v}.", "Reminders? I keep them in {v}."),
        ("I've put all tasks into {v} and wiped the old app.", "The user plans what needs doing with {v} from {month} on.", "{v} nags me now about what is due, nothing else does."),
        ("Where do I keep my tasks?", "Which to-do app does the user have?", "What app tells me what is due?"),
    ),
    Attribute(
        "calendar", "self", "calendar",
        ("My appointments are in {v}.", "The user's diary app is {v}.", "I check {v} for where to be."),
        ("Agenda moved over to {v}, the last one is closed.", "Please look in {v} for the user's schedule, the other one is stale.", "I've kept meetings in {v} since {month} and nowhere else."),
        ("Which calendar app do I use?", "Where are the user's appointments?", "What does the user keep the calendar in?"),
    ),
    Attribute(
        "music service", "self", "music",
        ("I stream music on {v}.", "The user's playlists live on {v}.", "{v} plays in my headphones all day."),
        ("Cancelled that and got {v} for listening to songs.", "The user pays for {v} to hear albums, the former plan has ended.", "My tunes have been coming from {v} since {month}."),
        ("Where do I stream music?", "Which music service does the user have?", "What do I listen to music on?"),
    ),
    Attribute(
        "wake-up time", "self", "early",
        ("My alarm goes off at {v}.", "I'm up at {v} on workdays.", "The user rises at {v}."),
        ("The baby decides: I am awake from {v}.", "The user has been waking at {v} since the {month} timetable.", "Changed routine: out of bed by {v}."),
        ("When do I get up?", "At what time does the user wake up?", "When does my alarm ring?"),
    ),
    Attribute(
        "bedtime", "self", "late",
        ("Lights out for me at {v}.", "I go to sleep at {v}.", "Bedtime for the user is {v}, screens off."),
        ("I turn in at {v} these days.", "The user's head hits the pillow at {v} as of {month}.", "New evening rule of mine: under the covers by {v}."),
        ("When do I go to bed?", "What's the user's bedtime?", "At what hour of the evening do I go to sleep?"),
    ),
    Attribute(
        "keyboard layout", "self", "keyboard",
        ("I touch-type on {v}.", "My keyboard layout is {v}.", "The user's keys are arranged in {v}."),
        ("Retrained my fingers for {v}, no going back.", "The user writes with {v} mapping after a painful {month}.", "Relabelled all keycaps to {v} because I changed over."),
        ("Which keyboard layout do I use?", "What layout does the user type on?", "How is my keyboard laid out?"),
    ),
    Attribute(
        "font", "self", "font",
        ("My source files are displayed in {v}.", "Editor font of the user: {v}.", "I stare at {v} all day, typeface-wise."),
        ("Set every monospace setting to {v}.", "The user has read programs in {v} lettering since {month}.", "{v} is easier on my eyes, so I switched glyphs to that."),
        ("Which font do I use for code?", "What's the user's editor font?", "In which typeface do I look at code?"),
    ),
    Attribute(
        "operating system", "self", "os",
        ("My machine boots {v}.", "The user's operating system: {v}.", "I run {v} at home and everywhere."),
        ("Wiped the disk and installed {v}.", "The user's computer was put on {v} in {month}.", "I've left that platform, {v} is on all my hardware."),
        ("Which operating system do I run?", "What OS is the user on?", "What runs on my computer?"),
    ),
    Attribute(
        "AI model", "self", "model",
        ("The user's language model of choice is {v}.", "My go-to LLM is {v}.", "I run everything past {v}, that's my AI."),
        ("I've dropped that bot and prompt {v} only.", "The user's chatbot subscription was cancelled in favour of {v}.", "Since {month} my assistant has been {v}."),
        ("Which AI model do I use?", "What LLM does the user work with?", "What's my AI of choice?"),
    ),
    Attribute(
        "rent", "self", "rent",
        ("I pay {v} a month for the flat.", "My rent is {v}.", "The user's landlord charges {v}."),
        ("Letter came: the apartment costs me {v} from {month}.", "As renegotiated, the user transfers {v} for housing.", "Lease renewed at {v}, that's what I owe now."),
        ("How much rent do I pay?", "What's the user's rent?", "How much does my flat cost me?"),
    ),
    Attribute(
        "internet provider", "self", "isp",
        ("The wifi bill in my mailbox is from {v}.", "The user's broadband provider: {v}.", "The router in my hallway is on a {v} line."),
        ("Had {v} come round to hook up the fibre, the other contract is terminated.", "The user gets online through {v} from {month} on.", "I switched my connection over to {v}."),
        ("Who is my internet provider?", "Which ISP does the user have?", "Who do I get internet from?"),
    ),
    Attribute(
        "electricity", "self", "energy",
        ("My electricity comes from {v}.", "The user's power supplier is {v}.", "{v} bills me for electricity."),
        ("Signed a green tariff with {v}, meter reading handed in.", "The user has paid {v} for current since {month}.", "I've left that utility for {v}."),
        ("Who supplies my electricity?", "Which power company is the user with?", "Who do I buy electricity from?"),
    ),
    Attribute(
        "newspaper", "self", "newspaper",
        ("I read {v} over breakfast.", "The user's daily paper is {v}.", "Subscription in my letterbox: {v}."),
        ("Cancelled that, so it's {v} that lands on the mat in the mornings.", "The user gets the news from {v} these days, the other title was dropped in {month}.", "I've gone over to {v} for headlines."),
        ("Which newspaper do I get?", "What paper does the user read?", "Which paper do I read the news in?"),
    ),
    Attribute(
        "milk", "self", "milk",
        ("I take {v} milk in my coffee.", "The user's fridge has {v} milk, nothing else of the kind.", "Put {v} milk on my shopping list, always."),
        ("Changed my mind about the white stuff: {v} only.", "The user drinks {v} instead from {month} on.", "For my cereal and cappuccino it's the {v} sort now."),
        ("Which milk do I take?", "What kind of milk does the user want?", "What milk should be bought for me?"),
    ),
    Attribute(
        "commit style", "self", "commit_style",
        ("I do {v} for commit messages.", "My commit style: {v}.", "In the user's git log you see {v}."),
        ("I've adopted {v} for describing changes.", "History entries: {v} from here on, please.", "The user switched to {v} when recording work in version control."),
        ("How do I write commit messages?", "What commit style does the user have?", "In which style should commits be written for me?"),
    ),
    Attribute(
        "indentation", "self", "indentation",
        ("Indent for me with {v}.", "Indentation for the user: {v}.", "Nested code of mine has {v} per level."),
        ("Reformatted everything to {v}, keep it that way.", "The user wants {v} at the start of inner lines now.", "From {month}, put {v} before the body when you write functions for me."),
        ("How do I indent code?", "What does the user indent with?", "What indentation should my code have?"),
    ),
    Attribute(
        "currency", "self", "currency",
        ("Show me prices in {v}.", "The user thinks in {v}.", "Quote all amounts in {v}."),
        ("I'd like to see money converted to {v} from now on.", "The user's figures should be in {v} starting {month}.", "Costs in {v} please, I've switched."),
        ("In which currency do I want prices?", "What currency should amounts for the user be in?", "Which currency do I count in?"),
    ),
    Attribute(
        "answer length", "self", "tone",
        ("I like your answers {v}.", "The user wants {v} answers.", "Response length for me: {v}."),
        ("Please make everything you tell me {v} from here on.", "The user has come round to {v} replies.", "Changed taste: {v} texts for me, please."),
        ("How long should answers to me be?", "What length of answer does the user want?", "What sort of answers do I like?"),
    ),
    Attribute(
        "time zone", "self", "timezone",
        ("My clock is on {v}.", "The user lives by {v}.", "Put all hours in {v} for me."),
        ("I've relocated, convert my meetings to {v}.", "The user's zone has been {v} since {month}.", "Schedule me according to {v} now."),
        ("Which time zone am I in?", "What's the user's time zone?", "In what time zone should my appointments be given?"),
    ),
    Attribute(
        "cloud storage", "self", "cloud_drive",
        ("My files sync to {v}.", "The user's documents are kept on {v}.", "Folders of mine, all of them: in {v}."),
        ("Pulled everything off there and uploaded it to {v}.", "The user's cloud storage changed to {v} in {month}.", "After the outage I put the lot into {v}."),
        ("Where are my files stored in the cloud?", "Which cloud storage does the user have?", "What do I keep files on in the cloud?"),
    ),
)  # fmt: skip

ATTRIBUTES = (*_PEOPLE, *_RELATIVES, *_USER, *WORK)
