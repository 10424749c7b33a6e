"""Projects across memory: what a search of one reaches, and what becomes of memories when projects change."""
