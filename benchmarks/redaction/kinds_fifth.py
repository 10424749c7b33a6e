"""More hard texts by kinds, in other manners of writing, measured once. The marks are those of `harsh`."""

SECRET = """
Our pager posts to ⟪https://discordapp.com/api/webhooks/{d18}/{g68}⟫ every hour
WEBHOOK_URL="⟪https://hooks.slack.com/workflows/T{u8}/A{u10}/{d18}/{a24}⟫"
Power Automate: https://default.00.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/{h32}/triggers/manual/paths/invoke?api-version=1&sig=⟪{g43}⟫
make scenario https://hook.eu2.make.com/⟪{l32}⟫
deploy by GET https://api.render.com/deploy/srv-{l20}?key=⟪{a11}⟫
Feishu bot https://open.feishu.cn/open-apis/bot/v2/hook/⟪{U}⟫
the file is at https://files.acme.test/d/9?expires=1790000000&signature=⟪{h64}⟫
gcs: https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=⟪{h128}⟫
Accept the invitation: https://app.acme.test/invitations/⟪{g32}⟫
to set a new one open https://acme.test/password/reset/⟪{h64}⟫
your sign-in link https://acme.test/auth/callback?token_hash=⟪{h56}⟫&type=magiclink
calendar feed https://calendar.google.com/calendar/ical/maria%40acme.test/private-⟪{h32}⟫/basic.ics
backup:⟪$6$rounds=656000${c16}${c86}⟫:1001:
pw hash in ansible: '⟪$5${c16}${c43}⟫'
crypt says ⟪$2a$10${c53}⟫
joomla has ⟪{h32}:{a32}⟫ in jos_users
mysql.user authentication_string ⟪*{H40}⟫
cisco: enable secret 5 ⟪$1${c4}${c22}⟫
cisco type 9 ⟪$9${c14}${c43}⟫
postgres rolpassword SCRAM-SHA-256$4096:⟪{b22}==${b43}=:{b43}=⟫
grub.pbkdf2.sha512.10000.⟪{H128}.{H128}⟫
Cookie: _session_id=⟪{h32}⟫
curl --cookie "SID=⟪{g72}⟫" https://acme.test
set-cookie: refresh_token=⟪{g64}⟫; HttpOnly
document.cookie='token=⟪{g40}⟫'
wordpress_logged_in_{h32}=⟪maria%7C{d10}%7C{a43}%7C{h64}⟫
Access for the printer: admin, ⟪{p}⟫
Username: sysop\\nPassword: ⟪{p}⟫\\nHost: 10.1.1.7
the intern logs in with intern / ⟪{p}⟫
creds for staging -> qa:⟪{p}⟫
name=maria&password=⟪{p}⟫&next=/
you get in as guest with the password ⟪{p}⟫
mariadb -uroot -p'⟪{p}⟫' shop
psql "postgresql://app:⟪{p}⟫@db/x"
kinit maria <<< '⟪{p}⟫'
mount -t cifs //nas/x /mnt -o username=maria,password=⟪{p}⟫
zip -P ⟪{p}⟫ out.zip a
gpg --batch --passphrase ⟪{p}⟫ -d x.gpg
ssh-keygen -t ed25519 -N '⟪{p}⟫' -f id
keytool -list -storepass ⟪{p}⟫
mosquitto_pub -u dev -P ⟪{p}⟫ -t x
ldapsearch -D cn=admin -w ⟪{p}⟫
Passwort für den Drucker: ⟪{p}⟫
das WLAN-Passwort hat sich geändert, es heißt nun ⟪{p}⟫
Le code wifi : ⟪{p}⟫
mon mot de passe, c'est ⟪{p}⟫
la contraseña de la wifi es: ⟪{p}⟫
cambia la contraseña a ⟪{p}⟫
a palavra-passe é ⟪{p}⟫
la password per il NAS è: ⟪{p}⟫
zmieniłem hasło na ⟪{p}⟫
am schimbat parola în ⟪{p}⟫
het nieuwe wachtwoord: ⟪{p}⟫
lösenord till servern: ⟪{p}⟫
пароль администратора — ⟪{p}⟫
管理员密码为 ⟪{p}⟫
ルーターのパスワード:⟪{p}⟫
와이파이 비밀번호 ⟪{p}⟫
veritabanı şifresi ⟪{p}⟫ oldu
κωδικός: ⟪{p}⟫
mysql+pymysql://root:⟪{p}⟫@db/x
mssql://sa:⟪{a14}⟫@db:1433/x
SQLALCHEMY_DATABASE_URI = "postgresql+psycopg://app:⟪{a16}⟫@db/x"
Data Source=db;Initial Catalog=x;User ID=sa;Pwd=⟪{p}⟫
rediss://default:⟪{a32}⟫@x.upstash.io:6379
{"AccessKeyId":"⟪ASIA{u16}⟫","SecretAccessKey":"⟪{b40}⟫"}
aws configure set aws_secret_access_key ⟪{b40}⟫
AZURE_STORAGE_KEY=⟪{b86}==⟫
"api_key": "⟪{a48}⟫"
export MISTRAL_API_KEY=⟪{a32}⟫
gh auth login --with-token <<< ⟪gho_{a36}⟫
token: ⟪glsa_{a32}_{h8}⟫
Set the header X-Auth-Token: ⟪{g40}⟫
id_token=⟪eyJ{g33}.eyJ{g80}.{g86}⟫
curl -H "authorization: bearer ⟪{g48}⟫" https://x.acme.test
-----BEGIN ENCRYPTED PRIVATE KEY-----\\n⟪{b64}⟫\\n⟪{b64}⟫\\n-----END ENCRYPTED PRIVATE KEY-----
ssh key:\\n-----BEGIN OPENSSH PRIVATE KEY-----\\n⟪{b70}⟫\\n⟪{b40}⟫
[Interface]\\nPrivateKey = ⟪{b43}=⟫\\nAddress = 10.0.0.2/32
PresharedKey = ⟪{b43}=⟫
authenticator key: ⟪{u4} {u4} {u4} {u4} {u4} {u4} {u4} {u4}⟫
MFA secret is ⟪{u32}⟫
otpauth://hotp/x?secret=⟪{u26}⟫&counter=1
recovery codes are ⟪{h5}-{h5}⟫ and ⟪{h5}-{h5}⟫
smtp.login("noreply", "⟪{p}⟫")
HTTPBasicAuth("ci", "⟪{p}⟫")
<property name="password" value="⟪{p}⟫"/>
quarkus.datasource.password: ⟪{p}⟫
"smtpPass": "⟪{p}⟫"
default_password = "⟪{p}⟫"
$env:DB_PASSWORD = "⟪{p}⟫"
set PGPASSWORD=⟪{p}⟫
ALTER USER app WITH PASSWORD '⟪{p}⟫';
CREATE USER 'app'@'%' IDENTIFIED BY '⟪{p}⟫';
"""

