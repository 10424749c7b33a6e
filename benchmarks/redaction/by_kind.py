"""Measures redaction kind by kind: `python -m agentos.benchmarks.redaction.by_kind A|B [--show]`.

Eleven kinds of secrets and seven of lookalikes, written before the rules were read, and split in two by a seed. Half A
may be looked into; half B is for figures only. A secret counts as caught if neither it nor a half of it is left.

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

SECRET: dict[str, str] = {
    "address": r"""
Alerts go to https://hooks.slack.com/services/T{u8}/B{u10}/⟪{a24}⟫ since Monday.
curl -X POST -d @m.json https://hooks.slack.com/workflows/T{u8}/A{u10}/{d18}/⟪{a24}⟫
The deploy bot posts to https://discord.com/api/webhooks/{d18}/⟪{w68}⟫.
DISCORD_URL=https://discordapp.com/api/webhooks/{d19}/⟪{w68}⟫
test hook: https://canary.discord.com/api/webhooks/{d18}/⟪{w68}⟫?wait=true
url: https://ptb.discord.com/api/v10/webhooks/{d18}/⟪{w68}⟫/slack
Teams channel: https://contoso.webhook.office.com/webhookb2/{g}@{g}/IncomingWebhook/⟪{h32}⟫/{g}
https://outlook.office.com/webhook/{g}@{g}/IncomingWebhook/⟪{h32}⟫/{g} is the old Teams hook
POST https://prod-17.westeurope.logic.azure.com:443/workflows/{h32}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=⟪{w43}⟫
https://default{h30}.4d.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/{h32}/triggers/manual/paths/invoke?api-version=1&sv=1.0&sig=⟪{w43}⟫
Chat room: https://chat.googleapis.com/v1/spaces/{a11}/messages?key=AIza⟪{w35}⟫&token={w43}
https://chat.googleapis.com/v1/spaces/{a11}/messages?token=⟪{w43}⟫%3D
Zap: https://hooks.zapier.com/hooks/catch/{d7}/⟪{s7}⟫/
curl https://maker.ifttt.com/trigger/door_open/with/key/⟪{w43}⟫
Mattermost incoming: https://chat.firma.example/hooks/⟪{s26}⟫
Rocket.Chat → https://rocket.firma.example/hooks/{a17}/⟪{a44}⟫
https://api.telegram.org/bot{d10}:⟪{w35}⟫/sendMessage?chat_id=-100{d10}
scenario address https://hook.eu1.make.com/⟪{s32}⟫ (do not share)
Workflow start: https://n8n.firma.example/webhook/⟪{g}⟫
https://open.feishu.cn/open-apis/bot/v2/hook/⟪{g}⟫
https://open.larksuite.com/open-apis/bot/v2/hook/⟪{g}⟫
ding: https://oapi.dingtalk.com/robot/send?access_token=⟪{h64}⟫
wecom https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=⟪{g}⟫
The cron job pings https://hc-ping.com/⟪{g}⟫ every hour.
curl -fsS https://ping.firma.example/ping/⟪{w22}⟫/nightly?token={w30}
git trigger: https://git.firma.example/api/v4/projects/77/ref/main/trigger/pipeline?token=⟪{h30}⟫
Jenkins: http://ci.firma.example/generic-webhook-trigger/invoke?token=⟪{a20}⟫
https://ci.firma.example/job/build/build?token=⟪{a16}⟫&cause=push
backup link https://bucket.s3.eu-central-1.amazonaws.com/dump.sql.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA{u16}%2F20260101%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=⟪{h64}⟫
https://storage.googleapis.com/exports/a.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=3600&X-Goog-Signature=⟪{h256}⟫
https://acme.blob.core.windows.net/data/q3.xlsx?sv=2023-11-03&se=2026-12-01T00%3A00%3A00Z&sr=b&sp=r&sig=⟪{b42}⟫%3D
Video: https://d{s13}.cloudfront.net/v.mp4?Expires=1790000000&Signature=⟪{w172}⟫__&Key-Pair-Id=K{u13}
oss: https://b.oss-cn-hangzhou.aliyuncs.com/k?OSSAccessKeyId=LTAI{a20}&Expires=1790000000&Signature=⟪{b26}⟫%3D
Report for the board: https://files.firma.example/d/q3.pdf?expires=1790000000&signature=⟪{h64}⟫
https://cdn.firma.example/clip.m3u8?exp=1790000000&hmac=⟪{h40}⟫
https://img.firma.example/o/17?hdnts=exp=1790000000~acl=/*~hmac=⟪{h64}⟫
dropbox https://www.dropbox.com/scl/fi/{s18}/plan.docx?rlkey=⟪{s25}⟫&dl=0
private calendar: https://calendar.google.com/calendar/ical/ops%40firma.example/private-⟪{h32}⟫/basic.ics
Magic link: https://app.firma.example/auth/magic?token=⟪{w43}⟫
Sign in with https://app.firma.example/login/verify/⟪{w48}⟫ within ten minutes
https://firma.example/users/password/edit?reset_password_token=⟪{w20}⟫
Reset: https://firma.example/accounts/reset/MTc/c{s6}-⟪{h32}⟫/
https://shop.firma.example/reset-password/⟪{h64}⟫
confirm your address: https://firma.example/confirm?confirmation_token=⟪{w20}⟫
Join us: https://join.slack.com/t/acme-team/shared_invite/zt-{s9}-⟪{w22}⟫
invite to the server: https://discord.gg/⟪{a10}⟫
https://discord.com/invite/⟪{a8}⟫ lets anyone in
group: https://chat.whatsapp.com/⟪{a22}⟫
Telegram room https://t.me/+⟪{w16}⟫
old one: https://t.me/joinchat/⟪{w22}⟫
signal: https://signal.group/#⟪{w80}⟫
Zoom: https://us02web.zoom.us/j/{d11}?pwd=⟪{a32}⟫
Webex https://acme.webex.com/acme/j.php?MTID=m⟪{h32}⟫
Colleagues join by https://wiki.firma.example/invite/⟪{w32}⟫
https://cloud.firma.example/invitations/accept?code=⟪{a28}⟫
mega: https://mega.nz/file/{a8}#⟪{w43}⟫
paste https://bin.firma.example/?{h16}#⟪{a44}⟫
https://send.firma.example/download/{h16}/#⟪{w22}⟫
One time: https://onetimesecret.com/secret/⟪{s31}⟫
share: https://nextcloud.firma.example/s/⟪{a15}⟫
otpauth://totp/Acme:ops@firma.example?secret=⟪{T32}⟫&issuer=Acme
Scan otpauth://hotp/Bank?secret=⟪{T26}⟫&counter=1
git clone https://oauth2:⟪glpat-{w20}⟫@git.firma.example/a/b.git
git remote set-url origin https://x-access-token:⟪{a40}⟫@git.firma.example/acme/core
pip install --index-url https://ci:⟪{a24}⟫@packages.firma.example/simple acme
https://⟪{h32}⟫:⟪{h32}⟫@o4501.ingest.sentry.io/4501
callback came to https://app.firma.example/cb#access_token=⟪{w64}⟫&token_type=bearer
https://api.firma.example/v1/weather?appid=⟪{h32}⟫&q=Bonn
https://maps.googleapis.com/maps/api/geocode/json?address=x&key=AIza⟪{w35}⟫
https://api.firma.example/feed.xml?api_key=⟪{a32}⟫
ws connects to wss://stream.firma.example/?authToken=⟪{w40}⟫
feed: https://firma.example/rss/private?auth=⟪{h40}⟫
""",
    "hash": r"""
