# ruff: noqa: E501
"""Attributes of work: projects, services, teams, companies and devices, written as `wordings_blind` was."""

from .wording import Attribute

_PROJECTS = (
    Attribute(
        "deadline", "project", "date",
        ("{s} needs to be out the door by {v}.", "The customer was promised {s} for {v}.", "{s} closes on {v}, no slack."),
        ("The steering committee gave {s} until {v}.", "Forget what was said before: {s} has {v} as its due date.", "After Friday's review {s} lands on {v} instead."),
        ("When must {s} be done?", "By when is {s} due?", "What's the due date for {s}?"),
    ),
    Attribute(
        "project lead", "project", "person",
        ("{v} calls the shots on {s}.", "{v} is the one to ask about {s}, being responsible for all of it.", "{s} is {v}'s baby."),
        ("{v} inherited {s} when the lead changed.", "{v} has been at the helm of {s} since {month}.", "The reins of {s} passed to {v}."),
        ("Who's leading {s}?", "Who is responsible for {s}?", "Who runs {s}?"),
    ),
    Attribute(
        "budget", "project", "money",
        ("{s} has {v} in the pot.", "Finance set aside {v} for {s}.", "Spending cap of {s}: {v}."),
        ("The board revised {s}'s budget to {v}.", "{s} gets {v} after the review, no longer the former sum.", "{s} may cost {v} from {month} on, says the CFO."),
        ("What's the budget for {s}?", "How much may {s} spend?", "How much money has {s} got?"),
    ),
    Attribute(
        "repository host", "project", "forge",
        ("You can clone {s} off {v}.", "{s} sits on {v}, code and all.", "Code review for {s} happens on {v}."),
        ("{s}'s repository got transferred to {v}.", "The remote of {s} is {v} now, change your origin.", "Pushes to {s} go to {v} from {month}; the former home is read-only."),
        ("Where's the repository of {s}?", "On what platform do I find the code of {s}?", "Where do I clone {s} from?"),
    ),
    Attribute(
        "implementation language", "project", "programming_language",
        ("Under the hood of {s} you find {v} and nothing else.", "Source of {s}: {v} throughout.", "Anyone joining {s} has to know {v}, as that's what it's made of."),
        ("The rewrite of {s} is complete: everything is {v}.", "{s} has been rebuilt from scratch in {v}.", "{s} has consisted of {v} since {month}, the previous implementation is deleted."),
        ("What language is {s} in?", "Which programming language is {s} coded in?", "What do I need to program in for {s}?"),
    ),
    Attribute(
        "licence", "project", "licence",
        ("Whoever downloads {s} gets it under {v}.", "Legal header in {s}: {v}.", "You may use {s} on {v} terms."),
        ("chore: swap LICENSE of {s} for {v}.", "Lawyers agreed, so {s} became {v}-licensed.", "The copyright notice of {s} changed to {v}."),
        ("What's the licence of {s}?", "How's {s} licensed?", "Under what licence may I use {s}?"),
    ),
    Attribute(
        "issue tracker", "project", "tracker",
        ("Bugs in {s} get filed on {v}.", "{s}'s board is in {v}.", "Open issues of {s} are listed in {v}."),
        ("All tickets of {s} were imported into {v}, the old queue is frozen.", "{s} has been tracked with {v} since mid-{month}.", "Anything wrong or missing in {s} gets written up in {v} from here on."),
        ("Where do I file a bug in {s}?", "In what tracker are the tickets of {s}?", "Where are the issues of {s}?"),
    ),
    Attribute(
        "chat channel", "project", "chat_channel",
        ("{s} talk happens in {v}.", "Slack room for {s}: {v}.", "Ask around about {s} in {v}."),
        ("{s} chatter has moved to {v}.", "Archived the former channel; {s} folks post in {v} now.", "Please join {v} for {s}, the new channel since {month}."),
        ("Which channel is for {s}?", "Where do people chat about {s}?", "In which channel do I ask about {s}?"),
    ),
    Attribute(
        "version", "project", "version",
        ("The changelog of {s} tops out at {v}.", "Latest tag on {s}: {v}.", "The newest we have of {s} is {v}."),
        ("Cut {v} of {s} this morning.", "{s} {v} went out in {month}.", "Released: {s} {v}."),
        ("What's the current version of {s}?", "Which release of {s} is the newest?", "What version is {s} at?"),
    ),
    Attribute(
        "status", "project", "status",
        ("If anybody asks, {s} is {v}.", "Traffic light for {s}: {v}.", "State of {s} per the dashboard: {v}."),
        ("Things have changed, {s} is {v} now.", "Steering call in {month}: {s} is {v}.", "New word on {s}: {v}."),
        ("What's the status of {s}?", "What state is {s} in?", "How is {s} going?"),
    ),
    Attribute(
        "main branch", "project", "branch",
        ("{s} merges into {v}.", "Default branch of {s}: {v}.", "Base your work for {s} on {v}."),
        ("git: HEAD of {s} has pointed to {v} since {month}.", "Everything in {s} starts and ends on {v} from now on.", "{s}'s mainline is {v} after the rename."),
        ("What's the default branch of {s}?", "Against which branch of {s} do I open a PR?", "Which branch is the main one in {s}?"),
    ),
    Attribute(
        "client", "project", "client",
        ("{s} is being done for {v}.", "Customer behind {s}: {v}.", "{v} pays for {s}."),
        ("The contract for {s} was passed on to {v}.", "{s} has had a different client, {v}, since {month}.", "{s} is now billed to {v}."),
        ("Who is the client of {s}?", "For which customer are we doing {s}?", "Who pays for {s}?"),
    ),
    Attribute(
        "test framework", "project", "test_framework",
        ("Tests of {s} run under {v}.", "{s} is checked with {v}.", "The suite in {s} is written for {v}."),
        ("Every spec in {s} was converted to {v} in {month}.", "QA for {s} relies on {v}, the former framework having been removed.", "ci: verify {s} through {v} from here on."),
        ("Which test framework does {s} have?", "What are the tests of {s} written with?", "What do I test {s} with?"),
    ),
    Attribute(
        "build tool", "project", "build_tool",
        ("Run {v} to get binaries of {s}.", "{v} compiles {s}.", "Install {v} first or you can't compile {s}."),
        ("Dropped the former scripts: {s} is assembled by {v}.", "The toolchain of {s} changed to {v} in {month}.", "build: {s} goes through {v} from now on."),
        ("What does {s} build with?", "Which build tool is {s} on?", "How do I build {s}?"),
    ),
)  # fmt: skip

