"""Measures redaction kind by kind: `python -m agentos.benchmarks.redaction.by_kind A|B|C|D [--show]`.

Eleven kinds of secrets and seven of lookalikes, written before the rules were read, and split in two by a seed. Half A
may be looked into; half B is for figures only. So are C and D, the halves of `everyday`. A secret counts as caught if neither it nor a half of it is left.

What is between ⟪ and ⟫ must go. Marks stand for generated characters: `{aN}` letters and digits, `{AN}` letters,
`{lN}` and `{LN}` letters of one case, `{sN}` and `{uN}` these with digits, `{dN}` digits, `{hN}` and `{HN}`
hexadecimal, `{bN}` and `{wN}` Base64, `{TN}` Base32, `{NN}` Base58, `{GN}` and `{zN}` Bech32, `{cN}` crypt, `{kN}` signs too;
`{g}` is a UUID, `{p}` a random password, `{q}` a chosen one, `{fN}`, `{FN}` and `{xN}` N words joined by `-`, a space
or a point.
"""

import random
import re
import string
import sys
import uuid

from ...modules.redaction.rules import redact
from . import everyday

_SEED = 44
_LETTERS, _DIGITS = string.ascii_letters, string.digits
_ALPHABETS = {
    "a": _LETTERS + _DIGITS,
    "A": _LETTERS,
    "l": string.ascii_lowercase,
    "L": string.ascii_uppercase,
    "s": string.ascii_lowercase + _DIGITS,
    "u": string.ascii_uppercase + _DIGITS,
    "d": _DIGITS,
    "h": _DIGITS + "abcdef",
    "H": _DIGITS + "ABCDEF",
    "b": _LETTERS + _DIGITS + "+/",
    "w": _LETTERS + _DIGITS + "-_",
    "T": string.ascii_uppercase + "234567",
    "N": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "G": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "z": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "c": _LETTERS + _DIGITS + "./",
    "k": string.ascii_lowercase + _DIGITS + "!@#%^&*(-_=+)",
}
_WORDS = (
    "acid album anchor apple arrow badge bamboo barrel basket beacon bishop blanket bottle branch bridge bucket butter "
    "cabin candle canvas carbon castle cedar chalk cherry circle cloud copper cotton crater crystal dagger daisy desert "
    "dolphin dragon eagle engine falcon feather fiddle forest galaxy garden ginger glacier hammer harbor hazel helmet "
    "island jacket jungle kettle ladder lantern lemon lizard magnet maple marble meadow mirror monkey mountain needle "
    "nickel ocean olive orbit oyster paddle panther parrot pebble pepper pillow planet pocket"
).split()
_ESCAPED = {"n": "\n", "t": "\t"}
_JOINED = {"f": "-", "F": " ", "x": "."}
_CONTEXTS = (
    "@",
    "use @ for now",
    "The key is @.",
    "export KEY=@",
    "token: @",
    '{"value": "@"}',
    "2026-02-03 ERROR 401 for @ (attempt 2)",
    "client = Client('@')",
    "Eva gave me @, keep it.",
    "- `@`",
)