root:⟪$6${c16}${c86}⟫:19000:0:99999:7:::
ops:⟪$6$rounds=656000${c16}${c86}⟫:19000::::::
shadow line web:⟪$5${c16}${c43}⟫:19123:0:99999:7:::
the box has ⟪$1${c8}${c22}⟫ for admin
htpasswd: anna:⟪$apr1${c8}${c22}⟫
⟪$apr1${c8}${c22}⟫ stands in /etc/nginx/.htpasswd
password_hash = '⟪$2b$12${c53}⟫'
INSERT INTO users VALUES (1, 'eva', '⟪$2y$10${c53}⟫');
bcrypt ⟪$2a$08${c53}⟫ leaked in the log
rounds: ⟪$2x$05${c53}⟫
user's yescrypt: ⟪$y$j9T${c22}${c43}⟫
⟪$gy$j9T${c22}${c43}⟫
⟪$7$CU..../....{c22}${c43}⟫
hash: ⟪$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}⟫
⟪$argon2i$v=19$m=4096,t=3,p=1${b22}${b43}⟫ of the old portal
⟪$argon2d$v=19$m=4096,t=3,p=1${b22}${b43}⟫
⟪$scrypt$ln=16,r=8,p=1${b22}${b43}⟫
⟪$pbkdf2-sha256$29000${c22}${c43}⟫
⟪$pbkdf2-sha512$25000${c22}${c86}⟫ (passlib)
⟪$pbkdf2$131000${c22}${c27}⟫
auth_user.password: ⟪pbkdf2_sha256$720000${a22}${b43}=⟫
⟪pbkdf2_sha1$600000${a22}${b27}=⟫
⟪argon2$argon2id$v=19$m=102400,t=2,p=8${b22}${b43}⟫
⟪bcrypt_sha256$$2b$12${c53}⟫
⟪sha1${a8}${h40}⟫ in the old Django table
werkzeug: ⟪pbkdf2:sha256:600000${a16}${h64}⟫
⟪scrypt:32768:8:1${a16}${h128}⟫
userPassword: ⟪{SSHA}{b32}⟫
userPassword: ⟪{SHA}{b27}=⟫
dn has ⟪{SSHA512}{b107}=⟫
⟪{SHA512-CRYPT}$6${c16}${c86}⟫
⟪{PBKDF2-SHA256}10000${b22}${b43}⟫
Administrator:500:⟪{h32}:{h32}⟫:::
WordPress: ⟪$P$B{c30}⟫
phpBB: ⟪$H$9{c30}⟫
Drupal ⟪$S$D{c52}⟫
⟪$sha1$24680${c8}${c28}⟫
Solaris ⟪$md5,rounds=904${c8}$${c22}⟫
mysql.user: root ⟪*{H40}⟫ localhost
IDENTIFIED BY PASSWORD '⟪*{H40}⟫'
rolpassword: ⟪SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=⟫
CREATE ROLE app PASSWORD '⟪md5{h32}⟫';
enable secret 9 ⟪$9${c14}${c43}⟫
enable secret 8 ⟪$8${c14}${c43}⟫
username admin secret 5 ⟪$1${c4}${c22}⟫
grub: password_pbkdf2 root ⟪grub.pbkdf2.sha512.10000.{H128}.{H128}⟫
mssql 0x0200⟪{H136}⟫
⟪$krb5tgs$23$*svc$FIRMA.EXAMPLE$http/web*${h32}${h200}⟫
⟪$krb5asrep$23$eva@FIRMA.EXAMPLE:{h32}${h180}⟫
cached ⟪$DCC2$10240#eva#{h32}⟫
chpasswd -e <<< 'pi:⟪$6${c8}${c86}⟫'
ansible: password: "⟪$6${c16}${c86}⟫"
cloud-init passwd: ⟪$6$rounds=4096${c16}${c86}⟫
htpasswd DES: backup:⟪{c13}⟫
""",
    "cookie": r"""
Cookie: sessionid=⟪{s32}⟫
Set-Cookie: PHPSESSID=⟪{s26}⟫; path=/; HttpOnly
sessionid=⟪{s32}⟫ was in the request
cookie JSESSIONID=⟪{H32}⟫ belongs to the admin
connect.sid=s%3A⟪{w32}.{b43}⟫
curl -b 'session=⟪{w60}⟫' https://app.firma.example/
curl --cookie "auth_token=⟪{w40}⟫" https://app.firma.example/me
Cookie: theme=dark; sid=⟪{a40}⟫; lang=de
set-cookie: __Host-session=⟪{w43}⟫; Secure; SameSite=Lax
__Secure-next-auth.session-token=⟪{w90}⟫
laravel_session=⟪eyJ{a120}⟫
ASP.NET_SessionId=⟪{s24}⟫
.ASPXAUTH=⟪{H120}⟫
document.cookie = 'remember_token=⟪{h40}⟫'
wordpress_logged_in_{h32}=eva%7C1790000000%7C⟪{a43}⟫%7C{h64}
Cookie: csrftoken={a32}; sessionid=⟪{s32}⟫
the browser sends _gitlab_session=⟪{h32}⟫
requests.get(u, cookies={'session': '⟪{w48}⟫'})
Cookie: access_token=⟪eyJ{a30}.eyJ{a60}.{w43}⟫
li_at=⟪AQED{w140}⟫ works for a year
""",
    "header": r"""
Authorization: Bearer ⟪{w40}⟫
authorization: Basic ⟪{b30}⟫
Proxy-Authorization: Basic ⟪{b28}⟫
Authorization: token ⟪{h40}⟫
Authorization: Token token="⟪{a32}⟫"
Authorization: ApiKey ⟪{b60}⟫
Authorization: SSWS 00⟪{w40}⟫
Authorization: GenieKey ⟪{g}⟫
X-Api-Key: ⟪{a40}⟫
x-auth-token: ⟪{a32}⟫
X-Vault-Token: ⟪s.{a24}⟫
PRIVATE-TOKEN: ⟪{w20}⟫
curl -H 'X-Postmark-Server-Token: ⟪{g}⟫' https://api.firma.example/
api-key: ⟪{h32}⟫
Ocp-Apim-Subscription-Key: ⟪{h32}⟫
X-Shopify-Access-Token: ⟪{h32}⟫
DD-API-KEY: ⟪{h32}⟫
X-Amz-Security-Token: ⟪IQoJ{b200}⟫
Authorization: Digest username="eva", realm="a", nonce="{h16}", response="⟪{h32}⟫"
Authorization: AWS4-HMAC-SHA256 Credential=AKIA{u16}/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=⟪{h64}⟫
headers = {'Authorization': 'Bearer ⟪{w52}⟫'}
"Authorization": "Bearer ⟪{a48}⟫",
curl -u admin:⟪{p}⟫ https://firma.example/api
curl --user 'eva:⟪{p}⟫' https://firma.example/api
http -a eva:⟪{p}⟫ firma.example/api
wget --http-user=eva --http-password='⟪{p}⟫' https://firma.example/x
xh GET api.firma.example Authorization:'Bearer ⟪{w40}⟫'
X-Hub-Token=⟪{a32}⟫
Sec-WebSocket-Protocol: bearer, ⟪{w60}⟫
gRPC metadata: authorization=Bearer ⟪{w44}⟫
""",
    "pair": r"""
