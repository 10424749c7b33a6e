"""Cookies that sign somebody in, by the names that servers give them, wherever `name=value` stands."""

from collections.abc import Iterator
from itertools import chain

from .placeholders import is_call, is_placeholder, looks_random
from .spans import SecretSpan, compiled

_WORDS = ("sess", "sid", "csrf", "xsrf", "remember", "logged_in", "cookies=", "li_at=", "clearance=", "auth", "cookie")
_PATTERN = (
    r"(?<![\w.-])([\w.-]{0,60}(?:sess(?:ion)?[._-]?(?:id|token|key)?|sid|csrf[._-]?token|xsrf[._-]?token|remember[\w-]{0,30}|logged_in_[a-f0-9]{32}"
    r"|\.cookies|user_session|li_at|cf_clearance|cf_authorization|[._-]\w{0,10}auth|authtoken|auth_token))[\"']?(?:=|: )[\"']?([A-Za-z0-9%._~+/=|!:-]{16,4096})"
)
_TOLD = r"(?i)(?<![\w-])cookie(?: [\w.-]{1,30}){0,3}?(?: (?:is|was|=)|[:=]) ?[\"'`]?([A-Za-z0-9%._~+/=|!:-]{20,4096})"
_UUID = r"(?i)[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}$"


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the values of cookies; an id that is a UUID names a session, and opens none."""
    if not any(word in lower for word in _WORDS):
        return
    for match in chain(compiled(f"(?i){_PATTERN}").finditer(text), compiled(_TOLD).finditer(text)):
        value = match[match.re.groups].rstrip(".:!")
        if is_placeholder(value) or (is_call(value) and "(" in value) or compiled(_UUID).match(value):
            continue
        if looks_random(value):
            begin = match.start(match.re.groups)
            yield SecretSpan(begin, begin + len(value), "cookie")
