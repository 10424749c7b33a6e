"""Facts about a folder's git repository: read from its files, or asked of git without obeying the repository."""