SECRET: dict[str, dict[str, str]] = {
    "A": {
        "address": r"""
mega: https://mega.nz/file/{a8}#⟪{w43}⟫
DISCORD_URL=https://discordapp.com/api/webhooks/{d19}/⟪{w68}⟫
https://cdn.firma.example/clip.m3u8?exp=1790000000&hmac=⟪{h40}⟫
Zap: https://hooks.zapier.com/hooks/catch/{d7}/⟪{s7}⟫/
callback came to https://app.firma.example/cb#access_token=⟪{w64}⟫&token_type=bearer
https://api.firma.example/feed.xml?api_key=⟪{a32}⟫
https://send.firma.example/download/{h16}/#⟪{w22}⟫
Workflow start: https://n8n.firma.example/webhook/⟪{g}⟫
git trigger: https://git.firma.example/api/v4/projects/77/ref/main/trigger/pipeline?token=⟪{h30}⟫
The deploy bot posts to https://discord.com/api/webhooks/{d18}/⟪{w68}⟫.
curl -fsS https://ping.firma.example/ping/⟪{w22}⟫/nightly?token={w30}
Sign in with https://app.firma.example/login/verify/⟪{w48}⟫ within ten minutes
Video: https://d{s13}.cloudfront.net/v.mp4?Expires=1790000000&Signature=⟪{w172}⟫__&Key-Pair-Id=K{u13}
Jenkins: http://ci.firma.example/generic-webhook-trigger/invoke?token=⟪{a20}⟫
https://⟪{h32}⟫:⟪{h32}⟫@o4501.ingest.sentry.io/4501
pip install --index-url https://ci:⟪{a24}⟫@packages.firma.example/simple acme
https://default{h30}.4d.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/{h32}/triggers/manual/paths/invoke?api-version=1&sv=1.0&sig=⟪{w43}⟫
ws connects to wss://stream.firma.example/?authToken=⟪{w40}⟫
invite to the server: https://discord.gg/⟪{a10}⟫
https://api.telegram.org/bot{d10}:⟪{w35}⟫/sendMessage?chat_id=-100{d10}
Mattermost incoming: https://chat.firma.example/hooks/⟪{s26}⟫
https://storage.googleapis.com/exports/a.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=3600&X-Goog-Signature=⟪{h256}⟫
Webex https://acme.webex.com/acme/j.php?MTID=m⟪{h32}⟫
group: https://chat.whatsapp.com/⟪{a22}⟫
backup link https://bucket.s3.eu-central-1.amazonaws.com/dump.sql.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA{u16}%2F20260101%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=⟪{h64}⟫
https://open.feishu.cn/open-apis/bot/v2/hook/⟪{g}⟫
confirm your address: https://firma.example/confirm?confirmation_token=⟪{w20}⟫
otpauth://totp/Acme:ops@firma.example?secret=⟪{T32}⟫&issuer=Acme
ding: https://oapi.dingtalk.com/robot/send?access_token=⟪{h64}⟫
https://img.firma.example/o/17?hdnts=exp=1790000000~acl=/*~hmac=⟪{h64}⟫
Scan otpauth://hotp/Bank?secret=⟪{T26}⟫&counter=1
dropbox https://www.dropbox.com/scl/fi/{s18}/plan.docx?rlkey=⟪{s25}⟫&dl=0
Report for the board: https://files.firma.example/d/q3.pdf?expires=1790000000&signature=⟪{h64}⟫
Chat room: https://chat.googleapis.com/v1/spaces/{a11}/messages?key=AIza⟪{w35}⟫&token={w43}
https://shop.firma.example/reset-password/⟪{h64}⟫
One time: https://onetimesecret.com/secret/⟪{s31}⟫
paste https://bin.firma.example/?{h16}#⟪{a44}⟫
""",
        "hash": r"""
werkzeug: ⟪pbkdf2:sha256:600000${a16}${h64}⟫
Solaris ⟪$md5,rounds=904${c8}$${c22}⟫
mysql.user: root ⟪*{H40}⟫ localhost
cloud-init passwd: ⟪$6$rounds=4096${c16}${c86}⟫
enable secret 8 ⟪$8${c14}${c43}⟫
bcrypt ⟪$2a$08${c53}⟫ leaked in the log
⟪$pbkdf2-sha512$25000${c22}${c86}⟫ (passlib)
⟪$argon2d$v=19$m=4096,t=3,p=1${b22}${b43}⟫
⟪{PBKDF2-SHA256}10000${b22}${b43}⟫
⟪$apr1${c8}${c22}⟫ stands in /etc/nginx/.htpasswd
user's yescrypt: ⟪$y$j9T${c22}${c43}⟫
password_hash = '⟪$2b$12${c53}⟫'
⟪argon2$argon2id$v=19$m=102400,t=2,p=8${b22}${b43}⟫
chpasswd -e <<< 'pi:⟪$6${c8}${c86}⟫'
WordPress: ⟪$P$B{c30}⟫
shadow line web:⟪$5${c16}${c43}⟫:19123:0:99999:7:::
⟪scrypt:32768:8:1${a16}${h128}⟫
Drupal ⟪$S$D{c52}⟫
dn has ⟪{SSHA512}{b107}=⟫
auth_user.password: ⟪pbkdf2_sha256$720000${a22}${b43}=⟫
ops:⟪$6$rounds=656000${c16}${c86}⟫:19000::::::
Administrator:500:⟪{h32}:{h32}⟫:::
IDENTIFIED BY PASSWORD '⟪*{H40}⟫'
hash: ⟪$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}⟫
⟪$krb5asrep$23$eva@FIRMA.EXAMPLE:{h32}${h180}⟫
⟪$argon2i$v=19$m=4096,t=3,p=1${b22}${b43}⟫ of the old portal
rounds: ⟪$2x$05${c53}⟫
""",
        "cookie": r"""
sessionid=⟪{s32}⟫ was in the request
curl -b 'session=⟪{w60}⟫' https://app.firma.example/
ASP.NET_SessionId=⟪{s24}⟫
the browser sends _gitlab_session=⟪{h32}⟫
li_at=⟪AQED{w140}⟫ works for a year
curl --cookie "auth_token=⟪{w40}⟫" https://app.firma.example/me
__Secure-next-auth.session-token=⟪{w90}⟫
document.cookie = 'remember_token=⟪{h40}⟫'
cookie JSESSIONID=⟪{H32}⟫ belongs to the admin
Cookie: csrftoken={a32}; sessionid=⟪{s32}⟫
""",
        "header": r"""
curl -u admin:⟪{p}⟫ https://firma.example/api
Authorization: AWS4-HMAC-SHA256 Credential=AKIA{u16}/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=⟪{h64}⟫
Proxy-Authorization: Basic ⟪{b28}⟫
Ocp-Apim-Subscription-Key: ⟪{h32}⟫
authorization: Basic ⟪{b30}⟫
gRPC metadata: authorization=Bearer ⟪{w44}⟫
PRIVATE-TOKEN: ⟪{w20}⟫
headers = {'Authorization': 'Bearer ⟪{w52}⟫'}
curl --user 'eva:⟪{p}⟫' https://firma.example/api
X-Api-Key: ⟪{a40}⟫
Authorization: Bearer ⟪{w40}⟫
Authorization: Token token="⟪{a32}⟫"
Authorization: GenieKey ⟪{g}⟫
X-Hub-Token=⟪{a32}⟫
xh GET api.firma.example Authorization:'Bearer ⟪{w40}⟫'
""",
        "pair": r"""
identifiant eva, mot de passe ⟪{p}⟫
openssl enc -aes-256-cbc -pass pass:⟪{p}⟫ -in a
Use admin/⟪{p}⟫ for the router.
username=root password=⟪{p}⟫
smbclient //nas/share -U eva%⟪{p}⟫
usuario: eva / contraseña: ⟪{p}⟫
credentials: admin:⟪{p}⟫
PIN of the card: ⟪{d4}⟫
user: eva · pass: ⟪{q}⟫
machine git.firma.example login eva password ⟪{p}⟫
WLAN: FirmaGast / ⟪{q}⟫
the door code is ⟪{d6}⟫#
redis-cli -a ⟪{p}⟫ ping
User name | ops\nPassword | ⟪{p}⟫
ssh root@10.0.0.5 with password ⟪{p}⟫
creds: eva ⟪{p}⟫
mysql -u root -p⟪{p}⟫ shop
login eva, hasło ⟪{p}⟫
voicemail pin ⟪{d6}⟫
db user app_rw, pw: ⟪{p}⟫
""",
        "sentence": r"""
Cambié la contraseña a ⟪{p}⟫ ayer.
Adgangskoden er ⟪{p}⟫.
Şifre: ⟪{p}⟫
Parola ⟪{p}⟫ olarak değiştirildi.
Heslo k serveru je ⟪{q}⟫
La password è ⟪{p}⟫.
La password del server è ⟪{q}⟫
the passcode is ⟪{d6}⟫
密码：⟪{q}⟫
Das Passwort ist ⟪{p}⟫.
Passordet er ⟪{q}⟫.
Hasło do serwera to ⟪{q}⟫
Hasło to ⟪{p}⟫.
Ho cambiato la password in ⟪{p}⟫.
Mon mot de passe : ⟪{p}⟫
密码是 ⟪{p}⟫
Пароль: ⟪{p}⟫
Salasana on ⟪{p}⟫.
Le mot de passe du serveur est maintenant ⟪{q}⟫
Am schimbat parola în ⟪{p}⟫ ieri.
Lösenordet är ⟪{p}⟫.
Parola pentru server este ⟪{q}⟫
My password for the NAS is ⟪{q}⟫
La contraseña es ⟪{p}⟫.
Parola este ⟪{p}⟫.
I changed the admin password to ⟪{p}⟫ yesterday.
Het wachtwoord is ⟪{p}⟫.
The password is ⟪{p}⟫.
""",
        "vendor": r"""
CFPAT-⟪{w43}⟫
PMAK-{h24}-⟪{h34}⟫
SG.⟪{w22}⟫.⟪{w43}⟫
⟪AKIA{u16}⟫
rnd_⟪{a28}⟫
xkeysib-⟪{h64}-{a16}⟫
00D{a12}!⟪{a96}⟫
ddp_⟪{a36}⟫
sk-or-v1-⟪{h64}⟫
phx_⟪{a43}⟫
sb_secret_⟪{w31}⟫
key-⟪{h32}⟫ (Mailgun)
gldt-⟪{w20}⟫
ghp_⟪{a36}⟫
pscale_tkn_⟪{w43}⟫
dckr_pat_⟪{w27}⟫
EAAC⟪{a160}⟫
tskey-api-{a12}CNTRL-⟪{a32}⟫
gho_⟪{a36}⟫
pcsk_{a6}_⟪{a63}⟫
FLWSECK-⟪{h32}-X⟫
pscale_pw_⟪{w43}⟫
pul-⟪{h40}⟫
sl.⟪{w130}⟫
EZAK⟪{a54}⟫
xai-⟪{a80}⟫
ntn_⟪{a46}⟫
GR1348941⟪{w20}⟫
NRAK-⟪{u27}⟫
squ_⟪{h40}⟫
sq0csp-⟪{w43}⟫
rubygems_⟪{h48}⟫
dapi⟪{h32}⟫
pypi-AgEIcHlwaS5vcmc⟪{w120}⟫
sntrys_⟪eyJ{w80}_{w43}⟫
aio_⟪{a28}⟫
⟪{h32}⟫-us14
glsa_⟪{a32}_{h8}⟫
pplx-⟪{a48}⟫
tfp_⟪{w44}_{w14}⟫
sk_test_⟪{a99}⟫
AKCp⟪{a69}⟫ (Artifactory)
rdme_⟪{s70}⟫
dop_v1_⟪{h64}⟫
shpca_⟪{h32}⟫
sk_⟪{h48}⟫
access_token$production${s16}$⟪{h32}⟫
tr_prod_⟪{a24}⟫
xoxp-{d12}-{d12}-{d12}-⟪{h32}⟫
jina_⟪{a60}⟫
bkua_⟪{h40}⟫
HRKU-AA⟪{w58}⟫
secret_⟪{a43}⟫
sntryu_⟪{h64}⟫
sk_live_⟪{a24}⟫
ya29.⟪{w120}⟫
cio_⟪{a40}⟫
sk-svcacct-⟪{w60}⟫
dt0c01.{T24}.⟪{T64}⟫
ghs_⟪{a36}⟫
glc_⟪eyJ{b100}⟫
HRKU-⟪{g}⟫
sk-ant-api03-⟪{w93}AA⟫
shpat_⟪{h32}⟫
ATBB⟪{a32}⟫
gsk_⟪{a52}⟫
""",
        "named": r"""
kubectl create secret generic db --from-literal=password='⟪{p}⟫'
CREATE USER eva IDENTIFIED BY '⟪{p}⟫';
--token ⟪{a40}⟫
AZURE_CLIENT_SECRET=⟪{a3}8Q~{w34}⟫
config/master.key contains ⟪{h32}⟫ as the master key
resource x { master_password = "⟪{p}⟫" }
--api-key=⟪{a40}⟫
PGPASSWORD=⟪{q}⟫ psql -h db -U app shop
2026-01-04 10:11:12 DEBUG auth: login user=eva password=⟪{p}⟫ ok
APP_KEY=base64:⟪{b43}=⟫
- name: API_KEY\n  value: "⟪{a32}⟫"
seed for 2FA: ⟪{T32}⟫
contraseña=⟪{p}⟫
TWILIO_AUTH_TOKEN: ⟪{h32}⟫
<property name="password" value="⟪{p}⟫"/>
ERROR 401 for api_key=⟪{h32}⟫ from 10.0.0.4
setenv SMTP_PASSWORD ⟪{p}⟫
license_key: ⟪{u5}-{u5}-{u5}-{u5}-{u5}⟫
signing secret ⟪{h32}⟫
mot_de_passe: ⟪{p}⟫
CLOUDFLARE_API_TOKEN=⟪{w40}⟫
terraform apply -var db_password=⟪{p}⟫
WANDB_API_KEY=⟪{h40}⟫
TOTP secret ⟪{T32}⟫
apikey ⟪{h32}⟫
token: ⟪{h40}⟫
my API key is ⟪{a32}⟫
const apiKey = '⟪{a32}⟫';
POSTGRES_PASSWORD: ⟪{p}⟫
  password: ⟪{q}⟫
jwt.secret: ⟪{w64}⟫
hasło: ⟪{p}⟫
stringData:\n  api-key: ⟪{a40}⟫
export SECRET_KEY_BASE=⟪{h128}⟫
recovery code: ⟪{s5}-{s5}⟫
variables: { SONAR_TOKEN: ⟪{h40}⟫ }
vault kv put kv/db password=⟪{p}⟫
let authToken: string = "⟪{w40}⟫";
webhook secret: ⟪{h40}⟫
INFO connecting with token=⟪{a32}⟫
os.getenv('TOKEN', '⟪{a40}⟫')
SET PASSWORD FOR eva = PASSWORD('⟪{p}⟫');
aws_secret_access_key = ⟪{b40}⟫
ENCRYPTION_KEY=⟪{h64}⟫
bindpw ⟪{p}⟫
DJANGO_SECRET_KEY='⟪{k50}⟫'
MASTER_KEY: ⟪{h32}⟫
password: process.env.PW || '⟪{p}⟫'
echo '⟪{p}⟫' | docker login -u eva --password-stdin hub.firma.example
password = "⟪{p}⟫"  # TOML
DEEPGRAM_API_KEY=⟪{h40}⟫
os.environ['API_SECRET'] = '⟪{a32}⟫'
backup codes: ⟪{d4} {d4}⟫, ⟪{d4} {d4}⟫
DB_PASSWORD=⟪{p}⟫
SECRET_KEY = "⟪{k50}⟫"
[db]\npass = ⟪{p}⟫
docker login -u eva -p ⟪{p}⟫ hub.firma.example
JWT_SECRET=⟪{a48}⟫
""",
        "key": r"""
{"kty":"RSA","n":"{w86}","e":"AQAB","d":"⟪{w86}⟫"}
bitcoin WIF: ⟪5J{N49}⟫
minisign: untrusted comment: minisign encrypted secret key\n⟪RWRTY0Iy{b160}⟫
-----BEGIN ENCRYPTED PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END ENCRYPTED PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END PRIVATE KEY-----
ethereum private key 0x⟪{h64}⟫
nsec1⟪{z58}⟫
> -----BEGIN PRIVATE KEY-----\n> ⟪{b64}\n> {b64}⟫\n> -----END PRIVATE KEY-----
-----BEGIN RSA PRIVATE KEY-----\n⟪{b64}\n{b64}\n{b64}⟫ (rest cut)
-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n⟪{b64}\n{b64}\n={b4}⟫\n-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n\n⟪{b64}\n{b64}⟫\n-----END RSA PRIVATE KEY-----
-----BEGIN OpenVPN Static key V1-----\n⟪{h32}\n{h32}\n{h32}⟫\n-----END OpenVPN Static key V1-----
{"kty":"oct","k":"⟪{w43}⟫"}
PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 2\n{b64}\n{b20}\nPrivate-Lines: 1\n⟪{b48}⟫\nPrivate-MAC: {h64}
""",
        "connection": r"""
Server=db;Database=shop;User Id=sa;Password=⟪{p}⟫;Encrypt=true
rtsp://admin:⟪{q}⟫@10.0.0.9/stream1
sqlplus scott/⟪{a14}⟫@orcl
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟪{b86}==⟫
mongodb+srv://app:⟪{a16}⟫@c0.firma.example/?retryWrites=true
sftp://eva:⟪{a14}⟫@host/x
socks5://eva:⟪{a12}⟫@proxy:1080
https://elastic:⟪{a20}⟫@es.firma.example:9243
clickhouse://default:⟪{q}⟫@ch:9000
cassandra: PlainTextAuthProvider(username='c', password='⟪{p}⟫')
Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟪{b43}=⟫
smtp://mailer:⟪{a16}⟫@mail.firma.example:587
HTTP_PROXY=http://eva:⟪{a14}⟫@proxy.firma.example:3128
postgresql+asyncpg://app:⟪{a16}⟫@db/shop
ldap://cn=admin:⟪{a14}⟫@ldap.firma.example
""",
        "phrase": r"""
Wallet seed:\n⟪{F12}⟫
BORG_PASSPHRASE='⟪{F5}⟫'
the password is "⟪{F4}⟫"
passphrase: ⟪{F5}⟫
cryptsetup passphrase = ⟪{x5}⟫
ssh-keygen -N '⟪{F4}⟫' -f k
la phrase secrète est « ⟪{F5}⟫ »
Passphrase für die Platte: ⟪{f4}⟫
seed phrase: ⟪{F12}⟫
vault password: ⟪{x4}⟫
master password → ⟪{f4}⟫
""",
    },
    "B": {
        "address": r"""
Magic link: https://app.firma.example/auth/magic?token=⟪{w43}⟫
https://acme.blob.core.windows.net/data/q3.xlsx?sv=2023-11-03&se=2026-12-01T00%3A00%3A00Z&sr=b&sp=r&sig=⟪{b42}⟫%3D
scenario address https://hook.eu1.make.com/⟪{s32}⟫ (do not share)
private calendar: https://calendar.google.com/calendar/ical/ops%40firma.example/private-⟪{h32}⟫/basic.ics
Teams channel: https://contoso.webhook.office.com/webhookb2/{g}@{g}/IncomingWebhook/⟪{h32}⟫/{g}
https://outlook.office.com/webhook/{g}@{g}/IncomingWebhook/⟪{h32}⟫/{g} is the old Teams hook
old one: https://t.me/joinchat/⟪{w22}⟫
url: https://ptb.discord.com/api/v10/webhooks/{d18}/⟪{w68}⟫/slack
https://maps.googleapis.com/maps/api/geocode/json?address=x&key=AIza⟪{w35}⟫
Alerts go to https://hooks.slack.com/services/T{u8}/B{u10}/⟪{a24}⟫ since Monday.
curl -X POST -d @m.json https://hooks.slack.com/workflows/T{u8}/A{u10}/{d18}/⟪{a24}⟫
https://cloud.firma.example/invitations/accept?code=⟪{a28}⟫
Telegram room https://t.me/+⟪{w16}⟫
POST https://prod-17.westeurope.logic.azure.com:443/workflows/{h32}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=⟪{w43}⟫
oss: https://b.oss-cn-hangzhou.aliyuncs.com/k?OSSAccessKeyId=LTAI{a20}&Expires=1790000000&Signature=⟪{b26}⟫%3D
https://discord.com/invite/⟪{a8}⟫ lets anyone in
The cron job pings https://hc-ping.com/⟪{g}⟫ every hour.
curl https://maker.ifttt.com/trigger/door_open/with/key/⟪{w43}⟫
Reset: https://firma.example/accounts/reset/MTc/c{s6}-⟪{h32}⟫/
git clone https://oauth2:⟪glpat-{w20}⟫@git.firma.example/a/b.git
share: https://nextcloud.firma.example/s/⟪{a15}⟫
Zoom: https://us02web.zoom.us/j/{d11}?pwd=⟪{a32}⟫
https://ci.firma.example/job/build/build?token=⟪{a16}⟫&cause=push
https://open.larksuite.com/open-apis/bot/v2/hook/⟪{g}⟫
feed: https://firma.example/rss/private?auth=⟪{h40}⟫
https://chat.googleapis.com/v1/spaces/{a11}/messages?token=⟪{w43}⟫%3D
signal: https://signal.group/#⟪{w80}⟫
Rocket.Chat → https://rocket.firma.example/hooks/{a17}/⟪{a44}⟫
test hook: https://canary.discord.com/api/webhooks/{d18}/⟪{w68}⟫?wait=true
git remote set-url origin https://x-access-token:⟪{a40}⟫@git.firma.example/acme/core
https://api.firma.example/v1/weather?appid=⟪{h32}⟫&q=Bonn
Colleagues join by https://wiki.firma.example/invite/⟪{w32}⟫
wecom https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=⟪{g}⟫
Join us: https://join.slack.com/t/acme-team/shared_invite/zt-{s9}-⟪{w22}⟫
https://firma.example/users/password/edit?reset_password_token=⟪{w20}⟫
""",
        "hash": r"""
htpasswd DES: backup:⟪{c13}⟫
⟪$7$CU..../....{c22}${c43}⟫
root:⟪$6${c16}${c86}⟫:19000:0:99999:7:::
grub: password_pbkdf2 root ⟪grub.pbkdf2.sha512.10000.{H128}.{H128}⟫
CREATE ROLE app PASSWORD '⟪md5{h32}⟫';
INSERT INTO users VALUES (1, 'eva', '⟪$2y$10${c53}⟫');
⟪$pbkdf2$131000${c22}${c27}⟫
⟪{SHA512-CRYPT}$6${c16}${c86}⟫
rolpassword: ⟪SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=⟫
phpBB: ⟪$H$9{c30}⟫
⟪$krb5tgs$23$*svc$FIRMA.EXAMPLE$http/web*${h32}${h200}⟫
the box has ⟪$1${c8}${c22}⟫ for admin
enable secret 9 ⟪$9${c14}${c43}⟫
mssql 0x0200⟪{H136}⟫
username admin secret 5 ⟪$1${c4}${c22}⟫
htpasswd: anna:⟪$apr1${c8}${c22}⟫
⟪$scrypt$ln=16,r=8,p=1${b22}${b43}⟫
⟪bcrypt_sha256$$2b$12${c53}⟫
userPassword: ⟪{SSHA}{b32}⟫
⟪sha1${a8}${h40}⟫ in the old Django table
⟪pbkdf2_sha1$600000${a22}${b27}=⟫
⟪$pbkdf2-sha256$29000${c22}${c43}⟫
cached ⟪$DCC2$10240#eva#{h32}⟫
ansible: password: "⟪$6${c16}${c86}⟫"
⟪$sha1$24680${c8}${c28}⟫
userPassword: ⟪{SHA}{b27}=⟫
⟪$gy$j9T${c22}${c43}⟫
""",
        "cookie": r"""
requests.get(u, cookies={'session': '⟪{w48}⟫'})
laravel_session=⟪eyJ{a120}⟫
.ASPXAUTH=⟪{H120}⟫
wordpress_logged_in_{h32}=eva%7C1790000000%7C⟪{a43}⟫%7C{h64}
Cookie: access_token=⟪eyJ{a30}.eyJ{a60}.{w43}⟫
Set-Cookie: PHPSESSID=⟪{s26}⟫; path=/; HttpOnly
Cookie: theme=dark; sid=⟪{a40}⟫; lang=de
connect.sid=s%3A⟪{w32}.{b43}⟫
set-cookie: __Host-session=⟪{w43}⟫; Secure; SameSite=Lax
Cookie: sessionid=⟪{s32}⟫
""",
        "header": r"""
Authorization: ApiKey ⟪{b60}⟫
X-Amz-Security-Token: ⟪IQoJ{b200}⟫
DD-API-KEY: ⟪{h32}⟫
X-Shopify-Access-Token: ⟪{h32}⟫
x-auth-token: ⟪{a32}⟫
Authorization: Digest username="eva", realm="a", nonce="{h16}", response="⟪{h32}⟫"
api-key: ⟪{h32}⟫
Authorization: token ⟪{h40}⟫
Sec-WebSocket-Protocol: bearer, ⟪{w60}⟫
curl -H 'X-Postmark-Server-Token: ⟪{g}⟫' https://api.firma.example/
Authorization: SSWS 00⟪{w40}⟫
X-Vault-Token: ⟪s.{a24}⟫
"Authorization": "Bearer ⟪{a48}⟫",
http -a eva:⟪{p}⟫ firma.example/api
wget --http-user=eva --http-password='⟪{p}⟫' https://firma.example/x
""",
        "pair": r"""
| user | password |\n|---|---|\n| eva | ⟪{p}⟫ |
admin pw ⟪{p}⟫
rdp: FIRMA\\eva / ⟪{p}⟫
User: eva\nPassword: ⟪{p}⟫
the wifi is FirmaGast, key ⟪{p}⟫
Login: eva / ⟪{p}⟫
sshpass -p '⟪{p}⟫' ssh root@10.0.0.5
user: deploy pass: ⟪{p}⟫
log in as ops / ⟪{p}⟫
SSID FirmaGast PSK ⟪{q}⟫
<login>eva</login><password>⟪{p}⟫</password>
utente eva, password ⟪{p}⟫
mosquitto_sub -u eva -P ⟪{p}⟫ -t x
The test account is qa@firma.example / ⟪{p}⟫.
user admin, password ⟪{p}⟫
creds for staging -> eva // ⟪{p}⟫
Benutzer: eva, Kennwort: ⟪{p}⟫
host=db user=app password=⟪{p}⟫ dbname=shop
net use Z: \\\\nas\\share /user:eva ⟪{p}⟫
sign in with demo@firma.example and ⟪{p}⟫
""",
        "sentence": r"""
Пароль от сервера — ⟪{q}⟫
Mein neues Kennwort lautet: ⟪{p}⟫
Het wachtwoord van de server is ⟪{q}⟫
Le mot de passe est ⟪{p}⟫.
La contraseña del servidor es ⟪{q}⟫
パスワードは ⟪{p}⟫ です
J'ai changé le mot de passe en ⟪{p}⟫ hier.
Das Passwort für den Router lautet ⟪{q}⟫.
Новый пароль ⟪{p}⟫, запомни.
비밀번호는 ⟪{p}⟫ 입니다
The new root password: ⟪{p}⟫
Ik heb het wachtwoord veranderd in ⟪{p}⟫.
Jag bytte lösenord till ⟪{p}⟫.
A senha é ⟪{p}⟫.
Změnil jsem heslo na ⟪{p}⟫.
A palavra-passe é ⟪{p}⟫
password for the wiki = ⟪{q}⟫
Mi clave de acceso es ⟪{p}⟫
パスワード：⟪{q}⟫
A senha do servidor é ⟪{q}⟫
Lösenordet till servern är ⟪{q}⟫
Sunucunun şifresi ⟪{q}⟫
Zmieniłem hasło na ⟪{p}⟫ wczoraj.
Moje hasło brzmi ⟪{p}⟫
Ich habe das Kennwort auf ⟪{p}⟫ geändert.
La parola d'ordine è ⟪{p}⟫
Heslo je ⟪{p}⟫.
Mudei a senha para ⟪{p}⟫ ontem.
""",
        "vendor": r"""
sk-lf-⟪{g}⟫
glrt-⟪{w20}⟫
CCIPAT_{a22}_⟪{h40}⟫
AGE-SECRET-KEY-1⟪{G58}⟫
lin_api_⟪{a40}⟫
re_{a8}_⟪{a24}⟫
pnu_⟪{s36}⟫
hvs.⟪{w90}⟫
whsec_⟪{b32}⟫
FlyV1 fm2_⟪{b200}⟫
nfp_⟪{a36}⟫
AIza⟪{w35}⟫
e2b_⟪{h40}⟫
sgp_⟪{h40}⟫
fc-⟪{h32}⟫
AQVN⟪{w35}⟫
tskey-auth-{a12}CNTRL-⟪{a32}⟫
sk-ant-oat01-⟪{w93}AA⟫
ops_eyJ⟪{w250}⟫
pat{a14}.⟪{h64}⟫
cmVmdGtu⟪{a56}⟫
hf_⟪{A34}⟫
rk_live_⟪{a24}⟫
1//0⟪{w60}⟫
glptt-⟪{h40}⟫
xapp-1-A{u10}-{d13}-⟪{h64}⟫
dp.st.prd.⟪{a43}⟫
GOCSPX-⟪{w28}⟫
github_pat_⟪{a22}_{a59}⟫
dp.pt.⟪{a43}⟫
sq0atp-⟪{w22}⟫
ghr_⟪{a36}⟫
sk-proj-⟪{w74}T3BlbkFJ{w74}⟫
EAAA⟪{w60}⟫
hvb.⟪{w138}⟫
tk-us-⟪{w48}⟫
vercel_blob_rw_{a16}_⟪{a30}⟫
sk-⟪{a20}T3BlbkFJ{a20}⟫
ATATT3xFf⟪{w180}={H8}⟫
tvly-⟪{a32}⟫
lsv2_pt_⟪{h32}_{h10}⟫
ory_at_⟪{w43}.{w43}⟫
doo_v1_⟪{h64}⟫
npm_⟪{a36}⟫
xoxb-{d12}-{d12}-⟪{a24}⟫
ATCTT3xFf⟪{w180}={H8}⟫
shpss_⟪{h32}⟫
sk-ant-admin01-⟪{w93}AA⟫
shippo_live_⟪{h40}⟫
fio-u-⟪{w64}⟫
apify_api_⟪{a36}⟫
v1.0-{h24}-⟪{h146}⟫
figd_⟪{w40}⟫
{d10}:AA⟪{w33}⟫
LTAI⟪{a20}⟫
r8_⟪{a37}⟫
⟪ASIA{u16}⟫
M{a23}.{a6}.⟪{w38}⟫
xoxe.xoxp-1-⟪{a146}⟫
sqp_⟪{h40}⟫
sdk-⟪{g}⟫ of LaunchDarkly
glpat-⟪{w20}⟫
{a14}.atlasv1.⟪{w67}⟫
sk.eyJ⟪{a80}.{w22}⟫
sbp_⟪{h40}⟫
nvapi-⟪{w64}⟫
""",
        "named": r"""
passwort=⟪{p}⟫
wpa_passphrase=⟪{q}⟫
docker run -e ADMIN_PASSWORD=⟪{p}⟫ app
$cfg['blowfish_secret'] = '⟪{k32}⟫';
SESSION_SECRET=⟪{p}⟫
ARG DB_PASS=⟪{p}⟫
--password ⟪{p}⟫
:password => '⟪{p}⟫',
pass: ⟪{p}⟫
access_token: ⟪{w50}⟫
psk="⟪{q}⟫"
$env:API_TOKEN = "⟪{a40}⟫"
gh secret set TOKEN --body '⟪{a40}⟫'
pw=⟪{p}⟫
AWS_SESSION_TOKEN=⟪IQoJ{b300}⟫
the api token for grafana is ⟪{a40}⟫
AccountKey=⟪{b86}==⟫;EndpointSuffix=core.windows.net
snmp-server community ⟪{a12}⟫ RW
define('DB_PASSWORD', '⟪{p}⟫');
ENV NPM_TOKEN=⟪{a36}⟫
DATADOG_APP_KEY=⟪{h40}⟫
AWS_SECRET_ACCESS_KEY=⟪{b40}⟫
set FTP_PASS=⟪{p}⟫
rootpw ⟪{p}⟫
pwd: ⟪{q}⟫
env:\n  DEPLOY_TOKEN: ⟪{a40}⟫
apiVersion: v1\nkind: Secret\ndata:\n  token: ⟪{b44}⟫
encryption key is ⟪{b43}=⟫
RAILWAY_TOKEN=⟪{g}⟫
private static final String PASSWORD = "⟪{p}⟫";
spring.datasource.password=⟪{p}⟫
"password": "⟪{p}⟫"
consumer_secret = ⟪{a50}⟫
helm install x --set auth.password=⟪{p}⟫
export PGPASSWORD='⟪{p}⟫'
NEXTAUTH_SECRET=⟪{b43}=⟫
"refresh_token":"⟪{w64}⟫"
requirepass ⟪{p}⟫
"client_secret": "⟪{w40}⟫"
POST /login body={"email":"e@f.example","password":"⟪{p}⟫"}
<add key="ApiSecret" value="⟪{a32}⟫"/>
client_secret=⟪{w40}⟫&grant_type=client_credentials
{"user":"eva","passwd":"⟪{p}⟫"}
grant_type=password&username=eva&password=⟪{a14}⟫
twilio token is ⟪{h32}⟫
ALTER USER app WITH PASSWORD '⟪{p}⟫';
MYSQL_ROOT_PASSWORD=⟪{q}⟫
""",
        "key": r"""
[Interface]\nPrivateKey = ⟪{b43}=⟫\nAddress = 10.0.0.2/32
PresharedKey = ⟪{b43}=⟫
-----BEGIN EC PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END EC PRIVATE KEY-----
"private_key": "-----BEGIN PRIVATE KEY-----\\n⟪{b64}\\n{b64}⟫\\n-----END PRIVATE KEY-----\\n"
-----BEGIN RSA PRIVATE KEY-----\n⟪{b64}\n{b64}\n{b64}⟫\n-----END RSA PRIVATE KEY-----
    -----BEGIN PRIVATE KEY-----\n    ⟪{b64}\n    {b64}⟫\n    -----END PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\n⟪{b70}\n{b70}\n{b70}⟫\n-----END OPENSSH PRIVATE KEY-----
xprv9s21ZrQH143K⟪{N96}⟫
""",
        "connection": r"""
postgres://app:⟪{p}⟫@db.firma.example:5432/shop
ftp://eva:⟪{p}⟫@ftp.firma.example/
mysql://root:⟪{q}⟫@127.0.0.1/shop
DATABASE_URL='postgres://u:⟪{a30}⟫@h/d'
jdbc:postgresql://db/shop?user=app&password=⟪{a16}⟫
jdbc:oracle:thin:scott/⟪{a14}⟫@//db:1521/orcl
Data Source=db;uid=sa;pwd=⟪{q}⟫;
nats://⟪{a40}⟫@nats:4222
redis://:⟪{a24}⟫@cache:6379/0
amqp://svc:⟪{a16}⟫@mq:5672//
snowflake://eva:⟪{a16}⟫@acct/db
Data Source=tcp:db,1433;Initial Catalog=x;User ID=u;Password='⟪{p}⟫'
vnc://:⟪{a8}⟫@10.0.0.9
AMQP_URL=amqps://u:⟪{w32}⟫@mq.firma.example/v
rediss://default:⟪{w40}⟫@cache.firma.example:6380
""",
        "phrase": r"""
diceware: password ⟪{f6}⟫
mnemonic = "⟪{F24}⟫"
password: ⟪{f4}⟫
recovery phrase is ⟪{F12}⟫
GPG passphrase "⟪{F4}⟫"
my backup passphrase is '⟪{F6}⟫'
RESTIC_PASSWORD=⟪{f5}⟫
The passphrase is ⟪{f5}⟫.
the safe word phrase / passphrase: ⟪{F4}⟫
""",
    },
}

