"""Hard texts to look at while rules are written: what is between ⟪ and ⟫ must go; ordinary texts must stay whole.

`{aN}`, `{hN}`, `{uN}` and `{bN}` stand for N generated characters: alphanumeric, hexadecimal, upper case or
digits, Base64.
"""

SECRET = """
Das Passwort für die Datenbank lautet ⟪Sommer2024!⟫
Mein WLAN-Schlüssel ist ⟪Brombeere88⟫, bitte merken
Zugangsdaten: Benutzer ada, Kennwort ⟪Xaver#42a⟫
La contraseña del servidor de pruebas es ⟪gato.Negro7⟫
la clave del wifi es ⟪Naranja2023⟫
Usuario admin, contraseña: ⟪perro_Verde9⟫
Le mot de passe de la base de production est ⟪Chat!Noir55⟫
Mot de passe : ⟪bonjour2025⟫
mon code wifi c'est ⟪PommeVerte12⟫
A senha do banco é ⟪Abacaxi99x⟫
senha: ⟪caju#2024⟫
La password del NAS è ⟪Farfalla_77⟫
la parola d'ordine è ⟪Girasole31⟫
Пароль от почты: ⟪Zima2024x⟫
пароль к серверу — ⟪Kot_Vaska7⟫
Токен для бота: ⟪{a32}⟫
Hasło do bazy to ⟪Zielony9Kot⟫
Hasło: ⟪biedronka_12⟫
Sunucunun şifresi ⟪Kedi2024!⟫
Wifi parolası: ⟪deniz_Mavi8⟫
서버 비밀번호는 ⟪hodu2024x⟫입니다
비밀번호: ⟪ramen_Spicy1⟫
服务器密码是⟪panda2024X⟫
密码：⟪huoguo_88a⟫
WiFi密碼是⟪bubbletea55x⟫
サーバーのパスワードは⟪sakura2024x⟫です
パスワード：⟪ramen_Miso9⟫
Heslo k databázi je ⟪Kocka2024!⟫
Adgangskoden til serveren er ⟪Hygge2024x⟫
كلمة المرور هي ⟪Qamar2024x⟫
كلمة السر: ⟪najma_77B⟫
Lösenordet till routern är ⟪Fika_2024⟫
Het wachtwoord van de server is ⟪Stroopwafel8⟫
Salasana on ⟪Sauna2024x⟫
A jelszó: ⟪Paprika_99⟫
Parola bazei de date este ⟪Mamaliga77⟫
Ο κωδικός είναι ⟪Elia2024x⟫
הסיסמה היא ⟪Falafel_22⟫
Mật khẩu là ⟪Phobo2024x⟫
Kata sandi server adalah ⟪Rendang_55⟫
रहस्य: सर्वर का पासवर्ड ⟪Chai2024x⟫ है
รหัสผ่านคือ ⟪Padthai_99⟫
Пароль від бази: ⟪Borsch_2024⟫
| service | user | password |\\n|---|---|---|\\n| db | app | ⟪Passkey77x⟫ |
name,login,password\\nada,ada@x.example,⟪Tokenring5⟫
host;user;Passwort\\ndb1;root;⟪Fliegenpilz3⟫
user\\tpwd\\nroot\\t⟪secretGarden1⟫
| Dienst | Kennwort |\\n| --- | --- |\\n| NAS | ⟪Waldmeister_4⟫ |
id,api_key,plan\\n7,⟪{a32}⟫,pro
AKIA{u16} ⟪{b40}⟫
Access key: AKIA{u16}, and the other one: ⟪{b40}⟫
AKIA{u16},⟪{b40}⟫
redis-cli -h cache -a ⟪rediskey99⟫ ping
htpasswd -b .htpasswd ada ⟪keymaster7⟫
htpasswd -bc /etc/nginx/.htpasswd ada ⟪valueMeal9⟫
ldapsearch -x -D cn=admin,dc=x -w ⟪ldapPass12⟫ -b dc=x
db.internal:5432:app:ada:⟪pgtoken_77⟫
localhost:5432:*:postgres:⟪passthrough1⟫
smbclient //nas/share -U ada%⟪Samba4ever⟫
sqlcmd -S db -U sa -P ⟪SqlKey2024⟫
zip -P ⟪zipper_Key1⟫ out.zip a
mongosh --host db -u root -p ⟪mongoToken8⟫
mosquitto_pub -h b -u ada -P ⟪mqttSecret5⟫ -t x -m y
keytool -genkey -storepass ⟪changeKey88⟫ -alias a
openssl enc -aes-256-cbc -in a -pass pass:⟪enigma_Key7⟫
rabbitmqctl add_user ada ⟪bunnyPass3⟫
net user ada ⟪WinKey2024⟫ /add
echo '⟪sudoToken9⟫' | sudo -S systemctl restart x
echo "ada:⟪chpassKey4⟫" | chpasswd
nmcli dev wifi connect Home password ⟪cafeKey2024⟫
WIFI:T:WPA;S:Home;P:⟪guestPass77⟫;;
wpa_supplicant: psk="⟪tulip field 9⟫"
Wi-Fi: HomeNet / ⟪Lavender2024⟫
the wifi password at the office is ⟪espresso42⟫
password=⟪Passw0rd77⟫
pwd=⟪MyKeyword9⟫&user=a
spring.datasource.password=⟪tokenRing42⟫
secret: ⟪mySecretValue88⟫
client_secret=⟪keyCloak2024x⟫
password = ⟪Secret.Garden8⟫
password=⟪config.prod.9x⟫
password=⟪settings.77aa⟫
db.pass=⟪Xkey_score9⟫
password=⟪my-secret-9⟫
password=⟪$ecret99⟫
password=⟪#hunter2x⟫
password=⟪abc(def9⟫
password=⟪[abc]9xyz⟫
password: ⟪example.2024!⟫
--password ⟪keyWest2024⟫
⟪hunter2024⟫ is the password for staging
log in as root with ⟪Tr0mbone!x⟫
ssh root@box, pw ⟪argonKey77⟫
the admin login is ada / ⟪Kestrel!88⟫
my pin for the card is ⟪4921⟫
Meine PIN ist ⟪7312⟫
El PIN es ⟪9034⟫
AQ.{a45} was the Gemini key ⟪AQ.{a47}⟫
⟪wandb_v1_{a60}⟫
⟪tgp_v1_{a43}⟫
⟪napi_{a48}⟫
⟪cfut_{a44}⟫
⟪e2b_{h40}⟫
⟪dtn_{h64}⟫
⟪jina_{h32}{a28}⟫
⟪fw_{a24}⟫
⟪KGAT_{h32}⟫
⟪sgp_{h16}_{h40}⟫
⟪xaat-{h8}-{h4}-{h4}-{h4}-{h12}⟫
⟪mdb_sa_sk_{a40}⟫
⟪pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}⟫
⟪bb_live_{a28}⟫
⟪hcaik_{a58}⟫
remote https://git.example/a.git?private_token=⟪{a24}⟫
https://api.example/v1?apikey=⟪{a24}⟫&x=1
x-api-key: ⟪{a32}⟫
set-cookie: sid=⟪{a32}⟫; Path=/
password for the vault: '⟪correct horse battery 9⟫'
"""

