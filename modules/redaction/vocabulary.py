"""Words for passwords, PINs, keys and tokens in other languages than English, and the copulas after them.

All of them are dictionary words; none was taken from a text that was missed.
"""

PASSWORD = (
    # Words whose endings are inflected: the beginning is matched.
    *("passwort", "passwört", "kennwort", "kennwört", "zugangscode", "wachtwoord", "lösenord", "losenord", "passord"),
    *("adgangskode", "kodeord", "lykilorð", "salasana", "salasõna", "parool", "jelszó", "jelszav", "contraseña"),
    *(
        "contrasena",
        "contrasenya",
        "contrasinal",
        "pasahitz",
        "mot de passe",
        "mots de passe",
        "senha",
        "palavra-passe",
    ),
    *(
        "palavra passe",
        "parola",
        "parola d'ordine",
        "parolă",
        "parolei",
        "hasło",
        "hasła",
        "hasłem",
        "haseł",
        "hesl",
        "gesl",
        "lozink",
    ),
    *(
        "zaporka",
        "zaporku",
        "slaptažod",
        "fjalëkalim",
        "şifre",
        "sifre",
        "şifrə",
        "parol ",
        "пароль",
        "парол",
        "лозинк",
    ),
    *("нууц үг", "құпиясөз", "κωδικ", "συνθηματικ", "գաղտնաբառ", "პაროლ", "kata sandi", "kata laluan", "mật khẩu"),
    *("nenosiri", "pasfhocal", "cyfrinair", "mdp"),
)
UNINFLECTED = (
    # Words of scripts without spaces, or that attach particles to a word.
    *("密码", "密碼", "口令", "パスワード", "パスフレーズ", "비밀번호", "암호", "패스워드", "비번", "รหัสผ่าน"),
    *(
        "كلمة المرور",
        "كلمة مرور",
        "كلمة السر",
        "كلمة سر",
        "رمز عبور",
        "گذرواژه",
        "پاس ورڈ",
        "סיסמה",
        "סיסמת",
        "סיסמא",
        "ססמה",
        "ססמא",
    ),
    *("पासवर्ड", "পাসওয়ার্ড", "கடவுச்சொல்"),
)
NETWORK = (
    *("wlan-schlüssel", "wlan schlüssel", "wifi-schlüssel", "netzwerkschlüssel", "code wifi", "clé wifi", "cle wifi"),
    *("clave wifi", "clave del wifi", "clave de wifi", "chave wifi", "chave do wifi", "chiave wifi", "chiave del wifi"),
    *("wifi key", "wi-fi key", "wlan key", "wpa key", "wpa2 key", "network key"),
)
"""Words for the key of a network."""
OF_ANYTHING = ("clave",)
"""Words with other meanings too: they count only with a sign and the value right after them."""
BORROWED = ("password",)
"""English words that other languages use: a value stands right after one, or after a word for "to"."""
TOKEN = (
    *("токен", "トークン", "令牌", "토큰", "api-schlüssel", "apischlüssel", "clé api", "clé d'api", "clave api"),
    *("clave de api", "chave api", "chave de api", "chiave api", "klucz api", "ключ api", "api-ключ", "api ключ"),
    *(
        "api密钥",
        "api 密钥",
        "密钥",
        "apiキー",
        "api キー",
        "api 키",
        "api키",
        "api anahtarı",
        "api-nøgle",
        "api-nyckel",
    ),
)
PIN = (
    *("пин-код", "пинкод", "пин код", "pin-код", "暗証番号", "핀번호", "الرقم السري", "رقم سري", "geheimzahl"),
    *("code pin", "codice pin", "código pin", "pin-code", "pin-kod", "pincode", "pin"),
)
IS = (
    *(
        "ist",
        "sind",
        "lautet",
        "heißt",
        "wurde",
        "wird",
        "es",
        "son",
        "será",
        "est",
        "sont",
        "c'est",
        "sera",
        "é",
        "são",
    ),
    *(
        "è",
        "sono",
        "sarà",
        "это",
        "теперь",
        "стал",
        "равен",
        "то",
        "це",
        "е",
        "to",
        "jest",
        "brzmi",
        "je",
        "jsou",
        "bude",
    ),
    *(
        "är",
        "er",
        "is",
        "wordt",
        "luidt",
        "on",
        "ovat",
        "az",
        "a",
        "este",
        "sunt",
        "va fi",
        "είναι",
        "היא",
        "הוא",
        "هو",
    ),
    *(
        "هي",
        "است",
        "là",
        "adalah",
        "ialah",
        "है",
        "dır",
        "dir",
        "olarak",
        "=",
        "as",
        "ni",
        "era",
        "war",
        "était",
        "bylo",
        "było",
        "fue",
        "foi",
        "was",
        "idi",
        "e",
        "eshte",
        "është",
        "yra",
        "ir",
    ),
)
"""Copulas and other words between a name and its value."""
JOINED_IS = ("は", "が", "を", "是", "为", "為", "：", "은", "는", "이", "가", "を", "คือ", "เป็น")
"""Copulas of scripts without spaces."""
NOW_OR_TO = (
    *("jetzt", "nun", "auf", "zu", "ahora", "a", "por", "désormais", "maintenant", "en", "à", "agora", "para", "ora", "adesso", "in", "ser"),
    *("nu", "till", "til", "naar", "acum", "în", "teraz", "na", "teď", "nyní", "artık", "şimdi", "olarak", "на", "теперь", "сейчас"),
)  # fmt: skip
"""Words for "now" and "to", after which a changed password stands."""
NEARBY = {
    "password": (
        *("*passwor*", "*passwör*", "passwd", "passphrase*", "passcode*", "pwd", "*kennwort*", "*kennwört*", "*wachtwoord*"),
        *("*lösenord*", "adgangskode*", "*salasana*", "jelszó*", "contrase*", "mot de passe", "mots de passe", "mdp", "senha"),
        *("palavra-passe", "parola", "parolă*", "hasł*", "hesl*", "gesl*", "lozink*", "şifre*", "парол*", "κωδικ*"),
        *("密码*", "密碼*", "口令*", "パスワード*", "비밀번호*", "암호*", "clave"),
    ),
    "token": (
        *("token", "secret", "geheim", "segreto", "segreta", "secrèt*", "jeton", "belirte*", "токен*", "секрет", "令牌*"),
        *("トークン*",),
    ),
    "key": (
        *("key", "*schlüssel", "*sleutel", "clé", "chiave", "chave", "klucz*", "anahtar*", "ключ*", "鍵*", "キー*", "密钥*", "키*"),
        *("tajny", "gizli", "hmac", "aes", "fernet", "cipher", "api"),
    ),
    "login": (
        *("login", "credential*", "creds", "zugang*", "anmeld*", "identifiant*", "credenzial*", "credencia*", "logowani*"),
        *("inlog*", "giriş*", "логин*", "admin", "root", "user", "auth", "account", "pass", "wifi", "wlan"),
    ),
    "public": (
        *("*hash*", "commit*", "sha*", "fingerprint*", "checksum*", "digest*", "public*", "version*", "*_id", "id", "etag*"),
        *("cache*", "trace*", "merkle*", "site*"),
    ),
}  # fmt: skip
"""Words near which a value may be a secret, whatever stands between; at a `*` a word may go on."""
SECRET = ("password", "token")
"""The kinds of these words that name a secret; the others only tell more of a line that has one."""
