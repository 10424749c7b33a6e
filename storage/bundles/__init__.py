"""Bundles: a store as one file of JSON lines, and back, whichever engine it is on."""
