"""SQLite, its files, text index and backups, and ChromaDB, the vector index derived from it."""
