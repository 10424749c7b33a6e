"""Portability: export and import of memories."""
