from .wording import NearPair

PAIRS: tuple[NearPair, ...] = ()
