"""Secrets recognised by the structure around them: key blocks, headers, URLs, private spans, sentences, commands."""

from collections.abc import Iterator, Sequence

from .placeholders import consists_of_words, is_placeholder, is_scrambled, is_technical, looks_chosen
from .spans import SecretSpan, compiled

_MAX_BLOCK = 64 * 1024


def private(text: str, lower: str) -> list[SecretSpan]:
    """Return the spans from `<private>` to `</private>`, with the tags; without an end, up to the end of the text.

    A lone quoted tag, as in an explanation of it, hides nothing.
    """
    if "<private>" not in lower:
        return []
    spans: list[SecretSpan] = []
    depth, begin = 0, 0
    last_close = lower.rfind("</private>")
    for match in compiled(r"<(/?)private>").finditer(lower):
        if match.group(1):
            depth = max(0, depth - 1)
            if depth == 0 and begin >= 0 and (not spans or spans[-1].end <= begin):
                spans.append(SecretSpan(begin, match.end(), "private"))
                begin = -1
            continue
        if match.start() > last_close and lower[max(0, match.start() - 1) : match.start()] in ("`", "'", '"'):
            continue
        if depth == 0:
            begin = match.start()
        depth += 1
    if depth:
        spans.append(SecretSpan(begin, len(text), "private"))
    return spans


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the secrets that the structure around them reveals."""
    if "-----begin" in lower:
        yield from _pem(text)
    if '"kty"' in lower:
        yield from _matches(text, _WEB_KEY, "private-key")
    if "putty-user-key-file" in lower:
        yield from _matches(
            text,
            r"(?i)Private-Lines: \d{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|(?![\w+/=-]))){1,200}(?:Private-MAC: [0-9a-f]{40,64})?)",
            "private-key",
        )
    if "://" in text:
        yield from _urls(text)
    for word, pattern, kind in _HEADERS:
        if word in lower:
            yield from _matches(text, pattern, kind, lower)
    if "authorization" in lower:
        for span in _matches(text, _OF_NO_SCHEME, "authorization", lower):
            value = text[span.begin : span.end]
            if is_scrambled(value) or (value.isalnum() and len(value) >= 24 and not consists_of_words(value)):
                yield span
    if "cookie" in lower:
        yield from _cookies(text, lower)
    if "basic " in lower:
        yield from _matches(text, _BASIC, "basic-auth")
    if text.count("-") >= 7:
        yield from _matches(text, r"((?<![0-9-])[0-9]{6}(?:-[0-9]{6}){7}(?![0-9-]))", "recovery-key")
    yield from _spoken(text, lower)


_PARAMETER = r"[a-z][\w-]{0,40}=(?:\\?\"[^\"\n]{0,2000}\"|[^\s,\"']{1,4096})"
_WEB_KEY = r"\"(?:d|k|p|q|dp|dq|qi)\"[ \t]{0,4}:[ \t]{0,4}\"([A-Za-z0-9_-]{16,4096})\""
"""The private parts of a JSON web key."""
_HEADERS = (
    ("authorization", rf"authorization[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}}[\"']?[a-z][\w-]{{2,30}}[ \t]{{1,8}}({_PARAMETER}(?:,[ \t]{{0,4}}{_PARAMETER}){{1,20}})", "authorization"),
    ("authorization", r"authorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,8})([^\s\"'`<>]{6,8192})", "authorization"),
    ("bearer", r"bearer(?<![a-z0-9_]bearer):?[ \t]{1,8}[\"'`]?(?=[a-z._~+/=-]{0,200}\d)([a-z0-9._~+/-]{16,8192}={0,2})", "bearer-token"),
    ("sig", r"[?&;](?:x-(?:amz|goog)-signature|sig|signature)=([a-z0-9%+/_=-]{24,1024})", "signature"),
)  # fmt: skip
"""Matched in lower case: a word that must occur, the pattern with the secret as its group, the kind."""
_OF_NO_SCHEME = (
    r"authorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?(?:[a-z][a-z0-9-]{1,20}[ \t]{1,8})?([^\s\"'`<>]{16,8192})"
)
_COOKIE = (
    r"cookie(?<![a-z0-9_]cookie)[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?([a-z0-9_.%-]{1,100}=[^\s\"'`;]{4,4096}"
    r"(?:;[ \t]{0,4}[a-z0-9_.%-]{1,100}(?:=[^\s\"'`;]{0,4096})?){0,100})"
)
_VALUE_OF_COOKIE = (
    r"(?:^|;)[ \t]{0,4}+(?!max-age|expires|path|domain)[^=;]{1,100}=(?=[^;]{0,4096}\d|[^;]{16})([^;]{8,4096})"
)


def _cookies(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the cookies of a header, if one of them may sign somebody in: `theme=dark` does not."""
    for span in _matches(text, _COOKIE, "cookie", lower):
        if compiled(_VALUE_OF_COOKIE).search(lower[span.begin : span.end]):
            yield span