_SERVICES = (
    Attribute(
        "database", "service", "database",
        ("{s} reads and writes {v}.", "Tables of {s} are in {v}.", "Backing store for {s}: {v}."),
        ("Cutover complete, {s} queries {v}.", "{s} dropped its former DB in favour of {v}.", "Records for {s} have been landing in {v} since {month}."),
        ("What database does {s} have?", "Which DB is {s} on?", "In which database are the records of {s}?"),
    ),
    Attribute(
        "port", "service", "port",
        ("{s} binds to {v}.", "curl {s} at :{v}.", "{s} takes traffic on {v}."),
        ("Firewall opened for {s} on {v}, the former port is closed.", "{s} has listened at {v} since the {month} release.", "config: PORT={v} for {s} after the clash."),
        ("What port does {s} listen on?", "On which port do I reach {s}?", "What's the port of {s}?"),
    ),
    Attribute(
        "cloud", "service", "cloud",
        ("Our {v} bill includes {s}.", "{s} runs at {v}.", "VMs for {s} are rented from {v}."),
        ("{s} was lifted over to {v}.", "Hosting of {s} changed to {v} in {month}.", "{s} has left that provider and sits with {v}."),
        ("Who hosts {s}?", "Which cloud provider is {s} with?", "In which cloud is {s}?"),
    ),
    Attribute(
        "message queue", "service", "queue",
        ("{s} has {v} as its bus.", "Events of {s} travel through {v}.", "{s} hangs off {v} for its jobs."),
        ("The broker for {s} is {v} after the migration.", "{s} has moved all its messaging to {v}.", "Async work in {s} goes over {v} starting this {month}."),
        ("Which message broker does {s} have?", "What queue is {s} on?", "Through which broker do messages of {s} go?"),
    ),
    Attribute(
        "authentication", "service", "auth",
        ("Callers prove themselves to {s} with {v}.", "{s} lets you in with {v}.", "Nobody logs on to {s} without {v}."),
        ("{s} has dropped that and demands {v} for authentication.", "Security made {s} check {v} instead.", "Clients have needed {v} for {s} since {month}."),
        ("How do clients authenticate to {s}?", "What authentication does {s} want?", "What do I need to log in to {s}?"),
    ),
    Attribute(
        "CI", "service", "ci",
        ("{s} is built on {v}.", "Green ticks for {s} come from {v}.", "{v} runs the checks of {s}."),
        ("Pipelines of {s} have been moved to {v}.", "{s} compiles and tests in {v} from {month}.", "CI for {s} has been rewritten for {v}, delete the former config."),
        ("What CI is {s} on?", "Where do the pipelines of {s} run?", "Which CI system builds {s}?"),
    ),
    Attribute(
        "monitoring", "service", "monitoring",
        ("{s} is watched by {v}.", "Dashboards for {s}: {v}.", "Graphs about {s} are in {v}."),
        ("{s} is monitored through {v} now, the former setup is torn down.", "Observability of {s} moved to {v} in {month}.", "Operators have turned to {v} for {s}, the other one is off."),
        ("What monitors {s}?", "Where are the metrics of {s}?", "Which monitoring does {s} have?"),
    ),
    Attribute(
        "log retention", "service", "period",
        ("{s} holds on to logs for {v}.", "Log files of {s} last {v}, then they go.", "{s} has its log lifetime set to {v}."),
        ("The disk filled up, so what {s} writes to its journal is wiped after {v}.", "Legal has made {s} retain its entries for {v}, done in {month}.", "Rotation in {s} changed: {v} and off it goes."),
        ("How long are the logs of {s} kept?", "What's the log retention of {s}?", "After what period are logs of {s} deleted?"),
    ),
    Attribute(
        "replicas", "service", "count",
        ("{s} is up {v} times over.", "We keep {v} copies of {s} alive.", "{s} scales to {v} pods."),
        ("{s} got resized to {v} instances.", "kubectl: replicas of {s} set to {v}.", "Since the {month} traffic spike there have been {v} of {s} running."),
        ("How many instances does {s} have?", "How many replicas of {s} are running?", "What's the number of replicas of {s}?"),
    ),
    Attribute(
        "timeout", "service", "seconds",
        ("{s} hangs up after {v} seconds.", "Requests to {s} die at {v} seconds.", "Give {s} {v} seconds, then it quits."),
        ("From the hotfix on, {s} waits {v}s before it cancels.", "Changed the time limit on calls of {s} to {v}s.", "perf: let {s} abort at {v}s."),
        ("What's the timeout of {s}?", "When does {s} time out?", "How many seconds until {s} times out?"),
    ),
    Attribute(
        "rate limit", "service", "rate",
        ("{s} allows {v} requests a minute.", "Throttle on {s}: {v}/min.", "More than {v} calls per minute and {s} says 429."),
        ("Tuned {s} to tolerate {v} hits every 60 s.", "The quota for {s} was changed to {v} rpm.", "As of {month} clients get {v} rpm on {s}."),
        ("What's the rate limit of {s}?", "How many requests a minute does {s} take?", "At how many requests per minute does {s} throttle?"),
    ),
    Attribute(
        "region", "service", "region",
        ("Servers of {s} stand in {v}.", "{s} lives in region {v}.", "Location of {s}: {v}."),
        ("Moved {s} to {v} for latency.", "{s} has been running out of {v} since {month}.", "{s} failover is finished, it stays in {v}."),
        ("In which region is {s}?", "What region does {s} run in?", "Where in the world is {s} deployed?"),
    ),
    Attribute(
        "cache", "service", "cache",
        ("For caching {s} has {v}.", "Hot keys of {s} sit in {v}.", "What {s} caches, it caches in {v}."),
        ("{s} memoizes with {v} now.", "Swapped the in-memory store of {s} for {v}.", "{s} has kept frequent lookups in {v} since the {month} incident."),
        ("What cache does {s} have?", "Which cache is {s} on?", "Where does {s} cache?"),
    ),
    Attribute(
        "web framework", "service", "framework",
        ("Open {s} and you see {v} all over the place.", "{s} was written on top of {v}.", "Handlers in {s} use {v}."),
        ("Refactored {s} to {v}, done.", "{s} serves its routes with {v} now.", "We threw the former framework out of {s} in {month}; it's {v}."),
        ("What framework is {s} on?", "Which web framework does {s} have?", "What is {s} written with?"),
    ),
    Attribute(
        "orchestrator", "service", "orchestrator",
        ("{s} is scheduled by {v}.", "{s} is restarted by {v} when it falls over.", "Containers of {s} run under {v}."),
        ("{s} has been managed through {v} since {month}.", "Took {s} off there and had it launched by {v}.", "{s} migrated to {v} for deployment."),
        ("What orchestrates {s}?", "What is {s} deployed with?", "Under which orchestrator does {s} run?"),
    ),
    Attribute(
        "secrets", "service", "vault",
        ("{s} pulls its secrets from {v}.", "Credentials for {s} are in {v}.", "Tokens of {s} are kept in {v}."),
        ("{s} fetches all sensitive settings through {v} now.", "Rotated everything sensitive of {s} into {v}, the former safe is empty.", "Since {month} {s} has got its keys by way of {v}."),
        ("Where are the secrets of {s}?", "What does {s} get its secrets from?", "Which secrets manager does {s} have?"),
    ),
    Attribute(
        "payment provider", "service", "payments",
        ("{s} charges cards through {v}.", "{v} handles payments for {s}.", "Checkout in {s} is powered by {v}."),
        ("The contract was signed, so {s} collects money via {v}.", "The PSP for {s} has been changed to {v}.", "{s} settles with {v} from {month} on."),
        ("Which payment provider does {s} have?", "Who processes payments for {s}?", "What does {s} take payments with?"),
    ),
    Attribute(
        "on call", "service", "person",
        ("The pager of {s} is with {v}.", "On call for {s}: {v}.", "{s} rings {v} out of bed when it breaks."),
        ("{v} has taken over alerts for {s}.", "From {month} on, phone {v} if {s} goes down.", "Standby duty for {s} was handed to {v}."),
        ("Who's on call for {s}?", "Whom do I wake if {s} is down?", "Who has the pager for {s}?"),
    ),
    Attribute(
        "backup time", "service", "late",
        ("{s} gets its nightly snapshot at {v}.", "Snapshot of {s}: daily, {v}.", "{s} dumps its data every night at {v}."),
        ("The backup of {s} was rescheduled to {v}.", "cron: backup of {s} at {v} from {month}.", "{s} has its backups made at {v} now."),
        ("When is {s} backed up?", "At what time is the backup of {s}?", "When does the backup of {s} start?"),
    ),
    Attribute(
        "base image", "service", "base_image",
        ("Dockerfile of {s}: FROM {v}.", "{s} containers start from {v}.", "Base image for {s} is {v}."),
        ("{s} layers were restacked onto {v}.", "Security moved {s} onto {v} in {month}.", "docker: parent of {s} changed to {v}."),
        ("What's the base image of {s}?", "Which image is {s} built from?", "What image does the Dockerfile of {s} start from?"),
    ),
    Attribute(
        "error tracker", "service", "error_tracker",
        ("Exceptions in {s} show up in {v}.", "Crashes of {s} go to {v}.", "Stack traces from {s}: {v}."),
        ("After the trial {s} was told to send its errors to {v}.", "The DSN of {s} changed, failures appear in {v}.", "From {month} on, look in {v} when {s} throws."),
        ("Where do I see errors of {s}?", "Which error tracker is {s} on?", "Where do exceptions of {s} end up?"),
    ),
    Attribute(
        "wire format", "service", "wire_format",
        ("{s} speaks {v}.", "Payloads of {s} are {v}.", "{s} encodes its bodies as {v}."),
        ("Messages of {s} are serialized with {v} now.", "The wire format of {s} changed to {v}.", "refactor: {s} sends and expects {v} only."),
        ("What format does {s} send?", "In which format are the messages of {s}?", "What wire format does {s} have?"),
    ),
    Attribute(
        "feature flags", "service", "flag_tool",
        ("{s} toggles features in {v}.", "Feature flags of {s}: {v}.", "Rollouts in {s} are steered from {v}."),
        ("{s} evaluates its switches against {v} now.", "Moved all the switches of {s} to {v}.", "Since {month} it is {v} that has decided what {s} turns on."),
        ("Where are the feature flags of {s}?", "What does {s} have for feature flags?", "Where do I switch features of {s} on?"),
    ),
)  # fmt: skip

