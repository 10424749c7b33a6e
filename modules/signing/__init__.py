"""Signatures: whose they are, and whether they are trusted."""
