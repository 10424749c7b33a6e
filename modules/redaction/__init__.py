"""Redaction: what looks like a secret is replaced by a marker before anything is written."""
