"""Extraction: facts from what people say in conversations."""