ORDINARY: dict[str, dict[str, str]] = {
    "A": {
        "sentence": r"""
The password was changed by eva on 2026-03-04.
密码不能为空
token count: 15,332
Jag glömde lösenordet.
The secret of good bread is time.
La contraseña es demasiado corta.
La chiave è la semplicità.
비밀번호는 8자 이상이어야 합니다
The session lasts 30 minutes.
Le mot de passe est obligatoire.
Ik ben het wachtwoord vergeten.
The pin of the CPU socket is bent.
La password è scaduta nel 2025.
User eva / team blue
The token is invalid or expired (401).
The key is under the mat.
La clave es escuchar a los usuarios.
password for the wiki is in the vault under ops/wiki
La contraseña es obligatoria.
Salasana on vanhentunut.
Heslo vyprší za 90 dní.
Am uitat parola.
pass rate = 97.3%
all tests pass: 214/214
The api key is missing in staging.
Mot de passe : 8 caractères minimum
La contraseña caducó en marzo.
Het wachtwoord is verlopen.
pass the salt, please
The bearer of this letter is my aunt.
Password is too short (8 characters at least).
Hasło jest za krótkie.
Log in as admin and open Settings / Users.
Esqueci a senha de novo.
Contraseña: mínimo 8 caracteres
Lösenordet är för kort.
Das Passwort muss zwölf Zeichen haben.
Invite links expire after 7 days.
PIN 4 is ground on this header
El secreto es la sal.
Password: required, 12+ characters
The cookie is set with SameSite=Lax and HttpOnly.
Lösenordet har gått ut 2025-01-03.
Das Passwort ist abgelaufen.
Das Kennwort lautet jedes Jahr anders.
Şifre en az 12 karakter olmalı.
Le mot de passe est stocké chiffré.
random seed = 42
Parola d'ordine: semplicità
Пароль истёк в марте 2025.
Il segreto è il sugo.
The password field has the id user_password_confirmation.
Hasło wygasło w marcu 2025.
Signed URLs live for 900 seconds.
credentials: see the vault
Ich habe das Passwort vergessen.
The secret is patience.
Я забыл пароль.
A senha expirou em março.
""",
        "code": r"""
--password-stdin
sorted(rows, key=itemgetter('created_at'))
tokenizer.encode(text)
passphrase_words: 6
tests/unit/test_password_policy.py::test_a_short_password_is_refused
#define MAX_PASSWORD_LENGTH 128
uses: actions/checkout@{h40} # v4.1.7
permissions: id-token: write
DB_PASSWORD_FILE=/run/secrets/db_password
assert response.cookies['sessionid']
password_hash = hashpw(password, gensalt(12))
token=abc123 is the example in the manual
lexer.next_token()
class TokenBucketRateLimiter:
$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>
pwd=/srv/www
eyJ is how a JWT begins
password = getpass.getpass()
auth.token.ttl=15m
https://<user>:<password>@git.firma.example
PASSWORD=$(cat /run/secrets/db)
bindpw file=/etc/ldap.secret
TokenKind::Identifier
check_password(user.password, raw)
SHA256withRSAandMGF1
token = Token(kind='number', value='42')
PASSWORD=...
TOKEN=$(gh auth token)
https://firma.example/blog/how-we-rotate-secrets
GET /api/keys?page=2&per_page=50
valueFrom: { secretKeyRef: { name: api, key: token } }
$1$2$3 are the groups
SecretStr
awk '{print $1,$2}' file
secret: ""
Authorization: Basic {base64(user:password)}
cache_key = f'user:{id}:profile'
Set-Cookie: lang=de; Path=/; Max-Age=31536000
password = os.environ['DB_PASSWORD']
password: null
def login(user: str, password: str) -> Session:
pbkdf2_hmac('sha256', pw, salt, 600_000)
login.password.label=Password
<label for="password">Password</label>
Authorization: Bearer $TOKEN
mysql://${USER}:${PASS}@db/shop
password: ${DB_PASSWORD}
export TOKEN="$1"
class="token keyword"
sessionid = cookies.get('sessionid')
let apiKey = process.env.API_KEY;
PASSWORD_MIN_LENGTH = 12
partition_key = 'tenant#{d6}'
token_type_ids
cookie_max_age = 1209600
uid=1000(eva) gid=1000(eva)
keyboard.press('Control+Shift+K')
passwd: password updated successfully
getSecretValueCommandInputFilterSensitiveLog
key: nav.settings.account.title
--set image.tag=v1.24.3-alpine3.20
cd $(pwd)/build
key = lambda x: x[1]
grep -r 'BEGIN RSA PRIVATE KEY' .
PermitRootLogin prohibit-password
api_key: ${{ secrets.API_KEY }}
api_token: op://ops/grafana/token
FROM python:3.11.9-slim-bookworm@sha256:{h64}
Authorization: Bearer <token>
modules/redaction/rules.py:114
TOKEN_BUDGET=2400
password=changeme
token = secrets.token_urlsafe(32)
""",
        "digest": r"""
blake3 {h64}
address 0x{h40}
Image ID: {h12}
block {h64} mined
correlation: {a22}
Key fingerprint = {H4} {H4} {H4} {H4} {H4}  {H4} {H4} {H4} {H4} {H4}
hash = {h40}
Fingerprint: SHA256:{b43}
SHA-1 {h40}
SHA512 (a.iso) = {h128}
digest: sha256:{h64}
key=cache/{h40}
key: pip-{h64}
integrity sha512-{b86}==
gpg: key {H16}: public key imported
x-amz-id-2: {b75}=
snapshot {h8} saved
CF-RAY: {h16}-FRA
serial number: {H32}
index {h7}..{h7} 100644
etag W/"{a27}"
md5 {h32}  dump.sql.gz
MD5:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}
cache-key: deps-{h64}
IPFS Qm{N44}
bafybei{s52}
container {h64} exited 0
merged in {h7}
b2sum {h128}
request id {h32}
h1:{b43}= go.sum
fixed by {h12} on main
layer {h12}: Pull complete
Merge: {h7} {h7}
git show {h40}:README.md
parent {h40}
""",
        "identifier": r"""
gate code B42
arn:aws:s3:::acme-backups
model: claude-sonnet-4-20250514
id={w11}
tenant: {g}
https://docs.google.com/document/d/{w44}/edit
invoice RE-{d8}
test_id: T-{d6}
partition key: 2026-03#{d4}
key id {g} in KMS
run-{g}
BAAI/bge-small-en-v1.5
Notion page {h32}
status code: 404
UA-{d8}-1
bar code {d13}
https://www.youtube.com/watch?v={w11}
version 2.14.0-rc.3+build.{h7}
KeyName: eva-laptop-2026
postcode: 53111
https://x.example/eva/status/{d19}
customer cus_{a14}
goal {g} is done
source code: 12,000 lines
subnet-{h8}
"private_key_id": "{h40}", "type": "service_account"
Figma file {a22}
AWS account {d12}
projects/acme-prod-{d6}
ticket OPS-{d4}
price_1{a23}
data-testid="login-password-input"
serial: SN{d10}
Discord user {d18}
assets/index-{w8}.js
vpc-{h17}
chunk-{u8}.js
i-{h17}
GHSA-{s4}-{s4}-{s4}
country code: DE
order 2026-{d6}
pi_3{a23} succeeded
/nix/store/{s32}-bash-5.2
alias/backup-key
IBAN shown as DE** **** **** 1234
pk_live_{a24} is the publishable key
session {g} ended
gpt-4o-2024-08-06
react-dom.production.min.js
GTM-{u7}
/subscriptions/{g}/resourceGroups/rg-prod
phone +49 30 {d8}
G-{u10}
error code 0x80070005
""",
        "address": r"""
https://git.firma.example/acme/core/issues/{d4}#issuecomment-{d10}
https://onetimesecret.com/about
https://o4501.ingest.firma.example/api
https://firma.example/webhook
https://s3.eu-central-1.amazonaws.com/acme-public/logo.png
postgres://db.firma.example:5432/shop
https://shop.firma.example/?ref={s6}
https://docs.firma.example/webhooks/retries
https://firma.example/?code=SPRING26
https://unsplash.firma.example/photos/{w11}?w=1200&q=80&fm=jpg
mongodb://localhost:27017/test
redis://cache:6379/0
https://maps.firma.example/@52.5200,13.4050,15z
sftp://files.firma.example/in
https://firma.example/hooks/pre-commit
https://git.firma.example/acme/core/releases/download/v2.0.0/a.tar.gz
mailto:eva@firma.example?subject=token
https://firma.example/reset-password?lang=de
https://firma.example/docs/#authentication-token
https://sso.firma.example/authorize?client_id=web&response_type=code&scope=openid
https://mega.nz/about
https://join.slack.com/help
https://firma.example/rss/private
https://discord.com/api/webhooks/<id>/<token>
https://firma.example/a?page=2&sort=desc&filter=active
https://firma.example/search?q=password+reset
https://www.dropbox.com/help/security
https://d{s13}.cloudfront.net/a.js
http://localhost:3000/#/login
https://chat.firma.example/channel/general
https://firma.example/invitations/pending
https://firma.example/tokens/refresh
https://firma.example/oauth/callback?error=access_denied&state={w22}
https://en.wikipedia.org/wiki/Salt_(cryptography)
https://ci.firma.example/job/core/4711/console
https://api.slack.com/messaging/webhooks
https://discord.com/developers/docs/resources/webhook
https://core.telegram.org/bots/api
https://meet.google.com/{l3}-{l4}-{l3}
https://hooks.slack.com/services/ is where they go
""",
        "public": r"""
Expect-CT: max-age=86400
<img src="data:image/svg+xml;base64,PHN2Zy{b120}">
{"alg":"RS256","kid":"{w27}","typ":"JWT"}
age recipient age1{z58}
VAPID public key: B{w86}
k1._domainkey IN TXT "v=DKIM1; k=rsa; p=MIGf{b120}"
data:image/png;base64,iVBORw0KGgo{b200}
{"kty":"RSA","n":"{w86}","e":"AQAB"}
age1{z58} is the recipient
data:font/woff2;base64,d09GMgAB{b160}
known_hosts: git.firma.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} eva@laptop
_acme-challenge IN TXT "{w43}"
public_key: {b43}=
[Peer]\nPublicKey = {b43}=\nAllowedIPs = 10.0.0.0/24
url(data:image/jpeg;base64,/9j/4AAQ{b160})
publicKey = "{h64}"
npub1{z58}
nonce-{b22}== in the CSP header
data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
""",
        "text": r"""
| setting | default |\n|---|---|\n| password_min_length | 12 |
--token-color-primary: #{h6};
Trenul pleacă la 5.
The admin / user split is 20/80.
The Keymaster lives on 5th Avenue
grid-template-areas: 'nav main'
π ≈ 3.14159265358979323846
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
O comboio parte às 8h.
M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10
mountain pass 2,244 m
Agatha Christie's The Secret Adversary
1. Open Settings → Security → API keys.
ACGTACGTTAGCTAGCTAGGATCCATGCATGC
level=info msg="token refreshed" ttl=3600s
2026-01-04 10:11:12 INFO auth: login user=eva ok
Keys: Ctrl+K, Ctrl+S
E       AssertionError: assert 'password' in {'user': 'eva'}
chore: bump cookie from 0.5.0 to 0.6.0
Der Zug fährt um 07:42 von Gleis 3.
Key results: NPS 42, churn 3.1%
O=C(C)Oc1ccccc1C(=O)O
| user | role |\n|---|---|\n| eva | admin |
- [ ] rotate the token\n- [x] write docs
Passau liegt an der Donau.
sudo: pam_unix(sudo:auth): authentication failure; user=eva
login: 3 failures since 08:00
Token ring was a LAN of the 1980s
sshd[4711]: Accepted publickey for eva from 10.0.0.5 port 51234 ssh2: ED25519 SHA256:{b43}
Admin: Eva Muster
ERROR token expired at 1790000000
Bearer bonds fell 3%
INFO cookie consent=all
Fix: password no longer logged (#{d4})
Owner: @eva / @tom
We ship on Fridays; Tom reviews.
1.7976931348623157e+308
9780131103627 is K&R
Поезд в 9:40.
Contact: eva@firma.example / +49 30 1234567
a boarding pass for LH1234
access: 24/7
token: color.background.primary = #{h6}
火车九点出发
""",
    },
    "B": {
        "sentence": r"""
Hasło to podstawa bezpieczeństwa.
Пароль: не менее 8 символов
Parola zorunludur.
Passwords are hashed with argon2id, m=65536, t=3.
Login: use SSO
パスワードは8文字以上で入力してください
La clave es la paciencia.
The passphrase is asked for at the start.
Code review: 14 comments
The recovery phrase has 12 or 24 words.
We never log passwords, tokens or cookies.
The user's password is not sent to the server.
password manager: Bitwarden
Zapomněl jsem heslo.
mnemonic devices help pupils
Ho dimenticato la password.
The password is required.
The key is to start small.
Her passphrase has seven words.
Das Passwort ist seit 2024 dasselbe.
Пароль обязателен.
Zapomniałem hasła.
Parola a expirat în 2025.
max_tokens=2048
seed: 1234567890
We use bcrypt with cost 12.
Das Kennwort ist im Tresor hinterlegt.
Adgangskoden er udløbet.
Olvidé la contraseña otra vez.
Şifremi unuttum.
Webhook deliveries are retried 5 times.
The login is slow since release 4.2.
Her token of thanks was a book.
The model has 128k tokens of context.
La password è obbligatoria.
Passwort: mindestens 12 Zeichen
The password must contain a digit, e.g. one of 0-9.
password policy: rotate every 90 days
user / group / other
パスワードは必須です
Das Geheimnis ist die Butter.
Le secret, c'est le beurre.
sign in with Google and grant access
Password reset is broken in Safari 17.4.
The door code is asked for at night.
密码：至少8位
Parola este obligatorie.
Heslo je povinné.
creds are in 1Password, item 'staging'
A senha é obrigatória.
The API key is read from OPENAI_API_KEY.
The password is stored as a bcrypt hash.
The seed of the generator is 20260101.
My password expired yesterday.
Pass: 12, fail: 3
tokens: 4096 per request
private key of the house: under the flower pot
Het wachtwoord is te kort (min. 12).
J'ai oublié le mot de passe.
""",
        "code": r"""
pass -c mail/eva
hash_type: $6$ (sha512crypt)
EVP_PKEY_CTX_set_rsa_padding
input[type=password] { border: 1px solid #ccc; }
POST /oauth/token HTTP/1.1
UPDATE users SET password = $1 WHERE id = $2
re.compile(r'^\\$2[aby]\\$\\d\\d\\$')
docker.io/library/redis@sha256:{h64}
the prefix $2b$ means bcrypt
https://firma.example/?utm_source=newsletter&utm_campaign=spring2026
password: ********
const token = await getToken();
foreign key (memory_id) references memories(id)
token: xxxxxxxxxxxxxxxx
user: eva, group: staff, mode: 0644
Cookie: sessionid=<value>
token = request.headers.get('Authorization')
user/eva/settings.json
postgres://user:password@localhost/db
password=<your password>
secret_rotation_days: 90
grant_type=authorization_code&code=<code>
mysql -u root -p shop
password: !vault |
Authorization: Bearer {token}
import { useAuthToken } from '@/hooks/useAuthToken'
-p $MYSQL_PASSWORD
postgres://USER:PASS@HOST/DB
window.__APP_CONFIG__.features.newLogin
API_KEY=your-api-key-here
PWD=/root
git push origin HEAD:refs/heads/feature/token-refresh
csrf: true
--token-file /run/token
i18n: login.password.placeholder = Enter your password
Cookie: theme=dark; lang=de; consent=yes
a.b.c
perl -pe 's/(a)(b)/$2$1/'
re.match(r'AKIA[0-9A-Z]{16}', s)
<input type="password" name="password" autocomplete="current-password">
key=value pairs
accessTokenExpiresInSeconds: 3600
api_key=settings.API_KEY
ENV PYTHONDONTWRITEBYTECODE=1
com.firma.auth.token.RefreshTokenRepositoryImpl
curl -u user:password https://api.firma.example
token: None
secretKeyRef:\n  name: db\n  key: password
auth: type=oauth2, flow=pkce
secretName: tls-wildcard-firma
api_key = 'YOUR_API_KEY'
refresh_token_ttl = 86400
the file begins with -----BEGIN PRIVATE KEY-----
session.cookies.set('theme', 'dark')
https://docs.firma.example/auth/reset-password
echo $1 $2 $6
primary_key=True
error.password.tooShort=At least 8 characters
PasswordAuthentication no
pam_unix.so sha512 shadow nullok
password = var.db_password
msgid "Password"\nmsgstr "Passwort"
header.payload.signature
password_attempts=5
password: str | None = None
self.token = token
SELECT password FROM users WHERE id = $1
from .auth import verify_password, create_access_token
pwd: /home/eva/projects/agentos
if password == other_password:
password: {{ vault_password }}
org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder
NotASecretButALongIdentifierName
""",
        "digest": r"""
ETag: "{h32}"
integrity="sha384-{b64}" crossorigin="anonymous"
CSP 'sha256-{b43}='
commit {h40}
the hash of the password list is {h64}
X-Request-Id: {g}
github.example/x/y v1.2.3 h1:{b43}=
tx 0x{h64} confirmed
restic snapshot {h64}
"integrity": "sha512-{b86}==",
sum: {h32}
https://git.firma.example/acme/core/commit/{h40}
signature of the release: {h40}
traceparent: 00-{h32}-{h16}-01
Content-MD5: {b22}==
--hash=sha256:{h64}
tree {h40}
narHash: sha256-{b43}=
dedup key {h64}
git diff {h7}..{h7}
gpg: using RSA key {H40}
x-amz-request-id: {u16}
X509v3 Subject Key Identifier: {H40}
sha256-{b43}=
SHA256:{b43} eva@laptop (ED25519)
crc32 {h8}
trace_id={h32} span_id={h16}
hash: {h64}
{h64}  agentos-2.0.0.tar.gz
0xdeadbeef at 0x7ffd{h8}
https://git.firma.example/acme/core/blob/{h40}/src/a.py#L17
magnet:?xt=urn:btih:{h40}
checksum = "{h64}"
content-hash = "{h64}"
sha256:{h64}
resolved "https://packages.firma.example/a/-/a-1.2.3.tgz#{h40}"
""",
        "identifier": r"""
10.0.0.5:8080
charge ch_3{a23}
Slack channel C{u10}
{G26} is the ULID
tweet {d19}
tracking 1Z{u16}
Discord channel https://discord.com/channels/{d18}/{d18}/{d19}
user_id={g}
arn:aws:kms:eu-central-1:{d12}:key/{g}
evt_1{a23}
imei {d15}
memory:{g}
postal code SW1A 1AA
arXiv:2401.{d5}
license: Apache-2.0
message-id <{a22}@mail.firma.example>
deploy-{d14}
css-{s6}-MuiButton-root
https://figma.firma.example/file/{a22}/Login
text-embedding-3-small
ami-{h17}
price: 12.99 EUR
exit code 137
snap_{d8}T{d6}Z
https://youtu.be/{w11}
prod_{a14}
ca-pub-{d16}
RFC 7519
client_id: {d12}-{s32}.apps.googleusercontent.com
total 1,204.50 USD
main.{h8}.css
CVE-2026-{d5}
Telegram chat -100{d10}
https://notion.firma.example/Plan-{h32}
app_id 1:{d12}:web:{h22}
2001:db8::{h4}:{h4}
client_id={g}
mac {h2}:{h2}:{h2}:{h2}:{h2}:{h2}
VIN WVW{u14}
session_id: {g} in the trace
ISBN 978-3-16-148410-0
PR #{d4}
arn:aws:iam::{d12}:role/deploy
data-v-{h8}
~/.cache/pip/wheels/{h2}/{h2}/{h60}
build/{h20}/a.o
DOI 10.1000/{d6}
subscription {g} in Azure
job nightly-{d10}
port 5432 → 15432
kernel 6.8.0-45-generic
kid: {w27}
flight LH{d4} seat 14C
pod web-{h10}-{s5}
""",
        "address": r"""
https://fonts.firma.example/css2?family=Inter:wght@400;600
https://us02web.zoom.us/j/{d11}
https://discord.com/api/webhooks/{id}/{token}
https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
POST /webhooks/github 202
chrome-extension://{l32}/popup.html
https://firma.example/s/summer-sale
https://firma.example/static/img/logo.svg?v={h8}
https://firma.example/login?error=invalid_token
https://firma.example/invite
https://firma.example/pricing
https://acme.blob.core.windows.net/public/a.png
https://discord.com/invite
wss://stream.firma.example/v1
https://signal.org/download
https://api.telegram.org/bot<token>/getMe
https://firma.example/verify?lang=en
git@git.firma.example:acme/core.git
amqp://mq:5672
https://img.firma.example/{g}.png
https://teams.firma.example/l/channel/19%3a{h32}%40thread.tacv2/General
https://firma.example/share?text=hello
ssh://git@git.firma.example:22/acme/core.git
https://firma.example/app.js?v={h32}
vscode://file/home/eva/a.py:10
http://127.0.0.1:8787/memories/{g}
https://gravatar.firma.example/avatar/{h32}?s=80
https://t.me/agentos_news
https://shop.firma.example/item/{d8}?color=blue&size=42
https://firma.example/login?next=/admin
https://drive.google.com/file/d/{w33}/view
https://zoom.us/j/{d10}
https://calendar.firma.example/event?eid={a20}
https://firma.example/a#section-3.2
https://n8n.firma.example/workflow/17
https://firma.example/search?q=how+to+rotate+an+api+key
gs://acme-public/a.csv
s3://acme-backups/2026/03/dump.sql.gz
https://datatracker.ietf.org/doc/html/rfc7617#section-2
""",
        "public": r"""
-----BEGIN PGP SIGNATURE-----\n\n{b64}\n{b64}\n={b4}\n-----END PGP SIGNATURE-----
google-site-verification={w43}
v=spf1 include:_spf.firma.example ~all
the certificate's serial {h32} was revoked
firma.example. IN DS 12345 13 2 {H64}
jwks_uri: https://sso.firma.example/.well-known/jwks.json
xpub661MyMwAqRbc{N96}
pin-sha256="{b43}="
-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n{b64}\n-----END CERTIFICATE-----
{"kty":"EC","crv":"P-256","x":"{w43}","y":"{w43}"}
-----BEGIN CERTIFICATE REQUEST-----\n{b64}\n{b64}\n-----END CERTIFICATE REQUEST-----
DKIM-Signature: v=1; a=rsa-sha256; d=firma.example; s=k1; bh={b43}=
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY{b87}= ci
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b300} ops
minisign public key RWQ{b53}
-----BEGIN DH PARAMETERS-----\n{b64}\n{b64}\n-----END DH PARAMETERS-----
-----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n-----END PUBLIC KEY-----
cosign.pub in the repository root
-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{b64}\n{b64}\n={b4}\n-----END PGP PUBLIC KEY BLOCK-----
""",
        "text": r"""
User: Eva Muster, Berlin
De trein vertrekt om 12.15.
Il treno parte alle 9.
Le train part à 18h05.
ops / dev / sec meet at 10:00
Chapter 12: the secret garden
| key | value |\n|---|---|\n| timezone | Europe/Berlin |
key: C# minor
Traceback: KeyError: 'password'
2026-01-04 WARN password check failed for user=eva (attempt 3)
Tåget går 14.20.
@media (min-width:768px){.md\\:grid-cols-3{grid-template-columns:repeat(3,minmax(0,1fr))}}
supercalifragilisticexpialidocious
Donaudampfschifffahrtsgesellschaftskapitän
ValueError: invalid literal for int() with base 10: '0x{h8}'
Temperature 36.6 °C, SpO2 98%
e2e4 e7e5 g1f3 b8c6 f1b5
sshd[12]: Failed password for root from 10.0.0.9 port 4242 ssh2
The budget is $12,500 for Q3.
ski pass: 3 days, 189 EUR
Answer key: 1B 2C 3A 4D
eva@firma.example and tom@firma.example sign in
기차는 9시에 출발합니다
El paquete llega el jueves a las 10:30.
Eva prefers tea with 2 spoons of honey.
color: #{h6}; transition: all .2s cubic-bezier(.4,0,.2,1)
.btn-primary:hover{background:#{h6};border-color:#{h6}}
lorem ipsum dolor sit amet, consectetur adipiscing elit
nginx: 10.0.0.5 - eva [04/Jan/2026:10:11:12 +0000] "GET /login HTTP/1.1" 200 512
## Passwords\n\nStore them with argon2id.
TODO(eva): remove password from the fixture
feat(auth): add token refresh
AuthenticationError: token has expired
Legend key: red = late
電車は9時に出ます
design tokens: spacing-4 = 16px
Login page: /login, 200 in 34 ms
llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch
DEBUG cache key=user:42 hit
Pociąg odjeżdża o 6:55.
CHANGELOG: secrets are redacted before the write
Passwort-Manager im Vergleich: Test 2026
root / sudo / wheel
""",
    },
}


