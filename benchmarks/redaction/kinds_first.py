"""Hard texts by kinds, measured once before rules knew them, and then looked into. The marks are those of `harsh`."""

SECRET = """
el usuario es marta y la contraseña ⟪{p}⟫, no la cambies
la contraseña nueva del servidor de correo quedó en ⟪{p}⟫
Cambié la clave del panel; ahora es ⟪{p}⟫
para entrar al VPN: usuario jperez, clave ⟪{p}⟫
contraseña de la base: "⟪{p}⟫" (solo lectura)
me dijo que el pin de la alarma es ⟪{d6}⟫
hasło do bazy produkcyjnej to ⟪{p}⟫
Nowe hasło administratora: ⟪{p}⟫ od poniedziałku
zaloguj się jako ania, hasło ⟪{p}⟫
ustawiłem hasło na ⟪{p}⟫ bo stare wyciekło
login: kowalski hasło: ⟪{p}⟫
PIN do domofonu to ⟪{d4}⟫#
parola contului de test este ⟪{p}⟫
Am schimbat parola la ⟪{p}⟫ ieri
utilizator: ion, parolă: ⟪{p}⟫
parola de la wifi: ⟪{p}⟫
parola bazei de date e ⟪{p}⟫, ține minte
das Passwort für den Jenkins lautet ⟪{p}⟫
Benutzer deploy, Kennwort ⟪{p}⟫
Ich habe das Passwort auf ⟪{p}⟫ gesetzt
WLAN-Passwort der Gäste: ⟪{p}⟫
melde dich mit admin und dem Passwort ⟪{p}⟫ an
Die PIN vom Tresor ist ⟪{d5}⟫
le mot de passe du serveur est ⟪{p}⟫
identifiant : paul / mot de passe : ⟪{p}⟫
j'ai remis le mot de passe à ⟪{p}⟫ hier soir
mot de passe temporaire « ⟪{p}⟫ »
connecte-toi avec admin et le mot de passe ⟪{p}⟫
le code de l'alarme est ⟪{d6}⟫
la password del database di produzione è ⟪{p}⟫
utente: luca, password: ⟪{p}⟫
ho cambiato la password in ⟪{p}⟫
la parola d'ordine del router è ⟪{p}⟫
accedi come giulia con password ⟪{p}⟫
il PIN della SIM è ⟪{d4}⟫
a senha do banco de dados é ⟪{p}⟫
usuário: carla senha: ⟪{p}⟫
troquei a senha para ⟪{p}⟫ depois do incidente
a palavra-passe do router passou a ser ⟪{p}⟫
entra com o utilizador rui e a senha ⟪{p}⟫
o PIN do cofre é ⟪{d6}⟫
het wachtwoord van de database is ⟪{p}⟫
gebruiker: sanne, wachtwoord: ⟪{p}⟫
ik heb het wachtwoord veranderd in ⟪{p}⟫
log in als beheer met wachtwoord ⟪{p}⟫
het nieuwe wachtwoord voor de wifi wordt ⟪{p}⟫
de pincode van de kluis is ⟪{d4}⟫
heslo k databázi je ⟪{p}⟫
uživatel: petr, heslo: ⟪{p}⟫
změnil jsem heslo na ⟪{p}⟫
přihlas se jako admin s heslem ⟪{p}⟫
nové heslo od serveru zní ⟪{p}⟫
PIN k trezoru je ⟪{d4}⟫
veritabanının parolası ⟪{p}⟫
kullanıcı: ayşe, şifre: ⟪{p}⟫
şifreyi ⟪{p}⟫ olarak değiştirdim
sunucunun yeni şifresi ⟪{p}⟫ oldu
wifi şifremiz ⟪{p}⟫, misafirlere verebilirsin
kasanın PIN kodu ⟪{d6}⟫
the wiki login is reader and ⟪{p}⟫ is its password
staging admin account: ops@corp.example with ⟪{p}⟫
you get in with bob:⟪{p}⟫ on the old box
user svc_backup, pass ⟪{p}⟫, port 2222
credentials for the printer page: admin / ⟪{p}⟫
log in as ops / ⟪{p}⟫
sign in with nadia and ⟪{p}⟫
The root password on db-3 got reset to ⟪{p}⟫ this morning.
ftp: upload:⟪{p}⟫@files.corp.example
username is dana, password is ⟪{p}⟫
they handed me a temp password (⟪{p}⟫) for the portal
my email password used to be ⟪{p}⟫ and still is
pw=⟪{p}⟫ for the sandbox
DB_PASS='⟪{p}⟫'
export PGPASSWORD=⟪{p}⟫
password = "⟪{p}⟫"  # TODO move
  passwd: ⟪{p}⟫
"admin_password": "⟪{p}⟫",
const dbPassword = `⟪{p}⟫`;
<password>⟪{p}⟫</password>
spring.datasource.password=⟪{p}⟫
SMTP_PASSWORD: "⟪{p}⟫"
ALTER USER app WITH PASSWORD '⟪{p}⟫';
CREATE USER 'web'@'%' IDENTIFIED BY '⟪{p}⟫';
GRANT ALL ON x.* TO 'web'@'%' IDENTIFIED BY '⟪{p}⟫'
mysql -h db -u root -p'⟪{p}⟫' shop
sshpass -p '⟪{p}⟫' ssh deploy@10.0.0.4
curl -u deploy:⟪{p}⟫ https://repo.corp.example/x
echo "⟪{p}⟫" | sudo -S systemctl restart nginx
net use Z: \\\\\\\\nas\\\\share ⟪{p}⟫ /user:anna
redis-cli -h cache -a ⟪{p}⟫ ping
htpasswd -b /etc/nginx/.htpasswd kim ⟪{p}⟫
docker login -u ci -p ⟪{p}⟫ registry.corp.example
openssl enc -aes-256-cbc -k ⟪{p}⟫ -in a -out b
kubectl create secret generic db --from-literal=password=⟪{p}⟫
ansible_become_pass: ⟪{p}⟫
requirepass ⟪{p}⟫
machine files.example login nina password ⟪{p}⟫
db.corp.example:5432:shop:app:⟪{p}⟫
wpa_passphrase=⟪{p}⟫
| host | user | password |\\n|---|---|---|\\n| db1 | app | ⟪{p}⟫ |
name,login,password\\nAnn,ann,⟪{p}⟫
the security code of the card is ⟪{d3}⟫, cvv: ⟪{d3}⟫
my recovery code: ⟪{h5}-{h5}⟫
OTP for today: ⟪{d6}⟫
"""
FORMS = """
⟪ghp_{a36}⟫
⟪github_pat_{a22}_{a59}⟫
⟪glpat-{a20}⟫
⟪AKIA{u16}⟫
aws_secret_access_key = ⟪{b40}⟫
⟪xoxb-{d12}-{d12}-{a24}⟫
⟪xapp-1-A{u10}-{d13}-{h64}⟫
⟪sk_live_{a24}⟫
⟪whsec_{a32}⟫
⟪sk-proj-{g74}T3BlbkFJ{g74}⟫
⟪sk-ant-api03-{g93}AA⟫
⟪AIza{g35}⟫
⟪GOCSPX-{g28}⟫
⟪ya29.a0{g120}⟫
⟪npm_{a36}⟫
⟪pypi-AgEIcHlwaS5vcmc{g120}⟫
⟪hf_{a34}⟫
⟪SG.{g22}.{g43}⟫
⟪{d10}:AA{g33}⟫
⟪shpat_{h32}⟫
⟪dop_v1_{h64}⟫
⟪hvs.{g24}⟫
⟪glsa_{a32}_{h8}⟫
⟪lin_api_{a40}⟫
⟪tskey-auth-k{a11}-{a32}⟫
⟪AGE-SECRET-KEY-1{u58}⟫
⟪eyJhbGciOiJIUzI1NiJ9.eyJ{g60}.{g43}⟫
DD_API_KEY=⟪{h32}⟫
CLOUDFLARE_API_TOKEN=⟪{g40}⟫
HEROKU_API_KEY=⟪{U}⟫
"mistral_api_key": "⟪{a32}⟫"
x-api-key: ⟪{a40}⟫
Authorization: Bearer ⟪{g48}⟫
Authorization: Basic ⟪YWRtaW46{a18}==⟫
PAGERDUTY_TOKEN=⟪u+{g18}⟫
⟪ATATT3xFfGF0{g180}⟫
⟪figd_{g40}⟫
⟪PMAK-{h24}-{h34}⟫
⟪sq0csp-{g43}⟫
⟪NRAK-{u27}⟫
⟪sgp_{h40}⟫
⟪rubygems_{h48}⟫
⟪dckr_pat_{g27}⟫
⟪r8_{a37}⟫
⟪gsk_{a52}⟫
⟪pplx-{a48}⟫
⟪sntrys_eyJ{b80}_{b43}⟫
client_secret=⟪{g34}⟫
⟪{a3}8Q~{g34}⟫
AccountKey=⟪{b86}==⟫
⟪$6${a16}${c86}⟫
⟪$5$rounds=535000${a16}${c43}⟫
⟪$2b$12${c53}⟫
⟪$y$j9T${c22}${c43}⟫
⟪$1${a8}${c22}⟫
⟪$apr1${a8}${c22}⟫
⟪$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}⟫
⟪$scrypt$ln=16,r=8,p=1${b22}${b43}⟫
⟪pbkdf2_sha256$600000${a22}${b43}=⟫
⟪scrypt:32768:8:1${a16}${h128}⟫
⟪{SSHA}{b38}==⟫
⟪SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=⟫
⟪$P$B{c30}⟫
⟪$S$D{c52}⟫
⟪*{H40}⟫ is its mysql hash
root:⟪$6${a8}${c86}⟫:19000:0:99999:7:::
NTLM: Administrator:500:aad3b435b51404eeaad3b435b51404ee:⟪{h32}⟫:::
ann:⟪{c13}⟫ in .htpasswd (crypt)
md5 of the password: ⟪md5{h32}⟫
⟪$pbkdf2-sha512$25000${c22}${c86}⟫
⟪$sha1$40000${a8}${c28}⟫
⟪$7$C6..../....{c22}${c43}⟫
⟪$gy$j9T${c22}${c43}⟫
https://hooks.slack.com/services/T{u9}/B{u10}/⟪{a24}⟫
https://discord.com/api/webhooks/{d18}/⟪{g68}⟫
https://acme.webhook.office.com/webhookb2/{U}@{U}/IncomingWebhook/⟪{h32}⟫/{U}
https://prod-12.westeurope.logic.azure.com/workflows/{h32}/triggers/manual/paths/invoke?sp=x&sv=1.0&sig=⟪{g43}⟫
https://chat.googleapis.com/v1/spaces/AAAA{a7}/messages?key=AIza{g35}&token=⟪{g43}⟫
https://hooks.zapier.com/hooks/catch/{d7}/⟪{a7}⟫/
https://acme.s3.amazonaws.com/b.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=⟪{h64}⟫
https://acme.blob.core.windows.net/c/f?sv=2023-01-03&se=2026-01-01&sr=b&sp=r&sig=⟪{b43}%3D⟫
https://app.corp.example/reset-password?token=⟪{g43}⟫
https://app.corp.example/invite/⟪{g32}⟫
https://corp.example/login/magic?code=⟪{g40}⟫
https://maker.ifttt.com/trigger/door/with/key/⟪{g22}⟫
https://calendar.google.com/calendar/ical/x%40group.calendar.google.com/private-⟪{h32}⟫/basic.ics
https://feeds.corp.example/rss?user=5&auth=⟪{h40}⟫
https://api.telegram.org/bot{d9}:⟪AA{g33}⟫/sendMessage
https://outlook.office365.com/owa/calendar/{h32}@corp.example/⟪{h32}{d18}⟫/calendar.ics
https://mattermost.corp.example/hooks/⟪{l26}⟫
https://ntfy.corp.example/up?auth=⟪{g32}⟫
https://api.corp.example/v1/x?access_token=⟪{a40}⟫
https://docs.corp.example/share/{a10}?pwd=⟪{p}⟫
postgres://app:⟪{p}⟫@db.corp.example:5432/shop
mongodb+srv://svc:⟪{a16}⟫@c0.abcde.mongodb.net/?w=majority
redis://:⟪{p}⟫@cache:6379/0
amqp://worker:⟪{a20}⟫@mq:5672/%2f
Server=db;Database=shop;User Id=sa;Password=⟪{p}⟫;Encrypt=yes
jdbc:postgresql://db/shop?user=app&password=⟪{p}⟫
jdbc:oracle:thin:scott/⟪{p}⟫@db:1521/XE
host=db user=app password=⟪{p}⟫ dbname=shop
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟪{b43}=⟫
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟪{b86}==⟫;EndpointSuffix=core.windows.net
https://ci:⟪{a32}⟫@git.corp.example/app.git
https://⟪{h32}⟫@sentry.corp.example/4 and secret
smtp://mailer:⟪{p}⟫@mail.corp.example:587
ldap bind: cn=svc,dc=corp with ⟪{p}⟫ as the password
Data Source=s.db;Password=⟪{p}⟫
-----BEGIN RSA PRIVATE KEY-----\\n⟪{b64}⟫\\n⟪{b64}⟫\\n{b40}==\\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\\n⟪b3BlbnNzaC1rZXktdjEAAAAA{b46}⟫\\n{b64}\\n-----END OPENSSH PRIVATE KEY-----
"private_key": "-----BEGIN PRIVATE KEY-----\\\\n⟪{b64}⟫\\\\n{b64}\\\\n-----END PRIVATE KEY-----\\\\n"
-----BEGIN EC PRIVATE KEY-----\\n⟪{b64}⟫\\n-----END EC PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\\n\\n⟪{b64}⟫\\n{b64}\\n=abcd\\n-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN ENCRYPTED PRIVATE KEY-----\\n⟪{b64}⟫\\n⟪{b20}⟫
PrivateKey = ⟪{b43}=⟫
Set-Cookie: sessionid=⟪{l32}⟫; HttpOnly; Path=/
Cookie: PHPSESSID=⟪{l26}⟫; theme=dark
connect.sid=⟪s%3A{g32}.{b43}⟫
JSESSIONID=⟪{H32}⟫
.AspNetCore.Cookies=⟪CfDJ8{g150}⟫
sessionid=⟪{l32}⟫
laravel_session=⟪eyJpdiI6{a120}%3D⟫
_gitlab_session=⟪{h32}⟫
document.cookie = "auth_token=⟪{g40}⟫"
curl -b 'sid=⟪{a32}⟫' https://x.corp.example
remember_user_token=⟪{b60}--{h40}⟫
XSRF-TOKEN=⟪{g64}⟫
wordpress_logged_in_{h32}=⟪ann%7C1735689600%7C{a43}%7C{h64}⟫
ASP.NET_SessionId=⟪{l24}⟫
"""
CONTEXTS = """
@
The old job still runs with @ since May.
found in the log:\\n@\\nand nobody noticed
- @
`@`
note to self: @ (rotate in Q3)
{"note": "@"}
Kontext für später: @ bitte nicht weitergeben
on the staging box it says @, I think
1) stop the worker 2) @ 3) start it again
> @
step two uses @ as before.
"""
ORDINARY = """
la contraseña tiene que tener al menos 12 caracteres
contraseña olvidada: el enlace caduca en 24h
La clave primaria de la tabla es id_cliente
la clave del éxito es medir
el usuario cambia la contraseña cada 90 días
hasło musi mieć 8 znaków i cyfrę
przypomnienie hasła wysyłamy na e-mail
hasło przewodnie kampanii to Razem2025
nie zapisuj haseł w repozytorium
parola trebuie să aibă minim 10 caractere
parola se schimbă la fiecare 60 de zile
parola expiră pe 2026-01-31
das Passwort wird mit bcrypt gehasht
Passwort-Feld in LoginForm.tsx ist zu schmal
das Kennwort muss geändert werden, siehe Abschnitt 3.2
die PIN hat vier Stellen
le mot de passe est haché avec argon2id
mot de passe oublié : lien valable 15 minutes
le mot de passe doit contenir 8 caractères
la clé étrangère est user_id
la password è salvata con PBKDF2
la parola chiave async non serve qui
password dimenticata: pagina /recupero
a senha é verificada no servidor auth-02
senha deve ter 8 dígitos
a palavra-passe expira em 90 dias
het wachtwoord wordt gehasht met scrypt
wachtwoord vergeten: zie pagina 12
heslo musí mít aspoň 8 znaků
heslo se ukládá jako bcrypt hash
klíčové slovo await chybí na řádku 42
şifre en az 8 karakter olmalı
parola sıfırlama bağlantısı 30 dakika geçerli
şifreleme AES-256-GCM ile yapılıyor
password reset tokens expire after 15 minutes
the password field uses type=password
Passwords are hashed with bcrypt, cost 12
the token bucket refills at 100/s
each token costs $0.002 at most
max_tokens=4096, temperature=0.2
key = "user:profile:42"
primary key (tenant_id, created_at)
the key insight is that reads dominate
secret santa is on December 18th
const password = getPassword();
password: str = Field(min_length=8)
if token is None: raise Unauthorized("token missing")
self.token = token or os.environ["API_TOKEN"]
api_key=settings.OPENAI_API_KEY
password = input("Password: ")
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
def verify_password(plain: str, hashed: str) -> bool:
token = jwt.encode(payload, key, algorithm="HS256")
<input type="password" name="password2" autocomplete="new-password">
API_KEY=your-api-key-here
password: ${DB_PASSWORD}
password: "{{ vault_db_password }}"
secretKeyRef: {name: db, key: password}
export TOKEN=$(gcloud auth print-access-token)
Authorization: Bearer <token>
curl -H "Authorization: Bearer $TOKEN" https://api.corp.example
postgres://user:password@localhost:5432/db
https://example.com/reset?token=TOKEN
the commit {h40} broke the build
reverted in {h7} and again in {h8}
sha256:{h64}
git checkout {h12} && make
image: nginx@sha256:{h64}
"integrity": "sha512-{b86}=="
ETag: "{h32}"
request id {U} failed twice
trace_id={h32} span_id={h16}
user {U} signed up
s3://bucket/year=2025/part-{h32}.parquet
data:image/png;base64,iVBORw0KGgo{b120}
<img src="data:image/gif;base64,R0lGODlh{b60}">
background: #{h6}; color: #{h3};
.btn-primary{color:#{h6};margin:0 12px}
transform: translate3d(12px, 0, 0) rotate(45deg)
module.exports.{w}_{w} = require('./{w}')
index-{a8}.js 142.31 kB
/assets/main.{h8}.css
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} ann@laptop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB{b120} deploy
-----BEGIN CERTIFICATE-----\\n{b64}\\n-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----\\n{b64}\\n-----END PUBLIC KEY-----
pk_live_{a24} is the publishable key
Fingerprint: SHA256:{b43}
MD5 {h32} matches
order number {d12}, invoice {d8}
tracking 1Z{u16}
ISBN 978-3-16-148410-0
+49 30 901820
DE-10115 Berlin, room 4.12
2026-03-04T12:33:21Z pid={d5} level=info
Python 3.11.9, pip 24.0, node v20.11.1
kernel 6.8.0-45-generic x86_64
vmlinuz-6.8.0-45-generic
10.0.14.2 -> 10.0.14.77:5432
fe80::1ff:fe23:4567:890a
00:1B:44:11:3A:B7
s/foo_{w}/bar_{w}/g
for i in $(seq 1 20); do curl -s localhost:8080/healthz; done
SELECT id, token_count FROM usage WHERE key = 'daily_2025'
CREATE INDEX idx_{w}_key ON {w} (tenant_id, key)
login: see docs/login.md, section 2
log in as admin / maintainer roles differ
log in with GitHub / Google
log in as bob and restart web-01
sign in with SAML or OIDC2
user: alice / bob / carol
user ann, group dev, host build-07
credentials: see 1Password/Team
account: sandbox / eu-central-1
the user is admin@corp.example and the host db-2.corp.example
cookie banner shown: consent=all; theme=dark
sessionid is stored in Redis db 3
Set-Cookie: theme=dark; Path=/; Max-Age=31536000
session id 42 closed
csrf token is rotated on login
https://github.com/acme/app/pull/1234#issuecomment-{d10}
https://discord.com/channels/{d18}/{d18}
https://acme.slack.com/archives/C{u10}/p{d16}
https://corp.example/docs/webhooks/setup
https://api.corp.example/webhooks/{d6}/deliveries
https://corp.example/invite-your-team-to-the-workspace
https://www.youtube.com/watch?v={g11}
https://docs.google.com/document/d/{g44}/edit
https://open.spotify.com/track/{a22}?si={h16}
https://www.figma.com/file/{a22}/Design?node-id=12-345
https://arxiv.org/abs/2310.12345
https://packages.example/package/@scope/token-utils
https://corp.example/search?q=reset+password&page=2
https://corp.example/login?next=/account/settings/security
https://fonts.gstatic.com/s/inter/v13/{g60}.woff2
https://images.corp.example/{U}.jpg?w=800&h=600&fit=crop
https://accounts.corp.example/oauth/authorize?client_id={a24}&response_type=code&state=xyz
sk-learn is scikit-learn; sk_buff is a kernel struct
AKIAIOSFODNN7EXAMPLE is the sample id
the hf_hub_download call needs revision=main
npm_config_registry and npm_lifecycle_event are set
ghp_ is the prefix of GitHub tokens
$1 and $2 are positional; $6 too
$2b$ is the bcrypt prefix
the format is $argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>
{SSHA} marks salted SHA-1 in LDAP
the pin is GPIO17 on the board
pin 4711 numpy==1.26.4 in constraints
pin: the header's pin 7 is ground
PIN entry screen crashes on Android 14
OTP length is 6 digits
security code review on Tuesday at 14:00
access code path: src/access/code.py
keyboard layout: de-latin1-nodeadkeys
key: Ctrl+Shift+P opens the palette
monkey.patch_all(thread=False)
turkey and hockey keynotes
keyframes spin { from { transform: rotate(0) } }
tokenizer.json has 32000 tokens
passenger_count=3, bypass=true, compass_heading=270
passing 42 tests in 3.1s
secretary_id: 8812
authored-by: Ann <ann@corp.example>
author: bob2024
authority: corp.example:443
token: "end_of_turn"
"key": "ArrowDown"
"keys": ["id", "name2", "created_at"]
cache_key = f"{tenant}:{user}:v3"
hash_password(password) -> str
password_reset_url: /accounts/reset
ssh_key_path: ~/.ssh/id_ed25519
key_file=/etc/agent/key.pem
SECRET_FILE=/run/secrets/db_password
wifi: Gäste-WLAN im 3. Stock
the wifi at Hotel Adler / Room 214 is slow
Lorem ipsum dolor sit amet, consectetur adipiscing elit 2024
Der Schlüssel liegt bei Frau Meier, Zimmer 12b
Kennzeichen B-MX 1234
clave catastral 1234567890
le jeton expire dans 3600 s
il token scade dopo 15m
ключ в таблице: user_id
пароль должен содержать 8 символов
密码至少8位
パスワードは8文字以上
비밀번호는 8자 이상
uuid5 of the path: {U}
blake3 {h64} ok
model-{a8}-q4_K_M.gguf
layer.12.attention.self.query.weight
torch.Size([1, 197, 768])
0x{h16}
0x{h40} is the contract address
bc1q{l38}
Segmentation fault at 0x{h12} rip 0x{h12}
core.{d5} dumped
libssl.so.3 => /usr/lib/x86_64-linux-gnu/libssl.so.3
"version": "5.4.2", "resolved": "https://packages.example.org/vite/-/vite-5.4.2.tgz"
helm upgrade web ./chart --set image.tag={h7}
terraform state rm aws_iam_access_key.ci2
arn:aws:iam::{d12}:role/deploy
arn:aws:secretsmanager:eu-west-1:{d12}:secret:prod/db-{a6}
projects/acme/secrets/db-password/versions/7
subscription {U}, tenant {U}
vpc-0{h16} subnet-0{h16} i-0{h16}
"""
LOOKALIKES = """
{h40}
{h64}
{U}
v{d2}.{d1}.{d2}-rc{d1}
{w}_{w}_{w}
{w}{W}{W}Factory
feature/{w}-{d4}
refs/heads/{w}/{w}-{d3}
{w}-{w}-{h10}-{l5}
PROJ-{d4}
#{h6}
rgba({d2}, {d2}, {d2}, 0.4)
{w}@{w}.example
{w}.{w}.svc.cluster.local:{d4}
sha512-{b86}==
{u26}
{d4}-{d2}-{d2}T{d2}:{d2}:{d2}Z
src/{w}/{w}_{w}.py:{d3}
{W}{W}Error: {w} {d3} not found
https://{w}.example/{w}/{w}?page={d2}&sort={w}
data:font/woff2;base64,d09GMgAB{b200}
msgid_{d10}
chunk-{u8}.mjs
{w}=="{d1}.{d2}.{d1}"
urn:{w}:{w}:{d6}
"{w}Key": "{w}.{w}"
ak{w}_{d2}
{h8}..{h8}
{w}_token_count: {d5}
{w}.password.min_length={d2}
"""
