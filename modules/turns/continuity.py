"""Detection of pages that continue the previous topic, by cues in their words and by embeddings. Pure functions."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ..vectors import cosine, mean

SAME_TOPIC = 0.35
"""The cosine similarity from which a page continues the one before it. With the default model, questions about one
thing have .30 to .78, about different things at most .28."""
MAX_GIST_CHARS = 160

_BETWEEN = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_TAKES_UP = re.compile(
    r"""\s*+(?:
        (?:and|also|but|or|so|then|plus|besides|furthermore|moreover|additionally|otherwise|instead|still)\b |
        (?:it|its|it's|they|them|their|that|that's|those|this|these|he|she|him|her|his)\b
        (?!\s+(?:day|week|year|month)) |
        (?:what|how)\s+about\b | what\s+if\b | what\s+else\b | (?:any|something|anything)\s+else\b |
        (?:why|how)\s+(?:is|was|does|did|would|should)\s+(?:it|that|this|they|he|she)\b | why\s+not\b | why\s*\? |
        (?:is|was|are|were|does|did|do|can|could|will|would|should)\s+(?:it|that|this|they|those|these|he|she)\b |
        (?:in\s+that\s+case|in\s+addition|on\s+the\s+other\s+hand|for\s+example|such\s+as|as\s+well)\b |
        (?:going|coming|getting)?\s*back\s+to\s+(?:that|this|it)\b | (?:the\s+)?(?:same|other|latter|former)\b |
        (?:yes|yeah|yep|no|nope|ok|okay|right|sure|thanks|thank\s+you|great|exactly|continue|go\s+on|tell\s+me\s+more)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words at the beginning of a text that refer back, or continue."""


def takes_up(text: str) -> bool:
    """Return whether a text begins as a continuation of what was said before: "And what about the price?"."""
    return _TAKES_UP.match(text) is not None


def goes_on(page: Sequence[bytes], before: Sequence[bytes]) -> bool:
    """Return whether a page is on the topic of the one before, by the cosine of the means of their turns' vectors."""
    if not page or not before:
        return False
    return cosine(mean(page), mean(before)) >= SAME_TOPIC


def gist(texts: Sequence[str]) -> str:
    """Return the sentence that says best what some texts are about: its words come up most in all of them.

    Truncated to MAX_GIST_CHARS; "" if there is no sentence.
    """
    sentences = [line for text in texts for one in _BETWEEN.split(text) if (line := " ".join(one.split()))]
    if not sentences:
        return ""
    words = [{word for word in _WORD.findall(sentence.lower()) if len(word) > 3} for sentence in sentences]
    common = Counter(word for of_one in words for word in of_one)

    def score(place: int) -> float:
        return sum(common[word] for word in words[place]) / math.sqrt(len(sentences[place].split()) + 4)

    best = sentences[max(range(len(sentences)), key=lambda place: (score(place), -place))]
    return best if len(best) <= MAX_GIST_CHARS else best[: MAX_GIST_CHARS - 1].rstrip() + "…"
