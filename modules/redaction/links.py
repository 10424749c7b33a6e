"""Secrets within addresses: who has a webhook, a signed link or an invitation needs nothing else.

An address is read from its host or the parts of its path on: what stands before, of whatever length, does not matter.
"""

from collections.abc import Iterator

from .placeholders import is_placeholder, is_scrambled, looks_random
from .spans import SecretSpan, compiled, occurrences

_W = r"[A-Za-z0-9_-]"
_UUID = r"[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}"
_END = r"(?![A-Za-z0-9])"

_KNOWN = (
    ("slack-webhook", "hooks.slack", r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,200})"),
    ("discord-webhook", "/webhooks/", rf"/api/(?:v\d{{1,2}}/)?webhooks/(\d{{10,25}}/{_W}{{40,100}})"),
    ("teams-webhook", "incomingwebhook/", rf"/(?:webhookb2|webhook)/({_UUID}@{_UUID}/IncomingWebhook/[A-Za-z0-9/_-]{{32,200}})"),
    ("telegram-token", "/bot", rf"/bot(\d{{8,10}}:{_W}{{30,40}})"),
    ("webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/(?:catch|standard)/(\d{4,12}/[A-Za-z0-9]{5,60})"),
    ("webhook", "/hooks/release/", r"/hooks/release/builtin/(\d{1,12}/[a-f0-9]{32,128})"),
    ("webhook", "/build_hooks/", r"/build_hooks/([a-f0-9]{20,64})"),
    ("webhook", "/integrations/deploy/", rf"/integrations/deploy/(?:prj_)?{_W}{{6,60}}/({_W}{{8,64}})"),
    ("webhook", "hook.", r"hook\.(?:[a-z]{2}\d{1,2}\.)?(?:make|integromat)\.com/([a-z0-9]{20,40})"),
    ("webhook", "/with/key/", rf"/with/key/({_W}{{16,64}})"),
    ("webhook", "/hook", rf"/hooks?/({_UUID}|(?=[a-z]{{0,25}}\d)[a-z0-9]{{26}}|[A-Za-z0-9]{{17,24}}/[A-Za-z0-9]{{30,80}})"),
    ("webhook", "/webhook", rf"/webhook(?:-test)?/({_UUID})"),
    ("webhook", "/integration/", r"/integration/([a-f0-9]{32})/enqueue"),
    ("webhook", "hc-ping.com/", rf"hc-ping\.com/({_UUID}|{_W}{{20,40}})"),
    ("webhook", "/robot/send", r"/robot/send\?access_token=([a-f0-9]{40,80})"),
    ("webhook", "webhook/send?key=", rf"webhook/send\?key=({_UUID})"),
    ("calendar-link", "/owa/calendar/", r"/owa/calendar/[^/\s]{3,200}/([a-f0-9]{30,100})/(?:reachcalendar|calendar)\.(?:ics|html)"),
    ("calendar-link", "/private-", r"/private-([a-f0-9]{32})"),
    ("invitation", "discord", r"discord(?:app)?\.(?:gg|com/invite)/((?=[a-z0-9-]{0,20}[A-Z])[A-Za-z0-9]{7,20})"),
    ("invitation", "chat.whatsapp.com/", r"chat\.whatsapp\.com/(?:invite/)?([A-Za-z0-9]{20,24})"),
    ("invitation", "t.me/", rf"t\.me/(?:\+|joinchat/)({_W}{{14,32}})"),
    ("invitation", "/shared_invite/", rf"/shared_invite/(zt-{_W}{{16,80}})"),
)  # fmt: skip
"""The kind, a word of it in lower case, and the pattern with the secret as its group."""
_BY_PATH = (
    r"/(?:access|auth|callback|claim|feed|hooks?|ical|j|link|login|tokens?|unsubscribe|webhooks?|invites?|invitations?|join|accept[_-]invit(?:e|ation)|magic(?:-link)?|(?:re)?set[_/-]?password|password[_/-]?reset|activate"
    rf"|(?:verify|confirm)(?:[_-]?e-?mail)?|one-time|otp|secrets?|shared?|ping|unlock|incoming)(?:/[a-z-]{{1,20}})?/({_W}{{20,300}}){_END}(?!\.(?!xml|ics|rss|json)[A-Za-z])"
)
_BY_QUERY = (
    r"[?&;#~](?:[A-Za-z-]{0,30}[_-])?(?:[a-z]{0,20}token(?:_hash)?|[a-z]{0,10}key|app_?id|mtid|sk|share|md5|sig|signature|ticket|auth|code|pwd|invite|invitation|otp|hmac|jwt|secret)"
    r"=([A-Za-z0-9%+/_.~=-]{16,2048})"
)
_OFTEN_WORDS = r"(?i).[a-z_-]{0,60}(?:app_?id|share|(?:sort|order|group|search)[_-]?key)="
_BY_FRAGMENT = rf"#(?-i:(?=[A-Za-z0-9_-]{{0,60}}[A-Z])(?=[A-Za-z0-9_-]{{0,60}}[a-z]))({_W}{{20,200}}){_END}(?![.=])"
_SHORT_BY_QUERY = (
    rf"[?&](?:(?:token|secret)=(?={_W}{{10,15}}(?![\w%+/.~=-]))"
    r"|key=(?=(?-i:(?=[A-Z0-9]{0,15}[a-z])(?=[a-z0-9]{0,15}[A-Z])[A-Za-z0-9]{10,15}(?![\w%+/.~=-])))"
    rf")({_W}{{10,15}})"
)

_BY_PLACE = (
    ("invitation", _BY_PATH),
    ("signed-link", _BY_QUERY),
    ("signed-link", _SHORT_BY_QUERY),
    ("link-key", _BY_FRAGMENT),
)
"""A fragment never reaches the server: keys of what it stores encrypted stand there."""


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the secrets of the addresses in a text."""
    if "/" not in text:
        return
    for kind, word, pattern in _KNOWN:
        if word in lower:
            for match in compiled(f"{pattern}{_END}").finditer(text):
                if not is_placeholder(match.group(1).rpartition("/")[2]):
                    yield SecretSpan(*match.span(1), kind)
    past = 0
    for at in occurrences(lower, "://"):
        if at < past:
            continue
        end = min(len(text), at + _LONGEST)
        stop = compiled(r"[\s\"'`<>]").search(text, at, end)
        end = end if stop is None else stop.start()
        last = text.rfind("://", at + 1, end)
        past = last if stop is None and last > 0 else end  # the last address may be cut off
        for kind, pattern in _BY_PLACE:
            for match in compiled(f"(?i){pattern}").finditer(text, at, end):
                value = match.group(1).rstrip(".")
                is_named = "=" in match[0] and not compiled(_OFTEN_WORDS).match(match[0])
                is_random = _is_made_by_chance(value) if is_named else is_scrambled(value)
                if is_random and not is_placeholder(value):
                    yield SecretSpan(match.start(1), match.start(1) + len(value), kind)


_LONGEST = 8192


def _is_made_by_chance(value: str) -> bool:
    return looks_random(value, 10) or compiled(r"(?=[a-f]*\d)[a-f0-9]{24,128}$").match(value) is not None