_BASIC = r"[Bb]asic(?<![A-Za-z0-9_][Bb]asic)[ \t]{1,8}((?=[A-Za-z0-9+/]{0,200}[0-9+/=])(?=[a-z0-9+/]{0,200}[A-Z])[A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=])"

_WHOSE = r"(?:the|our|my|your|his|her|their|its|a)"
_PASSWORD = r"(?:pass(?:word|phrase|code)|pwd)"
_SPOKEN = (
    ("changed from ", r"(?i)(?:pass(?:word|phrase|code)?|pin|secret|token|key)\b[^\n]{0,60}? changed from [\"'`]?([^\s\"'`]{4,100})[\"'`]? to "),
    ("changed from ", r"(?i)(?:pass(?:word|phrase|code)?|pin|secret|token|key)\b[^\n]{0,60}? changed from \S{1,100} to [\"'`]?([^\s\"'`]{4,100})"),
    ("cred", r"(?i)\bcred(?:ential)?s(?: [\w.-]{1,30}){0,4}?:? {1,3}[\w.@-]{1,60} ?[:/] ?(\S{6,100})"),
    ("login", r"(?i)\blogin(?: [\w.-]{1,30}){0,4}?:? {1,3}(?!\d)[\w.@-]{1,60} ?[:/] ?(\S{6,100})"),
    ("log in", r"(?i)\blog in(?: (?:as|with|by|using) [\w.@-]{1,60})? (?:with|using|and) [\"'`]?([^\s\"'`]{6,100})"),
)  # fmt: skip
_ATTRIBUTE = (
    r"(?:ids?|names?|handle|e-?mail|locale|language|agent|roles?|groups?|count|number|score|limit|quota|rates?|ratio|balance"
    r"|status|at|on|since|times?|dates?|channel|speed|version|reg-?ex|pattern|formula|query|subject)(?![\w.@-])"
)
"""What is told of a user or an account, and is neither a user nor a password."""
_USER = rf"(?!{_ATTRIBUTE})[\"'`]?[\w.@-]{{1,60}}[\"'`]?"
_AFTER_USER = r"(?: ?: ?| / ?|/(?=\S{0,99}(?-i:[A-Z!@#$%^&*+~]))|,? (?:(?:and|with|using|then) )?(?:the )?(?:pass(?:word|code|phrase)?|pw|pwd)?:? ?)[\"'`]?([^\s\"'`]{6,100})"
_AS = rf"(?: (?:to |at |into )?(?:[\w.-]{{1,30}} ){{0,3}}?| )(?:as|with|user|by|using) {_USER}{_AFTER_USER}"
_USER_ABROAD = r"(?:utente|usuario|usuário|utilizador|utilisateur|benutzer|nutzer|gebruiker|użytkownik|uživatel|utilizator|kullanıcı)"
_STRONG_AFTER = r"(?<![^\s\"'`(=,;:/<\[{|*\\-])[\w.@+-]{0,60}[a-z0-9](?: //? ?| \| |:)(?=[^\s]{0,60}[A-Za-z\d][!#%^&?~][A-Za-z\d])(?=\S{0,60}[A-Z])(?=\S{0,60}[a-z])(?=\S{0,60}\d)([^\s\"'`/:\\(){}\[\]<>|,;]{8,64})(?=[.,;)\"'`]{0,2}(?:\s|$))"
"""Someone's name and, after a sign between two, what only a password mixes."""
_AFTER_ROOT = r"(?<![\w-])(?:root|admin),? (?:and |with )?(?=\S{0,60}[A-Za-z\d][!#%^&?~])([^\s\"'`/:@\\(){}<>]{8,100})"
_DIRECTIVE = r"(?im)^[ \t]{0,20}[a-z]{2,20}(?:pw|pass|passwd)[ \t]{0,8}[:= \t][ \t]{0,8}[\"']?([^\s\"']{6,100})[\"']?[ \t]{0,20}$"
"""A line of a configuration: the name of a password glued to whose it is, and the value."""
_PAIRS = (
    ("log", rf"(?i)\blog(?:s|ged|ging)?[ -]?(?:in|on|into){_AS}"),
    ("sign", rf"(?i)\bsign(?:s|ed|ing)?[ -]?(?:in|on|into){_AS}"),
    ("connect", rf"(?i)\bconnect(?:s|ed|ing)?{_AS}"),
    ("ssh", rf"(?i)\bssh(?: in)?{_AS}"),
    ("pass", r"(?i)\bpass(?:word|phrase|code)?(?: ?\? {1,3}|, (?:it's|it is|now|which is|i\.e\.) )[\"'`]?([^\s\"'`]{6,100})"),
    ("/", r"(?i)(?<![\w/.-])(?:admin|administrator|root|sa) ?/ ?(?=[^\s/]{0,60}[!#$%^&*?~=+])([^\s\"'`/]{6,100})"),
    ("/", r"(?i)(?<![\w/.@-])[\w.@-]{1,40} ?/ ?([^\s\"'`/]{6,100}) (?:is|are|was|were|works as|stays) (?:[\w'-]{1,20} ){0,3}?(?:login|log-in|credentials?|creds|account)(?=$|\s*\n|[.,;!?)]| (?:for|of|to|on|at|in|from|now)\b)"),
    (":", r"(?i)(?<![\w.-])u(?:sr)? ?[:=] ?[\w.@-]{1,60}[ ,;/|]{1,4}p(?:w|wd)? ?[:=] ?[\"'`]?([^\s\"'`]{6,100})"),
    ("auth", r"(?i)auth(?:enticat(?:e|ion))?\b[ \t]{0,2}(?:[=:][ \t]{0,2})?[(\[][ \t]{0,2}[\"'][^\"'\n]{1,100}[\"'],[ \t]{0,4}[\"']([^\"'\s]{6,100})[\"'][ \t]{0,2}[)\]]"),
    ("login(", r"(?i)\blogin\([ \t]{0,2}[\"'][^\"'\n]{1,100}[\"'],[ \t]{0,4}[\"']([^\"'\s]{6,100})[\"'][ \t]{0,2}\)"),
    ("u", rf"(?i)\b{_USER_ABROAD}:? {_USER}{_AFTER_USER}"),
    ("user", rf"(?i)\buser(?:name)?(?: ?[/+&] ?(?:pass(?:word)?|pw|pwd))?(?: is|:)? {_USER}{_AFTER_USER}"),
    ("use ", rf"(?i)\buse {_USER} ?[:/](?!:) ?[\"'`]?([^\s\"'`]{{6,100}})"),
    ("account", rf"(?i)\baccount:? {_USER}(?: ?[:/] ?| (?:and|with) )[\"'`]?([^\s\"'`]{{6,100}})"),
    (":", r"(?i)\b(?:with|as|using|by|login|in) [\w.-]{1,40}:([^\s\"'`:/]{6,100})"),
    ("@", r"(?<![^\s\"'`(<=,;:])[\w.-]{1,40}:(?=[^\s@]{0,60}[!#$%^&*?~=]|[a-z]{3,20}-[a-z]{3,20}-[a-z]{3,20}-\d)([^\s\"'`:/@]{6,100})@[A-Za-z0-9][\w.-]{1,200}(?=$|[\s\"'`)>,;:/?!])"),
    ("cred", rf"(?i)\bcred(?:ential)?s(?: [\w.-]{{1,30}}){{0,4}}?(?: ?(?::|->|→|=))? {{1,3}}{_USER} ?[:/] ?[\"'`]?([^\s\"'`]{{6,100}})"),
    ("cred", rf"(?i)\bcred(?:ential)?s(?: [\w.-]{{1,30}}){{0,4}}? ?(?::|->|→|=) {{1,3}}{_USER} {{1,3}}[\"'`]?([^\s\"'`]{{6,100}})"),
    ("", _STRONG_AFTER),
    ("@", r"(?<![^\s\"'`(=,;:/<\[{|*\\-])[\w.+-]{1,60}@[A-Za-z][\w.-]{1,100}(?:,|,? (?:and|with))? (?=\S{0,60}[!#$%^&*?~])([^\s\"'`/:@]{8,100})"),
    ("\\", r"(?<![^\s\"'`(=,;:/<\[{|*-])[A-Za-z][\w-]{1,20}\\[\w.-]{2,40}(?: ?[/:,] ?| )(?=\S{0,60}[!#$%^&*?~])([^\s\"'`/:@\\]{8,100})"),
    ("root", _AFTER_ROOT),
    ("admin", _AFTER_ROOT),
    ("@", r"(?<=\w)@[A-Za-z][\w-]{0,60}(?:\.[\w-]{1,30}){1,4}:([^\s\"'`/:@]{6,100})"),
    ("pw", _DIRECTIVE),
    ("pass", _DIRECTIVE),
    ("access", rf"(?i)\baccess(?: (?:for|to|of)(?: [\w.-]{{1,30}}){{1,4}}?)?: {{0,3}}{_USER} ?[:/,] ?[\"'`]?([^\s\"'`]{{6,100}})"),
    ("login", rf"(?i)\blogin(?: (?:page|is|as|for|with))?:? {_USER}{_AFTER_USER}"),
    ("admin", rf"(?i)\badmin(?:istrator)?(?: (?:page|panel|login|user|account))?: ?{_USER} ?[:/] ?[\"'`]?([^\s\"'`]{{6,100}})"),
)  # fmt: skip
"""A user and what follows it, without a word for a password."""
_ENDS = (
    r"(?=$|\n|[.,;:!?)\"'`]| (?:for|of|to|on|at|in|from|now|there|and|when|while|until|if|so|because|with|when|as)\b)"
)
_NAMED_LATER = (
    (" is ", rf"(?i)(?<!\S)[\"'`]?([^\s\"'`]{{6,100}})[\"'`]? is (?:now )?{_WHOSE} (?:[\w-]{{1,30}} ){{0,3}}?{_PASSWORD}(?=$|\n|[.,;:!?)]| (?:for|of|to|on|at|in|from|now|there)\b)"),
    (" for ", rf"(?i)(?<!\S)[\"'`]?([^\s\"'`]{{6,100}})[\"'`]? for {_WHOSE} (?:[\w-]{{1,30}} ){{0,3}}?{_PASSWORD}\b"),
    ("log", r"(?i)\b(?:use|enter|type) [\"'`]?([^\s\"'`]{6,100})[\"'`]? (?:to|when you|for) (?:log|sign)(?:ging|ning)?[ -]?(?:in|on)\b"),
    (" as ", rf"(?i)\b(?:use|enter|type|set|take|with|have|gave|made|chose|contains|holds) [\"'`]?([^\s\"'`]{{6,100}})[\"'`]? as (?:{_WHOSE} )?(?:[\w-]{{1,30}} ){{0,3}}?(?:{_PASSWORD}|(?:master|api|secret|signing|encryption|access|private) key){_ENDS}"),
    (" p", r"(?i)(?:[,;(]|\b(?:with|and|old|new|the|my|our|root|admin|temp)) ?(?:pw|pwd|pass|passwd):? [\"'`]?(?![A-Za-z_]\w{1,40}=)([^\s\"'`]{6,100})"),
    ("psk", r"(?i)(?<![\w-])psk:? [\"'`]?([^\s\"'`]{8,63})"),
    ("wi", r"(?i)(?<![\w-])wi-?fi(?:[: ]{1,3}(?!\d\d)[\w.-]{1,40}){0,4}? ?(?:/|,? (?:key|pw|pass|code)[: ]) ?[\"'`]?([^\s\"'`]{8,63})"),
    ("wlan", r"(?i)(?<![\w-])wlan(?:[: ]{1,3}(?!\d\d)[\w.-]{1,40}){0,4}? ?(?:/|,? (?:key|pw|pass)[: ]) ?[\"'`]?([^\s\"'`]{8,63})"),
    ("ssid", r"(?i)(?<![\w-])ssid(?:[: ]{1,3}(?!\d\d)[\w.-]{1,40}){0,4}? ?(?:/|,? (?:key|pw|pass)[: ]) ?[\"'`]?([^\s\"'`]{8,63})"),
)  # fmt: skip
_ONE_OF_CODES = r"(?:(?!\d{4}-\d\d-\d\d)(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){0,5}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}|[A-Za-z0-9]{5}-[A-Za-z0-9]{5}|\d{4} \d{4}(?![\d-]))"
_CODES = (
    r"(?i)\b(?:backup|recovery|2fa|mfa|one-time|emergency|scratch)[ -]codes?(?: are| is|:)?[ \n]{1,3}"
    rf"(?=[A-Za-z0-9-]{{6}}|\d{{4}} \d{{4}})({_ONE_OF_CODES}(?:(?:[,;]|,? and|,? or)?[ \n]{{1,3}}{_ONE_OF_CODES}){{0,20}})(?![\w.])"
)
_OTP_SEED = (
    r"(?i)(?<!\w)(?:2fa|mfa|[th]?otp|authenticator|two-factor|one-time)(?:[ _-]\w{1,20}){0,3}?[ _-](?:seed|secret|key)(?: ?(?:is|was)\b)?[ :=\"'`]{1,6}"
    r"(?-i:((?=[A-Z2-7 -]{0,100}[2-7])(?:[A-Z2-7]{16,64}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})"
    r"|(?=[a-z2-7 -]{0,100}[2-7])[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15}|(?=[a-z]{0,60}[2-7]{1,60}[a-z]{1,60}[2-7])[a-z2-7]{16,64}))"
    r"(?![A-Za-z0-9])"
)
_SEED_FOR_OTP = r"(?i)\b(?:seed|secret|key) for (?:the |my |our )?(?:2fa|mfa|totp|hotp|otp|authenticator)\b[ :=\"'`]{1,6}(?-i:([A-Z2-7]{16,64}))(?![A-Za-z0-9])"
_LOCK = (
    r"(?:alarm|door|gate|safe|vault|lock|garage|tür|haus|tresor|porte|coffre|portail|garaje|puerta|caja|porta|cassaforte|cancello|cofre|portão|deur|kluis|poort"
    r"|drzwi|sejf|domofon|dveř|trezor|ușa|ușii|seif|kapı|kasa)"
)
_CODE_OF_LOCK = (
    r"(?<!\w)(?:(?:[ck][oó]d(?:e|igo|ice|ul|u|ı)?|zugangscode)"
    rf"(?:[ \t]+[\w'’-]{{1,20}}){{0,3}}?[ \t]+(?:[a-zà-ü]['’])?{_LOCK}\w{{0,8}}|{_LOCK}[- ]?[ck]ode?)(?:[ \t]+[\w'’-]{{1,20}}){{0,2}}?"
    r"(?:[ \t]?:|[ \t]+[^\W\d_]{1,9})[ \t]+[\"'`]?(\d{4,10})(?![\w.,-]*\d)"
)
"""A code of what is locked, its name, one word (a copula) or a colon, and digits."""
_NETWORK = (
    r"WIFI:(?:[TSHRI]:(?:[^;\\\n]|\\.){0,64};){0,4}P:((?:[^;\\\n]|\\.){4,80});",
    r"(?i)(?<![\w-])(?:wpa[\w-]{0,12}\.)?psk[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?!pre-shared)((?<=[\"'])[^\"'\n]{8,63}|[^\s\"'`,;]{8,64})",
)