def texts(kinds: dict[str, str]) -> list[tuple[str, str]]:
    """Return the texts of a half, each with its kind."""
    chance = random.Random(_SEED)
    return [
        (kind, _drawn(chance, kind, line)) for kind, block in kinds.items() for line in block.strip("\n").splitlines()
    ]


def _drawn(chance: random.Random, kind: str, line: str) -> str:
    if kind == "vendor":
        line = chance.choice(_CONTEXTS).replace("@", line)
    plain = re.sub(r"\\(.)", lambda escaped: _ESCAPED.get(escaped[1], escaped[1]), line)
    return re.sub(r"\{([a-zA-Z])(\d{0,3})\}", lambda mark: _made(chance, mark[1], int(mark[2] or 0)), plain)


def _made(chance: random.Random, kind: str, length: int) -> str:
    match kind:
        case "g":
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        case "p":
            inner = "".join(chance.choice(_ALPHABETS["a"] + "!#%+*=?-_") for _ in range(chance.randrange(7, 14)))
            return chance.choice(_LETTERS) + inner + chance.choice(_DIGITS)
        case "q":
            return chance.choice(_WORDS).title() + str(chance.randrange(10, 9999)) + chance.choice("!?*#$")
        case "f" | "F" | "x":
            return _JOINED[kind].join(chance.choice(_WORDS) for _ in range(length))
    return "".join(chance.choice(_ALPHABETS[kind]) for _ in range(length))


