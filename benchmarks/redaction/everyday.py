"""Secrets and lookalikes as people, programs and files write them, in ten languages; `by_kind` splits them in halves.

The texts were written before the rules were tried on them. Half C may be looked into; half D is for figures only. The
marks are those of `by_kind`.
"""

SECRET = {
    "english": r"""
the wifi at the cabin: ⟪{q}⟫, network name is Cabin5G
Sam's laptop unlocks with ⟪{p}⟫, that's the admin password
you can get into grafana with eva and ⟪{p}⟫ as the password
for the sandbox account we all use the password ⟪{p}⟫
temp password they mailed me: ⟪{p}⟫
pw for the zip is ⟪{q}⟫
Reset it. New password ⟪{p}⟫, valid until Monday.
My netflix login is eva@firma.example with password ⟪{q}⟫
alarm code 2nd floor: ⟪{d6}⟫
the safe opens with PIN ⟪{d5}⟫
db root pass ⟪{p}⟫ (do not commit!)
I rotated the API key, the new one is ⟪{a40}⟫
the old token was ⟪{h40}⟫ and the new one is ⟪{h40}⟫
Here's the key for the maps service: ⟪{a39}⟫
remember that the staging secret is ⟪{w43}⟫
the passphrase of my ssh key is ⟪{f5}⟫
password for backups = ⟪{q}⟫
user deploy, password ⟪{p}⟫, host 10.1.2.3
use ⟪{p}⟫ as password when it asks
Login: deploy. Password: ⟪{p}⟫. Port: 2222.
our vault's unseal key 1 is ⟪{b43}=⟫
the recovery codes are ⟪{s5}-{s5}⟫ and ⟪{s5}-{s5}⟫
router admin page takes admin / ⟪{q}⟫
the license key is ⟪{u5}-{u5}-{u5}-{u5}⟫
Bitwarden master password? ⟪{p}⟫
the one-time code was ⟪{d6}⟫
""",
    "german": r"""
Das WLAN-Passwort im Büro lautet ⟪{q}⟫
Zugangsdaten fürs Backend: admin / ⟪{p}⟫
der neue API-Schlüssel ist ⟪{a40}⟫
Benutzer: kasse, Passwort: ⟪{q}⟫
Ich habe das Passwort vom Router auf ⟪{p}⟫ geändert
melde dich mit eva und dem Passwort ⟪{p}⟫ an
Die PIN für den Tresor ist ⟪{d6}⟫
Das Token für den Runner: ⟪{w20}⟫
Kennwort der Datenbank → ⟪{p}⟫
Passwort für die ZIP-Datei war »⟪{q}⟫«
Zugang: kunde17, PW: ⟪{q}⟫
das Master-Passwort von KeePass heißt ⟪{p}⟫
mit dem Kennwort ⟪{p}⟫ kommt man rein
Die Passphrase meines Schlüssels: ⟪{f4}⟫
geheimer Schlüssel: ⟪{h64}⟫
Sicherheitscode der Alarmanlage: ⟪{d4}⟫
Bitte merken: Passwort Staging = ⟪{p}⟫
Netzwerkschlüssel: ⟪{d16}⟫
""",
    "french": r"""
le mot de passe du wifi c'est ⟪{q}⟫
Identifiants : admin / ⟪{p}⟫
voici la clé API : ⟪{a40}⟫
mot de passe temporaire : ⟪{p}⟫
j'ai mis ⟪{p}⟫ comme mot de passe
connecte-toi avec eva, mot de passe ⟪{p}⟫
le code PIN du coffre est ⟪{d4}⟫
le jeton d'accès est ⟪{h40}⟫
Le mot de passe de la base est passé à ⟪{p}⟫
code de l'alarme : ⟪{d6}⟫
la phrase secrète de ma clé est « ⟪{F5}⟫ »
mdp admin ⟪{p}⟫
clé secrète Stripe = ⟪{a32}⟫
Utilisateur : caisse — Mot de passe : ⟪{q}⟫
le nouveau mot de passe root sera ⟪{p}⟫
mon mdp pour le VPN, c'est ⟪{p}⟫
""",
    "spanish": r"""
la clave del wifi es ⟪{q}⟫
Usuario: caja, contraseña: ⟪{q}⟫
la clave de la API es ⟪{a40}⟫
la contraseña temporal es ⟪{p}⟫
puse ⟪{p}⟫ como contraseña
entra con eva y la contraseña ⟪{p}⟫
el pin de la caja fuerte es ⟪{d6}⟫
token de acceso: ⟪{h40}⟫
la contraseña de la base de datos ahora es ⟪{p}⟫
clave secreta: ⟪{w43}⟫
credenciales: admin / ⟪{p}⟫
la frase de contraseña de mi clave es ⟪{f5}⟫
código de la alarma: ⟪{d4}⟫
nueva contraseña de root → ⟪{p}⟫
Recuerda que la contraseña del router es ⟪{q}⟫
contraseña maestra = ⟪{p}⟫
""",
    "italian": r"""
la password del wifi è ⟪{q}⟫
Utente: cassa, password: ⟪{q}⟫
la chiave API è ⟪{a40}⟫
ho messo ⟪{p}⟫ come password
accedi con eva e la password ⟪{p}⟫
il pin della cassaforte è ⟪{d5}⟫
token di accesso: ⟪{h40}⟫
credenziali: admin / ⟪{p}⟫
la password del database adesso è ⟪{p}⟫
codice dell'allarme: ⟪{d4}⟫
chiave segreta: ⟪{w43}⟫
parola d'ordine: ⟪{q}⟫
la passphrase della chiave è ⟪{f4}⟫
nuova password di root → ⟪{p}⟫
""",
    "portuguese": r"""
a senha do wifi é ⟪{q}⟫
Usuário: caixa, senha: ⟪{q}⟫
a chave da API é ⟪{a40}⟫
coloquei ⟪{p}⟫ como senha
entra com eva e a senha ⟪{p}⟫
o PIN do cofre é ⟪{d6}⟫
token de acesso: ⟪{h40}⟫
credenciais: admin / ⟪{p}⟫
a senha do banco agora é ⟪{p}⟫
a palavra-passe do router é ⟪{q}⟫
chave secreta: ⟪{w43}⟫
código do alarme: ⟪{d4}⟫
mudei a senha do root para ⟪{p}⟫
frase secreta: ⟪{f4}⟫
""",
    "polish": r"""
hasło do wifi to ⟪{q}⟫
Użytkownik: kasa, hasło: ⟪{q}⟫
klucz API to ⟪{a40}⟫
ustawiłem ⟪{p}⟫ jako hasło
zaloguj się jako eva z hasłem ⟪{p}⟫
PIN do sejfu to ⟪{d6}⟫
token dostępu: ⟪{h40}⟫
dane logowania: admin / ⟪{p}⟫
hasło do bazy to teraz ⟪{p}⟫
tajny klucz: ⟪{w43}⟫
kod alarmu: ⟪{d4}⟫
zmieniłam hasło roota na ⟪{p}⟫
hasło tymczasowe ⟪{p}⟫ wygasa jutro
""",
    "dutch": r"""
het wifi-wachtwoord is ⟪{q}⟫
Gebruiker: kassa, wachtwoord: ⟪{q}⟫
de API-sleutel is ⟪{a40}⟫
ik heb ⟪{p}⟫ als wachtwoord ingesteld
log in met eva en wachtwoord ⟪{p}⟫
de pincode van de kluis is ⟪{d6}⟫
toegangstoken: ⟪{h40}⟫
inloggegevens: admin / ⟪{p}⟫
het wachtwoord van de database is nu ⟪{p}⟫
geheime sleutel: ⟪{w43}⟫
code van het alarm: ⟪{d4}⟫
root-wachtwoord gewijzigd naar ⟪{p}⟫
tijdelijk wachtwoord → ⟪{p}⟫
""",
    "turkish": r"""
wifi şifresi ⟪{q}⟫
Kullanıcı: kasa, şifre: ⟪{q}⟫
API anahtarı ⟪{a40}⟫
şifre olarak ⟪{p}⟫ kullanıyorum
eva ile gir, parola ⟪{p}⟫
kasanın PIN kodu ⟪{d6}⟫
erişim belirteci: ⟪{h40}⟫
giriş bilgileri: admin / ⟪{p}⟫
veritabanı şifresi artık ⟪{p}⟫
gizli anahtar: ⟪{w43}⟫
root şifresini ⟪{p}⟫ yaptım
yeni parola: ⟪{p}⟫
""",
    "cyrillic": r"""
пароль от вайфая ⟪{q}⟫
Пользователь: касса, пароль: ⟪{q}⟫
ключ API: ⟪{a40}⟫
поставил пароль ⟪{p}⟫ на роутер
войди под eva с паролем ⟪{p}⟫
ПИН-код от сейфа ⟪{d6}⟫
токен доступа: ⟪{h40}⟫
логин/пароль: admin / ⟪{p}⟫
пароль базы теперь ⟪{p}⟫
секретный ключ: ⟪{w43}⟫
пароль сменил на ⟪{p}⟫
Пароль від сервера: ⟪{p}⟫
новый пароль root — ⟪{p}⟫
""",
    "eastern": r"""
WiFiのパスワードは⟪{q}⟫です
ユーザー名：kasse、パスワード：⟪{q}⟫
APIキーは⟪{a40}⟫です
パスワードを⟪{p}⟫に変更しました
无线密码是⟪{q}⟫
用户名：admin，密码：⟪{p}⟫
API密钥：⟪{a40}⟫
密码改成了⟪{p}⟫
访问令牌: ⟪{h40}⟫
와이파이 비밀번호는 ⟪{q}⟫
아이디 admin 비밀번호 ⟪{p}⟫
API 키: ⟪{a40}⟫
""",
    "config": r"""
spring.datasource.password=⟪{p}⟫
[remote "origin"]\n\turl = https://eva:⟪{a36}⟫@git.firma.example/acme/core.git
smtp_pass = "⟪{p}⟫"
requirepass ⟪{a24}⟫
admin_passwd = ⟪{q}⟫
$databases['default']['default']['password'] = '⟪{p}⟫';
define('DB_PASSWORD', '⟪{p}⟫');
define('AUTH_KEY', '⟪{k50}⟫');
db:\n  user: app\n  password: ⟪{p}⟫\n  host: db
<add key="ApiKey" value="⟪{a32}⟫" />
<password>⟪{p}⟫</password>
"ConnectionStrings": {"Main": "Server=db;User Id=app;Password=⟪{p}⟫;"}
wpa_passphrase=⟪{q}⟫
psk="⟪{q}⟫"
ansible_become_pass: ⟪{p}⟫
//registry.firma.example/:_authToken=⟪{g}⟫
_auth=⟪{b40}⟫
"auths": {"hub.firma.example": {"auth": "⟪{b40}⟫"}}
machine api.firma.example login ci password ⟪{a30}⟫
db.firma.example:5432:shop:app:⟪{p}⟫
encryption.key = ⟪{h64}⟫
secret_key_base: ⟪{h128}⟫
auth_token = "⟪{h64}⟫"
MAIL_PASSWORD="⟪{p}⟫" # sendgrid
NEXTAUTH_SECRET=⟪{b43}=⟫
REDIS_URL=redis://:⟪{a24}⟫@redis:6379/0
SESSION_SECRET: '⟪{a40}⟫'
kind: Secret\ndata:\n  password: ⟪{b24}⟫
identity_file_passphrase: ⟪{q}⟫
rpcpassword=⟪{a30}⟫
pinentry.pin = ⟪{d6}⟫
ldap_bind_password: "⟪{p}⟫"
snmp-server community ⟪{a14}⟫ RO
preshared-key = ⟪{b43}=⟫
PrivateKey = ⟪{b43}=⟫
token = ⟪{h40}⟫ ; telegraf
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="⟪{p}⟫";
environment:\n  - DB_PASS=⟪{p}⟫
credentials = {"user": "eva", "pass": "⟪{p}⟫"}
api_secret: ⟪{a40}⟫
hmac_key = "⟪{h64}⟫"
storePassword=⟪{p}⟫
signingConfig { keyPassword '⟪{p}⟫' }
proxy_password: ⟪{p}⟫
""",
    "code": r"""
conn = psycopg.connect(host="db", user="app", password="⟪{p}⟫")
const client = new Client({ accessToken: "⟪{w43}⟫" });
openai.api_key = "⟪{a48}⟫"
String password = "⟪{p}⟫";
var jwtSecret = []byte("⟪{a32}⟫")
$password = '⟪{p}⟫';
let pwd = '⟪{p}⟫';
private static final String API_KEY = "⟪{a40}⟫";
client_secret="⟪{w40}⟫",
requests.get(url, auth=("eva", "⟪{p}⟫"))
session.login("eva", "⟪{p}⟫")
headers["X-Auth-Token"] = "⟪{h40}⟫"
axios.defaults.headers.common['Authorization'] = 'Bearer ⟪{w64}⟫'
os.environ["DB_PASSWORD"] = "⟪{p}⟫"
ssh.connect("10.0.0.4", username="root", password="⟪{p}⟫")
server.login("mailer@firma.example", "⟪{p}⟫")
Fernet(b"⟪{w43}=⟫")
cipher = AES.new(bytes.fromhex("⟪{h64}⟫"), AES.MODE_GCM)
hmac.new(b"⟪{a40}⟫", body, hashlib.sha256)
config.secret_token = '⟪{h64}⟫'
process.env.STRIPE_KEY ??= "⟪{a32}⟫"
password: String = "⟪{p}⟫",
assert login("eva", password="⟪{p}⟫").ok
ALTER ROLE app WITH PASSWORD '⟪{p}⟫';
CREATE USER 'app'@'%' IDENTIFIED BY '⟪{p}⟫';
INSERT INTO settings (name, value) VALUES ('smtp_password', '⟪{p}⟫');
val apiKey = "⟪{a32}⟫"
static NSString *const kApiSecret = @"⟪{a40}⟫";
pass=b'⟪{p}⟫'
twilio = Client("AC{h32}", "⟪{h32}⟫")
token := "⟪{h40}⟫"
secrets: { dbPassword: '⟪{p}⟫' }
DriverManager.getConnection(url, "app", "⟪{p}⟫");
""",
    "shell": r"""
sshpass -p '⟪{p}⟫' ssh eva@10.0.0.2
mysqldump -uapp -p'⟪{p}⟫' shop > a.sql
export OPENAI_API_KEY=⟪{a48}⟫
curl -H "X-API-KEY: ⟪{h32}⟫" https://api.firma.example/v1
http POST api.firma.example/login user=eva password=⟪{p}⟫
echo "⟪{p}⟫" | sudo -S apt update
wget --user=eva --password='⟪{p}⟫' https://files.firma.example/a.zip
PASSWORD=⟪{p}⟫ ./deploy.sh
unzip -P ⟪{p}⟫ a.zip
7z x -p⟪{p}⟫ a.7z
gpg --batch --passphrase ⟪{p}⟫ -d a.gpg
mongosh -u root -p ⟪{p}⟫ --authenticationDatabase admin
aws configure set aws_secret_access_key ⟪{b40}⟫
htpasswd -b .htpasswd eva ⟪{p}⟫
net use Z: \\\\nas\\share /user:eva ⟪{p}⟫
rclone config create s3 s3 secret_access_key=⟪{b40}⟫
helm upgrade app . --set auth.password=⟪{p}⟫
az login --service-principal -u {g} -p ⟪{w40}⟫ --tenant {g}
ldapsearch -D cn=admin -w ⟪{p}⟫ -b dc=firma
psql "host=db user=app password=⟪{p}⟫ dbname=shop"
docker run -e POSTGRES_PASSWORD=⟪{p}⟫ postgres
echo "root:⟪{p}⟫" | chpasswd
git clone https://oauth2:⟪{w20}⟫@git.firma.example/acme/core.git
npm config set //registry.firma.example/:_authToken ⟪{a36}⟫
kubectl create secret generic x --from-literal=token=⟪{a40}⟫
""",
    "log": r"""
2026-03-01T10:00:00Z INFO auth login ok user=eva pwd=⟪{p}⟫
DEBUG request headers: {'authorization': 'Bearer ⟪{w60}⟫', 'accept': '*/*'}
GET /api/items?access_token=⟪{w40}⟫&page=2 200
WARN invalid api key: ⟪{h32}⟫
ERROR: could not connect to postgres://app:⟪{a18}⟫@db:5432/shop
level=info msg="refreshed token" refresh_token=⟪{w60}⟫
{"event":"login","user":"eva","password":"⟪{p}⟫","ok":true}
POST /login body: username=eva&password=⟪{a12}⟫&remember=1
< Set-Cookie: sid=⟪{w40}⟫; Path=/; HttpOnly
> X-Vault-Token: hvs.⟪{a24}⟫
Enter password for eva: ⟪{p}⟫
jwt: ⟪eyJhbGciOiJIUzI1NiJ9.eyJ{w60}.{w43}⟫
new password generated for user app: ⟪{p}⟫
initialAdminPassword: ⟪{h32}⟫
Your temporary password is ⟪{p}⟫
[debug] using key ⟪{a40}⟫ for tenant acme (api_key)
The generated root password is stored here: ⟪{p}⟫
A temporary password is generated for root@localhost: ⟪{p}⟫
otp sent to +49151{d7}: ⟪{d6}⟫
kubeadm join 10.0.0.1:6443 --token ⟪{s6}.{s16}⟫ --discovery-token-ca-cert-hash sha256:{h64}
args: ["--db-password", "⟪{p}⟫"]
argv: app --api-key=⟪{a32}⟫ --verbose
""",
    "table": r"""
| service | user | password |\n|---|---|---|\n| grafana | eva | ⟪{p}⟫ |
name,login,password\nnas,eva,⟪{p}⟫
host;user;pass\nnas;eva;⟪{p}⟫
Service: NAS\nUser: eva\nPassword: ⟪{p}⟫
- grafana: eva / ⟪{p}⟫ (password)
* **Password:** `⟪{p}⟫`
Benutzer\tPasswort\neva\t⟪{p}⟫
1. URL: https://nas.firma.example\n2. User: eva\n3. Pass: ⟪{p}⟫
**API key**: ⟪{a32}⟫
Username: eva\nPassword (temporary): ⟪{p}⟫
WLAN\nSSID: Firma\nSchlüssel: ⟪{q}⟫
credentials\n  eva\n  ⟪{p}⟫
key_id: K{u10}\nkey_secret: ⟪{w43}⟫
""",
}