_TEAMS = (
    Attribute(
        "stand-up time", "team", "morning",
        ("{s} huddles at {v}.", "Daily scrum of {s}: {v}.", "Be on the call with {s} at {v} each day."),
        ("{s} has shifted its stand-up to {v}.", "From {month} the morning round of {s} kicks off at {v}.", "Stand-up in {s} begins at {v} now."),
        ("When's the stand-up of {s}?", "At what time does {s} have its stand-up?", "What time is the daily stand-up in {s}?"),
    ),
    Attribute(
        "team lead", "team", "person",
        ("{v} holds the reins in {s}.", "Boss of {s}: {v}.", "{s} answers to {v}."),
        ("{v} has stepped up to run {s}.", "{s} got {v} as its leader in {month}.", "Succession in {s} is settled: {v}."),
        ("Who's in charge of {s}?", "Who is the boss of {s}?", "Who's the leader of {s}?"),
    ),
    Attribute(
        "team size", "team", "people_count",
        ("{s} counts {v} souls.", "We're {v} in {s}.", "{s} is a group of {v}."),
        ("After the hires and departures {s} is {v} strong.", "Headcount for {s} in {month}: {v}.", "{s} has changed size, {v} people."),
        ("How many people work in {s}?", "How large is {s}?", "What's the headcount of {s}?"),
    ),
    Attribute(
        "sprint length", "team", "weeks",
        ("{s} plans in sprints of {v}.", "Iterations in {s} last {v}.", "A sprint in {s} takes {v}."),
        ("{s} decided to timebox to {v}.", "The cadence of {s} changed to {v}.", "Since {month} {s} has had {v} from kickoff to demo."),
        ("How long is a sprint in {s}?", "What's the sprint length of {s}?", "How long do iterations of {s} last?"),
    ),
    Attribute(
        "meeting tool", "team", "meeting_tool",
        ("You'll find {s} on {v} for every meeting.", "Video calls of {s} are in {v}.", "Join {s} over {v}."),
        ("{s} dials in through {v} from now on.", "Invites of {s} have carried {v} links since {month}.", "{s} has moved its conferences to {v}."),
        ("What does {s} hold video calls in?", "Which video tool does {s} meet in?", "What do I need to join a meeting of {s}?"),
    ),
    Attribute(
        "team room", "team", "room",
        ("The {v} is where {s} works.", "Find {s} in the {v}.", "Office of {s}: {v}."),
        ("{s} was rehoused in the {v}.", "{s} carried its monitors over to the {v} in {month}.", "Facilities assigned the {v} to {s}, the former spot is empty."),
        ("In which room is {s}?", "Where does {s} sit?", "Which office is {s} in?"),
    ),
    Attribute(
        "design tool", "team", "design_tool",
        ("{s} draws in {v}.", "Mockups by {s}: {v}.", "{s} hands over designs from {v}."),
        ("{s} does its UI drafts in {v} now.", "Wireframes from {s} have come out of {v} since {month}.", "{s} ditched the former tool for {v}, screens and all."),
        ("What does {s} design in?", "Which design tool does {s} have?", "Where are the mockups of {s} made?"),
    ),
)  # fmt: skip

