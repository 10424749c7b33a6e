"""Redaction: secrets in texts are replaced by markers before anything is written."""
