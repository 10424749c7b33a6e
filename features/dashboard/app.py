"""The dashboard as an application: sign-in, who looks, forms that only our own pages can send, and the pages."""

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ...config import default_home
from ...interfaces.http.limits import MOST_AT_ONCE_OF_A_PRINCIPAL, RateLimit, Shares
from ...interfaces.http.mounting import DASHBOARD, StoreDoor
from ...interfaces.http.problems import Problem, problem_of
from ...interfaces.http.rest import events
from ...interfaces.http.rest.operations import Stream
from ...modules import identifiers, package_files
from ...modules.agentos import AgentOS
from ...modules.deeds.models import Deed
from ...modules.errors import AgentOSError, PermissionDenied, Unauthenticated
from ...modules.principals.acting import acting
from ...modules.principals.logins import SESSION_LASTS, Login, LoginService
from ...modules.principals.models import Caller, Role
from ...modules.principals.secrets import prefix_of
from ...tools.bound import ECHOES
from . import html, live
from .look import THEMES, Look, keep, look_of
from .pages import DashboardPage, approvals, page_of, pages_of
from .texts import LANGUAGES, Texts
from .visit import ACROSS, Redirect, Shown, Undo, Visit, readable
from .wording import in_browser

PATH = DASHBOARD
COOKIE, WANTED = "agentos_session", "agentos_wanted"
"""The beginnings of cookies: of the session, and with the page that was asked for before signing in."""
WANTED_FOR_S = 600
MAX_WANTED_CHARS = 1_000
EVENTS = "events"
MOST_ZONE_CHARS = 100
MOST_FAILURES = 30
"""Wrong keys and links that one address is told about in a minute."""
MOST_FIELDS = 500
STATIC = {"style.css", "script.js", "graph.js", "icon.svg"}
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; script-src 'nonce-{nonce}'"
)

log = logging.getLogger(__name__)