_COMPANIES = (
    Attribute(
        "chief executive", "company", "person",
        ("{v} is at the top of {s}.", "Chief executive of {s}: {v}.", "{v} signs for {s} as its chief."),
        ("{v} was named CEO of {s}.", "The board of {s} has appointed {v} as managing director.", "{s}'s corner office has belonged to {v} since {month}."),
        ("Who's the CEO of {s}?", "Who is at the head of {s}?", "What's the name of the chief executive of {s}?"),
    ),
    Attribute(
        "headquarters", "company", "city",
        ("{s} has its main office in {v}.", "The city where {s} is based is {v}.", "Letters to {s} go to {v}, that's the seat."),
        ("{s} relocated headquarters to {v}.", "Ever since {month} {s} has been run out of {v}.", "{s} opened its new home in {v} and shut the former one."),
        ("Where are the headquarters of {s}?", "Which city is {s} based in?", "Where is the main office of {s}?"),
    ),
    Attribute(
        "auditor", "company", "auditor",
        ("{s} is audited by {v}.", "{v} goes through {s}'s books.", "Audit firm for {s}: {v}."),
        ("{s} mandated {v} for the annual accounts from now on.", "{v} replaced the accountants of {s} in {month}.", "Year-end numbers of {s} get checked by {v} starting this {month}."),
        ("Who audits {s}?", "Which audit firm does {s} have?", "Who checks the accounts of {s}?"),
    ),
    Attribute(
        "payroll software", "company", "payroll",
        ("Wages at {s} are run in {v}.", "{s} pays staff through {v}.", "Payslips of {s} come out of {v}."),
        ("{s} switched its salary software to {v}.", "Effective {month}, HR at {s} does compensation in {v}.", "Payroll at {s} migrated to {v}."),
        ("What payroll software does {s} have?", "In what does {s} run its payroll?", "Which software calculates salaries at {s}?"),
    ),
    Attribute(
        "CRM", "company", "crm",
        ("Sales at {s} lives in {v}.", "{s} manages its customers with {v}.", "Leads at {s} are logged in {v}."),
        ("{s} rolled out {v} as CRM and retired the former one.", "Everything commercial at {s} has been done in {v} since {month}.", "Accounts of {s} were imported into {v}, the rest is switched off."),
        ("What CRM does {s} have?", "Which CRM is {s} on?", "Where does {s} manage its customers?"),
    ),
    Attribute(
        "DNS", "company", "dns",
        ("{s} has its DNS with {v}.", "Nameservers for {s}: {v}.", "The zone of {s} is hosted at {v}."),
        ("{s} delegated its domain to {v}.", "Registrar transfer done, so it's {v} that resolves {s}.", "Since {month} the records of {s} have been edited in {v}."),
        ("Who hosts the DNS of {s}?", "Which DNS provider does {s} have?", "Where do I edit DNS entries for {s}?"),
    ),
)  # fmt: skip