log in as ops / ⟪{p}⟫
Login: eva / ⟪{p}⟫
credentials: admin:⟪{p}⟫
The test account is qa@firma.example / ⟪{p}⟫.
user admin, password ⟪{p}⟫
user: deploy pass: ⟪{p}⟫
username=root password=⟪{p}⟫
Use admin/⟪{p}⟫ for the router.
User: eva\nPassword: ⟪{p}⟫
User name | ops\nPassword | ⟪{p}⟫
| user | password |\n|---|---|\n| eva | ⟪{p}⟫ |
sign in with demo@firma.example and ⟪{p}⟫
ssh root@10.0.0.5 with password ⟪{p}⟫
the wifi is FirmaGast, key ⟪{p}⟫
WLAN: FirmaGast / ⟪{q}⟫
SSID FirmaGast PSK ⟪{q}⟫
PIN of the card: ⟪{d4}⟫
the door code is ⟪{d6}⟫#
voicemail pin ⟪{d6}⟫
creds for staging -> eva // ⟪{p}⟫
creds: eva ⟪{p}⟫
db user app_rw, pw: ⟪{p}⟫
admin pw ⟪{p}⟫
mysql -u root -p⟪{p}⟫ shop
sshpass -p '⟪{p}⟫' ssh root@10.0.0.5
smbclient //nas/share -U eva%⟪{p}⟫
rdp: FIRMA\\eva / ⟪{p}⟫
net use Z: \\\\nas\\share /user:eva ⟪{p}⟫
Benutzer: eva, Kennwort: ⟪{p}⟫
usuario: eva / contraseña: ⟪{p}⟫
identifiant eva, mot de passe ⟪{p}⟫
utente eva, password ⟪{p}⟫
login eva, hasło ⟪{p}⟫
user: eva · pass: ⟪{q}⟫
<login>eva</login><password>⟪{p}⟫</password>
machine git.firma.example login eva password ⟪{p}⟫
host=db user=app password=⟪{p}⟫ dbname=shop
redis-cli -a ⟪{p}⟫ ping
mosquitto_sub -u eva -P ⟪{p}⟫ -t x
openssl enc -aes-256-cbc -pass pass:⟪{p}⟫ -in a
""",
    "sentence": r"""
The password is ⟪{p}⟫.
My password for the NAS is ⟪{q}⟫
I changed the admin password to ⟪{p}⟫ yesterday.
The new root password: ⟪{p}⟫
password for the wiki = ⟪{q}⟫
the passcode is ⟪{d6}⟫
Das Passwort ist ⟪{p}⟫.
Das Passwort für den Router lautet ⟪{q}⟫.
Mein neues Kennwort lautet: ⟪{p}⟫
Ich habe das Kennwort auf ⟪{p}⟫ geändert.
Le mot de passe est ⟪{p}⟫.
Le mot de passe du serveur est maintenant ⟪{q}⟫
J'ai changé le mot de passe en ⟪{p}⟫ hier.
Mon mot de passe : ⟪{p}⟫
La contraseña es ⟪{p}⟫.
La contraseña del servidor es ⟪{q}⟫
Mi clave de acceso es ⟪{p}⟫
Cambié la contraseña a ⟪{p}⟫ ayer.
La password è ⟪{p}⟫.
La password del server è ⟪{q}⟫
La parola d'ordine è ⟪{p}⟫
Ho cambiato la password in ⟪{p}⟫.
A senha é ⟪{p}⟫.
A senha do servidor é ⟪{q}⟫
A palavra-passe é ⟪{p}⟫
Mudei a senha para ⟪{p}⟫ ontem.
Het wachtwoord is ⟪{p}⟫.
Het wachtwoord van de server is ⟪{q}⟫
Ik heb het wachtwoord veranderd in ⟪{p}⟫.
Hasło to ⟪{p}⟫.
Hasło do serwera to ⟪{q}⟫
Zmieniłem hasło na ⟪{p}⟫ wczoraj.
Moje hasło brzmi ⟪{p}⟫
Parola este ⟪{p}⟫.
Parola pentru server este ⟪{q}⟫
Am schimbat parola în ⟪{p}⟫ ieri.
Lösenordet är ⟪{p}⟫.
Lösenordet till servern är ⟪{q}⟫
Jag bytte lösenord till ⟪{p}⟫.
Heslo je ⟪{p}⟫.
Heslo k serveru je ⟪{q}⟫
Změnil jsem heslo na ⟪{p}⟫.
Parola ⟪{p}⟫ olarak değiştirildi.
Şifre: ⟪{p}⟫
Sunucunun şifresi ⟪{q}⟫
Пароль: ⟪{p}⟫
Пароль от сервера — ⟪{q}⟫
Новый пароль ⟪{p}⟫, запомни.
Adgangskoden er ⟪{p}⟫.
Passordet er ⟪{q}⟫.
Salasana on ⟪{p}⟫.
パスワードは ⟪{p}⟫ です
パスワード：⟪{q}⟫
密码是 ⟪{p}⟫
密码：⟪{q}⟫
비밀번호는 ⟪{p}⟫ 입니다
""",
    "vendor": r"""
⟪AKIA{u16}⟫
⟪ASIA{u16}⟫
AIza⟪{w35}⟫
GOCSPX-⟪{w28}⟫
ya29.⟪{w120}⟫
1//0⟪{w60}⟫
ghp_⟪{a36}⟫
gho_⟪{a36}⟫
ghs_⟪{a36}⟫
ghr_⟪{a36}⟫
github_pat_⟪{a22}_{a59}⟫
glpat-⟪{w20}⟫
gldt-⟪{w20}⟫
glrt-⟪{w20}⟫
glptt-⟪{h40}⟫
GR1348941⟪{w20}⟫
xoxb-{d12}-{d12}-⟪{a24}⟫
xoxp-{d12}-{d12}-{d12}-⟪{h32}⟫
xapp-1-A{u10}-{d13}-⟪{h64}⟫
xoxe.xoxp-1-⟪{a146}⟫
sk_live_⟪{a24}⟫
rk_live_⟪{a24}⟫
whsec_⟪{b32}⟫
sk_test_⟪{a99}⟫
SG.⟪{w22}⟫.⟪{w43}⟫
key-⟪{h32}⟫ (Mailgun)
⟪{h32}⟫-us14
npm_⟪{a36}⟫
pypi-AgEIcHlwaS5vcmc⟪{w120}⟫
dckr_pat_⟪{w27}⟫
dop_v1_⟪{h64}⟫
doo_v1_⟪{h64}⟫
dp.pt.⟪{a43}⟫
dp.st.prd.⟪{a43}⟫
hvs.⟪{w90}⟫
hvb.⟪{w138}⟫
{a14}.atlasv1.⟪{w67}⟫
HRKU-⟪{g}⟫
HRKU-AA⟪{w58}⟫
lin_api_⟪{a40}⟫
ntn_⟪{a46}⟫
secret_⟪{a43}⟫
pat{a14}.⟪{h64}⟫
figd_⟪{w40}⟫
shpat_⟪{h32}⟫
shpss_⟪{h32}⟫
shpca_⟪{h32}⟫
sq0atp-⟪{w22}⟫
sq0csp-⟪{w43}⟫
EAAA⟪{w60}⟫
sk-proj-⟪{w74}T3BlbkFJ{w74}⟫
sk-⟪{a20}T3BlbkFJ{a20}⟫
sk-svcacct-⟪{w60}⟫
sk-ant-api03-⟪{w93}AA⟫
sk-ant-admin01-⟪{w93}AA⟫
sk-ant-oat01-⟪{w93}AA⟫
hf_⟪{A34}⟫
r8_⟪{a37}⟫
gsk_⟪{a52}⟫
pplx-⟪{a48}⟫
xai-⟪{a80}⟫
sk-or-v1-⟪{h64}⟫
dapi⟪{h32}⟫
NRAK-⟪{u27}⟫
glsa_⟪{a32}_{h8}⟫
glc_⟪eyJ{b100}⟫
sntrys_⟪eyJ{w80}_{w43}⟫
sntryu_⟪{h64}⟫
M{a23}.{a6}.⟪{w38}⟫
{d10}:AA⟪{w33}⟫
EAAC⟪{a160}⟫
sl.⟪{w130}⟫
ATATT3xFf⟪{w180}={H8}⟫
ATBB⟪{a32}⟫
ATCTT3xFf⟪{w180}={H8}⟫
PMAK-{h24}-⟪{h34}⟫
pscale_pw_⟪{w43}⟫
pscale_tkn_⟪{w43}⟫
sbp_⟪{h40}⟫
sb_secret_⟪{w31}⟫
nfp_⟪{a36}⟫
FlyV1 fm2_⟪{b200}⟫
rnd_⟪{a28}⟫
rubygems_⟪{h48}⟫
pul-⟪{h40}⟫
CCIPAT_{a22}_⟪{h40}⟫
bkua_⟪{h40}⟫
sqp_⟪{h40}⟫
squ_⟪{h40}⟫
AGE-SECRET-KEY-1⟪{G58}⟫
CFPAT-⟪{w43}⟫
tfp_⟪{w44}_{w14}⟫
sk.eyJ⟪{a80}.{w22}⟫
tskey-auth-{a12}CNTRL-⟪{a32}⟫
tskey-api-{a12}CNTRL-⟪{a32}⟫
ops_eyJ⟪{w250}⟫
EZAK⟪{a54}⟫
FLWSECK-⟪{h32}-X⟫
fio-u-⟪{w64}⟫
access_token$production${s16}$⟪{h32}⟫
aio_⟪{a28}⟫
xkeysib-⟪{h64}-{a16}⟫
re_{a8}_⟪{a24}⟫
sdk-⟪{g}⟫ of LaunchDarkly
rdme_⟪{s70}⟫
pnu_⟪{s36}⟫
tk-us-⟪{w48}⟫
shippo_live_⟪{h40}⟫
AQVN⟪{w35}⟫
nvapi-⟪{w64}⟫
lsv2_pt_⟪{h32}_{h10}⟫
sk-lf-⟪{g}⟫
pcsk_{a6}_⟪{a63}⟫
tvly-⟪{a32}⟫
fc-⟪{h32}⟫
sk_⟪{h48}⟫
v1.0-{h24}-⟪{h146}⟫
cio_⟪{a40}⟫
vercel_blob_rw_{a16}_⟪{a30}⟫
ory_at_⟪{w43}.{w43}⟫
AKCp⟪{a69}⟫ (Artifactory)
cmVmdGtu⟪{a56}⟫
LTAI⟪{a20}⟫
jina_⟪{a60}⟫
e2b_⟪{h40}⟫
ddp_⟪{a36}⟫
sgp_⟪{h40}⟫
apify_api_⟪{a36}⟫
phx_⟪{a43}⟫
dt0c01.{T24}.⟪{T64}⟫
00D{a12}!⟪{a96}⟫
tr_prod_⟪{a24}⟫
""",
    "named": r"""
