"""Retrieval quality: how well recall finds what answers a question."""
