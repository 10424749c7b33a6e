"""Forms of values: money, numbers, dates, times, addresses and the like, as regular expressions."""

from ..memory.date_spans import MONTH, WEEKDAY, YEAR

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "a dozen": "12",
    "a hundred": "100",
}
_COUNT = (
    rf"(?:\d[\d,.' ]*\d|\d|{'|'.join(NUMBER_WORDS)}|(?:twenty|thirty|forty|fifty|sixty|seventy|"
    rf"eighty|ninety)-\w+|a (?:dozen|hundred|couple|thousand)|half a dozen|none|no)"
)
_CURRENCY = (
    r"(?:euros?|eur|€|dollars?|usd|\$|pounds?|gbp|£|francs?|chf|yen|¥|kroner|kronor|crowns?|rupees?|quid|bucks?|k\b)"
)
_CLOCK = (
    r"(?:\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|o'clock|h)?|noon|midnight|half past "
    r"\w+|quarter (?:past|to) \w+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve)(?: thirty| fifteen| o'clock)?)"
)
DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?:the )?{DAY}(?: of)? {MONTH}\.?(?:,? {YEAR})?|{MONTH}\.? (?:the )?{DAY}(?!\d)(?:,? "
    rf"{YEAR})?|{MONTH},? {YEAR}|{YEAR}-\d\d(?:-\d\d)?|\d{{1,2}}[./]\d{{1,2}}[./](?:{YEAR}|"
    rf"\d\d)|the {DAY}\b)"
)
_ROUGH = (
    rf"(?:(?:the )?(?:end|beginning|start|middle) of (?:the )?(?:{MONTH}|year|month|quarter|"
    rf"week|Q[1-4]|{YEAR}|next \w+|this \w+)|Q[1-4](?: {YEAR})?|(?:early|mid|late)[ "
    rf"-]{MONTH}(?: {YEAR})?|next (?:week|month|year|quarter|{WEEKDAY})|tomorrow|{MONTH}|"
    rf"{YEAR}|(?:the )?(?:first|second|third|last) (?:week|{WEEKDAY}|day|half) of \w+|"
    rf"(?:spring|summer|autumn|fall|winter)(?: {YEAR})?|(?:this|the) (?:coming )?(?:{WEEKDAY}|"
    rf"week|month)|sprint \d+)"
)
_WEEKDAY = (
    rf"(?:(?:every |each |the )?(?:other |first |second |last |third )?{WEEKDAY}s?(?:(?: and |"
    rf", | & ){WEEKDAY}s?)*(?: (?:morning|afternoon|evening|night|noon)s?)?|weekdays|weekends|"
    rf"every (?:other )?(?:week|month|two weeks|day)|daily|weekly|biweekly|fortnightly|monthly)"
)
_EXACT = r"(?:\d{1,2}:\d\d(?:\s?(?:am|pm))?|\d{1,2}\s?(?:am|pm|o'clock)|noon|midnight)"
_MOMENT = (
    rf"(?:(?:{_WEEKDAY},? ?(?:the )?(?:{_DATE})?|{_DATE}|{_ROUGH})(?:,? ?(?:at |from |@ "
    rf")?{_CLOCK})?|{_EXACT}(?: on {_WEEKDAY})?)"
)
_UNIT = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|quarters?|years?)"
FORMS: dict[str, str] = {
    "money": (
        rf"(?:(?:about |around |roughly |only )?(?:[$€£¥] ?\d[\d,.']*(?: ?(?:k|m|million|thousand|"
        rf"bn))?|{_COUNT}(?: ?(?:k|m|million|thousand|hundred|grand))? ?{_CURRENCY}?)(?: ?(?:an?|"
        rf"per|/|each|every) ?(?:month|year|week|day|hour|user|seat|person|night|head)| (?:monthly|"
        rf"yearly|annually|weekly)|/\w+)?)"
    ),
    "cash": (
        rf"(?:[$€£¥] ?\d[\d,.']*(?: ?(?:k|m|million|thousand|bn))?|{_COUNT}(?: ?(?:k|m|million|"
        rf"thousand|hundred|grand))? ?{_CURRENCY}|\d[\d,.']*(?= ?(?:an?|per|/|each|every) "
        rf"?(?:month|year|week|day|hour|user|seat|person|night|head)))(?: ?(?:an?|per|/|each|"
        rf"every) ?(?:month|year|week|day|hour|user|seat|person|night|head)| (?:monthly|yearly|"
        rf"annually|weekly)|/\w+)?"
    ),
    "rate": (
        r"\d[\d,.']*(?: ?(?:k|thousand|million))?(?: (?:requests?|calls?|queries|hits|"
        r"transactions|messages|reqs?))?(?: ?(?:per|an?|/|each|every) ?(?:second|minute|hour|day|"
        r"month|s|min|h|client|user)\b)*"
    ),
    "hashtag": r"#[\w-]+",
    "number": r"\d[\d,.']*(?: ?(?:k|million|thousand|percent|%))?|" + "|".join(NUMBER_WORDS),
    "count": _COUNT,
    "time": rf"(?:(?:around |about |roughly )?{_CLOCK})",
    "date": rf"(?:{_WEEKDAY},? (?:the )?)?(?:{_DATE}|{_ROUGH})",
    "year": rf"(?:{YEAR}|1[0-8]\d\d|{_DATE}|{_ROUGH})",
    "moment": _MOMENT,
    "weekday": _WEEKDAY,
    "phone": r"(?=(?:[ ()./+-]*\d){6})(?!\d{1,3}(?:\.\d{1,3}){3})\+?\(?\d[\d ()./-]{4,}\d(?: ?(?:ext\.?|x) ?\d+)?",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "ip": r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}",
    "port": (
        r"(?!\d{1,2}:\d\d)(?:tcp )?(?:port |127\.0\.0\.1:|0\.0\.0\.0:|:|"
        r"[a-z][\w.-]*:)?(?:\d{2,5})(?! ?(?:replicas|instances|pods|people|seconds|members|%|days|"
        r"nodes|workers|requests))(?![\d.]*\.\d)"
    ),
    "listening": (
        r"(?!\d{1,2}:\d\d)(?:(?:tcp )?(?:port |127\.0\.0\.1:|0\.0\.0\.0:|:|"
        r"[a-z][\w.-]*:)(?:\d{2,5})|\d{4,5})(?! ?(?!for\b|over\b|from\b|since\b|in\b|on\b|and\b|"
        r"with\b|to\b|via\b|after\b|as\b|instead\b|because\b)[A-Za-z%€$£])"
    ),
    "version": (
        r"(?!\d{1,3}(?:\.\d{1,3}){3})(?:v(?:ersion)? ?)?\d+(?:\.\d+)*(?:[.-]?(?:alpha|beta|rc|dev|"
        r"lts|x)[.\d]*)?"
    ),
    "duration": (
        rf"{_COUNT} ?(?:more )?{_UNIT}|an? {_UNIT}|half an? {_UNIT}|(?:one|two) and a half {_UNIT}|"
        rf"forever|\d+-{_UNIT}|(?:one|two|three|four|six)-{_UNIT}"
    ),
    "length": (
        r"\d[.,]\d+ ?(?:m|meters?|metres?)|\d{2,3} ?(?:cm|centimet(?:er|re)s?)|\d'\s?\d{1,2}\"?|"
        r"\d f(?:oo|ee)t(?: \d+(?: inch(?:es)?)?)?|\d ft(?: \d+(?: in)?)?"
    ),
    "weight": r"\d[\d.,]* ?(?:kg|kilos?|kilograms?|kilogrammes?|lbs?|pounds?|stone(?: \d+)?)",
    "age": r"(?:\d{1,3}|"
    + "|".join(NUMBER_WORDS)
    + r"|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-\w+)(?: years? old| years? "
    r"of age| months old)?(?=$|,| (?:today|yesterday|on|in)\b)",
    "blood": r"(?:AB|A|B|O|0)(?: ?(?:\+|-|positive|negative|pos|neg|rh\+|rh-))",
    "address": (
        r"(?:\d{1,5}[a-z]?(?:,)? (?:[A-Z][\w'.-]*,? ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|"
        r"Drive|Dr|Way|Close|Court|Ct|Square|Place|Pl|Parade|Boulevard|Blvd|Terrace|Row|Crescent|"
        r"Gardens|Hill|Park|Quay|Walk|Mews|Alley|Grove|Green|Circle|Path)\b\.?(?:,? [A-Z\d][\w "
        r"-]*)*|(?:[A-Z][\w'.-]*(?:straße|strasse|str\.|weg|platz|gasse|allee|laan|straat)|(?:Rua|"
        r"Via|Calle|Rue|Avenida|Avenue|Plaza|Piazza|Place|Boulevard|Am|An der|Unter) [\w' -]+?),? "
        r"\d{1,4}[a-z]?(?:,? [A-Z\d][\w -]*)*|[A-Z][\w'-]+ (?:Street|Road|Avenue|Lane|Drive|Way|"
        r"Close|Square|Boulevard|Terrace)(?: \d+)?)"
    ),
    "timezone": (
        r"(?:UTC|GMT)(?: ?[+-] ?\d{1,2}(?::\d\d)?)?|(?-i:CET|CEST|EST|EDT|PST|PDT|MST|MDT|CST|CDT|"
        r"IST|JST|KST|AEST|AEDT|BST|WET|WEST|EET|EEST|MSK|SGT|HKT|NZST|BRT|ART|PT|ET|CT|MT)\b|"
        r"(?:Pacific|Eastern|Central|Mountain|Central European|Greenwich|Indian Standard|Japan "
        r"Standard|British|Australian|Atlantic|Western European|Eastern European|Brazil|Moscow|"
        r"Singapore)(?: Standard| Summer| Daylight| Mean)? time|(?:Europe|America|Asia|Africa|"
        r"Australia|Pacific|Atlantic)/\w+"
    ),
    "url": r"(?!\d{1,3}(?:\.\d{1,3}){3})(?![\d.]+(?![\d.]*\w*[a-z]))(?:https?://)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/[\w./#?=&%-]*)?",
    "region": (
        r"(?:[a-z]{2,3}|europe|asia|australia|africa|(?:north|south)america)-(?:gov-)?[a-z]+-?\d[a-z]?|(?:north|south|east|west|central){1,2}"
        r"(?:europe|us|asia|india|uk)\d?|(?:eastus|westus|centralus|"
        r"sydney|singapore|stockholm|mumbai|tokyo|seoul|osaka|milan|montreal|bahrain|jakarta|zurich|warsaw|"
        r"northeurope|westeurope|uksouth|ukwest|eu|us|fra1|nyc\d|ams\d|sfo\d|lon\d|oregon|ohio|"
        r"virginia|ireland)\b"
    ),
    "release": (
        r"(?!\d{1,3}(?:\.\d{1,3}){3})(?:(?:version|release|v\.?|firmware(?: version)?) "
        r"?\d+(?:\.\d+)*|\d+(?:\.\d+)+)(?:[.-]?(?:alpha|beta|rc|dev|lts|x)[.\d]*)?(?!\.?\d)"
    ),
    "memory": r"\d+(?:[.,]\d+)? ?(?:[KMGT]i?B|(?:kilo|mega|giga|tera)bytes?|gigs?|megs?)\b",
    "level": r"(?-i:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|TRACE|FATAL|CRITICAL|VERBOSE)",
    "seat number": r"(?-i:\d{1,3}-?[A-Z]|[A-Z]-?\d{1,3})(?![\w-])",
    "branch name": (
        r"(?:main|master|trunk|develop|development|stable|next|edge|mainline|release|(?-i:production)|nightly|canary|"
        r"[a-z]+/[a-z][\w.-]*|release-[\d.]+)(?![\w-])"
    ),
    "terms": r"(?:net )?\d{1,3}(?: days?)?(?! (?:weeks?|months?|years?|hours?|minutes?))",
    "thousands": r"\d{1,3}[,. ]?\d{3}",
    "medicine": (
        r"[a-z]{2,}(?:pril|sartan|olol|dipine|statin|prazole|cillin|mycin|formin|parin|xaban|gliptin|gliflozin|triptan|"
        r"oxetine|azepam|profen|thiazide|lukast|terol|afil|cetam|setron)(?![\w-])|aspirin|paracetamol|insulin|"
        r"levothyroxine|sertraline|citalopram|escitalopram|warfarin|cortisone|prednisone|furosemide|tylenol|lithium"
    ),
    "indent": (
        r"(?:tab characters|tabs?|(?:\d|one|two|three|four|six|eight)[ -](?:spaces?|blanks?|columns?|"
        r"characters?)|spaces)"
        r"(?: indentation)?"
    ),
    "slot": rf"{_WEEKDAY}(?: at {_CLOCK})?",
    "percent": r"\d[\d.,]* ?(?:%|percent|per cent)",
    "dose": r"\d[\d.,]* ?(?:mg|mcg|µg|ml|iu|milligrams?|micrograms?|units)\b",
    "dioptres": r"[+-]?\d{1,2}[.,]\d{1,2}(?: ?diopt(?:re|er)s?)?",
    "bandwidth": r"\d+ ?(?:[MG]bit/s|[MG]bps|[MG]bit|megabits?|gigabits?)(?: ?per second)?",
    "temperature": r"-?\d{1,3}(?:[.,]\d)? ?(?:°[CF]?|degrees?(?: celsius| fahrenheit)?|celsius|fahrenheit)",
    "shoe size": r"(?:size |EU |UK |US )?(?:[3-9]|1\d|[34]\d)(?:[.,]5)?(?! ?[\d:%€$£A-Za-z])",
}
