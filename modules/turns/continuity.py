"""Whether a page goes on with what was said before: cues in its words, nearness of its meaning. Pure functions."""

import re

_TAKES_UP = re.compile(
    r"""\s*(?:
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
"""Words that point back, or go on, where a text begins with them."""


def takes_up(text: str) -> bool:
    """Whether a text, by how it begins, goes on with what was said before: "And what about the price?"."""
    return _TAKES_UP.match(text) is not None
