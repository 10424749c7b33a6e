"""Numbers recognised by check digits or form: payment cards, IBANs, US social security numbers, seed phrases."""

from collections.abc import Iterator

from .spans import Span, compiled

_CARD = r"[2-6](?<![\w.#/+-].)(?:\d{12,15}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|\d{3}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d|/)"
_BRANDS = (
    (r"4(?:\d{12}|\d{15})$", "visa"),
    (r"(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$", "mastercard"),
    (r"3[47]\d{13}$", "amex"),
    (r"3(?:0[0-5]|[68]\d)\d{11}$", "diners"),
    (r"6(?:011|5\d\d|4[4-9]\d)\d{12}$", "discover"),
    (r"35(?:2[89]|[3-8]\d)\d{12}$", "jcb"),
    (r"62\d{14}$", "unionpay"),
)
_IBAN = r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
_IBAN_LENGTHS = dict(
    pair.split(":")
    for pair in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28 "
        "EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 "
        "IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30 NL:18 "
        "NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23 TN:24 "
        "TR:26 UA:29 VA:22 VG:24 XK:20"
    ).split()
)
_SSN = r"[0-8](?<![\w.-].)\d\d(?<!000)(?<!666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)"
_NAMED_SSN = (
    r"(?:ssn|social security(?: number| no\.?)?)[\"']?(?: is|:|=)?[ \t:=\"']{1,4}(\d{9}|\d{3} \d\d \d{4})(?!\d)"
)
_SEED = (
    r"(?:seed (?:phrase|words)|recovery phrase|mnemonic(?: phrase)?|wallet seed|seed)[\"']?[^a-z\n]{0,3}"
    r"(?: (?:for|of|to)(?: [\w'-]{1,30}){1,4}?)?(?: is| are| was|:|=)?[\s:=\"'`]{1,6}((?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23})(?![a-z])"
)


def find(text: str, lower: str) -> Iterator[Span]:
    """Yield the numbers of a text that must not be stored."""
    for match in compiled(_CARD).finditer(text):
        if _is_card(match.group().translate(_PLAIN)):
            yield Span(match.start(), match.end(), "card-number")
    for match in compiled(_IBAN).finditer(text):
        if (length := _iban_length(match.group())) is not None:
            yield Span(match.start(), match.start() + length, "iban")
    if text.count("-") >= 2:
        for match in compiled(_SSN).finditer(text):
            yield Span(match.start(), match.end(), "us-ssn")
    if "ssn" in lower or "social security" in lower:
        for match in compiled(_NAMED_SSN).finditer(lower):
            yield Span(match.start(1), match.end(1), "us-ssn")
    if "seed" in lower or "mnemonic" in lower or "recovery phrase" in lower:
        for match in compiled(_SEED).finditer(lower):
            if len(match.group(1).split()) in (12, 15, 18, 21, 24):
                yield Span(match.start(1), match.end(1), "seed-phrase")


_PLAIN = {ord(" "): None, ord("-"): None}


def _is_card(digits: str) -> bool:
    return luhn(digits) and len(set(digits)) > 1 and any(compiled(brand).match(digits) for brand, _ in _BRANDS)


def luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of those before it, as on payment cards."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban_length(written: str) -> int | None:
    """Return how many characters of a match are an IBAN, or None: the words after one may look like more of it."""
    wanted = int(_IBAN_LENGTHS.get(written[:2], "0"))
    taken, counted = 0, 0
    for character in written:
        taken += 1
        counted += character != " "
        if counted == wanted:
            break
    if not wanted or counted != wanted or written[taken : taken + 1].isalnum():
        return None
    return taken if mod97(written[:taken].replace(" ", "")) == 1 else None


def mod97(iban: str) -> int:
    """Return the remainder of an IBAN modulo 97, which valid check digits make 1."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97
