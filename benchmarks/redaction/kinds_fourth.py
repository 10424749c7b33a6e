"""Hard texts by kinds, written before their writer read a rule and measured once. The marks are those of `harsh`."""

SECRET = """
alerts go to ⟪https://discord.com/api/webhooks/{d19}/{g68}⟫
curl -X POST ⟪https://hooks.slack.com/services/T{u8}/B{u10}/{a24}⟫ -d '{"text":"hi"}'
Teams channel: ⟪https://acme.webhook.office.com/webhookb2/{U}@{U}/IncomingWebhook/{h32}/{U}⟫
zapier hook ⟪https://hooks.zapier.com/hooks/catch/{d7}/{l7}/⟫ fires on new rows
n8n: https://n8n.acme.test/webhook/⟪{U}⟫?token=⟪{a32}⟫
IFTTT: https://maker.ifttt.com/trigger/door_open/with/key/⟪{g22}⟫
Telegram says https://api.telegram.org/bot⟪{d10}:{g35}⟫/sendMessage
Google Chat space https://chat.googleapis.com/v1/spaces/AAAA{a7}/messages?key=⟪{g39}⟫&token=⟪{g43}⟫
Mattermost incoming: ⟪https://chat.acme.test/hooks/{l26}⟫
The Logic App: https://prod-12.westeurope.logic.azure.com/workflows/{h32}/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers&sv=1.0&sig=⟪{g43}⟫
download it at https://acme-exports.s3.amazonaws.com/r.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA{u16}%2F20260101%2Feu&X-Amz-Expires=900&X-Amz-Signature=⟪{h64}⟫
https://storage.googleapis.com/acme-b/o.zip?GoogleAccessId=x@y.iam.gserviceaccount.com&Expires=1790000000&Signature=⟪{b60}⟫
blob: https://acme.blob.core.windows.net/c/f.tar?sv=2023-11-03&se=2026-12-01&sr=b&sp=r&sig=⟪{a43}%3D⟫
cloudfront https://d1.cloudfront.net/v.mp4?Expires=1790000000&Signature=⟪{g80}⟫&Key-Pair-Id=K{u13}
reset here: https://app.acme.test/reset-password?token=⟪{g40}⟫
join with https://chat.acme.test/invite?token=⟪{a28}⟫&from=maria
magic link https://acme.test/login/magic/⟪{g43}⟫ expires in an hour
verify at https://acme.test/confirm?email=a%40b.test&code=⟪{h40}⟫
unsubscribe=no; link https://acme.test/share/doc/12?access_token=⟪{g36}⟫
oauth callback https://acme.test/cb?state=1&code=⟪4/0A{g50}⟫
The invite is https://join.slack.com/t/acme/shared_invite/⟪zt-{l9}-{g22}⟫
presigned PUT https://r2.acme.test/up/7?X-Amz-Signature=⟪{h64}⟫&x-id=PutObject
root:⟪$6${c8}${c86}⟫:19700:0:99999:7:::
htpasswd has maria:⟪$apr1${c8}${c22}⟫
stored as ⟪$2y$12${c53}⟫ in users.pw
the hash ⟪$2b$10${c53}⟫ came from the dump
argon: ⟪$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}⟫
md5crypt ⟪$1${c8}${c22}⟫
sha256crypt is ⟪$5$rounds=5000${c16}${c43}⟫
yescrypt ⟪$y$j9T${c22}${c43}⟫
scrypt in passlib: ⟪$scrypt$ln=16,r=8,p=1${b22}${b43}⟫
wordpress user_pass ⟪$P$B{c30}⟫
phpbb ⟪$H$9{c30}⟫
django: ⟪pbkdf2_sha256$600000${a22}${b43}=⟫
ldap userPassword: ⟪{SSHA}{b32}⟫
drupal row ⟪$S$D{c52}⟫
gost-yescrypt ⟪$gy$j9T${c22}${c43}⟫
werkzeug scrypt:32768:8:1$⟪{a16}${h128}⟫
Cookie: sessionid=⟪{l32}⟫; csrftoken=⟪{a32}⟫
Set-Cookie: JSESSIONID=⟪{H32}⟫; Path=/; HttpOnly
PHPSESSID=⟪{l26}⟫ still works after logout
curl -b 'connect.sid=s%3A⟪{g32}.{b43}⟫' https://acme.test
my browser sent laravel_session=⟪{g60}⟫
document.cookie = "auth=⟪{g48}⟫"
ASP.NET_SessionId=⟪{l24}⟫
the cookie _gitlab_session=⟪{h32}⟫ was in the HAR
remember_token=⟪{d4}|{h128}⟫; path=/
__Host-session=⟪{g44}⟫; Secure
user: deploy pass: ⟪{p}⟫
ops / ⟪{p}⟫ is the login for grafana
log in with admin and ⟪{p}⟫
credentials: maria:⟪{p}⟫
user=svc_backup;pwd=⟪{p}⟫
username admin password ⟪{p}⟫ on the switch
login: root\\npassword: ⟪{p}⟫
jenkins creds are builder / ⟪{p}⟫
The router accepts admin/⟪{p}⟫ as its login
u: pi  p: ⟪{p}⟫
sign in as audit with ⟪{p}⟫
sshpass -p ⟪{p}⟫ ssh root@10.0.0.4
mysql -u root -p⟪{p}⟫ shop
smbclient //nas/x -U maria%⟪{p}⟫
wget --user=bob --password=⟪{p}⟫ https://files.acme.test
curl -u bob:⟪{p}⟫ https://api.acme.test/v1
net use Z: \\\\\\\\nas\\\\share ⟪{p}⟫ /user:maria
echo '⟪{p}⟫' | sudo -S systemctl restart nginx
redis-cli -a ⟪{p}⟫ ping
PGPASSWORD=⟪{p}⟫ psql -h db
export MYSQL_PWD='⟪{p}⟫'
docker login -u ci -p ⟪{p}⟫ registry.acme.test
openssl enc -aes-256-cbc -k ⟪{p}⟫ -in a
7z x -p⟪{p}⟫ secrets.7z
The password is ⟪{p}⟫ for now
I changed my password to ⟪{p}⟫
Wi-Fi passphrase: ⟪{p}⟫
the new passcode for the safe is ⟪{d6}⟫
use ⟪{p}⟫ as the password of the test account
Her PIN is ⟪{d4}⟫
Das Passwort lautet ⟪{p}⟫
Mein neues Kennwort ist jetzt ⟪{p}⟫
Zugangsdaten: admin / ⟪{p}⟫
Le mot de passe du wifi est ⟪{p}⟫
Nouveau mot de passe : ⟪{p}⟫
identifiant marie, mdp ⟪{p}⟫
La contraseña del servidor es ⟪{p}⟫
usuario root clave ⟪{p}⟫
la clave nueva es ⟪{p}⟫
A senha do banco é ⟪{p}⟫
senha: ⟪{p}⟫
troquei a senha para ⟪{p}⟫
La password del router è ⟪{p}⟫
la parola d'ordine è ⟪{p}⟫
Hasło do bazy to ⟪{p}⟫
nowe hasło: ⟪{p}⟫
Parola de la server este ⟪{p}⟫
parola nouă: ⟪{p}⟫
Het wachtwoord is ⟪{p}⟫
wachtwoord van de nas: ⟪{p}⟫
Lösenordet är ⟪{p}⟫
adgangskoden er ⟪{p}⟫
Пароль от сервера: ⟪{p}⟫
мой новый пароль — ⟪{p}⟫
пароль до бази: ⟪{p}⟫
密码是 ⟪{p}⟫
数据库密码:⟪{p}⟫
パスワードは ⟪{p}⟫ です
비밀번호는 ⟪{p}⟫ 입니다
Şifre: ⟪{p}⟫
yeni parolam ⟪{p}⟫
كلمة المرور هي ⟪{p}⟫
הסיסמה היא ⟪{p}⟫
पासवर्ड है ⟪{p}⟫
mật khẩu là ⟪{p}⟫
heslo k databázi je ⟪{p}⟫
salasana on ⟪{p}⟫
a jelszó: ⟪{p}⟫
postgres://app:⟪{p}⟫@db.acme.test:5432/app
mongodb+srv://root:⟪{a16}⟫@c0.x.mongodb.net/x
redis://:⟪{a24}⟫@cache:6379/0
amqp://guest:⟪{a12}⟫@mq:5672
Server=db;Database=x;User Id=sa;Password=⟪{p}⟫;Encrypt=true
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟪{b86}==⟫;EndpointSuffix=core.windows.net
jdbc:mysql://db/x?user=app&password=⟪{p}⟫
jdbc:oracle:thin:scott/⟪{a10}⟫@db:1521/x
ftp://maria:⟪{a11}⟫@files.acme.test/in
https://bot:⟪ghp_{a36}⟫@github.com/acme/x.git
Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟪{b43}=⟫
smtp://noreply%40acme.test:⟪{a14}⟫@smtp.acme.test:587
dsn https://⟪{h32}⟫@o12.ingest.sentry.io/4
host=db user=app password=⟪{p}⟫ dbname=x
aws_secret_access_key = ⟪{b40}⟫
AWS_SECRET_ACCESS_KEY: "⟪{b40}⟫"
AWS_SESSION_TOKEN=⟪{b120}⟫
key ⟪AKIA{u16}⟫ with secret ⟪{b40}⟫
gcp api key ⟪AIza{g35}⟫
"private_key_id": "⟪{h40}⟫"
AZURE_CLIENT_SECRET=⟪{a3}8Q~{g34}⟫
OPENAI_API_KEY=⟪sk-proj-{g60}⟫
anthropic ⟪sk-ant-api03-{g93}AA⟫
stripe ⟪sk_live_{a24}⟫ and ⟪whsec_{a32}⟫
github_pat ⟪github_pat_{a22}_{a59}⟫
GITLAB_TOKEN=⟪glpat-{g20}⟫
npm token ⟪npm_{a36}⟫
⟪SG.{g22}.{g43}⟫ is the SendGrid one
twilio auth token ⟪{h32}⟫
DO token ⟪dop_v1_{h64}⟫
hf_token = ⟪hf_{a34}⟫
vault token ⟪hvs.{g90}⟫
cloudflare api token: ⟪{g40}⟫
datadog DD_API_KEY=⟪{h32}⟫
heroku api key ⟪{U}⟫
//registry.acme.test/:_authToken=⟪{U}⟫
pypi upload uses ⟪pypi-AgEIcHlwaS5vcmc{g80}⟫
slack bot ⟪xoxb-{d12}-{d12}-{a24}⟫
shopify ⟪shpat_{h32}⟫
linear ⟪lin_api_{a40}⟫
NOTION_KEY=⟪secret_{a43}⟫
figma: ⟪figd_{g40}⟫
age identity ⟪AGE-SECRET-KEY-1{u58}⟫
tailscale ⟪tskey-auth-k{a11}CNTRL-{a32}⟫
Authorization: Bearer ⟪eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{g20}.{g43}⟫
jwt ⟪eyJ{g33}.eyJ{g60}.{g43}⟫
Authorization: Basic ⟪{b31}=⟫
header 'X-Api-Key: ⟪{a32}⟫'
PRIVATE-TOKEN: ⟪{g20}⟫
Authorization: token ⟪{h40}⟫
Proxy-Authorization: Basic ⟪{b24}⟫
-----BEGIN RSA PRIVATE KEY-----\\n⟪{b64}⟫\\n⟪{b64}⟫\\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\\n⟪{b70}⟫\\n⟪{b70}⟫\\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN EC PRIVATE KEY-----\\n⟪{b64}⟫\\n-----END EC PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\\n\\n⟪{b64}⟫\\n-----END PGP PRIVATE KEY BLOCK-----
key: "-----BEGIN PRIVATE KEY-----\\\\n⟪{b64}⟫\\\\n-----END PRIVATE KEY-----\\\\n"
PuTTY-User-Key-File-3: ssh-ed25519\\nPrivate-Lines: 1\\n⟪{b64}⟫\\nPrivate-MAC: ⟪{h64}⟫
WireGuard PrivateKey = ⟪{b43}=⟫
otpauth://totp/acme:maria?secret=⟪{u32}⟫&issuer=acme
2FA seed ⟪{u32}⟫
TOTP secret: ⟪{u16}⟫
backup codes: ⟪{l4}-{l4}⟫, ⟪{l4}-{l4}⟫, ⟪{l4}-{l4}⟫
the one-time code is ⟪{d6}⟫
recovery phrase: ⟪canal dune ember fjord grove heron inlet jetty knoll lagoon mesa orchard⟫
APP_KEY=base64:⟪{b43}=⟫
SECRET_KEY = 'django-insecure-⟪{a50}⟫'
JWT_SECRET=⟪{p}⟫
"clientSecret": "⟪{g32}⟫"
client_secret=⟪GOCSPX-{g28}⟫
encryption_key: ⟪{h64}⟫
signing secret ⟪{h32}⟫ of the Slack app
ansible_become_pass: ⟪{p}⟫
<password>⟪{p}⟫</password>
<add key="ApiKey" value="⟪{a32}⟫" />
{"user":"maria","password":"⟪{p}⟫"}
spring.datasource.password=⟪{p}⟫
machine api.acme.test login maria password ⟪{p}⟫
db:5432:app:maria:⟪{p}⟫
--api-key ⟪{a40}⟫ --verbose
conn = connect(user="app", passwd="⟪{p}⟫")
os.environ["STRIPE_KEY"] = "⟪{a32}⟫"
requests.get(u, auth=("maria", "⟪{p}⟫"))
"""

