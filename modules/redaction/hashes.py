"""Hashes of passwords, in every form of crypt(3), of LDAP, and of the frameworks and servers that have their own.

Who has one may try passwords against it for as long as wanted.
"""

from collections.abc import Iterator

from .spans import SecretSpan, compiled

KIND = "password-hash"
_SALT = r"[./A-Za-z0-9]"
_B64 = r"[./A-Za-z0-9+]"
_CRYPT = (
    r"\$[a-z0-9]{1,8}(?:-[a-z0-9]{2,8})?(?:[$,][A-Za-z0-9=,./+-]{0,128}){0,3}"
    r"\$(?:[a-f0-9]{32,128}|(?=[./A-Za-z0-9+]{0,60}\d)(?=[./A-Za-z0-9+]{0,60}[A-Z])(?=[./A-Za-z0-9+]{0,60}[a-z])[./A-Za-z0-9+]{20,200}={0,2})"
)
_FORMS = (
    ("$", _CRYPT),
    ("$2", rf"\$2[abxy]?\$\d\d\${_SALT}{{53}}"),
    ("$", rf"\$[PH]\${_SALT}{{30,32}}|\$S\${_SALT}{{50,55}}"),
    ("scrypt:", r"scrypt:\d{1,9}:\d{1,4}:\d{1,4}\$[A-Za-z0-9]{1,64}\$[a-f0-9]{32,256}"),
    ("scrypt$", rf"scrypt\$\d{{1,9}}\$\d{{1,4}}\$\d{{1,4}}\${_B64}{{1,64}}={{0,2}}\${_B64}{{20,200}}={{0,2}}"),
    ("pbkdf2", rf"pbkdf2[:_]sha\d{{1,3}}(?::|\$)\d{{1,9}}\${_B64}{{1,64}}\${_B64}{{20,200}}={{0,2}}"),
    ("}", r"\{(?:S?SHA(?:\d{3})?|S?MD5|CRYPT|ARGON2\w{0,2}|PBKDF2[A-Z0-9-]{0,10}|BCRYPT|BLF-CRYPT)(?:\.b64|\.HEX)?\}[A-Za-z0-9+/.$=,-]{22,250}"),
    ("SCRAM-SHA-", rf"SCRAM-SHA-\d{{1,3}}\$\d{{1,9}}:{_B64}{{8,128}}={{0,2}}\${_B64}{{20,128}}={{0,2}}:{_B64}{{20,128}}={{0,2}}"),
    ("grub.pbkdf2.", r"grub\.pbkdf2\.sha\d{1,3}\.\d{1,9}\.[A-F0-9]{32,512}\.[A-F0-9]{32,512}"),
    (":", r"[a-f0-9]{32}:(?:[a-f0-9]{32}(?![:a-f0-9])|(?=[a-z0-9]{0,31}[A-Z])[A-Za-z0-9]{32}(?!:))"),
    (":::", r"(?i:[a-f0-9]{32}:[a-f0-9]{32})(?=:::)"),
    ("*", r"\*[0-9A-F]{40}"),
    ("0x0", r"0x0[12]00(?:[A-Fa-f0-9]{48}|[A-Fa-f0-9]{88}|[A-Fa-f0-9]{136})"),
    ("::", r"[\w.-]{1,64}::[\w.-]{0,64}:[A-Fa-f0-9]{16}:[A-Fa-f0-9]{32}:[A-Fa-f0-9]{40,4000}"),
    ("md5", r"md5[a-f0-9]{32}"),
    ("$", r"(?:sha1|sha256|md5)\$[A-Za-z0-9./]{1,32}\$[a-f0-9]{32,64}"),
    (":", r"(?<=:)(?=[./A-Za-z0-9]{0,12}\d)(?=[./A-Za-z0-9]{0,12}[a-z])(?=[./A-Za-z0-9]{0,12}[A-Z])(?:_[./A-Za-z0-9]{19}|[./A-Za-z0-9]{13})(?=:\d{1,10}:|[ \t]{1,4}[^\n]{0,40}(?:htpasswd|crypt|shadow))"),
)  # fmt: skip
"""What must occur, and the pattern."""
_TAGGED = r"\$(?=[A-Za-z])[A-Za-z0-9_-]{2,16}[$*#][!#-&(-_a-~]{32,8000}"
"""A tag in dollar signs and, somewhere after it, a digest: what password crackers read."""
_NAMED = (
    r"(?i)pass(?:word|wd|phrase)?[ _-]?hash[\"']?[ \t]{0,4}(?:[:=]|is)[ \t]{0,4}[\"'`]?([a-f0-9]{32,128})(?![\w+/=-])"
)
_AROUND = (r"(?<![A-Za-z0-9{])(?:bcrypt(?:_sha256)?\$|argon2)?", r"(?![A-Za-z0-9/+])")


def find(text: str) -> Iterator[SecretSpan]:
    """Yield the hashes of passwords in a text."""
    before, after = _AROUND
    for word, pattern in _FORMS:
        if word in text:
            for match in compiled(f"{before}(?:{pattern}){after}").finditer(text):
                yield SecretSpan(*match.span(), KIND)
    if "hash" in text:
        for match in compiled(_NAMED).finditer(text):
            yield SecretSpan(*match.span(1), KIND)
    if "$" in text:
        for match in compiled(_TAGGED).finditer(text):
            if compiled(r"[a-f0-9]{32}").search(match.group()):
                yield SecretSpan(*match.span(), KIND)