aws_secret_access_key = ⟪{b40}⟫
AWS_SECRET_ACCESS_KEY=⟪{b40}⟫
AWS_SESSION_TOKEN=⟪IQoJ{b300}⟫
AZURE_CLIENT_SECRET=⟪{a3}8Q~{w34}⟫
AccountKey=⟪{b86}==⟫;EndpointSuffix=core.windows.net
CLOUDFLARE_API_TOKEN=⟪{w40}⟫
TWILIO_AUTH_TOKEN: ⟪{h32}⟫
twilio token is ⟪{h32}⟫
DATADOG_APP_KEY=⟪{h40}⟫
WANDB_API_KEY=⟪{h40}⟫
DEEPGRAM_API_KEY=⟪{h40}⟫
RAILWAY_TOKEN=⟪{g}⟫
export SECRET_KEY_BASE=⟪{h128}⟫
DJANGO_SECRET_KEY='⟪{k50}⟫'
SECRET_KEY = "⟪{k50}⟫"
APP_KEY=base64:⟪{b43}=⟫
JWT_SECRET=⟪{a48}⟫
jwt.secret: ⟪{w64}⟫
ENCRYPTION_KEY=⟪{h64}⟫
MASTER_KEY: ⟪{h32}⟫
config/master.key contains ⟪{h32}⟫ as the master key
NEXTAUTH_SECRET=⟪{b43}=⟫
SESSION_SECRET=⟪{p}⟫
DB_PASSWORD=⟪{p}⟫
POSTGRES_PASSWORD: ⟪{p}⟫
MYSQL_ROOT_PASSWORD=⟪{q}⟫
spring.datasource.password=⟪{p}⟫
  password: ⟪{q}⟫
"password": "⟪{p}⟫"
{"user":"eva","passwd":"⟪{p}⟫"}
password = "⟪{p}⟫"  # TOML
[db]\npass = ⟪{p}⟫
export PGPASSWORD='⟪{p}⟫'
PGPASSWORD=⟪{q}⟫ psql -h db -U app shop
set FTP_PASS=⟪{p}⟫
$env:API_TOKEN = "⟪{a40}⟫"
setenv SMTP_PASSWORD ⟪{p}⟫
ENV NPM_TOKEN=⟪{a36}⟫
ARG DB_PASS=⟪{p}⟫
docker run -e ADMIN_PASSWORD=⟪{p}⟫ app
docker login -u eva -p ⟪{p}⟫ hub.firma.example
echo '⟪{p}⟫' | docker login -u eva --password-stdin hub.firma.example
kubectl create secret generic db --from-literal=password='⟪{p}⟫'
helm install x --set auth.password=⟪{p}⟫
apiVersion: v1\nkind: Secret\ndata:\n  token: ⟪{b44}⟫
stringData:\n  api-key: ⟪{a40}⟫
env:\n  DEPLOY_TOKEN: ⟪{a40}⟫
- name: API_KEY\n  value: "⟪{a32}⟫"
variables: { SONAR_TOKEN: ⟪{h40}⟫ }
terraform apply -var db_password=⟪{p}⟫
resource x { master_password = "⟪{p}⟫" }
client_secret=⟪{w40}⟫&grant_type=client_credentials
"client_secret": "⟪{w40}⟫"
grant_type=password&username=eva&password=⟪{a14}⟫
"refresh_token":"⟪{w64}⟫"
access_token: ⟪{w50}⟫
consumer_secret = ⟪{a50}⟫
token: ⟪{h40}⟫
apikey ⟪{h32}⟫
my API key is ⟪{a32}⟫
the api token for grafana is ⟪{a40}⟫
license_key: ⟪{u5}-{u5}-{u5}-{u5}-{u5}⟫
recovery code: ⟪{s5}-{s5}⟫
backup codes: ⟪{d4} {d4}⟫, ⟪{d4} {d4}⟫
webhook secret: ⟪{h40}⟫
signing secret ⟪{h32}⟫
encryption key is ⟪{b43}=⟫
seed for 2FA: ⟪{T32}⟫
TOTP secret ⟪{T32}⟫
2026-01-04 10:11:12 DEBUG auth: login user=eva password=⟪{p}⟫ ok
INFO connecting with token=⟪{a32}⟫
ERROR 401 for api_key=⟪{h32}⟫ from 10.0.0.4
POST /login body={"email":"e@f.example","password":"⟪{p}⟫"}
pass: ⟪{p}⟫
pw=⟪{p}⟫
pwd: ⟪{q}⟫
passwort=⟪{p}⟫
contraseña=⟪{p}⟫
hasło: ⟪{p}⟫
mot_de_passe: ⟪{p}⟫
requirepass ⟪{p}⟫
rootpw ⟪{p}⟫
bindpw ⟪{p}⟫
psk="⟪{q}⟫"
wpa_passphrase=⟪{q}⟫
snmp-server community ⟪{a12}⟫ RW
<add key="ApiSecret" value="⟪{a32}⟫"/>
<property name="password" value="⟪{p}⟫"/>
--token ⟪{a40}⟫
--api-key=⟪{a40}⟫
--password ⟪{p}⟫
vault kv put kv/db password=⟪{p}⟫
gh secret set TOKEN --body '⟪{a40}⟫'
os.environ['API_SECRET'] = '⟪{a32}⟫'
const apiKey = '⟪{a32}⟫';
let authToken: string = "⟪{w40}⟫";
private static final String PASSWORD = "⟪{p}⟫";
define('DB_PASSWORD', '⟪{p}⟫');
$cfg['blowfish_secret'] = '⟪{k32}⟫';
:password => '⟪{p}⟫',
password: process.env.PW || '⟪{p}⟫'
os.getenv('TOKEN', '⟪{a40}⟫')
ALTER USER app WITH PASSWORD '⟪{p}⟫';
CREATE USER eva IDENTIFIED BY '⟪{p}⟫';
SET PASSWORD FOR eva = PASSWORD('⟪{p}⟫');
""",
    "key": r"""
