"""The ids of events as readers see them: they say nothing about how much the others write."""

import hashlib
import secrets

ID_BITS = 52
"""An id is an integer that JavaScript's numbers hold exactly."""
SALT_BITS = 12
"""What a place adds to its cursor; 40 bits are left, for more changes than a store will see."""
_HALF = ID_BITS // 2
_MASK = (1 << _HALF) - 1
_ROUNDS = 8


class EventIds:
    """Turns cursors of the log into ids and back: a permutation that only the home's secret undoes.

    Daemons of one store that share the secret give the same ids. With another secret those from before are unknown.
    """

    def __init__(self, secret: bytes, store: str) -> None:
        self._secret = hashlib.blake2b(f"event ids:{store}".encode(), key=secret, digest_size=32).digest()

    def shown(self, cursor: int) -> int:
        """Return the id of an event: the same whoever reads it. 0 stays the beginning."""
        return self._permuted(cursor << SALT_BITS) if cursor else 0

    def place(self, cursor: int) -> int:
        """Return an id of a place in the log: another one each time, so that two do not tell whether the log grew."""
        return self._permuted(cursor << SALT_BITS | secrets.randbits(SALT_BITS)) if cursor else 0

    def cursor(self, shown: int) -> int:
        """Return the cursor of an id; of a number that is none, most probably one far ahead of the log."""
        if shown == 0 or shown >= 2**ID_BITS:
            return shown
        left, right = shown >> _HALF, shown & _MASK
        for number in reversed(range(_ROUNDS)):
            left, right = right ^ self._round(number, left), left
        return (left << _HALF | right) >> SALT_BITS

    def _permuted(self, value: int) -> int:
        left, right = value >> _HALF, value & _MASK
        for number in range(_ROUNDS):
            left, right = right, left ^ self._round(number, right)
        return left << _HALF | right

    def _round(self, number: int, half: int) -> int:
        digest = hashlib.blake2b(bytes([number]) + half.to_bytes(8), key=self._secret, digest_size=8).digest()
        return int.from_bytes(digest) & _MASK
