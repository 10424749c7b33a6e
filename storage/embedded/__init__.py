"""SQLite (the source of truth) and ChromaDB (the vector index derived from it)."""
