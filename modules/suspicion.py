"""Suspicion: whether a recalled text speaks to the agent that reads it, as an injected instruction would.

Memories are data, and most say something about the world. A few are written to be obeyed: they tell the reader to drop
its instructions, pretend to be another speaker or a tool call, or hide what they say. Pure rules, with no claim to find
all of them: framing is what keeps the rest apart from instructions.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

_START = r"(?:^|[.!?:;,\n\"'“”‘’(\[{>*#—–-]\s*|\b(?:please|kindly|must|should|shall|now|and|then|just|to you)\s+)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|original|initial|former|foregoing|past)"
_GIVEN = r"(?:instructions?|guidelines?|directives?|system\s+prompts?)"
_ORDERS = rf"(?:{_GIVEN}|prompts?|directions?|commands?|programming|training)"
_LIMITS = rf"(?:{_ORDERS}|rules?|constraints?|restrictions?|polic(?:y|ies)|safety)"
_DROP = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|discard|dismiss|abandon|do\s+not\s+(?:follow|obey)"
    r"|don['’]t\s+(?:follow|obey)|stop\s+(?:following|obeying))"
)
_WHO = r"(?:system|developer|hidden|secret|initial|internal|original)"
_READER = r"(?:(?-i:AI|A\.I\.|LLMs?)|language\s+models?)"
_ASKED = (
    r"(?:you\b|your\b|ignore\b|must\b|never\b|always\b|do\s+not\b|don['’]t\b|reveal\b|new\s+(?:instruction|task|rule)"
    r"|override\b|obey\b|execute\b|run\b|send\b|delete\b|enable\b|disable\b|grant\b|the\s+(?:user|assistant)\b|from\s+now\b)"
)
_DOING = r"(?:act|behave|respond|answer|obey|ignore|pretend|follow|operate|serve|comply|execute|run|send|delete|do)"

_PATTERNS: Mapping[str, str] = {
    "drops instructions": (
        rf"{_START}{_DROP}\W+(?:\w+\W+){{0,3}}?(?:(?:all|any)\W+(?:\w+\W+){{0,3}}?{_GIVEN}"
        rf"|(?:{_EARLIER}|your|{_WHO})\W+(?:\w+\W+){{0,2}}?{_LIMITS}"
        rf"|{_GIVEN}\W+(?:you|above|before|given|so\s+far)"
        r"|everything\W+(?:\w+\W+){0,4}?(?:told|above|before))\b"
    ),
    "drops instructions, not in English": (
        r"\b(?:ignorier|vergiss|missachte)\w*\W+(?:\w+\W+){0,4}(?:anweisung|befehl|instruktion|vorgabe)\w*"
        r"|\b(?:ignore[zrs]?|oublie[zrs]?)\W+(?:\w+\W+){0,3}(?:instructions|consignes)\W+(?:pr[ée]c[ée]dent|ant[ée]rieur)"
        r"|\b(?:ignor|olvid|dimentic|esque[cç])\w*\W+(?:\w+\W+){0,4}(?:instrucciones|instru[çc][õo]es|istruzioni)\b"
        r"|\bnegeer\W+(?:\w+\W+){0,4}(?:instructies|opdrachten)\b"
        r"|(?:игнорируй|забудь)\w*\W+(?:\w+\W+){0,4}(?:инструкци|указани|команд)\w*"
        r"|(?:忽略|无视|忘记|忽視|無視)[^。\n]{0,12}(?:指令|指示|提示|命令)|(?:指示|命令|プロンプト)[^。\n]{0,8}(?:無視|忘れ)"
    ),
    "another speaker": (
        r"(?:(?:^|\n)[\W_]*|\[\s*)(?:system|developer|admin)"
        r"(?:\s+(?:message|prompt|note|notice|update|alert|override|instruction)s?)?"
        rf"(?:[*_>)]*\s*[:：]|\s*\])\W*(?:\w+\W+){{0,6}}?{_ASKED}"
        r"|<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text"
        r"|channel|message|start|end)\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
        r"|</?\s*(?:system|system[-_ ](?:reminder|prompt|message|instructions?)|human_turn|assistant_turn)\s*>"
        r"|(?:^|\n)\s*#{2,4}\s*(?:system(?:\s+(?:prompt|message))?|instruction|human|assistant|response)\s*:\s*(?:\n|$)"
        r"|\b(?-i:(?:BEGIN|END)\s+(?:OF\s+)?(?:THE\s+)?(?:SYSTEM|DEVELOPER|CONTEXT|MEMORY|MEMORIES)\b)"
    ),
    "a tool call": (
        r"</?(?:antml:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|tool_result|tool_response)\b[^>\n]*>"
        r"|<(?:antml:)?parameter\s+name="
        r"|[\"']type[\"']\s*:\s*[\"'](?:tool_use|tool_call|function_call|tool_result)[\"']"
        r"|[\"'](?:tool_calls|function_call)[\"']\s*:\s*[\[{]"
        r"|\{\s*[\"'](?:name|tool|tool_name|function|action)[\"']\s*:\s*[\"'][\w.-]+[\"']\s*,\s*"
        r"[\"'](?:arguments|parameters|input|tool_input|action_input|args)[\"']\s*:\s*[\"{\[]"
        r"|\bto=functions\.\w+|<\|(?:tool_call|python_tag|tool_calls_begin)\|?>|\[TOOL_CALLS?\]"
        r"|(?:^|\n)\s*Action\s*:\s*\w+\s*\n\s*Action Input\s*:"
    ),
    "a new role": (
        rf"\byou\s+must\s+now\s+\w+|\bnow\s+you\s+must\s+\w+|\byou\s+(?:should|will|shall|have\s+to|are\s+to)\s+now\s+{_DOING}\b"
        r"|\bfrom\s+now\s+on,?\s+you(?:['’]re|['’]ll|\s+(?:are|will|must|shall|have|may|can|respond|answer|act|obey))\b"
        r"|\byou\s+are\s+(?:now|hereby)\s+(?:in\s+\w+\s+mode|(?-i:DAN)\b|free\s+(?:of|from)|no\s+longer|authori[sz]ed|acting"
        rf"|(?:an?|the)\s+(?:\w+\s+){{0,2}}?(?:{_READER}|assistant|agent|bot|model|chatbot|administrator)\b)"
        r"|\byou\s+are\s+no\s+longer\s+(?:bound|restricted|limited|an?\s+(?:AI|assistant)|required|subject)"
        r"|\bpretend\s+(?:to\s+be|(?:that\s+)?you(?:\s+are|['’]re|\s+have))\s+(?:\w+\s+){0,3}?"
        rf"(?:restrictions?|rules|limits|{_READER}|admin\w*|root|system|developer|unrestricted|uncensored|jailbroken)\b"
        r"|\bact\s+as\s+(?:if|though)\s+you\s+(?:are|were|have|had)\b"
        r"|\bact\s+as\s+(?:an?\s+|the\s+)?(?:unrestricted|uncensored|unfiltered|jailbroken|evil|(?-i:DAN)\b)"
        r"|\b(?:enter|enable|activate|switch\s+to)\s+(?:the\s+)?(?:god|(?-i:DAN)|jailbreak|unrestricted)\s+mode\b"
        r"|\b(?:god|(?-i:DAN)|jailbreak|unrestricted)\s+mode\s+(?:is\s+)?(?:enabled|activated|on)\b"
        r"|\byour\s+(?:new|real|true|actual|only|updated)\s+(?:instructions?|tasks?|goals?|objectives?|roles?|purpose|mission"
        r"|system\s+prompt|directives?|orders)\s*(?:is|are|[:：])"
        r"|\b(?:new|secret|hidden)\s+(?:system\s+)?instructions?\s*(?:for\s+(?:you|the\s+\w+)\s*)?[:：]"
    ),
    "an address to the reader": (
        r"\b(?:attention|important|note|notice|message|warning|dear|hey|hello|instructions?)\b\W+(?:(?:to|for)\W+)?"
        rf"(?:(?:any|all|the|every|whichever)\W+)?{_READER}(?:\W+(?:agents?|assistants?|models?|systems?|readers?))?"
        r"\s*[:,!—–-]"
        rf"|\b(?:if|when)\s+you(?:\s+are|['’]re)\s+an?\s+(?:{_READER}|(?:AI\s+|coding\s+)?(?:agent|assistant))\b"
        rf"|\b(?:any|every|all)\s+{_READER}\s*(?:agents?|assistants?|models?)?\s+"
        r"(?:reading|processing|seeing|that\s+reads?|who\s+reads?)"
        r"|\b(?:when|once|as\s+soon\s+as|if|after|upon)\s+(?:you\s+)?(?:read|see|recall|retrieve|reading|seeing|recalling)"
        r"\s+this(?:\s+(?:memory|message|note|text))?,"
        r"|\bthis\s+(?:message|memory|instruction|note|text)\s+(?:overrides|supersedes\s+(?:all|any|your)"
        r"|takes\s+(?:precedence|priority)|has\s+(?:the\s+)?(?:highest|higher)\s+priority)"
    ),
    "secrecy": (
        r"\b(?:(?:do\s+not|don['’]t|never|must\s+not)\s+(?:ever\s+)?(?:tell|inform|mention|reveal|warn|disclose)"
        r"|without\s+(?:telling|informing|mentioning))\s+(?:(?:this|it|that|anything)\s+)?(?:to\s+)?"
        r"(?:the\s+|your\s+)(?:user|human|operator)\b(?!['’-]?s\b|\s+(?:name|id))"
        rf"|\b(?:reveal|print|show|repeat|output|leak|display|disclose|tell\s+me|give\s+me)\s+(?:me\s+)?(?:your|the)\s+"
        rf"(?:\w+\s+)?{_WHO}\s+(?:prompt|instructions?)\b"
    ),
    "exfiltration": (
        r"\b(?:send|post|upload|forward|e-?mail|leak|exfiltrate|transmit|copy|append|encode)\s+(?:\w+\W+){0,5}?"
        r"(?:api\s*keys?|passwords?|secrets?|credentials?|private\s+keys?|ssh\s+keys?|\.env\b(?:\s+file)?"
        r"|environment\s+variables|conversations?|chat\s+history|memories|system\s+prompt)\W+(?:\w+\W+){0,6}?"
        r"(?:to|at|into|via)\W+(?:https?://|\S+@\S+\.\w|[\w-]+\.(?:com|net|org|io|example|xyz|ru)\b)"
        r"|!\[[^\]\n]*\]\(https?://[^)\s]*[?&][\w-]+=(?:\{|\[|<|%7B|DATA|SECRET)"
        r"|\b(?:decode|base64)\b.{0,80}\b(?:follow|execute|obey|carry\s+out)\b.{0,20}\b(?:it|them|instructions?|result)\b"
    ),
}

_HIDING = "\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad\u2061\u2062\u2063\u2064"
_HIDDEN: Mapping[str, str] = {
    "reordered text": "[\u202d\u202e]",
    "invisible letters": "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0001-\U000e007f]",
    "smuggled bytes": "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}|[\u3164\u115f\u1160\uffa0]{2}",
    "split words": f"[A-Za-z][{_HIDING}]{{1,3}}[A-Za-z][A-Za-z{_HIDING}]*[{_HIDING}]|(?<=[A-Za-z])[{_HIDING}]{{2}}",
    "hidden run": "[\u200b\u2060\ufeff\u180e\u2061-\u2064]{3}|[\u200b\u200c\u2060\u2063]{6}",
}


def is_suspicious(text: str) -> bool:
    """Whether a text looks like an instruction to the agent that reads it, or hides what it says."""
    return bool(signs(text))


def signs(text: str) -> tuple[str, ...]:
    """What makes a text suspicious: the names of the rules that it breaks; none for almost every text."""
    hidden = () if text.isascii() else tuple(name for name, rule in _hidden().items() if rule.search(text))
    read = (text,) if text.isascii() else _read(text)
    return hidden + tuple(name for name, rule in _rules().items() if any(map(rule.search, read)))


@cache
def _rules() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.I) for name, pattern in _PATTERNS.items()}


@cache
def _hidden() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in _HIDDEN.items()}


def _read(text: str) -> tuple[str, str]:
    """A text as it is read, with letters of other scripts as they are and as what they look like.

    Compatible forms are made one, and what cannot be seen is taken out.
    """
    folded = unicodedata.normalize("NFKC", text)
    seen = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return seen, seen.translate(_LOOKALIKES)


_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0501\u04bb\u0458\u0410\u0415\u041e\u0420\u0421\u0422\u0406\u03bf\u03bd",
    "aeopcyxisdhjAEOPCTIov",
)
"""Cyrillic and Greek letters that look like Latin ones."""
