"""Other memory systems: their clients need only another address and a key."""