def _spoken(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield passwords not preceded by their name: the new one after the old one, the one after its user."""
    for begin, value in _values_matching(text, lower, _SPOKEN):
        if (
            (looks_chosen(value) or compiled(_STRONG).match(value))
            and not is_placeholder(value)
            and not _is_known(value)
        ):
            yield SecretSpan(begin, begin + len(value), "password")
    for begin, value in _values_matching(text, lower, _PAIRS):
        if looks_chosen(value) and not _is_known(value):
            yield SecretSpan(begin, begin + len(value), "password")
    for begin, value in _values_matching(text, lower, _NAMED_LATER):
        if compiled(_LIKELY).match(value) and not is_placeholder(value) and not _is_known(value):
            yield SecretSpan(begin, begin + len(value), "password")
    if any(word in lower for word in ("code", "kod", "kód", "código", "codice")):
        yield from _lists_of_codes(text)
        for match in compiled(_CODE_OF_LOCK).finditer(lower):
            yield SecretSpan(match.start(1), match.end(1), "pin")
    if any(word in lower for word in ("2fa", "mfa", "otp", "authenticator", "two-factor", "one-time")):
        yield from _matches(text, _OTP_SEED, "otp")
        yield from _matches(text, _SEED_FOR_OTP, "otp")
    if "wifi:" in lower or "psk" in lower:
        for pattern in _NETWORK:
            yield from _matches(text, pattern, "password")


def _lists_of_codes(text: str) -> Iterator[SecretSpan]:
    """Yield lists of backup codes: one of letters alone is a code only beside one of its length with a digit."""
    for span in _matches(text, _CODES, "otp"):
        codes = compiled(r"[A-Za-z0-9-]+").findall(text, span.begin, span.end)
        lengths = {len(code) for code in codes if "-" in code and compiled(r"\d").search(code)}
        joined = {"and", "or"}
        if all(compiled(r"\d").search(code) or len(code) in lengths or code.lower() in joined for code in codes):
            yield span


def _values_matching(text: str, lower: str, patterns: Sequence[tuple[str, str]]) -> Iterator[tuple[int, str]]:
    for word, pattern in patterns:
        if word in lower:
            for match in compiled(pattern).finditer(text):
                yield match.start(1), match.group(1).rstrip(".,;:)")


def _is_known(value: str) -> bool:
    """Return whether a value is an address, a technology, a machine's name or a field: web01, oauth2, status=200."""
    return (
        "//" in value
        or value.startswith("/")
        or compiled(r"[a-z_]{2,20}=").match(value) is not None
        or is_technical(value)
        or compiled(r"[a-z]{1,10}-?\d{1,2}$").match(value) is not None
        or compiled(_MEASURED).match(value) is not None
    )


_MEASURED = r"(?:\d{4}-\d\d-\d\dT\d\d:|[+-]?\d[\d.,]{0,20}[A-Za-z]{1,6}/[a-z]{1,6}(?:@|$)|=[A-Z]{2,20}\(|\^.{0,200}\$$)"
"""A time, a quantity in a unit of time, a formula, a regular expression."""


_LIKELY = r"(?=.{0,99}[0-9!@#$%^&*+=?~])(?=.{0,99}[A-Za-z])(?!.*\.[a-z]{2,4}(?:$|/))(?!\d[\d.,]*[A-Za-z]{0,6}$)"
_STRONG = r"(?=.{0,99}[0-9])(?=.{0,99}[a-z])(?=.{0,99}(?:[A-Z]|[!@#$%^&*+=?~]))(?!.*\.[a-z]{2,4}(?:$|/))"


def _matches(text: str, pattern: str, kind: str, lower: str | None = None) -> Iterator[SecretSpan]:
    for match in compiled(pattern).finditer(text if lower is None else lower):
        if not is_placeholder(text[match.start(1) : match.end(1)]):
            yield SecretSpan(match.start(1), match.end(1), kind)


_PEM_BEGIN = r"-----BEGIN ((?:[A-Za-z0-9]{1,20} ){0,4})(PRIVATE KEY(?: BLOCK)?|MESSAGE|Static key V\d)-----"


def _pem(text: str) -> Iterator[SecretSpan]:
    """Yield whole private keys, over several lines or in one with `\\n`; without an end, what still looks like one."""
    past = 0
    ends: dict[str, int] = {}
    for match in compiled(_PEM_BEGIN).finditer(text):
        if match.start() < past or match.group(2) == "MESSAGE":  # PGP ciphertext: useless without the key
            continue
        closing = f"-----END {match.group(1)}{match.group(2)}-----"
        if ends.get(closing, 0) < match.end():
            ends[closing] = text.find(closing, match.end()) % (len(text) + 1)  # none: behind the end
        if ends[closing] - match.end() <= _MAX_BLOCK and ends[closing] < len(text):
            past = ends[closing] + len(closing)
            yield SecretSpan(match.start(), past, "private-key")
            continue
        body = compiled(_KEY_LINES).match(text, match.end())
        if body is not None and compiled(r"[A-Za-z0-9+/=]{16}").search(body.group()):
            past = _end_of_base64(text, match.end(), body.end())
            yield SecretSpan(match.start(), past, "private-key")
        past = match.end() if body is None else body.end()


_KEY_LINES = r"(?:[A-Za-z0-9+/=:,. \t\r\n>#*|]|\\[nr]|-(?!----)){16,65536}"


def _end_of_base64(text: str, begin: int, end: int) -> int:
    """Return where the last line of key material ends: prose after a truncated key stays."""
    last = begin
    for match in compiled(r"[A-Za-z0-9+/=]{16,}").finditer(text, begin, end):
        if match.start() - last > 120:
            break
        last = match.end()
    return last


def _urls(text: str) -> Iterator[SecretSpan]:
    """Yield the password of each URL, or a token in place of its user."""
    for match in compiled(
        r"://([^\s/?#\"'`<>@:]{0,200}):(?!\d{1,5}[/?#][^\s@]{0,500}@)([^\s/\"'`<>@]{1,500}(?:@[^\s/?#\"'`<>@]{1,200}(?=@))?)@"
    ).finditer(text):
        if not is_placeholder(match.group(2)) and match.group(2).lower() not in _SAMPLE_PASSWORDS:
            yield SecretSpan(match.start(2), match.end(2), "password")
    for match in compiled(r"://([A-Za-z0-9_-]{20,300})@").finditer(text):
        if any(character.isdigit() for character in match.group(1)):
            yield SecretSpan(match.start(1), match.end(1), "token")


_SAMPLE_PASSWORDS = frozenset(
    {"password", "pass", "pw", "pwd", "secret", "passwd", "token", "yourpassword", "your_password"}
)


_COMMAND_BEGIN = r"(?<![A-Za-z0-9_./-])"
_GAP = r"[ \t][^\n|;]{0,200}?"
_GIVEN = r"[\"']?((?<=')[^'\n$]{3,200}(?=')|(?<=\")[^\"\n$]{3,200}(?=\")|[^\s\"'`|;&<>$-](?:[^\s\"'`|;&<>]|&(?![\s&])){2,200})"
_WORD = r"[ \t]{1,4}[^\s\"'`|;&<>-][^\s|;&<>]{0,99}"


def _option(commands: str, options: str, given: str = _GIVEN) -> str:
    """Return a pattern for a command and the value of one of its options; `options` includes the separator."""
    return rf"{_COMMAND_BEGIN}(?:{commands}){_GAP}(?<=[ \t])(?:{options}){given}"


_BEFORE = r"(?=[ \t][^\n|;<]{0,200}?(?<=[ \t])"
_READS_A_PASSWORD = (
    rf"kinit|passwd|cryptsetup|ssh-add|docker login|smbpasswd|(?<!sudo )su(?!{_BEFORE}(?:-c|--command)\b))"
    rf"|sudo{_BEFORE}(?:-[A-Za-z]{{0,6}}S|--stdin)\b)|gpg2?{_BEFORE}--passphrase-fd[ =]0\b)"
    rf"|openssl{_BEFORE}(?:-stdin|(?:pass:)?stdin)\b)"
)
"""The commands that read a password from their input, some with an option only."""
_SPACED = "[ \\t]{1,4}"
_PIPED = rf"{_COMMAND_BEGIN}(?:echo|printf)[ \t]{{1,4}}(?:-n[ \t]{{1,4}})?{_GIVEN}[\"']?[ \t]{{0,4}}\|[^\n|]{{1,200}}?--(?:password-stdin|with-token|stdin)\b"
_PORTS = r"(?:\d{1,3}(?:\.\d{1,3}){3}:)?\d{1,5}:\d{1,5}(?![^\s/`\"'.,;)])"
"""What `-p` of `docker run` has, where the container is called mysql."""
_COMMANDS = (
    ("curl", r"(?<![A-Za-z0-9_-])curl[ \t][^\n]{0,200}?(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,100}+:([^\s\"']{1,200})"),
    ("wget", r"(?<![A-Za-z0-9_-])wget[ \t][^\n]{0,400}?--(?:http-|ftp-|proxy-)?password[ =][\"']?([^\s\"']{1,200})"),
    ("sshpass", r"(?<![A-Za-z0-9_-])sshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?([^\s\"']{1,200})"),
    ("mysql", rf"(?<![A-Za-z0-9_-])mysql(?:dump|admin)?(?=[ \t])[^\n]{{0,200}}?[ \t]-p(?!ort\b|{_PORTS})[\"']?([^\s\"'=-][^\s\"']{{2,200}})"),
    ("mariadb", rf"(?<![A-Za-z0-9_-])mariadb(?:-dump|-admin)?(?=[ \t])[^\n]{{0,200}}?[ \t]-p(?!ort\b|{_PORTS})[\"']?([^\s\"'=-][^\s\"']{{2,200}})"),
    ("ssh-keygen", _option("ssh-keygen", rf"-[NP]{_SPACED}")),
    ("<<<", rf"{_COMMAND_BEGIN}(?:{_READS_A_PASSWORD})(?:{_GAP}|[ \t])<<<[ \t]{{0,4}}{_GIVEN}"),
    ("docker login", r"docker login(?=[ \t])[^\n]{0,200}?[ \t]-p[ \t]{1,4}[\"']?([^\s\"']{3,200})"),
    ("requirepass", r"(?i)(?<![\w-])requirepass[ \t]{1,8}[\"']?([^\s\"']{4,200})"),
    ("masterauth", r"(?i)(?<![\w-])masterauth[ \t]{1,8}[\"']?([^\s\"']{4,200})"),
    ("oracle:", r"(?i)oracle:\w{2,8}:[^\s/:]{1,60}/([^\s\"'<>]{3,100})@(?=[\w/])"),
    ("sqlplus", r"(?i)(?<![\w-])sqlplus[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,3}[\"']?[^\s/@]{1,60}/([^\s\"'<>]{3,100})@(?=[\w/])"),
    ("http", _option("https?|xh", r"(?:-a|--auth)[ =][\"']?[^\s:\"']{1,100}:", r"([^\s\"'`|;&<>$]{3,200})")),
    ("ncftp", _option("ncftp(?:put|get|ls)?", rf"-p{_SPACED}")),
    ("password('", r"(?<!\w)PASSWORD\('([^'\n]{1,200})'\)"),
    ("-file", r"-file[= ]<\((?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4})?[\"']?([^\s\"'`|;&<>$)][^\s\"'`|;&<>)]{2,200})"),
    ("identified by", r"(?i)identified by[ \t]{1,4}'([^'\n]{1,200})'"),
    ("machine ", r"(?i)(?<![a-z0-9_])machine[ \t\n]{1,4}\S{1,200}[ \t\n]{1,8}login[ \t\n]{1,8}\S{1,200}[ \t\n]{1,8}password[ \t\n]{1,8}(\S{1,200})"),
    ("redis-cli", _option("redis-cli", rf"-a{_SPACED}|--pass{_SPACED}")),
    ("htpasswd", rf"{_COMMAND_BEGIN}htpasswd[ \t]{{1,4}}(?:-[A-Za-z]{{1,8}}[ \t]{{1,4}}){{0,3}}(?<=b )(?:[^\s-]\S{{0,99}}[ \t]{{1,4}}){{1,2}}{_GIVEN}(?=[ \t\"']*(?:$|\n|[|;&`.,)]))"),
    ("htpasswd", rf"{_COMMAND_BEGIN}htpasswd[ \t]{{1,4}}(?:-[A-Za-z]{{0,4}}b[A-Za-z]{{0,4}}[ \t]{{1,4}})(?:[^\s-]\S{{0,99}}[ \t]{{1,4}}){{1,2}}{_GIVEN}(?=[ \t\"']*(?:$|\n|[|;&`.,)]))"),
    ("ldap", _option("ldap(?:search|modify|add|delete|whoami|passwd|compare)", rf"-w{_SPACED}|-s{_SPACED}(?!base|one|sub|children)")),
    ("smb", _option("smbclient|smbget|rpcclient", r"(?:-U|--user)[ =]?[\"']?[^\s%\"']{1,100}+%", r"([^\s\"'`|;&<>]{3,200})")),
    ("sqlcmd", _option("sqlcmd|bcp|osql", rf"-P{_SPACED}|-P(?=\S)")),
    ("bcp", _option("bcp", rf"-P{_SPACED}|-P(?=\S)")),
    ("zip", _option("zip|unzip|zipcloak", rf"-P{_SPACED}|--password{_SPACED}")),
    ("7z", _option("7z[ar]?", r"-p", r"([^\s\"'`|;&<>$]{3,200})")),
    ("rar", _option("rar|unrar", r"-h?p", r"([^\s\"'`|;&<>$]{3,200})")),
    ("mongo", _option("mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport", rf"-p{_SPACED}|-p(?=[^\s-])")),
    ("cqlsh", _option("cqlsh", rf"-p{_SPACED}")),
    ("mosquitto", _option("mosquitto_(?:pub|sub|rr)", rf"-P{_SPACED}")),
    ("ipmitool", _option("ipmitool", rf"-P{_SPACED}")),
    ("snmp", _option("snmp(?:walk|get|set|bulkwalk)", rf"-[AX]{_SPACED}")),
    ("storepass", rf"-(?:store|key|src|dest|deststore|srcstore)pass{_SPACED}{_GIVEN}"),
    ("openssl", _option("openssl", r"-(?:pass|passin|passout|k)[ \t]{1,4}(?:pass:)?(?!env:|file:|fd:|stdin)")),
    ("rabbitmqctl", rf"{_COMMAND_BEGIN}rabbitmqctl[ \t]{{1,4}}(?:add_user|change_password|authenticate_user){_WORD}[ \t]{{1,4}}{_GIVEN}"),
    ("net user", rf"(?i){_COMMAND_BEGIN}net[ \t]{{1,4}}user{_WORD}[ \t]{{1,4}}(?!/){_GIVEN}"),
    ("net use", rf"(?i){_COMMAND_BEGIN}net[ \t]{{1,4}}use(?:[ \t]{{1,4}}[^\s/][^\s]{{0,200}}){{1,2}}?[ \t]{{1,4}}(?!/|\\\\){_GIVEN}[ \t]{{1,4}}/user:"),
    ("sudo -s", rf"{_COMMAND_BEGIN}(?:echo|printf)[ \t]{{1,4}}(?:-n[ \t]{{1,4}})?{_GIVEN}[\"']?[ \t]{{0,4}}\|[ \t]{{0,4}}sudo[ \t]{{1,4}}(?:-\w{{1,8}}[ \t]{{1,4}}){{0,2}}-S\b"),
    ("chpasswd", r"[\"']?(?<![\w:])[a-z_][\w.-]{0,40}:([^\s\"'`|;&<>$][^\s\"'`|;&<>]{2,200})[\"']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd"),
    ("stdin", _PIPED),
    ("with-token", _PIPED),
    ("nmcli", _option("nmcli", rf"password{_SPACED}|[\w.-]{{0,40}}psk{_SPACED}")),
    ("wpa_passphrase", rf"{_COMMAND_BEGIN}wpa_passphrase[ \t]{{1,4}}(?:\"[^\"\n]{{1,64}}\"|\S{{1,64}})[ \t]{{1,4}}[\"']?([^\n\"'|;&<>$]{{8,63}})"),
    ("freerdp", _option("[xw]lfreerdp|xfreerdp|wfreerdp", r"/p:")),
    ("rdesktop", _option("rdesktop", rf"-p{_SPACED}")),
    ("lftp", _option("lftp", r"(?:-u|--user)[ \t=]{1,4}[\"']?[^\s,\"']{1,100}+,", r"([^\s\"'`|;&<>]{3,200})")),
    ("cmdkey", _option("cmdkey", r"/pass:")),
    ("az login", _option("az login", rf"-p{_SPACED}")),
    ("username=", r"username=[^\s,]{1,100},(?:[\w.-]{1,40}=[^\s,]{0,100},){0,4}pass(?:word)?=([^\s,\"']{3,200})"),
)  # fmt: skip
_PGPASS = r"(?<![\w:.*-])(?:[\w.-]{1,253}|\*):(?:\d{2,5}|\*):(?:[A-Za-z_][\w-]{0,62}|\*):(?:[A-Za-z_][\w.-]{0,62}|\*):([^\s:\"'`]{4,200})(?![^\s\"'`,.;)])"


def given_to_commands(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the passwords given to commands, by the option or the position that takes them, and of a `.pgpass` file."""
    for word, pattern in _COMMANDS:
        if word in lower:
            yield from _literal(text, pattern)
    if text.count(":") >= 4:
        for span in _literal(text, _PGPASS):
            value = text[span.begin : span.end]
            if not value.isdigit() and not (value.isalpha() and value.islower()):
                yield span


def _literal(text: str, pattern: str) -> Iterator[SecretSpan]:
    """Yield the passwords that a pattern matches, and no variables."""
    for span in _matches(text, pattern, "password"):
        if text[span.begin] not in "$%<":
            yield span
