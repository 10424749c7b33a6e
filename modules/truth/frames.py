"""Frames: what stands around a statement and says nothing itself ("Heads-up: …", "… That came up in the call.")."""

import re

from .attributes import property_of
from .marks import regex

_DOUBTFUL = (
    r"\b(?:rumou?rs?|gossip|hearsay|questions?|ideas?|proposals?|proposed|suggestions?|drafts?|examples?|hypothes\w+|"
    r"jokes?|quotes?|quotation|wish\w*|plans?|to-?do|options?|maybe|perhaps|possibly|old|past|history|dreams?|fiction|"
    r"novel|story|tasks?|if|assum\w+|tests?|unconfirmed|speculation|not sure|unsure|myth|fake|wrong|false|previously|"
    r"formerly|lyrics|poem|said|says|wrote|writes|asks|asked|claims?|thinks?|reply|replied|answered|in \d{4}|"
    r"last year)\b"
)
_OF_ONE_WORD = frozenset(
    """news update note notes noted reminder fyi psa info memo heads-up confirmed announcement attention important edit
    correction heard learned fact facts context background status record summary minutes latest btw nb aside
    psst today yesterday now preference preferences setting settings config profile change changes changed decision
    decided agreed settled observation observed remark log diary journal misc also onboarding planning finally
    logistics catering travel contact contacts ops devops infra""".split()
)
_LEADING = (
    r"^(?:(?:please|kindly) )?(?:(?:also |just )?(?:note|remember|record|be aware|keep in mind|bear in mind|know|"
    r"mind you|save|write down|jot down|store|memori[sz]e)(?: for (?:later|the future|next time|the record))?,? that|"
    r"(?:you (?:should|need to|may want to|ought to) know|it is (?:worth (?:noting|knowing|mentioning)|official|"
    r"confirmed|now official)|i (?:just |want to |wanted to |should |have to )?(?:note|record|mention|learned|learnt|"
    r"noticed|found out|confirm|let you know|point out)|for (?:the record|your information|what it is worth|context|"
    r"completeness|future reference|reference|later|planning)|worth (?:noting|knowing|mentioning)|in other news|"
    r"just so (?:you|we all) know|just to (?:let you know|be clear|confirm)|to be clear|let me (?:note|add|mention)|"
    r"one more thing|small (?:note|thing|update|change)|quick (?:note|thing|update|one)|as (?:discussed|agreed|"
    r"announced|"
    r"decided)|as a (?:note|side note|reminder)|on (?:another|a different|a side) note|by the way|fyi|btw|heads[- ]up|"
    r"if (?:it is |anything is |something is )?(?:urgent|necessary|important|needed)|in urgent cases|when in "
    r"doubt|(?:i|we) (?:just |recently )?(?:heard|learned|learnt|got word|noticed|"
    r"saw)|just (?:heard|learned|noticed|in|saw))"
    r"(?:,|:| -+)?(?: that)?) "
)
_TRAILING = (
    r"(?:,| -+|;)? (?:fyi|btw|by the way|just so you know|for the record|in case (?:it|that|you|anyone|somebody|"
    r"someone|"
    r"we) .*|as (?:discussed|agreed|announced|mentioned|decided)\b[\w ]*|so (?:please )?(?:plan|book|update|note|"
    r"use that|"
    r"keep|remember|adjust|act|take) .*|so book that|so you know|please (?:note|remember|update|keep|take|bear|"
    r"plan) .*|"
    r"(?:please )?remember (?:that|this|it)|note (?:that|this|it)(?: down)?|keep (?:that|this|it) in mind|"
    r"if (?:that|it) (?:helps|matters)|if anyone (?:asks|wonders|needs it)|okay|ok|right|thanks|thank you)$"
)
_CHATTER = (
    r"^(?:(?:that|this|it) (?:came|was|is|comes|has|had|will|should|may|might|matters|helps|applies|counts|needs|goes|"
    r"makes|took|means|saves|got|happened|became|all)\b|please (?:keep|note|remember|update|bear|plan|take|adjust|"
    r"act|use (?:that|this|it))|remember (?:that|this|it)|keep (?:that|this|it) in mind|noted\b|thanks\b|thank you|"
    r"no (?:need|action|further|questions|changes)\b|nothing else|so (?:please|plan|note|keep)|worth \w+|"
    r"(?:we|i|they) (?:talked|discussed|spoke|chatted|learned|learnt|heard|noticed|agreed on (?:that|this|it)|"
    r"decided (?:that|this|it)|mentioned|will (?:update|revisit|review|come back))\b|just (?:so|fyi)|heard |learned |"
    r"mentioned |came up |everybody (?:knows|was|is)|everyone (?:knows|was|is)|source[: ]|more (?:on that|details)|"
    r"details |see |cf\.?|update (?:the|your|our)|use (?:that|this|it) |take (?:that|this|it) |i will |let me know|"
    r"good to know|for the record|fyi|as (?:discussed|agreed)|not urgent|no rush|sounds good|all good|ask me)"
)


def unframed(sentence: str) -> str:
    """A sentence without what frames it; empty where the frame says that it does not count ("Rumour: …")."""
    text = sentence.strip()
    while True:
        before = text
        if (parted := regex(r"^(?P<frame>[^:\"]{2,60}?)(?::| -+) (?P<rest>(?=[\w'\"#]).+)$").match(text)) is not None:
            frame = parted["frame"].strip(" -")
            if _is_frame(frame, parted["rest"]):
                if regex(_DOUBTFUL).search(frame):
                    return ""
                text = parted["rest"]
        text = regex(_LEADING).sub("", text)
        text = regex(_TRAILING).sub("", text)
        if text == before:
            return text


def _is_frame(frame: str, rest: str) -> bool:
    words = frame.split()
    if len(words) > 8 or len(rest.split()) < 3:
        return False
    if len(words) == 1:
        return frame.lower() in _OF_ONE_WORD or (
            regex(_DOUBTFUL).search(frame) is not None and frame.islower() is False
        )
    if any(re.match(r"[^\W\d_a-z]", word) and not word.isupper() for word in words[1:]) or re.search(r"\d", frame):
        return False  # it names somebody: their words, or a subject
    if not regex(
        r"(?:the |our |my |\d|all |some |any |every |for |in |on |at |when |if |[A-Z#]|use |pick |book |show |"
        r"please |keep |"
        r"answer |write |format |send |call |plan |there |[a-z]+-[a-z]|[\w-]+ (?:is|has|runs|uses|was|now|will)\b)",
        0,
    ).match(rest):
        return False
    named = property_of(frame)
    return named is None or named.known is None or words[0].lower() in ("from", "for", "about", "re", "regarding")


def is_chatter(sentence: str) -> bool:
    """Whether a sentence only speaks of another one ("We talked about it over lunch")."""
    return regex(_CHATTER).match(sentence.strip()) is not None
