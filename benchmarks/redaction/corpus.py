"""Labelled texts with generated secrets, and texts that only look as if they held one.

Every secret is assembled from parts at run time, from a seed: none is in this file.
"""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
HEX = DIGITS + "abcdef"
URLSAFE = ALNUM + "-_"


@dataclass(frozen=True)
class Planted:
    """A text, the secret that must not be left in it, and the kind of that secret."""

    kind: str
    text: str
    secret: str


class Maker:
    """Generates secrets of known formats."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def random_text(self, alphabet: str, length: int) -> str:
        """Return `length` characters, first and last no separators, with a digit if the alphabet has them."""
        chosen = [self.chance.choice(alphabet) for _ in range(length)]
        plain = [letter for letter in alphabet if letter.isalnum()]
        chosen[0], chosen[-1] = self.chance.choice(plain), self.chance.choice(plain)
        if set(DIGITS) <= set(alphabet) and length > 3:
            chosen[length // 2] = self.chance.choice(DIGITS)
        return "".join(chosen)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def base64(self, size: int) -> str:
        return base64.b64encode(self.chance.randbytes(size)).decode()

    def jwt(self) -> str:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        header = part({"alg": "HS256", "typ": "JWT"})
        return f"{header}.{part({'sub': self.random_text(DIGITS, 8), 'name': 'Dana'})}.{self.random_text(URLSAFE, 43)}"

    def pem(self, label: str = "RSA ") -> str:
        lines = "\n".join(self.base64(48) for _ in range(6))
        return f"-----BEGIN {label}" + f"PRIVATE KEY-----\n{lines}\n-----END {label}PRIVATE KEY-----"

    def card(self, prefix: str, length: int) -> str:
        body = prefix + self.random_text(DIGITS, length - len(prefix) - 1)
        total = 0
        for place, digit in enumerate(reversed(body)):
            value = int(digit) * (2 - place % 2)
            total += value - 9 if value > 9 else value
        return body + str(-total % 10)

    def iban(self) -> str:
        account = self.random_text(DIGITS, 18)
        check = 98 - int(f"{account}131400") % 97
        return f"DE{check:02}{account}"


def tokens(make: Maker) -> dict[str, str]:
    """Return a token of each kind that is recognised by its format."""
    s = make.random_text
    return {
        "aws-access-key": "AK" + "IA" + s(UPPER + DIGITS, 16),
        "aws-session-key": "AS" + "IA" + s(UPPER + DIGITS, 16),
        "google-api-key": "AI" + "za" + s(URLSAFE, 35),
        "google-oauth": "ya" + "29." + s(URLSAFE, 60),
        "google-client-secret": "GOC" + "SPX-" + s(URLSAFE, 28),
        "azure-client-secret": s(ALNUM, 3) + "8" + "Q~" + s(ALNUM, 34),
        "github-pat": "gh" + "p_" + s(ALNUM, 36),
        "github-oauth": "gh" + "o_" + s(ALNUM, 36),
        "github-server": "gh" + "s_" + s(ALNUM, 36),
        "github-fine": "github" + "_pat_" + s(ALNUM, 22) + "_" + s(ALNUM, 59),
        "gitlab": "gl" + "pat-" + s(URLSAFE, 20),
        "gitlab-runner": "gl" + "rt-" + s(URLSAFE, 20),
        "atlassian": "ATA" + "TT3" + s(URLSAFE, 180),
        "slack-bot": "xo" + "xb-" + s(DIGITS, 12) + "-" + s(DIGITS, 12) + "-" + s(ALNUM, 24),
        "slack-user": "xo" + "xp-" + s(DIGITS, 12) + "-" + s(DIGITS, 12) + "-" + s(HEX, 32),
        "slack-app": "xa" + "pp-1-" + s(UPPER + DIGITS, 11) + "-" + s(DIGITS, 13) + "-" + s(HEX, 64),
        "slack-webhook": "T" + s(UPPER + DIGITS, 10) + "/B" + s(UPPER + DIGITS, 10) + "/" + s(ALNUM, 24),
        "stripe-live": "sk" + "_live_" + s(ALNUM, 24),
        "stripe-restricted": "rk" + "_live_" + s(ALNUM, 99),
        "stripe-test": "sk" + "_test_" + s(ALNUM, 24),
        "webhook-secret": "wh" + "sec_" + s(ALNUM, 32),
        "openai-old": "s" + "k-" + s(ALNUM, 20) + "T3Blb" + "kFJ" + s(ALNUM, 20),
        "openai-project": "s" + "k-proj-" + s(URLSAFE, 120),
        "anthropic": "s" + "k-ant-" + "api03-" + s(URLSAFE, 93) + "AA",
        "openrouter": "s" + "k-or-v1-" + s(HEX, 64),
        "huggingface": "h" + "f_" + s(LOWER + UPPER, 34),
        "replicate": "r" + "8_" + s(ALNUM, 37),
        "groq": "gs" + "k_" + s(ALNUM, 52),
        "npm": "np" + "m_" + s(ALNUM, 36),
        "pypi": "pyp" + "i-AgEIcHlwaS5vcmc" + s(URLSAFE, 100),
        "rubygems": "ruby" + "gems_" + s(HEX, 48),
        "docker": "dckr" + "_pat_" + s(URLSAFE, 27),
        "sendgrid": "S" + "G." + s(URLSAFE, 22) + "." + s(URLSAFE, 43),
        "twilio": "S" + "K" + s(HEX, 32),
        "mailgun": "ke" + "y-" + s(HEX, 32),
        "mailchimp": s(HEX, 32) + "-us" + "12",
        "brevo": "xkey" + "sib-" + s(HEX, 64) + "-" + s(ALNUM, 16),
        "telegram": s("123456789", 9) + ":A" + "A" + s(URLSAFE, 33),
        "discord": "M" + s(ALNUM, 23) + "." + s(ALNUM, 6) + "." + s(URLSAFE, 27),
        "digitalocean": "do" + "p_v1_" + s(HEX, 64),
        "shopify": "shp" + "at_" + s(HEX, 32),
        "square": "sq0" + "atp-" + s(URLSAFE, 22),
        "databricks": "da" + "pi" + s(HEX, 32),
        "vault": "hv" + "s." + s(URLSAFE, 90),
        "terraform": s(ALNUM, 14) + ".atlas" + "v1." + s(URLSAFE, 67),
        "grafana": "gl" + "sa_" + s(ALNUM, 32) + "_" + s(HEX, 8),
        "newrelic": "NR" + "AK-" + s(UPPER + DIGITS, 27),
        "linear": "lin" + "_api_" + s(ALNUM, 40),
        "notion": "nt" + "n_" + s(ALNUM, 46),
        "airtable": "pa" + "t" + s(ALNUM, 14) + "." + s(HEX, 64),
        "figma": "fig" + "d_" + s(URLSAFE, 40),
        "postman": "PM" + "AK-" + s(HEX, 24) + "-" + s(HEX, 34),
        "tailscale": "ts" + "key-auth-" + s(ALNUM, 12) + "-" + s(ALNUM, 32),
        "supabase": "sb" + "p_" + s(HEX, 40),
        "netlify": "nf" + "p_" + s(ALNUM, 40),
        "doppler": "dp." + "pt." + s(ALNUM, 43),
        "age": "AGE-SECRET" + "-KEY-1" + s(UPPER + DIGITS, 58),
        "jwt": make.jwt(),
        "bcrypt": "$2" + "b$12$" + s(ALNUM, 53),
        "card-visa": make.card("4", 16),
        "card-amex": make.card("37", 15),
        "iban": make.iban(),
    }


TOKEN_TEXTS: tuple[Callable[[str], str], ...] = (
    lambda secret: f"We agreed to use {secret} until the end of March.",
    lambda secret: f"2026-03-14T09:26:53Z ERROR upstream said 401 for {secret} (attempt 3 of 5)",
    lambda secret: json.dumps({"step": 3, "args": ["--with", secret], "ok": False}),
    lambda secret: f"client = Client({secret!r}, timeout=30)  # ask Dana",
    lambda secret: f"Steps:\n1. open the console\n2. paste `{secret}`\n3. press enter",
    lambda secret: f"{secret}",
)


def planted_tokens(seed: int = 1) -> Iterator[Planted]:
    """Yield every kind of token in every kind of text."""
    make = Maker(seed)
    for write in TOKEN_TEXTS:
        for kind, secret in tokens(make).items():
            shown = f"https://hooks.slack.com/services/{secret}" if kind == "slack-webhook" else secret
            yield Planted(kind, write(shown), secret)
    for kind, label in (("pem-rsa", "RSA "), ("pem", ""), ("pem-ec", "EC "), ("openssh", "OPENSSH ")):
        key = make.pem(label)
        for text in (f"the key:\n{key}\nkeep it", json.dumps({"private_key": key}), f"KEY='{key}'"):
            for line in key.splitlines()[1:-1]:
                yield Planted(kind, text, line)
    pgp = make.pem("PGP ").replace("PRIVATE KEY", "PRIVATE KEY BLOCK")
    yield Planted("pgp", f"export:\n{pgp}", pgp.splitlines()[3])


ASSIGNED: tuple[str, ...] = (
    "DB_PASSWORD={password}",
    "export API_TOKEN={token}",
    "export AWS_SECRET_ACCESS_KEY={long}",
    "set SECRET_KEY={token}",
    "password: {password}",
    "  password: '{password}'",
    "db:\n  user: app\n  password: {password}\n  host: localhost",
    "- name: DB_PASSWORD\n  value: {password}",
    'api_key = "{token}"',
    "api_key: {token}",
    '{{"password": "{password}", "user": "ada"}}',
    '{{"client_secret": "{token}"}}',
    '{{"nested": {{"accessToken": "{token}", "n": 1}}}}',
    "{{'api-key': '{token}'}}",
    'const apiKey = "{token}";',
    "let password = '{password}'",
    'String dbPassword = "{password}";',
    'var token string = "{token}"',
    'password: str = "{password}"',
    'const secret := "{token}"',
    'config["password"] = "{password}"',
    "settings['SECRET_KEY'] = '{token}'",
    'client = connect(host="db", password="{password}")',
    'requests.get(url, headers={{"X-Api-Key": "{token}"}})',
    "X-Api-Key: {token}",
    "Authorization: Bearer {token}",
    "authorization: token {token}",
    "curl -H 'Authorization: Bearer {token}' https://api.example.com",
    "curl -u ada:{password} https://example.com/api",
    "mysql -h db -u root -p{word}9 shop",
    "sshpass -p '{password}' ssh root@10.0.0.5",
    "deploy --token {token} --force",
    "login --password={password}",
    "https://ada:{word}77@git.example.com/repo.git",
    "postgres://app:{word}9@db.internal:5432/app",
    "redis://:{token}@cache:6379/0",
    "mongodb+srv://root:{word}1@cluster0.mongodb.net/test",
    "Server=db;Database=app;User Id=sa;Password={password};Encrypt=yes",
    "jdbc:postgresql://db/app?user=app&password={word}12&ssl=true",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={storage};EndpointSuffix=core.windows.net",
    "https://api.example.com/v1/items?api_key={token}&page=2",
    "https://example.com/hook?access_token={token}",
    "Cookie: sessionid={token}; theme=dark",
    "Set-Cookie: auth={token}; HttpOnly; Path=/",
    "<password>{password}</password>",
    '<add key="ApiKey" value="{token}" />',
    "ALTER USER app WITH PASSWORD '{password}';",
    "CREATE USER 'app'@'%' IDENTIFIED BY '{password}';",
    "machine example.com login ada password {password}",
    "the password is {password}",
    "The password is {password}.",
    "My password is {password}, please remember it",
    "the password for the staging database is {password}",
    "password for admin: {password}",
    "Wifi password: {password}",
    "I changed the root password to {password} yesterday",
    "use the password {password} to log in",
    "the password is '{password}'",
    "the password is `{password}` on all machines",
    "the password is {word}.",
    "our wifi password is {word}",
    "my PIN is {pin}",
    "PIN: {pin}",
    "The PIN of the company card is {pin}.",
    "door code is {pin}",
    "OTP is {otp}",
    "the verification code is {otp}",
    "cvv: {cvv}",
    "the API key is {token}",
    "our api key for the weather service is {token}",
    "the token for CI is {token}",
    "client secret: {token}",
    "the passphrase is \"{phrase}\"",
    "passphrase = '{phrase}'",
    "Passwort: {password}",
    "das Passwort ist {password}",
    "la contraseña es {password}",
    "STRIPE_KEY={long}",
    "encryption_key: {long}",
    "private_key = {long}",
    "ENV SECRET_TOKEN {token}",
    "| password | {password} |",
    "**Password:** {password}",
    "password => '{password}',",
    "my ssn: {ssn9}",
    "social security number is {ssn}",
    "seed phrase: {seed}",
)  # fmt: skip

SEED_WORDS = "abandon ability able about above absent absorb abstract absurd abuse access accident".split()


def planted_assignments(seed: int = 2, rounds: int = 3) -> Iterator[Planted]:
    """Yield values that only their names announce, `rounds` times."""
    make = Maker(seed)
    for _ in range(rounds):
        for template in ASSIGNED:
            values = {
                "password": make.chance.choice(
                    (
                        make.random_text(ALNUM, 12),
                        make.chance.choice(("Sommer", "hunter", "Dragon", "qwerty"))
                        + make.random_text(DIGITS, 4)
                        + "!",
                        make.random_text(LOWER, 5) + "#" + make.random_text(ALNUM, 5),
                    )
                ),
                "token": make.random_text(ALNUM, make.chance.choice((20, 32, 40))),
                "long": make.random_text(ALNUM + "+/", 40),
                "storage": make.base64(64),
                "word": make.chance.choice(("sword" + "fish", "moon" + "raker", "butter" + "scotch")),
                "pin": make.random_text("23456789", 4),
                "otp": make.random_text(DIGITS, 6),
                "cvv": make.random_text("123456789", 3),
                "phrase": " ".join(make.chance.sample(("correct", "horse", "battery", "staple", "purple"), 4)),
                "ssn": f"219-09-{make.chance.randrange(1000, 9999)}",
                "ssn9": f"21909{make.chance.randrange(1000, 9999)}",
                "seed": " ".join(make.chance.sample(SEED_WORDS, 12)),
            }
            names = [name for name in values if "{" + name + "}" in template]
            yield Planted(template, template.format(**values), values[names[-1]])


ORDINARY = r"""
The password reset flow sends a mail with a link that is valid for an hour.
Token budget is 2,400 for the whole list of tools.
We log in with a password manager; nobody writes passwords down.
The password is required and must be at least 12 characters long.
The password is 12 characters long.
password: must contain a digit
Password: required
The password is wrong.
The password is stored hashed with bcrypt, never in plain text.
The password is hashed with SHA-256.
The password is case-sensitive.
The password is not stored anywhere.
My password is in the password manager.
The secret is consistency.
The secret to good bread is time.
The secret: patience and butter.
Her secret ingredient is cinnamon.
Victoria's Secret opened a shop in Berlin.
The secretary of state visited on 2024-05-11.
Tokens are counted by tiktoken, cl100k_base.
max_tokens: 4096
max_tokens=4096, temperature=0.2
"total_tokens": 18234
token_count = 512
prompt_tokens: 1200, completion_tokens: 300
The tokenizer splits "hello" into 1 token.
A token is about four characters of English.
Token: a unit of text
token: string
token?: string
token: str | None = None
password: str
password: SecretStr
def login(user: str, password: str) -> bool:
password = getpass.getpass()
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD", "")
const token = process.env.GITHUB_TOKEN;
const apiKey = process.env.API_KEY ?? "";
apiKey: process.env.OPENAI_API_KEY,
API_KEY=${API_KEY}
API_KEY=$API_KEY
export GITHUB_TOKEN=$(gh auth token)
password: ${{ secrets.DB_PASSWORD }}
password: "{{ vault_db_password }}"
token: <your token>
api_key = "YOUR_API_KEY"
OPENAI_API_KEY=your-api-key-here
OPENAI_API_KEY=sk-...
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxx
password=xxxxxxxx
password: ********
PASSWORD=changeme
SECRET_KEY=<generate one>
token = "<TOKEN>"
db.connect(user=user, password=password)
login(username, password)
self.password = password
this.token = token;
this.password = props.password;
user.password = hash_password(password)
if password != confirm_password:
assert token is not None
token = request.headers.get("X-Token")
token = tokenizer.decode(ids)
next_token = model(input)
secret = vault.read("db/creds")
const { token } = useAuth();
token => token.length > 3
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
<PasswordField value={password} onChange={setPassword} />
"password": "string"
"password": {"type": "string", "minLength": 8}
{"type": "password", "name": "pw"}
{"error": "invalid password", "code": 401}
{"token_type": "bearer", "expires_in": 3600}
"Password is required"
errors.password = "Password must have 8 characters";
"forgot_password": "Forgot your password?"
password_min_length = 12
password_reset_url = "https://example.com/reset"
secretName: db-credentials
secretKeyRef: {name: db-credentials, key: password}
imagePullSecrets: regcred
serviceAccountName: builder
tokenUrl: https://auth.example.com/oauth/token
token_endpoint = https://auth.example.com/oauth2/token
client_id = 0oa1b2c3d4e5f6g7h8i9
primary_key = "id"
foreign key (user_id) references users (id)
PRIMARY KEY (tag, memory_seq)
public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop"
The cache key is user:42:profile.
cache_key = "v2:search:en:2024-05"
sort_key = created_at
The partition key is customer_id.
key: value
key = "color"
"key": "theme", "value": "dark"
keyboard: US international
The key is to start early.
The key insight is that reads dominate.
hotkey: ctrl+shift+p
for key, value in mapping.items():
keys = sorted(d.keys())
Press any key to continue.
Monkey patching is not allowed.
The pin is on pin 13 of the board.
GPIO pin 17 is the LED.
pin: 13
Pin the version to 4.2.1.
pinned at 1.26.4
pip install numpy==1.26.4 pinned
The pins 2024 and 2025 are input only.
spin 1000 times
shipping to 10115 Berlin
The auth flow uses OAuth2 with PKCE.
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Send the token as a Bearer token in the Authorization header.
Bearer authentication is described in RFC 6750.
Basic authentication is turned off.
Basic understanding of Python3 is enough.
Cookie: a small file that a site leaves.
Cookies are set with SameSite=Lax.
The cookie recipe needs 250g of butter.
https://example.com/user/profile?id=42&tab=settings
https://user@example.com/path
https://github.com/acme/app/commit/4f2a9c1
git@github.com:acme/app.git
postgres://localhost:5432/app
postgres://user:password@localhost/db
postgres://${DB_USER}:${DB_PASS}@db/app
redis://cache:6379/0
http://localhost:3000/api/v1
jdbc:postgresql://db:5432/app
s3://bucket/some/long/path/to/object-2024-05-11.parquet
/home/ada/projects/agentos/modules/memory/service.py:142
Call +49 30 901820 or (555) 010-4477.
Phone: 555-010-4477
Tel. 0041 44 668 18 00
ISBN 978-3-16-148410-0 is the book.
ISBN-13: 9780306406157
Order 4711-2024-000123 was shipped.
Invoice 2024000123456789 is paid.
Timestamp 1718030512345678 in microseconds.
The id is 7213456789012345678.
Flight LH 1234 at 09:40.
Room 4921 on the third floor.
The year was 1984.
Version 2.14.0-rc.1+build.20240511
v1.0.0-20240511093000-abcdef123456
pkg@npm:^18.2.0
node:20-alpine
sha256 is fast enough here
AES-256-GCM with a random nonce
RS256 tokens expire after 15 minutes.
The token is RS256 signed.
The token is base64-encoded.
The token is valid for 15 minutes.
The token expired at 2024-05-11T09:26:53Z.
The access token is refreshed every hour.
The refresh token is rotated on use.
The API key is stored in the vault under kv/prod/api.
The API key is missing.
The API key is read from the environment.
API keys are created under Settings > Developer.
api_key is required
api_key (str): the key to use
:param api_key: the key of the account
--token TOKEN  the token to use
--password PASSWORD
usage: tool [--api-key KEY] [--secret SECRET]
The --token option takes a file.
The credentials are in 1Password.
Credentials: see the wiki.
credentials: include
credentials = "same-origin"
withCredentials: true
Credential rotation happens every 90 days.
We rotate secrets every 90 days.
secrets: inherit
secret scanning found nothing
.gitignore has .env and secrets.json
See docs/secrets.md for the list.
tokens/s: 42.5
12.5 tokens per second
The passenger list has 120 names.
passed: 120, failed: 3
pass: 12
Tests pass: 4120 of 4120
bypass=true
compass: north
password_hash
passwordless login by mail
The passphrase is optional.
one-time passwords are sent by mail
OTP is sent by SMS.
OTP length is 6.
otp_enabled: true
The verification code is sent to the phone.
The security code is on the back of the card.
Seed phrase backups should be on paper.
random seed: 42
seed=1234
np.random.seed(42)
mnemonic: a memory aid
card number: enter it without spaces
The card ends in 4242.
Visa card ending in 1234
SSN is not collected.
Social Security number: not stored
DOB 1984-03-12
range 100-200-3000
part 123-45-678
Coordinates 52.520008, 13.404954
MAC 00:1B:44:11:3A:B7
IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334
IP 192.168.178.24
The hash is d41d8cd98f00b204e9800998ecf8427e.
md5: d41d8cd98f00b204e9800998ecf8427e
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
Fixed in 0847766 and 770c9b3.
git checkout 0847766d1f2e3a4b5c6d7e8f9a0b1c2d3e4f5a6b
commit 0847766d1f2e3a4b5c6d7e8f9a0b1c2d3e4f5a6b
FROM python@sha256:2f3b0d7c0f4a8e6f1d9c5b7a3e2f1d0c9b8a7f6e5d4c3b2a1f0e9d8c7b6a5f4e
"resolved": "https://registry.example.com/left-pad/-/left-pad-1.3.0.tgz"
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4
class PasswordResetTokenGeneratorFactoryBean {}
CamelCaseIdentifierWithManyWords42AndNumbers
snake_case_identifier_with_many_words_2024
some-kebab-case-name-with-many-parts-2024-05-11
ERR_SSL_VERSION_OR_CIPHER_MISMATCH
E0308 mismatched types
CVE-2024-3094 is in xz 5.6.0.
RFC 9110 section 15.5.2
JIRA-4711: token refresh fails
Dana's token refresh bug was JIRA-4711.
The token bucket holds 100 tokens and refills 10 per second.
csrf token handling was moved to the middleware
CancellationToken token = source.Token;
Token token = lexer.next();
let token = self.advance();
match token { Token::Ident(name) => name }
tokens[0].kind == TokenKind.STRING
"pad_token": "[PAD]", "eos_token": "</s>"
bos_token_id=151643
Secret Santa is on 2024-12-20.
Open secret: the deadline is next week.
It is a secret that Ada likes jazz.
secret_length: 32
Kubernetes Secret my-app-secret holds the values.
kubectl get secret db-creds -o yaml
vault kv get secret/prod/db
aws secretsmanager get-secret-value --secret-id prod/db
gh secret set DEPLOY_KEY < key.txt
arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-AbCdEf
password_file: /run/secrets/db_password
POSTGRES_PASSWORD_FILE=/run/secrets/db
ssh -i ~/.ssh/id_ed25519 ada@example.com
curl -u $USER:$PASS https://example.com
docker run -p 8080:80 -e PASSWORD nginx
mysql -u root -p shop
mkdir -p2024/05
psql -U app -W
the login page asks for user and password twice
Username / password login is deprecated
username: ada
login: ada@example.com
Her email is ada.lovelace@example.com.
The door is locked with a code.
error code is 4031
status code: 404
zip code 10115
country code is +49
exit code 137
The area code is 4122.
passport number is asked at check-in
The WiFi is called Guest-5G.
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
private key: keep it off the server
The private key is generated on the device.
privateKey: KeyObject
The master key is in the HSM.
access_key_id is not secret by itself
The encryption key is derived with HKDF-SHA256.
license key: MIT
license: Apache-2.0
session key: "agentos:session:2024-05-11"
Session 8f14e45f-ceea-467f-a1c5-0d5f2c1f1f1f was closed.
deploy key: read-only
The API key has to be renewed by Friday.
password, token and secret are names that are looked for
The passwords are different on staging and production.
She forgot her password again.
New password policy starts in June.
He told me the password is easy to remember.
The password for the router is on the sticker.
The password to the archive was lost.
Set the password to something long.
Change your password to protect the account.
Use a password with 16 characters.
login with password authentication disabled
PasswordAuthentication no
PermitRootLogin prohibit-password
""".strip().splitlines()  # fmt: skip


def ordinary(seed: int = 3) -> Iterator[str]:
    """Yield texts without any secret: prose and code about secrets, and random-looking values that are none."""
    make = Maker(seed)
    yield from ORDINARY
    for _ in range(6):
        sha1, sha256, one = make.random_text(HEX, 40), make.random_text(HEX, 64), make.uuid()
        yield f"Reverted {sha1} because it broke the build."
        yield f"sha256:{sha256}"
        yield f"sha256sum: {sha256}  agentos-2.0.0.tar.gz"
        yield f'"integrity": "sha512-{make.base64(64)}"'
        yield f"--hash=sha256:{sha256}"
        yield f"memory {one} was merged into {make.uuid()}"
        yield f'{{"id": "{one}", "session": "{make.uuid()}"}}'
        yield f"trace_id={make.random_text(HEX, 32)} span_id={make.random_text(HEX, 16)}"
        yield f"digest {make.random_text(HEX, 32)} of page {make.chance.randrange(100)}"
        yield f"index {make.random_text(HEX, 7)}..{make.random_text(HEX, 7)} 100644"
        yield f"mem_{make.random_text(LOWER + DIGITS, 26)} superseded mem_{make.random_text(LOWER + DIGITS, 26)}"
        yield f"https://cdn.example.com/assets/main.{make.random_text(HEX, 20)}.js"
        yield f"![chart](data:image/png;base64,{make.base64(90)})"
        yield f"block {make.random_text(DIGITS, 18)} at height {make.random_text(DIGITS, 7)}"
        yield f"etag W/{make.random_text(ALNUM, 27)}"
        yield f"order {make.random_text(DIGITS, 12)} for {make.random_text('23456789', 3)} EUR"
