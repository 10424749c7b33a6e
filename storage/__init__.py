"""Storage: keeps what the modules decide, in rows and files."""
