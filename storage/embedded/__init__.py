"""SQLite (the truth) and ChromaDB (the vector index derived from it)."""
