# ruff: noqa: E501
"""Subjects and values of the statements: names, places, products, numbers, times.

Any two values of one list exclude one another as an answer to the same question.
"""

FIRST_NAMES = tuple(
    """Dana Priya Mateo Ingrid Kofi Yuki Leila Tomasz Aisha Bram Chiara Dmitri Esther Farid Greta Hugo Imani Jonas
    Keiko Lars Mireille Nadia Oskar Paloma Quentin Rosa Stefan Tamsin Ulrich Valeria Wanda Xavier Yasmin Zoltan Amara
    Benedikt Celeste Declan Elodie Finn Giulia Henrik Ines Jamal Katya Lorenzo Maren Nikhil Odette Pavel Renata Soren
    Thandi Ursula Viktor Willa Ximena Yannick Zainab Anselm Beatriz Caspian Delphine Emeka Fenna Gideon Hana Ismail
    Jelena Kasper Lucia Magnus Noor Orla Petra Rafael Saskia Tariq Una Vikram""".split()
)
SURNAMES = tuple(
    """Whitfield Raman Alvarez Lindqvist Mensah Tanaka Haddad Kowalski Bello Visser Moretti Sokolov Adeyemi Karimi
    Baumann Lefevre Njoroge Bergström Sato Halvorsen Duval Petrova Nyberg Ortega Marchand Castellanos Novak Ashworth
    Kessler Fonseca Grabowski Delacroix Rahimi Horvath Okonkwo Steiner Beaumont Gallagher Fournier Larsen Ricci
    Eriksen Carvalho Washington Volkov Bianchi Thorsen Iyer Laurent Dvorak""".split()
)
PEOPLE = tuple(first if place % 2 else f"{first} {SURNAMES[place // 2]}" for place, first in enumerate(FIRST_NAMES))
"""Each first name once, half of them with a surname."""

PROJECTS = tuple(
    f"Project {name}"
    for name in """Atlas Beacon Cobalt Drift Ember Fathom Glacier Harrier Indigo Juniper Kestrel Lantern Meridian Nimbus
    Obsidian Pangolin Quartz Rosewood Saffron Tundra Umbra Vesper Willow Zephyr""".split()
)
SERVICES = (
    *(f"the {name} service" for name in "billing search invoicing catalog shipping refunds profile media".split()),
    *"""checkout-api ledger-worker auth-gateway pricing-engine thumbnailer fraud-scorer geo-resolver mailroom
    quote-builder feed-ranker webhook-relay tax-calculator badge-printer stock-sync voucher-api consent-store""".split(),
)
TEAMS = tuple(
    f"the {name} team"
    for name in """platform growth payments data mobile security design support onboarding infrastructure research
    localization accessibility analytics procurement""".split()
)
COMPANIES = tuple(
    """Northwind Brightwater Cedarline Dovetail Everstone Foxglove Granitel Halcyon Ironbark Jadeworks Kinetiq
    Lumenor Marlowe Nettlebay Oakhurst Pinecrest Quillon Ravenna Silverton Thistledown""".split()
)
DEVICES = (
    *(f"the {room} printer" for room in "upstairs kitchen-side reception warehouse".split()),
    *(f"the {kind}" for kind in ("build server", "lab oscilloscope", "espresso machine", "3D printer", "media NAS")),
    *(f"the {place} router" for place in "office garage studio basement".split()),
)

RELATIONS = tuple(
    f"my {name}"
    for name in """sister brother boss landlord flatmate cousin aunt uncle dad mum daughter son wife husband niece nephew
    grandmother godfather""".split()
)

SUBJECTS: dict[str, tuple[str, ...]] = {
    "person": PEOPLE,
    "first name": tuple(name for name in PEOPLE if " " not in name),
    "self": ("the user",),
    "project": PROJECTS,
    "service": SERVICES,
    "team": TEAMS,
    "company": COMPANIES,
    "device": DEVICES,
    "relation": RELATIONS,
}
"""The names of subjects, by kind. A statement of "self" names nobody: it says I, my or the user."""