-----BEGIN RSA PRIVATE KEY-----\n⟪{b64}\n{b64}\n{b64}⟫\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\n⟪{b70}\n{b70}\n{b70}⟫\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END PRIVATE KEY-----
-----BEGIN EC PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END EC PRIVATE KEY-----
-----BEGIN ENCRYPTED PRIVATE KEY-----\n⟪{b64}\n{b64}⟫\n-----END ENCRYPTED PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n⟪{b64}\n{b64}\n={b4}⟫\n-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n\n⟪{b64}\n{b64}⟫\n-----END RSA PRIVATE KEY-----
"private_key": "-----BEGIN PRIVATE KEY-----\\n⟪{b64}\\n{b64}⟫\\n-----END PRIVATE KEY-----\\n"
-----BEGIN RSA PRIVATE KEY-----\n⟪{b64}\n{b64}\n{b64}⟫ (rest cut)
> -----BEGIN PRIVATE KEY-----\n> ⟪{b64}\n> {b64}⟫\n> -----END PRIVATE KEY-----
    -----BEGIN PRIVATE KEY-----\n    ⟪{b64}\n    {b64}⟫\n    -----END PRIVATE KEY-----
PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 2\n{b64}\n{b20}\nPrivate-Lines: 1\n⟪{b48}⟫\nPrivate-MAC: {h64}
[Interface]\nPrivateKey = ⟪{b43}=⟫\nAddress = 10.0.0.2/32
PresharedKey = ⟪{b43}=⟫
{"kty":"RSA","n":"{w86}","e":"AQAB","d":"⟪{w86}⟫"}
{"kty":"oct","k":"⟪{w43}⟫"}
minisign: untrusted comment: minisign encrypted secret key\n⟪RWRTY0Iy{b160}⟫
xprv9s21ZrQH143K⟪{N96}⟫
bitcoin WIF: ⟪5{N50}⟫
nsec1⟪{z58}⟫
ethereum private key 0x⟪{h64}⟫
-----BEGIN OpenVPN Static key V1-----\n⟪{h32}\n{h32}\n{h32}⟫\n-----END OpenVPN Static key V1-----
""",
    "connection": r"""
postgres://app:⟪{p}⟫@db.firma.example:5432/shop
postgresql+asyncpg://app:⟪{a16}⟫@db/shop
mysql://root:⟪{q}⟫@127.0.0.1/shop
mongodb+srv://app:⟪{a16}⟫@c0.firma.example/?retryWrites=true
redis://:⟪{a24}⟫@cache:6379/0
rediss://default:⟪{w40}⟫@cache.firma.example:6380
amqp://svc:⟪{a16}⟫@mq:5672//
Server=db;Database=shop;User Id=sa;Password=⟪{p}⟫;Encrypt=true
Data Source=db;uid=sa;pwd=⟪{q}⟫;
jdbc:postgresql://db/shop?user=app&password=⟪{a16}⟫
jdbc:oracle:thin:scott/⟪{a14}⟫@//db:1521/orcl
sqlplus scott/⟪{a14}⟫@orcl
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟪{b86}==⟫
Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟪{b43}=⟫
smtp://mailer:⟪{a16}⟫@mail.firma.example:587
ftp://eva:⟪{p}⟫@ftp.firma.example/
sftp://eva:⟪{a14}⟫@host/x
ldap://cn=admin:⟪{a14}⟫@ldap.firma.example
snowflake://eva:⟪{a16}⟫@acct/db
nats://⟪{a40}⟫@nats:4222
clickhouse://default:⟪{q}⟫@ch:9000
https://elastic:⟪{a20}⟫@es.firma.example:9243
socks5://eva:⟪{a12}⟫@proxy:1080
HTTP_PROXY=http://eva:⟪{a14}⟫@proxy.firma.example:3128
DATABASE_URL='postgres://u:⟪{a30}⟫@h/d'
rtsp://admin:⟪{q}⟫@10.0.0.9/stream1
vnc://:⟪{a8}⟫@10.0.0.9
AMQP_URL=amqps://u:⟪{w32}⟫@mq.firma.example/v
Data Source=tcp:db,1433;Initial Catalog=x;User ID=u;Password='⟪{p}⟫'
cassandra: PlainTextAuthProvider(username='c', password='⟪{p}⟫')
""",
    "phrase": r"""
The passphrase is ⟪{f5}⟫.
passphrase: ⟪{F5}⟫
GPG passphrase "⟪{F4}⟫"
my backup passphrase is '⟪{F6}⟫'
Passphrase für die Platte: ⟪{f4}⟫
the password is "⟪{F4}⟫"
password: ⟪{f4}⟫
vault password: ⟪{x4}⟫
seed phrase: ⟪{F12}⟫
recovery phrase is ⟪{F12}⟫
mnemonic = "⟪{F24}⟫"
Wallet seed:\n⟪{F12}⟫
BORG_PASSPHRASE='⟪{F5}⟫'
RESTIC_PASSWORD=⟪{f5}⟫
la phrase secrète est « ⟪{F5}⟫ »
master password → ⟪{f4}⟫
ssh-keygen -N '⟪{F4}⟫' -f k
diceware: password ⟪{f6}⟫
cryptsetup passphrase = ⟪{x5}⟫
the safe word phrase / passphrase: ⟪{F4}⟫
""",
}

ORDINARY: dict[str, str] = {
    "sentence": r"""
The password is required.
The password is stored as a bcrypt hash.
Password is too short (8 characters at least).
My password expired yesterday.
The password must contain a digit, e.g. one of 0-9.
The password was changed by eva on 2026-03-04.
We never log passwords, tokens or cookies.
The passphrase is asked for at the start.
Password: required, 12+ characters
Password reset is broken in Safari 17.4.
password for the wiki is in the vault under ops/wiki
The user's password is not sent to the server.
The password field has the id user_password_confirmation.
password policy: rotate every 90 days
The secret is patience.
The secret of good bread is time.
Her token of thanks was a book.
The key is to start small.
The key is under the mat.
The token is invalid or expired (401).
The API key is read from OPENAI_API_KEY.
The api key is missing in staging.
tokens: 4096 per request
max_tokens=2048
The model has 128k tokens of context.
token count: 15,332
password manager: Bitwarden
pass the salt, please
Pass: 12, fail: 3
pass rate = 97.3%
all tests pass: 214/214
The login is slow since release 4.2.
Login: use SSO
Log in as admin and open Settings / Users.
user / group / other
User eva / team blue
sign in with Google and grant access
credentials: see the vault
creds are in 1Password, item 'staging'
The pin of the CPU socket is bent.
PIN 4 is ground on this header
The door code is asked for at night.
Code review: 14 comments
Das Passwort ist abgelaufen.
Das Passwort muss zwölf Zeichen haben.
Das Kennwort lautet jedes Jahr anders.
Das Passwort ist seit 2024 dasselbe.
Das Kennwort ist im Tresor hinterlegt.
Ich habe das Passwort vergessen.
Passwort: mindestens 12 Zeichen
Le mot de passe est obligatoire.
Le mot de passe est stocké chiffré.
J'ai oublié le mot de passe.
Mot de passe : 8 caractères minimum
La contraseña es obligatoria.
La contraseña caducó en marzo.
La contraseña es demasiado corta.
La clave es la paciencia.
La clave es escuchar a los usuarios.
Olvidé la contraseña otra vez.
Contraseña: mínimo 8 caracteres
La password è obbligatoria.
La password è scaduta nel 2025.
La chiave è la semplicità.
Ho dimenticato la password.
A senha é obrigatória.
A senha expirou em março.
Esqueci a senha de novo.
Het wachtwoord is verlopen.
Het wachtwoord is te kort (min. 12).
Ik ben het wachtwoord vergeten.
Hasło jest za krótkie.
Hasło wygasło w marcu 2025.
Hasło to podstawa bezpieczeństwa.
Zapomniałem hasła.
Parola este obligatorie.
Parola a expirat în 2025.
Am uitat parola.
Lösenordet är för kort.
Lösenordet har gått ut 2025-01-03.
Jag glömde lösenordet.
Heslo je povinné.
Heslo vyprší za 90 dní.
Zapomněl jsem heslo.
Parola zorunludur.
Şifre en az 12 karakter olmalı.
Şifremi unuttum.
Пароль обязателен.
Пароль истёк в марте 2025.
Я забыл пароль.
Пароль: не менее 8 символов
Adgangskoden er udløbet.
Salasana on vanhentunut.
パスワードは必須です
パスワードは8文字以上で入力してください
密码不能为空
密码：至少8位
비밀번호는 8자 이상이어야 합니다
Parola d'ordine: semplicità
Il segreto è il sugo.
Das Geheimnis ist die Butter.
Le secret, c'est le beurre.
El secreto es la sal.
Passwords are hashed with argon2id, m=65536, t=3.
We use bcrypt with cost 12.
The cookie is set with SameSite=Lax and HttpOnly.
The session lasts 30 minutes.
Webhook deliveries are retried 5 times.
Invite links expire after 7 days.
Signed URLs live for 900 seconds.
private key of the house: under the flower pot
Her passphrase has seven words.
The seed of the generator is 20260101.
random seed = 42
seed: 1234567890
The recovery phrase has 12 or 24 words.
mnemonic devices help pupils
The bearer of this letter is my aunt.
""",
    "code": r"""