ORDINARY = """
Das Passwort muss mindestens 12 Zeichen haben
Das Passwort ist abgelaufen, bitte setze ein neues
Das Passwort wird mit argon2id gehasht
Wir speichern Passwörter nie im Klartext
Der Schlüssel zum Erfolg ist Geduld
Der Token-Verbrauch war 2.400 pro Anfrage
La contraseña debe tener al menos 8 caracteres
La contraseña es incorrecta
La clave del éxito es la constancia
la clave primaria es user_id
Cambió la contraseña ayer por la tarde
Le mot de passe doit contenir un chiffre
Le mot de passe est incorrect
La clé du problème est le cache
Le jeton expire après 15min
A senha expirou ontem
a senha deve ter 10 caracteres
La password è scaduta
la chiave primaria è order_id
Пароль должен содержать не менее 8 символов
Пароль неверный, попробуйте ещё раз
Пароль хранится в виде хеша bcrypt
ключ к успеху — терпение
Hasło wygasło
Hasło musi mieć 12 znaków
klucz główny to user_id
Şifre en az 8 karakter olmalı
Şifre yanlış
비밀번호는 8자 이상이어야 합니다
비밀번호가 틀렸습니다
密码长度至少为8位
密码错误，请重试
密码重置流程在 auth.py 里
パスワードは8文字以上にしてください
パスワードが間違っています
パスワードのリセットは auth.py にある
Heslo musí mít alespoň 8 znaků
Heslo je neplatné
Adgangskoden skal være mindst 8 tegn
Adgangskoden er forkert
كلمة المرور غير صحيحة
يجب أن تكون كلمة المرور 8 أحرف على الأقل
Lösenordet är fel
Het wachtwoord is verlopen
Salasana on väärä
A jelszó lejárt
Parola este greșită
Ο κωδικός είναι λάθος
הסיסמה שגויה
Mật khẩu phải có ít nhất 8 ký tự
Kata sandi salah
पासवर्ड गलत है
รหัสผ่านไม่ถูกต้อง
Пароль невірний
| field | type | required |\\n|---|---|---|\\n| password | string | yes |
| setting | default |\\n|---|---|\\n| password_min_length | 12 |
| model | tokens | cost |\\n|---|---|---|\\n| small | 2400 | 0.01 |
| key | value |\\n|---|---|\\n| theme | dark |
name,password_policy,age\\nada,strong,31
feature,token,notes\\nsearch,JWT,short lived
user,password\\nada,<hidden>\\nbob,********
| user | password |\\n|---|---|\\n| ada | changeme |
| user | password |\\n|---|---|\\n| ada | required |
| Key | Action |\\n|---|---|\\n| Ctrl-K | search |
AKIA is how an access key id of AWS begins
commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it
AKIAIOSFODNN7EXAMPLE is the sample id
redis-cli -h cache ping
redis-cli -a "$REDIS_PASSWORD" ping
htpasswd -c .htpasswd ada
ldapsearch -x -D cn=admin -W -b dc=x
ldapsearch -w "$PASS" -b dc=x
use .pgpass for that: host:port:db:user:password
localhost:5432:5433:5434 were the ports
smbclient //nas/share -U ada
sqlcmd -S db -U sa -P $SA_PASSWORD
zip -r out.zip src
tar -p -x -f a.tar
docker run -p 8080:80 nginx
mongosh --host db --port 27017
keytool -list -keystore a.jks
openssl enc -pass env:KEY -in a
net user ada /delete
echo done | sudo tee /etc/x
cat list.txt | chpasswd
nmcli dev wifi list
the Wi-Fi: it drops at night
WIFI 6E needs 160MHz channels
psk is short for pre-shared key
password = user.password
password=args.password
token = get_token(session)
password = input("Password: ")
password: str = Field(min_length=12)
secret = os.environ["APP_SECRET"]
api_key = config.api_key
self.token = token
def check(password: str) -> bool:
if password == confirm_password:
password=password
key=lambda pair: pair[0]
const token = await getToken(user)
passwords are hashed with bcrypt
the password reset flow sends a mail
the password field has a label
token count is 2400 for this prompt
the token limit is 128k
reset the password of the demo user
the key idea is to batch writes
primary key is (tenant_id, user_id)
the secret to good tests is small units
secret santa is on 12 December
the pin on the map is wrong
pin the version to 3.12.4
passport number format changed in 2024
compass bearings are in degrees
pass=3 fail=1 skipped=2
pass: 12, fail: 0
tests pass on python3.12
login is by SSO only
login page at /auth/login
the admin login moved to port 8443
log in as root with sudo
ssh root@box uptime
credentials live in 1Password
credentials: see vault/prod
ada is the owner of billing
python3 is the default interpreter
oauth2 is the password replacement
build 2024.11.3 is the latest
web01 is the primary, web02 the replica
the server web01 has the new password policy
le serveur web01 a changé de mot de passe hier
пароль для web01 поменяли вчера
密码策略在web01上已更新
x-request-id: 7f3c2a10-9b1d-4c55-8a54-2f1f0a9b7c11
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
https://example.com/search?q=token+ring&page=2
https://example.com/a?key=name&sort=asc
https://docs.example.com/password-reset?lang=de
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
uuid 123e4567-e89b-42d3-a456-426614174000
integrity sha512-abc/def+ghi==
color #ff8800, spacing 8px
version 1.2.3-beta.4+build.77
Order 4921-7312 shipped on 2026-11-20
phone +49 30 1234567
ISBN 978-3-16-148410-0
iPhone15 arrived, Galaxy S24 returned
Room B12, desk 4a
meeting id 845 2231 9911
flight LH441 at 17:20
regex: ^(?=.*[A-Z])(?=.*\\d).{8,}$
secrets.token_hex(16) makes 32 characters
hunter gatherers lived here 12000 years ago
the value of key performance indicators
keyboard shortcuts: ctrl+k ctrl+s
monkey patching is discouraged
turkey and donkey are animals
argparse adds --password-file PATH
use --token-budget 2000 to limit it
set PASSWORD in .env, never in code
export TOKEN=$(cat token.txt)
PGPASSWORD=$PW psql -h db
{"password": null, "user": "ada"}
{"token_type": "bearer", "expires_in": 3600}
{"passwordPolicy": {"minLength": 12}}
<input type="password" name="pw1">
"""
