"""Hard texts by which the rules were measured once, and then looked into. The marks are those of `harsh`."""

SECRET = """
das neue Kennwort vom Router heißt ⟪Himbeere_2025⟫
Passwort: ⟪Schnecke77⟫ (gilt bis Mai)
Der Zugangscode für das Portal ist ⟪Kranich!204⟫
nueva contraseña del correo: ⟪Limon_verde3⟫
mi contraseña de github es ⟪Tortuga88x⟫
clave: ⟪Mango2025x⟫
le nouveau mot de passe du wifi est ⟪Croissant_8⟫
mdp : ⟪Fromage2024⟫
a senha do wifi da casa é ⟪Pastel_de9⟫
minha senha: ⟪Goiaba2025⟫
la nuova password del server è ⟪Gelato_2025⟫
Password: ⟪Tiramisu77⟫
новый пароль от роутера: ⟪Sneg_2025⟫
пароль администратора ⟪Medved88x⟫
мой пин-код ⟪8841⟫
nowe hasło do poczty: ⟪Pierogi_2025⟫
hasło administratora to ⟪Bocian77x⟫
veritabanı şifresi: ⟪Lokum_2025⟫
parola ⟪Simit2025x⟫ olarak değişti
데이터베이스 비밀번호: ⟪kimchi_2025⟫
새 암호는 ⟪Bulgogi77x⟫ 입니다
数据库的密码是 ⟪baozi_2025x⟫
新密码: ⟪Jiaozi2025⟫
路由器密碼：⟪Boba_2025x⟫
データベースのパスワードは「⟪Matcha_2025⟫」です
新しいパスワード: ⟪Onigiri77x⟫
nové heslo k routeru: ⟪Knedlik_25⟫
heslo je ⟪Svickova77⟫
ny adgangskode: ⟪Rugbroed_25⟫
kodeordet er ⟪Smorrebrod7⟫
كلمة مرور الخادم: ⟪Falafel_2025⟫
الرقم السري هو ⟪7741⟫
nytt lösenord: ⟪Kanelbulle_7⟫
passordet til serveren er ⟪Brunost2025⟫
nieuw wachtwoord: ⟪Hagelslag_7⟫
uusi salasana: ⟪Korvapuusti7⟫
az új jelszó ⟪Gulyas_2025⟫
parola nouă este ⟪Sarmale_2025⟫
κωδικός πρόσβασης: ⟪Souvlaki77⟫
הסיסמה החדשה: ⟪Shakshuka_7⟫
mật khẩu wifi: ⟪Banhmi_2025⟫
kata sandi: ⟪Nasigoreng7⟫
नया पासवर्ड: ⟪Samosa_2025⟫
รหัสผ่าน: ⟪Tomyum_2025⟫
новий пароль: ⟪Varenyky_25⟫
lozinka je ⟪Burek_2025⟫
паролата е ⟪Banitsa2025⟫
| host | user | pass |\\n|------|------|------|\\n| db2 | root | ⟪Valuekey_25⟫ |\\n| db3 | ada | ⟪Compass77x⟫ |
Account\\tPassword\\tNote\\nmail\\t⟪Passepartout7⟫\\tshared
"host","secret_key"\\n"s3","⟪{a36}⟫"
email;senha\\na@b.example;⟪Turkey_2025⟫
| сервис | пароль |\\n|---|---|\\n| почта | ⟪Zavtra_2025⟫ |
user, token, role\\nbot, ⟪{a40}⟫, admin
aws: id AKIA{u16} secret ⟪{b40}⟫
[default]\\nAKIA{u16}\\n⟪{b40}⟫
"accessKeyId": "AKIA{u16}", "s": "⟪{b40}⟫"
redis-cli --pass ⟪cacheValue7⟫ info
redis-cli -p 6380 -a '⟪ringToken25⟫' keys x
htpasswd -nb ada ⟪nginxKey25⟫
ldapmodify -D cn=admin -w ⟪dirPass2025⟫ -f a.ldif
ldappasswd -s ⟪newPass2025⟫ uid=ada
pg.example.com:5432:shop:ada:⟪shopKey2025⟫
smbclient -U 'DOM\\\\ada%⟪Share2025x⟫' //nas/x
mount -t cifs //nas/x /mnt -o username=ada,password=⟪Mount2025x⟫
bcp t out f -S db -U sa -P ⟪BulkKey2025⟫
unzip -P ⟪archiveKey7⟫ a.zip
7z x -p⟪sevenKey25⟫ a.7z
cqlsh db -u ada -p ⟪cassKey2025⟫
mongodump -u ada -p '⟪dumpToken7⟫' -d x
mosquitto_sub -u ada -P ⟪subSecret25⟫ -t x
jarsigner -storepass ⟪jarKey2025⟫ -keystore a b
openssl pkcs12 -in a.p12 -passin pass:⟪pfxToken25⟫
rabbitmqctl change_password ada ⟪hareKey2025⟫
net use z: \\\\\\\\nas\\\\x ⟪DriveKey25⟫ /user:ada
echo ⟪rootKey2025⟫ | sudo -S reboot
ipmitool -H bmc -U admin -P ⟪bmcPass2025⟫ power on
xfreerdp /v:box /u:ada /p:⟪RdpKey2025⟫
lftp -u ada,⟪ftpToken25⟫ ftp.example
gpg --batch --passphrase ⟪pgpKey2025⟫ -d a
kubectl create secret generic db --from-literal=password=⟪kubeKey2025⟫
wpa_passphrase HomeNet ⟪lilac fields⟫
WIFI:S:Cafe;T:WPA;P:⟪Latte2025x⟫;H:false;;
SSID Cafe, key ⟪Cappuccino25⟫
WLAN: Gast / ⟪Eichhorn2025⟫
psk=⟪RouterKey2025⟫
password=⟪Keystone77⟫
passwd: ⟪tokenizer9x⟫
jdbc.password=⟪valuePack25⟫
DB_PASS=⟪passion4Key⟫
client_secret: ⟪secretSauce25x⟫
api_token=⟪tokentoken77a⟫
password=⟪Winter.2025⟫
password=⟪data.77.prodx⟫
password=⟪local.25x⟫
pwd=⟪%abc99x⟫
password=⟪test-me-25⟫
password=⟪{abc}99⟫
password=⟪file:abc25⟫
auth.password=⟪args.77x⟫
--passphrase ⟪monkeyKey25⟫
⟪Falcon!2025⟫ is our root password
use ⟪Otter#2025⟫ as the password
user: ada pass: ⟪Heron_2025⟫
credentials are ada:⟪Puffin!25x⟫
code for the alarm is ⟪55102⟫
il PIN è ⟪6203⟫
le code PIN est ⟪5519⟫
⟪AQ.{a50}⟫
⟪tgp_v1_{a43}⟫
⟪cfat_{a44}⟫
⟪cfk_{a44}⟫
⟪ghs_{a36}.{a60}.{a43}⟫
⟪glpat-{a27}.01.{a9}⟫
⟪sk_{h48}⟫
⟪pa-{a43}⟫
⟪BSA{a27}⟫
⟪ddp_{a36}⟫
⟪jsrp_{a32}⟫
⟪xapt-{h8}-{h4}-{h4}-{h4}-{h12}⟫
⟪aio_{a28}⟫
⟪sk_org_live_{a40}⟫
https://hooks.example/x?secret=⟪{a24}⟫
git remote https://git.example/a.git?access_token=⟪{a20}⟫
x-auth-token: ⟪{a32}⟫
apikey: ⟪{a32}⟫
password for prod = "⟪Bluebird2025⟫"
"""

