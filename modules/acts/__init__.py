"""Bulk actions: requested once, done in batches in the background, and undone as one."""
