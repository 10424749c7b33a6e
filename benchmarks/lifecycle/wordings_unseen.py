# ruff: noqa: E501
"""Attributes of private life, the fifth split: written blind, by somebody who knew neither the rules nor the others' wordings.

They are said as people jot facts down or tell them to an assistant: notes, remarks, dictated lines, first and third person.
"""

from .wording import Attribute
from .wordings_unseen_work import WORK

OLD_FRAMES = ("Voice memo: {text}", "Jotting this down: {text}", "Note to file: {text}")
NEW_FRAMES = (
    "Just so you know: {text}",
    "Please amend what you have: {text}",
    "Latest state of affairs: {text}",
)

_PEOPLE = (
    Attribute(
        "home city", "person", "city",
        ("{s}'s flat is in {v}.", "{s} rents two rooms by the river in {v}.", "{s} is based in {v}, round the corner from the botanical garden."),
        ("{s} packed up everything and has settled in {v} for good.", "The removal van has left: {s} calls {v} home these days.", "{s} has been a resident of {v} since {month}, after the big move."),
        ("Where is {s} living at the moment?", "Which city would I visit {s} in?", "What town does {s} call home?"),
    ),
    Attribute(
        "employer", "person", "employer",
        ("{s} is on the payroll of {v}.", "{s} earns a salary at {v}.", "{s} badges in at {v} every morning."),
        ("{s} handed in the notice there and has signed with {v}.", "{v} hired {s} away in {month}.", "{s} quit; new job at {v}."),
        ("Which firm does {s} work for?", "Who employs {s} now?", "What company is {s} at?"),
    ),
    Attribute(
        "occupation", "person", "role",
        ("{s} pays the bills as a {v}.", "On the org chart {s} shows up as {v}.", "{s}'s business card says {v}."),
        ("{s} retrained and is a {v} now.", "After the reshuffle {s} was given the post of {v}.", "{s} has changed careers: {v} since {month}."),
        ("What does {s} do professionally?", "What's {s}'s position?", "Which job does {s} hold these days?"),
    ),
    Attribute(
        "mobile number", "person", "phone",
        ("{s}: {v}, that's the mobile.", "If anything is urgent, ring {s} on {v}.", "{s} picks up under {v}."),
        ("The old digits for {s} are dead, {v} is the one that works.", "{s} got a fresh SIM, so it's {v} from now on.", "Please overwrite the contact card: {s} has the number {v} now."),
        ("What number do I dial for {s}?", "How can I ring {s}?", "What's {s}'s mobile?"),
    ),
    Attribute(
        "emergency contact", "person", "person",
        ("{s} put down {v} as emergency contact.", "If {s} has an accident, call {v}.", "In case of trouble with {s}'s health, {v} is the one to ring."),
        ("HR form amended: for {s} it's now {v} who should be notified first.", "{s} has crossed out the previous name and nominated {v} for bad days.", "If {s} ever collapses, tell {v} from {month} on and nobody else."),
        ("Who should be told if something happens to {s}?", "Who is {s}'s emergency contact?", "Whom do we call when {s} is taken to hospital?"),
    ),
    Attribute(
        "instrument", "person", "instrument",
        ("{s} has a lesson on the {v} each Wednesday.", "{s}'s instrument is the {v}.", "In the amateur orchestra you see {s} with the {v}."),
        ("{s} sold it and plays the {v} now, nothing else.", "{s} has swapped over to the {v} for good; the neighbours are relieved.", "No more of the other one: {s} practises the {v} since {month}."),
        ("What does {s} play?", "Which instrument is {s} learning?", "What instrument should I expect {s} to bring?"),
    ),
    Attribute(
        "dentist", "person", "clinic",
        ("{s} lets nobody but {v} near those molars.", "{v} does {s}'s fillings.", "{s} has check-ups twice a year at {v}'s surgery."),
        ("{v} looks after {s}'s teeth now, the other practice shut.", "{s} found somebody gentler with the drill, {v}, and is staying there.", "{s} has been a patient of {v} since {month}, no more root canals with the last one."),
        ("Which dentist does {s} go to?", "Who looks after {s}'s teeth?", "Who would {s} ring with a toothache?"),
    ),
    Attribute(
        "gym", "person", "gym",
        ("{s} does the evening circuit at {v}.", "{s} has a membership with {v}.", "You'll find {s} sweating at {v} after hours."),
        ("{s} cancelled that contract and signed up at {v}.", "{v} is where {s} lifts weights these days.", "{s} defected to {v} because of the sauna."),
        ("Where does {s} work out?", "Which gym is {s} a member of?", "What fitness studio does {s} go to?"),
    ),
    Attribute(
        "commute", "person", "transport",
        ("{s} comes in by {v}.", "{s} gets to the office by {v}, rain or shine.", "Every morning it's the {v} for {s}."),
        ("{s} has sworn off that and commutes by {v}.", "Going to work, {s} relies on the {v} nowadays.", "{s} made the switch to the {v} in {month} and saves half an hour."),
        ("How does {s} travel to work?", "What does {s} take to the office in the morning?", "By what means does {s} commute?"),
    ),
    Attribute(
        "diet", "person", "diet",
        ("Cooking for {s}: {v}, please remember.", "{s} is {v}, has been since school.", "Asked about food, {s} ticked {v} on the form."),
        ("The doctor advised otherwise, so {v} it is for {s} from here on.", "{s} went back on all of that: {v} only, since {month}.", "When {s} comes to dinner, plan something {v} now, the former rules are off."),
        ("What can I cook for {s}?", "How does {s} eat?", "What's {s}'s diet these days?"),
    ),
    Attribute(
        "car", "person", "car",
        ("{s} has a {v} parked outside.", "When {s} gives you a lift, it's in a {v}.", "The {v} that blocks the gate belongs to {s}."),
        ("{s} scrapped the car and sits behind the wheel of a {v} now.", "{s} picked up the keys to a {v}, the old banger went for export.", "{s} leases a {v} since {month}; the previous one is sold."),
        ("Which car does {s} drive?", "What should I look for when {s} pulls up?", "What make is {s}'s car?"),
    ),
    Attribute(
        "bicycle", "person", "bicycle",
        ("{s} cycles on a {v}.", "{s}'s bike is a {v}.", "The {v} in the stairwell is {s}'s."),
        ("{s} upgraded to a {v} after the theft.", "{s} pedals a {v} these days.", "New ride for {s}: a {v}, the former one found a buyer."),
        ("What bike does {s} have?", "Which bicycle is {s}'s?", "What brand of bike does {s} ride?"),
    ),
    Attribute(
        "shirt size", "person", "shirt_size",
        ("{s} wears size {v}.", "Conference tee for {s}: {v}", "{s} needs shirts in {v}."),
        ("{s}'s measurements changed; order {v} from now on.", "Merch for {s} should be {v} these days.", "{s} asked for {v} next round, the last lot didn't fit."),
        ("What size shirt do we order for {s}?", "Which size is {s}?", "What T-shirt size does {s} take?"),
    ),
    Attribute(
        "favourite author", "person", "author",
        ("{s}'s favourite author is {v}.", "Nobody beats {v}, says {s}.", "If you buy {s} a novel, make it one of {v}'s."),
        ("{s} has a different literary hero since {month}: {v}.", "{v} has become the writer {s} loves best.", "Tastes shift, {s} now puts {v} above all others on the shelf."),
        ("Which author does {s} like most?", "Who is {s}'s favourite writer?", "Whose books does {s} love best?"),
    ),
    Attribute(
        "football club", "person", "club",
        ("{s} supports {v}.", "{s} is a die-hard {v} fan.", "{s} has a season ticket for {v}."),
        ("{s} changed sides and cheers for {v} now.", "Believe it or not, {s} roots for {v} these days.", "{s}'s scarf is in {v} colours since {month}, the former allegiance is over."),
        ("Which football club does {s} support?", "Who does {s} cheer for?", "What's {s}'s team in football?"),
    ),
    Attribute(
        "thesis topic", "person", "thesis",
        ("{s} is writing a thesis on {v}.", "PhD subject of {s}: {v}", "{s}'s dissertation deals with {v}."),
        ("{s} dropped that and researches {v} now.", "The supervisor talked {s} out of it and into {v}.", "{s} restarted the doctorate from scratch, this time about {v}."),
        ("What is {s}'s thesis about?", "What's the topic of {s}'s doctorate?", "What is {s} researching?"),
    ),
    Attribute(
        "academic supervisor", "person", "surname",
        ("{s} is doing the PhD under Professor {v}.", "Professor {v} oversees {s}'s research.", "{s}'s supervisor is Professor {v}."),
        ("After the retirement {s} was assigned to Dr. {v}.", "Dr. {v}'s lab has taken {s} in, the previous advisor left.", "{s} has had to find somebody else to guide the dissertation: Dr. {v}."),
        ("Who supervises {s}'s doctorate?", "Which academic is {s}'s supervisor?", "Who is advising {s} on the thesis?"),
    ),
    Attribute(
        "hairdresser", "person", "person",
        ("{v} cuts {s}'s hair.", "{s} goes to {v} for a haircut.", "Every six weeks {v} trims {s}'s fringe."),
        ("{s} has a different stylist now, {v}.", "{s} walked out of that salon and trusts {v} with the scissors.", "{v} does the layers for {s} since {month}, the other one emigrated."),
        ("Who cuts {s}'s hair?", "Who is {s}'s hairdresser?", "Who does {s} see for a haircut?"),
    ),
    Attribute(
        "dance class", "person", "dance",
        ("{s} dances {v}.", "Thursday nights {s} is at {v} class.", "{s} is taking {v} lessons."),
        ("{s} gave up on that and does {v} now.", "{s} has found a partner for {v}, the previous course is history.", "New shoes for {s}: it's {v} since {month}, instead of the old steps."),
        ("Which dance is {s} doing?", "What style does {s} dance?", "What dance lessons does {s} go to?"),
    ),
    Attribute(
        "sport", "person", "sport",
        ("{s}'s sport is {v}.", "{s} does {v} at club level.", "Ask {s} about the weekend and you hear about {v}."),
        ("{s} quit and took up {v} instead.", "The knees couldn't bear it any longer, so {s} practises {v} now.", "{s} has moved on to {v} and doesn't miss the other training at all."),
        ("What sport does {s} do?", "Which sport is {s} into now?", "How does {s} keep fit?"),
    ),
    Attribute(
        "current book", "person", "book",
        ("{s} has got to chapter nine of {v}.", "On {s}'s nightstand: {v}", "{s} is reading {v} at the moment."),
        ("{s} put that one aside unfinished and opened {v}.", "{s} is on to {v} now.", "Done with the last one, {s} has begun {v}."),
        ("What's {s} reading?", "Which book does {s} have on the go?", "What is {s}'s current read?"),
    ),
    Attribute(
        "series", "person", "series",
        ("{s} is bingeing {v}.", "{s} watches an episode of {v} every night.", "Don't spoil {v} for {s}, who is halfway through."),
        ("{s} finished all of the other show and is hooked on {v} now.", "{s} has started {v}, the previous series is over.", "Evenings at {s}'s are for {v} these days, the one before got boring."),
        ("Which series is {s} watching?", "What show is {s} following?", "What is {s} watching in the evening?"),
    ),
    Attribute(
        "video game", "person", "game",
        ("{s} is playing {v}.", "{s} spends every free hour in {v}.", "{s}'s game of choice: {v}"),
        ("{s} completed that and launched into {v}.", "{s} has got hooked on {v}, the other one was uninstalled.", "Since {month} it's all {v} on {s}'s console."),
        ("Which game is {s} playing?", "What video game is {s} into?", "What's {s} gaming these days?"),
    ),
    Attribute(
        "handset", "person", "phone_model",
        ("{s} carries the {v}.", "{s}'s handset is the {v}.", "Charger for {s}: must fit the {v}."),
        ("{s} dropped the mobile in a lake and bought the {v}.", "{s} upgraded to the {v}.", "{s} is texting from the {v} since {month}, trade-in."),
        ("Which phone does {s} have?", "What mobile is {s} using?", "What model is {s}'s phone?"),
    ),
    Attribute(
        "language course", "person", "language",
        ("{s} is learning {v}.", "{s} does {v} on the app every evening.", "{s} sits in beginners' {v} on Tuesday nights."),
        ("{s} abandoned that and is studying {v} now.", "{s} switched to {v}, the other grammar was too much.", "{s} has moved on to {v} with a private tutor, the old course is cancelled."),
        ("Which language is {s} learning?", "What language does {s} study?", "What is {s}'s language course in?"),
    ),
    Attribute(
        "judo belt", "person", "belt",
        ("{s} ties on a {v} belt for judo.", "{s}'s judo belt is {v}.", "On the mat {s} is a {v} belt."),
        ("{s} passed the grading and is up to {v} now.", "The sensei promoted {s} to {v}.", "Since {month} it's {v} around {s}'s waist."),
        ("Which belt does {s} have?", "What is {s}'s grade in judo?", "What colour belt does {s} wear?"),
    ),
    Attribute(
        "babysitter", "person", "person",
        ("{v} babysits for {s}.", "{s} leaves the kids with {v} on Fridays.", "{s}'s sitter is {v}."),
        ("{v} minds the children for {s} now.", "{s} found a replacement for evenings out: {v}", "With the former nanny back at uni, {s} books {v}."),
        ("Who babysits for {s}?", "Who looks after {s}'s kids in the evening?", "Which sitter does {s} call?"),
    ),
    Attribute(
        "time zone", "person", "timezone",
        ("{s}'s clock runs on {v}.", "Mind the difference, {s} lives by {v}.", "Where {s} sits they have {v}."),
        ("{s} relocated, so schedule calls in {v} now.", "{s} is logging in from {v} since the transfer.", "Set {s}'s calendar to {v} from {month} on."),
        ("Which time zone is {s} in?", "What's {s}'s time zone?", "In what time zone do I book a call with {s}?"),
    ),
    Attribute(
        "shift", "person", "shift",
        ("{s} has signed up for {v} work at the plant.", "{s} is on the {v} rota.", "Don't expect {s} outside the {v} hours."),
        ("{s} got reassigned to {v} duty.", "{s} swapped with a colleague for good and does {v}s now.", "{s} is down for {v}s in the plan from {month} on, no longer the old slots."),
        ("Which shift is {s} on?", "When does {s} work?", "What duty does {s} have on the rota?"),
    ),
    Attribute(
        "desk", "person", "desk",
        ("{s} has desk {v} by the pillar.", "{s}'s desk: {v}", "Parcels for {s} go to desk {v}."),
        ("{s} was reseated, {v} it is.", "{s} changed places and is at {v} now.", "The floor plan was redone: look for {s} at {v}."),
        ("Where does {s} sit?", "Which desk is {s}'s?", "What's the number of {s}'s desk?"),
    ),
    Attribute(
        "hotel chain", "person", "hotel",
        ("{s} stays at {v} when travelling.", "{s} collects points with {v}.", "Put {s} up in a {v}."),
        ("{s} is done with them and sleeps at {v} on trips nowadays.", "For {s} make reservations with {v} from now on, the old loyalty card expired.", "{v} is the only chain {s} accepts these days."),
        ("Which hotel chain do we book for {s}?", "Where does {s} stay on business trips?", "What hotel does {s} prefer?"),
    ),
    Attribute(
        "milk", "person", "milk",
        ("{s} takes {v} milk.", "Milk for {s}: {v}", "{s}'s cappuccino is made with {v} milk."),
        ("{s} prefers {v} in the coffee now.", "{s} can't stand that any more; pour {v}.", "It's {v} for {s} from {month} on, the usual carton upset the stomach."),
        ("What milk does {s} take?", "Which milk goes in {s}'s coffee?", "What kind of milk should I buy for {s}?"),
    ),
    Attribute(
        "bank", "person", "bank",
        ("{s}'s salary goes to {v}.", "{s}'s current account is at {v}.", "Pay {s} back by transfer, the IBAN is one of {v}'s."),
        ("{s} closed it and is a customer of {v} now.", "Fed up with the fees, {s} took all the money to {v}.", "{v} holds everything {s} owns since {month}, the other branch shut."),
        ("Which bank is {s} with?", "Where does {s} have an account?", "Who does {s} bank with?"),
    ),
    Attribute(
        "newspaper", "person", "newspaper",
        ("{s} reads {v} over breakfast.", "{s} subscribes to {v}.", "{s}'s paper is {v}."),
        ("{s} let that lapse and gets {v} delivered now.", "{v} lands on {s}'s doormat these days instead.", "{s} changed to {v}, better crosswords."),
        ("Which newspaper does {s} read?", "What paper does {s} get?", "Which paper has {s} subscribed to?"),
    ),
    Attribute(
        "charity", "person", "cause",
        ("{s} donates to {v}.", "{s} gives to {v} every Christmas.", "{s} has a standing order for {v}."),
        ("{s} stopped those payments and supports {v} now.", "{s} redirected the money to {v}.", "{s}'s monthly cheque is for {v} since {month}, the other one lost out."),
        ("Which charity does {s} support?", "Who does {s} donate to?", "Where do {s}'s donations go?"),
    ),
    Attribute(
        "race in training", "person", "race",
        ("{s} gets up at five because of the {v} in the spring.", "{s}'s next race is a {v}.", "{s} entered a {v}."),
        ("{s} re-registered: it's going to be a {v}.", "Change of plan, {s} is preparing for a {v} instead.", "{s} swapped the bib and will start in the {v}."),
        ("What race is {s} training for?", "Which distance is {s} preparing for?", "What kind of race will {s} run?"),
    ),
    Attribute(
        "hair colour", "person", "hair",
        ("{s}: tall, glasses, {v} hair.", "{s}'s hair is {v}.", "You'll recognise {s} by the {v} curls."),
        ("{s} dyed it, it's {v} now.", "{s} tried something else at the stylist's and is {v} these days.", "{s} is {v} on top since {month}."),
        ("What colour is {s}'s hair?", "What hair colour does {s} have?", "How do I recognise {s} by the hair?"),
    ),
    Attribute(
        "surname", "first name", "surname",
        ("{s}'s full name is {s} {v}.", "The doorbell at {s}'s says {v}.", "{s} signs contracts as {v}."),
        ("{s} got married, the passport reads {v} now.", "After the divorce {s} goes by {v}.", "Write {v} on {s}'s letters since the wedding."),
        ("What's {s}'s surname?", "What is {s}'s last name now?", "Which family name does {s} have?"),
    ),
    Attribute(
        "pizza", "person", "pizza",
        ("{s} always has the {v}.", "Pizza for {s}: {v}", "When we phone the pizzeria, {s} wants {v}."),
        ("{s} went off that one, order {v} now.", "{s}'s topping has changed; {v} from here on.", "{v} is the only thing {s} will eat at the Italian's these days."),
        ("Which pizza do I order for {s}?", "What pizza does {s} like?", "What does {s} have at the pizzeria?"),
    ),
    Attribute(
        "watch", "person", "watch",
        ("{s} tracks runs with a {v}.", "On {s}'s wrist: a {v}", "{s} wears a {v} day and night."),
        ("{s} gave it to a nephew and straps on the {v} now.", "{s} replaced the gadget with a {v}.", "{s} has {v} on the arm since {month}, longer battery."),
        ("What watch does {s} wear?", "Which brand is {s}'s watch?", "What does {s} track runs with?"),
    ),
)  # fmt: skip

