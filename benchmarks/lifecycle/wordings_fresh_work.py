# ruff: noqa: E501
"""The attributes of `wordings_fresh.py` that belong to work: projects, services, teams, companies, devices."""

from .wording import Attribute

WORK = (
    # Projects.
    Attribute(
        "deadline", "project", "date",
        ("{s} is due {v}.", "{s} has a hard deadline, {v}.", "We have to deliver {s} by {v}."),
        ("{s} has slipped to {v}.", "They pushed {s} to {v}.", "{s}'s target was rescheduled, {v} is when it must be finished."),
        ("When is {s} due?", "What's the deadline for {s}?", "By when must {s} be delivered?"),
    ),
    Attribute(
        "project lead", "project", "person",
        ("{v} is leading {s}.", "{v} is the project manager for {s}.", "Ask {v} about {s}, the lead."),
        ("{v} took the reins of {s} in {month}.", "{s} was handed to {v} in {month}.", "{v} is now the one in charge of {s}."),
        ("Who leads {s}?", "Who is in charge of {s}?", "Who runs {s}?"),
    ),
    Attribute(
        "budget", "project", "money",
        ("Budget: {v} for {s}.", "The budget for {s} is {v}.", "We can spend {v} on {s}."),
        ("Funding of {s} was revised to {v}.", "Finance has reset {s} to {v} in total.", "Finance has now set {s}'s funds at {v}."),
        ("What's the budget for {s}?", "How much can we spend on {s}?", "How much money does {s} have?"),
    ),
    Attribute(
        "project status", "project", "status",
        ("{s} is {v} at present.", "Status of {s}: {v}", "At the moment {s} is {v}."),
        ("{s} is now {v}.", "{s} changed again: {v} since {month}.", "Where {s} stands now: {v}."),
        ("What is the status of {s}?", "How far along is {s}?", "Where does {s} stand?"),
    ),
    Attribute(
        "implementation language", "project", "programming_language",
        ("All of {s} is written in {v}.", "{s} is a {v} codebase.", "The code in {s} is {v}."),
        ("{s} was ported and is all {v} now.", "We converted {s} to {v}.", "{s} uses {v} now."),
        ("What language is {s} written in?", "Which programming language is {s} in?", "What is {s} coded in?"),
    ),
    Attribute(
        "repository host", "project", "forge",
        ("We host {s} over at {v}.", "The repo of {s} is on {v}.", "Clone {s} from {v}."),
        ("The whole repository of {s} migrated to {v} in {month}.", "We moved {s}'s code over to {v}.", "Push {s} to {v} from now on."),
        ("Where is the repo of {s}?", "Where do I clone {s} from?", "Where is {s}'s code hosted?"),
    ),
    Attribute(
        "current version", "project", "version",
        ("{s} is at version {v}.", "{v} is the latest release of {s}.", "Current version of {s}: {v}"),
        ("{s} {v} is out.", "We've shipped {s} {v}.", "{s} was bumped to {v}."),
        ("What version is {s} at?", "What's the latest release of {s}?", "Which version of {s} is current?"),
    ),
    Attribute(
        "default branch", "project", "branch",
        ("{s}'s default branch is {v}.", "Pull requests for {s} go against {v}.", "In {s}, branch off {v}."),
        ("We renamed things, so merge into {v} for {s} from now on.", "{s} now takes merges on {v}.", "In {s} the mainline is called {v} since {month}."),
        ("What is the default branch of {s}?", "Which branch do pull requests for {s} go against?", "What branch do I start from in {s}?"),
    ),
    Attribute(
        "issue tracker", "project", "tracker",
        ("Issues for {s} are in {v}.", "{s} tracks its work in {v}.", "The {s} board is in {v}."),
        ("{s} has migrated to {v} for tickets.", "Bugs in {s} get reported through {v} from now on.", "We moved the backlog of {s} over to {v}."),
        ("Where are the issues for {s}?", "Which issue tracker does {s} use?", "Where do I file a bug for {s}?"),
    ),
    Attribute(
        "chat channel", "project", "chat_channel",
        ("We discuss {s} in {v}.", "The Slack channel for {s} is {v}.", "Questions about {s} go to {v}."),
        ("{s} chat has moved to {v}.", "Post about {s} in {v} from now on.", "Everyone on {s} is in {v} now, the previous one is archived."),
        ("Which channel is {s} discussed in?", "Where do I ask about {s}?", "What is the Slack channel for {s}?"),
    ),
    Attribute(
        "frontend framework", "project", "frontend",
        ("The frontend of {s} is built with {v}.", "{s} uses {v} in the browser.", "The UI of {s} is {v}."),
        ("{s} was redone in {v} on the client side.", "We ported {s}'s pages over to {v}.", "{s} has replaced its view layer by {v}."),
        ("Which frontend framework does {s} use?", "What is the UI of {s} built with?", "What is {s}'s frontend written in?"),
    ),
    Attribute(
        "sponsor", "project", "person",
        ("{v} sponsors {s}.", "The sponsor of {s} is {v}.", "{s} is sponsored by {v}."),
        ("{v} now backs {s} in the executive round.", "{s}'s patron on the board is {v} now.", "{v} has stepped in as executive backer for {s}."),
        ("Who sponsors {s}?", "Who is the sponsor of {s}?", "Who is {s}'s executive sponsor?"),
    ),
    Attribute(
        "weekly sync", "project", "slot",
        ("The weekly sync for {s} is on {v}.", "{s} meets on {v}.", "Weekly meeting of {s}: {v}"),
        ("{s}'s call was shifted to {v}.", "From now on we talk about {s} on {v}.", "{s} catches up on {v} instead since {month}."),
        ("When is the weekly sync for {s}?", "When does {s} meet?", "What time is the weekly meeting of {s}?"),
    ),
    # Services.
    Attribute(
        "database", "service", "database",
        ("{s} uses a {v} database.", "{s}'s data is in {v}.", "DB of {s}: {v}"),
        ("{s}'s tables have been migrated to {v}.", "We replaced what {s} stores its rows in by {v}.", "{s} persists to {v} since {month}."),
        ("What database does {s} use?", "Where is {s}'s data?", "Which DB is behind {s}?"),
    ),
    Attribute(
        "port", "service", "port",
        ("{s} listens on {v}.", "Clients connect to {s} on port {v}.", "{s}: port {v}"),
        ("{s} was changed to bind to {v}.", "You now reach {s} at localhost:{v}.", "{s} has been moved to {v} because of a clash."),
        ("What port is {s} on?", "Which port does {s} listen on?", "port of {s}?"),
    ),
    Attribute(
        "owner", "service", "squad",
        ("{s} is owned by {v}.", "{v} owns {s}.", "{s} belongs to {v}."),
        ("{v} adopted {s} in {month}.", "{s} was handed to {v}.", "{v} is responsible for {s} now."),
        ("Who owns {s}?", "Which team is responsible for {s}?", "Who does {s} belong to?"),
    ),
    Attribute(
        "on-call engineer", "service", "person",
        ("It's {v} who is on call for {s}.", "On-call for {s}: {v}", "If {s} is on fire, call {v}."),
        ("{v} carries the pager of {s} now.", "Page {v} about {s} outages from now on.", "{v} took the pager over for {s} in {month}."),
        ("Who is on call for {s}?", "Who gets paged for {s}?", "Who do I call if {s} is down?"),
    ),
    Attribute(
        "cloud", "service", "cloud",
        ("We host {s} with {v}.", "{s} is deployed to {v}.", "{s} runs in {v}."),
        ("We've migrated {s} to {v}.", "{s} moved over to {v} in {month}.", "{s} now lives on {v}."),
        ("Where is {s} hosted?", "Which cloud does {s} run in?", "Which cloud is {s} deployed to?"),
    ),
    Attribute(
        "region", "service", "region",
        ("{s} runs in {v}.", "{s} is deployed in {v}.", "Region of {s}: {v}"),
        ("{s} has been moved to {v}.", "We failed {s} over to {v} for good.", "{s}'s machines are all at {v} now."),
        ("Which region does {s} run in?", "In which region is {s} deployed?", "What is the region of {s}?"),
    ),
    Attribute(
        "message queue", "service", "queue",
        ("{s} publishes to {v}.", "{s} uses {v} for messaging.", "The queue behind {s} is {v}."),
        ("{s} was switched over to {v} for events.", "{s} now reads its jobs from {v}.", "We swapped {s}'s broker, it is {v} now."),
        ("Which message queue does {s} use?", "What does {s} use for messaging?", "What is the queue behind {s}?"),
    ),
    Attribute(
        "cache", "service", "cache",
        ("{s} caches its results in {v}.", "There is a {v} cache in front of {s}.", "{s} uses {v} for caching."),
        ("{s} has its hot lookups in {v} now.", "{s} has replaced its key layer by {v}.", "We switched {s} over to {v} for quick lookups."),
        ("What does {s} cache in?", "Which cache does {s} use?", "What is the cache of {s}?"),
    ),
    Attribute(
        "authentication", "service", "auth",
        ("{s} uses {v} for auth.", "You authenticate to {s} with {v}.", "Auth in {s}: {v}"),
        ("{s} now wants {v} to let anyone in.", "{s} switched its login over to {v}.", "Since {month} {s} accepts {v} and nothing else."),
        ("How do I authenticate to {s}?", "What does {s} use for auth?", "Which auth does {s} use?"),
    ),
    Attribute(
        "CI", "service", "ci",
        ("{s} builds on {v}.", "CI for {s} is {v}.", "{s} is built and tested in {v}."),
        ("{s}'s pipelines were moved to {v}.", "We've ported {s} over to {v} workflows.", "{s} pipelines run in {v} now."),
        ("Which CI does {s} use?", "Where is {s} built?", "What runs the pipelines of {s}?"),
    ),
    Attribute(
        "release day", "service", "weekday",
        ("{s} is released on {v}s.", "Release day for {s} is {v}.", "We release {s} every {v}."),
        ("{s} goes out on {v}s now.", "From now on we deploy {s} on {v}s.", "{s} ships each {v} since {month}."),
        ("On which day is {s} released?", "When do we release {s}?", "What is the release day for {s}?"),
    ),
    Attribute(
        "memory limit", "service", "memory",
        ("{s} has a memory limit of {v}.", "{s} gets {v} of RAM.", "The memory limit for {s} is {v}."),
        ("We bumped what {s} may allocate to {v}.", "{s}'s pods are now capped at {v}.", "{s} may take {v} now before it is killed."),
        ("What is the memory limit of {s}?", "How much RAM does {s} get?", "How much memory may {s} use?"),
    ),
    Attribute(
        "timeout", "service", "seconds",
        ("{s}: timeout {v} seconds", "Calls to {s} time out after {v} seconds.", "A timeout of {v} seconds is configured for {s}."),
        ("{s} now gives up at {v}s.", "Requests to {s} get cut off at {v}s since {month}.", "We changed {s} to wait {v}s at most."),
        ("What's the timeout of {s}?", "After how many seconds does {s} time out?", "How long until {s} times out?"),
    ),
    Attribute(
        "log level", "service", "log_level",
        ("{s} logs at {v}.", "The log level of {s} is {v}.", "{s} has its log level set to {v}."),
        ("{s}'s verbosity was changed to {v}.", "{s} now writes {v} and above.", "We switched {s} to {v} output."),
        ("What is the log level of {s}?", "At what level does {s} log?", "How verbose is {s}?"),
    ),
    Attribute(
        "log retention", "service", "period",
        ("We keep logs of {s} for {v}.", "{s} keeps logs for {v}.", "Log retention in {s}: {v}"),
        ("{s} now deletes its history after {v}.", "We changed {s} so that records expire after {v}.", "Traces from {s} vanish after {v} now."),
        ("How long are logs of {s} kept?", "What's the log retention in {s}?", "For how long does {s} keep logs?"),
    ),
    Attribute(
        "replicas", "service", "count",
        ("{s} has {v} replicas.", "There are {v} replicas of {s}.", "{s} runs with {v} replicas."),
        ("{s} has {v} instances now.", "We keep {v} copies of {s} up now.", "{s} is at {v} pods since {month}."),
        ("How many replicas does {s} have?", "How many copies of {s} are running?", "How many instances of {s} do we run?"),
    ),
    Attribute(
        "web framework", "service", "framework",
        ("{s} is built with {v}.", "{s} is a {v} app.", "{s} uses {v} as web framework."),
        ("{s} was rewritten on top of {v}.", "We've ported {s} to {v}.", "{s} has moved over to {v}."),
        ("Which web framework does {s} use?", "What is {s} built with?", "What framework is {s} on?"),
    ),
    Attribute(
        "monitoring", "service", "monitoring",
        ("We monitor {s} with {v}.", "Metrics of {s} are in {v}.", "Dashboards for {s}: {v}"),
        ("{s} now reports to {v}.", "We watch {s} through {v} since {month}.", "{s}'s graphs have moved over to {v}."),
        ("What is {s} monitored with?", "Where are the metrics of {s}?", "Where do I find dashboards for {s}?"),
    ),
    Attribute(
        "runtime version", "service", "python",
        ("{s} runs on Python {v}.", "Python version of {s}: {v}", "{s} needs Python {v}."),
        ("{s}'s interpreter was changed to {v}.", "We moved {s} over to the {v} interpreter.", "{s}'s image now has the {v} interpreter."),
        ("Which Python version does {s} run on?", "What Python does {s} need?", "What is the Python version of {s}?"),
    ),
    # Teams.
    Attribute(
        "team lead", "team", "person",
        ("{v} is leading {s}.", "The person leading {s} is {v}.", "Lead of {s}: {v}"),
        ("{v} took {s} over in {month}.", "{v} was made head of {s}.", "{s} is now under {v}."),
        ("Who leads {s}?", "Who is the lead of {s}?", "Who heads {s}?"),
    ),
    Attribute(
        "stand-up time", "team", "morning",
        ("{s} does its standup at {v}.", "Standup for {s} is at {v}.", "{s} has a daily at {v}."),
        ("{s}'s morning round was moved to {v}.", "{s} now meets at {v} every morning.", "From now on {s} gathers at {v}."),
        ("When is standup for {s}?", "What time is {s}'s daily?", "At what time does {s} meet in the morning?"),
    ),
    Attribute(
        "team size", "team", "people_count",
        ("{s} has {v} people on the payroll.", "{s} has {v} people.", "Order for {v} people when {s} has pizza."),
        ("{s} now counts {v} members.", "After the reorg {s} has a headcount of {v}.", "{s}'s headcount went to {v} in {month}."),
        ("How many people are in {s}?", "How big is {s}?", "What is the size of {s}?"),
    ),
    Attribute(
        "retro day", "team", "weekday",
        ("{s} has its retro on {v}s.", "Retro of {s}: {v}", "The retrospective of {s} is on {v}."),
        ("{s} now looks back together on {v}s.", "{s} reflects on {v}s from now on.", "{s} holds the look-back each {v} since {month}."),
        ("When is the retro of {s}?", "On which day does {s} have its retrospective?", "What day is {s}'s retro?"),
    ),
    Attribute(
        "video tool", "team", "meeting_tool",
        ("{s} meets on {v}.", "{s} uses {v} for calls.", "Video calls with {s} are on {v}."),
        ("{s} has switched over to {v}.", "Join {s} through {v} from now on.", "{s} went over to {v} in {month}."),
        ("What does {s} use for calls?", "Where do video calls with {s} take place?", "Which video tool does {s} meet on?"),
    ),
    Attribute(
        "sprint length", "team", "weeks",
        ("{s} has sprints of {v}.", "A sprint in {s} is {v}.", "{s} sprints for {v} at a time."),
        ("{s} has changed its cadence to {v}.", "{s} now works in iterations of {v}.", "An iteration takes {v} for {s} since {month}."),
        ("How long is a sprint in {s}?", "How long are the sprints of {s}?", "What is {s}'s sprint length?"),
    ),
    # Companies.
    Attribute(
        "chief executive", "company", "person",
        ("{v} is CEO at {s}.", "CEO of {s}: {v}", "{v} runs {s}, as CEO."),
        ("{v} has taken over as chief executive at {s}.", "{s} appointed {v} to the top job.", "{s} is headed by {v} from {month} on."),
        ("Who is the CEO of {s}?", "Who runs {s}?", "Who heads {s}?"),
    ),
    Attribute(
        "headquarters", "company", "city",
        ("{s} operates from its base in {v}.", "The headquarters building of {s} is in {v}.", "{s} is a company from {v}."),
        ("{s} has shifted its head office to {v}.", "{s} relocated to {v}.", "{s}'s main office is at {v} since {month}."),
        ("Where is {s} based?", "Where is {s}'s headquarters?", "In which city is the head office of {s}?"),
    ),
    Attribute(
        "plan price", "company", "price",
        ("{s} costs {v} a month.", "The subscription to {s} is {v} a month.", "We pay {s} {v} per month."),
        ("{s}'s price went to {v}.", "{s} now charges {v}.", "From {month} on {s} bills us {v}."),
        ("How much does {s} cost?", "What does {s} charge a month?", "What is the price of the {s} subscription?"),
    ),
    Attribute(
        "payment terms", "company", "days",
        ("{s} pays within {v} days.", "Payment terms with {s} are {v} days.", "Invoices to {s} are due after {v} days."),
        ("We've agreed on net {v} with {s} now.", "{s} has renegotiated to net {v}.", "{s} is net {v} since {month}."),
        ("What are the payment terms with {s}?", "Within how many days does {s} pay?", "When are invoices to {s} due?"),
    ),
    Attribute(
        "account manager", "company", "person",
        ("Our contact at {s} is {v}.", "{v} is our account manager at {s}.", "Account manager for {s}: {v}"),
        ("{v} now looks after us on the side of {s}.", "At {s}, talk to {v} from now on.", "{s} has assigned {v} to us instead."),
        ("Who is our contact at {s}?", "Who is our account manager at {s}?", "Who do I talk to at {s}?"),
    ),
    Attribute(
        "CRM", "company", "crm",
        ("{s} uses {v} as CRM.", "{s}'s CRM is {v}.", "{s} keeps customers in {v}."),
        ("{s} has migrated its sales records to {v}.", "{s} replaced that by {v} in {month}.", "The sales people at {s} work with {v} now."),
        ("Which CRM does {s} use?", "What is {s}'s CRM?", "Where does {s} keep its customers?"),
    ),
    # Devices.
    Attribute(
        "location", "device", "room",
        ("You'll see {s} in the {v}.", "{s} is sitting in the {v}.", "{s}'s place is the {v}."),
        ("Facilities carried {s} over to the {v} in {month}.", "We've put {s} into the {v} now.", "Look for {s} in the {v} from now on."),
        ("Where is {s}?", "Which room is {s} in?", "Where do I find {s}?"),
    ),
    Attribute(
        "address on the network", "device", "ip",
        ("{s} has IP {v}.", "{s} is at {v}.", "IP of {s}: {v}"),
        ("{s} was readdressed to {v}.", "{s} now answers on {v}.", "DHCP gives {s} {v} since {month}."),
        ("What is the IP of {s}?", "At which IP is {s}?", "What is {s}'s IP address?"),
    ),
    Attribute(
        "firmware", "device", "firmware",
        ("{s} has firmware {v}.", "{s} is on firmware {v}.", "Firmware of {s}: {v}"),
        ("{s} got the update to {v}.", "We flashed {s} with {v}.", "{s} runs {v} since {month}."),
        ("Which firmware does {s} have?", "What firmware is {s} on?", "What is the firmware version of {s}?"),
    ),
    Attribute(
        "caretaker", "device", "person",
        ("{v} takes care of {s}.", "{v} looks after {s}.", "If {s} breaks, tell {v}."),
        ("{v} is now responsible for {s}.", "{s} was assigned to {v} in {month}.", "From now on {v} maintains {s}."),
        ("Who takes care of {s}?", "Who looks after {s}?", "Who is responsible for {s}?"),
    ),
)  # fmt: skip