ORDINARY = """
Password rotation happens every ninety days
The password must have at least 12 characters
He forgot his password again, so we reset it
password: required
passwords are hashed with argon2id
Passwort vergessen? Dann auf den Link klicken
Das Passwort muss zwölf Zeichen haben
Das Passwort steht im Tresor von Maria
Le mot de passe doit contenir douze caractères
Le mot de passe est expiré depuis lundi
La contraseña es obligatoria
La contraseña es demasiado corta
La clave es escuchar a los usuarios
La clave del éxito es la paciencia
A senha é obrigatória
A senha expira amanhã
La password è scaduta
La parola è d'argento, il silenzio è d'oro
Hasło jest wymagane
Hasło wygasło wczoraj
Parola este obligatorie
Parola trebuie schimbată lunar
Het wachtwoord is verlopen
Lösenordet är för kort
Adgangskoden er forkert
Пароль обязателен
Пароль был сброшен вчера
密码不能为空
密码是必填项
パスワードは必須です
パスワードは八文字以上です
비밀번호는 필수입니다
Şifre gerekli
Parola süresi doldu
كلمة المرور مطلوبة
הסיסמה היא חובה
पासवर्ड ज़रूरी है
mật khẩu là bắt buộc
Heslo je povinné
Salasana on pakollinen
A jelszó kötelező
The PIN pads arrive on Monday
pin 13 is the LED of the board
PIN 4 and PIN 6 are ground
Pin numpy to 1.26
The token budget is 2400
tokens: 1834
max_tokens=4096
token_type_ids must be int64
the tokenizer splits at spaces
tokenizer.json has 30522 entries
bearer tokens expire after an hour
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Basic auth is off
curl -H "Authorization: Bearer ${API_TOKEN}" https://api.acme.test
API_KEY=your-api-key-here
API_KEY=${API_KEY}
api_key: str | None = None
api_key=os.environ["ACME_KEY"]
password = getpass.getpass()
password=self.password
password = config.get("db.password")
def check_password(password: str) -> bool:
if password != confirm_password:
passwd = pwd.getpwnam("maria")
user.password = hash_password(form.password.data)
const { user, password } = req.body;
password?: string;
"password": {"type": "string", "minLength": 8}
<input type="password" name="password" autocomplete="current-password">
password: {{ vault_db_password }}
password: !vault |
password_file: /run/secrets/db
POSTGRES_PASSWORD_FILE=/run/secrets/pg
secretKeyRef: {name: db, key: password}
secret_name = "prod/db/main"
SECRET_KEY = os.urandom(32)
aws secretsmanager get-secret-value --secret-id prod/db
arn:aws:secretsmanager:eu-west-1:{d12}:secret:prod/db-{a6}
vault kv get secret/data/app
kubectl get secret db -o yaml
gh secret set DEPLOY_KEY < key.pem
the secret of good bread is time
Secret Santa is on 12 December
secret: false
commit {h40}
fixed in {h7}
Merge {h40} into {h40}
git bisect says {h40} is the first bad commit
index {h7}..{h7} 100644
tree {h40}
sha256:{h64}
sha256sum of the wheel is {h64}
--hash=sha256:{h64} \\\\
"integrity": "sha512-{b86}=="
md5 of a.bin: {h32}
ETag: "{h32}"
ETag: W/"{h40}"
docker.io/library/nginx@sha256:{h64}
image id {h12}
container {h64} exited
digest: sha256:{h64}
Cargo checksum = "{h64}"
go.sum h1:{b43}=
uv.lock hash = "sha256:{h64}"
narHash = "sha256-{b43}=";
{U}
request {U} failed
id: {U}
user_id={U}
session {U} ended at noon
"trace_id": "{h32}"
traceparent: 00-{h32}-{h16}-01
span {h16}
correlation-id: {U}
X-Request-Id: {h32}
Idempotency-Key: {U}
message-id <{h16}.{d10}@mail.acme.test>
memory 01{u24}
01{u24} is a ULID
objectId {h24}
_id: ObjectId("{h24}")
shopify product gid://shopify/Product/{d13}
price_{a24} is the Stripe price
customer cus_{a14}
invoice in_{a24}
prod_{a14}
pk_test is the publishable prefix
Slack channel C{u10}
Slack user U{u10}
Discord message {d19}
https://discord.com/channels/{d18}/{d18}/{d19}
https://acme.slack.com/archives/C{u10}/p{d16}
https://github.com/acme/x/commit/{h40}
https://github.com/acme/x/blob/{h40}/src/a.py#L10
https://gist.github.com/maria/{h32}
https://www.youtube.com/watch?v={g11}
https://docs.google.com/document/d/{g44}/edit
https://drive.google.com/file/d/{g33}/view
https://www.figma.com/file/{a22}/Design
https://acme.atlassian.net/browse/OPS-{d4}
https://www.notion.so/acme/Plan-{h32}
https://zoom.us/j/{d10}
https://meet.google.com/abc-defg-hij
https://acme.test/reset-password explains it
https://acme.test/invite?ref=maria
https://acme.test/search?q=token+budget&page=2
https://acme.test/?utm_source=mail&utm_campaign=spring
https://cdn.acme.test/app.{h20}.js
https://fonts.acme.test/s/inter/v12/{a40}.woff2
https://i.imgur.com/{a7}.png
https://hooks.slack.com is blocked by the proxy
docs at https://api.slack.com/messaging/webhooks
Webhooks need a secret, see the settings
https://discord.com/developers/docs/resources/webhook
data:image/png;base64,iVBORw0KGgo{b120}
src="data:image/gif;base64,R0lGODlhAQABA{b60}"
<img src="data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ{b90}">
url(data:font/woff2;base64,d09GMgABAAAA{b80})
-----BEGIN CERTIFICATE-----\\n{b64}\\n{b64}\\n-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----\\n{b64}\\n-----END PUBLIC KEY-----
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} maria@laptop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB{b120} ci
SHA256:{b43} is the host key's fingerprint
WireGuard PublicKey = {b43}=
AKIA is the prefix of AWS access keys
sk- prefixed keys belong to OpenAI
ghp_ tokens are classic ones
an ed25519 key has 32 bytes
The primary key is (tenant, id)
foreign key (user_id) references users(id)
key=lambda row: row.id
sort key: created_at
cache key user:{d6}:profile
keyboard shortcut Ctrl+Shift+P
the keys of the office are with Jonas
KEY_ENTER = 13
Object.keys(state).length
redis key session:{d8} expires
i18n key errors.password.too_short
translation: auth.password.reset
public_key_pem is served at /jwks
kid: {g27}
"n": "{g86}"
$1 is the first argument
$2y is the prefix of bcrypt hashes
costs $12 to $14 a month
the regex ^\\$6\\$ matches sha512crypt
cut -d: -f1 /etc/passwd
/etc/shadow is readable by root
root:x:0:0:root:/root:/bin/bash
maria:x:1000:1000::/home/maria:/bin/zsh
chmod 600 ~/.pgpass
~/.netrc holds the logins
use ssh-keygen -t ed25519 -C "maria@laptop"
openssl rand -hex 32
python -c 'import secrets; print(secrets.token_hex(16))'
mysql -u root -p shop
psql -U app -W -h db
docker login -u ci --password-stdin
sudo -u postgres psql
curl -u $USER:$PASS https://api.acme.test
sshpass -f pw.txt ssh root@h
tar -xzpf backup.tgz
mkdir -p src/main/java
ps -p 4711 -o pid
port: -p 8080:80
nmap -p22,80 10.0.0.4
postgres://localhost:5432/app
postgres://app@db:5432/app
postgresql://user:password@localhost/db
mysql://root:${MYSQL_PASSWORD}@db/x
redis://cache:6379/0
mongodb://localhost:27017
amqp://mq:5672
http://localhost:8080/user:admin
git@github.com:acme/x.git
https://maria@bitbucket.org/acme/x.git
Server=db;Database=x;Trusted_Connection=True
Cookie: theme=dark; lang=de
Set-Cookie: consent=yes; Path=/
cookies last thirty days
sessionid is Django's cookie
SESSION_COOKIE_AGE = 1209600
csrf_token()
{% csrf_token %}
X-CSRF-Token is required
session.get("user")
session_id: int
The login page is at /login
login: maria
username: maria
user maria / team ops
admin / editor / viewer are the roles
sign in with Google
log in as root and restart nginx
Maria / Jonas / Ana are on call
user: deploy group: deploy
credentials: include
credentials: same-origin
credentials are in 1Password
two-factor is on for everyone
OTP codes last 30 seconds
otpauth URIs have a secret and an issuer
the code is in src/otp.py
error code is 404171
Status code 500123 from the vendor
order {d6} was shipped
ticket {d8}
zip code 10115, Berlin
phone +49 30 {d7}
IBAN DE{d20}
version 2.0.0-rc.1+{h7}
build 20261129.4
Python 3.11.9 (main, Apr  2 2024)
CVE-2024-{d5}
RFC 6238 describes TOTP
ISBN 978-3-16-148410-0
lat 52.5200, lon 13.4050
MAC 3c:22:fb:{h2}:{h2}:{h2}
fe80::1c2b:{h4}:{h4}:{h4}
AS{d5} announces 10.0.0.0/8
RSA 4096 or ed25519
class PasswordResetTokenGenerator:
TokenBucketRateLimiterFactoryBean
getSecretManagerServiceClientBuilder()
test_password_is_hashed_before_it_is_stored
is_secret_scanning_enabled_for_private_repositories
ACME_FEATURE_FLAG_ENABLE_TOKEN_REFRESH=true
AbstractSingletonProxyFactoryBean
__cxa_throw_bad_array_new_length
_ZNSt6vectorIiSaIiEE9push_backERKi
libssl1.1_1.1.1w-0+deb11u1_amd64.deb
python3-cryptography_41.0.7-4ubuntu0.1
models--sentence-transformers--all-MiniLM-L6-v2
Das Geheimnis ist, früh anzufangen
Le secret, c'est la régularité
El token caduca a las dos horas
Il token scade domani
Токен истекает через час
令牌一小时后过期
トークンは一時間で切れます
Die PIN-Eingabe wird nach drei Versuchen gesperrt
Sein Benutzername ist maria.schmidt
utilisateur marie, groupe ops
usuario maria, equipo de datos
hunter2 is an old joke
correct horse battery staple is from xkcd
123456 is the most common password
Never write passwords in tickets
password manager: Bitwarden
password policy = strict
passwordless login is on
"passwordHash": null
token=null
token: undefined
secret=********
password=[REDACTED]
pwd
pwd: /home/maria/src
cd $OLDPWD
PWD=/home/maria
auth=(user, password)
auth: none
auth_method: oidc
AUTH_PROVIDER=google
auth.uid() = user_id
access_token_lifetime: 15m
refresh_token_rotation=true
client_id={d12}-{l32}.apps.googleusercontent.com
client_id: {h20}
GOOGLE_ANALYTICS_ID=G-{u10}
tenant {U}, subscription {U}
AZURE_TENANT_ID={U}
AWS_REGION=eu-central-1
AWS_ACCOUNT_ID={d12}
bucket acme-prod-{h8}
vpc-{h17} and subnet-{h17}
i-{h17} was stopped
ami-{h17}
sg-{h17} allows 443
pod web-{h10}-{l5} crashed
release v1.4.2 ({h40})
nonce {h24}
salt is per user
seed = 42
seed: 1234567
random_state=20261129
checksum ok: {h8}
crc32 {h8}
0x{h40} is the contract
block {h64}
tx 0x{h64}
bc1q{l38} is the donation address
fingerprint {H40}
PGP key 0x{H16}
serial {H32}
color #{h6}
lorem ipsum dolor sit amet
"""