_RELATIVES = (
    Attribute(
        "relative's holiday", "relation", "country",
        ("{s} is flying to {v} on holiday.", "{s}'s next trip is to {v}.", "{s} has booked {v} for the long break."),
        ("Plans of {s} fell through, it's going to be {v} now.", "{s} changed the destination: {v}", "Because of the strike {s} is off to {v} instead."),
        ("Where is {s} going on holiday?", "Which country is {s} travelling to?", "Where is {s}'s next trip to?"),
    ),
    Attribute(
        "relative's handset", "relation", "phone_model",
        ("{s} has the {v} with the cracked screen.", "{s} calls me from the {v}.", "The charger {s} needs is for the {v}."),
        ("{s} finally got a different mobile: the {v}", "{s} swapped phones and owns the {v} now.", "We set up the {v} for {s} in {month}, the old brick is in the drawer."),
        ("Which phone does {s} have?", "What mobile does {s} own?", "What model of phone is {s}'s?"),
    ),
    Attribute(
        "relative's pastime", "relation", "hobby",
        ("{s} is mad about {v}.", "All {s} does on Sundays is {v}.", "{s}'s hobby is {v}."),
        ("{s} lost interest in that and is into {v} now.", "{s} has thrown out the gear and taken up {v}.", "{s} got bored of the former thing; {v} since {month}."),
        ("What is {s}'s hobby?", "What does {s} do in spare time?", "Which pastime does {s} have?"),
    ),
    Attribute(
        "relative's dish", "relation", "dish",
        ("Nothing makes {s} happier on a plate than {v}.", "For {s}'s birthday we always make {v}.", "Cook {v} and {s} is happy."),
        ("{s} went right off it, {v} is the dish of choice now.", "{s} would rather be served {v} these days.", "{v} has become what {s} asks for at every meal out."),
        ("What does {s} love to eat?", "What do I cook for {s}?", "What's {s}'s favourite meal?"),
    ),
    Attribute(
        "chess with a relative", "relation", "weekday",
        ("{s} and I play chess on {v}s.", "{v} is chess night with {s}.", "Chess with {s}: {v}"),
        ("{s} can't make that any more, our game is on {v} now.", "{s} and I moved the board to {v}.", "Standing date at the board with {s} from {month} on: {v}, the other slot is off."),
        ("On which day do I play chess with {s}?", "When is my game with {s}?", "What day do {s} and I sit at the board?"),
    ),
    Attribute(
        "relative's supermarket", "relation", "supermarket",
        ("{s} shops at {v}.", "{s} buys everything at {v}.", "The groceries for {s} come from {v}."),
        ("{s} is boycotting them and goes to {v} now.", "{v} is where {s} fills the trolley these days.", "{s} has defected to {v}, nearer to the bus stop."),
        ("Which supermarket does {s} go to?", "Where does {s} do the shopping?", "Where do {s}'s groceries come from?"),
    ),
    Attribute(
        "relative's messenger", "relation", "messenger",
        ("I write to {s} on {v}.", "Best way to get hold of {s}: {v}", "{s} wants messages by {v}."),
        ("{s} ignores that now, try {v}.", "{s} would rather hear from me through {v} these days.", "From {month} on {s} reacts to nothing but {v}."),
        ("How do I reach {s}?", "Which channel does {s} want messages on?", "What is the best way to contact {s}?"),
    ),
    Attribute(
        "relative's breakfast", "relation", "breakfast",
        ("{s} has {v} in the morning.", "{s} starts the day with {v}.", "Without {v} at eight {s} is unbearable."),
        ("{s} is fed up with that, it's {v} for breakfast now.", "{s} has changed the first meal to {v}.", "Lay the table for {s} with {v} now, the former menu is out."),
        ("What does {s} have for breakfast?", "What do I make {s} in the morning?", "What's {s}'s breakfast?"),
    ),
    Attribute(
        "relative's music service", "relation", "music",
        ("{s} listens to records on {v}.", "{s} has all the playlists in {v}.", "{s} pays for {v} to hear the oldies."),
        ("{s} let the subscription go and streams from {v} now.", "{s} has been moved over to {v}, family plan.", "{s}'s songs come out of {v} since {month}."),
        ("Where does {s} listen to music?", "Which music service does {s} use?", "What does {s} stream songs with?"),
    ),
)  # fmt: skip