ORDINARY = {
    "english": r"""
The password for the demo is printed on the box.
the password policy asks for 12 characters and 1 digit
Please rotate the API key every 90 days.
Sam forgot his password again and called IT at 10:30
the token bucket refills at 50 per second
PIN the message in #general
the key to success is 8 hours of sleep
our secret is that Model3 sells best
the passphrase should have at least 6 words
password reset ticket JIRA-4821 is still open
pass the flag --verbose2 to the tool
We passed ISO27001 in 2025.
the wifi is in room B12, 2nd floor
The key signature is B-flat
tokens are counted with cl100k_base
secret santa on 2026-12-18
my login is eva@firma.example
the code review of PR2231 took 3 hours
The password field is type=password in React18
login failed 5 times, account locked
credentials live in 1Password
the key points: 1) speed 2) price
Password manager comparison: KeePassXC 2.7.9 vs Bitwarden 2025.1
passwords expire after P90D
the API key is stored in AWS SSM under /prod/app/key
the token expires at 2026-03-01T10:00:00Z
The secret is mounted at /run/secrets/db_password
the gate code is in Kim's notes
use the token endpoint /oauth2/v2.0/token
the password was changed on 2026-02-03 by admin7
unlock code for the level is hidden in stage3
""",
    "german": r"""
Das Passwort muss mindestens 12 Zeichen haben.
Das Passwort läuft am 31.12.2026 ab
Der Schlüssel liegt unter der Matte in Raum B204
Bitte Passwort bis Q3 ändern
Der Passwort-Manager kostet 36€ pro Jahr
Die PIN kommt in 5 Werktagen per Post
Kennwort vergessen? Ticket INC0012345 öffnen
Das Token wird nach 3600s ungültig
Der Code ist in Python3.11 geschrieben
Passwort zurücksetzen unter https://firma.example/reset
Passwort: mindestens 8 Zeichen
Das Passwort steht in KeePass unter Server-02
Schlüsselanhänger Modell X200
Schlüssel Nummer 42 hängt am Brett
Die Zugangsdaten schickt Frau Meier um 14:00
""",
    "french": r"""
Le mot de passe doit contenir 12 caractères.
mot de passe oublié le 3 mars 2026
la clé est sous le paillasson, bâtiment B12
le jeton expire après 3600s
le code postal est 75011
les identifiants arrivent par courrier en 48h
le mot de passe est dans KeePass2
la clé USB de 64Go est chez Paul
mot de passe : au moins 8 caractères
le code est écrit en PHP8.3
le train TGV6603 part à 10h42
mot clé principal : mémoire
clé de sol, clé de fa
Le code PIN arrive sous 5 jours
""",
    "spanish": r"""
La contraseña debe tener 12 caracteres.
la contraseña caduca el 31/12/2026
la clave del éxito es dormir 8 horas
la llave está en la sala B204
olvidé mi contraseña, ticket INC0012345
contraseña: mínimo 8 caracteres
el código está escrito en Java21
el token caduca en 3600s
el código postal es 28013
la clave primaria es user_id
la contraseña está en KeePass2
el PIN llega por correo en 5 días
palabra clave: memoria
""",
    "italian": r"""
La password deve avere 12 caratteri.
la password scade il 31/12/2026
la chiave è nella stanza B204
password dimenticata, ticket INC0012345
password: minimo 8 caratteri
il codice è scritto in Java21
il token scade dopo 3600s
il codice postale è 20121
la chiave primaria è user_id
il PIN arriva in 5 giorni
parola chiave: memoria
""",
    "portuguese": r"""
A senha deve ter 12 caracteres.
a senha expira em 31/12/2026
a chave está na sala B204
esqueci a senha, ticket INC0012345
senha: mínimo 8 caracteres
o código está escrito em Java21
o token expira em 3600s
o CEP é 01310-100
a chave primária é user_id
palavra-chave: memória
""",
    "polish": r"""
Hasło musi mieć 12 znaków.
hasło wygasa 31.12.2026
klucz jest w pokoju B204
zapomniałem hasła, zgłoszenie INC0012345
hasło: minimum 8 znaków
kod jest napisany w Java21
token wygasa po 3600s
kod pocztowy 00-950
hasło w haśle nr 7 krzyżówki
słowo kluczowe: pamięć
""",
    "dutch": r"""
Het wachtwoord moet 12 tekens hebben.
het wachtwoord verloopt op 31-12-2026
de sleutel ligt in kamer B204
wachtwoord vergeten, ticket INC0012345
wachtwoord: minimaal 8 tekens
de code is geschreven in Java21
het token verloopt na 3600s
de postcode is 1012AB
trefwoord: geheugen
""",
    "turkish": r"""
Şifre en az 12 karakter olmalı.
şifre 31.12.2026 tarihinde doluyor
anahtar B204 odasında
şifremi unuttum, talep INC0012345
şifre: en az 8 karakter
kod Java21 ile yazıldı
belirteç 3600s sonra geçersiz
posta kodu 34000
anahtar kelime: hafıza
""",
    "cyrillic": r"""
Пароль должен содержать 12 символов.
пароль истекает 31.12.2026
ключ лежит в комнате B204
забыл пароль, тикет INC0012345
пароль: минимум 8 символов
код написан на Java21
токен истекает через 3600s
почтовый индекс 101000
ключевое слово: память
""",
    "eastern": r"""
パスワードは12文字以上です
パスワードを忘れました、チケットINC0012345
鍵はB204号室にあります
密码必须有12个字符
密码在2026-12-31过期
忘记密码，工单INC0012345
비밀번호는 12자 이상이어야 합니다
비밀번호를 잊었어요, 티켓 INC0012345
""",
    "config": r"""
password_file: /run/secrets/db
password_min_length=12
secretName: db-credentials-v2
existingSecret: postgres17-auth
tokenizer: cl100k_base
max_tokens = 4096
keyFile = /etc/ssl/private/server2.key
key: user_id_v2
cache_key: user:42:profile
partition_key = tenant_id2
PasswordAuthentication no
auth: scram-sha-256
auth_type: oauth2
token_url: https://sso.firma.example/oauth2/token
api_key_header: X-Api-Key2
key_name = prod-key-2026
primary_key: [id, v2]
secretRef: vault:kv/data/app#password
credentials: !Ref DbSecret01
password: ${DB_PASSWORD}
password: "{{ vault_db_password2 }}"
api_key: !secret openai_key2
token: ${{ secrets.NPM_TOKEN2 }}
AWS_PROFILE=prod2
DB_PASSWORD_FILE=/run/secrets/db2
passwordEncoder: bcrypt12
ssh_key_path: ~/.ssh/id_ed25519
kms_key_id: arn:aws:kms:eu-central-1:{d12}:key/{g}
key_version: 2026-01-15T10
KEY_ROTATION=P90D
client_id: {g}
app_id = {d12}
checksum: {h64}
image: hub.firma.example/app@sha256:{h64}
sessionAffinity: ClientIP
keyspace = shop_v2
keymap: qwertz2
pinned_version: 2.14.3
pin: D13
pins: {sda: 21, scl: 22}
pass_threshold: 0.85
passthrough: gpu0
key_prefix: agos_v2_
tokens_per_minute: 90000
secret: false
authToken: null
signature_version: s3v4
ssl_ciphers ECDHE-RSA-AES256-GCM-SHA384
password_hash_rounds = 600000
certificate_arn: arn:aws:acm:eu-central-1:{d12}:certificate/{g}
""",
    "code": r"""
password = get_password("db2")
const token = await getToken(user42)
self.api_key = api_key_v2
key = f"user:{user_id}:v2"
token = tokens[i2]
secret = Secret.from_name("db-v2")
if password != confirm_password2: raise
def login(user: str, password: str) -> Session1: ...
expect(screen.getByLabelText('Password1')).toBeVisible()
key = lambda x: x[1]
sorted(rows, key=itemgetter(2))
d[key1] = value2
const [password, setPassword] = useState('')
passwordInput.addEventListener('keyup', onKeyup2)
assert token.startswith("agos_")
token_type = "access_v2"
NEXT_TOKEN = "next_page_token2"
apiKeyInput.value = config.apiKey2
TOKEN_RE = re.compile(r"[a-z0-9]{32}")
public_key = load_pem_public_key(data2)
encryption_key = derive(password, salt, n=2**14)
secretsmanager.get_secret_value(SecretId="prod/app2/db")
props.token?.split('.')[1]
key_bytes = os.urandom(32)
password = hashlib.sha256(raw2).hexdigest()
String tokenUrl = "https://sso.firma.example/oauth2/v2/token";
case Token.NUMBER2: return parse_number()
enum Token { LParen1, RParen2 }
static const uint8_t PIN_LED = 13;
digitalWrite(PIN13, HIGH);
primaryKey: 'id2'
<Key id="K1" />
<input name="password2" type="password">
t('login.password.hint2')
password_validator = Regex("^.{8,64}$")
secret_name = f"{env}-db-v2"
key = KeyCode.F12
import { TOKEN2022_PROGRAM_ID } from 'token'
ALTER TABLE users ADD COLUMN password_hash2 text
SELECT password FROM users WHERE id = 42
token = jwt.encode(payload, key, algorithm="HS256")
hash = '{h64}'
etag = "{h32}"
sha = "{h40}"
build_id = "{g}"
""",
    "shell": r"""
passwd eva2
pass show mail/eva2
ssh-keygen -t ed25519 -C eva@laptop2
apt-key adv --recv-keys {H40}
gpg --recv-keys 0x{H16}
openssl rand -hex 32
kubectl get secret db-v2 -o yaml
vault kv get kv/app2/db
docker login hub.firma.example -u eva2
curl -H "Authorization: Bearer $TOKEN2" https://api.firma.example
mysql -u root -p shop2
psql -h db -U app2 -W shop
export TOKEN=$(cat /run/token2)
aws sts get-session-token --duration 3600
git checkout {h40}
tmux bind-key C-b2
bindkey '^R' history2
scp -P 2222 a.tgz eva@10.0.0.2:/srv
mount -o password2=ask //nas/share
read -s -p "Password: " PW1
chpasswd --help2
unzip -P
cp id_rsa.pub keys/eva2.pub
tar -xzf release-{h7}.tgz
npm run test:token2
""",
    "log": r"""
2026-03-01 WARN login failed user=eva attempts=3 ip=10.0.0.9
INFO token refreshed for user 42 in 31ms
ERROR invalid password for user eva2
DEBUG cache key=user:42:v2 miss
INFO password changed for user id={g}
Accepted publickey for eva from 10.0.0.2 port 51234 ssh2: ED25519 SHA256:{b43}
pam_unix(sshd:auth): authentication failure; uid=0 euid=0 tty=ssh
token_count=1823 model=m-4o-2026
KeyError: 'api_key2'
AssertionError: expected token to equal 'abc', got None2
psycopg.errors.UniqueViolation: duplicate key value violates unique constraint "users_pkey2"
DETAIL: Key (email)=(eva2@firma.example) already exists.
trace={h32} span={h16}
commit {h40} (HEAD -> main)
GET /reset-password/form2 200 12ms
POST /oauth2/v2/token 401 31ms
Password must contain 1 uppercase letter (E1042)
[Error: SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string]
secret "db-v2" created
secret/db-credentials2 configured
E0301 10:00:00.123 token.go:42] token expired
validating api key for tenant acme2 took 4ms
pin 13 set to HIGH
request id: {g}
container {h64} started
npm ERR! 403 Forbidden - PUT https://registry.firma.example/pkg2 - token lacks scope
License key check: valid until 2027-01-01
sessions: 12 active, 3 idle
PIN entry timed out after 30s
Checksum: {h64} ok
""",
    "text": r"""
## Passwords2\n\nWe use argon2id with t=3, m=64MB.
| option | default |\n|---|---|\n| password_min | 12 |
name,role,keycard\nEva,dev,B204
- [ ] rotate the API key (JIRA-123)
* token: a piece of text of about 4 chars
Key | Meaning\nF5 | refresh
Key: R2D2 = droid
Room key cards: 204A, 204B
Answer key: Q1 B, Q2 C
Piano keys: 88
Secret recipe: 2dl milk, 3 eggs
API key management (v2.3) is in beta
1. Sign in at https://app.firma.example/login2\n2. Enter your password\n3. Click Next
User: eva\nRole: admin2\nTeam: core
License: GPL-3.0-or-later
Passport no. is asked at check-in2
boarding pass: gate B12, seat 14C
season pass 2026: 79.99 EUR
the pass rate was 97.5% (n=412)
Monkey island 2 is a game from 1991
turkey sandwich x2
keyboard: Keychron K8Pro
compass app v3
bypass valve V12 at 40psi
tokenization with 32k vocab
secretary: Mrs. Jones, ext. 4471
encyclopaedia vol. 12
passive voice in ch. 3
https://docs.firma.example/api-keys#rotate2
https://firma.example/blog/2026/03/why-passwords-die-2
{h32}  backup-2026-03.sql.gz
{g}
eva@firma.example wrote on 2026-03-01 10:42:
part no. 7X-{u8}
invoice INV-2026-{d5} due in 14 days
order {u10} shipped
flight LX1234, booking ref {u6}
tracking number {u12}
IBAN check: invalid2
chess: 1.e4 c5 2.Nf3 d6
""",
    "identifier": r"""
user {g} signed in
app id {h24} in the console
trace {h32}
commit {h40} fixes the token refresh
the key id is {g}
fingerprint SHA256:{b43}
pubkey: {b43}=
key fingerprint = {H40}
public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{b44} eva
sha256 of the password file: {h64}
docker image {h64}
etag "{h32}"
customer cus_{a14}
message <{a20}@mail.firma.example>
block 0x{h64}
build {d8}.{d3}
gitsha {h7}
serial {u12}
MAC {h2}:{h2}:{h2}:{h2}:{h2}:{h2}
video id {w11}
doc id 1{w43}
chart {s8}-{s5}
pod api-{h10}-{s5}
bucket acme-{s8}
record rec{a14}
workspace T{u9}
device {u16}
digest sha512-{b86}==
node-{s5}.eu-central-1
ulid {G26}
the token's jti is {g}
public token pk_live_{a24}
site key 6L{w38}
measurement G-{u10}
kid {w27}
x5t {w27}
nonce {w22}
salt {h32}
iv {h32}
csp nonce {b22}==
""",
    "chat": r"""
can you pass me the Mx450 cable?
pin this: standup moves to 9:45
who has the key for rack R17?
token of appreciation, 50EUR voucher
password for me is a dead concept, use passkeys (FIDO2)
the password prompt shows up at 0x80070005
key takeaway from Q3: revenue +12%
my secret to 5k in 22min is intervals
the login page returns HTTP500 since v2.14.1
code word for the surprise is in Anna's calendar
the code for this lives in src/auth2/login.ts
the key is to restart pod api-7f9c after the deploy
passwords are hashed with bcrypt12 since 2025
the token limit is 128k for gpt-4o
Passwort ist wieder "vergessen" laut Ticket T-4412
la contraseña es la de siempre, pregunta a Luis2
le mot de passe est celui de l'an dernier (2025)
hasło jest w menedżerze, wpis nr 17
la password è quella del 2025, chiedi a Gio
a senha é a mesma do Windows11
het wachtwoord is hetzelfde als in 2025
şifre geçen yılki (2025) ile aynı
пароль тот же, что и в 2025
der Schlüssel ist bei Hr. Maier2, Tel. 4471
the API key has 40 characters and starts with ak_
key A4 on the old piano sticks
door code changed on 2026-02-01, ask reception
the voucher code SPRING2026 gives 10%
promo code: SAVE15NOW
country code: DE49
error code: E1042X
QR code v40 holds 2953B
zip code 90210-1234
dress code: smart casual, no T5hirts
source code license: Apache-2.0
""",
}