password = getpass.getpass()
password = os.environ['DB_PASSWORD']
password: str | None = None
def login(user: str, password: str) -> Session:
if password == other_password:
token = request.headers.get('Authorization')
token = secrets.token_urlsafe(32)
self.token = token
const token = await getToken();
let apiKey = process.env.API_KEY;
api_key=settings.API_KEY
api_key: ${{ secrets.API_KEY }}
password: ${DB_PASSWORD}
password: {{ vault_password }}
password = var.db_password
PASSWORD=$(cat /run/secrets/db)
TOKEN=$(gh auth token)
export TOKEN="$1"
password=<your password>
password=changeme
API_KEY=your-api-key-here
token: xxxxxxxxxxxxxxxx
password: ********
PASSWORD=...
secret: ""
password: null
token: None
api_key = 'YOUR_API_KEY'
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer {token}
Authorization: Basic {base64(user:password)}
curl -u user:password https://api.firma.example
postgres://user:password@localhost/db
postgres://USER:PASS@HOST/DB
mysql://${USER}:${PASS}@db/shop
https://<user>:<password>@git.firma.example
-p $MYSQL_PASSWORD
mysql -u root -p shop
--password-stdin
--token-file /run/token
input[type=password] { border: 1px solid #ccc; }
<input type="password" name="password" autocomplete="current-password">
<label for="password">Password</label>
password_hash = hashpw(password, gensalt(12))
check_password(user.password, raw)
assert response.cookies['sessionid']
Cookie: sessionid=<value>
sessionid = cookies.get('sessionid')
session.cookies.set('theme', 'dark')
Cookie: theme=dark; lang=de; consent=yes
Set-Cookie: lang=de; Path=/; Max-Age=31536000
re.compile(r'^\\$2[aby]\\$\\d\\d\\$')
re.match(r'AKIA[0-9A-Z]{16}', s)
awk '{print $1,$2}' file
echo $1 $2 $6
$1$2$3 are the groups
perl -pe 's/(a)(b)/$2$1/'
SELECT password FROM users WHERE id = $1
UPDATE users SET password = $1 WHERE id = $2
tokenizer.encode(text)
token_type_ids
class TokenBucketRateLimiter:
TokenKind::Identifier
lexer.next_token()
accessTokenExpiresInSeconds: 3600
refresh_token_ttl = 86400
secretKeyRef:\n  name: db\n  key: password
secretName: tls-wildcard-firma
valueFrom: { secretKeyRef: { name: api, key: token } }
keyboard.press('Control+Shift+K')
key = lambda x: x[1]
sorted(rows, key=itemgetter('created_at'))
primary_key=True
foreign key (memory_id) references memories(id)
partition_key = 'tenant#{d6}'
cache_key = f'user:{id}:profile'
key: nav.settings.account.title
i18n: login.password.placeholder = Enter your password
login.password.label=Password
error.password.tooShort=At least 8 characters
msgid "Password"\nmsgstr "Passwort"
class="token keyword"
git push origin HEAD:refs/heads/feature/token-refresh
from .auth import verify_password, create_access_token
import { useAuthToken } from '@/hooks/useAuthToken'
modules/redaction/rules.py:114
tests/unit/test_password_policy.py::test_a_short_password_is_refused
https://docs.firma.example/auth/reset-password
https://firma.example/blog/how-we-rotate-secrets
com.firma.auth.token.RefreshTokenRepositoryImpl
org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder
eyJ is how a JWT begins
header.payload.signature
a.b.c
window.__APP_CONFIG__.features.newLogin
SHA256withRSAandMGF1
EVP_PKEY_CTX_set_rsa_padding
pbkdf2_hmac('sha256', pw, salt, 600_000)
PasswordAuthentication no
PermitRootLogin prohibit-password
pam_unix.so sha512 shadow nullok
hash_type: $6$ (sha512crypt)
$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>
the prefix $2b$ means bcrypt
the file begins with -----BEGIN PRIVATE KEY-----
grep -r 'BEGIN RSA PRIVATE KEY' .
POST /oauth/token HTTP/1.1
grant_type=authorization_code&code=<code>
GET /api/keys?page=2&per_page=50
https://firma.example/?utm_source=newsletter&utm_campaign=spring2026
token=abc123 is the example in the manual
key=value pairs
--set image.tag=v1.24.3-alpine3.20
FROM python:3.11.9-slim-bookworm@sha256:{h64}
uses: actions/checkout@{h40} # v4.1.7
docker.io/library/redis@sha256:{h64}
ENV PYTHONDONTWRITEBYTECODE=1
passwd: password updated successfully
pass -c mail/eva
bindpw file=/etc/ldap.secret
auth: type=oauth2, flow=pkce
permissions: id-token: write
password: !vault |
api_token: op://ops/grafana/token
DB_PASSWORD_FILE=/run/secrets/db_password
token = Token(kind='number', value='42')
pwd: /home/eva/projects/agentos
pwd=/srv/www
PWD=/root
cd $(pwd)/build
user: eva, group: staff, mode: 0644
uid=1000(eva) gid=1000(eva)
user/eva/settings.json
SecretStr
NotASecretButALongIdentifierName
getSecretValueCommandInputFilterSensitiveLog
#define MAX_PASSWORD_LENGTH 128
PASSWORD_MIN_LENGTH = 12
password_attempts=5
auth.token.ttl=15m
TOKEN_BUDGET=2400
secret_rotation_days: 90
passphrase_words: 6
cookie_max_age = 1209600
csrf: true
""",
    "digest": r"""
sha256:{h64}
SHA-1 {h40}
md5 {h32}  dump.sql.gz
{h64}  agentos-2.0.0.tar.gz
SHA512 (a.iso) = {h128}
integrity sha512-{b86}==
"integrity": "sha512-{b86}==",
integrity="sha384-{b64}" crossorigin="anonymous"
commit {h40}
merged in {h7}
fixed by {h12} on main
git show {h40}:README.md
git diff {h7}..{h7}
index {h7}..{h7} 100644
Merge: {h7} {h7}
parent {h40}
tree {h40}
https://git.firma.example/acme/core/commit/{h40}
https://git.firma.example/acme/core/blob/{h40}/src/a.py#L17
h1:{b43}= go.sum
github.example/x/y v1.2.3 h1:{b43}=
checksum = "{h64}"
content-hash = "{h64}"
resolved "https://packages.firma.example/a/-/a-1.2.3.tgz#{h40}"
--hash=sha256:{h64}
sha256-{b43}=
narHash: sha256-{b43}=
ETag: "{h32}"
etag W/"{a27}"
Content-MD5: {b22}==
digest: sha256:{h64}
Image ID: {h12}
container {h64} exited 0
layer {h12}: Pull complete
block {h64} mined
tx 0x{h64} confirmed
address 0x{h40}
0xdeadbeef at 0x7ffd{h8}
crc32 {h8}
blake3 {h64}
b2sum {h128}
Fingerprint: SHA256:{b43}
SHA256:{b43} eva@laptop (ED25519)
MD5:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}
Key fingerprint = {H4} {H4} {H4} {H4} {H4}  {H4} {H4} {H4} {H4} {H4}
gpg: using RSA key {H40}
gpg: key {H16}: public key imported
IPFS Qm{N44}
bafybei{s52}
magnet:?xt=urn:btih:{h40}
serial number: {H32}
X509v3 Subject Key Identifier: {H40}
trace_id={h32} span_id={h16}
traceparent: 00-{h32}-{h16}-01
X-Request-Id: {g}
request id {h32}
correlation: {a22}
x-amz-request-id: {u16}
x-amz-id-2: {b75}=
CF-RAY: {h16}-FRA
CSP 'sha256-{b43}='
the hash of the password list is {h64}
hash: {h64}
hash = {h40}
sum: {h32}
signature of the release: {h40}
cache-key: deps-{h64}
key: pip-{h64}
key=cache/{h40}
snapshot {h8} saved
restic snapshot {h64}
dedup key {h64}
""",
    "identifier": r"""
