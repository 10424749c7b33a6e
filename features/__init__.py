"""Features: each a folder that holds all of it, and that costs nothing where it is not used."""
