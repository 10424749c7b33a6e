"""The routes of other systems under their own paths, so that their clients need only another address and a key."""