TWINS: dict[str, tuple[tuple[str, str], ...]] = {
    "person": (
        *zip(
            """Dana Maria Jon Erik Katharina Sara Marc Anna Christian Nicolas Stephan Louisa Elena Mohamed Karl
            Alan Jean Julian Daniel Martin Andrea Mira Lena Tom""".split(),
            """Dina Marta John Erika Katarina Zara Marco Anne Christiane Nicole Stephanie Louis Helena Mahmoud Karla
            Alana Joan Juliana Daniela Martina Andrew Mara Leah Tim""".split(),
            strict=True,
        ),
        *((f"{name} {one}", f"{name} {other}") for name, one, other in zip(
            FIRST_NAMES[:24], SURNAMES[:24], SURNAMES[24:48], strict=True)),
    ),
    "service": (
        ("billing-api", "billing-worker"), ("auth-gateway", "auth-proxy"), ("search-indexer", "search-frontend"),
        ("mail-sender", "mail-parser"), ("orders-db", "orders-api"), ("user-service", "user-events"),
        ("checkout-web", "checkout-api"), ("media-store", "media-encoder"), ("geo-v1", "geo-v2"),
        ("report-builder", "report-viewer"), ("cart-service", "card-service"), ("stock-sync", "stock-audit"),
    ),
    "project": (
        ("Project Atlas", "Project Atlantis"), ("Project Ember", "Project Amber"), ("Project Orion", "Project Orchid"),
        ("Project Lantern", "Project Lancer"), ("Project Delta", "Project Delta Two"), ("Project Vega", "Project Vesta"),
        ("Project Quartz", "Project Quarry"), ("Project Willow", "Project Willard"),
    ),
}  # fmt: skip
"""Different subjects with nearly the same names."""