memory:{g}
goal {g} is done
user_id={g}
tenant: {g}
session {g} ended
session_id: {g} in the trace
run-{g}
{G26} is the ULID
id={w11}
https://youtu.be/{w11}
https://www.youtube.com/watch?v={w11}
https://docs.google.com/document/d/{w44}/edit
arn:aws:iam::{d12}:role/deploy
arn:aws:s3:::acme-backups
vpc-{h17}
i-{h17}
ami-{h17}
subnet-{h8}
subscription {g} in Azure
/subscriptions/{g}/resourceGroups/rg-prod
projects/acme-prod-{d6}
customer cus_{a14}
charge ch_3{a23}
pi_3{a23} succeeded
price_1{a23}
prod_{a14}
evt_1{a23}
pk_live_{a24} is the publishable key
price: 12.99 EUR
total 1,204.50 USD
IBAN shown as DE** **** **** 1234
order 2026-{d6}
invoice RE-{d8}
ticket OPS-{d4}
PR #{d4}
ISBN 978-3-16-148410-0
DOI 10.1000/{d6}
arXiv:2401.{d5}
CVE-2026-{d5}
GHSA-{s4}-{s4}-{s4}
RFC 7519
port 5432 → 15432
10.0.0.5:8080
2001:db8::{h4}:{h4}
mac {h2}:{h2}:{h2}:{h2}:{h2}:{h2}
imei {d15}
tracking 1Z{u16}
VIN WVW{u14}
flight LH{d4} seat 14C
gate code B42
postal code SW1A 1AA
phone +49 30 {d8}
error code 0x80070005
exit code 137
postcode: 53111
country code: DE
bar code {d13}
status code: 404
source code: 12,000 lines
version 2.14.0-rc.3+build.{h7}
kernel 6.8.0-45-generic
model: claude-sonnet-4-20250514
gpt-4o-2024-08-06
text-embedding-3-small
BAAI/bge-small-en-v1.5
react-dom.production.min.js
chunk-{u8}.js
main.{h8}.css
assets/index-{w8}.js
build/{h20}/a.o
/nix/store/{s32}-bash-5.2
~/.cache/pip/wheels/{h2}/{h2}/{h60}
pod web-{h10}-{s5}
job nightly-{d10}
deploy-{d14}
snap_{d8}T{d6}Z
test_id: T-{d6}
data-testid="login-password-input"
data-v-{h8}
css-{s6}-MuiButton-root
UA-{d8}-1
G-{u10}
GTM-{u7}
ca-pub-{d16}
Slack channel C{u10}
Discord user {d18}
Discord channel https://discord.com/channels/{d18}/{d18}/{d19}
Telegram chat -100{d10}
tweet {d19}
https://x.example/eva/status/{d19}
message-id <{a22}@mail.firma.example>
Notion page {h32}
https://notion.firma.example/Plan-{h32}
Figma file {a22}
https://figma.firma.example/file/{a22}/Login
kid: {w27}
client_id: {d12}-{s32}.apps.googleusercontent.com
client_id={g}
app_id 1:{d12}:web:{h22}
AWS account {d12}
key id {g} in KMS
"private_key_id": "{h40}", "type": "service_account"
arn:aws:kms:eu-central-1:{d12}:key/{g}
alias/backup-key
KeyName: eva-laptop-2026
partition key: 2026-03#{d4}
license: Apache-2.0
serial: SN{d10}
""",
    "address": r"""
https://firma.example/pricing
https://docs.firma.example/webhooks/retries
https://api.slack.com/messaging/webhooks
https://hooks.slack.com/services/ is where they go
https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
https://discord.com/api/webhooks/{id}/{token}
https://discord.com/developers/docs/resources/webhook
https://discord.com/api/webhooks/<id>/<token>
https://core.telegram.org/bots/api
https://api.telegram.org/bot<token>/getMe
https://firma.example/a?page=2&sort=desc&filter=active
https://firma.example/search?q=password+reset
https://firma.example/search?q=how+to+rotate+an+api+key
https://firma.example/login?next=/admin
https://firma.example/login?error=invalid_token
https://firma.example/tokens/refresh
https://firma.example/invite
https://firma.example/invitations/pending
https://firma.example/s/summer-sale
https://firma.example/reset-password?lang=de
https://firma.example/share?text=hello
https://shop.firma.example/item/{d8}?color=blue&size=42
https://shop.firma.example/?ref={s6}
https://maps.firma.example/@52.5200,13.4050,15z
https://firma.example/static/img/logo.svg?v={h8}
https://firma.example/app.js?v={h32}
https://gravatar.firma.example/avatar/{h32}?s=80
https://img.firma.example/{g}.png
https://git.firma.example/acme/core/issues/{d4}#issuecomment-{d10}
https://git.firma.example/acme/core/releases/download/v2.0.0/a.tar.gz
https://en.wikipedia.org/wiki/Salt_(cryptography)
https://datatracker.ietf.org/doc/html/rfc7617#section-2
http://localhost:3000/#/login
http://127.0.0.1:8787/memories/{g}
https://zoom.us/j/{d10}
https://us02web.zoom.us/j/{d11}
https://meet.google.com/{l3}-{l4}-{l3}
https://teams.firma.example/l/channel/19%3a{h32}%40thread.tacv2/General
https://calendar.firma.example/event?eid={a20}
https://drive.google.com/file/d/{w33}/view
https://www.dropbox.com/help/security
https://s3.eu-central-1.amazonaws.com/acme-public/logo.png
s3://acme-backups/2026/03/dump.sql.gz
gs://acme-public/a.csv
https://acme.blob.core.windows.net/public/a.png
https://d{s13}.cloudfront.net/a.js
https://join.slack.com/help
https://discord.com/invite
https://t.me/agentos_news
https://signal.org/download
https://chat.firma.example/channel/general
https://n8n.firma.example/workflow/17
https://ci.firma.example/job/core/4711/console
https://o4501.ingest.firma.example/api
redis://cache:6379/0
postgres://db.firma.example:5432/shop
mongodb://localhost:27017/test
amqp://mq:5672
ssh://git@git.firma.example:22/acme/core.git
git@git.firma.example:acme/core.git
sftp://files.firma.example/in
mailto:eva@firma.example?subject=token
https://firma.example/?code=SPRING26
https://firma.example/verify?lang=en
https://sso.firma.example/authorize?client_id=web&response_type=code&scope=openid
https://firma.example/a#section-3.2
https://firma.example/docs/#authentication-token
https://mega.nz/about
https://firma.example/webhook
POST /webhooks/github 202
https://firma.example/hooks/pre-commit
https://onetimesecret.com/about
https://firma.example/rss/private
https://firma.example/oauth/callback?error=access_denied&state={w22}
wss://stream.firma.example/v1
chrome-extension://{l32}/popup.html
vscode://file/home/eva/a.py:10
https://fonts.firma.example/css2?family=Inter:wght@400;600
https://unsplash.firma.example/photos/{w11}?w=1200&q=80&fm=jpg
""",
    "public": r"""
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} eva@laptop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b300} ops
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY{b87}= ci
-----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n{b64}\n-----END CERTIFICATE-----
-----BEGIN CERTIFICATE REQUEST-----\n{b64}\n{b64}\n-----END CERTIFICATE REQUEST-----
-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{b64}\n{b64}\n={b4}\n-----END PGP PUBLIC KEY BLOCK-----
-----BEGIN PGP SIGNATURE-----\n\n{b64}\n{b64}\n={b4}\n-----END PGP SIGNATURE-----
-----BEGIN DH PARAMETERS-----\n{b64}\n{b64}\n-----END DH PARAMETERS-----
[Peer]\nPublicKey = {b43}=\nAllowedIPs = 10.0.0.0/24
age1{z58} is the recipient
age recipient age1{z58}
{"kty":"RSA","n":"{w86}","e":"AQAB"}
{"kty":"EC","crv":"P-256","x":"{w43}","y":"{w43}"}
public_key: {b43}=
publicKey = "{h64}"
npub1{z58}
xpub661MyMwAqRbc{N96}
data:image/png;base64,iVBORw0KGgo{b200}
data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
<img src="data:image/svg+xml;base64,PHN2Zy{b120}">
data:font/woff2;base64,d09GMgAB{b160}
url(data:image/jpeg;base64,/9j/4AAQ{b160})
DKIM-Signature: v=1; a=rsa-sha256; d=firma.example; s=k1; bh={b43}=
k1._domainkey IN TXT "v=DKIM1; k=rsa; p=MIGf{b120}"
_acme-challenge IN TXT "{w43}"
firma.example. IN DS 12345 13 2 {H64}
v=spf1 include:_spf.firma.example ~all
google-site-verification={w43}
known_hosts: git.firma.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}
pin-sha256="{b43}="
Expect-CT: max-age=86400
minisign public key RWQ{b53}
cosign.pub in the repository root
VAPID public key: B{w86}
jwks_uri: https://sso.firma.example/.well-known/jwks.json
the certificate's serial {h32} was revoked
nonce-{b22}== in the CSP header
{"alg":"RS256","kid":"{w27}","typ":"JWT"}
""",
    "text": r"""