_DEVICES = (
    Attribute(
        "address on the network", "device", "ip",
        ("{s} answers on {v}.", "Ping {s} at {v}.", "{s} is {v}, static."),
        ("DHCP gave {s} {v} after the reset.", "{s} has got a different address, {v}.", "In {month} {s} was renumbered to {v}."),
        ("What's the IP of {s}?", "At which IP address is {s}?", "What address do I ping for {s}?"),
    ),
    Attribute(
        "location", "device", "room",
        ("We keep {s} in the {v}.", "{s} has its corner in the {v}.", "To get at {s}, go to the {v}."),
        ("{s} was wheeled over to the {v}.", "Facilities put {s} into the {v} in {month}.", "{s} has been moved, look for it in the {v}."),
        ("Which room is {s} in?", "Where is {s} standing?", "Where do I find {s} in the building?"),
    ),
    Attribute(
        "firmware", "device", "firmware",
        ("{s} runs {v}.", "Firmware on {s}: {v}.", "The settings page of {s} says {v}."),
        ("Flashed {s} to {v}.", "{s} has been upgraded to {v}.", "Update applied in {month}, {s} reports {v}."),
        ("What firmware is on {s}?", "Which firmware version does {s} have?", "What's the firmware of {s}?"),
    ),
    Attribute(
        "caretaker", "device", "person",
        ("{v} keeps an eye on {s}, moods and tantrums included.", "Trouble with {s}? See {v}.", "Keeper of {s}: {v}."),
        ("{v} is in charge of {s} from {month} on.", "Care of {s} was passed to {v}.", "{s} has become {v}'s job."),
        ("Who takes care of {s}?", "Who's responsible for {s}?", "Whom do I ask about {s}?"),
    ),
    Attribute(
        "service day", "device", "weekday",
        ("{s} gets its service on {v}s.", "Maintenance of {s}: every {v}.", "On {v}s {s} is down for servicing."),
        ("The technician comes for {s} on a {v} now, no longer on the former day.", "The upkeep day for {s} changed to {v}.", "Since {month} {s} has had its checkup each {v}."),
        ("On which day is {s} serviced?", "When is the maintenance of {s}?", "What day is {s} down for maintenance?"),
    ),
)  # fmt: skip

WORK = (*_PROJECTS, *_SERVICES, *_TEAMS, *_COMPANIES, *_DEVICES)