_USER = (
    Attribute(
        "my address", "self", "street",
        ("My address is {v}.", "You'll find me at {v}, second floor.", "I live at {v}."),
        ("I've moved house: {v}.", "Send post to {v} from now on, the old door isn't mine any more.", "Got the keys, {v} is home now."),
        ("What's my address?", "Where should parcels for me go?", "Where do I live?"),
    ),
    Attribute(
        "my rent", "self", "rent",
        ("Rent for me is {v}, heating not included.", "I pay {v} for the flat.", "{v} leaves my account on the first, for the apartment."),
        ("The landlord changed the terms, {v} a month from {month} on.", "They adjusted my housing costs to {v}.", "Living here costs me {v} now."),
        ("How much rent do I pay?", "What's my rent?", "What does my flat cost a month?"),
    ),
    Attribute(
        "my door code", "self", "code",
        ("The code for my front door is {v}.", "You get into my building with {v}.", "Entrance keypad at mine: {v}"),
        ("They reprogrammed the lock, {v} opens it now.", "Type {v} to be let in, the caretaker reset the digits.", "The combination downstairs was changed to {v} in {month}."),
        ("What's the code to my door?", "Which digits open my building?", "What do I type at the entrance?"),
    ),
    Attribute(
        "my wifi", "self", "wifi",
        ("My wifi is called {v}.", "Guests log on to {v} at my place.", "The network at home: {v}"),
        ("I renamed the WLAN, look for {v}.", "New router, new SSID: {v}", "Visitors connect to {v} now, the former name is off the air."),
        ("What's my wifi called?", "Which network do guests use at my place?", "What is the name of my home network?"),
    ),
    Attribute(
        "my bin day", "self", "weekday",
        ("My bins go out on {v}.", "Rubbish is collected on {v}s here.", "{v} is bin day."),
        ("The council moved the pick-up to {v}.", "The lorry comes on {v} now, new calendar on the fridge.", "Remind me about the trash on {v}s from {month} on, the schedule changed."),
        ("When do I put the bins out?", "Which day is the rubbish collected?", "What day is bin day?"),
    ),
    Attribute(
        "my bus", "self", "bus_line",
        ("I take the {v} bus to work.", "My line is the {v}.", "The {v} stops right at my door and brings me to the office."),
        ("They rerouted everything, I catch the {v} now.", "It's the number {v} that gets me there these days.", "Since {month} I ride the {v}, the other one was cut."),
        ("Which bus do I take to work?", "What's my bus line?", "What bus gets me to the office?"),
    ),
    Attribute(
        "my breakfast", "self", "breakfast",
        ("I have {v} for breakfast.", "My mornings begin with {v}.", "The user eats {v} before work."),
        ("Doctor's orders: no more of that, it's {v} at seven now.", "I've switched to {v} as first meal of the day.", "These days I start the day on {v}."),
        ("What do I eat in the morning?", "What's my breakfast?", "What does the user have for breakfast?"),
    ),
    Attribute(
        "my camera", "self", "camera",
        ("I shoot with the {v}.", "My camera is the {v}.", "All of the user's pictures come from the {v}."),
        ("I traded the body in for the {v}.", "Photos are made with the {v} now, the other one is sold.", "The user upgraded to the {v} for photography."),
        ("Which camera do I have?", "What do I take photos with?", "What is the user's camera?"),
    ),
    Attribute(
        "my headphones", "self", "headphones",
        ("My headphones are {v}.", "I wear {v} on calls.", "On my ears: {v}"),
        ("The old pair died, I have {v} now.", "I replaced my cans with {v}.", "The user listens through {v} since {month}."),
        ("Which headphones do I have?", "What do I wear on calls?", "What headphones does the user own?"),
    ),
    Attribute(
        "my e-reader", "self", "ereader",
        ("I read on a {v}.", "My e-reader is a {v}.", "Novels go onto the {v} for me."),
        ("I gave that away and carry a {v} now.", "Page turning happens on a {v} these days.", "Swapped it for a {v}, real buttons at last."),
        ("Which e-reader do I use?", "What do I read e-books on?", "What is the user's e-reader?"),
    ),
    Attribute(
        "my podcasts", "self", "podcast_app",
        ("I listen to podcasts in {v}.", "My podcast app is {v}.", "The user's episodes are queued in {v}."),
        ("I exported the feeds and moved to {v}.", "{v} is what plays my shows now.", "The user has ditched the other player for {v}."),
        ("Which app do I use for podcasts?", "Where do I listen to podcasts?", "What is the user's podcast app?"),
    ),
    Attribute(
        "my home hub", "self", "home_hub",
        ("My lights are run by {v}.", "I have {v} for the smart home.", "The blinds and the heating hang on {v} at my place."),
        ("I ripped that out, {v} is the hub now.", "House automation migrated to {v} in {month}.", "The user switched the household's gadgets to {v}."),
        ("What runs my smart home?", "Which hub controls my lights?", "What home automation do I have?"),
    ),
    Attribute(
        "my thermostat", "self", "degrees",
        ("I keep the flat at {v} degrees.", "My thermostat is at {v}.", "The user heats to {v}."),
        ("I've changed the setting, it's {v} indoors now.", "Please have the rooms at {v} from {month} on.", "The temperature I want is {v} these days."),
        ("What temperature do I keep at home?", "How warm do I want it?", "What is my thermostat set to?"),
    ),
    Attribute(
        "my bedtime", "self", "late",
        ("Good night from me is at {v}.", "Lights out for me: {v}", "I switch the phone off at {v} and sleep."),
        ("I'm under the covers by {v} now.", "The user turns in at {v} these days.", "New routine, I hit the pillow at {v}."),
        ("When do I go to bed?", "What's my bedtime?", "What time does the user turn in?"),
    ),
    Attribute(
        "my lunch break", "self", "noon",
        ("Lunch is {v} for me.", "My midday break is at {v}.", "Keep {v} free for my sandwich."),
        ("I eat at {v} now.", "The user has shifted the canteen visit to {v}.", "Nothing in my calendar at {v} please, that's when I'm off to the cafeteria these days."),
        ("When do I have lunch?", "What time is my lunch break?", "When is the user at lunch?"),
    ),
    Attribute(
        "my doctor", "self", "clinic",
        ("My GP is {v}.", "I see {v} when I'm ill.", "The user's family doctor: {v}"),
        ("I've registered with {v}, the last one retired.", "{v} took over as my physician.", "Whenever I cough I'm off to {v} now, the old surgery moved away."),
        ("Who is my doctor?", "Which GP do I see?", "Who is the user's physician?"),
    ),
    Attribute(
        "my blood pressure pill", "self", "medicine",
        ("I take {v} for my blood pressure.", "My blood pressure pill: {v}", "The user is on {v} against hypertension."),
        ("The cardiologist changed my tablets to {v}.", "I was put on {v} instead, fewer side effects.", "Prescription altered, the user gets {v} since {month}."),
        ("What do I take for blood pressure?", "Which medicine is the user on?", "What tablets am I on?"),
    ),
    Attribute(
        "my yoga", "self", "yoga",
        ("I do {v} on my mat every morning.", "My yoga style is {v}.", "I practise {v} at the studio round the corner."),
        ("My back protested, so it's {v} now.", "I changed classes, these days I go to {v}.", "The user has given that up for {v}."),
        ("Which style of yoga do I do?", "What yoga class do I go to?", "What kind of yoga does the user practise?"),
    ),
    Attribute(
        "my ice cream", "self", "ice_cream",
        ("My favourite ice cream is {v}.", "One scoop for me, always {v}.", "The user goes for {v} at the gelateria."),
        ("I've changed allegiance: {v} beats everything in the freezer now.", "These days I'd pick {v} over any other flavour.", "My cone has to be {v} nowadays."),
        ("Which ice cream do I like best?", "What flavour do I order?", "What is the user's favourite ice cream?"),
    ),
    Attribute(
        "my board game", "self", "board_game",
        ("My favourite board game is {v}.", "For me no board game beats {v}.", "Game night at mine means {v}."),
        ("I'm over that one, {v} is the best for me now.", "{v} has taken the top spot on my shelf.", "When friends come, the user puts {v} on the table these days, the former hit gathers dust."),
        ("What's my favourite board game?", "Which board game do I like most?", "What does the user put on the table for friends?"),
    ),
    Attribute(
        "my handle", "self", "handle",
        ("I post as {v}.", "My handle is {v}.", "You find me online under {v}."),
        ("I renamed my profile to {v}.", "Tag me with {v} from now on.", "The account is called {v} since {month}."),
        ("What's my handle?", "What am I called online?", "Under which name does the user post?"),
    ),
    Attribute(
        "my savings goal", "self", "money",
        ("I'm saving up {v}.", "My savings goal is {v}.", "The user wants to put aside {v} for a house."),
        ("I've revised the target to {v}.", "After talking to the adviser I'm aiming for {v} in the piggy bank.", "The nest egg should reach {v} now."),
        ("How much do I want to save?", "What's my savings target?", "What amount is the user saving for?"),
    ),
    Attribute(
        "my hourly rate", "self", "hourly",
        ("I charge {v} an hour.", "My rate is {v}.", "Quote {v} hourly for my consulting."),
        ("I've reviewed my prices: {v}", "From {month} on, invoices of mine go out at {v}.", "Clients pay me {v} now."),
        ("What do I charge an hour?", "What's my hourly rate?", "Which rate goes on the user's invoices?"),
    ),
    Attribute(
        "my invoicing", "self", "invoicing",
        ("I write invoices in {v}.", "My bookkeeping happens in {v}.", "The user bills clients through {v}."),
        ("I've moved the accounts over to {v}.", "{v} produces what I send to customers now.", "The accountant made me switch to {v}."),
        ("What do I write invoices with?", "Which tool does the user use for invoicing?", "What do I do my books in?"),
    ),
    Attribute(
        "my health insurer", "self", "insurer",
        ("I'm insured with {v}.", "My health cover is from {v}.", "The health card in my wallet says {v}."),
        ("I left them and {v} pays my doctor's bills now.", "Policy change: the user is a member at {v}.", "{v} has accepted me, the contract with the last lot is terminated."),
        ("Who is my health insurer?", "Which insurance am I with?", "Who pays the user's medical bills?"),
    ),
    Attribute(
        "my electricity", "self", "energy",
        ("The meter in my hallway belongs to {v}.", "I get power from {v}.", "The user's utility is {v}."),
        ("I changed supplier, it's {v} now.", "{v} is on the energy bill from {month} on.", "Comparison site paid off, I'm a customer of {v} these days."),
        ("Who supplies my electricity?", "Which energy supplier am I with?", "Where does my power come from?"),
    ),
    Attribute(
        "my internet", "self", "isp",
        ("My wifi at the flat comes over {v}.", "I'm with {v} for broadband.", "The router at home hangs on a {v} line."),
        ("The fibre was connected by {v}, I've cancelled the others.", "I go online through {v} these days.", "Contract swapped, the user surfs with {v} since {month}."),
        ("Who is my internet provider?", "Which provider am I with for broadband?", "Who is the user's ISP?"),
    ),
    Attribute(
        "my vpn", "self", "vpn",
        ("I tunnel through {v}.", "My VPN is {v}.", "I connect with {v} so that nobody can snoop."),
        ("Subscription ran out, I go via {v} now.", "The user has {v} instead for private surfing.", "Uninstalled that, {v} hides my traffic from {month} on."),
        ("Which VPN do I use?", "What is my VPN?", "What does the user connect with on hotel wifi?"),
    ),
    Attribute(
        "my type checker", "self", "type_checker",
        ("I check types with {v}.", "My type checker is {v}.", "Run {v} on my code before you show it to me."),
        ("I've replaced it, annotations are verified by {v} now.", "Use {v} for static analysis from now on, I dropped the other.", "Since {month} {v} looks over the user's annotations, not the former tool."),
        ("Which type checker do I use?", "What do I check types with?", "What should you run on my annotations?"),
    ),
    Attribute(
        "my containers", "self", "container_tool",
        ("I run containers with {v}.", "On my laptop {v} pulls the images.", "My container tool is {v}."),
        ("I've uninstalled that; compose files are started through {v} now.", "Licensing got silly, I migrated to {v} locally.", "The user builds Dockerfiles in {v} since {month}."),
        ("What do I run containers with?", "Which container tool do I have?", "What does the user use for containers?"),
    ),
    Attribute(
        "my monitor", "self", "monitor",
        ("My monitor is the {v}.", "I sit in front of the {v}.", "On the user's desk stands the {v}."),
        ("The screen broke, it's the {v} now.", "I upgraded my display to the {v}.", "The {v} has replaced my panel."),
        ("Which monitor do I have?", "What screen is on my desk?", "What display does the user have?"),
    ),
    Attribute(
        "my feeds", "self", "rss_reader",
        ("I read feeds in {v}.", "My RSS reader is {v}.", "Blogs land in {v} for me."),
        ("I've imported all subscriptions into {v}, the other one is closed.", "Posts from the sites I follow reach me through {v} now.", "The user follows sites with {v} these days."),
        ("Which RSS reader do I use?", "Where do I read my feeds?", "What is the user's feed reader?"),
    ),
    Attribute(
        "my mail client", "self", "mail_client",
        ("I do my email in {v}.", "My mail client is {v}.", "The user opens messages in {v}."),
        ("I've gone over to {v} for the inbox.", "All my correspondence happens in {v} now.", "The user types letters in {v} since {month}, the former program crashed too often."),
        ("Which mail client do I use?", "Where do I do my email?", "What program does the user read mail in?"),
    ),
    Attribute(
        "my docstrings", "self", "docstrings",
        ("I want docstrings in {v}.", "Document my functions in {v}, please.", "The user's docstrings follow {v}."),
        ("I've changed my mind about comments on methods: {v} from now on.", "Switch the API descriptions you write for me to {v}.", "From {month} on the user expects {v} under every def."),
        ("Which docstring convention do I want?", "How should docstrings look for me?", "What format does the user want for docstrings?"),
    ),
    Attribute(
        "my line length", "self", "line_length",
        ("I wrap code at {v} columns.", "My line length is {v}.", "Break lines at {v} when you write for me."),
        ("I've changed screens, {v} characters are right for me now.", "Set the right margin to {v} from now on.", "The user's ruler sits at {v} these days."),
        ("At how many columns do I wrap?", "What is my line length?", "How long may the user's lines be?"),
    ),
    Attribute(
        "my merges", "self", "merging",
        ("For pull requests I want {v}.", "My PRs go in with {v}.", "The user lands branches by {v}."),
        ("I've been converted: {v} when you finish a feature for me from now on.", "New habit for finished features in my repos: {v}", "Git history of mine is to be kept with {v} as of {month}."),
        ("How do I want pull requests merged?", "What's my way of merging?", "How should the user's branches be landed?"),
    ),
    Attribute(
        "my date format", "self", "date_format",
        ("Write dates for me in {v}.", "I like dates as {v}.", "The user wants every date in {v}."),
        ("I've had enough of that notation, please go with {v}.", "Calendar days should appear to me in {v} from now on.", "As of {month} I expect {v} whenever you mention when something happens."),
        ("Which date format do I want?", "How should dates be written for me?", "In what format does the user want dates?"),
    ),
    Attribute(
        "my backups", "self", "drive",
        ("I back up to {v}.", "My backups are on {v}.", "The user copies the laptop to {v} each weekend."),
        ("That failed on me, so files are saved to {v} now.", "My safety net is {v} these days, the old arrangement is gone.", "Disaster plan changed in {month}: everything of mine is mirrored on {v}."),
        ("What do I back up to?", "Where are my backups?", "How is the user's laptop backed up?"),
    ),
)  # fmt: skip

ATTRIBUTES = (*_PEOPLE, *_RELATIVES, *_USER, *WORK)