class Dashboard:
    """Serves the pages of a store, whose owner is who signs in by a link."""

    def __init__(self, door: StoreDoor) -> None:
        self._latencies = door.latencies
        self._pages = pages_of(door.features)
        self._behind = door.behind
        self._tools = {entry.tool.name: entry for entry in reversed(door.bound)}
        self._policy = door.policy
        self._owner = door.owner
        self._decisions = door.decisions
        self._rates = RateLimit()
        self._shares = Shares(MOST_AT_ONCE_OF_A_PRINCIPAL, self._languages[LANGUAGES[0]]("errors.under_way"))
        self._examining = asyncio.Semaphore(1)
        self._failures = RateLimit()
        self._logins: LoginService | None = None
        self._cookie, self._wanted_cookie = cookies_of(door.behind.place)

    @cached_property
    def _html(self) -> Any:
        return html.environment()

    @cached_property
    def _home(self) -> Path | None:
        """The folder of what is shown, to tell several apart; None for the one that is used where none is named."""
        home = self._behind.home
        return None if self._behind.shared or home == default_home() else home

    @cached_property
    def _languages(self) -> dict[str, Texts]:
        return {name: Texts.read(name) for name in LANGUAGES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below PATH. Raises Problem for what is no page."""
        path = scope["path"].removeprefix(PATH).strip("/")
        scope["state"]["route"] = f"{PATH}/{path.partition('/')[0]}" if self._page_of(path) else PATH
        request = Request(scope, receive)
        look = await asyncio.to_thread(look_of, request, self._languages)
        if request.method not in ("GET", "HEAD", "POST"):
            raise Problem("method_not_allowed", look.text("errors.methods"), allow="GET, HEAD, POST")
        with ExitStack() as closing:  # after the answer is sent: a stream counts for as long as it is open
            if path.startswith("static/"):
                response = self._static(path.removeprefix("static/"), look)
            else:
                if request.method == "POST":
                    self._is_from_here(request, look)
                response = await self._answer(request, path, look, closing)
            await response(scope, receive, send)

    @property
    def _base(self) -> str:
        return f"{self._policy.value.base_path}{PATH}"

    def _static(self, name: str, look: Look) -> Response:
        if name not in STATIC:
            raise Problem("not_found", look.text("errors.no_file"))
        content = package_files.text(html.FOLDER / "static" / name)
        return Response(content, media_type=guess_type(name)[0], headers={"cache-control": "max-age=300"})

    async def _answer(self, request: Request, path: str, look: Look, closing: ExitStack) -> Response:
        if path == "look" and request.method == "POST":
            return await self._looking(request)
        agentos = await self._behind.agentos()
        logins = self._opened(agentos)
        if path == "enter":
            return await self._enter(request, logins, look)
        if path == "sign-in":
            return await self._sign_in(request, agentos, logins, look)
        known = await self._known(request, logins)
        if known is None:
            return self._to_sign_in(request, path)
        login, caller = known
        self._rates.take(caller.principal, self._policy.value.requests_per_minute)
        closing.enter_context(self._shares.one_of(caller.principal))
        if path == "sign-out" and request.method == "POST":
            await self._form(request, login, look.text)
            await logins.end(login)
            return self._without_cookie(request)
        visit = await self._visit(request, path, agentos, logins, caller, login, look, closing)
        return await self._page(path, visit)

    async def _known(self, request: Request, logins: LoginService) -> tuple[Login, Caller] | None:
        """Return the session of a browser and who it acts for; None where it is not signed in."""
        login = await logins.login(request.cookies.get(self._cookie, ""))
        with suppress(Unauthenticated):
            return None if login is None else (login, await logins.caller_of(login, self._owner))
        return None

    async def _page(self, path: str, visit: Visit) -> Response:
        request = visit.request
        try:
            if request.method == "POST":
                form = await self._form(request, visit.login, visit.text)
                namespace = visit.caller.reading(_named(form.get("ns")))
                visit = replace(visit.inside(namespace), form=form)
            if path == EVENTS:
                return await self._events(visit)
            page = self._page_of(path)
            if page is None:
                raise Problem("not_found", visit.text("errors.no_page"))
            visit.caller.requires(Role(page.role))
            done: Redirect | Shown | Response
            if request.method == "POST" and visit.form is not None:
                with acting(visit.caller):
                    done = await page.act(visit, path)
            else:
                done = await page.show(visit, path)
        except (AgentOSError, Problem) as error:
            if isinstance(error, AgentOSError):
                problem = problem_of(error, await ECHOES.text(in_browser(str(error), visit.text)))
            else:
                problem = error
            return await self._rendered(visit, Shown("error.html", {"problem": problem}, problem.status))
        return done if isinstance(done, Response) else await self._noted(visit, path, done)

    @contextmanager
    def _logged(self) -> Iterator[None]:
        """Log why a history cannot be kept: what it tells of is done, and is answered so."""
        try:
            yield
        except AgentOSError as error:
            log.warning("history: %s", error)

    async def _noted(self, visit: Visit, path: str, done: Redirect | Shown) -> Response:
        """Answer with a page or the way to it, and keep what a form did."""
        deeds, principal, undone = visit.agentos.deeds, visit.caller.principal, ""
        if visit.form is not None and visit.form.get("undoes"):
            fields = {name: value for name, value in visit.form.items() if name not in ("token", "ns", "undoes")}
            undo = Undo(f"/{path}", {name: str(value) for name, value in fields.items()})
            with self._logged():
                undone = await deeds.undone(visit.namespace, principal, undo)
        name = done.query.get("done", "") if isinstance(done, Redirect) else done.done
        if (
            isinstance(done, Redirect) and name and name == undone
        ):  # what changed something back is no change to tell of
            name, done = "reverted", replace(done, query={**done.query, "done": "reverted"})
        address = visit.url(done.path, **done.query) if isinstance(done, Redirect) else ""
        if name:
            where = done.path if isinstance(done, Redirect) else f"/{path}"
            whose = (visit.namespace, principal, visit.login.id)
            with self._logged():
                await deeds.note(Deed(identifiers.new_id("deed"), *whose, visit.now, name, where, address, done.undo))
        return RedirectResponse(address, 303) if isinstance(done, Redirect) else await self._rendered(visit, done)

    async def _visit(
        self,
        request: Request,
        path: str,
        agentos: AgentOS,
        logins: LoginService,
        caller: Caller,
        login: Login,
        look: Look,
        closing: ExitStack,
    ) -> Visit:
        try:
            namespace = caller.reading(_named(request.query_params.get("ns")))
        except AgentOSError:
            namespace = caller.default  # a page of one's own, where the other is closed

        namespaces: tuple[str, ...] = (namespace,)
        left_out = 0
        if ACROSS in request.query_params and self._lists_all(path):
            namespaces, left_out = await readable(agentos, caller, namespace)

        async def renewed() -> Caller:
            known = await logins.login(login.secret)
            if known is None:
                raise Unauthenticated(look.text("errors.session_ended"))
            return await logins.caller_of(known, self._owner)

        return Visit(
            request=request,
            behind=self._behind,
            agentos=agentos,
            tools=self._tools,
            caller=caller,
            login=login,
            decisions=self._decisions() if login.is_person else None,
            namespace=namespace,
            namespaces=namespaces,
            left_out=left_out,
            form=None,
            renewed=renewed,
            closing=closing,
            latencies=self._latencies,
            examining=self._examining,
            look=look,
            base=self._base,
            now=agentos.clock(),
        )

    async def _form(self, request: Request, login: Login, text: Texts) -> FormData:
        """Return a form that a page of this very session sent. Raises PermissionDenied."""
        form = await _sent(request)
        token = form.get("token")
        if not (isinstance(token, str) and hmac.compare_digest(token.encode(), login.form_token.encode())):
            raise PermissionDenied(text("errors.form"))
        return form

    def _is_from_here(self, request: Request, look: Look) -> None:
        """Raise Problem for a form from another site; the guard has already checked the Origin, if present."""
        site = request.headers.get("sec-fetch-site", "same-origin")
        if "origin" not in request.headers or site != "same-origin":
            raise Problem("permission_denied", look.text("errors.other_site"))

    async def _events(self, visit: Visit) -> Response:
        """Stream changes and recalls of the namespace that is looked at, or of all."""
        stream: Stream = await visit.ask(events.stream_events, namespace=None if visit.is_across else visit.namespace)
        more = [live.recalls(visit.agentos, visit.namespaces)]
        if "jobs" in visit.query and visit.caller.namespaces is None:
            more.append(live.jobs(visit.agentos))
        chunks = live.merged(live.changes(stream.chunks), *more)
        return StreamingResponse(chunks, media_type=stream.media_type)

    async def _looking(self, request: Request) -> Response:
        """Keep how the pages are to look, and lead back to the page that was looked at."""
        form = await _sent(request)
        response = RedirectResponse(f"{self._base}{self._page_or_first(str(form.get('back', '')))}", 303)
        secure = self._policy.value.scheme(request.scope) == "https"
        theme, language, zone = (form.get(name) for name in ("theme", "language", "zone"))
        zone = zone.strip()[:MOST_ZONE_CHARS] if isinstance(zone, str) else None
        await asyncio.to_thread(keep, response, self._base, secure, str(theme), str(language), zone)
        return response

    # Signing in and out.

    def _opened(self, agentos: AgentOS) -> LoginService:
        if self._logins is None:
            self._logins = LoginService(agentos.principals, agentos.clock)
        return self._logins

    async def _enter(self, request: Request, logins: LoginService, look: Look) -> Response:
        """Open a session by a link, whose secret is behind the # of the address: no log and no proxy sees it."""
        if request.method != "POST":
            return self._plain(Shown("enter.html", {}), look, "/")
        form = await _sent(request)
        try:
            login = await logins.by_link(str(form.get("link", "")).strip().rpartition("#")[2])
        except Unauthenticated as error:
            self._failures.take(request.scope["state"]["address"], MOST_FAILURES)
            return self._plain(Shown("sign_in.html", {"problem": str(error)}, 401), look, "/")
        return self._with_cookie(request, login)

    async def _sign_in(self, request: Request, agentos: AgentOS, logins: LoginService, look: Look) -> Response:
        """Open a session by a key, with that key's rights."""
        if request.method != "POST":
            if await self._known(request, logins) is not None:  # signed in meanwhile, in another tab
                return RedirectResponse(f"{self._base}{self._wanted(request)}", 303)
            return self._plain(Shown("sign_in.html", {"problem": ""}), look, "/")
        form = await _sent(request)
        key = str(form.get("key", "")).strip()
        try:
            await agentos.principals.authenticate(key)
            prefix = prefix_of(key)
            assert prefix is not None, "it was authenticated"
            login = await logins.by_key(prefix)
        except Unauthenticated as error:
            self._failures.take(request.scope["state"]["address"], MOST_FAILURES)
            return self._plain(Shown("sign_in.html", {"problem": str(error)}, 401), look, "/")
        return self._with_cookie(request, login)

    def _to_sign_in(self, request: Request, path: str) -> Response:
        """Send to the sign-in, and remember which page was asked for."""
        response = RedirectResponse(f"{self._base}/sign-in", 303)
        wanted = f"/{path}{'?' if request.url.query else ''}{request.url.query}"
        is_page = self._page_of(path) is not None  # a form's too: what was typed there comes back
        if is_page and len(wanted) <= MAX_WANTED_CHARS:
            secure = self._policy.value.scheme(request.scope) == "https"
            response.set_cookie(
                self._wanted_cookie,
                quote(wanted),
                max_age=WANTED_FOR_S,
                path=self._base,
                secure=secure,
                httponly=True,
                samesite="strict",
            )
        return response

    def _wanted(self, request: Request) -> str:
        """Return the page that was asked for before the sign-in; the first page where there is none."""
        return self._page_or_first(unquote(request.cookies.get(self._wanted_cookie, ""))[:MAX_WANTED_CHARS])

    def _with_cookie(self, request: Request, login: Login) -> Response:
        response = RedirectResponse(f"{self._base}{self._wanted(request)}", 303)
        response.delete_cookie(self._wanted_cookie, path=self._base, httponly=True, samesite="strict")
        response.set_cookie(
            self._cookie,
            login.secret,
            max_age=int(SESSION_LASTS.total_seconds()),
            path=self._base,
            secure=self._policy.value.scheme(request.scope) == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    def _without_cookie(self, request: Request) -> Response:
        response = RedirectResponse(f"{self._base}/sign-in", 303)
        response.delete_cookie(self._cookie, path=self._base, httponly=True, samesite="strict")
        return response

    # Pages.

    async def _rendered(self, visit: Visit, page: Shown) -> Response:
        count = visit.query.get("count", "")
        query = visit.request.url.query
        address = visit.request.scope["path"].removeprefix(PATH) + (f"?{query}" if query else "")
        waiting = approvals.Waiting()
        with suppress(AgentOSError):  # a page says what is wrong by itself
            waiting = await approvals.waiting(visit)
        values = {
            "visit": visit,
            "home": self._home if visit.login.is_person else None,
            "nav": [one for one in self._pages if one.title is not None and visit.may(one.role)],
            "asks": self._page_of("ask") is not None,
            "project": self._project_of(visit),
            "at": self._within(visit.request.scope["path"].removeprefix(PATH).strip("/")),
            "flash": visit.text.done(
                visit.query.get("done", ""), count=count, n=int(count[:9]) if count.isdecimal() else 1
            ),
            "undo": await self._offered(visit, f"{self._base}{address}"),
            "waits": waiting,
            "now": visit.now,
            **page.values,
        }
        return self._plain(Shown(page.template, values, page.status), visit.look, address)

    def _page_of(self, path: str) -> DashboardPage | None:
        return page_of(self._pages, path)

    def _within(self, path: str) -> str:
        """Return the page of the navigation that a page belongs to."""
        page = self._page_of(path)
        return path.partition("/")[0] if page is None else page.within or page.path

    def _lists_all(self, path: str) -> bool:
        """Return whether a page lists things, of all agents if asked: none about a single one does."""
        page = self._page_of(path)
        return path == EVENTS or (page is not None and page.can_be_across and page.path == path)

    def _page_or_first(self, wanted: str) -> str:
        """Return the address of a page below the dashboard; that of the first page for what is none."""
        path = wanted.partition("?")[0]
        is_page = path.startswith("/") and wanted.isascii() and wanted.isprintable()
        return wanted if is_page and self._page_of(path.strip("/")) is not None else "/"

    def _project_of(self, visit: Visit) -> str:
        """Return the project whose things alone are shown; "" where the page has those of all."""
        page = self._page_of(visit.request.scope["path"].removeprefix(PATH).strip("/"))
        return visit.project if page is not None and page.is_by_project else ""

    async def _offered(self, visit: Visit, address: str) -> Undo | None:
        """Return what undoes the act that led to this page, if it is that of one."""
        if "done" not in visit.query:
            return None
        return await visit.agentos.deeds.offered(visit.namespace, visit.login.id, address)

    def _plain(self, page: Shown, look: Look, address: str) -> Response:
        """Return a page as it is to look; `address` is where it is below the dashboard."""
        nonce = secrets.token_urlsafe(16)
        values = {
            "base": self._base,
            "nonce": nonce,
            "t": look.text,
            "say": look.text.say,
            "look": look,
            "themes": THEMES,
            "languages": {name: text.catalogue["name"] for name, text in self._languages.items()},
            "address": address,
            "home": None,
            **page.values,
        }
        body = self._html.get_template(page.template).render(values).encode("utf-8", "replace")
        headers = {
            "content-security-policy": POLICY.format(nonce=nonce),
            "cache-control": "no-store",
            "referrer-policy": "same-origin",  # with none at all, browsers send no Origin with our own forms
        }
        return Response(body, page.status, headers, "text/html; charset=utf-8")


def cookies_of(place: str) -> tuple[str, str]:
    """Return the names of the cookies of what is served: of the session, and of the page wanted."""
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{COOKIE}_{digest}", f"{WANTED}_{digest}"


def _named(namespace: object) -> str | None:
    return namespace if isinstance(namespace, str) and namespace else None


async def _sent(request: Request) -> FormData:
    """Return the fields of a form. Raises Problem for what is none, or has too many."""
    try:
        return await request.form(max_files=0, max_fields=MOST_FIELDS)
    except MultiPartException as error:
        raise Problem("invalid_input", error.message) from error
