# ruff: noqa: E501
"""Pairs that look alike and are both true, in the wordings that rules may be written against."""

from .wording import NearPair

PAIRS = (
    # Another subject whose name is nearly the same.
    NearPair("similar name", "person", "employer", "{s} works at {v}.", "{t} works at {w}.", "Where does {s} work?"),
    NearPair("similar name", "person", "city", "{s} lives in {v}.", "{t} moved to {w}.", "Where does {s} live?"),
    NearPair("similar name", "person", "phone", "{s}'s phone number is {v}.", "{t}'s phone number is {w}.", "What is {s}'s phone number?"),
    NearPair("similar name", "person", "role", "{s} is a {v}.", "{t} is now a {w}.", "What is {s}'s job?"),
    NearPair("similar name", "service", "database", "{s} uses {v} as its database.", "{t} was migrated to {w}.", "Which database does {s} use?"),
    NearPair("similar name", "service", "port", "{s} listens on port {v}.", "{t} listens on port {w}.", "Which port does {s} listen on?"),
    NearPair("similar name", "project", "person", "{s} is led by {v}.", "{t} is now led by {w}.", "Who leads {s}?"),
    NearPair("similar name", "project", "date", "The deadline for {s} is {v}.", "The deadline for {t} is {w}.", "When is {s} due?"),
    # Another attribute of the same subject.
    NearPair("other attribute", "person", "city", "{s} lives in {v}.", "{s} was born in {w}.", "Where does {s} live?"),
    NearPair("other attribute", "person", "city", "{s} lives in {v}.", "{s} has an office in {w}.", "Where does {s} live?"),
    NearPair("other attribute", "person", "phone", "{s}'s mobile number is {v}.", "{s}'s landline number at home is {w}.", "What is {s}'s mobile number?"),
    NearPair("other attribute", "person", "email", "{s}'s work email is {v}.", "{s}'s private email is {w}.", "What is {s}'s work email?"),
    NearPair("other attribute", "person", "person", "{s} reports to {v}.", "{s} is mentored by {w}.", "Who does {s} report to?"),
    NearPair("other attribute", "project", "date", "The deadline for {s} is {v}.", "The kickoff for {s} is on {w}.", "When is the deadline for {s}?"),
    NearPair("other attribute", "service", "seconds", "The timeout of {s} is {v} seconds.", "{s} retries after {w} seconds.", "What is the timeout of {s}?"),
    NearPair("other attribute", "service", "database", "{s} stores its data in {v}.", "{s} sends its audit trail to {w}.", "Where does {s} store its data?"),
    NearPair("other attribute", "company", "person", "The CEO of {s} is {v}.", "The CTO of {s} is {w}.", "Who is the CEO of {s}?"),
    NearPair("other attribute", "team", "morning", "{s} has its standup at {v}.", "{s} has lunch together at {w}.", "When is the standup of {s}?"),
    # A relative, a colleague or a part of the subject.
    NearPair("relative", "person", "employer", "{s} works at {v}.", "{s}'s brother works at {w}.", "Where does {s} work?"),
    NearPair("relative", "person", "city", "{s} lives in {v}.", "{s}'s parents live in {w}.", "Where does {s} live?"),
    NearPair("relative", "person", "diet", "{s} follows a {v} diet.", "{s}'s wife follows a {w} diet.", "What diet does {s} follow?"),
    NearPair("relative", "person", "car", "{s} drives a {v}.", "{s}'s neighbour drives a {w} now.", "What does {s} drive?"),
    NearPair("relative", "self", "city", "I live in {v}.", "My sister lives in {w}.", "Where do I live?"),
    NearPair("relative", "service", "port", "{s} listens on port {v}.", "The sidecar of {s} listens on port {w}.", "Which port does {s} listen on?"),
    NearPair("relative", "company", "city", "{s} is headquartered in {v}.", "A competitor of {s} is headquartered in {w}.", "Where is {s} headquartered?"),
    # Another environment.
    NearPair("environment", "service", "database", "In production {s} uses {v}.", "In staging {s} uses {w}.", "Which database does {s} use in production?"),
    NearPair("environment", "service", "count", "{s} runs {v} replicas in production.", "{s} runs {w} replicas in the test environment.", "How many replicas does {s} run in production?"),
    NearPair("environment", "service", "port", "On staging, {s} listens on port {v}.", "On production, {s} listens on port {w}.", "Which port does {s} listen on in staging?"),
    NearPair("environment", "service", "cloud", "{s} production is hosted on {v}.", "{s} staging is hosted on {w}.", "Where is {s} hosted in production?"),
    # Considered, possible, planned or wished, beside what is.
    NearPair("considered", "person", "city", "{s} lives in {v}.", "{s} is thinking about moving to {w}.", "Where does {s} live?"),
    NearPair("considered", "person", "employer", "{s} works at {v}.", "{s} has an interview at {w} on Thursday.", "Where does {s} work?"),
    NearPair("considered", "service", "database", "{s} uses {v} as its database.", "We are evaluating {w} for {s}.", "Which database does {s} use?"),
    NearPair("considered", "self", "editor", "I use {v} as my editor.", "I might try {w} one day.", "Which editor do I use?"),
    NearPair("considered", "project", "licence", "{s} is licensed under {v}.", "Somebody suggested putting {s} under {w}.", "Which licence does {s} have?"),
    NearPair("considered", "person", "car", "{s} drives a {v}.", "{s} would love to have a {w}.", "What does {s} drive?"),
    NearPair("considered", "service", "cloud", "{s} is hosted on {v}.", "If costs keep rising, we could move {s} to {w}.", "Where is {s} hosted?"),
    # The past beside the present.
    NearPair("past", "person", "employer", "{s} works at {v}.", "{s} used to work at {w}.", "Where does {s} work?"),
    NearPair("past", "person", "city", "{s} lives in {v}.", "As a child {s} lived in {w}.", "Where does {s} live now?"),
    NearPair("past", "service", "database", "{s} uses {v} as its database.", "Years ago {s} ran on {w}.", "Which database does {s} use?"),
    NearPair("past", "self", "editor", "I use {v} as my editor.", "Back at university I used {w}.", "Which editor do I use?"),
    NearPair("past", "project", "person", "{s} is led by {v}.", "{s} was originally started by {w}.", "Who leads {s}?"),
    # Properties that have several values at once.
    NearPair("several values", "person", "language", "{s} speaks {v}.", "{s} speaks {w}.", "Which languages does {s} speak?"),
    NearPair("several values", "person", "hobby", "{s}'s hobby is {v}.", "{s} also enjoys {w}.", "What are {s}'s hobbies?"),
    NearPair("several values", "person", "allergen", "{s} is allergic to {v}.", "{s} is allergic to {w}.", "What is {s} allergic to?"),
    NearPair("several values", "person", "child", "{s} has a child called {v}.", "{s} has a child called {w}.", "What are {s}'s children called?"),
    NearPair("several values", "self", "pet", "I have {v}.", "I have {w}.", "Which pets do I have?"),
    NearPair("several values", "person", "programming_language", "{s} knows {v}.", "{s} knows {w}.", "Which programming languages does {s} know?"),
    NearPair("several values", "project", "person", "{v} is working on {s}.", "{w} is working on {s}.", "Who is working on {s}?"),
    NearPair("several values", "person", "country", "{s} has been to {v}.", "{s} has been to {w}.", "Which countries has {s} been to?"),
    # Another project, occasion, edition or device: a narrower scope.
    NearPair("scope", "self", "programming_language", "For scripts I use {v}.", "For the website I use {w}.", "Which language do I use for scripts?"),
    NearPair("scope", "self", "drink", "In the morning I drink {v}.", "In the evening I drink {w}.", "What do I drink in the morning?"),
    NearPair("scope", "person", "channel", "For urgent matters {s} prefers {v}.", "For invoices {s} prefers {w}.", "How does {s} want to be contacted for urgent matters?"),
    NearPair("scope", "self", "browser", "On my phone I use {v}.", "On my laptop I use {w}.", "Which browser do I use on my phone?"),
    NearPair("scope", "person", "transport", "In summer {s} commutes by {v}.", "In winter {s} commutes by {w}.", "How does {s} commute in summer?"),
    NearPair("edition", "company", "city", "The 2023 conference of {s} was in {v}.", "The 2024 conference of {s} was in {w}.", "Where was the 2023 conference of {s}?"),
    NearPair("edition", "team", "money", "The 2024 budget of {s} was {v}.", "The 2025 budget of {s} is {w}.", "What was the 2024 budget of {s}?"),
    NearPair("edition", "project", "date", "Version 1 of {s} was released on {v}.", "Version 2 of {s} was released on {w}.", "When was version 1 of {s} released?"),
    NearPair("device", "device", "ip", "The IP address of {s} is {v}.", "The IP address of the backup of {s} is {w}.", "What is the IP address of {s}?"),
    # Somebody else's words.
    NearPair("quoted", "person", "city", "{s} lives in {v}.", "{x} wrote: \"I live in {w}.\"", "Where does {s} live?"),
    NearPair("quoted", "self", "editor", "I use {v} as my editor.", "{x} said, \"my editor is {w}\".", "Which editor do I use?"),
    NearPair("quoted", "service", "database", "{s} uses {v} as its database.", "The tutorial says: \"This example uses {w} as its database.\"", "Which database does {s} use?"),
    NearPair("quoted", "self", "theme", "I use the {v} theme everywhere.", "According to {x}, everyone should use the {w} theme.", "Which theme do I use?"),
    # What is denied is another value, or another one's.
    NearPair("other denied", "person", "employer", "{s} works at {v}.", "{s} does not work at {w}.", "Where does {s} work?"),
    NearPair("other denied", "person", "diet", "{s} follows a {v} diet.", "{s} is not {w}.", "What diet does {s} follow?"),
    NearPair("other denied", "service", "cloud", "{s} is hosted on {v}.", "{s} is not hosted on {w}.", "Where is {s} hosted?"),
    NearPair("other denied", "self", "browser", "My default browser is {v}.", "I never use {w}.", "Which browser do I use?"),
)  # fmt: skip
