"""Hard texts by kinds, measured once before rules knew them, and then looked into. The marks are those of `harsh`."""

SECRET = """
Ojo, la contraseña del proxy de la oficina vuelve a ser ⟪{p}⟫ hasta el viernes
contraseña de root: ⟪{p}⟫
Para el escritorio remoto: lucia con contraseña ⟪{p}⟫
mi contraseña vieja era ⟪{p}⟫
he cambiado la contraseña por ⟪{p}⟫
el PIN del móvil de guardia es ⟪{d4}⟫
Adminowi ustawiono hasło ⟪{p}⟫
hasło do sieci gościnnej: ⟪{p}⟫
do serwera testowego loguję się hasłem ⟪{p}⟫
Użytkownik kasia, hasło: ⟪{p}⟫
tymczasowe hasło to „⟪{p}⟫”
PIN do karty SIM: ⟪{d4}⟫
parola de root a fost schimbată în ⟪{p}⟫
Parola pentru arhivă: "⟪{p}⟫"
autentificare cu elena / parola ⟪{p}⟫
parola veche era ⟪{p}⟫
PIN-ul de la alarmă este ⟪{d5}⟫
parola mea de email este ⟪{p}⟫
Der Admin hat als Passwort ⟪{p}⟫ vergeben
Passwort neu: ⟪{p}⟫
Kennwort fürs NAS bleibt ⟪{p}⟫
Datenbankbenutzer shop mit Passwort ⟪{p}⟫ angelegt
das alte Passwort war ⟪{p}⟫
Türcode Büro: ⟪{d4}⟫
le mot de passe root reste ⟪{p}⟫ pour l'instant
mot de passe wifi invités: ⟪{p}⟫
compte sophie, mot de passe ⟪{p}⟫
l'ancien mot de passe était ⟪{p}⟫
le mot de passe du coffre-fort numérique, c'est ⟪{p}⟫
PIN de la carte bleue : ⟪{d4}⟫
la password vecchia era ⟪{p}⟫
password di rete ospiti: ⟪{p}⟫
per il NAS uso la password ⟪{p}⟫
utente paola password ⟪{p}⟫
nuova password: "⟪{p}⟫"
il PIN del bancomat è ⟪{d5}⟫
a senha antiga era ⟪{p}⟫
senha do roteador: ⟪{p}⟫
o utilizador tiago tem a palavra-passe ⟪{p}⟫
defini a senha como ⟪{p}⟫
para o acesso remoto a senha continua ⟪{p}⟫
PIN do alarme: ⟪{d4}⟫
het oude wachtwoord was ⟪{p}⟫
wachtwoord root: ⟪{p}⟫
gebruikersnaam femke en wachtwoord ⟪{p}⟫
ik gebruik wachtwoord ⟪{p}⟫ voor de testomgeving
het wachtwoord staat nu op ⟪{p}⟫
de PIN van de bankpas is ⟪{d4}⟫
staré heslo bylo ⟪{p}⟫
heslo pro hosty: ⟪{p}⟫
účet jana, heslo ⟪{p}⟫
k NASu používám heslo ⟪{p}⟫
heslo do správy zůstává ⟪{p}⟫
PIN mobilu: ⟪{d4}⟫
eski şifre ⟪{p}⟫ idi
misafir ağı şifresi: ⟪{p}⟫
hesap: zeynep, parola: ⟪{p}⟫
sunucuya ⟪{p}⟫ şifresiyle giriyorum
şifre artık ⟪{p}⟫
banka kartı PIN: ⟪{d4}⟫
The intern's password is still ⟪{p}⟫, nag him.
For the demo log in as guest with password ⟪{p}⟫.
My sudo password? ⟪{p}⟫
Password for the zip: ⟪{p}⟫
nas.local admin/⟪{p}⟫
Jira service user: bot-jira / ⟪{p}⟫
Bind DN is cn=reader, bind password is ⟪{p}⟫
the unlock phrase for the disk is "⟪{p}⟫"
ask for root's password, it's ⟪{p}⟫
set the password to ⟪{p}⟫ and logged out
user: monitor\\npass: ⟪{p}⟫
login=ops password=⟪{p}⟫
User ⟪{p}⟫ is wrong, the password is ⟪{p}⟫
Wifi at the cabin: Fjordnet, password ⟪{p}⟫
the safe opens with ⟪{d6}⟫, code for the safe: ⟪{d6}⟫
gate code is ⟪{d4}⟫
RABBITMQ_DEFAULT_PASS=⟪{p}⟫
  MINIO_ROOT_PASSWORD: ⟪{p}⟫
ENV ADMIN_PASSWORD=⟪{p}⟫
--set postgresql.auth.password=⟪{p}⟫
'PASSWORD': '⟪{p}⟫',
$config['db_password'] = "⟪{p}⟫";
private static final String PASSWORD = "⟪{p}⟫";
password := "⟪{p}⟫"
:password => "⟪{p}⟫"
<property name="password" value="⟪{p}⟫"/>
spring:\\n  datasource:\\n    password: ⟪{p}⟫
[db]\\npasswd = ⟪{p}⟫
{"auth": {"user": "ci", "pass": "⟪{p}⟫"}}
ALTER ROLE app PASSWORD '⟪{p}⟫';
ALTER LOGIN sa WITH PASSWORD = '⟪{p}⟫';
http -a ci:⟪{p}⟫ GET https://repo.corp.example
ncftpput -u up -p ⟪{p}⟫ files.corp.example / a.zip
mosquitto_pub -u dev -P ⟪{p}⟫ -t x -m y
zip -P ⟪{p}⟫ out.zip data
az login --service-principal -u app -p ⟪{p}⟫ --tenant t
xfreerdp /u:anna /p:⟪{p}⟫ /v:win
psql postgres://ro:⟪{p}⟫@pg/x
echo 'bob:⟪{p}⟫' | chpasswd
mount -t cifs //nas/x /mnt -o username=anna,password=⟪{p}⟫
email,password\\na@corp.example,⟪{p}⟫\\nb@corp.example,⟪{p}⟫
| user | pw |\\n|---|---|\\n| kim | ⟪{p}⟫ |
verification code: ⟪{d6}⟫
recovery codes: ⟪{l5}-{d5}⟫
CVC ⟪{d3}⟫
"""
FORMS = """
⟪ghu_{a36}⟫
⟪glcbt-{g30}⟫
⟪xoxs-{d12}-{d12}-{d12}-{h32}⟫
AWS secret ⟪{b40}⟫ for AKIA{u16}
⟪sk-{a48}⟫
⟪sk-ant-admin01-{g93}AA⟫
⟪xai-{a80}⟫
⟪AQ.{g50}⟫
⟪shppa_{h32}⟫
⟪EAAA{g60}⟫
⟪sk_test_{a24}⟫
⟪rnd_{a32}⟫
⟪sbp_{h40}⟫
⟪pscale_pw_{g43}⟫
⟪secret_{a43}⟫
⟪NRII-{g32}⟫
⟪dt0c01.{u24}.{u64}⟫
⟪phx_{a43}⟫
⟪hvb.{g90}⟫
⟪dop_v1_{h64}⟫
⟪oy2{l43}⟫
⟪AKCp{a69}⟫
⟪ATBB{a32}⟫
⟪CCIPAT_{a22}_{h40}⟫
⟪bkua_{h40}⟫
⟪ops_eyJ{b200}⟫
⟪A3-{u6}-{u11}-{u5}-{u5}-{u5}⟫
⟪hf_{a37}⟫
⟪pk_{d8}_{u32}⟫
⟪napi_{a64}⟫
⟪eyJhbGciOiJFUzI1NiJ9.eyJ{g90}.{g86}⟫
⟪FLWSECK_TEST-{h32}-X⟫
⟪access-production-{U}⟫
⟪EZAK{a54}⟫
VULTR_API_KEY=⟪{u36}⟫
OVH_APPLICATION_SECRET=⟪{a32}⟫
GITEA_TOKEN: ⟪{h40}⟫
"deepl_auth_key": "⟪{U}:fx⟫"
X-Auth-Token: ⟪{h48}⟫
Ocp-Apim-Subscription-Key: ⟪{h32}⟫
Authorization: Bearer ⟪{a64}⟫
Authorization: ApiKey ⟪{b60}⟫
JWT_SECRET=⟪{b64}⟫
APP_KEY=base64:⟪{b43}=⟫
NEXTAUTH_SECRET=⟪{b43}=⟫
encryption_key = "⟪{h64}⟫"
signing-secret: ⟪{h32}⟫
bot token ⟪{d10}:AA{g33}⟫
the api key is ⟪{a40}⟫
secret_access_key=⟪{b40}⟫
⟪$6${c8}${c86}⟫
⟪$2b$10${c53}⟫
⟪$5$rounds=5000${c8}${c43}⟫
⟪$y$j75${c22}${c43}⟫
⟪$1${c8}${c22}⟫
⟪$apr1${c8}${c22}⟫
⟪$argon2d$v=19$m=1024,t=1,p=1${b16}${b43}⟫
⟪$pbkdf2-sha256$29000${c22}${c43}⟫
⟪pbkdf2_sha512$120000${a12}${b86}==⟫
⟪scrypt$16384$8$1${b22}==${b86}==⟫
⟪{SSHA256}{b54}⟫
⟪{PBKDF2-SHA256}29000${c22}${c43}⟫
⟪{ARGON2ID}$argon2id$v=19$m=4096,t=3,p=1${b22}${b43}⟫
⟪$P$D{c30}⟫
⟪*{H40}⟫
deploy:⟪$6${c16}${c86}⟫:19723:0:99999:7:::
eve:1002:⟪aad3b435b51404eeaad3b435b51404ee:{h32}⟫:::
"rolpassword": "⟪SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=⟫"
⟪$9${c14}${c43}⟫ from the router
⟪sha256${a16}${h64}⟫
⟪$scrypt$ln=14,r=8,p=1${b22}${b43}⟫
https://canary.discord.com/api/v10/webhooks/{d19}/⟪{g68}⟫
https://hooks.slack-gov.com/services/T{u9}/B{u10}/⟪{a24}⟫
https://contoso.webhook.office.com/webhookb2/{U}@{U}/IncomingWebhook/⟪{h32}⟫/{U}/V2{g60}
https://default{h20}.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/{h32}/triggers/manual/paths/invoke?api-version=1&sig=⟪{g43}⟫
https://rocket.corp.example/hooks/⟪{a24}/{a50}⟫
https://hook.us1.make.com/⟪{l32}⟫
https://n8n.corp.example/webhook-test/⟪{U}⟫
https://hc-ping.com/⟪{g22}⟫/backup-nightly
https://corp.example/account/activate/⟪{g40}⟫
https://corp.example/users/password/edit?reset_password_token=⟪{g20}⟫
https://login.corp.example/callback#access_token=⟪{g80}⟫
https://corp.example/dl/report.pdf?expires=1767225600&signature=⟪{h64}⟫
https://b.s3.eu-west-1.amazonaws.com/k?AWSAccessKeyId=AKIA{u16}&Signature=⟪{b27}%3D⟫
https://acme.file.core.windows.net/s/f?sv=2022-11-02&sig=⟪{b42}%3D⟫
https://api.corp.example/ical/feed.ics?token=⟪{h40}⟫
https://team.corp.example/signup?invite=⟪{g32}⟫
https://t.me/joinchat/⟪{g22}⟫
https://api.telegram.org/bot⟪{d10}:AA{g33}⟫/getMe
https://example.corp/api?apikey=⟪{h32}⟫
https://git.corp.example/api/v4/projects?private_token=⟪glpat-{g20}⟫
postgres://shop:⟪{a18}⟫@pg.corp.example/shop?sslmode=require
mongodb://root:⟪{p}⟫@m1,m2,m3/admin?replicaSet=rs0
redis://worker:⟪{a24}⟫@redis:6380/2
amqps://q:⟪{p}⟫@rabbit/x
Server=sql;Uid=app;Pwd=⟪{p}⟫;Database=x
jdbc:mariadb://db/x?user=u&password=⟪{p}⟫
User Id=scott;Password=⟪{p}⟫;Data Source=ORCL
clickhouse://default:⟪{p}⟫@ch:9000/logs
sftp://up:⟪{p}⟫@files.corp.example/in
elastic:⟪{p}⟫@es.corp.example:9200
https://x-access-token:⟪ghs_{a36}⟫@github.com/acme/app.git
"ConnectionString": "Host=pg;Username=app;Password=⟪{p}⟫"
-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\n\\n⟪{b64}⟫\\n{b64}\\n-----END RSA PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----\\\\n⟪{b64}⟫\\\\n{b24}\\\\n-----END PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\\n⟪b3BlbnNzaC1rZXktdjEAAAAA{b46}⟫\\n⟪{b64}⟫\\n-----END OPENSSH PRIVATE KEY-----
[Interface]\\nPrivateKey = ⟪{b43}=⟫
PuTTY-User-Key-File-3: ssh-rsa\\nPrivate-Lines: 2\\n⟪{b64}⟫\\n⟪{b64}⟫
⟪AGE-SECRET-KEY-1{u58}⟫
Set-Cookie: JSESSIONID=⟪{H32}⟫; Path=/app; Secure
Cookie: _ga=GA1.2.3; session_id=⟪{g43}⟫
sid=⟪{l32}⟫
connect.sid=⟪s%3A{g32}.{b43}⟫
remember_me=⟪{g48}⟫
ci_session=⟪{l32}⟫
.ASPXAUTH=⟪{H128}⟫
__Secure-1PSID=⟪{g72}⟫
csrftoken=⟪{a32}⟫
XSRF-TOKEN=⟪eyJpdiI6{b90}⟫
"""
CONTEXTS = """
@
our runbook still lists @ for this
line 7:\\n@
• @
'@'
Nota: @ sigue en uso
todo: replace @ before the audit
[@]
2026-02-03 09:12 INFO loaded @
Bitte @ nur intern verwenden
it printed @ and stopped
before @ after
"""
ORDINARY = """
la contraseña nunca se envía por correo
el campo contraseña admite hasta 64 caracteres
restablecer contraseña: paso 3 de 4
la política de contraseñas cambió en la versión 2.7
el PIN se bloquea tras 3 intentos
hasło jest wymagane
zapomniałeś hasła? strona 404
hasło wygasło 2026-01-15
w haśle muszą być 2 cyfry
moduł haseł: src/auth/haslo.py
parola nu poate fi goală
parola este stocată ca hash argon2id
schimbarea parolei: ecranul 5
parolele expiră după 90 de zile
Passwörter werden mit Argon2id gespeichert
Passwortänderung erst nach 24 Stunden möglich
das Passwort hat 16 Zeichen
im Kennwortdialog fehlt der Button OK2
le mot de passe n'est jamais journalisé
mots de passe : audit du 12/03/2026
le champ mot de passe accepte 128 caractères
les mots de passe sont dans KeePass2
la password non viene mai salvata
cambio password: schermata 6
password scaduta dopo 180gg
a senha nunca é registrada em log
tela de senha: issue 412
senhas com menos de 8 caracteres são rejeitadas
het wachtwoord verloopt over 30 dagen
wachtwoord wijzigen: zie stap 4b
wachtwoorden worden gehasht met PBKDF2
heslo nelze obnovit
změna hesla: obrazovka č. 5
heslo musí obsahovat 1 číslici
şifre sıfırlama e-postası 3 kez geldi
parola en fazla 64 karakter
şifreler veritabanında bcrypt ile tutulur
the password screen was redesigned in sprint 14
password strength meter shows 3/5
passwords must not match the last 10
we store no passwords, only passkeys since 2025
token expiry moved from 15m to 60m
the token endpoint returns 401 after v2 rollout
secrets are mounted at /var/run/secrets2
the key metric is p95 latency
keys expire after 7d in Redis
foreign key orders.user_id -> users.id
sort key is created_at, hash key is tenant
secret ballot on May 12th
API keys page: settings/api-keys
password = os.environ.get("PASSWORD", "")
password = None
password = keyring.get_password("app", user)
const { password, confirm } = req.body;
if (token.type === 'NUMBER') next();
tokens = tokenizer.encode(text)[:512]
$token = $request->bearerToken();
public string Password { get; set; }
secret_key = config.get("secret_key")
password_field = driver.find_element(By.NAME, "password")
bcrypt.compare(password, user.password_hash)
export DB_PASSWORD=$(cat /run/secrets/db)
password: ENC[AES256_GCM,data:redacted]
token: <your token>
API_KEY=sk-xxxxxxxxxxxxxxxx
password=changeme
"secret": "${SECRET}"
imagePullSecrets: [{name: regcred2}]
curl -H "X-Api-Key: $KEY" https://api.corp.example/v1
mysql --login-path=prod2 shop
docker login -u ci --password-stdin
PGPASSFILE=~/.pgpass psql
htpasswd -c /etc/nginx/.htpasswd kim
postgres://localhost/shop_test2
redis://cache:6379/3
http://user:pass@localhost/
{h40} refs/heads/main
bisect points at {h10}
commit {h40}\\nAuthor: Ann <ann@corp.example>
diff --git a/{w}.py b/{w}.py\\nindex {h7}..{h7}
md5sum {h32}  image.iso
sha512:{h128}
cache key {h64} missed
docker.io/library/redis@sha256:{h64}
sum: h1:{b43}=
Merkle root {h64}
deployment {U} is live
event_id={U}
trace 00-{h32}-{h16}-01
X-Amzn-Trace-Id: Root=1-{h8}-{h24}
tenant id {U} in westeurope
s3 key logs/2026/01/02/{h16}.gz
<img alt="x" src="data:image/jpeg;base64,/9j/4AAQSkZJRg{b90}">
background-image:url("data:image/webp;base64,UklGR{b80}")
"image_b64": "iVBORw0KGgoAAAANSUhEUg{b160}"
@media (min-width: 768px) { .col-{d1} { width: {d2}% } }
--color-primary-{d3}: #{h6}
filter: drop-shadow(0 0 2px #{h3})
font: 14px/1.5 Inter, sans-serif
import { {w}{W} } from './{w}-{w}.mjs'
app.{h20}.css 12 kB
vendor~main.{h8}.chunk.js
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}
-----BEGIN PGP PUBLIC KEY BLOCK-----\\n{b64}\\n-----END PGP PUBLIC KEY BLOCK-----
-----BEGIN PGP SIGNATURE-----\\n{b64}\\n-----END PGP SIGNATURE-----
ssh-keygen says SHA256:{b43}
minisign public RWQ{b50}
pub ed25519 {H40}
gpg: key {H16}: public key imported
pk_live_{a24}
GTM-{u7} is the container
evt_{a24} succeeded
acct_{a16} was closed
asst_{a24} uses gpt-4o-2024-08-06
resp_{h48}
call_{a24} timed out
order 4026-{d4}-{d4}
ticket HELP-{d5}
IMEI 35{d13}x
parcel 003404345{d8}
license plate WA 4512K
room B2.114, phone -4411
[08:14:55.123] [main] DEBUG c.e.app.Service - done in 12ms
go1.22.3 linux/amd64
torch 2.3.1+cu121
debian-12.5.0-amd64-netinst.iso
10.8.0.0/24 via 10.8.0.1
2001:db8::{h4}:{h4}
d8:3a:dd:{h2}:{h2}:{h2}
chmod 600 ~/.ssh/id_rsa2
cat /etc/passwd | cut -d: -f1
rg -n 'token' src | head -20
UPDATE users SET password_reset_at = now() WHERE id = 42
SELECT key, value FROM settings WHERE key LIKE 'smtp%'
CREATE TABLE api_keys (id uuid, prefix varchar(8))
login: dashboard opens in 2s
login / logout events are logged twice
log in as editor to see draft-2025
user admin2 cannot see group ops3
user ids: ann01 / bob02
account: prod / us-east-1
credentials: stored in vault path kv/app2
connect with TLS1.3 / mTLS
admin: /wp-admin/options2.php
sign in as owner and open Billing2
use npm / pnpm9
cookie notice in 3 languages
Cookie: theme=light; lang=pt-BR
Set-Cookie: lang=cs; Path=/; Max-Age=2592000; SameSite=Lax
sessions expire after 8h
sid is the session id column
csrf_exempt is used in views2.py
https://github.com/acme/app/blob/{h40}/src/auth/password.py
https://discord.com/invite/python
https://slack.com/help/articles/{d12}
https://learn.microsoft.com/azure/key-vault/secrets/quick-create-cli
https://corp.example/hooks/list
https://corp.example/join-us
https://corp.example/password-reset/done
https://corp.example/activate
https://zoom.us/j/{d11}
https://meet.google.com/abc-defg-hij
https://gist.github.com/ann/{h32}
https://codepen.io/ann/pen/{a7}
https://docs.google.com/spreadsheets/d/{g44}/edit#gid={d9}
https://linear.app/acme/issue/ENG-{d4}/rotate-token
https://sentry.io/organizations/acme/issues/{d10}/
https://cdn.jsdelivr.net/npm/vue@3.4.21/dist/vue.global.js
https://app.datadoghq.eu/dashboard/abc-def-ghi?from_ts={d13}
https://grafana.corp.example/d/{a9}/api?orgId=1&var-key=p95
https://res.cloudinary.com/acme/image/upload/v{d10}/{l20}.jpg
https://corp.example/c?utm_campaign=secret_sale_2026
https://doi.org/10.1145/{d7}.{d7}
https://corp.example/search?token_type=bearer&sort=asc
sk-SK and cs-CZ are locales
hf-mirror and hf-cli tools
ghost_{w}_{w} is a fixture
xoxb tokens start with xoxb-
AKIA prefix means long-term key
$HOME/$USER/$PROJECT2
$5 off, $6 shipping
`$1$` marks md5crypt
{CRYPT} scheme in OpenLDAP
argon2id: m=64MiB, t=3, p=1
bcrypt cost 12 takes 250ms
pin numpy<2.0 in the lock file
drawing pin, rolling pin, PIN photodiode S1223
PIN layout: 2x20 header
the OTP microservice runs on port 8085
CVE-2024-{d5} is fixed in 3.0.14
gate 14, code share LH1234
keystroke, keypad, keynote 2026
press key F12 twice
piano key C4, 440 Hz
tokenised 1,204 docs in 33s
logit_bias for token 50256
<|im_start|>system
compasses, passages, passive2
passport no. field is optional
pass rate 98.4%, pass@10
secretion, secrete, discrete2
author_id=4411, coauthors=3
auth0, authelia 4.38, authentik
auth: none
"token": "<unk>"
"key": "Shift+K"
key_id: 7, key_type: rsa
secret name: db-creds-v2
token_url=https://id.corp.example/oauth/token
password_policy=strict2
reset_password_email.html.erb
private_key_path = "/etc/ssl/private/app2.key"
API_KEY_HEADER=X-API-Key
wifi 6E on channel 37
WLAN im Keller / Raum U12
SSID list: Eduroam, Staff2
le réseau wifi du 3e étage / salle B12
Version 4.0 wurde am 12.03.2026 freigegeben
schlüsselfertig ab 2027
la clave de ordenación es fecha2025
kluczowe wskaźniki Q4
cuvânt cheie: retenție2
clé de répartition 60/40
la chiave di lettura è 4b
sleutelkast in gang 2
klíčenka na háčku 7
anahtar değer deposu v3
ключ сортировки: date_2025
пароль истёк 12.01.2026
密码错误3次后锁定
パスワードの有効期限は90日
비밀번호 변경 주기 90일
ulid 01{u24}
snowflake id {d19}
crc {h8}
mistral-7b-instruct-v0.3.Q5_K_M.gguf
encoder.layer.7.output.dense.bias
float32[1,3,224,224]
tx 0x{h64}
wallet 0x{h40}
bafybei{l52}
panic at 0x{h8} in {w}::{w}
killed pid {d5} rss 812M
/lib64/ld-linux-x86-64.so.2 (0x{h16})
resolved "https://packages.example.org/x/-/x-2.0.1.tgz"
kubectl get secret db -o yaml
eni-0{h16} in subnet-0{h16}
arn:aws:sns:eu-west-1:{d12}:alerts
projects/p/locations/eu/keyRings/k/cryptoKeys/c/cryptoKeyVersions/3
client-request-id: {U}
replicaset web-{h10}-{l5}
node gke-pool-1-{h8}-{l4}
"""
LOOKALIKES = """
{h40}
{h32}
{U}
{d1}.{d2}.{d1}+build.{d4}
{w}{W}{W}{W}
{w}_{w}_{d4}
fix/{w}-{w}-{d4}
{w}/{w}:{d1}.{d1}-alpine
{w}-deployment-{h10}-{l5}
BUG-{d5}
#{h3}
scale({d1}.{d2}) rotate({d3}deg)
{w}+{w}@{w}.example
{w}.{w}.example:{d4}
sha256-{b43}=
{u16}
{d4}{d2}{d2}T{d6}Z
cmd/{w}/{w}.go:{d3}:{d2}
{W}Exception: {w} at index {d3}
https://{w}.example/{w}.html#{w}-{d2}
data:text/css;base64,LmJ0bn{b90}
run-{d8}-{l6}
{w}-{h20}.map
{w}<={d1}.{d2}
{w}://{w}/{w}?x={d3}
"{w}Id": "{w}-{d5}"
{w}_{d3}.tar.zst
{h10}..{h10}
cached_tokens={d4}
{w}.api.key.rotation.days={d2}
"""