ORDINARY = """
Das Passwort darf nicht leer sein
Bitte ändere das Passwort alle 90 Tage
Das Kennwort wurde gestern zurückgesetzt
Passwörter liegen im Tresor von 1Password
Der Schlüssel passt nicht ins Schloss
Die PIN wird nach 3 Versuchen gesperrt
La contraseña caduca en 30 días
Guarda la contraseña en el gestor
La contraseña no coincide
La clave está en probar a menudo
clave foránea hacia orders.id
Le mot de passe a été réinitialisé hier
Le mot de passe est trop court
la clé étrangère pointe vers users.id
Le code est dans src/auth.py
A senha está errada
a chave estrangeira aponta para users.id
Troque a senha a cada 90 dias
La password deve avere 12 caratteri
la chiave di volta è la cache
Пароль истекает через 30 дней
Пароль слишком короткий
смени пароль в личном кабинете
ключ API лежит в хранилище
Hasło jest za krótkie
zmień hasło co 90 dni
klucz obcy wskazuje na users.id
Şifrenizi kimseyle paylaşmayın
parola süresi 30 gün
비밀번호를 재설정했습니다
비밀번호는 30일 후 만료됩니다
암호 정책이 변경되었습니다
密码已重置
密码30天后过期
密碼不正確
パスワードを再設定しました
パスワードは30日で期限切れです
Heslo vyprší za 30 dní
Heslo je příliš krátké
Adgangskoden udløber om 30 dage
تم تغيير كلمة المرور
كلمة المرور قصيرة جدا
Lösenordet är för kort
Passordet er for kort
Het wachtwoord is te kort
Salasana on liian lyhyt
A jelszó túl rövid
Parola este prea scurtă
Ο κωδικός πρόσβασης έληξε
הסיסמה פגה
Mật khẩu đã hết hạn
Kata sandi sudah kedaluwarsa
पासवर्ड बहुत छोटा है
รหัสผ่านหมดอายุ
Пароль закороткий
lozinka je prekratka
| column | type |\\n|---|---|\\n| password_hash | text |
| endpoint | auth |\\n|---|---|\\n| /login | token |
| name | password |\\n|---|---|\\n| ada | (none) |\\n| bob | set |
| key | description |\\n|---|---|\\n| j | down |
| token | meaning |\\n|---|---|\\n| IDENT | a name |
| user | secret |\\n|---|---|\\n| ada | stored in vault |
login,role\\nada,admin
user,token_count\\nada,2400
id;key;value\\n1;theme;dark
word\\tpos\\nkey\\tnoun
AKIA ids are not secret by themselves
the sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709 is that of nothing
tree a94a8fe5ccb19ba61c4c0873d391e987982fbbd3
redis-cli --scan --pattern 'user:*'
redis-cli -n 2 info
htpasswd -D .htpasswd ada
ldapsearch -x -y /run/secret -b dc=x
0.0.0.0:8080:80 is the mapping
10.0.0.1:22:open:ssh:linux came from the scan
smbclient -L //nas -N
sqlcmd -E -S db
zip -9 out.zip a b c
unzip -l a.zip
7z a out.7z src
mkdir -p src/app2
ps -p 1234 -o comm
git push -u origin main2
scp -P 2222 a host:
ssh -p 2222 host
nc -u 10.0.0.1 514
cp -a src1 dst2
grep -w word1 file2
curl -u "$USER:$PASS" https://example.com
cqlsh db -e 'select 1'
mongodump --uri "$MONGO_URI"
jarsigner -verify a.jar
openssl rand -hex 32
net start spooler
echo 1 | sudo tee /proc/sys/x
cat key.pub | ssh host tee -a f
kubectl get secret db -o yaml
helm upgrade app ./chart -f values2.yaml
wpa_cli status
Wi-Fi is down on floor 3b
SSID Cafe2 is open
WLAN: Kanal 11, 40MHz
psk and eap are both allowed
password = form.cleaned_data["password"]
password=os.environ.get("PW")
token: Optional[str] = None
token = jwt.encode(claims, key)
secret_key = settings.SECRET_KEY
api_key=self._api_key
user.password = hash_password(raw)
expect(password).toBe(confirmation)
password_field.send_keys(password)
passwd = getpass.getpass()
return token if token else None
for key in sorted(keys):
keys = [k for k in data]
token = next(tokens)
passing=12 failing=0
the pass rate rose to 98.5%
pass the salt, please
bypass the cache with ?fresh=1
the password manager asked twice
password strength is shown as a bar
passwords older than 90d expire
token refresh happens after 15m
tokens per second: 42.5
the token bucket holds 100
a secret ballot was held in 2024
the secret ingredient is lemon
key results for Q3 2026
key: the first column
keys are sorted by utf8 bytes
pin 7 of the connector is ground
pin the tab, then reload
pincode is the Indian postal code 110001
login failed 3 times for ada
login: ada
credentials expire after 12h
credential helper is cache
cookie banner v2 is live
cookie consent: required
authorization is by role
bearer of good news
basic auth is off in prod
use python3.12 as the base image
use sha256 as the digest
h2o is the formula
mp3 is the format
k8s is the platform
s3 is our store
ec2 instances run in eu-west-1
node18 is the minimum
utf8 is the charset
x86_64 is the target
the replica db02 lags by 3s
branch feature/login2 was merged
ticket ABC-1234 is done
invoice INV-2024-0099
SKU A1B2C3
postcode SW1A 1AA
license plate B-AB 1234
IBAN is an account number format
card ending in 4242
the year 2024 was the warmest
chapter 12, page 4b
GPT4 and Claude3 were compared
RTX4090 has 24GB
MacBook M3 Pro 36GB
room code is on the door
error code E11000 means duplicate key
exit code 137 means killed
code review is due 12:00
verification code was sent
country code DE, zip 10115
status code 404
source code lives in src2
color code #a1b2c3
the door code was changed
request id req_011CSHoEeqs5C35K2UUqR7Fy
trace 4bf92f3577b34da6a3ce929d0e0e4736
session 8f14e45f-ceea-467f-a83f-5f2a1d2b3c4d
build hash 1a2b3c4d
image nginx@sha256:4bf92f3577b34da6a3ce929d0e0e4736aa11bb22cc33dd44ee55ff6677889900
https://example.com/?utm_source=mail&id=42
https://example.com/login?next=/home
https://example.com/a?token_type=id&page=3
mail ada@example.com about it
{"keys": ["a", "b"], "next_token": null}
{"maxTokens": 4096, "stop": ["x"]}
{"auth": {"type": "oauth2"}}
{"pin": false, "tab": 3}
<password-field label="New"/>
type Password = string
enum Token { Plus, Minus }
CREATE TABLE users (password text not null)
GRANT SELECT ON t TO ada
ALTER USER ada WITH LOGIN
"""
