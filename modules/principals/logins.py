"""Sign-ins of people at the dashboard: links that work once, and the sessions of browsers, without a row in the store.

Sessions outlive the process that opened them: their cookies are signed, and those that were signed out are kept.

A link is made by whoever can read the home: the owner at a terminal. A session that came from such a link belongs to a
person; one that was opened with a key may be an agent's, and never decides anything.
"""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

from ..clock import Clock
from ..errors import Unauthenticated
from ..records import dataclass
from .models import Caller
from .ports import ServerKey
from .service import PrincipalService
from .signed import SignedClaims

SESSIONS = ("agos_", "session")
"""How sessions of browsers begin, and what they are signed for."""
LINK_LASTS = timedelta(minutes=5)
SESSION_LASTS = timedelta(hours=12)
REFUSED_LINK = "this link was already used or has expired; get a new one: agentos open"


@dataclass(frozen=True)
class Login:
    """A person's session in a browser. `key` is the prefix of the key that opened it, None for the owner's link."""

    secret: str
    id: str
    key: str | None
    is_person: bool
    until: datetime

    @property
    def form_token(self) -> str:
        """Return the anti-forgery token of this session's forms, which other sites cannot know."""
        return hashlib.sha256(f"form\0{self.secret}".encode()).hexdigest()


class LoginLinks:
    """Makes links; for the command line, which has the home and no running service."""

    def __init__(self, server_key: ServerKey, clock: Clock) -> None:
        self._claims = SignedClaims(server_key, "agol_", "login")
        self._clock = clock

    async def make(self, *, is_person: bool) -> str:
        """Return the secret of a link that opens one session of the owner within LINK_LASTS."""
        link = await self._claims.write([secrets.token_hex(16), is_person, self._clock().timestamp()])
        assert link is not None, "it is short"
        return link

    async def read(self, link: str) -> tuple[str, bool, datetime] | None:
        """Return a link's name, whether a person made it, and when; None where it is none or has expired."""
        claims = await self._claims.read(link)
        if claims is None:
            return None
        name, is_person, made = claims
        made_at = datetime.fromtimestamp(made, UTC)
        return (name, is_person, made_at) if made_at <= self._clock() < made_at + LINK_LASTS else None


class LoginService:
    """Opens sessions by links and by keys, and knows those that are open, whichever process opened them."""

    def __init__(self, principals: PrincipalService, clock: Clock) -> None:
        self._principals = principals
        self._clock = clock
        self._links = LoginLinks(principals.server_key, clock)
        self._sessions = principals.signed(*SESSIONS)

    async def by_link(self, link: str) -> Login:
        """Open the owner's session by a link, once. Raises Unauthenticated."""
        found, ended, now = await self._links.read(link), self._principals.ended_logins, self._clock()
        if found is None:
            raise Unauthenticated(REFUSED_LINK)
        name, is_person, made = found
        until = made + SESSION_LASTS  # as a session of that moment: where it is not known what ended, this has
        if await ended.has(name, until, now) or not await ended.add(name, until, now):
            raise Unauthenticated(REFUSED_LINK)
        return await self._open(None, is_person=is_person)

    async def by_key(self, prefix: str) -> Login:
        """Open a session with the rights of a key that was checked."""
        return await self._open(prefix, is_person=False)

    async def login(self, secret: str) -> Login | None:
        """Return the session that a browser's cookie stands for; None where it is none, has ended or expired."""
        claims = await self._sessions.read(secret)
        if claims is None:
            return None
        name, key, is_person, began = claims
        until = datetime.fromtimestamp(began, UTC) + SESSION_LASTS
        now = self._clock()
        is_over = now >= until or await self._principals.ended_logins.has(name, until, now)
        return None if is_over else Login(secret, name, key, is_person, until)

    async def end(self, login: Login) -> None:
        """End a session, for good. Raises StorageUnavailable where only this process knows of it."""
        await self._principals.ended_logins.add(login.id, login.until, self._clock())

    async def caller_of(self, login: Login, owner: Caller) -> Caller:
        """Return who a session's person is: the owner, or whom its key stands for. Raises Unauthenticated."""
        return owner if login.key is None else await self._principals.caller_of(login.key)

    async def _open(self, key: str | None, *, is_person: bool) -> Login:
        opened, name = self._clock(), secrets.token_hex(16)
        await self._principals.ended_logins.has(name, opened, opened)  # which may end all that were opened before
        secret = await self._sessions.write([name, key, is_person, opened.timestamp()])
        assert secret is not None, "it is short"
        return Login(secret, name, key, is_person, opened + SESSION_LASTS)
