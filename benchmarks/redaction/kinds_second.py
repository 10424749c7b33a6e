"""Hard texts by kinds, measured once before rules knew them, and then looked into. The marks are those of `harsh`."""

SECRET = """
apunta: la contraseña de root en el NAS sigue siendo ⟪{p}⟫
el acceso al FTP es con contraseña ⟪{p}⟫ y usuario web
le puse de contraseña ⟪{p}⟫ al router nuevo
contraseña maestra → ⟪{p}⟫
entra con soporte y la contraseña ⟪{p}⟫
código PIN de la tarjeta: ⟪{d4}⟫
moje hasło do Jiry: ⟪{p}⟫
dostęp do panelu: użytkownik biuro, hasło ⟪{p}⟫
hasło do wifi w biurze brzmi ⟪{p}⟫
zmieniliśmy hasło roota na ⟪{p}⟫
hasłem jest teraz ⟪{p}⟫
kod PIN do sejfu: ⟪{d6}⟫
parola pentru router e ⟪{p}⟫
user: admin parola: ⟪{p}⟫
noua parolă este ⟪{p}⟫, s-a schimbat luni
intră cu contul maria și parola ⟪{p}⟫
codul PIN al cardului este ⟪{d4}⟫
Parola serverului: ⟪{p}⟫
Das Kennwort für die Testdatenbank: ⟪{p}⟫
Zugang: Nutzer sven, Passwort ⟪{p}⟫
Passwort wurde auf ⟪{p}⟫ geändert
mit dem Kennwort ⟪{p}⟫ kommst du ins Archiv
unser Root-Passwort ist seit gestern ⟪{p}⟫
Die Geheimzahl der Karte lautet ⟪{d4}⟫
mot de passe admin : ⟪{p}⟫
utilisateur jean et mot de passe ⟪{p}⟫
le nouveau mot de passe de la base devient ⟪{p}⟫
on a changé le mot de passe en ⟪{p}⟫
le mdp du wifi c'est ⟪{p}⟫
le code PIN du coffre est ⟪{d6}⟫
password del wifi: ⟪{p}⟫
la password di root è diventata ⟪{p}⟫
nome utente anna e password ⟪{p}⟫
imposta la password a ⟪{p}⟫ prima di ripartire
credenziali: utente marco / ⟪{p}⟫
codice PIN: ⟪{d5}⟫
a senha de root do servidor ficou ⟪{p}⟫
senha provisória: ⟪{p}⟫
login joana, senha ⟪{p}⟫, porta 22
a palavra-passe da base é ⟪{p}⟫
mudámos a palavra-passe para ⟪{p}⟫
o código PIN do cartão é ⟪{d4}⟫
wachtwoord voor de NAS: ⟪{p}⟫
het wachtwoord van root is nu ⟪{p}⟫
inloggen met piet en wachtwoord ⟪{p}⟫
zet het wachtwoord op ⟪{p}⟫
ons wifi-wachtwoord luidt ⟪{p}⟫
pincode alarm: ⟪{d4}⟫
heslo roota je teď ⟪{p}⟫
heslo na wifi: ⟪{p}⟫
přihlašovací jméno eva a heslo ⟪{p}⟫
heslo bylo změněno na ⟪{p}⟫
do archivu se dostaneš s heslem ⟪{p}⟫
PIN karty je ⟪{d4}⟫
root parolası ⟪{p}⟫ olarak kaldı
yeni parola: ⟪{p}⟫
admin kullanıcısı, parola ⟪{p}⟫
wifi parolası ⟪{p}⟫
kullanıcı adı can ve şifre ⟪{p}⟫
kartın PIN'i ⟪{d4}⟫
you can reach the camera as viewer with the password ⟪{p}⟫
grafana: editor / ⟪{p}⟫
ssh in as pi, password ⟪{p}⟫
console login root:⟪{p}⟫
we set ⟪{p}⟫ as the admin password on all switches
old pw ⟪{p}⟫, new pw ⟪{p}⟫
The passphrase on my laptop key is "⟪{p}⟫".
If it asks, the keystore password is ⟪{p}⟫
user=report password=⟪{p}⟫ dbname=dwh
jenkins user build with pass ⟪{p}⟫
account: demo@corp.example / ⟪{p}⟫
it's ⟪{p}⟫ for the wifi password
use ⟪{p}⟫ to log in as root
guest wifi: ssid Corp-Guest, key ⟪{p}⟫
the door code is ⟪{d6}⟫
our VPN password changed from ⟪{p}⟫ to ⟪{p}⟫
MYSQL_ROOT_PASSWORD=⟪{p}⟫
- POSTGRES_PASSWORD=⟪{p}⟫
 - name: ADMIN_PASS\\n   value: "⟪{p}⟫"
'password' => '⟪{p}⟫',
conn = connect(user="app", passwd="⟪{p}⟫")
let pwd: String = "⟪{p}⟫".into();
password: ⟪{p}⟫ # rotate me
<add key="SmtpPassword" value="⟪{p}⟫" />
vault_password: ⟪{p}⟫
{"username":"ops","password":"⟪{p}⟫"}
SET PASSWORD FOR 'bob'@'%' = PASSWORD('⟪{p}⟫');
CREATE ROLE app LOGIN PASSWORD '⟪{p}⟫';
curl --user bob:⟪{p}⟫ -X POST https://ci.corp.example/build
wget --password=⟪{p}⟫ https://files.corp.example/a
mongosh -u root -p ⟪{p}⟫ --host db
psql "host=db user=app password=⟪{p}⟫"
PGPASSWORD=⟪{p}⟫ psql -h db
ldapsearch -D cn=admin -w ⟪{p}⟫ -b dc=corp
7z a -p⟪{p}⟫ out.7z data
smbclient //nas/x -U anna%⟪{p}⟫
rsync --password-file=<(echo ⟪{p}⟫) a b::c
keytool -storepass ⟪{p}⟫ -list
mysqldump --user=root --password=⟪{p}⟫ shop
sqlcmd -S db -U sa -P ⟪{p}⟫
helm install x --set auth.rootPassword=⟪{p}⟫
vault kv put secret/db password=⟪{p}⟫
[client]\\nuser=root\\npassword=⟪{p}⟫
user,pass\\nkim,⟪{p}⟫\\nlee,⟪{p}⟫
| service | password |\\n|---|---|\\n| jira | ⟪{p}⟫ |
backup codes: ⟪{d8}⟫
2fa recovery code ⟪{h4}-{h4}-{h4}⟫
one-time code ⟪{d6}⟫
"""
FORMS = """
⟪gho_{a36}⟫
⟪ghs_{a36}⟫
⟪glrt-{g20}⟫
⟪ASIA{u16}⟫
"SecretAccessKey": "⟪{b40}⟫"
⟪xoxp-{d12}-{d12}-{d13}-{h32}⟫
⟪xoxe.xoxp-1-{a160}⟫
⟪rk_live_{a24}⟫
⟪sk_test_{a99}⟫
⟪sk-svcacct-{g74}T3BlbkFJ{g58}⟫
⟪sk-or-v1-{h64}⟫
⟪1//0{g60}⟫
⟪EAACEdEose0cBA{a120}⟫
⟪pul-{h40}⟫
⟪dapi{h32}⟫
⟪xkeysib-{h64}-{a16}⟫
⟪key-{h32}⟫
⟪{h32}-us14⟫
⟪MT{a22}.{g6}.{g38}⟫
⟪shpss_{h32}⟫
⟪dp.st.prd.{a43}⟫
⟪{a14}.atlasv1.{g67}⟫
⟪nfp_{a40}⟫
⟪ntn_{a46}⟫
⟪pat{a14}.{h64}⟫
⟪sl.B{g140}⟫
⟪FlyV1 fm2_{b120}⟫
⟪eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJ{g120}.{g300}⟫
DATADOG_APP_KEY=⟪{h40}⟫
LINODE_TOKEN=⟪{h64}⟫
HCLOUD_TOKEN=⟪{a64}⟫
cohere.api_key: ⟪{a40}⟫
ROLLBAR_ACCESS_TOKEN: ⟪{h32}⟫
api-key: ⟪{h32}⟫
Authorization: token ⟪{h40}⟫
Proxy-Authorization: Basic ⟪cHJveHk6{a16}⟫
PRIVATE-TOKEN: ⟪{g20}⟫
⟪ATCTT3xFfG{g170}⟫
⟪sntryu_{h64}⟫
⟪PMAK-{h24}-{h34}⟫
⟪sk-lf-{U}⟫
⟪pcsk_{a6}_{a60}⟫
⟪tvly-dev-{a32}⟫
⟪nvapi-{g64}⟫
⟪CFPAT-{g43}⟫
⟪lsv2_pt_{h32}_{h10}⟫
⟪re_{a8}_{a24}⟫
⟪squ_{h40}⟫
⟪vcp_{a56}⟫
OAUTH_CLIENT_SECRET=⟪{a40}⟫
⟪{a3}7Q~{g34}⟫
SECRET_KEY_BASE=⟪{h128}⟫
⟪$6$rounds=656000${c16}${c86}⟫
⟪$5${c12}${c43}⟫
⟪$2a$10${c53}⟫
⟪$2y$11${c53}⟫
⟪$y$jFT${c22}${c43}⟫
⟪$1${c6}${c22}⟫
⟪$md5,rounds=904${c8}$${c22}⟫
⟪$argon2i$v=19$m=4096,t=3,p=1${b16}${b43}⟫
⟪argon2$argon2id$v=19$m=102400,t=2,p=8${b22}${b43}⟫
⟪bcrypt_sha256$$2b$12${c53}⟫
⟪pbkdf2:sha256:260000${a16}${h64}⟫
⟪pbkdf2_sha1$390000${a12}${b27}=⟫
⟪{SHA}{b27}=⟫
⟪{SSHA512}{b96}==⟫
⟪{CRYPT}$6${a8}${c86}⟫
⟪$H$9{c30}⟫
⟪$sm3${c16}${c43}⟫
backup:⟪$y$j9T${c22}${c43}⟫:20100::::::
alice:1001:aad3b435b51404eeaad3b435b51404ee:⟪{h32}⟫:::
bob:⟪$apr1${c8}${c22}⟫
kim:⟪{SHA}{b27}=⟫
CREATE ROLE x PASSWORD '⟪md5{h32}⟫'
⟪grub.pbkdf2.sha512.10000.{H128}.{H128}⟫
⟪$8${c14}${c43}⟫ (cisco type 8)
enable secret 5 ⟪$1${c4}${c22}⟫
⟪$bcrypt-sha256$v=2,t=2b,r=12${c22}${c31}⟫
⟪sha1${a12}${h40}⟫ from the old Django users table
IDENTIFIED BY PASSWORD '⟪*{H40}⟫'
https://discordapp.com/api/webhooks/{d19}/⟪{g68}⟫
https://hooks.slack.com/workflows/T{u9}/A{u10}/{d18}/⟪{a24}⟫
https://open.feishu.cn/open-apis/bot/v2/hook/⟪{U}⟫
https://oapi.dingtalk.com/robot/send?access_token=⟪{h64}⟫
https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=⟪{U}⟫
https://hook.eu2.make.com/⟪{l32}⟫
https://n8n.corp.example/webhook/⟪{U}⟫
https://events.pagerduty.com/integration/⟪{h32}⟫/enqueue
https://hc-ping.com/⟪{U}⟫
https://api.netlify.com/build_hooks/⟪{h24}⟫
https://api.vercel.com/v1/integrations/deploy/prj_{a28}/⟪{a10}⟫
https://storage.googleapis.com/b/o?X-Goog-Signature=⟪{h256}⟫
https://d1.cloudfront.net/v.mp4?Expires=1767225600&Signature=⟪{g170}⟫&Key-Pair-Id=K{u13}
https://id.corp.example/verify-email/⟪{g43}⟫
https://join.slack.com/t/acme/shared_invite/⟪zt-{l10}-{g22}⟫
https://chat.whatsapp.com/⟪{a22}⟫
https://t.me/+⟪{g16}⟫
https://corp.example/unsubscribe?u=4&sig=⟪{h64}⟫
https://app.corp.example/oauth/callback?code=⟪4/0A{g68}⟫&state=1
https://corp.example/files/d?ticket=⟪{g40}⟫
https://api.openweathermap.org/data/2.5/weather?q=Rome&appid=⟪{h32}⟫
https://maps.corp.example/tiles?key=⟪{a32}⟫
https://gitlab.corp.example/p.git?private_token=⟪{g20}⟫
https://zoom.us/j/{d11}?pwd=⟪{a32}⟫
https://meet.corp.example/accept-invitation?invitation_token=⟪{g20}⟫
https://sentry.corp.example/api/hooks/release/builtin/{d6}/⟪{h64}⟫/
mysql://root:⟪{p}⟫@127.0.0.1:3306/app
postgresql+asyncpg://svc:⟪{a24}⟫@pg/dwh
mssql://sa:⟪{p}⟫@sql:1433?database=x
rediss://default:⟪{a28}⟫@eu1.upstash.example:6379
nats://edge:⟪{p}⟫@nats:4222
Server=tcp:x.database.windows.net;User ID=app;Pwd=⟪{p}⟫;
jdbc:mysql://db/shop?user=root&password=⟪{p}⟫&useSSL=false
jdbc:sqlserver://db;user=sa;password=⟪{p}⟫;
AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=⟪{b86}==⟫;
HostName=x.azure-devices.net;SharedAccessKeyName=o;SharedAccessKey=⟪{b43}=⟫
sqlplus system/⟪{p}⟫@ORCL
https://oauth2:⟪{g26}⟫@gitlab.corp.example/a/b.git
imaps://nina:⟪{p}⟫@mail.corp.example
Provider=SQLOLEDB;Data Source=x;User Id=u;Password=⟪{p}⟫;
couchbase://app:⟪{p}⟫@cb
-----BEGIN PRIVATE KEY-----\\n⟪{b64}⟫\\n⟪{b64}⟫\\n{b30}=\\n-----END PRIVATE KEY-----
-----BEGIN DSA PRIVATE KEY-----\\n⟪{b64}⟫\\n-----END DSA PRIVATE KEY-----
key: |\\n  -----BEGIN RSA PRIVATE KEY-----\\n  ⟪{b64}⟫\\n  {b64}\\n  -----END RSA PRIVATE KEY-----
KEY="-----BEGIN EC PRIVATE KEY-----\\\\n⟪{b64}⟫\\\\n-----END EC PRIVATE KEY-----"
-----BEGIN OPENSSH PRIVATE KEY-----\\n⟪b3BlbnNzaC1rZXktdjEAAAAABG5vbmU{b30}⟫\\n⟪{b64}⟫
PrivateKey=⟪{b43}=⟫\\nAddress = 10.8.0.2/32
PresharedKey = ⟪{b43}=⟫
Set-Cookie: session=⟪{g60}⟫; Secure; HttpOnly
Cookie: sid=⟪{a40}⟫; lang=de
connect.sid=⟪s:{g32}.{b43}⟫;
PHPSESSID=⟪{l26}⟫
JSESSIONID: ⟪{H32}⟫
auth_token=⟪{h40}⟫ (twitter cookie)
csrftoken=⟪{a64}⟫; sessionid=⟪{l32}⟫
__Host-session=⟪{g43}⟫
__Secure-next-auth.session-token=⟪eyJ{g200}⟫
li_at=⟪AQED{g140}⟫
user_session=⟪{g48}⟫
_session_id=⟪{h32}⟫
CF_Authorization=⟪eyJ{g60}.eyJ{g90}.{g86}⟫
kc-access=⟪{g120}⟫
refresh_token cookie is ⟪{g64}⟫
"""
CONTEXTS = """
@
yesterday I saw @ in the shell history
config:\\n  @\\n# end
* @
"@"
Achtung: @ steht noch im Wiki
reminder: @ expires in June, tell Omar
(@)
log line 42: @
it worked once we used @ there
a) @ b) done
>> @ <<
"""
ORDINARY = """
la contraseña se cifra con AES-256 antes de guardarse
si olvidas la contraseña, escribe a soporte@corp.example
contraseñas: política v2.3, apartado 4
el PIN tiene 4 dígitos y caduca en 2026
la clave foránea apunta a pedidos.id
hasło jest hashowane przez bcrypt2
pole hasło w formularzu ma id user-pass
link do zmiany hasła wygasa po 24h
hasła starsze niż 90 dni są odrzucane
parola este criptată cu SHA-256
resetarea parolei: vezi pagina 7
câmpul parola din form.html
Passwortrichtlinie: mindestens 14 Zeichen
Passwort vergessen? Link gilt 30 Minuten
Passwörter nie in Git, siehe ADR-0012
das Kennwort steht in Bitwarden unter NAS-2
la page mot de passe renvoie une erreur 500
le mot de passe est stocké dans Vault
règle : mot de passe de 12 à 64 caractères
changer le mot de passe : écran 3
il campo password ha id=pwd1
la password deve contenere un numero
codice PIN errato 3 volte: blocco
a senha não pode repetir as últimas 5
campo senha em login.component.ts
recuperar senha: /conta/recuperar
wachtwoorden staan in KeePass, map Servers2
wachtwoordbeleid v3: minimaal 12 tekens
het veld wachtwoord is verplicht
pole heslo má id=pass1
obnova hesla vyprší za 2 hodiny
hesla jsou uložena v Bitwardenu
parola alanı boş olamaz
şifre politikası 2025 sürümü
şifremi unuttum sayfası 404 veriyor
password policy: 12+ chars, 1 digit
the password prompt appears twice in v3.1
two passwords differ: see test_login.py
rotating the token took 15min
the secret sauce is caching
keys are sorted before hashing
key=value pairs, one per line
partition key = customer_id#2025
public key pinning was dropped in Chrome 72
the token count went from 8k to 3k
tokens: 12,345 in / 1,024 out
if password != confirm_password: raise ValueError
user.set_password(form.cleaned_data["password1"])
PASSWORD_MIN_LENGTH = 12
assert "token" in response.json()
let token = req.headers.get("x-token")?;
secret := os.Getenv("JWT_SECRET")
apiKey: process.env.NEXT_PUBLIC_API_KEY
auth = (user, password)
password=args.password, timeout=30
passwd.getpwnam("root").pw_uid
private readonly tokenService: TokenService2,
@Value("${spring.datasource.password}")
password: !vault |
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
TOKEN=xxxxxxxxxxxxxxxx
SECRET_KEY=change-me-please
"apiKey": "YOUR_KEY_HERE_123"
--from-file=password=./pw.txt
read -s -p "Password: " PW
curl -u "$USER:$PASS" https://corp.example
mysql -u root -p shop < dump.sql
ssh -i ~/.ssh/deploy_key2 ops@10.1.2.3
docker run -p 8080:80 -e TOKEN web:1.4
merge {h40} into main
fixed by {h9}, cherry-picked as {h12}
Subproject commit {h40}
index {h7}..{h7} 100644
go.sum h1:{b43}=
pkg:npm/left-pad@1.3.0?checksum=sha256:{h64}
--hash=sha256:{h64}
sha1 {h40}  app.tar.gz
{h32}  backup.sql.gz
X-Request-Id: {U}
correlation={h16}-{h8}
session {U} ended after 12m
build {d5} used image {h12}
url(data:image/svg+xml;base64,PHN2Zy{b80})
data:application/pdf;base64,JVBERi0{b120}
sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz{b60}
color: hsl(210 50% 40%); --accent-{d2}: #{h6};
grid-template-columns: repeat(auto-fill, minmax(240px, 1fr))
.css-{l6}-{W}{display:flex}
_next/static/chunks/{d4}-{h16}.js
polyfills-{u8}.js 34 kB
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{b60}
age1{l58} is the recipient
-----BEGIN CERTIFICATE REQUEST-----\\n{b64}\\n-----END CERTIFICATE REQUEST-----
ssh fingerprint SHA256:{b43} (ED25519)
PublicKey = {b43}=
G-{u10} and UA-{d8}-1 are analytics ids
sitekey 6L{g38}
pk_test_{a24}
customer cus_{a14}, invoice in_{a24}
price_{a24} on plan pro2
OpenAI file-{a24}, run_{a24}
chatcmpl-{a29}
toolu_{a24} returned nothing
msg_{a24} was retried
case 5003000000{u5}AAA
phone 555-0142, ext 12
passport control at gate B22
serial C02{u9}
MAC a4:83:e7:{h2}:{h2}:{h2}
[2025-11-03 08:14:55,123] WARN pool-2-thread-7
Java 17.0.9+9, gradle 8.5
ubuntu-22.04.3-live-server-amd64.iso
192.168.178.20:8443/ui
awk -F: '{print $1}' /etc/passwd
sed -i 's/{w}1/{w}2/' conf.yml
grep -rn "password" src/ | wc -l
EXPLAIN SELECT * FROM tokens WHERE key = $1
ALTER TABLE users ADD COLUMN password_hash text
INSERT INTO keys VALUES (1, 'alpha2')
login failed for user bob from 10.0.0.7
login page / signup2 page redesign
log in as a viewer and open report-17
sign in with Okta and Duo2
user bob / role editor2
account ann / eu-west-3
credentials live in 1Password / shared-vault2
connect as replica / standby2
use node / deno2 for scripts
admin panel: /admin/users2
ssh in as ubuntu, then run deploy-v2.sh
Cookie policy: lang=en; consent=1
the cookie session is signed with HMAC-SHA256
PHPSESSID is the PHP session cookie
JSESSIONID appears twice in the header
SameSite=Lax; Domain=.corp.example; Max-Age=3600
https://github.com/acme/app/commit/{h40}
https://discord.com/developers/docs/resources/webhook
https://discord.gg/amber-club
https://app.slack.com/client/T{u9}/C{u10}
https://hooks.corp.example/docs
https://n8n.io/integrations/webhook/and/slack/
https://corp.example/reset-password
https://corp.example/verify-email?lang=de
https://corp.example/join/engineering-guild-onboarding-week
https://medium.com/p/{h12}
https://stackoverflow.com/questions/{d8}/how-to-store-password2
https://notion.so/acme/Roadmap-2026-{h32}
https://docs.corp.example/api/v2/tokens/list
https://drive.google.com/file/d/{g33}/view
https://web.archive.org/web/2024010112{d4}/https://x.example
https://cdn.corp.example/{h2}/{h38}/a.png
https://packages.example/project/tokenizers/0.19.1/
https://corp.example/?utm_source=news&utm_campaign=key_launch_2025
https://maps.google.com/?q=48.8584,2.2945
https://youtu.be/{g11}?t=42
https://corp.example/blog/2025/10/why-we-rotate-api-keys
sk-toolkit and pk-parser are packages
hf_transfer==0.1.6
AIzawa is a surname
xoxo from the team
glpat- marks GitLab tokens
eyJ is how JWTs begin
npm_package_version is 3.2.1
$2a, $2b and $2y differ in bugs fixed
regex ^\\$6\\$ matches sha512crypt
{SHA} without salt is weak
echo $1 $2$3
cost is $5$ or $6$ a month
pin the action to v4.1.7
pin 12 is MOSI, pin 13 is SCK
PIN pad firmware 2.4.1
the OTP app on Pixel8 drifts
otp length=6 period=30
door code review notes, 3 pages
recovery code path in recovery2.go
keycloak 24.0.5, keydb 6.3.4
hotkey: Alt+F4; key repeat 30ms
Key: C#m, 128 bpm
token_type_ids=tensor2
special token <|endoftext|>
byPassFilter2 is deprecated
compass.js, passport-jwt 4.0.1
bypass valve 12b
wpass_count and pass_rate=0.93
pass: 41, fail: 2
pass/fail: 12/3
secretariat@corp.example
undersecretary: Dr. Novak2
Author: kim42 <kim@corp.example>
Authors: ann3, bob7
authentication: OAuth2+PKCE
authMethod: "kubernetes2"
"token": "</s>"
"key": "user.name2"
"keyCode": 13, "key": "Enter"
key_prefix = "app:v2:"
tokenize("hello2")
forgot_password_path: /users/password/new
ssh_private_key_file: ~/.ssh/ci2
tls.key and tls.crt live in /etc/tls2
DB_PASSWORD_FILE=/run/secrets/pg2
wifi is on floor 2 / east wing
SSID Corp-Guest5G has weak signal
el wifi del Hotel Sol / planta 3
Quartalszahlen Q3/2025: 12,4 Mio
der Schlüsselsatz ist aus Kapitel 4b
la llave del coche está en el cajón 2
klucz główny to (id, rok2025)
cheia primară este id_client2
clé USB 32Go dans le tiroir B4
chiave inglese da 13mm
sleutelwoord: async2
klíč k dveřím má Petr, pokoj 12B
anahtar kelime: veri2025
токен истекает через 3600с
пароль хранится в виде bcrypt-хеша
密钥长度为256位
パスワード再設定は24時間有効
비밀번호 정책 v2
uuid.uuid4() -> {U}
xxh64 {h16} crc32 {h8}
llama-3.1-8b-instruct-q8_0.gguf
model.layers.31.mlp.down_proj.weight
Tensor[2, 128, 4096] bf16
0x{h64} is the tx hash
0x{h40}
ipfs://Qm{a44}
addr 0x{h8}, len 0x{h4}
oom-killer pid {d5} score 901
libcrypto.so.1.1 (0x{h16})
yarn.lock: resolved "https://registry.acme.test/x/-/x-1.0.0.tgz#{h40}"
kubectl rollout undo deploy/web --to-revision=7
ami-0{h16} in eu-west-1b
arn:aws:kms:eu-west-1:{d12}:key/{U}
projects/p1/locations/global/keyRings/r1/cryptoKeys/k2
client_id={U}
tenant={U}&lang=en
sg-0{h16} rtb-0{h16}
cluster c-{l5}, node ip-10-0-1-{d3}
"""
LOOKALIKES = """
{h40}
{h128}
{U}
{d2}.{d1}.{d2}-beta.{d1}
{w}{W}_{w}
I{W}{W}Repository
hotfix/{w}-{d3}
tags/{w}-v{d1}.{d1}
{w}-{h8}-{l5}
OPS-{d5}
#{h8}
translate({d2}px, {d3}px)
{w}.{w}@{w}.example
{w}-{d2}.{w}.internal
sha384-{b64}
{u20}
{d2}/{d2}/{d4} {d2}:{d2}
lib/{w}/{W}{W}.java:{d3}
{w}.{W}Exception: code={d4}
https://{w}.example/{w}-{w}/{d6}#{w}
data:audio/ogg;base64,T2dnUw{b200}
evt_{a24}
{w}.{h20}.js
{w}~={d1}.{d1}
oci://{w}.example/{w}:{d1}.{d2}
"{w}_key": "{w}_{w}"
{w}{d2}_key_id={d6}
{h7}...{h7}
prompt_tokens={d4} total_tokens={d5}
{w}.secret.name={w}-{w}
"""
