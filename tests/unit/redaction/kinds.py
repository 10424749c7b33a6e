"""Secrets by kinds, and texts that only look like them: each maker writes a tuned half, and one that is only measured.

Every other form and sentence of a kind belongs to a half, so that the halves share none.
"""

import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ROUNDS = 5
_WORDS = (
    "harbour tulip kettle lantern marble otter pebble quiver ribbon saddle timber velvet walnut zephyr copper meadow"
).split()


@dataclass(frozen=True)
class Case:
    """A text; `secret` must not be left in it, or it must stay as it is."""

    kind: str
    text: str
    secret: str = ""


class Chance:
    """Values that are made by chance, the same for each seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def of(self, letters: str, length: int) -> str:
        """Return characters of an alphabet."""
        return "".join(self._random.choice(letters) for _ in range(length))

    def hex(self, length: int) -> str:
        return self.of("0123456789abcdef", length)

    def word(self, length: int) -> str:
        """Return letters and digits, at least one of each case and a digit."""
        return "a7K" + self.of(string.ascii_letters + string.digits, length - 3)

    def crypt(self, length: int) -> str:
        return self.of(string.ascii_letters + string.digits + "./", length)

    def base64(self, length: int) -> str:
        return self.of(string.ascii_letters + string.digits + "+/", length)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128)))

    def digits(self, length: int) -> str:
        return self.of("123456789", length)

    def chosen(self) -> str:
        """Return a password as people choose them."""
        one, two = self._random.sample(_WORDS, 2)
        forms = (
            f"{one.title()}{self.digits(2)}!",
            f"{one}-{two}-{self.digits(2)}",
            f"{one[:4]}{self.digits(4)}{two[:3].upper()}",
            f"{one.title()}{two.title()}#{self.digits(1)}",
        )
        return self._random.choice(forms)


Maker = Callable[[Chance], tuple[str, str]]
"""Returns an address with its secret part, or a whole value twice."""


def _whole(value: str) -> tuple[str, str]:
    return value, value


def _in(before: str, secret: str, after: str = "") -> tuple[str, str]:
    return before + secret + after, secret


ADDRESSES: tuple[Maker, ...] = (
    lambda c: _in(f"https://discord.com/api/webhooks/{c.digits(18)}/", c.word(68)),
    lambda c: _in(f"https://canary.discord.com/api/v10/webhooks/{c.digits(19)}/", c.word(68), "?wait=true"),
    lambda c: _in(f"https://discordapp.com/api/webhooks/{c.digits(18)}/", c.word(68), "/slack"),
    lambda c: _in(f"https://contoso.webhook.office.com/webhookb2/{c.uuid()}@{c.uuid()}/IncomingWebhook/", c.hex(32), f"/{c.uuid()}"),
    lambda c: _in(f"https://outlook.office.com/webhook/{c.uuid()}@{c.uuid()}/IncomingWebhook/", c.hex(32), f"/{c.uuid()}"),
    lambda c: _in("https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/", c.word(24)),
    lambda c: _in("https://hooks.slack.com/triggers/T0AB1CD2E/6543217890/", c.hex(32)),
    lambda c: _in(f"https://prod-21.westeurope.logic.azure.com:443/workflows/{c.hex(32)}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=", c.word(43)),
    lambda c: _in("https://hooks.zapier.com/hooks/catch/1234567/", "b3" + c.of(string.ascii_lowercase + string.digits, 5)),
    lambda c: _in("https://hook.eu1.make.com/", "q4" + c.of(string.ascii_lowercase + string.digits, 30)),
    lambda c: _in("https://maker.ifttt.com/trigger/door_open/with/key/", c.word(22)),
    lambda c: _in("https://chat.acme.dev/hooks/", "x7" + c.of(string.ascii_lowercase + string.digits, 24)),
    lambda c: _in("https://rocket.acme.dev/hooks/", f"{c.word(17)}/{c.word(64)}"),
    lambda c: _in(f"https://api.telegram.org/bot{c.digits(10)}:", "AA" + c.word(33), "/sendMessage"),
    lambda c: _in("https://open.feishu.cn/open-apis/bot/v2/hook/", c.uuid()),
    lambda c: _in("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", c.uuid()),
    lambda c: _in("https://oapi.dingtalk.com/robot/send?access_token=", c.hex(64)),
    lambda c: _in("https://events.pagerduty.com/integration/", c.hex(32), "/enqueue"),
    lambda c: _in("https://hc-ping.com/", c.uuid()),
    lambda c: _in("https://chat.googleapis.com/v1/spaces/AAAAx1y2z3/messages?threadKey=a&token=", c.word(43)),
    lambda c: _in("https://acme-data.s3.eu-west-1.amazonaws.com/in.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=", c.hex(64)),
    lambda c: _in("https://acme.blob.core.windows.net/in/a.zip?sv=2023-01-03&sr=b&sp=r&sig=", c.word(41) + "%3D"),
    lambda c: _in("https://storage.googleapis.com/acme/a.bin?GoogleAccessId=x@y.iam&Expires=1790000000&Signature=", c.word(86)),
    lambda c: _in("https://d1234abcd.cloudfront.net/a.mp4?Expires=1790000000&Key-Pair-Id=K2ABC&Signature=", c.word(120)),
    lambda c: _in("https://raw.githubusercontent.com/acme/private/main/a.yml?token=", "GHSAT0" + c.of(string.ascii_uppercase + string.digits, 40)),
    lambda c: _in("https://gitlab.acme.dev/dashboard.ics?feed_token=", c.word(20)),
    lambda c: _in("https://calendar.google.com/calendar/ical/ana%40acme.dev/private-", c.hex(32), "/basic.ics"),
    lambda c: _in("https://www.dropbox.com/scl/fi/abc/a.pdf?rlkey=", "k2" + c.of(string.ascii_lowercase + string.digits, 23), "&dl=0"),
    lambda c: _in("https://chat.whatsapp.com/", c.word(22)),
    lambda c: _in("https://t.me/+", c.word(16)),
    lambda c: _in("https://t.me/joinchat/", c.word(22)),
    lambda c: _in("https://join.slack.com/t/acme/shared_invite/zt-", f"{c.digits(10)}-{c.word(22)}"),
    lambda c: _in("https://acme.zoom.us/j/81234567890?pwd=", c.word(30) + ".1"),
    lambda c: _in("https://app.acme.dev/invite/", c.word(32)),
    lambda c: _in("https://app.acme.dev/reset-password/", c.hex(40)),
    lambda c: _in("https://app.acme.dev/auth/magic?token=", c.word(40)),
    lambda c: _in("https://app.acme.dev/signup?invite=", c.word(24)),
    lambda c: _in("https://app.acme.dev/join?invitation_token=", c.word(20)),
    lambda c: _in("https://app.acme.dev/verify-email/", c.word(43)),
    lambda c: _in("https://app.acme.dev/users/password/edit?reset_password_token=", c.word(20)),
    lambda c: _in("https://api.acme.dev/cb?state=x&code=", c.word(40)),
    lambda c: _in("https://n8n.acme.dev/webhook/", c.uuid()),
)  # fmt: skip
HASHES: tuple[Maker, ...] = (
    lambda c: _whole(f"$1${c.crypt(8)}${c.crypt(22)}"),
    lambda c: _whole(f"$apr1${c.crypt(8)}${c.crypt(22)}"),
    lambda c: _whole(f"$2y$10${c.crypt(53)}"),
    lambda c: _whole(f"$2b$12${c.crypt(53)}"),
    lambda c: _whole(f"$2a$08${c.crypt(53)}"),
    lambda c: _whole(f"$5$rounds=5000${c.crypt(16)}${c.crypt(43)}"),
    lambda c: _whole(f"$5${c.crypt(8)}${c.crypt(43)}"),
    lambda c: _whole(f"$6${c.crypt(16)}${c.crypt(86)}"),
    lambda c: _whole(f"$6$rounds=656000${c.crypt(16)}${c.crypt(86)}"),
    lambda c: _whole(f"$y$j9T${c.crypt(22)}${c.crypt(43)}"),
    lambda c: _whole(f"$gy$j9T${c.crypt(22)}${c.crypt(43)}"),
    lambda c: _whole(f"$7$CU..../....{c.crypt(20)}${c.crypt(43)}"),
    lambda c: _whole(f"$argon2id$v=19$m=65536,t=3,p=4${c.base64(22)}${c.base64(43)}"),
    lambda c: _whole(f"$argon2i$m=4096,t=3,p=1${c.base64(22)}${c.base64(43)}"),
    lambda c: _whole(f"$scrypt$ln=16,r=8,p=1${c.base64(22)}${c.base64(43)}"),
    lambda c: _whole(f"$s0$e0801${c.base64(24)}==${c.base64(43)}="),
    lambda c: _whole(f"scrypt:32768:8:1${c.word(16)}${c.hex(128)}"),
    lambda c: _whole(f"$pbkdf2-sha256$29000${c.crypt(22)}${c.crypt(43)}"),
    lambda c: _whole(f"$pbkdf2-sha512$25000${c.crypt(22)}${c.crypt(86)}"),
    lambda c: _whole(f"pbkdf2_sha256$600000${c.word(22)}${c.base64(43)}="),
    lambda c: _whole(f"pbkdf2:sha256:600000${c.word(16)}${c.hex(64)}"),
    lambda c: _whole(f"argon2$argon2id$v=19$m=102400,t=2,p=8${c.base64(24)}${c.base64(43)}"),
    lambda c: _whole(f"bcrypt_sha256$$2b$12${c.crypt(53)}"),
    lambda c: _whole(f"$bcrypt-sha256$v=2,t=2b,r=12${c.crypt(22)}${c.crypt(31)}"),
    lambda c: _whole(f"{{SSHA}}{c.base64(32)}"),
    lambda c: _whole(f"{{SHA}}{c.base64(27)}="),
    lambda c: _whole(f"{{SSHA512}}{c.base64(96)}"),
    lambda c: _whole(f"{{SMD5}}{c.base64(32)}"),
    lambda c: _whole(f"{{CRYPT}}$6${c.crypt(16)}${c.crypt(86)}"),
    lambda c: _whole(f"{{PBKDF2-SHA256}}10000${c.base64(22)}${c.base64(43)}"),
    lambda c: _whole(f"$P$B{c.crypt(30)}"),
    lambda c: _whole(f"$H$9{c.crypt(30)}"),
    lambda c: _whole(f"$S$D{c.crypt(51)}"),
    lambda c: _whole(f"$sha1$40000${c.crypt(8)}${c.crypt(28)}"),
    lambda c: _whole(f"$3$${c.hex(32)}"),
    lambda c: _whole(f"$8${c.crypt(14)}${c.crypt(43)}"),
    lambda c: _whole(f"$9${c.crypt(14)}${c.crypt(43)}"),
    lambda c: _whole(f"SCRAM-SHA-256$4096:{c.base64(22)}==${c.base64(43)}=:{c.base64(43)}="),
    lambda c: _whole(f"grub.pbkdf2.sha512.10000.{c.hex(128).upper()}.{c.hex(128).upper()}"),
    lambda c: _whole(f"aad3b435b51404eeaad3b435b51404ee:{c.hex(32)}"),
)  # fmt: skip
COOKIES: tuple[Maker, ...] = (
    lambda c: _in("sessionid=", "k" + c.of(string.ascii_lowercase + string.digits, 31)),
    lambda c: _in("PHPSESSID=", "r7" + c.of(string.ascii_lowercase + string.digits, 24)),
    lambda c: _in("JSESSIONID=", c.hex(32).upper()),
    lambda c: _in("connect.sid=", f"s%3A{c.word(32)}.{c.word(43)}"),
    lambda c: _in("ASP.NET_SessionId=", "b2" + c.of(string.ascii_lowercase + string.digits, 22)),
    lambda c: _in("laravel_session=", c.word(180)),
    lambda c: _in("_gitlab_session=", c.hex(32)),
    lambda c: _in("__Secure-next-auth.session-token=", c.word(64)),
    lambda c: _in("__Host-session=", c.word(43)),
    lambda c: _in("wordpress_logged_in_" + c.hex(32) + "=", f"ana%7C179{c.digits(7)}%7C{c.word(43)}%7C{c.hex(64)}"),
    lambda c: _in(".AspNetCore.Cookies=", "CfDJ8" + c.word(180)),
    lambda c: _in("remember_web_token=", c.word(60)),
    lambda c: _in("li_at=", "AQEDA" + c.word(140)),
    lambda c: _in("cf_clearance=", f"{c.word(43)}-179{c.digits(7)}-0-1-{c.hex(8)}"),
    lambda c: _in("user_session=", c.word(48)),
    lambda c: _in("SID=", "g.a000" + c.word(70)),
    lambda c: _in("sid=", c.word(32)),
    lambda c: _in("csrftoken=", c.word(64)),
    lambda c: _in("XSRF-TOKEN=", c.word(40)),
    lambda c: _in("auth_session=", c.word(40)),
)  # fmt: skip
STANDING = (
    "Alerts go to {} since May.", "The team keeps {} in the handbook", "ops wrote: {}", "- {}", "We found `{}` in the log, and told Mia.",
    "Before the move it was {}; ask Jo.", "ana:{}", "url = \"{}\"", "<{}>", "see ({}).",
)  # fmt: skip
PAIRS = (
    "Log in as ops / {}", "log in as ops / {} on the staging host", "Sign in with ana@acme.dev / {}", "You can log in with deploy:{} there.",
    "sign in as root, password {}", "Logged in as admin / {} yesterday", "Use admin / {} for the router.", "The user is ops and the password {}",
    "User: ops, Pass: {}", "username ops password {}", "user/password: ops / {}", "Router admin page: admin/{}", "account ops / {}",
    "login: ops / {}", "the credentials are ops / {}", "Creds for staging: ops:{}", "Connect as backup with {}.", "ssh as deploy, then {} when asked for the password",
    "ftp user ana, pw {}", "Sign on as clerk / {}", "login as ops with password {}", "Log into the NAS as ana / {}",
)  # fmt: skip
SENTENCES = (
    "La contraseña del servidor es {}", "La contraseña de la base de datos de pruebas ahora es {}", "Cambiamos la contraseña a {}", "Contraseña nueva: {}", "usa la contraseña {} para entrar",
    "Hasło do serwera to {}", "Hasło do bazy testowej brzmi {}", "Zmieniliśmy hasło na {}", "Nowe hasło: {}", "zaloguj się hasłem {}",
    "Parola serverului este {}", "Parola pentru baza de date este acum {}", "Am schimbat parola în {}", "Parola nouă: {}", "intră cu parola {}",
    "Das Passwort für den Server lautet {}", "Wir haben das Passwort auf {} geändert", "Das Kennwort der Datenbank ist jetzt {}", "melde dich mit dem Passwort {} an", "Neues Passwort: {}",
    "Le mot de passe du serveur est {}", "Nous avons changé le mot de passe en {}", "Nouveau mot de passe : {}", "connecte-toi avec le mot de passe {}", "Le mot de passe de la base est désormais {}",
    "A senha do servidor é {}", "Mudamos a senha para {}", "Nova senha: {}", "entra com a senha {}", "A palavra-passe da base de dados passou a ser {}",
    "La password del server è {}", "Abbiamo cambiato la password in {}", "Nuova password: {}", "entra con la password {}", "La parola d'ordine del database ora è {}",
    "Het wachtwoord van de server is {}", "We hebben het wachtwoord veranderd in {}", "Nieuw wachtwoord: {}", "log in met het wachtwoord {}", "Het wachtwoord voor de database is nu {}",
    "Пароль от сервера {}", "Мы сменили пароль на {}", "Новый пароль: {}", "входи с паролем {}", "Пароль базы данных теперь {}",
    "Sunucunun şifresi {}", "Şifreyi {} olarak değiştirdik", "Yeni şifre: {}", "Veritabanının parolası artık {}", "şifre olarak {} kullan",
    "Lösenordet till servern är {}", "Vi bytte lösenordet till {}", "Nytt lösenord: {}", "logga in med lösenordet {}", "Lösenordet för databasen är nu {}",
    "Heslo k serveru je {}", "Změnili jsme heslo na {}", "Nové heslo: {}", "přihlas se heslem {}", "Heslo databáze je teď {}",
)  # fmt: skip


def secrets(half: int) -> Iterator[Case]:
    """Yield the texts of a half that have a secret."""
    chance = Chance(half)
    for kind, makers in (("address", ADDRESSES), ("hash", HASHES), ("cookie", COOKIES)):
        standing = STANDING if kind != "cookie" else STANDING[:6]
        for number, make in enumerate(makers[half::2]):
            for round_ in range(ROUNDS):
                value, secret = make(chance)
                template = standing[(2 * (number + round_) + half) % len(standing)]
                yield Case(kind, template.format(value), secret)
    for kind, templates in (("pair", PAIRS), ("sentence", SENTENCES)):
        for template in templates[half::2]:
            for _ in range(ROUNDS):
                secret = chance.chosen()
                yield Case(kind, template.format(secret), secret)


_ALIKE: tuple[Callable[[Chance], str], ...] = (
    lambda c: f"The commit that broke it is {c.hex(40)}.",
    lambda c: f"sha256:{c.hex(64)} is the image's digest",
    lambda c: f"The order {c.uuid()} was paid.",
    lambda c: f"See https://discord.com/channels/{c.digits(18)}/{c.digits(18)} for the talk.",
    lambda c: f"The message is https://acme.slack.com/archives/C0AB1CD2E/p{c.digits(16)}",
    lambda c: f"https://github.com/acme/shop/commit/{c.hex(40)} mends it",
    lambda c: f"https://app.acme.dev/invoices/{c.uuid()} is open",
    lambda c: f"https://www.figma.com/file/{c.word(22)}/Shop?node-id=12-{c.digits(3)}",
    lambda c: f"https://docs.google.com/document/d/{c.word(44)}/edit",
    lambda c: f"https://www.youtube.com/watch?v={c.word(11)}&t={c.digits(3)}s",
    lambda c: f"https://jira.acme.dev/browse/SHOP-{c.digits(4)}?key=SHOP-{c.digits(4)}",
    lambda c: f"curl https://acme.dev/api/webhooks/{c.digits(4)}/deliveries",
    lambda c: "POST to /api/webhooks/{webhook_id}/{webhook_token} sends a message",
    lambda c: "A Slack webhook is https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    lambda c: f"https://npmjs.com/package/left-pad?version=1.{c.digits(2)}.0&code=200",
    lambda c: f"https://acme.dev/search?q=reset+password&page={c.digits(2)}",
    lambda c: f"https://acme.dev/invite/{c.digits(4)}-spring-party",
    lambda c: "https://acme.dev/docs/reset-password/how-to-reset-your-password-in-the-app",
    lambda c: "https://acme.dev/blog/verify-email/why-we-verify-each-address-of-our-users",
    lambda c: f"https://cdn.acme.dev/main.{c.hex(20)}.js?hash={c.hex(20)}",
    lambda c: f"<script src=\"a.js\" integrity=\"sha384-{c.base64(64)}\">",
    lambda c: f"The price is $1$ or $6$, {c.digits(2)} of them",
    lambda c: f"awk '{{print $1$2}}' file{c.digits(2)}.txt",
    lambda c: f"for $5 and $6 we got {c.digits(3)} boxes",
    lambda c: f"crypt's $6$ means SHA-512, $y$ yescrypt; rounds={c.digits(4)}",
    lambda c: f"Hashes begin with $2b$12$ since {c.digits(4)}",
    lambda c: "argon2id with m=65536,t=3,p=4 is our choice",
    lambda c: f"{{SHA}} and {{SSHA}} are schemes of LDAP (RFC {c.digits(4)})",
    lambda c: f"pbkdf2_sha256 with {c.digits(6)} iterations",
    lambda c: "The column is pbkdf2:sha256:rounds$salt$hash",
    lambda c: f"git show {c.hex(12)} --stat",
    lambda c: f"etag \"{c.hex(32)}\" was sent",
    lambda c: f"The session is {c.uuid()}, ended at 10:{c.digits(1)}5",
    lambda c: f"session_id={c.uuid()} has no answer",
    lambda c: "sessionid=<your session id> in the header",
    lambda c: "the cookie sessionid expires after two weeks",
    lambda c: "SESSION_COOKIE_NAME = 'sessionid'",
    lambda c: f"session=requests.Session() # line {c.digits(3)}",
    lambda c: f"sid={c.digits(6)} pid={c.digits(5)} ppid=1",
    lambda c: "session = await self.sessions.begin(request_id=request.id)",
    lambda c: f"csrftoken=request.COOKIES['csrftoken'] in view{c.digits(2)}.py",
    lambda c: "PHPSESSID is the name of PHP's cookie",
    lambda c: f"Log in as ops / admin before {c.digits(1)} pm",
    lambda c: "log in as ops on web01 and restart nginx",
    lambda c: "Sign in with Google / GitHub on the start page",
    lambda c: "Use admin / editor / viewer as roles.",
    lambda c: f"log in with SAML or OAuth2.{c.digits(1)}",
    lambda c: "Use TCP/IPv4 for the router.",
    lambda c: f"account ops / billing, page {c.digits(2)}",
    lambda c: "Connect as backup with pg_basebackup.",
    lambda c: "the user is ops and the password is in the vault",
    lambda c: "credentials: ops / see 1Password",
    lambda c: "Use client/server.py for tests",
    lambda c: f"login: ops / {c.digits(2)} minutes a day",
    lambda c: "La contraseña del servidor es demasiado corta",
    lambda c: "Cambiamos la contraseña a menudo",
    lambda c: f"La contraseña caduca a los {c.digits(2)} días",
    lambda c: "Hasło do serwera to sprawa działu IT",
    lambda c: f"Hasło musi mieć {c.digits(2)} znaków",
    lambda c: "Zmieniliśmy hasło na prośbę klienta",
    lambda c: "Parola serverului este prea scurtă",
    lambda c: f"Parola expiră după {c.digits(2)} de zile",
    lambda c: "Am schimbat parola în ianuarie",
    lambda c: f"Das Passwort für den Server muss {c.digits(2)} Zeichen haben",
    lambda c: "Wir haben das Passwort auf Wunsch geändert",
    lambda c: "Das Kennwort der Datenbank ist jetzt sicher",
    lambda c: "Le mot de passe du serveur est trop court",
    lambda c: f"Le mot de passe expire le {c.digits(1)} mai",
    lambda c: "Nous avons changé le mot de passe en mars",
    lambda c: "A senha do servidor é muito curta",
    lambda c: "Mudamos a senha para maior segurança",
    lambda c: "La password del server è troppo corta",
    lambda c: "Abbiamo cambiato la password in fretta",
    lambda c: "Het wachtwoord van de server is te kort",
    lambda c: "Мы сменили пароль на прошлой неделе",
    lambda c: f"Пароль от сервера меняют раз в {c.digits(2)} дней",
    lambda c: "Sunucunun şifresi çok kısa",
    lambda c: "Lösenordet till servern är för kort",
    lambda c: "Heslo k serveru je krátké",
    lambda c: f"hash = hashlib.pbkdf2_hmac('sha256', data, salt, {c.digits(6)})",
    lambda c: f"const re = /^\\$2[aby]\\$\\d{{2}}\\$/; // {c.digits(2)}",
    lambda c: f"make -j{c.digits(1)} CFLAGS=-DVERSION={c.hex(7)}",
    lambda c: f"trace_id={c.hex(32)} span_id={c.hex(16)}",
    lambda c: f"Change the password in Kubernetes1.{c.digits(2)} with kubectl",
    lambda c: f"The password form in Login{c.digits(2)}.tsx is tested",
    lambda c: f"the password hashing of Django4.{c.digits(1)} is PBKDF2",
    lambda c: "Log in as ops with OAuth2 on GitHub",
    lambda c: f"ssh as deploy to web-prod-{c.digits(2)}",
    lambda c: f"connect as backup with Postgres1{c.digits(1)}",
    lambda c: f"user ana/feature-login-{c.digits(2)} pushed",
    lambda c: f"Use React/Vite5.{c.digits(1)} for the page",
    lambda c: f"use acme/shop@v2.{c.digits(1)}.0 in the workflow",
    lambda c: f"el usuario cambió la contraseña en {c.digits(4)}",
    lambda c: f"hasło do serwera web-prod-{c.digits(2)} wygasa",
    lambda c: f"Das Passwort für den Server db-node-{c.digits(2)} ist alt",
    lambda c: f"raise ValueError('Apps owns it; pass resource_uri=/visible{c.digits(2)}= instead')",
    lambda c: f"Server returned it; pass allow_input{c.digits(1)}_required=True to receive it",
    lambda c: f"/hooks/pre-commit-{c.digits(2)} and /hooks/use-toast.ts run",
    lambda c: f"https://acme.dev/hooks/useDebouncedCallback{c.digits(1)}",
    lambda c: f"https://t.me/acme_news_{c.digits(2)}",
    lambda c: f"https://acme.zoom.us/j/{c.digits(11)}",
)  # fmt: skip


def lookalikes(half: int) -> Iterator[Case]:
    """Yield the texts of a half that have none."""
    chance = Chance(10 + half)
    for make in _ALIKE[half::2]:
        for _ in range(5):
            yield Case("ordinary", make(chance))