def _hours(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{hour}:{minute:02d}" for hour in range(first, last) for minute in (0, 15, 30, 45))


_DAYS = tuple(
    f"{day} {month}"
    for day, month in (
        *((4, month) for month in "January May July November".split()),
        *((17, month) for month in "February April August October".split()),
        *((26, month) for month in "March June September December".split()),
    )
)

VALUES: dict[str, tuple[str, ...]] = {
    "employer": tuple(
        """Stripe Shopify Siemens Spotify Airbus Bosch Zalando Ericsson Maersk Nokia Philips Unilever Novartis Klarna
        Miro Adyen Canva Atlassian Dropbox Twilio Nestlé Danone Roche Vodafone Lufthansa""".split()
    ),
    "role": (
        "data engineer", "product manager", "head of sales", "UX researcher", "chief architect", "paralegal",
        "financial controller", "technical writer", "recruiter", "QA analyst", "DevOps lead", "nurse practitioner",
        "art director", "procurement officer", "customer success specialist", "actuary", "scrum master",
    ),
    "city": tuple(
        """Lisbon Osaka Montreal Hamburg Nairobi Bogotá Helsinki Valencia Tallinn Seoul Melbourne Krakow Lyon Porto Oslo
        Chicago Accra Dublin Zagreb Bologna Ghent Austin Antwerp Marseille Wellington Halifax Bergen Utrecht""".split()
    ),
    "person": tuple(
        """Marcus Olivia Theodore Bianca Rashid Florence Cedric Naomi Gustav Philippa Anton Miriam Desmond Ottilie
        Hector Rowena Casimir Lydia Barnaby Solveig Emil Henrietta Idris Clementine""".split()
    ),
    "phone": tuple(f"0{prefix}-{line}" for prefix, line in zip(range(201, 230), range(4417, 9999, 191), strict=False)),
    "email": tuple(
        f"{word}@{host}.example"
        for word, host in zip(
            "sunfish kiwi77 larkspur hello mailme postbox bluejay tinker nomad inkwell pebble orchard".split(),
            "fastbox acme proton dunes rookery quickpost harbor stellar mosaic lowland ferry topaz".split(),
            strict=True,
        )
    ),
    "diet": ("vegan", "pescatarian", "vegetarian", "paleo", "omnivorous", "fruitarian"),
    "car": (
        "Toyota Corolla", "Tesla Model 3", "Skoda Octavia", "Renault Zoe", "Ford Fiesta", "Volvo XC40", "Mazda MX-5",
        "Kia Niro", "Fiat Panda", "Subaru Outback",
    ),
    "channel": ("Slack", "email", "WhatsApp", "Signal", "Telegram", "text message", "phone call", "Microsoft Teams"),
    "drink": (
        "flat white", "double espresso", "chai latte", "earl grey", "oat cappuccino", "black americano", "green tea",
        "hot chocolate", "cortado",
    ),
    "bank": ("Revolut", "Barclays", "Santander", "ING", "Monzo", "HSBC", "Commerzbank", "Wise", "Bunq", "Nordea"),
    "subject_of_study": (
        "marine biology", "architecture", "economics", "mechanical engineering", "philosophy", "computer science",
        "nursing", "law", "musicology", "astrophysics", "linguistics",
    ),
    "transport": ("bike", "car", "tram", "train", "ferry", "bus", "scooter", "metro"),
    "instrument": ("cello", "trumpet", "piano", "ukulele", "violin", "drums", "clarinet", "accordion", "harp"),
    "book": (
        "Middlemarch", "Dune", "The Leopard", "Persuasion", "Beloved", "Frankenstein", "Ulysses", "Walden",
        "Rebecca", "Emma", "Dracula", "Kindred", "Solaris",
    ),
    "phone_model": ("Pixel 9", "iPhone 15", "Galaxy S24", "Fairphone 5", "Xperia 1", "OnePlus 12", "Nothing Phone 2"),
    "restaurant": (
        "Da Enzo", "Blue Lotus", "Casa Pepe", "The Copper Pot", "Sakura", "Taverna Nikos", "Chez Margot", "Little Saigon",
        "Bombay Canteen", "El Faro",
    ),
    "editor": ("Vim", "VS Code", "Emacs", "Zed", "Neovim", "PyCharm", "Sublime Text", "Helix", "Cursor", "Nano"),
    "language": (
        "German", "Spanish", "English", "Portuguese", "Dutch", "Italian", "Japanese", "Polish", "French", "Korean",
    ),
    "theme": ("dark", "light", "solarized", "sepia", "monochrome"),
    "package_manager": ("pip", "Poetry", "uv", "conda", "PDM", "Hatch"),
    "shell": ("bash", "zsh", "fish", "PowerShell", "nushell", "ksh"),
    "browser": ("Firefox", "Chrome", "Safari", "Brave", "Vivaldi", "Edge", "Arc"),
    "notes_app": ("Obsidian", "Notion", "Evernote", "Logseq", "Joplin", "OneNote", "Bear"),
    "currency": ("euros", "dollars", "pounds", "francs", "yen", "kroner"),
    "airline": ("KLM", "Finnair", "Iberia", "Emirates", "Swiss", "Qantas", "Ryanair", "Delta"),
    "afternoon": _hours(13, 17),
    "year": tuple(str(year) for year in range(1949, 2013, 7)),
    "early": _hours(5, 8),
    "late": _hours(21, 24),
    "morning": _hours(8, 12),
    "period": ("a week", "ten days", "two months", "a year", "72 hours", "three quarters"),
    "date": _DAYS,
    "money": tuple(f"€{amount},000" for amount in (40, 65, 85, 120, 150, 180, 210, 260, 320, 450)),
    "price": tuple(f"${amount}" for amount in (9, 12, 15, 19, 24, 29, 35, 39, 49, 59, 79, 99)),
    "forge": ("GitHub", "GitLab", "Bitbucket", "Codeberg", "Gitea", "SourceHut"),
    "programming_language": ("Python", "Rust", "Kotlin", "Elixir", "TypeScript", "Java", "Scala", "Ruby", "Go", "PHP"),
    "licence": ("MIT", "Apache 2.0", "GPLv3", "AGPL", "BSD", "MPL"),
    "chat_channel": tuple(
        f"#{name}" for name in "tangerine war-room launchpad mango ops-desk bluebird greenhouse pit-stop anvil".split()
    ),
    "client": ("Lego", "Carrefour", "Ikea", "Heineken", "Swatch", "Barilla", "Decathlon", "Volvo Trucks", "Pfizer", "Bayer"),
    "tracker": ("Jira", "Linear", "Trello", "Asana", "YouTrack", "Basecamp", "Shortcut"),
    "version": ("0.9.8", "1.4.2", "2.0.1", "3.7.0", "4.2.5", "5.11.3", "6.6.6", "7.8.9"),
    "database": (
        "PostgreSQL", "MySQL", "MongoDB", "CockroachDB", "Cassandra", "DynamoDB", "SQLite", "MariaDB", "ClickHouse",
    ),
    "port": ("8080", "9443", "3000", "5001", "7070", "8443", "4200", "6060", "9292"),
    "cloud": ("AWS", "Azure", "Google Cloud", "Hetzner", "DigitalOcean", "OVH", "Scaleway", "Linode"),
    "region": ("eu-west-1", "us-east-2", "ap-south-1", "frankfurt", "northeurope", "sydney", "oregon"),
    "cache": ("Redis", "Memcached", "Valkey", "Hazelcast", "Dragonfly", "Varnish"),
    "queue": ("RabbitMQ", "Kafka", "NATS", "Pulsar", "ActiveMQ", "Celery", "Pub/Sub"),
    "auth": ("API keys", "OAuth", "mutual TLS", "SAML", "basic passwords", "JWT", "session cookies"),
    "ci": ("Jenkins", "CircleCI", "GitHub Actions", "TeamCity", "Buildkite", "Drone", "Travis"),
    "monitoring": ("Datadog", "Grafana", "New Relic", "Zabbix", "Honeycomb", "Nagios", "Dynatrace"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "days": ("7", "14", "30", "45", "60", "90", "120", "180"),
    "count": ("two", "three", "four", "six", "eight", "nine", "twelve", "fifteen"),
    "seconds": ("5", "10", "15", "20", "30", "45", "60", "90"),
    "rate": ("50", "100", "200", "500", "750", "1,000", "2,500"),
    "framework": ("Django", "FastAPI", "Flask", "Spring Boot", "Rails", "Express", "Laravel", "Phoenix"),
    "frontend": ("React", "Vue", "Svelte", "Angular", "Ember.js", "htmx", "Solid"),
    "orchestrator": ("Kubernetes", "Nomad", "Docker Swarm", "ECS", "systemd units", "Mesos"),
    "vault": ("Vault", "Doppler", "1Password", "AWS Secrets Manager", "Infisical", "SOPS files"),
    "payments": ("Adyen", "Braintree", "Mollie", "PayPal", "Worldpay", "Klarna", "Paddle"),
    "people_count": ("7", "9", "12", "15", "18", "23", "31", "40", "56", "75"),
    "weeks": ("one week", "two weeks", "three weeks", "ten days", "a month"),
    "meeting_tool": ("Zoom", "Google Meet", "Teams", "Webex", "Jitsi", "Around"),
    "room": ("Aquarium", "Boardroom", "Library", "Greenhouse", "Attic", "Mezzanine", "Loft", "Bunker"),
    "ip": ("10.0.4.12", "192.168.7.30", "172.16.9.5", "10.22.1.77", "192.168.50.3", "172.31.8.8"),
    "firmware": ("v1.99", "v2.14", "v3.01", "v4.7", "v5.20", "v6.3"),
    "allergen": ("peanuts", "shellfish", "pollen", "latex", "penicillin", "cat hair", "lactose", "wasp stings"),
    "hobby": ("pottery", "birdwatching", "chess", "sailing", "origami", "gardening", "woodcarving", "geocaching"),
    "pet": ("a beagle", "a parrot", "a tortoise", "a Siamese cat", "two goldfish", "a hamster"),
    "child": ("Nora", "Felix", "Maya", "Arthur", "Iris", "Leo", "Clara", "Otis", "Ruby", "Hannes"),
    "nickname": ("Sparky", "Bee", "Moose", "Captain", "Pip", "Ziggy", "Doc"),
    "dance": ("salsa", "tango", "ballet", "swing", "flamenco", "breakdance"),
    "weight": ("61 kg", "68 kilos", "74 kg", "79 kilos", "83 kg", "91 kilos"),
    "seat": ("aisle", "window", "middle", "front-row", "exit-row"),
    "sport": ("tennis", "bouldering", "rowing", "judo", "badminton", "swimming", "fencing", "curling"),
    "street": (
        "12 Elm Street", "48 Harbour Road", "7 Mill Lane", "301 Birch Avenue", "19 Castle Square", "66 Station Parade",
        "5 Orchard Close", "230 Riverside Drive",
    ),
    "insurer": ("Allianz", "AXA", "Techniker Krankenkasse", "Bupa", "Cigna", "Barmer", "Generali"),
    "clinic": ("Dr. Abbott", "Dr. Nakamura", "Dr. Silva", "Dr. Weber", "Dr. Banerjee", "Dr. Kowalczyk", "Dr. Moreau"),
    "surname": ("Holloway", "Zimmermann", "Castellan", "Brightman", "Okoye", "Lindgren", "Tavares", "Yilmaz"),
    "test_framework": ("pytest", "unittest", "nose2", "Robot", "ward"),
    "os": ("Ubuntu", "Fedora", "macOS", "Windows 11", "Arch Linux", "Debian", "NixOS"),
    "streaming": ("Netflix", "Disney+", "MUBI", "Apple TV", "Prime Video", "Paramount"),
    "music": ("Spotify", "Tidal", "Deezer", "Apple Music", "Qobuz", "YouTube Music"),
    "log_level": ("DEBUG", "INFO", "WARNING", "ERROR"),
    "python": ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"),
    "percent": ("60", "70", "75", "80", "85", "90", "95"),
    "vendor": ("Brother", "Canon", "Epson", "Lexmark", "Kyocera", "Ricoh"),
    "airport": ("Schiphol", "Gatwick", "Orly", "Bergamo", "Heathrow", "Charleroi", "Luton"),
    "hotel": ("Ibis", "Marriott", "Radisson", "Hilton", "Novotel", "Scandic"),
    "dns": ("Cloudflare", "Route 53", "Gandi", "NS1", "Akamai", "DNSimple"),
    "formatter": ("Black", "Ruff", "YAPF", "autopep8", "Prettier", "dprint"),
    "model": ("GPT-4o", "Claude Sonnet", "Gemini Pro", "Llama 3", "Mistral Large", "Qwen Max"),
    "tone": ("short", "detailed", "one-sentence", "medium-length"),
    "commit_style": ("Conventional Commits", "gitmoji", "plain imperative sentences", "ticket-number prefixes"),
    "crm": ("Salesforce", "HubSpot", "Pipedrive", "Zoho", "Copper", "Dynamics"),
    "country": ("Spain", "Norway", "Kenya", "Canada", "Japan", "Portugal", "Chile", "Estonia", "Ireland", "Ghana"),
    "timezone": ("CET", "UTC-5", "Pacific time", "IST", "JST", "GMT", "AEST"),
    "charity": ("Oxfam", "UNICEF", "WWF", "Red Cross", "Amnesty", "Greenpeace"),
    "gym": ("Basic-Fit", "Virgin Active", "CrossFit Nord", "Gold's", "PureGym", "John Reed"),
    "energy": ("Vattenfall", "Octopus", "E.ON", "Ørsted", "Iberdrola", "Enel"),
    "shift": ("night", "morning", "evening", "weekend"),
    "marital_status": ("engaged", "married", "divorced", "widowed", "in a civil partnership"),
    "laptop": ("MacBook Air", "ThinkPad X1", "Dell XPS 13", "Framework 16", "Surface Pro", "Zenbook 14", "Chromebook"),
    "dish": ("ramen", "lasagne", "sushi", "pad thai", "pierogi", "falafel", "paella", "mushroom risotto", "tacos"),
    "colour": ("teal", "crimson", "mustard yellow", "lilac", "navy blue", "emerald", "orange", "burgundy"),
    "rent": ("€780", "€940", "€1,150", "€1,275", "€1,420", "€1,690", "€2,050"),
    "isp": ("Telekom", "Vodafone", "Orange", "Comcast", "Virgin Media", "Swisscom", "Telia", "O2"),
    "medicine": ("ramipril", "losartan", "amlodipine", "bisoprolol", "lisinopril", "valsartan"),
    "school": (
        "Rosehill Primary", "St Brendan's", "Montessori am Park", "Maple Grove Elementary", "the Lycée Pasteur",
        "Oakfield Academy", "Kingsway Prep",
    ),
    "desk": ("1F", "3C", "7A", "14B", "22D", "31E"),
    "indentation": ("tabs", "two spaces", "four blanks", "eight columns"),
    "linter": ("Pylint", "Flake8", "ESLint", "Biome", "Semgrep", "oxlint"),
    "password_manager": ("Bitwarden", "LastPass", "KeePassXC", "Dashlane", "NordPass", "Enpass"),
    "search_engine": ("Google", "DuckDuckGo", "Kagi", "Ecosia", "Bing", "Startpage", "Qwant"),
    "noon": _hours(11, 14),
    "steps": ("5,000", "6,500", "8,000", "10,000", "12,000", "15,000"),
    "status": (
        "on hold", "in beta", "in the design phase", "waiting for legal", "in user testing", "ready for launch",
        "blocked by the vendor",
    ),
    "branch": ("main", "master", "trunk", "develop", "stable", "next"),
    "slot": (
        "Mondays at 9:30", "Tuesdays at 14:00", "Wednesdays at 11:15", "Thursdays at 16:45", "Fridays at 10:00",
        "Tuesdays at 8:30",
    ),
    "squad": ("Falcon", "Otter", "Lynx", "Heron", "Badger", "Ibex"),
    "memory": ("256 MB", "512 MB", "1 GB", "2 GB", "4 GB", "8 GB", "16 GB"),
    "blood_type": ("A positive", "A negative", "B positive", "O positive", "O negative", "AB negative"),
    "position": ("goalkeeper", "striker", "sweeper", "left winger", "midfielder", "right back"),
    "voice": ("soprano", "alto", "tenor", "baritone", "bass"),
    "hair": ("blond", "copper red", "jet black", "platinum", "chestnut", "silver grey"),
    "race": ("5k", "10k", "half marathon", "triathlon", "duathlon", "hill climb"),
    "belt": ("yellow", "orange", "green", "blue", "brown", "black"),
    "level": ("A1", "A2", "B1", "B2", "C1", "C2"),
    "terminal": ("Alacritty", "kitty", "WezTerm", "iTerm2", "Ghostty", "Konsole"),
    "todo_app": ("Todoist", "Things", "TickTick", "OmniFocus", "Remember the Milk"),
    "calendar": ("Outlook", "Fantastical", "Thunderbird", "Google Calendar", "Vimcal"),
    "keyboard": ("QWERTY", "QWERTZ", "Dvorak", "Colemak", "AZERTY", "Workman"),
    "font": ("JetBrains Mono", "Fira Code", "Iosevka", "Cascadia", "Hack", "Inconsolata"),
    "newspaper": ("The Guardian", "Le Monde", "Die Zeit", "El País", "the Irish Times", "La Repubblica"),
    "milk": ("oat", "soy", "almond", "coconut", "rice", "hazelnut"),
    "cloud_drive": ("Dropbox", "Nextcloud", "OneDrive", "iCloud", "Proton Drive", "Tresorit"),
    "build_tool": ("Bazel", "Gradle", "Maven", "Make", "Meson", "Buck2"),
    "base_image": ("alpine", "distroless", "debian-slim", "ubuntu-jammy", "wolfi", "ubi-minimal"),
    "error_tracker": ("Sentry", "Rollbar", "Bugsnag", "Raygun", "Airbrake"),
    "wire_format": ("JSON", "Protobuf", "Avro", "MessagePack", "CBOR", "Thrift"),
    "flag_tool": ("LaunchDarkly", "Unleash", "Flagsmith", "ConfigCat", "PostHog"),
    "design_tool": ("Figma", "Sketch", "Penpot", "Adobe XD", "Framer"),
    "auditor": ("KPMG", "Deloitte", "PwC", "EY", "BDO", "Mazars"),
    "payroll": ("Gusto", "ADP", "Personio", "DATEV", "Paychex"),
    "bicycle": ("Brompton", "Canyon", "Trek", "Gazelle", "Cannondale", "Specialized"),
    "shirt_size": ("S", "M", "L", "XL", "XXL", "3XL"),
    "author": ("Murakami", "Borges", "Atwood", "Calvino", "Le Guin", "Sebald", "Toni Morrison"),
    "club": ("Arsenal", "Celtic", "Ajax", "Benfica", "Lazio", "Schalke", "Real Betis", "Feyenoord"),
    "thesis": (
        "urban beekeeping", "coral bleaching", "medieval guilds", "quantum sensors", "bilingual toddlers",
        "river sediments", "folk lullabies",
    ),
    "series": ("The Wire", "Severance", "Borgen", "Fleabag", "The Bear", "Succession", "Slow Horses"),
    "game": ("Stardew Valley", "Hades", "Elden Ring", "Factorio", "Zelda", "Hollow Knight", "Portal"),
    "supermarket": ("Lidl", "Aldi", "Rewe", "Edeka", "Coop", "Waitrose", "Migros"),
    "breakfast": ("porridge", "granola", "scrambled eggs", "toast with jam", "croissants", "yoghurt and fruit"),
    "wifi": ("FrogPond", "Kaleidoscope", "MilkyWay", "TinCan", "Lighthouse", "Paprika"),
    "code": ("4471", "9083", "2650", "7319", "5824", "1967", "3308"),
    "bus_line": ("17", "42", "63A", "109", "X5", "28"),
    "camera": ("Fujifilm X-T5", "Sony A7", "Nikon Z6", "Canon R6", "Leica Q2", "Pentax K-3"),
    "headphones": ("Bose QC45", "AirPods Pro", "Sennheiser HD 560", "Jabra Elite", "Sony XM5"),
    "ereader": ("Kindle", "Kobo", "PocketBook", "Tolino", "Boox"),
    "watch": ("Garmin", "Casio", "Fitbit", "Polar", "Suunto", "Withings"),
    "podcast_app": ("Overcast", "Pocket Casts", "Castro", "AntennaPod", "Podbean"),
    "home_hub": ("Home Assistant", "Homey", "SmartThings", "openHAB", "Domoticz"),
    "type_checker": ("mypy", "Pyright", "Pyre", "Pyrefly", "basedpyright"),
    "container_tool": ("Docker", "Podman", "Colima", "Rancher Desktop", "OrbStack", "nerdctl"),
    "vpn": ("Mullvad", "WireGuard", "Tailscale", "NordVPN", "OpenVPN", "ProtonVPN"),
    "monitor": ("Dell U2723", "LG UltraFine", "Eizo EV27", "Samsung Odyssey", "BenQ PD32"),
    "rss_reader": ("Feedly", "NetNewsWire", "Inoreader", "Miniflux", "FreshRSS"),
    "mail_client": ("Thunderbird", "Apple Mail", "mutt", "Spark", "Mimestream", "Superhuman"),
    "invoicing": ("FreshBooks", "Xero", "QuickBooks", "lexoffice", "Zervant"),
    "hourly": ("€65", "€80", "€95", "€110", "€135", "€150"),
    "handle": ("@mossgarden", "@teapotter", "@nightferry", "@papercrane", "@oddsocks", "@slowloris"),
    "docstrings": ("Google style", "NumPy format", "reStructuredText", "Epytext", "plain prose"),
    "line_length": ("79", "88", "100", "120", "132"),
    "merging": ("squash", "rebase", "plain merge commits", "fast-forward only"),
    "naming": ("snake_case", "camelCase", "PascalCase", "kebab-case"),
    "date_format": ("ISO 8601", "day-month-year", "US style", "Unix timestamps", "spelled-out months"),
    "yoga": ("vinyasa", "yin", "ashtanga", "hatha", "kundalini"),
    "pizza": ("margherita", "quattro formaggi", "diavola", "capricciosa", "marinara", "ortolana"),
    "ice_cream": ("pistachio", "stracciatella", "mango sorbet", "hazelnut", "rum raisin", "salted caramel"),
    "board_game": ("Catan", "Azul", "Carcassonne", "Wingspan", "Pandemic", "Agricola"),
    "degrees": ("18", "19.5", "20", "21", "22.5", "23"),
    "docs_tool": ("Confluence", "MkDocs", "GitBook", "Docusaurus", "Sphinx", "Outline"),
    "cadence": ("weekly", "fortnightly", "monthly", "quarterly", "nightly"),
    "cost_center": ("44100", "51730", "60255", "72010", "38890", "90416"),
    "priority": ("P0", "P1", "P2", "P3", "P4"),
    "contract": ("fixed price", "time and materials", "monthly retainer", "milestone billing", "revenue share"),
    "estimation": ("story points", "T-shirt sizes", "ideal days", "plain hours", "person weeks"),
    "browser_tests": ("Playwright", "Cypress", "Selenium", "TestCafe", "Puppeteer"),
    "health_path": ("/healthz", "/ping", "/status", "/live", "/up", "/ready"),
    "proxy": ("nginx", "HAProxy", "Traefik", "Envoy", "Caddy", "Pound"),
    "certificate": ("Let's Encrypt", "DigiCert", "ZeroSSL", "Sectigo", "GlobalSign"),
    "rollout": ("blue-green", "canary", "rolling", "big-bang", "shadow"),
    "slo": ("99%", "99.5%", "99.9%", "99.95%", "99.99%"),
    "search_backend": ("Elasticsearch", "OpenSearch", "Meilisearch", "Typesense", "Solr", "Vespa"),
    "object_store": ("S3", "MinIO", "Cloudflare R2", "Backblaze B2", "Ceph", "Wasabi"),
    "api_style": ("REST", "GraphQL", "gRPC", "SOAP", "JSON-RPC"),
    "architecture": ("arm64", "x86-64", "RISC-V", "ppc64le", "s390x"),
    "scheduler": ("cron", "Airflow", "Temporal", "Dagster", "Prefect", "Argo"),
    "mail_sender": ("SendGrid", "Postmark", "Mailgun", "Amazon SES", "SparkPost"),
    "sms": ("Twilio", "Vonage", "MessageBird", "Sinch", "Plivo"),
    "cdn": ("Cloudflare", "Fastly", "Akamai", "CloudFront", "BunnyCDN"),
    "provisioning": ("Terraform", "Pulumi", "Ansible", "CloudFormation", "OpenTofu", "Chef"),
    "retro_tool": ("Miro", "FigJam", "Parabol", "EasyRetro", "Retrium"),
    "expense_tool": ("Expensify", "Pleo", "Spendesk", "Concur", "Payhawk"),
    "sso": ("Okta", "Entra ID", "OneLogin", "Keycloak", "JumpCloud", "Ping Identity"),
    "inventory_tag": ("K7731", "M2098", "R5506", "T1184", "W9420", "Z3672"),
    "courier": ("DHL", "UPS", "FedEx", "DPD", "Hermes", "GLS"),
    "leave_days": ("24", "25", "27", "28", "30", "33"),
    "cause": ("Oxfam", "UNICEF", "WWF", "Amnesty", "Greenpeace", "Shelter"),
    "messenger": ("WhatsApp", "Signal", "Telegram", "email", "SMS", "Threema"),
    "phase": (
        "in discovery", "in the design phase", "under construction", "in closed beta", "live for everyone", "frozen",
    ),
    "caterer": ("Green Fork", "Mama Lina", "Tiffin Box", "Brot und Butter", "Kantine Nord"),
    "drive": ("an external SSD", "Backblaze", "the NAS in the cellar", "Time Machine", "a USB stick", "rsync.net"),
}  # fmt: skip
"""Values, by name of the list."""

ASCENDING = frozenset({"version", "firmware", "belt", "level"})
"""Lists of which a later statement has a later value."""
