"""Suspicion: whether a recalled text speaks to the agent that reads it, as an injected instruction would.

Memories are data, and most say something about the world. A few are written to be obeyed: they tell the reader to drop
its instructions, pretend to be another speaker or a tool call, or hide what they say. Pure rules, with no claim to find
all of them: framing is what keeps the rest apart from instructions.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TypeVar

from . import offload, suspicion_readings, suspicion_words
from .text import lookalikes

T = TypeVar("T")

_START = (
    r"(?:^|[.!?:;,\n\"'“”‘’(\[{>*#—–-]\s{0,8}|\b(?:please|kindly|must|should|shall|now|and|then|just|to you)\s{1,8})"
)
_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|original|initial|former|foregoing|past)"
_GIVEN = r"(?:instructions?|guidelines?|directives?|system\s{1,8}prompts?)"
_ORDERS = rf"(?:{_GIVEN}|prompts?|directions?|commands?|programming|training)"
_LIMITS = rf"(?:{_ORDERS}|rules?|constraints?|restrictions?|polic(?:y|ies)|safety)"
_DROP = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|discard|dismiss|abandon|do\s{1,8}not\s{1,8}(?:follow|obey)"
    r"|don['’]t\s{1,8}(?:follow|obey)|stop\s{1,8}(?:following|obeying))"
)
_WHO = r"(?:system|developer|hidden|secret|initial|internal|original)"
_READER = r"(?:(?-i:AI|A\.I\.|LLMs?)|language\s{1,8}models?)"
_ASKED = (
    r"(?:you\b|your\b|ignore\b|must\b|never\b|always\b|do\s{1,8}not\b|don['’]t\b|reveal\b|new\s{1,8}(?:instruction|task|rule)"
    r"|override\b|obey\b|execute\b|run\b|send\b|delete\b|enable\b|disable\b|grant\b|the\s{1,8}(?:user|assistant)\b|from\s{1,8}now\b)"
)
_DOING = r"(?:act|behave|respond|answer|obey|ignore|pretend|follow|operate|serve|comply|execute|run|send|delete|do)"

_ANSWER = (
    r"(?:(?:your|the)\s{1,8})?(?:answer|reply|response|chat|issue|comment|commit|pull\s{1,8}request|report|log|message"
    r"|caller|output)"
)
_SECRET_FILE = (
    r"(?:(?<![\w~./-])[\w~./-]{0,60}(?:(?<![\w-])id_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.(?:aws/credentials|netrc|pgpass"
    r"|git-credentials|kube/config|docker/config\.json|npmrc|pypirc|gnupg/\S{1,40})\b)|/etc/(?:shadow|gshadow|sudoers)\b"
    r"|wallet\.dat\b|private\s{1,8}keys?\b)"
)
_KEY_FILE = (
    r"(?:(?<![\w~./-])[\w~./-]{0,60}(?:(?<![\w-])id_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.(?:aws/credentials|netrc|pgpass"
    r"|git-credentials|kube/config)\b|(?<![\w.])\.env\b(?!\.\w|[-_]))|/etc/(?:shadow|gshadow)\b|private\s{1,8}keys?\b)"
)
_SECRETS = (
    r"(?:api\s{0,8}keys?|passwords?|secrets?|credentials?|private\s{1,8}keys?|ssh\s{1,8}keys?|access\s{1,8}tokens?)"
)
_OF_IT = r"(?:(?:the|all|any|your|my|whole|full|contents?|text|values?|of|from|file)\s{1,8}){0,6}"
_TO_THE_READER = (
    r"(?:(?:in|into|to|as|at)\s{1,8}(?:the\s{1,8}(?:end|bottom|top)\s{1,8}of\s{1,8})?(?:(?:your|the|every|each|any|an?)\s{1,8})?"
    r"(?:answer|reply|response|footer|signature|postscript)s?\b)"
)
_GIVES_AWAY = r"(?<!not\s)(?<!never\s)(?<!n['’]t\s)\b(?:append|include|add|put|paste|repeat|quote|insert|attache?)s?"
_PIPED = (
    r"(?:(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^\n|]{0,300}\|\s{0,8}(?:sudo\s{1,8})?(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|ruby|node|iex)\b"
    r"|(?:(?:ba|z|da|k)?sh|eval|source|iex)\b[^\n]{0,40}(?:\$\(|<\(|`|\()\s{0,8}(?:curl|wget|iwr|irm)\b"
    r"|base64\s{1,8}(?:-d|-D|--decode)\b[^\n|]{0,80}\|\s{0,8}(?:sudo\s{1,8})?(?:ba|z|da|k)?sh\b|powershell\S{0,4}\s{1,8}-e(?:nc|ncodedcommand)?\s"
    r"|/dev/tcp/\d|\brm\s{1,8}-\w{0,4}[rf]\w{0,4}\s{1,8}(?:--no-preserve-root\s{1,8})?[~/])"
)
_TELLS = (
    r"\b(?:always|never|first|before|run|execute|call|invoke|use|must|should|need\s{1,8}to|have\s{1,8}to|paste|type|start"
    r"|now|step\s{1,8}\d)\b"
)
_TELLS_WITHIN = 120
"""The characters before what pipes into a shell in which somebody is told to do that."""
_WHOM = r"(?:user|human|owner|operator|customer|administrator)"
_READER_WORDS = (
    r"(?:(?-i:AI|LLMs?)(?:\s{1,8}(?:agents?|assistants?|models?))?|agents?|assistants?"
    r"|coding\s{1,8}(?:agent|assistant)s?)"
)
_ACTS = (
    r"(?:delete|run|send|ignore|approve|execute|call|push|merge|open|upload|deploy|copy|post|reveal|install|grant"
    r"|disable)"
)

_PATTERNS: Mapping[str, str] = {
    "drops instructions": (
        r"\b(?-i:Ignore|IGNORE|Disregard|DISREGARD|Forget|FORGET)\s{1,8}all\s{1,8}(?:of\s{1,8})?(?:the\s{1,8}|your\s{1,8})?"
        rf"{_EARLIER}\s{{1,8}}{_GIVEN}\b|"
        rf"{_START}{_DROP}\W{{1,8}}(?:\w{{1,30}}\W{{1,8}}){{0,3}}?(?:(?:all|any)\W{{1,8}}(?:\w{{1,30}}\W{{1,8}}){{0,3}}?{_GIVEN}"
        rf"|(?:{_EARLIER}|your|{_WHO})\W{{1,8}}(?:\w{{1,30}}\W{{1,8}}){{0,2}}?{_LIMITS}"
        rf"|{_GIVEN}\W{{1,8}}(?:you|above|before|given|so\s{{1,8}}far)"
        rf"|{_LIMITS}\W{{1,8}}(?:that\W{{1,8}})?you\W{{1,8}}(?:were|have\W{{1,8}}been|had\W{{1,8}}been|got|received)"
        r"|everything\W{1,8}(?:\w{1,30}\W{1,8}){0,4}?(?:told|above|before))\b"
    ),
    "drops instructions, not in English": (
        r"\b(?:ignorier|vergiss|missachte)\w{0,30}\W{1,8}(?:\w{1,30}\W{1,8}){0,4}(?:anweisung|befehl|instruktion|vorgabe)\w*"
        r"|\b(?:ignore[zrs]?|oublie[zrs]?)\W{1,8}(?:\w{1,30}\W{1,8}){0,3}(?:instructions|consignes)\W{1,8}(?:pr[ée]c[ée]dent|ant[ée]rieur)"
        r"|\b(?:ignor|olvid|dimentic|esque[cç])\w{0,30}\W{1,8}(?:\w{1,30}\W{1,8}){0,4}(?:instrucciones|instru[çc][õo]es|istruzioni)\b"
        r"|\bnegeer\W{1,8}(?:\w{1,30}\W{1,8}){0,4}(?:instructies|opdrachten)\b"
        r"|(?:игнорируй|забудь)\w{0,30}\W{1,8}(?:\w{1,30}\W{1,8}){0,4}(?:инструкци|указани|команд)\w*"
        r"|(?:忽略|无视|忘记|忽視|無視)[^。\n]{0,12}(?:指令|指示|提示|命令)|(?:指示|命令|プロンプト)[^。\n]{0,8}(?:無視|忘れ)"
    ),
    "another speaker": (
        r"(?:(?:^|\n)[\W_]{0,20}|\[\s{0,8})(?:system|developer|admin)"
        r"(?:\s{1,8}(?:message|prompt|note|notice|update|alert|override|instruction)s?)?"
        rf"(?:[*_>)]{{0,8}}\s{{0,8}}[:：]|\s{{0,8}}\])\W{{0,20}}(?:\w{{1,30}}\W{{1,8}}){{0,6}}?{_ASKED}"
        r"|<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text"
        r"|channel|message|start|end)\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
        r"|</\s{0,8}(?:memory|hook)_context\s{0,8}>"
        r"|</[\w-]{1,40}>\s{0,8}(?:system|developer)\s{0,8}[:：]"
        r"|</?\s{0,8}(?:system|system[-_ ](?:reminder|prompt|message|instructions?)|human_turn|assistant_turn)\s{0,8}>"
        r"|(?:^|\n)\s{0,8}#{2,4}\s{0,8}(?:system(?:\s{1,8}(?:prompt|message))?|instruction|human|assistant|response)\s{0,8}:\s{0,8}(?:\n|$)"
        r"|\b(?-i:(?:BEGIN|END)\s{1,8}(?:OF\s{1,8})?(?:THE\s{1,8})?(?:SYSTEM|DEVELOPER|CONTEXT|MEMORY|MEMORIES)\b)"
    ),
    "a tool call": (
        r"</?(?:antml:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|tool_result|tool_response)\b[^>\n]{0,200}>"
        r"|<(?:antml:)?parameter\s{1,8}name="
        r"|[\"']type[\"']\s{0,8}:\s{0,8}[\"'](?:tool_use|tool_call|function_call|tool_result)[\"']"
        r"|[\"'](?:tool_calls|function_call)[\"']\s{0,8}:\s{0,8}[\[{]"
        r"|\{\s{0,8}[\"'](?:name|tool|tool_name|function|action)[\"']\s{0,8}:\s{0,8}[\"'][\w.-]{1,60}[\"']\s{0,8},\s{0,8}"
        r"[\"'](?:arguments|parameters|input|tool_input|action_input|args)[\"']\s{0,8}:\s{0,8}[\"{\[]"
        r"|\bto=functions\.\w{1,30}|<\|(?:tool_call|python_tag|tool_calls_begin)\|?>|\[TOOL_CALLS?\]"
        r"|(?:^|\n)\s{0,8}Action\s{0,8}:\s{0,8}\w{1,30}\s{0,8}\n\s{0,8}Action Input\s{0,8}:"
    ),
    "a new role": (
        rf"\byou\s{{1,8}}must\s{{1,8}}now\s{{1,8}}\w{{1,30}}|\bnow\s{{1,8}}you\s{{1,8}}must\s{{1,8}}\w{{1,30}}|\byou\s{{1,8}}(?:should|will|shall|have\s{{1,8}}to|are\s{{1,8}}to)\s{{1,8}}now\s{{1,8}}{_DOING}\b"
        r"|\bfrom\s{1,8}now\s{1,8}on,?\s{1,8}you(?:['’]re|['’]ll|\s{1,8}(?:are|will|must|shall|have|may|can|respond|answer|act|obey))\b"
        r"|\byou\s{1,8}are\s{1,8}(?:now|hereby)\s{1,8}(?:in\s{1,8}\w{1,30}\s{1,8}mode|(?-i:DAN)\b|free\s{1,8}(?:of|from)|no\s{1,8}longer|authori[sz]ed|acting"
        rf"|(?:an?|the)\s{{1,8}}(?:\w{{1,30}}\s{{1,8}}){{0,2}}?(?:{_READER}|assistant|agent|bot|model|chatbot|administrator)\b)"
        r"|\byou\s{1,8}are\s{1,8}no\s{1,8}longer\s{1,8}(?:bound|restricted|limited|an?\s{1,8}(?:AI|assistant)|required|subject)"
        r"|\bpretend\s{1,8}(?:to\s{1,8}be|(?:that\s{1,8})?you(?:\s{1,8}are|['’]re|\s{1,8}have))\s{1,8}(?:\w{1,30}\s{1,8}){0,3}?"
        rf"(?:restrictions?|rules|limits|{_READER}|admin\w*|root|system|developer|unrestricted|uncensored|jailbroken)\b"
        r"|\bact\s{1,8}as\s{1,8}(?:if|though)\s{1,8}you\s{1,8}(?:are|were|have|had)\b"
        r"|\bact\s{1,8}as\s{1,8}(?:an?\s{1,8}|the\s{1,8})?(?:unrestricted|uncensored|unfiltered|jailbroken|evil|(?-i:DAN)\b)"
        r"|\b(?:enter|enable|activate|switch\s{1,8}to)\s{1,8}(?:the\s{1,8})?(?:god|(?-i:DAN)|jailbreak|unrestricted)\s{1,8}mode\b"
        r"|\b(?:god|(?-i:DAN)|jailbreak|unrestricted)\s{1,8}mode\s{1,8}(?:is\s{1,8})?(?:enabled|activated|on)\b"
        r"|\byour\s{1,8}(?:new|real|true|actual|only|updated)\s{1,8}(?:instructions?|tasks?|goals?|objectives?|roles?|purpose|mission"
        r"|system\s{1,8}prompt|directives?|orders)\s{0,8}(?:is|are|[:：])"
        r"|\b(?:new|secret|hidden)\s{1,8}(?:system\s{1,8})?instructions?\s{0,8}(?:for\s{1,8}(?:you|the\s{1,8}\w{1,30})\s{0,8})?[:：]"
    ),
    "an address to the reader": (
        r"\b(?:attention|important|note|notice|message|warning|dear|hey|hello|instructions?)\b\W{1,8}(?:(?:to|for)\W{1,8})?"
        rf"(?:(?:any|all|the|every|whichever)\W{{1,8}})?{_READER}(?:\W{{1,8}}(?:agents?|assistants?|models?|systems?|readers?))?"
        r"\s{0,8}[:,!—–-]"
        rf"|\b(?:if|when)\s{{1,8}}you(?:\s{{1,8}}are|['’]re)\s{{1,8}}an?\s{{1,8}}(?:{_READER}|(?:AI\s{{1,8}}|coding\s{{1,8}})?(?:agent|assistant))\b"
        rf"|\b(?:any|every|all)\s{{1,8}}{_READER}\s{{0,8}}(?:agents?|assistants?|models?)?\s{{1,8}}"
        r"(?:reading|processing|seeing|that\s{1,8}reads?|who\s{1,8}reads?)"
        r"|\b(?:when|once|as\s{1,8}soon\s{1,8}as|if|after|upon)\s{1,8}(?:you\s{1,8})?(?:read|see|recall|retrieve|reading|seeing|recalling)"
        r"\s{1,8}this(?:\s{1,8}(?:memory|message|note|text))?,"
        r"|\b(?:note|message)\s{1,8}(?:to|for)\s{1,8}(?:(?:the\s{1,8}|any\s{1,8}|every\s{1,8})?(?:AI|coding)\s{1,8}(?:assistant|agent|model)s?"
        r"|assistant|agent)\s{0,8}:"
        r"|\bthis\s{1,8}(?:message|memory|instruction|note|text)\s{1,8}(?:overrides|supersedes\s{1,8}(?:all|any|your)"
        r"|takes\s{1,8}(?:precedence|priority)|has\s{1,8}(?:the\s{1,8})?(?:highest|higher)\s{1,8}priority)"
    ),
    "secrecy": (
        r"\b(?:(?:do\s{1,8}not|don['’]t|never|must\s{1,8}not)\s{1,8}(?:ever\s{1,8})?(?:tell|inform|mention|reveal|warn|disclose)"
        r"|without\s{1,8}(?:telling|informing|mentioning))\s{1,8}(?:(?:this|it|that|anything)\s{1,8})?(?:to\s{1,8})?"
        r"(?:the\s{1,8}|your\s{1,8})(?:user|human|operator)\b(?!['’-]?s\b|\s{1,8}(?:name|id))"
        r"|\b(?:do\s{1,8}not|don['’]t|never)\s{1,8}(?:mention|reveal|disclose|cite|quote)\s{1,8}this\s{1,8}(?:instruction\b|(?:note|memory)\s{0,8}(?:[.!]|$))"
        rf"|\b(?:reveal|print|show|repeat|output|leak|display|disclose|tell\s{{1,8}}me|give\s{{1,8}}me)\s{{1,8}}(?:me\s{{1,8}})?(?:your|the)\s{{1,8}}"
        rf"(?:\w{{1,30}}\s{{1,8}})?{_WHO}\s{{1,8}}(?:prompt|instructions?)\b"
    ),
    "a made-up order": (
        r"\bnew\s{1,8}(?:policy|rule|order|directive)\s{1,8}from\s{1,8}(?:the\s{1,8})?(?:\w{1,30}\s{1,8})?(?:admin\w{0,12}|system|developers?|security)(?:\s{1,8}(?:team|office|department))?"
        r"\W{1,8}(?:approve\s{1,8}(?:every|all|any)|grant|disable|ignore)\b"
    ),
    "consent": (
        rf"\b{_WHOM}\s{{1,8}}(?:has\s{{1,8}}|have\s{{1,8}}|had\s{{1,8}})?(?:already\s{{1,8}}|explicitly\s{{1,8}})?"
        r"(?:(?:pre-?approved|pre-?authori[sz]ed)\b|(?<=already\s)(?:agreed|approved|consented|authori[sz]ed|permitted|allowed)\b"
        r"|consented\s{1,8}to\b|said\s{1,8}(?:that\s{1,8})?you\s{1,8}(?:may|can|should|must)\b|gave\s{1,8}(?:you\s{1,8})?(?:full\s{1,8})?(?:permission|consent)"
        r"|given\s{1,8}(?:you\s{1,8})?(?:full\s{1,8})?(?:permission|consent))"
        rf"|\b(?:permission|consent|approval|authori[sz]ation)\s{{1,8}}(?:was|has\s{{1,8}}been|is)\s{{1,8}}(?:already\s{{1,8}})?(?:granted|given|obtained)\s{{1,8}}by\s{{1,8}}the\s{{1,8}}{_WHOM}"
        r"|\b(?:no|without)\s{1,8}(?:further\s{1,8}|additional\s{1,8}|any\s{1,8})?(?:confirmation|approval|permission|consent)\s{1,8}(?:is\s{1,8})?(?:needed|required|necessary)"
        r"\b[^\n.]{0,80}?\b(?:do\s{1,8}not\s{1,8}ask|proceed|go\s{1,8}ahead|for\s{1,8}this)\b"
        r"|\b(?:do\s{1,8}not|don['’]t|never|without)\s{1,8}ask(?:ing)?\s{1,8}(?:the\s{1,8}(?:user|human|owner|operator)|for\s{1,8}(?:confirmation|permission|approval))\b"
        rf"|\b(?:permission|consent|approval)\b[^\n]{{0,60}}\bby\s{{1,8}}the\s{{1,8}}{_WHOM}[^\n]{{0,40}}(?:skip|no)\s{{1,8}}(?:the\s{{1,8}})?confirmation"
    ),
    "a turn": (
        r"(?:\n\s{0,4}\n|^)\s{0,8}(?-i:Human|Assistant)\s{0,4}:[^\n]{0,300}\n\s{0,4}\n\s{0,8}(?-i:Human|Assistant)\s{0,4}:"
        r"|(?:^|\n)\s{0,8}(?:user|human)\s{0,4}:\s{0,8}(?:yes\b|ok(?:ay)?\b|sure\b|go\s{1,8}ahead|approved\b|confirmed\b|i\s{1,8}(?:agree|approve|confirm|allow|authori[sz]e))"
        r"[^\n]{0,40}?(?:,|\band\b|\bto\b)\s{0,8}\w{1,30}"
        r"|[\"']role[\"']\s{0,8}:\s{0,8}[\"'](?:system|developer)[\"']"
    ),
    "a hidden comment": (
        rf"<!--\W{{0,8}}(?:(?:note|message|instructions?|attention|dear|to|for)\W{{1,8}}){{0,3}}(?:(?:the|all|any)\s{{1,8}})?{_READER_WORDS}\s{{0,8}}[:,!—–-](?!->)"
        rf"|\[(?://|comment)\]:\s{{0,4}}\#\s{{0,4}}[(\"']\W{{0,8}}(?:(?:the|all|any)\s{{1,8}})?{_READER_WORDS}\s{{0,8}}[:,!]"
        rf"|(?:/\*|//|(?:^|\n)\s{{0,8}}(?:\#|--))\s{{0,8}}(?-i:AI|LLMs?)(?:\s{{1,8}}(?:agents?|assistants?|models?))?\s{{0,8}}[:,]"
        r"|<[a-z]\w{0,20}\b(?:[^<>\n]|<(?![a-z])){0,200}?(?:display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}hidden|font-size\s{0,4}:\s{0,4}0|\shidden)\b(?:[^<>\n]|<(?![a-z])){0,200}>"
        rf"\s{{0,8}}(?:\w{{1,30}}\s{{1,8}}){{0,6}}?{_ACTS}\b"
    ),
    "a shell": (
        r"base64\s{1,8}(?:-d|-D|--decode)\b[^\n|]{0,80}\|\s{0,8}(?:sudo\s{1,8})?(?:ba|z|da|k)?sh\b"
        r"|\b(?:call|invoke|use)\s{1,8}(?:the\s{1,8})?(?:\w{1,30}\s{1,8})?(?:tool|terminal|shell)\b[^\n]{0,60}?(?:curl|wget|sudo|rm\s{1,8}-|\bnc\b|https?://)"
    ),
    "exfiltration": (
        rf"\b(?:read|cat|open|print|show|dump|load|copy|display|output|reveal)\s{{1,8}}(?:(?:me|the|your|all|file|files|contents?|text|of|out|from)\s{{1,8}}){{0,5}}{_SECRET_FILE}"
        rf"[^\n]{{0,60}}?\b(?:and\s{{1,8}}(?:put|add|paste|post|send|include|tell|append|report|upload|share|reply|write|attach)|(?:in|into|to|here)\b\s{{0,8}}(?:the\s{{1,8}}|your\s{{1,8}})?(?:{_ANSWER}|here|$)|here\b)"
        rf"|\b(?:read|show|print|reveal|display)\s{{1,8}}(?:(?:me|the|contents?|text|of|from|file)\s{{1,8}}){{0,5}}{_SECRET_FILE}[^\n]{{0,30}}?\bto\s{{1,8}}the\s{{1,8}}(?:caller|user|reader)"
        rf"|\b(?:include|add|put|paste|post|share|print|send|write|attach|append)\s{{1,8}}(?:(?:the|all|whole|contents?|text|values?|lines?|of|from|your|file)\s{{1,8}}){{0,6}}\S{{0,40}}\.env\b(?!\.\w)[^\n]{{0,30}}?\b(?:in|into|to)\s{{1,8}}{_ANSWER}"
        rf"|"
        r"\b(?:paste|post|print|share|attach|copy|include|send|upload)\s{1,8}(?:me\s{1,8})?(?:the\s{1,8})?(?:whole\s{1,8})?(?:contents?|text)\s{1,8}of\s{1,8}"
        r"\S{0,60}(?:(?:id_rsa|id_ed25519|id_ecdsa)\b(?!\.pub)|\.env\b(?!\.\w)|\.aws/credentials|\.netrc|\.pgpass|/etc/shadow)|"
        r"\b(?:send|post|upload|forward|e-?mail|leak|exfiltrate|transmit|copy|append|encode)\s{1,8}(?:\w{1,30}\W{1,8}){0,5}?"
        r"(?:api\s{0,8}keys?|passwords?|secrets?|credentials?|private\s{1,8}keys?|ssh\s{1,8}keys?|\.env\b(?:\s{1,8}file)?"
        r"|environment\s{1,8}variables|conversations?|chat\s{1,8}history|memories|system\s{1,8}prompt)\W{1,8}(?:\w{1,30}\W{1,8}){0,6}?"
        r"(?:to|at|into|via)\W{1,8}(?:https?://|\S{1,60}@\S{1,60}?\.\w|[\w-]{1,60}\.(?:com|net|org|io|example|xyz|ru)\b)"
        rf"|\b(?:upload|send|post|e-?mail|forward|transmit|leak|exfiltrate|curl)\s{{1,8}}{_OF_IT}{_KEY_FILE}\W{{1,8}}(?:\w{{1,30}}\W{{1,8}}){{0,4}}?"
        r"(?:to|at|into|via)\W{1,8}(?:https?://|ftp://|\S{1,60}@\S{1,60}?\.\w)"
        rf"|\b(?:read|open|load|cat|print)\s{{1,8}}{_OF_IT}{_KEY_FILE}[^\n.]{{0,40}}?\b(?:and|then)\s{{1,8}}(?:include|append|add|put|paste|quote|attach|repeat|show|send|post)\s{{1,8}}"
        rf"(?:it|them|its\s{{1,8}}contents?|the\s{{1,8}}(?:contents?|values?|result|output))\s{{1,8}}{_TO_THE_READER}"
        rf"|\b(?:answer|reply|response|message)s?\s{{1,8}}(?:(?:must|should|shall|will|always)\s{{1,8}}){{0,2}}(?:ends?|begins?|starts?|closes?|includes?|contains?|quotes?)\s{{1,8}}(?:with\s{{1,8}})?{_OF_IT}{_KEY_FILE}"
        rf"|{_GIVES_AWAY}\s{{1,8}}{_OF_IT}(?:{_SECRETS}|{_KEY_FILE})\s{{1,8}}(?:file\s{{1,8}})?(?:in|into|to|at\s{{1,8}}the\s{{1,8}}end\s{{1,8}}of)\s{{1,8}}(?:every|each|all|any|your)"
        r"\s{1,8}(?:answer|reply|response|message)"
        rf"|\b(?:you|(?:the|an?|every|any)\s{{1,8}}{_READER_WORDS})\s{{1,8}}(?:(?:must|should|shall|will|always)\s{{1,8}}){{0,2}}{_GIVES_AWAY}\s{{1,8}}{_OF_IT}(?:{_SECRETS}|{_KEY_FILE})\s{{1,8}}(?:file\s{{1,8}})?{_TO_THE_READER}"
        r"|!\[[^\]\n]{0,200}\]\(https?://[^)\s]{0,300}[?&][\w-]{1,60}=(?:\{|\[|<|%7B|DATA|SECRET)"
        r"|\b(?:decode|base64)\b.{0,80}\b(?:follow|execute|obey|carry\s{1,8}out)\b.{0,20}\b(?:it|them|instructions?|result)\b"
    ),
}

_ORDER = (
    r"\b(?:always|never|must|do\s{1,8}not|don['’]t|make\s{1,8}sure|be\s{1,8}sure|ensure|you\s{1,8}(?:should|shall|need|have\s{1,8}to)"
    r"|immediately|from\s{1,8}now\s{1,8}on|before\s{1,8}(?:you|any|every|each)|(?:no|not|without)\s{1,8}(?:\w{1,20}\s{1,8}){0,3}needed)\b"
    r"|(?:^|[\n.:;!?]\s{0,4}|[-*]\s{1,4})(?:please\s{1,8})?(?:run|execute|install|send|delete|remove|push|deploy|skip|disable|enable|grant|approve"
    r"|open|call|use|download|copy|paste|upload|merge|ignore|reply|answer|add|set|give|tell|stop)\s"
    r"|\b(?:immer|niemals|stets|sofort|muss|musst|müssen|siempre|nunca|jamás|debes?|toujours|jamais|devez|dois|sempre|nunca|deve|devi"
    r"|mai|всегда|никогда|обязательно|должен|zawsze|nigdy|musisz|her\s{1,4}zaman|asla|vždy|nikdy|altid|aldrig|alltid|altijd|nooit"
    r"|aina|koskaan|mindig|soha|întotdeauna|niciodată|πάντα|ποτέ|luôn|selalu|jangan)\b"
    r"|总是|必须|永远|不要|務必|务必|常に|必ず|決して|しなければ"
    r"|항상|반드시|절대|دائما|يجب|أبدا|תמיד|לעולם|חייב|हमेशा|कभी नहीं|ต้อง|เสมอ|ห้าม"
)
"""Words that orders have and reports have not, in some languages."""

_NAMED_IN: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "drops instructions": (
        (
            *("ignore", "disregard", "forget", "override", "overrule", "bypass", "discard", "dismiss", "abandon"),
            *("follow", "obey"),
        ),
    ),
    "drops instructions, not in English": (
        (
            *("ignor", "vergiss", "missachte", "oublie", "olvid", "dimentic", "esque", "negeer", "игнорируй", "забудь"),
            *("忽略", "无视", "忘", "忽視", "無視"),
        ),
    ),
    "another speaker": (
        ("system", "sys>", "developer", "admin", "<|", "inst]", "_turn", "##", "context", "memory", "memories"),
    ),
    "a tool call": (("function", "invoke", "tool", "parameter", "arguments", "input", "args", "python_tag"),),
    "a new role": (("you", "pretend", "act as", "mode", "instruction"),),
    "an address to the reader": (("ai", "a.i", "llm", "language", "agent", "assistant", "this"),),
    "secrecy": (("user", "human", "operator", "prompt", "instruction", "this"),),
    "a made-up order": (("new",),),
    "consent": (
        ("user", "human", "owner", "operator", "customer", "administrator", "confirmation", "approval", "ask"),
    ),
    "a turn": (("human", "assistant", "user", "role"),),
    "a hidden comment": (("<!--", "#", "/*", "//", "--", "none", "hidden", "font-size"),),
    "a shell": (("|", "$(", "<(", "`", "base64", "powershell", "/dev/tcp", "rm ", "tool", "terminal", "shell", "iex"),),
    "exfiltration": (
        (
            *("http", "@", ".", "base64", "decode", "id_", "shadow", "private"),
            *("answer", "reply", "replies", "response", "footer", "signature", "postscript"),
        ),
        (
            *(
                "key",
                "password",
                "secret",
                "credential",
                "token",
                "id_",
                ".aws",
                ".netrc",
                ".pgpass",
                ".kube",
                ".docker",
            ),
            *(".npmrc", ".pypirc", ".gnupg", ".git-cred", ".env", "/etc/", "wallet.dat", "environment", "conversation"),
            *("chat", "memories", "prompt", "](http", "decode", "base64"),
        ),
    ),
}
"""Groups of strings: a text that breaks the rule has one of each, in lower case. Most texts need no closer look."""

LOOKED_AT_CHARS = 20_000
"""The characters looked at, of a longer text those of its beginning and as many of its end."""

_HIDING = "\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad\u2061\u2062\u2063\u2064"
_HIDDEN: Mapping[str, str] = {
    "reordered text": "[\u202d\u202e]",
    "invisible letters": "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0001-\U000e007f]",
    "smuggled bytes": "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}|[\u3164\u115f\u1160\uffa0]{2}",
    "split words": f"[A-Za-z][{_HIDING}]{{1,3}}[A-Za-z][A-Za-z{_HIDING}]*[{_HIDING}]|(?<=[A-Za-z])[{_HIDING}]{{2}}",
    "hidden run": "[\u200b\u2060\ufeff\u180e\u2061-\u2064]{3}|[\u200b\u200c\u2060\u2063]{6}",
}


def is_an_order(text: str) -> bool:
    """Return whether a text tells somebody what to do, as rules and manuals do; no sign of anything where trusted."""
    lower = _read(text)[0].lower() if not text.isascii() else text.lower()
    return _compiled(_ORDER).search(lower[:LOOKED_AT_CHARS]) is not None


def is_suspicious(text: str) -> bool:
    """Return whether a text looks like an instruction to the agent that reads it, or hides what it says."""
    return bool(signs(text))


async def unsuspicious(items: Iterable[T], text_of: Callable[[T], str]) -> list[T]:
    """Return the items whose texts are not suspicious; long texts are read in a thread."""
    candidates = list(items)
    chars = offload.length(map(text_of, candidates))
    return await offload.read(chars, lambda: [one for one in candidates if not is_suspicious(text_of(one))])


def signs(text: str) -> tuple[str, ...]:
    """Return the names of the rules that a text breaks, which make it suspicious; none for almost every text.

    Of a very long text its beginning and its end are looked at.
    """
    if len(text) > 2 * LOOKED_AT_CHARS:
        text = f"{text[:LOOKED_AT_CHARS]}\n{text[-LOOKED_AT_CHARS:]}"
    found = [] if text.isascii() else [name for name, rule in _hidden().items() if rule.search(text)]
    readings = (text,) if text.isascii() else dict.fromkeys(_read(text))  # most have no lookalikes: one reading
    for reading in readings:
        low = reading.lower()
        found += _broken(reading, low)
        for other in suspicion_readings.others(reading, low):
            found += _broken(other, other.lower())
    return tuple(dict.fromkeys(found))


def _broken(text: str, lower: str) -> list[str]:
    """Return the rules that one reading of a text breaks."""
    found = list(suspicion_words.signs(lower))
    for name, rule in _rules().items():
        if _may_break(name, lower) and rule.search(text):
            found.append(name)
    if any(sign in text for sign in ("|", "(", "`", "/dev/tcp", "-e", "rm ")) and _pipes_into_a_shell(text):
        found.append("a shell")
    return found


def _may_break(name: str, lower: str) -> bool:
    for words in _NAMED_IN[name]:
        for word in words:  # no `any`: a generator costs three times as much
            if word in lower:
                break
        else:
            return False
    return True


def _pipes_into_a_shell(text: str) -> bool:
    """Return whether a text orders its reader to run a download; a note on how something was installed does not."""
    for match in _compiled(_PIPED).finditer(text):
        if _compiled(_TELLS).search(text, max(0, match.start() - _TELLS_WITHIN), match.start()):
            return True
    return False


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


@cache
def _rules() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.I) for name, pattern in _PATTERNS.items()}


@cache
def _hidden() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in _HIDDEN.items()}


def _read(text: str) -> tuple[str, str]:
    """Return a text as it is read, with letters of other scripts as they are and as what they look like.

    Compatible forms are made one, and what cannot be seen is taken out.
    """
    seen = lookalikes.seen(text)
    return seen, lookalikes.in_latin(seen)
