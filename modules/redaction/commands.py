"""Passwords given to commands, by the option or the position that takes them."""

import re
from collections.abc import Iterator
from functools import cache

from .placeholders import is_placeholder
from .spans import Span

_BEGIN = r"(?<![A-Za-z0-9_./-])"
_GAP = r"[ \t][^\n|;]{0,200}?"
_GIVEN = r"[\"']?([^\s\"'`|;&<>$-][^\s\"'`|;&<>]{2,200})"
_WORD = r"[ \t]{1,4}[^\s\"'`|;&<>-][^\s|;&<>]{0,99}"


def _option(commands: str, options: str, given: str = _GIVEN) -> str:
    """Return a pattern for a command and the value of one of its options; `options` includes the separator."""
    return rf"{_BEGIN}(?:{commands}){_GAP}(?<=[ \t])(?:{options}){given}"


_SPACED = "[ \\t]{1,4}"
_COMMANDS = (
    ("curl", r"(?<![A-Za-z0-9_-])curl[ \t][^\n]{0,200}?(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,100}+:([^\s\"']{1,200})"),
    ("wget", r"(?<![A-Za-z0-9_-])wget[ \t][^\n]{0,400}?--(?:http-|ftp-|proxy-)?password[ =][\"']?([^\s\"']{1,200})"),
    ("sshpass", r"(?<![A-Za-z0-9_-])sshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?([^\s\"']{1,200})"),
    ("mysql", r"(?<![A-Za-z0-9_-])mysql(?:dump|admin)?[ \t][^\n]{0,200}?[ \t]-p([^\s\"'=-][^\s\"']{2,200})"),
    ("docker login", r"docker login[ \t][^\n]{0,200}?[ \t]-p[ \t]{1,4}[\"']?([^\s\"']{3,200})"),
    ("identified by", r"(?i)identified by[ \t]{1,4}'([^'\n]{1,200})'"),
    ("machine ", r"(?i)(?<![a-z0-9_])machine[ \t\n]{1,4}\S{1,200}[ \t\n]{1,8}login[ \t\n]{1,8}\S{1,200}[ \t\n]{1,8}password[ \t\n]{1,8}(\S{1,200})"),
    ("redis-cli", _option("redis-cli", rf"-a{_SPACED}|--pass{_SPACED}")),
    ("htpasswd", rf"{_BEGIN}htpasswd[ \t]{{1,4}}(?:-[A-Za-z]{{1,8}}[ \t]{{1,4}}){{0,3}}(?<=b )(?:[^\s-]\S{{0,99}}[ \t]{{1,4}}){{1,2}}{_GIVEN}(?=[ \t\"']*(?:$|\n|[|;&`.,)]))"),
    ("htpasswd", rf"{_BEGIN}htpasswd[ \t]{{1,4}}(?:-[A-Za-z]{{0,4}}b[A-Za-z]{{0,4}}[ \t]{{1,4}})(?:[^\s-]\S{{0,99}}[ \t]{{1,4}}){{1,2}}{_GIVEN}(?=[ \t\"']*(?:$|\n|[|;&`.,)]))"),
    ("ldap", _option("ldap(?:search|modify|add|delete|whoami|passwd|compare)", rf"-w{_SPACED}|-s{_SPACED}(?!base|one|sub|children)")),
    ("smb", _option("smbclient|smbget|rpcclient", r"(?:-U|--user)[ =]?[\"']?[^\s%\"']{1,100}+%", r"([^\s\"'`|;&<>]{3,200})")),
    ("sqlcmd", _option("sqlcmd|bcp|osql", rf"-P{_SPACED}|-P(?=\S)")),
    ("bcp", _option("bcp", rf"-P{_SPACED}|-P(?=\S)")),
    ("zip", _option("zip|unzip|zipcloak", rf"-P{_SPACED}|--password{_SPACED}")),
    ("7z", _option("7z[ar]?", r"-p", r"([^\s\"'`|;&<>$]{3,200})")),
    ("rar", _option("rar|unrar", r"-h?p", r"([^\s\"'`|;&<>$]{3,200})")),
    ("mongo", _option("mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport", rf"-p{_SPACED}|-p(?=[^\s-])")),
    ("cqlsh", _option("cqlsh", rf"-p{_SPACED}")),
    ("mosquitto", _option("mosquitto_(?:pub|sub|rr)", rf"-P{_SPACED}")),
    ("ipmitool", _option("ipmitool", rf"-P{_SPACED}")),
    ("snmp", _option("snmp(?:walk|get|set|bulkwalk)", rf"-[AX]{_SPACED}")),
    ("storepass", rf"-(?:store|key|src|dest|deststore|srcstore)pass{_SPACED}{_GIVEN}"),
    ("openssl", _option("openssl", r"-(?:pass|passin|passout|k)[ \t]{1,4}(?:pass:)?(?!env:|file:|fd:|stdin)")),
    ("rabbitmqctl", rf"{_BEGIN}rabbitmqctl[ \t]{{1,4}}(?:add_user|change_password|authenticate_user){_WORD}[ \t]{{1,4}}{_GIVEN}"),
    ("net user", rf"(?i){_BEGIN}net[ \t]{{1,4}}user{_WORD}[ \t]{{1,4}}(?!/){_GIVEN}"),
    ("net use", rf"(?i){_BEGIN}net[ \t]{{1,4}}use(?:[ \t]{{1,4}}[^\s/][^\s]{{0,200}}){{1,2}}?[ \t]{{1,4}}(?!/|\\\\){_GIVEN}[ \t]{{1,4}}/user:"),
    ("sudo -s", rf"{_BEGIN}(?:echo|printf)[ \t]{{1,4}}(?:-n[ \t]{{1,4}})?{_GIVEN}[\"']?[ \t]{{0,4}}\|[ \t]{{0,4}}sudo[ \t]{{1,4}}(?:-\w{{1,8}}[ \t]{{1,4}}){{0,2}}-S\b"),
    ("chpasswd", r"[\"']?(?<![\w:])[a-z_][\w.-]{0,40}:([^\s\"'`|;&<>$][^\s\"'`|;&<>]{2,200})[\"']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd"),
    ("--stdin", rf"{_BEGIN}echo[ \t]{{1,4}}{_GIVEN}[\"']?[ \t]{{0,4}}\|[ \t]{{0,4}}(?:sudo[ \t]{{1,4}})?passwd[ \t]{{1,4}}--stdin"),
    ("nmcli", _option("nmcli", rf"password{_SPACED}|[\w.-]{{0,40}}psk{_SPACED}")),
    ("wpa_passphrase", rf"{_BEGIN}wpa_passphrase[ \t]{{1,4}}(?:\"[^\"\n]{{1,64}}\"|\S{{1,64}})[ \t]{{1,4}}[\"']?([^\n\"'|;&<>$]{{8,63}})"),
    ("freerdp", _option("[xw]lfreerdp|xfreerdp|wfreerdp", r"/p:")),
    ("rdesktop", _option("rdesktop", rf"-p{_SPACED}")),
    ("lftp", _option("lftp", r"(?:-u|--user)[ \t=]{1,4}[\"']?[^\s,\"']{1,100}+,", r"([^\s\"'`|;&<>]{3,200})")),
    ("cmdkey", _option("cmdkey", r"/pass:")),
    ("az login", _option("az login", rf"-p{_SPACED}")),
    ("username=", r"username=[^\s,]{1,100},(?:[\w.-]{1,40}=[^\s,]{0,100},){0,4}pass(?:word)?=([^\s,\"']{3,200})"),
)  # fmt: skip
_PGPASS = r"(?<![\w:.*-])(?:[\w.-]{1,253}|\*):(?:\d{2,5}|\*):(?:[A-Za-z_][\w-]{0,62}|\*):(?:[A-Za-z_][\w.-]{0,62}|\*):([^\s:\"'`]{4,200})(?![^\s\"'`,.;)])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find(text: str, lower: str) -> Iterator[Span]:
    """Yield the passwords given to commands in a text, and those of a `.pgpass` file."""
    for word, pattern in _COMMANDS:
        if word in lower:
            yield from _matches(text, pattern)
    if text.count(":") >= 4:
        for span in _matches(text, _PGPASS):
            value = text[span.begin : span.end]
            if not value.isdigit() and not (value.isalpha() and value.islower()):
                yield span


def _matches(text: str, pattern: str) -> Iterator[Span]:
    for match in _compiled(pattern).finditer(text):
        value = match.group(1)
        if not is_placeholder(value) and not value.startswith(("$", "%", "<")):
            yield Span(match.start(1), match.end(1), "password")