El paquete llega el jueves a las 10:30.
Der Zug fährt um 07:42 von Gleis 3.
Le train part à 18h05.
Il treno parte alle 9.
O comboio parte às 8h.
De trein vertrekt om 12.15.
Pociąg odjeżdża o 6:55.
Trenul pleacă la 5.
Tåget går 14.20.
Поезд в 9:40.
電車は9時に出ます
火车九点出发
기차는 9시에 출발합니다
Eva prefers tea with 2 spoons of honey.
We ship on Fridays; Tom reviews.
The budget is $12,500 for Q3.
Chapter 12: the secret garden
Agatha Christie's The Secret Adversary
The Keymaster lives on 5th Avenue
Passau liegt an der Donau.
Passwort-Manager im Vergleich: Test 2026
a boarding pass for LH1234
ski pass: 3 days, 189 EUR
mountain pass 2,244 m
The admin / user split is 20/80.
ops / dev / sec meet at 10:00
root / sudo / wheel
Contact: eva@firma.example / +49 30 1234567
eva@firma.example and tom@firma.example sign in
Admin: Eva Muster
Owner: @eva / @tom
User: Eva Muster, Berlin
login: 3 failures since 08:00
Login page: /login, 200 in 34 ms
access: 24/7
Key results: NPS 42, churn 3.1%
key: C# minor
Keys: Ctrl+K, Ctrl+S
Answer key: 1B 2C 3A 4D
Legend key: red = late
Token ring was a LAN of the 1980s
Bearer bonds fell 3%
| user | role |\n|---|---|\n| eva | admin |
| setting | default |\n|---|---|\n| password_min_length | 12 |
| key | value |\n|---|---|\n| timezone | Europe/Berlin |
- [ ] rotate the token\n- [x] write docs
## Passwords\n\nStore them with argon2id.
1. Open Settings → Security → API keys.
TODO(eva): remove password from the fixture
Fix: password no longer logged (#{d4})
feat(auth): add token refresh
chore: bump cookie from 0.5.0 to 0.6.0
CHANGELOG: secrets are redacted before the write
2026-01-04 10:11:12 INFO auth: login user=eva ok
2026-01-04 WARN password check failed for user=eva (attempt 3)
ERROR token expired at 1790000000
DEBUG cache key=user:42 hit
INFO cookie consent=all
level=info msg="token refreshed" ttl=3600s
sshd[4711]: Accepted publickey for eva from 10.0.0.5 port 51234 ssh2: ED25519 SHA256:{b43}
sshd[12]: Failed password for root from 10.0.0.9 port 4242 ssh2
sudo: pam_unix(sudo:auth): authentication failure; user=eva
nginx: 10.0.0.5 - eva [04/Jan/2026:10:11:12 +0000] "GET /login HTTP/1.1" 200 512
Traceback: KeyError: 'password'
ValueError: invalid literal for int() with base 10: '0x{h8}'
AuthenticationError: token has expired
E       AssertionError: assert 'password' in {'user': 'eva'}
lorem ipsum dolor sit amet, consectetur adipiscing elit
supercalifragilisticexpialidocious
Donaudampfschifffahrtsgesellschaftskapitän
llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch
ACGTACGTTAGCTAGCTAGGATCCATGCATGC
e2e4 e7e5 g1f3 b8c6 f1b5
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
O=C(C)Oc1ccccc1C(=O)O
.btn-primary:hover{background:#{h6};border-color:#{h6}}
color: #{h6}; transition: all .2s cubic-bezier(.4,0,.2,1)
--token-color-primary: #{h6};
grid-template-areas: 'nav main'
@media (min-width:768px){.md\\:grid-cols-3{grid-template-columns:repeat(3,minmax(0,1fr))}}
M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10
design tokens: spacing-4 = 16px
token: color.background.primary = #{h6}
π ≈ 3.14159265358979323846
1.7976931348623157e+308
Temperature 36.6 °C, SpO2 98%
9780131103627 is K&R
""",
}


def halves(kinds: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the texts of both halves, each with its kind."""
    chance = random.Random(_SEED)
    found: dict[str, list[tuple[str, str]]] = {"A": [], "B": []}
    for kind, block in kinds.items():
        texts = [_drawn(chance, kind, line) for line in block.strip("\n").splitlines()]
        chance.shuffle(texts)
        for place, text in enumerate(texts):
            found["AB"[place % 2]].append((kind, text))
    return found


def _drawn(chance: random.Random, kind: str, line: str) -> str:
    if kind == "vendor":
        line = chance.choice(_CONTEXTS).replace("@", line)
    plain = re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] == "n" else escaped[1], line)
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


def main(arguments: list[str]) -> None:
    """Print the figures of a half."""
    for title, kinds, wrong in (("left", SECRET, left), ("changed", ORDINARY, changed)):
        texts = halves(kinds)[arguments[0]]
        bad = [(kind, text) for kind, text in texts if wrong(text)]
        sys.stdout.write(f"{title}: {len(bad)} of {len(texts)}, {len(bad) / len(texts):.3f}\n")
        for kind in kinds:
            counts = [sum(each == kind for each, _ in rows) for rows in (bad, texts)]
            sys.stdout.write(f"  {kind} {counts[0]} of {counts[1]}\n")
        if "--show" in arguments:
            sys.stdout.writelines(f"{kind}: {text!r} -> {redact(unmarked(text)).text!r}\n" for kind, text in bad)


if __name__ == "__main__":
    main(sys.argv[1:])