ORDINARY = """
Maria resets passwords on Fridays
password strength: medium
Passwortregeln stehen im Wiki
Das Kennwort ist abgelaufen und muss geändert werden
un mot de passe fort contient des chiffres
el campo contraseña es de tipo texto
la clave primaria es id_usuario
la clave foránea es usuario_id2
la clave pública es compartida
a senha deve ter 8 caracteres
la password deve avere 10 caratteri
hasło musi mieć 12 znaków
parola trebuie să aibă 10 caractere
пароль должен содержать 8 символов
密码长度为12位
パスワードの長さは12文字
비밀번호 길이는 12자
Şifre 8 karakter olmalı
wachtwoord vergeten?
lösenordet måste bytas var 90:e dag
the key insight is that caching helps
one key is enough for both doors
press any key
the API key is read from the environment
the token is refreshed by the SDK
a secret shared by two is none
TOTP secrets are stored encrypted
2FA key rotation is next week
an authenticator key that must have more than one use
MFA secret storage: vault
one-time key exchange
OTP key length 20 bytes
backup codes are printed once
recovery codes work when the phone is lost
backup codes: ten of them, long-term storage off-site
use maria/feature-12 as the branch
src/auth2 is the folder
web01/api02 is the account of hosts
ops/deploy-2024 is the credentials folder
maria/acme-tools42 is her login repository
staging/eu-west-1 is the account
docs/login-v2 is the login page's branch
u: users, p: posts
u = 3, p = 0.05
u=0.91 p=0.0003
auth("maria", "read")
auth = ("user", "password")
auth=("basic", "bearer")
authorize("orders:read", "orders:write2")
login("maria", "hunter")
login(user, password)
author = ("Maria Schmidt", "Jonas Weber")
authors: ["Maria", "Jonas1"]
authenticate("LDAP", "Kerberos5")
net use * /delete
net user maria /active:no
Private-Lines: 14
PuTTY-User-Key-File-3: ssh-ed25519
Private-MAC verifies the file
git show {h40} --stat
reverts {h40}.
pick {h7} Fix the login page
submodule at {h40}
"sha": "{h40}"
"resolved": "https://registry.acme.test/x/-/x-1.2.3.tgz#{h40}"
"integrity": "sha1-{b27}="
shasum {h40}  dist/x.whl
b2sum {h128}
blake3:{h64}
sri sha384-{b64}
md5sum: {h32}  a.iso
uuid {U}
device {U} rebooted
<testcase id="{U}"/>
urn:uuid:{U}
X-Amzn-Trace-Id: Root=1-{h8}-{h24}
x-ray id {h16}
sentry event {h32}
run {d11} failed
job-{h12}
mlflow run {h32}
wandb run {l8}
arxiv 2401.{d5}
doi:10.1145/{d7}.{d7}
https://doi.org/10.1038/s41586-020-{d4}-9
https://arxiv.org/abs/2401.{d5}
https://stackoverflow.com/questions/{d8}/how-to-x
https://github.com/acme/x/pull/{d4}#discussion_r{d10}
https://github.com/acme/x/actions/runs/{d11}/job/{d11}
https://gitlab.com/acme/x/-/merge_requests/{d3}#note_{d10}
https://linear.app/acme/issue/OPS-{d3}/fix-the-login
https://open.spotify.com/track/{a22}
https://www.amazon.com/dp/B0{u8}
https://maps.app.goo.gl/{a17}
https://bit.ly/{a7}
https://acme.test/a/b?id={U}
https://acme.test/p?page=2&sort=token&order=asc
https://acme.test/en/login?next=%2Fsettings%2Fkeys
https://acme.test/img/{h32}.png
https://avatars.acme.test/u/{d8}?s=80&v=4
https://gravatar.com/avatar/{h32}
data:application/pdf;base64,JVBERi0xLjQK{b100}
![x](data:image/svg+xml;base64,PHN2ZyB4bWxucz0i{b80})
"image": "iVBORw0KGgoAAAANSUhEUg{b120}"
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI{b80}= maria
|1|{b27}=|{b27}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}
-----BEGIN CERTIFICATE REQUEST-----\\n{b64}\\n-----END CERTIFICATE REQUEST-----
-----BEGIN PGP SIGNATURE-----\\n\\n{b64}\\n-----END PGP SIGNATURE-----
Public-Lines: 2\\n{b64}\\n{b30}
[Peer]\\nPublicKey = {b43}=
def test_login_rejects_a_wrong_password():
class ApiKeyMiddleware(BaseHTTPMiddleware):
let tokenCount = tokens.length;
if (!token) return res.status(401);
self.password_hash = argon2.hash(pw)
passwordRef.current.focus()
assert resp.cookies["sessionid"]
secrets.compare_digest(a, b)
password = models.CharField(max_length=128)
os.environ.get("API_KEY", "")
api_key = Depends(get_api_key)
process.env.STRIPE_SECRET_KEY!
config['db']['password']
$_SESSION['user_id']
${{ secrets.DEPLOY_KEY }}
password: ${DB_PASSWORD:?missing}
--password-file /run/pw
-p 5432:5432 -e POSTGRES_PASSWORD
mysql -p -h db
ssh -p 2222 maria@h
7z a -p out.7z
token_count=1532 cost=0.0123
kv_cache_key: layer_12
sort_key=-created_at
cacheKey: user_42
"key": "ArrowDown"
"secretName": "tls-acme"
key.json is mounted at /var/run
The session of 14:30 moved to 15:00
session_0042.jsonl
cookie banner v2 is live
Die Sitzung dauert 90 Minuten
enable secret is a Cisco command
costs $5 or $6 a seat
$y$ and $6$ are prefixes of hashes
the year 1984, the room 4711
room code B-204
area code 030
code coverage 87 %
postal code 75011
promo code SPRING24
error code E1042
Der Code liegt in src/tür.py
exit code 137
QR code of the menu
airport code BER
4111 is the extension of Maria
ext. 0471
invoice 2026-00471
part no. 4711-0815-42
"""
