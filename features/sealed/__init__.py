"""Sealed memory: texts that only their owner can read, found by vectors that their owner made."""
