"""Backups: verified copies of the store, how long they are kept, and how one is brought back."""
