"""Backups: verified copies of the store, their retention, and restoring one."""