def unmarked(text: str) -> str:
    """Return a text without the marks around its secrets."""
    return text.replace("⟪", "").replace("⟫", "")


def left(text: str) -> bool:
    """Tell whether a part of a marked secret survives redaction."""
    redacted = redact(unmarked(text)).text
    for secret in re.findall("⟪([^⟫]+)⟫", text):
        for line in secret.splitlines():
            half = max(6, len(line) // 2)
            if line in redacted or (len(line) > half and (line[:half] in redacted or line[-half:] in redacted)):
                return True
    return False


def changed(text: str) -> bool:
    """Tell whether an ordinary text loses anything."""
    return redact(text).text != text


def half(name: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the texts of a half with secrets, and those without, each with its kind."""
    if name in SECRET:
        return texts(SECRET[name]), texts(ORDINARY[name])
    return texts(_split(everyday.SECRET)[name]), texts(_split(everyday.ORDINARY)[name])


def _split(kinds: dict[str, str]) -> dict[str, dict[str, str]]:
    """Split the lines of each kind in two at random, always in the same way."""
    chance = random.Random(_SEED)
    split: dict[str, dict[str, str]] = {"C": {}, "D": {}}
    for kind, block in kinds.items():
        lines = block.strip("\n").splitlines()
        chance.shuffle(lines)
        for place, name in enumerate(split):
            split[name][kind] = "\n".join(lines[place::2])
    return split


def main(arguments: list[str]) -> None:
    """Print the figures of a half."""
    secret, ordinary = half(arguments[0])
    for title, found, wrong in (("left", secret, left), ("changed", ordinary, changed)):
        bad = [(kind, text) for kind, text in found if wrong(text)]
        sys.stdout.write(f"{title}: {len(bad)} of {len(found)}, {len(bad) / len(found):.3f}\n")
        for kind in dict.fromkeys(kind for kind, _ in found):
            counts = [sum(each == kind for each, _ in rows) for rows in (bad, found)]
            sys.stdout.write(f"  {kind} {counts[0]} of {counts[1]}\n")
        if "--show" in arguments:
            sys.stdout.writelines(f"{kind}: {text!r} -> {redact(unmarked(text)).text!r}\n" for kind, text in bad)


if __name__ == "__main__":
    main(sys.argv[1:])
